"""Measure the time to draw a robot and to move it; the page needs at most 50 ms per move."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from table import Row, print_table

import robosym as rs


def least(call: Callable[[], Any], times: int = 5) -> float:
    """Return the time of the fastest of several calls, in ms."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def main() -> None:
    rows = []
    for name in ("panda", "gough_stewart"):
        drawing = rs.load(name).draw()
        scene = drawing.scene
        motors = {scene.robot.variable(j) for j in scene.robot.tree_joints if scene.robot.frame(j).mu}
        q = {joint: value + 0.01 for joint, value in scene.joints.items() if joint in motors}
        rows.append(
            Row(f"{name}: poses of all frames at another position, ms", least(lambda s=scene, q=q: s.moved(q)), 50)
        )
        rows.append(Row(f"{name}: SVG, ms", least(drawing.svg, 2), 2000))
    print_table("Pictures", rows)


if __name__ == "__main__":
    main()
