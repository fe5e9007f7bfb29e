"""Measure direct geometry of parallel robots: all poses of a platform, and the pose near a given one."""

from __future__ import annotations

import time
import timeit
from typing import Any

import numpy as np
from table import Row, print_table

import robosym as rs
from robosym.solve.distances import Distances

Array = np.ndarray[Any, np.dtype[Any]]
ROBOTS, POSITIONS = 12, 5


def all_poses() -> list[Row]:
    """Measure generic Gough-Stewart robots; the pose that gave the lengths must be among the solutions."""
    times, found, complete, counted = [], 0, 0, []
    for seed in range(ROBOTS):
        draw = np.random.default_rng(seed)
        angles = np.arange(6) * np.pi / 3
        circle = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
        base = circle + 0.2 * draw.normal(size=(6, 3))
        platform = 0.6 * np.roll(circle, 1, axis=0) + 0.15 * draw.normal(size=(6, 3))
        home = np.array([0, 0, 1.0])
        solver = Distances(base, platform, np.linalg.norm(home + platform - base, axis=1))
        solved = 0
        for _ in range(POSITIONS):
            R, _ = np.linalg.qr(np.eye(3) + 0.3 * draw.normal(size=(3, 3)))
            R *= np.sign(np.diag(R))
            R *= np.sign(np.linalg.det(R))
            P = home + 0.2 * draw.normal(size=3)
            lengths = np.linalg.norm(P + platform @ R.T - base, axis=1)
            start = time.perf_counter()
            poses = solver.solve(base, platform, lengths)
            times.append(time.perf_counter() - start)
            solved += bool((np.abs(poses - np.concatenate([R.ravel(), P])).max(axis=1) < 1e-8).any())
            complete += poses.complete
            counted.append(poses.complex)
        found += solved == POSITIONS
    return [
        Row("all poses of a Gough-Stewart robot, ms (median)", 1e3 * float(np.median(times)), 100),
        Row("robots of 12 whose known poses were all found", found, ROBOTS, at_least=True),
        Row("complex solutions found, minimum", min(counted), 40, at_least=True),
        Row("solutions certified complete", complete, ROBOTS * POSITIONS, at_least=True),
    ]


def near() -> list[Row]:
    """Measure the compiled Newton method from a pose 2 mm and 2 mrad away, as in a control loop."""
    gough = rs.load("gough")
    draw = np.random.default_rng(0)
    geometry = rs.direct_geometry(gough)
    values = {name: draw.uniform(0.5, 1.5) for name in geometry.parameters}
    geometry = rs.direct_geometry(gough.with_values(values))
    base, platform, _ = geometry._points(np.ones(6), {})
    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 1.1])
    q = np.linalg.norm(pose[9:] + platform - base, axis=1)
    start = pose + 2e-3 * np.array([0, -1, 1, 1, 0, -1, -1, 1, 0, 1, 1, -1])
    error = float(np.abs(geometry.near(q, start) - pose).max())
    times = timeit.repeat(lambda: geometry.near(q, start), number=2000, repeat=30)
    return [
        Row("pose near a given one, us per call from Python", 1e6 * min(times) / 2000, 5),
        Row("  its error, m", error, 1e-10),
    ]


def main() -> None:
    print_table("Direct geometry of parallel robots", [*near(), *all_poses()])


if __name__ == "__main__":
    main()
