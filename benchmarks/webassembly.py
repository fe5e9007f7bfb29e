"""RX90 in WebAssembly: time in Node over native scalar C in one interleaved run, and size of the module."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from table import Row, note, print_table, spread_of

import robosym as rs
from robosym.optimizer.optimize import fastest

STATES, ROUNDS, CALLS = 2000, 30, 60

SCRIPT = """
import {{ load }} from "./rx90.mjs";
import {{ createInterface }} from "node:readline";
const robot = await load();
const base = robot.heap, count = {states};
robot.memory.grow(Math.ceil(24 * 8 * count / 65536) + 1);
const numbers = new Float64Array(robot.memory.buffer, base, 18 * count);
for (let k = 0; k < 18 * count; ++k) numbers[k] = Math.sin(0.37 * k + 1);
const places = [0, 6, 12, 18].map((width) => base + 8 * width * count);
const once = () => {{ for (let k = 0; k < {calls}; ++k) robot.exports.inverse_dynamics(count, ...places); }};
const single = () => {{ for (let k = 0; k < 20000; ++k) robot.exports.inverse_dynamics(1, ...places); }};
for await (const line of createInterface({{ input: process.stdin }})) {{
  const begun = process.hrtime.bigint();
  once();
  const then = process.hrtime.bigint();
  single();
  console.log(Number(then - begun) / {calls} / count, Number(process.hrtime.bigint() - then) / 20000);
}}
"""
MAIN = """
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "rx90.h"
static double given[18 * {states}], tau[6 * {states}];
static double now(void) {{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }}
int main(void)
{{
    char line[16];
    for (int k = 0; k < 18 * {states}; ++k) given[k] = sin(0.37 * k + 1);
    while (fgets(line, sizeof line, stdin)) {{
        const double begun = now();
        for (int k = 0; k < {calls}; ++k)
            for (int i = 0; i < {states}; ++i)
                rx90(given + 6*i, given + 6*{states} + 6*i, given + 12*{states} + 6*i, tau + 6*i);
        printf("%.17g\\n", (now() - begun) / {calls} / {states});
        fflush(stdout);
    }}
    return tau[0] > 1e300;
}}
"""


def robot_with_numbers() -> rs.Robot:
    robot = rs.load("rx90")
    rng, inputs = np.random.default_rng(1), rs.inverse_dynamics(robot).inputs
    names = [name for group, found in inputs.items() if group not in ("q", "qd", "qdd") for name in found]
    return robot.with_values({name: float(rng.uniform(0.1, 1)) for name in names})


def answers(program: subprocess.Popen[str]) -> list[float]:
    """Let a program measure once."""
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("\n")
    program.stdin.flush()
    return [float(word) for word in program.stdout.readline().split()]


def main() -> None:
    robot, compiler, node = robot_with_numbers(), shutil.which("gcc"), shutil.which("node")
    assert compiler and node, "expected gcc and node"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        functions = "inverse_dynamics direct_dynamics jacobian inverse_geometry"
        module, *_ = rs.build(robot, "wasm", folder, functions, name="rx90")
        (folder / "time.mjs").write_text(SCRIPT.format(states=STATES, calls=CALLS))
        fastest(rs.inverse_dynamics(robot)).write(folder / "rx90.c", name="rx90")
        (folder / "main.c").write_text(MAIN.format(states=STATES, calls=CALLS))
        subprocess.run([compiler, "-O2", "main.c", "rx90.c", "-lm", "-o", "native"], cwd=folder, check=True)
        size = module.stat().st_size
        symbolic, *_ = rs.build(rs.load("rx90"), "wasm", folder / "symbolic", functions)
        largest = max(size, symbolic.stat().st_size)
        commands = [[node, "time.mjs"], [str(folder / "native")]]
        programs = [
            subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for command in commands
        ]
        for program in programs:
            for _ in range(3):
                answers(program)
        pairs = [[answers(program) for program in programs] for _ in range(ROUNDS)]
        for program in programs:
            program.communicate()
    ratios = [web[0] / native[0] for web, native in pairs]
    rows = [
        Row("inverse dynamics in Node over native scalar C, batch, times", float(np.median(ratios)), 2.0,
            spread=spread_of(ratios)),
        Row("module with inverse and direct dynamics, Jacobian and inverse geometry, kB", largest / 1000, 150.0),
    ]  # fmt: skip
    print_table("RX90 in WebAssembly", rows)
    note(
        "native scalar C, batch, ns", float(np.median([native[0] for _, native in pairs])), table="RX90 in WebAssembly"
    )
    note("Node, batch, ns", float(np.median([web[0] for web, _ in pairs])), table="RX90 in WebAssembly")
    note("Node, one state, ns", float(np.median([web[1] for web, _ in pairs])), table="RX90 in WebAssembly")


if __name__ == "__main__":
    main()
