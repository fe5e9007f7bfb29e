"""Parameters of a robot from motions (guide 3.6.3): least squares on the dynamic model, linear in the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.description import Friction, Robot
from robosym.errors import InputError, closest
from robosym.estimate.estimate import Estimate
from robosym.estimate.instruments import instrumental, smoothed
from robosym.estimate.least_squares import Triangle, compressed, independent, joined, noise, solve, weighted
from robosym.estimate.log import Log
from robosym.estimate.prepare import Motion, prepare
from robosym.estimate.regressor import Reduced, Regressor, Tables

__all__ = ["by_joint", "fitted", "given_motions", "identify"]

_SETTLED = 1e-5  #: a smaller relative change of the parameters ends the iteration

Array = NDArray[np.float64]

_METHODS = ("ols", "wls", "tls", "iv", "didim")
_LOAD_STEPS = 20  #: friction that depends on load is found by repeated fits; real arms need three to six


def identify(
    robot: Robot,
    motions: Motion | Log | str | Path | Iterable[Motion | Log | str | Path],
    method: str = "wls",
    friction: Friction | None = None,
    reference: Motion | Iterable[Motion] | None = None,
    **preparation: Any,
) -> Estimate:
    """Base parameters, friction and offsets of a robot from one or several motions, or logs, or files of logs.

    Logs are prepared with the options of `prepare` (`cut=8, rate=100`).
    Methods: "ols", all joints alike; "wls", each joint over the deviation of its residuals; "tls", the same with a
    regressor as noisy as the torques; "iv", instrumental variables: the regressor of the motion as the model would
    follow it takes the place of the transposed noisy one; "didim", torques fitted along that motion.
    Samples of a joint at rest are left out. Links of numbers are taken as unknown.
    `reference` (of "iv" and "didim") is what the controller was told to do, prepared like the measurement.
    Parameters that the motions say nothing about are left out and named in `left_out`.
    """
    if not isinstance(robot, Robot):
        raise InputError(f"identify: expected a Robot, found {type(robot).__name__}")
    if method not in _METHODS:
        raise InputError(f"method: expected one of {', '.join(_METHODS)}, found {method!r}{closest(method, _METHODS)}")
    given = given_motions(motions, **preparation)
    if friction is None:
        friction = Friction()
    drives = [motion.drive for motion in given if motion.drive is not None]
    regressor = Regressor(robot, friction, drives[0] if drives else None)
    if method in ("iv", "didim"):
        return _along_reference(regressor, given, method, reference)
    return fitted(regressor, given, method)


def _along_reference(
    regressor: Regressor, motions: tuple[Motion, ...], method: str, reference: Motion | Iterable[Motion] | None
) -> Estimate:
    """Z along the motion that the model would have under control, W along the measured one."""
    if regressor.friction.load:
        raise InputError(f"method {method}: expected friction that does not depend on load")
    if reference is None:
        clean = tuple(smoothed(motion) for motion in motions)
        remark = "no reference motion was given: the instruments follow the smoothed measurement"
        motions = tuple(replace(motion, remarks=(*motion.remarks, remark)) for motion in motions)
    else:
        clean = given_motions(reference)
        if [len(motion) for motion in clean] != [len(motion) for motion in motions]:
            raise InputError("identify: reference: expected as many motions and samples as were measured")
    tables = [regressor.table(motion) for motion in motions]
    references = [regressor.table(replace(motion, drive=None)) for motion in clean]
    both: list[list[Triangle]] = [[] for _ in regressor.joints]
    for table, ideal in zip(tables, references, strict=True):
        moves = table.motion.moving
        for at, parts in enumerate(both):
            rows = moves[:, at]
            Z, W = ideal.row(at)[rows], table.row(at)[rows]
            parts.append(compressed(np.hstack([Z, W]), table.motion.tau[rows, at]))
    parts = [joined(part) for part in both]
    width = len(regressor.names)
    fits_of_z = [Triangle(part.R[:, [*range(width), -1]], part.rows) for part in parts]
    data = weighted(parts, [noise(part) for part in fits_of_z])
    kept = independent(data.R[:, [*range(width), -1]])
    if data.rows <= len(kept) or not kept:
        raise InputError(
            f"identify: expected more samples in motion than the {len(kept)} parameters, found {data.rows}"
        )
    chosen = Triangle(data.R[:, [*kept, -1]], data.rows)
    if method == "didim":
        fit = solve(chosen)
    else:
        pair = Triangle(data.R[:, [*kept, *(width + k for k in kept), -1]], data.rows)
        fit = instrumental(pair, len(kept))
    logs = [Reduced(table.motion, table.triangles()) for table in tables]
    return Estimate.of(regressor, logs, kept, fit, chosen, method)


def given_motions(motions: Any, **preparation: Any) -> tuple[Motion, ...]:
    """One motion or several; logs and files are prepared."""
    one = isinstance(motions, Motion | Log | str | Path)
    given = (motions,) if one or not isinstance(motions, Iterable) else tuple(motions)
    if not given:
        raise InputError("identify: expected at least one motion")
    if preparation and all(isinstance(motion, Motion) for motion in given):
        raise InputError(f"identify: {', '.join(preparation)}: the motions are prepared already")
    logs = [Log(motion) if isinstance(motion, str | Path) else motion for motion in given]
    given = tuple(prepare(log, **preparation) if isinstance(log, Log) else log for log in logs)
    for motion in given:
        if not isinstance(motion, Motion):
            raise InputError(f"identify: expected a Motion, found {type(motion).__name__}: prepare(log) makes one")
    return given


def fitted(regressor: Regressor, motions: Sequence[Motion], method: str) -> Estimate:
    """The estimate; friction that depends on load by repetition, since the load follows from the estimate."""
    values: Array | None = None
    steps = _LOAD_STEPS if regressor.friction.load else 0
    tables = Tables(regressor, motions, again=steps > 0)
    for step in range(steps + 1):
        logs = [Reduced(motion, table.triangles(values)) for motion, table in tables]
        parts = by_joint(logs)
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
        if before is not None and np.linalg.norm(values - before) <= _SETTLED * np.linalg.norm(values) and step > 1:
            break
    return Estimate.of(regressor, logs, kept, fit, chosen, method)


def by_joint(logs: Sequence[Reduced]) -> list[Triangle]:
    """One triangle a joint, of its samples in motion in all logs."""
    return [joined(log.joints[at][0] for log in logs) for at in range(len(logs[0].joints))]
