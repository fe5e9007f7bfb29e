"""Selection of solutions within limits, the nearest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import LIMIT
from robosym.chains.numeric_chain import Solutions, parameter_values
from robosym.coordinates.reference_position import file_names
from robosym.errors import InputError
from robosym.mechanism import Robot

__all__ = ["bounds", "by_name", "chosen", "named_values", "near_position"]

_TURN = 2 * np.pi
_MOST = 100_000  #: maximum number of rows from full turns of one solution


def bounds(robot: Robot, joints: Sequence[str], limits: object) -> Array | None:
    """Return the lower and upper limit of each joint (n, 2): as given, by name, or (True) from the description."""
    if limits is None or limits is False:
        return None
    joints = tuple(joints)
    table = np.tile([-np.inf, np.inf], (len(joints), 1))
    if limits is True or (isinstance(limits, str) and limits == "robot"):
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
        return _ordered(robot, joints, table)
    try:
        given = np.asarray(limits, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != table.shape or np.isnan(given).any():
        raise InputError(
            f"limits: expected the lowest and highest value of {len(joints)} joints, or 'robot' for those of the "
            f"description, found {limits!r}"
        )
    return _ordered(robot, joints, given)


def _ordered(robot: Robot, joints: Sequence[str], limits: Array) -> Array:
    """Check that no lower limit is above the upper one."""
    for name, (low, high) in zip(joints, limits.tolist(), strict=True):
        if low > high:
            joint = file_names(robot).get(name, name)
            raise InputError(f"limits: {joint}: expected a lower limit up to the upper one, found {low:g} and {high:g}")
    return limits


def named_values(
    robot: Robot, names: Sequence[str], values: Mapping[str, float] | None, fixed: Mapping[str, float]
) -> dict[str, float]:
    """Return a number for each parameter of a model; known joints may have their names in the file."""
    if isinstance(values, Mapping) and any(name not in names for name in values):
        variables = {name: variable for variable, name in file_names(robot).items()}
        values = {name if name in names else variables.get(name, name): value for name, value in values.items()}
    return parameter_values(names, values, fixed)


def _need_none_cut(robot: Robot, names: Sequence[str]) -> None:
    """Raise an error if a cut joint has limits: solutions do not contain its position."""
    if names:
        raise InputError(
            f"limits: {names[0]} is a cut joint of {robot.name}, whose position is no part of a solution: cut the loop "
            "elsewhere, or give limits of other joints"
        )


def chosen(
    solutions: Solutions, turning: Sequence[bool], near: ArrayLike | None, limits: Array | None, windings: bool = False
) -> Solutions:
    """Return the solutions within the limits, sorted by distance from `near`; angles are shifted by full turns.

    With `windings`, every such shift within the limits is a row; for a joint without limits, only one.
    """
    if near is None and limits is None:
        return solutions
    q = np.asarray(solutions)
    whole = _TURN * np.asarray(turning, dtype=float)  # 0 for lengths
    if near is not None:
        near = near_position(near, solutions.joints)
        q = q + whole * np.round((near - q) / _TURN)
    kept = np.arange(len(q))
    if limits is not None:
        low, high = limits.T
        with np.errstate(invalid="ignore"):
            q = q + whole * np.where(q < low - LIMIT, np.ceil((low - q) / _TURN), 0.0)
            q = q - whole * np.where(q > high + LIMIT, np.ceil((q - high) / _TURN), 0.0)
        kept = np.flatnonzero(((q >= low - LIMIT) & (q <= high + LIMIT)).all(axis=1))
        if windings:
            q, origin = _every_turn(q[kept], np.asarray(turning, dtype=bool), limits)
            solutions = solutions_of(solutions, kept[origin])
            kept = np.arange(len(q))
    if near is not None:
        kept = kept[np.argsort(((q[kept] - near) ** 2).sum(axis=1), kind="stable")]
    return solutions_of(solutions, kept, q[kept])


def near_position(near: object, joints: Sequence[str], argument: str = "near", robot: Robot | None = None) -> Array:
    """Return given joint positions as an array, from an array or a mapping by joint names or variables."""
    values = near
    if isinstance(near, Mapping) and robot is not None:
        named = {name if name in joints else robot.joint_variable(name, argument): near[name] for name in near}
        values = [named[name] for name in joints] if all(name in named for name in joints) else None
    try:
        row = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        row = np.zeros(0)
    if row.shape != (len(joints),) or not np.isfinite(row).all():
        names = ", ".join(joints if robot is None else (file_names(robot).get(name, name) for name in joints))
        found = f"{near!r}" if isinstance(near, Mapping) else f"the shape {np.shape(row)}"
        raise InputError(f"{argument}: expected {len(joints)} joint positions ({names}), found {found}")
    return row


def by_name(robot: Robot, result: Solutions | Sequence[Solutions]) -> list[Any]:
    """Return solutions, or those of each pose, as mappings from the names of joints to their positions."""
    names = file_names(robot)
    if isinstance(result, Solutions):
        return [{names[joint]: value for joint, value in row.items()} for row in result.positions]
    return [by_name(robot, solutions) for solutions in result]


def solutions_of(solutions: Solutions, kept: Array, q: Array | None = None) -> Solutions:
    """Return some of the solutions, possibly with other joint positions."""
    modes = [solutions.modes[place] for place in kept] if solutions.modes else ()
    free = [solutions.free[place] for place in kept]
    rows = np.asarray(solutions)[kept] if q is None else q
    errors = solutions.errors[kept]
    return Solutions.of(rows, solutions.joints, errors, free, solutions.complete, modes, closest=solutions.closest)


def _every_turn(q: Array, turning: Array, limits: Array) -> tuple[Array, Array]:
    """Return all shifts of angles by full turns within the limits, in ascending order, and the row of each."""
    rows: list[Array] = [np.zeros((0, q.shape[1]))]
    origin: list[int] = []
    for number, solution in enumerate(q):
        values = [
            _turned(x, low, high) if turns and np.isfinite([low, high]).all() else [x]
            for x, turns, (low, high) in zip(solution, turning, limits, strict=True)
        ]
        if prod(map(len, values)) > _MOST:
            raise InputError(f"windings: expected at most {_MOST} rows per solution: give narrower limits")
        rows.append(np.array(list(product(*values))))
        origin += [number] * len(rows[-1])
    return np.concatenate(rows), np.array(origin, dtype=int)


def _turned(value: float, low: float, high: float) -> list[float]:
    """Return the angles within the limits that differ from one by full turns."""
    first, last = np.ceil((low - LIMIT - value) / _TURN), np.floor((high + LIMIT - value) / _TURN)
    return [value + _TURN * k for k in range(int(first), int(last) + 1)]
