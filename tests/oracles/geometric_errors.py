"""Effect of geometric errors by finite differences of edited descriptions, without the columns of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.coordinates.numeric_robot import NumericRobot
from robosym.mechanism import Robot

__all__ = ["difference_columns"]

Array = NDArray[np.float64]
STEP = 5e-4


def difference_columns(
    robot: Robot, end: int, entries: Sequence[tuple[int, str]], positions: Sequence[Mapping[str, float]],
    values: Mapping[str, float],
) -> Array:  # fmt: skip
    """Return the twist of a frame in frame 0 (m, 6, n) per unit of each entry of a frame, motors as they are."""
    motors = [robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu or not robot.loops]
    fixed = [j for j in robot.tree_joints if robot.variable(j) in motors]
    columns = []
    for j, name in entries:
        ends: list[Any] = []
        for step in (STEP, -STEP):
            frames = list(robot.frames)
            frame = frames[j - 1]
            frames[j - 1] = replace(frame, **{name: getattr(frame, name) + step})
            moved = NumericRobot(replace(robot, frames=tuple(frames)), values)
            closed = [moved.closed(dict(q), fixed) for q in positions]
            ends.append([moved.poses(q)[end] for q in closed])
        columns.append(_displacement(np.array(ends[1]), np.array(ends[0])) / (2 * STEP))
    return np.moveaxis(np.array(columns), 0, -1)


def _displacement(start: Array, end: Array) -> Array:
    """Return translation and small rotation between poses (m, 4, 4) in frame 0, to second order."""
    turn = end[:, :3, :3] @ np.swapaxes(start[:, :3, :3], 1, 2)
    turn = (turn - np.swapaxes(turn, 1, 2)) / 2
    return np.column_stack([end[:, :3, 3] - start[:, :3, 3], turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]])
