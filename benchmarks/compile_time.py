"""Time from a model to machine code, and what that code takes for a state."""

from __future__ import annotations

import statistics
import time
import timeit

import numpy as np
from generation import tree
from table import Row, print_table

import robosym as rs

STATES = 800


def seconds(model: rs.Model, repeats: int) -> float:
    """The median time of a compilation."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        model.compile()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def nanoseconds(model: rs.Model) -> float:
    """The time of one state in a batch."""
    f = model.compile()
    rng = np.random.default_rng(0)
    moving = ("q", "qd", "qdd")
    given = {g: rng.uniform(-2, 2, (STATES, len(n)) if g in moving else len(n)) for g, n in model.inputs.items()}
    return statistics.median(timeit.repeat(lambda: f(**given), number=1, repeat=15)) / STATES * 1e9


def main() -> None:
    start = time.perf_counter()
    rx90 = rs.inverse_dynamics(rs.load("rx90"))
    rx90.compile()
    first = time.perf_counter() - start
    tree80 = rs.inverse_dynamics(tree(80))
    print_table(
        "Compilation of inverse dynamic models [s]",
        [
            Row(f"RX90 ({nanoseconds(rx90):.0f} ns a state)", seconds(rx90, 7), 1),
            Row("RX90, the first in a process, generation included", first, 1),
            Row(f"80-link tree, general angles ({nanoseconds(tree80):.0f} ns a state)", seconds(tree80, 3), 15),
        ],
    )


if __name__ == "__main__":
    main()
