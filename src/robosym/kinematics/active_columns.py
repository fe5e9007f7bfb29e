"""The columns of a matrix over the joints of the tree, taken together for the active joints of a closed robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from robosym.algebra import Graph
from robosym.coordinates.constraints import constraints_of
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.path import Poses, moving_joints, path

__all__ = ["active_columns"]


def active_columns(
    robot: Robot, link: int, column: Callable[[int], list[Any]], poses: Poses, graph: Graph, wanted: Sequence[int]
) -> list[list[Any]]:
    """Of each of the `wanted` active joints: its own column and its share W of those of the passive joints (2.39)."""
    constraints = constraints_of(robot)
    joints = moving_joints(robot, path(robot, 0, link)[1])
    if any(j in constraints.cut for j in joints):
        raise InputError(f"frame {link} is on a virtual link of a cut joint: expected a link of the tree")
    W = constraints.equations(poses, graph).solution()
    columns = [[graph.zero] * 6 for _ in wanted]
    for j in joints:
        own = column(j)
        row = W[constraints.passive.index(j)] if j in constraints.passive else None
        for n, motor in enumerate(wanted):
            share = int(j == motor) if row is None else row[constraints.active.index(motor)]
            columns[n] = [total + share * entry for total, entry in zip(columns[n], own, strict=True)]
    return columns
