"""Parallelograms among the loops: opposite sides stay parallel, which closes them in constants (guide 2.2.2, 2.6 a)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import evaluate
from robosym.kinematics.closure import Closure, Loop
from robosym.kinematics.core import Poses
from robosym.robot import REVOLUTE, Robot
from robosym.spatial import Vec3
from robosym.workspace import Workspace

__all__ = ["parallelogram_rows"]

_NEAR = 1e-8


def parallelogram_rows(
    closure: Closure, loop: Loop, samples: Sequence[Mapping[str, float]]
) -> tuple[dict[int, int], dict[int, int]] | None:
    """Two relations {joint: +1 or -1}, each a sum of rates that is zero; None for a loop that is no parallelogram.

    A loop is one if its axes are parallel, stand in four places, and opposite sides are of equal length whatever the
    values of the parameters. It is taken to be assembled as a parallelogram and not crossed.
    """
    joints = (*loop.near, loop.cut, *reversed(loop.far))
    if not all(closure.robot.frame(k).sigma == REVOLUTE for k in joints) or len(samples) < 2:
        return None
    found = None
    for values in samples:
        axes, points = _axes(closure.robot, loop, joints, values)
        if np.abs(axes[:, :2]).max() > _NEAR:
            return None
        sides = np.roll(points, -1, axis=0) - points  # from each axis to the next, in the plane
        lengths = np.linalg.norm(sides[:, :2], axis=1)
        real = np.flatnonzero(lengths > _NEAR)  # axes that coincide have no side between them
        if len(real) != 4 or abs(lengths[real] - lengths[np.roll(real, 2)]).max() > _NEAR:
            return None
        bodies = [_joints_to_side(loop, int(place)) for place in real]
        sense = {k: round(axis[2]) for k, axis in zip(joints, axes, strict=True)}
        found = tuple(_difference(bodies[k], bodies[k + 2], sense) for k in (0, 1))
    assert found is not None
    return found[0], found[1]


def _axes(
    robot: Robot, loop: Loop, joints: Sequence[int], values: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Directions and origins of the axes in the fixed frame of the loop."""
    with Workspace(robot, ("q", "q_cut", "parameters")) as work:
        poses, zero = Poses(robot, work.value), work.graph.zero
        transforms = [poses(loop.fixed, k) for k in joints]
        entries = [zero + e for T in transforms for e in (*(T.A @ Vec3(0, 0, 1)), *T.P)]
    numbers = np.array(evaluate(entries, values)).reshape(-1, 2, 3)
    return numbers[:, 0], numbers[:, 1]


def _joints_to_side(loop: Loop, place: int) -> tuple[int, ...]:
    """The tree joints from the root to the body between the axes `place` and `place` + 1 around the loop."""
    near = len(loop.near)
    if place < near:
        return loop.near[: place + 1]
    return loop.far[: max(0, len(loop.far) - (place - near))]


def _difference(one: Sequence[int], other: Sequence[int], sense: Mapping[int, int]) -> dict[int, int]:
    """The angular velocity of one body less that of the other."""
    plus, minus = set(one) - set(other), set(other) - set(one)
    return {k: sense[k] for k in sorted(plus)} | {k: -sense[k] for k in sorted(minus)}
