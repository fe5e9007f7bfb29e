"""Parameters of a robot from motions (guide 3.6.3): least squares on the dynamic model, linear in the parameters."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from robosym.description import Robot
from robosym.errors import InputError, closest
from robosym.estimate.estimate import Estimate
from robosym.estimate.friction import Friction
from robosym.estimate.least_squares import Triangle, compressed, independent, joined, noise, solve, weighted
from robosym.estimate.prepare import Motion
from robosym.estimate.regressor import Regressor, Table

__all__ = ["identify"]

Array = NDArray[np.float64]

_METHODS = ("ols", "wls", "tls")
_LOAD_STEPS = 20  #: friction that depends on load is found by repeated fits; real arms need three to six


def identify(
    robot: Robot,
    motions: Motion | Iterable[Motion],
    method: str = "wls",
    friction: Friction | None = None,
) -> Estimate:
    """Base parameters, friction and offsets of a robot from one or several motions.

    Methods: "ols", all joints alike; "wls", each joint over the deviation of its residuals; "tls", the same with a
    regressor as noisy as the torques. Samples of a joint at rest are left out. Links of numbers are taken as unknown.
    Parameters that the motions say nothing about are left out and named in `left_out`.
    """
    if not isinstance(robot, Robot):
        raise InputError(f"identify: expected a Robot, found {type(robot).__name__}")
    if method not in _METHODS:
        raise InputError(f"method: expected one of {', '.join(_METHODS)}, found {method!r}{closest(method, _METHODS)}")
    given = (motions,) if isinstance(motions, Motion) else tuple(motions)
    if not given:
        raise InputError("identify: expected at least one motion")
    for motion in given:
        if not isinstance(motion, Motion):
            raise InputError(f"identify: expected a Motion, found {type(motion).__name__}: prepare(log) makes one")
    if friction is None:
        friction = Friction()
    drives = [motion.drive for motion in given if motion.drive is not None]
    regressor = Regressor(robot, friction, drives[0] if drives else None)
    tables = [regressor.table(motion) for motion in given]
    return fitted(regressor, tables, method)


def fitted(regressor: Regressor, tables: list[Table], method: str) -> Estimate:
    """The estimate; friction that depends on load by repetition, since the load follows from the estimate."""
    values: Array | None = None
    steps = _LOAD_STEPS if regressor.friction.load else 0
    for step in range(steps + 1):
        parts = by_joint(regressor, tables, values)
        data = joined(parts) if method == "ols" else weighted(parts, [noise(part) for part in parts])
        kept = independent(data.R)
        if data.rows <= len(kept) or not kept:
            raise InputError(
                f"identify: expected more samples in motion than the {len(kept)} parameters, found {data.rows}"
            )
        chosen = Triangle(data.R[:, [*kept, -1]], data.rows)
        fit = solve(chosen, total=method == "tls")
        before, values = values, np.zeros(len(regressor.names))
        values[kept] = fit.values
        if before is not None and np.linalg.norm(values - before) <= 1e-6 * np.linalg.norm(values) and step > 1:
            break
    return Estimate.of(regressor, tables, kept, fit, chosen, method)


def by_joint(regressor: Regressor, tables: list[Table], values: Array | None) -> list[Triangle]:
    """One triangle a joint, of its samples in motion in all logs."""
    found: list[list[Triangle]] = [[] for _ in regressor.joints]
    for table in tables:
        matrix = table.matrix(values)
        moves = np.ones(table.motion.tau.shape, bool) if table.motion.moves is None else table.motion.moves
        for at, parts in enumerate(found):
            parts.append(compressed(matrix[moves[:, at], at], table.motion.tau[moves[:, at], at]))
    return [joined(parts) for parts in found]
