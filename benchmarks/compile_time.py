"""Time from a model to machine code, and what that code takes for a state."""

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
    """The median time of the processor that a compilation takes."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        model.compile(cached=False)
        times.append(time.process_time() - start)
    return statistics.median(times)


def nanoseconds(model: rs.Model) -> float:
    """The time of one state in a batch."""
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
    """The time of a compilation in a process of its own, with a cache that holds it."""
    with tempfile.TemporaryDirectory() as place:
        there = {**os.environ, "ROBOSYM_CACHE": place}
        command = [sys.executable, "-c", _SECOND]
        runs = [subprocess.run(command, env=there, capture_output=True, text=True, check=True) for _ in range(4)]
    return statistics.median(float(run.stdout) for run in runs[1:])


def unpickled(model: rs.Model) -> float:
    """The time to unpickle a compiled model, of which this process holds nothing else."""
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
        "Compilation of inverse dynamic models [s of a processor]",
        [
            Row(f"RX90 ({nanoseconds(rx90):.0f} ns a state)", seconds(rx90, 7), 0.15),
            Row("RX90, the second time, from a cache on disk, in another process", warm, 0.02),
            Row("RX90, unpickled with its machine code", unpickled(rx90), 0.02),
            Row("400-link tree", seconds(tree400, 1), 4),
            Row("RX90, the first in a process, generation included", first, 1),
            Row(f"80-link tree, general angles ({nanoseconds(tree80):.0f} ns a state)", seconds(tree80, 3), 15),
        ],
    )


if __name__ == "__main__":
    main()
