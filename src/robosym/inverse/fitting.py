"""Solutions as a user wants them: within limits, and in the order of the distance from a position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import Solutions
from robosym.description import Robot
from robosym.errors import InputError, closest

__all__ = ["Bounds", "bounds_of", "fitted", "near_values", "within"]

Bounds = Mapping[str, tuple[float, float]]
_SLACK = 1e-12  #: beyond a limit by rounding


def near_values(joints: Sequence[str], near: Any) -> Array | None:
    """A position of the joints of a solution, checked."""
    if near is None:
        return None
    values = np.array(near, dtype=float)
    if values.shape != (len(joints),) or not np.isfinite(values).all():
        raise InputError(
            f"near: expected finite values of the {len(joints)} joints {', '.join(joints)}, found {near!r}"
        )
    return values


def bounds_of(robot: Robot, joints: Sequence[str], limits: Any) -> Bounds:
    """Lower and upper values by joint: those of the description for `True`, or given as {name: (lower, upper)}."""
    if limits is None or limits is False:
        return {}
    if limits is True:
        held = {robot.variables[j - 1]: robot.joint(j).limits for j in range(1, robot.NJ + 1)}
        return {name: (_bound(held[name].lower, -math.inf), _bound(held[name].upper, math.inf)) for name in joints}
    if not isinstance(limits, Mapping):
        raise InputError(f"limits: expected True, or a mapping {{joint: (lower, upper)}}, found {limits!r}")
    for name, bounds in limits.items():
        if name not in joints:
            raise InputError(f"limits: {name} is no joint of the solution{closest(str(name), joints)}")
        try:
            lower, upper = map(float, bounds)
        except (TypeError, ValueError):
            raise InputError(f"limits: {name}: expected (lower, upper), found {bounds!r}") from None
        if not lower <= upper:
            raise InputError(f"limits: {name}: expected lower <= upper, found ({lower!r}, {upper!r})")
    return {name: (float(bounds[0]), float(bounds[1])) for name, bounds in limits.items()}


def _bound(value: float | None, none: float) -> float:
    return none if value is None else value


def within(values: Mapping[str, float], lengths: set[str], bounds: Bounds) -> bool:
    """Whether the joints that have a value can be within bounds, angles in some turn."""
    for name, (lower, upper) in bounds.items():
        if name in values:
            x = values[name]
            if name not in lengths:  # the turn just above the lower bound
                x = lower - _SLACK + (x - lower + _SLACK) % (2 * math.pi) if math.isfinite(lower) else -math.inf
            if not lower - _SLACK <= x <= upper + _SLACK:
                return False
    return True


def fitted(solutions: Solutions, lengths: set[str], near: Array | None, bounds: Bounds) -> Solutions:
    """Angles in the turn nearest to `near` (the middle of their limits, 0); rows beyond limits left out; sorted."""
    if near is None and not bounds:
        return solutions
    q = np.array(solutions)
    inside = np.ones(len(q), bool)
    for column, name in enumerate(solutions.joints):
        lower, upper = bounds.get(name, (-math.inf, math.inf))
        if name not in lengths:
            middle = (lower + upper) / 2 if math.isfinite(lower + upper) else 0.0
            wanted = np.clip(near[column], lower, upper) if near is not None else np.clip(middle, lower, upper)
            q[:, column] -= 2 * np.pi * np.round((q[:, column] - wanted) / (2 * np.pi))
            below, above = q[:, column] < lower, q[:, column] > upper
            q[:, column] += 2 * np.pi * (below.astype(int) - above.astype(int))
        inside &= (q[:, column] >= lower - _SLACK) & (q[:, column] <= upper + _SLACK)
    order = np.flatnonzero(inside)
    if near is not None:
        order = order[np.argsort(np.abs(q[order] - near).max(axis=1, initial=0), kind="stable")]
    free, modes = [solutions.free[row] for row in order], [solutions.modes[row] for row in order if solutions.modes]
    return Solutions.of(q[order], solutions.joints, solutions.errors[order], free, modes)
