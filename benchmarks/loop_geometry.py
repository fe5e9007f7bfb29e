"""Measure loop geometry: assembly modes found, and the time to follow one."""

from __future__ import annotations

import sys
import time
import timeit
from pathlib import Path

import numpy as np
from table import Row, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cases.closed_robots import palletizer, three_rrr

SR400 = {"D3": 0.8, "D8": 0.3}


def main() -> None:
    rows = []
    for robot, parameters, q, modes in (
        (palletizer(), {}, [0.3, 0.4, 1.1, 0.2], 8),
        (rs.load("sr400"), SR400, [0.1, 0.3, 0.2, 0.5, 0.6, 0.9], 2),
        (three_rrr(), {}, [0.9, 2.0, -1.5], 6),
    ):
        model = rs.loop_geometry(robot)
        found = model.solve(q, parameters)
        rows.append(Row(f"{robot.name}: assembly modes", len(found), modes, at_least=True))
        follow, here, there = model.compile(parameters), np.array(found[0]), np.array(q) + 0.001
        seconds = min(timeit.repeat(lambda: follow(there, here), number=1000, repeat=5)) / 1000  # noqa: B023
        rows.append(Row(f"{robot.name}: follow a mode, one call from Python, us", 1e6 * seconds, 50))
    start = time.process_time()
    rs.inverse_geometry(rs.load("gough_stewart"), frame=6)
    spent = time.process_time() - start
    rows.append(Row("gough_stewart: inverse geometry, all five loops in closed form, processor time, s", spent, 2))
    print_table("Loop geometry", rows)


if __name__ == "__main__":
    main()
