"""Measure the time of emitted scalar C for each goal of the optimizer; `goal="speed"` must not be slower than none.

All parameters are numbers. The programs run in turns; a figure is the minimum over all turns.
"""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from table import Row, note, print_table

import robosym as rs
from robosym.model import Model

STATES, TURNS = 500, 60
NOISE = 1.03  #: variation of the time of one program
ROBOTS = ("rx90", "ur5e", "puma560", "panda")
MODELS: tuple[Callable[[rs.Robot], Model], ...] = (rs.inverse_dynamics, rs.direct_dynamics, rs.inertia_matrix)


def with_numbers(robot: rs.Robot) -> rs.Robot:
    draw = random.Random(1)
    return robot.with_values({name: round(draw.uniform(0.2, 1.0), 3) for name in rs.inverse_dynamics(robot).known})


class Emitted:
    """A model as compiled C code that is called for many states."""

    def __init__(self, model: Model, folder: Path, gcc: str) -> None:
        folder.mkdir()
        model.write(folder / "model.c")
        found = re.search(r"void (\w+)\(([^;]*)\);", (folder / "model.h").read_text(), re.S)
        assert found is not None
        arguments = [(int(re.findall(r"\d+", text)[-1]), "const" in text) for text in found[2].split(",")]
        width = sum(size for size, given in arguments if given)
        read = written = 0
        words = []
        for size, given in arguments:
            words.append(f"given + i * {width} + {read}" if given else f"out + {written}")
            read, written = (read + size, written) if given else (read, written + size)
        (folder / "run.c").write_text(
            f'#include "model.h"\nvoid run(long n, const double *given, double *out)\n'
            f"{{ for (long i = 0; i < n; i++) {found[1]}({', '.join(words)}); }}\n"
        )
        flags = ["-std=c99", "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([gcc, *flags, "model.c", "run.c", "-o", "run.so", "-lm"], cwd=folder, check=True)
        self.run = ctypes.CDLL(str(folder / "run.so")).run
        self.given = np.random.default_rng(0).uniform(0.2, 1.0, (STATES, width))
        self.out = np.zeros(written)
        self.best = float("inf")

    def turn(self) -> None:
        start = time.perf_counter_ns()
        self.run(ctypes.c_long(STATES), ctypes.c_void_p(self.given.ctypes.data), ctypes.c_void_p(self.out.ctypes.data))
        self.best = min(self.best, (time.perf_counter_ns() - start) / STATES)


def main() -> None:
    gcc = shutil.which("gcc")
    if gcc is None:
        print("gcc is not installed")
        return
    rows = []
    print(f"{'model':28} {'plain':>14} {'operations':>14} {'speed':>14}   operations, ns")
    for name in ROBOTS:
        robot = with_numbers(rs.load(name))
        for make in MODELS:
            model = make(robot)
            goals = [rs.optimize(model, 0), *(rs.optimize(model, "max", goal=g) for g in ("operations", "speed"))]
            with tempfile.TemporaryDirectory() as folder:
                programs = [Emitted(each, Path(folder) / str(place), gcc) for place, each in enumerate(goals)]
                for _ in range(TURNS):
                    for program in programs:
                        program.turn()
            what = f"{name} {make.__name__}"
            for goal, m, p in zip(("plain", "operations", "speed"), goals, programs, strict=True):
                note(f"{what} for {goal}, operations", m.operations.total, f"{what} {goal} count")
                note(f"{what} for {goal}, ns", p.best, f"{what} {goal} ns")
            cells = [f"{m.operations.total:6} {p.best:7.0f}" for m, p in zip(goals, programs, strict=True)]
            print(f"{what:28} {' '.join(cells)}", flush=True)
            rows.append(Row(f"{what}: time for speed over plain", programs[2].best / programs[0].best, NOISE))
    print_table("Emitted C, gcc -O3 -march=native, one state after the other", rows)


if __name__ == "__main__":
    main()
