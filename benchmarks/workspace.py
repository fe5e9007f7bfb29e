"""Measure the workspace of a hexapod within limits, and the proof that a box of poses has no singular pose."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from table import Row, print_table

import robosym as rs

RUNS = 7
STROKE = (0.6, 0.95)


def best(call: Callable[[], object], runs: int = RUNS, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the time of the fastest run, in s."""
    found = []
    for _ in range(runs):
        start = clock()
        call()
        found.append(clock() - start)
    return min(found)


def hexapod(passive: bool) -> rs.Robot:
    """Return the octahedral hexapod with limits of its strokes, and of all passive joints."""
    robot = rs.load("gough33")
    limits = {f"joint{j}.limits": {"position": [*STROKE]} for j in robot.motors}
    if passive:
        limits |= {f"joint{j}.limits": {"position": [-2.6, 2.6]} for j in robot.tree_joints if j not in robot.motors}
    return robot.edit(limits)


def main() -> None:
    axis = np.linspace(-0.5, 0.5, 100)
    grid = {"x": axis, "y": axis, "z": np.linspace(0.3, 1.1, 100)}
    rows = []
    for what, robot, more in (
        ("strokes", hexapod(False), {}), ("strokes and passive joints", hexapod(True), {}),
        ("strokes, cones, distance of legs", hexapod(False), {"cones": [0.7, 0.7], "clearance": 0.03}),
    ):  # fmt: skip
        seconds = best(lambda robot=robot, more=more: rs.workspace(robot, **grid, **more).reached)
        used = best(lambda robot=robot, more=more: rs.workspace(robot, **grid, **more).reached, 3, time.process_time)
        rows.append(Row(f"1e6 poses within limits ({what}), s", seconds, 1, key=f"workspace: {what}"))
        rows.append(Row(f"  processor time of both cores, s ({what})", used, 2, key=f"processor: {what}"))
    a = 2 * np.pi / 3
    base = 0.6 * np.array([[np.cos(k * a), np.sin(k * a), 0] for k in (0, 1, 1, 2, 2, 0)])
    top = 0.4 * np.array([[np.cos((k + 0.5) * a), np.sin((k + 0.5) * a), 0] for k in (0, 0, 1, 1, 2, 2)])
    reach = rs.workspace(hexapod(False), **grid)
    lengths = np.linalg.norm(reach.poses.reshape(-1, 1, 12)[..., 9:] + top - base, axis=2)
    wanted = ((lengths >= STROKE[0]) & (lengths <= STROKE[1])).all(axis=1)
    clear = np.abs(lengths[..., None] - STROKE).min(axis=(1, 2)) > 1e-8
    rows.append(Row("poses that brute force decides otherwise", int((wanted != reach.reached.ravel())[clear].sum()), 0))
    print_table("Workspace of an octahedral hexapod", rows)

    rows = []
    for name in ("gough33", "gough63"):
        robot = rs.load(name)
        x, y, z = robot.reference.pose[9:]
        cube = {"x": [x - 0.05, x + 0.05], "y": [y - 0.05, y + 0.05], "z": [z - 0.05, z + 0.05]}
        turned = {n: [-0.1, 0.1] for n in ("roll", "pitch", "yaw")}
        for what, more, bar in ((": cube of 10 cm", {}, 30), (": cube of 10 cm, angles within 0.1 rad", turned, 60)):
            start = time.perf_counter()
            found = rs.singularity_free(robot, **cube, **more)
            took = time.perf_counter() - start
            rows.append(Row(f"{name}{what}: proven", float(found.proven), 1, at_least=True))
            rows.append(Row(f"{name}{what}: {found.boxes:,} boxes, s", took, bar, key=f"box: {name}{what}"))
    print_table("Boxes without singular poses, proven by interval arithmetic", rows)


if __name__ == "__main__":
    main()
