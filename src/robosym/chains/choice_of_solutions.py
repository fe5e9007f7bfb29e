"""Solutions that stay within limits, the nearest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import LIMIT
from robosym.chains.numeric_chain import Solutions
from robosym.errors import InputError
from robosym.mechanism import Robot

__all__ = ["bounds", "chosen"]

_TURN = 2 * np.pi


def bounds(robot: Robot, joints: Sequence[str], limits: object) -> Array | None:
    """The least and the largest value of each joint (n, 2): as given, by name, or (True) those of the description."""
    if limits is None or limits is False:
        return None
    joints = tuple(joints)
    table = np.tile([-np.inf, np.inf], (len(joints), 1))
    if limits is True:
        known = {robot.variable(j): robot.joint(j).limits for j in robot.tree_joints}
        limits = {
            name: (-np.inf if one.lower is None else one.lower, np.inf if one.upper is None else one.upper)
            for name, one in known.items()
        }
        bound = [
            j for j in robot.cut_joints if (robot.joint(j).limits.lower, robot.joint(j).limits.upper) != (None, None)
        ]
        _need_none_cut(robot, [robot.variable(j) for j in bound])
    if isinstance(limits, dict):
        _need_none_cut(robot, [robot.variable(j) for j in robot.cut_joints if robot.variable(j) in limits])
        for name, pair in limits.items():
            variable = name if name in joints else robot.joint_variable(name, "limits")
            if variable in joints:
                table[joints.index(variable)] = pair
        return table
    try:
        given = np.asarray(limits, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != table.shape or np.isnan(given).any():
        raise InputError(f"limits: expected the least and the largest value of {len(joints)} joints, found {limits!r}")
    return given


def _need_none_cut(robot: Robot, names: Sequence[str]) -> None:
    """Raise an error where a cut joint has limits: solutions do not hold its position."""
    if names:
        raise InputError(
            f"limits: {names[0]} is a cut joint of {robot.name}, whose position is no part of a solution: cut the loop "
            "elsewhere, or give limits of other joints"
        )


def chosen(solutions: Solutions, turning: Sequence[bool], near: ArrayLike | None, limits: Array | None) -> Solutions:
    """Those within the limits, sorted by their distance from `near`; angles take the turns that bring them there."""
    if near is None and limits is None:
        return solutions
    q = np.asarray(solutions)
    whole = _TURN * np.asarray(turning, dtype=float)  # 0 for lengths
    if near is not None:
        try:
            near = np.asarray(near, dtype=float)
        except (TypeError, ValueError):
            near = np.zeros(0)
        if near.shape != q.shape[1:] or not np.isfinite(near).all():
            raise InputError(f"near: expected {q.shape[1]} joint positions, {', '.join(solutions.joints)}")
        q = q + whole * np.round((near - q) / _TURN)
    kept = np.arange(len(q))
    if limits is not None:
        low, high = limits.T
        with np.errstate(invalid="ignore"):
            q = q + whole * np.where(q < low - LIMIT, np.ceil((low - q) / _TURN), 0.0)
            q = q - whole * np.where(q > high + LIMIT, np.ceil((q - high) / _TURN), 0.0)
        kept = np.flatnonzero(((q >= low - LIMIT) & (q <= high + LIMIT)).all(axis=1))
    if near is not None:
        kept = kept[np.argsort(((q[kept] - near) ** 2).sum(axis=1), kind="stable")]
    modes = [solutions.modes[place] for place in kept] if solutions.modes else ()
    free = [solutions.free[place] for place in kept]
    return Solutions.of(q[kept], solutions.joints, solutions.errors[kept], free, solutions.complete, modes)
