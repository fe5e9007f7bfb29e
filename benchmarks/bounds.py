"""Guaranteed bounds beside what is found at samples: torques over a box of states, and rounding errors in double.

The joints move within 0.5 rad of a posture, at up to 1 rad/s and 2 rad/s^2.
"""

from __future__ import annotations

import time

import numpy as np
from table import Row, print_table

import robosym as rs

ROBOTS = ("planar2r", "scara", "puma560", "ur5e", "panda")
BOXES, STATES = 100, 20_000


def measured(name: str) -> tuple[float, float, float]:
    """Return bound over largest torque found, bound of the error over the largest error found, and seconds."""
    model = rs.inverse_dynamics(rs.load(name))
    ranges = {group: dict.fromkeys(names, (0.0, 1.0)) for group, names in model.inputs.items() if group == "q"}
    ranges |= {group: (-size, size) for group, size in (("qd", 1.0), ("qdd", 2.0))}
    start = time.process_time()
    found = model.bounds(ranges, boxes=BOXES)
    seconds = time.process_time() - start
    draw, f = np.random.default_rng(1), model.compile()
    states = {g: draw.uniform([found.ranges[n][0] for n in names], [found.ranges[n][1] for n in names],
                              (STATES, len(names))) for g, names in model.inputs.items()}  # fmt: skip
    largest = np.abs(f(**states)).max(axis=0)
    bounds = zip(found.outputs.values(), largest, strict=True)
    worst = max(bound.size / max(size, *map(abs, bound.attained)) for bound, size in bounds if size > 1e-9)
    error = model.precision(ranges, samples=60).worst["double"]["tau"]
    return worst, found.error() / abs(error.computed - error.exact), seconds


def main() -> None:
    rows = []
    for name in ROBOTS:
        torque, error, seconds = measured(name)
        rows += [
            Row(f"{name}: bound of a torque over the largest found", torque, 3.0),
            Row(f"{name}: bound of the rounding error over the largest found", error, 2000.0),
            Row(f"{name}: time, s", seconds, 60.0),
        ]
    print_table("Guaranteed bounds of inverse dynamics", rows)


if __name__ == "__main__":
    main()
