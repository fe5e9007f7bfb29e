"""Measure the time to compile a model to machine code, and the time of that code per state."""

from __future__ import annotations

import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
import timeit

import numpy as np
from generation import tree
from table import Row, print_table

import robosym as rs

STATES = 800


def seconds(model: rs.Model, repeats: int) -> float:
    """Return the median processor time of a compilation, in s."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        model.compile(cached=False)
        times.append(time.process_time() - start)
    return statistics.median(times)


def nanoseconds(model: rs.Model) -> float:
    """Return the time per state of a batch, in ns."""
    f = model.compile()
    rng = np.random.default_rng(0)
    moving = ("q", "qd", "qdd")
    given = {g: rng.uniform(-2, 2, (STATES, len(n)) if g in moving else len(n)) for g, n in model.inputs.items()}
    return statistics.median(timeit.repeat(lambda: f(**given), number=1, repeat=15)) / STATES * 1e9


_SECOND = """
import time
import robosym as rs
model = rs.inverse_dynamics(rs.load("rx90"))
rs.inverse_dynamics(rs.load("planar2r")).compile()  # LLVM itself is there
start = time.process_time()
model.compile()
print(time.process_time() - start)
"""


def from_disk() -> float:
    """Return the time of a compilation from the disk cache, in a new process."""
    with tempfile.TemporaryDirectory() as place:
        there = {**os.environ, "ROBOSYM_CACHE": place}
        command = [sys.executable, "-c", _SECOND]
        runs = [subprocess.run(command, env=there, capture_output=True, text=True, check=True) for _ in range(4)]
    return statistics.median(float(run.stdout) for run in runs[1:])


def unpickled(model: rs.Model) -> float:
    """Return the time to unpickle a compiled model in a process that has not compiled it."""
    data = pickle.dumps(model.compile(cached=False))
    times = []
    for _ in range(7):
        start = time.process_time()
        pickle.loads(data)
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> None:
    start = time.perf_counter()
    rx90 = rs.inverse_dynamics(rs.load("rx90"))
    rx90.compile()
    first = time.perf_counter() - start
    warm = from_disk()
    tree400 = rs.inverse_dynamics(tree(400))
    tree80 = rs.inverse_dynamics(tree(80))
    print_table(
        "Compilation of inverse dynamic models [processor time, s]",
        [
            Row(f"RX90 ({nanoseconds(rx90):.0f} ns per state)", seconds(rx90, 7), 0.15, key="RX90"),
            Row("RX90, from the disk cache, in another process", warm, 0.02),
            Row("RX90, unpickled with its machine code", unpickled(rx90), 0.02),
            Row("400-link tree", seconds(tree400, 1), 4),
            Row("RX90, first model of a process, with generation", first, 1),
            Row(f"80-link tree, general angles ({nanoseconds(tree80):.0f} ns per state)", seconds(tree80, 3), 15),
        ],
    )


if __name__ == "__main__":
    main()
