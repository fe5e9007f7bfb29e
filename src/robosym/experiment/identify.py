"""Parameters of a robot from motions (guide 3.6.3): least squares on the dynamic model, linear in the parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, RobotWarning, closest
from robosym.experiment.alternatives import MODELS, rows_of
from robosym.experiment.estimate import Estimate
from robosym.experiment.instruments import followed, instrumental, referred, smoothed
from robosym.experiment.least_squares import (
    Triangle,
    compressed,
    cross_validated,
    joined,
    link_by_link,
    noise,
    solve,
    told_apart,
    weighted,
)
from robosym.experiment.log import Log
from robosym.experiment.prepare import Motion, prepare
from robosym.experiment.regressor import Reduced, Regressor, Shared
from robosym.mechanism import Friction, Robot
from robosym.simulation.integration import Controller

__all__ = ["by_joint", "check_words", "fitted", "given_motions", "identify"]

_SETTLED = 1e-5  #: a smaller relative change of the parameters ends the iteration


_METHODS = ("ols", "wls", "tls", "iv", "didim", "links")
_BLOCKS, _BLOCK = 24, 1.0  #: parts of the motions that are predicted from the others, and their least length in seconds
_CLEARLY = 0.98  #: of the squares left: a term that gains less is not taken
#: changes that are tried one after the other, each with the best of those before
_CHANGES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("load", (True,)), ("stribeck", (0.03, 0.1, 0.3, 1.0, 3.0)), ("smooth", (0.01, 0.03, 0.1)), ("asymmetric", (True,)),
)  # fmt: skip
_CLOSED_LOOPS = 6  #: simulations of the closed loop, at most
_NEAR = 1e-4  #: of the largest value: a smaller change of all values ends them
_LOAD_STEPS = 20  #: friction that depends on load is found by repeated fits; real arms need three to six


@accepts("fixed", platform=ALL)
def identify(
    robot: Robot,
    motions: Motion | Log | str | Path | Iterable[Motion | Log | str | Path],
    method: str = "wls",
    friction: Friction | str | None = None,
    reference: object = None,
    controller: Controller | None = None,
    model: str = "dynamic",
    **preparation: Any,
) -> Estimate:
    """Base parameters, friction and offsets of a robot from one or several motions, or logs, or files of logs.

    Logs are prepared with the options of `prepare` (`cut=8, rate=100`).
    Methods: "ols", all joints alike; "wls", each joint over the deviation of its residuals; "tls", the same with a
    regressor as noisy as the torques; "iv", instrumental variables: the regressor of the motion as the model would
    follow it takes the place of the transposed noisy one; "didim", torques fitted along that motion; "links", from
    the last joint to the first, each with what is known of those beyond it.
    `model`: "dynamic", or "power", "energy", "filtered" in its place, which need fewer derivatives.
    `friction` is a `Friction`, or "auto": of smooth signs, load, Stribeck and asymmetry what predicts unseen parts of
    the motions best.
    Samples of a joint at rest are left out. Links of numbers are taken as unknown. Of robots with loops and of parallel
    ones the motors are enough: passive joints and the platform follow from them.
    `reference` (of "iv" and "didim") is what the controller was told to do: a trajectory, a function of time that gives
    (q, qd, qdd), or a Motion prepared like the measurement; one, or one for each motion. `controller` is the law that
    was at work, as `simulate` takes it: the closed loop of the estimate is then simulated and the fit repeated.
    Parameters that the motions say nothing about are left out and named in `left_out`.
    """
    check_words(method, model)
    given = given_motions(motions, robot.joint_names, **preparation)
    if isinstance(friction, str):
        if friction != "auto":
            raise InputError(f"friction: expected a Friction or 'auto', found {friction!r}")
        if method in ("iv", "didim") or model != "dynamic":
            raise InputError("friction: 'auto' goes with least squares on the dynamic model")
        return _with_best_friction(robot, given, method)
    if friction is not None and not isinstance(friction, Friction):
        raise InputError(f"friction: expected a Friction or 'auto', found {friction!r}")
    regressor = _regressor(robot, given, friction or Friction())
    if method in ("iv", "didim"):
        return _along_reference(regressor, given, method, reference, controller)
    return fitted(regressor, given, method, model)


def check_words(method: str, model: str) -> None:
    """An error for a method or a model that is none, or that do not go together."""
    if method not in _METHODS:
        raise InputError(f"method: expected one of {', '.join(_METHODS)}, found {method!r}{closest(method, _METHODS)}")
    if model not in MODELS:
        raise InputError(f"model: expected one of {', '.join(MODELS)}, found {model!r}{closest(model, MODELS)}")
    if model != "dynamic" and method not in ("ols", "wls", "tls"):
        raise InputError(f"method {method}: expected the dynamic model, found {model!r}")


def _regressor(robot: Robot, motions: Sequence[Motion], friction: Friction, shared: Shared | None = None) -> Regressor:
    drives = [motion.drive for motion in motions if motion.drive is not None]
    return Regressor(robot, friction, drives[0] if drives else None, shared)


def _with_best_friction(robot: Robot, motions: tuple[Motion, ...], method: str) -> Estimate:
    """Terms are added as long as one of them predicts blocks of the motions from the others clearly better."""
    shared: Shared = {}

    def estimate(friction: Friction, near: Estimate | None) -> Estimate:
        return fitted(_regressor(robot, motions, friction, shared), motions, method, near=near)

    best = estimate(Friction(), None)
    weights = [noise(part) for part in by_joint(best.logs)]
    first = least = _unseen(best, weights)
    chosen: list[str] = []
    for term, options in _CHANGES:
        tried = [replace(best.regressor.friction, **{term: value}) for value in options]
        found = [estimate(friction, best) for friction in tried]
        scores = [_unseen(one, weights) for one in found]
        at = int(np.argmin(scores))
        if scores[at] < _CLEARLY * least:
            best, least = found[at], scores[at]
            chosen.append(f"{term}={options[at]}")
    remark = (
        f"friction: {', '.join(chosen) or 'viscous, Coulomb and offset alone'}; squares of what it leaves of unseen "
        f"blocks are {least / first:.0%} of those of viscous and Coulomb friction with an offset"
    )
    best.regressor.shared = None
    return replace(best, remarks=(*best.remarks, remark))


def _unseen(found: Estimate, weights: Sequence[float]) -> float:
    seconds = max(sum(float(m.t[-1] - m.t[0]) for m in found.motions) / _BLOCKS, _BLOCK)
    return cross_validated(found.blocks(seconds), weights, [found.regressor.names.index(n) for n in found.names])


def _along_reference(
    regressor: Regressor, motions: tuple[Motion, ...], method: str, reference: object, controller: Controller | None
) -> Estimate:
    """Z along the motion that the model has under control, W along the measured one."""
    if regressor.friction.load:
        raise InputError(f"method {method}: expected friction that does not depend on load")
    if reference is None:
        clean = [smoothed(motion) for motion in motions]
        remark = "no reference motion was given: the instruments follow the smoothed measurement"
        motions = tuple(replace(motion, remarks=(*motion.remarks, remark)) for motion in motions)
    else:
        if isinstance(reference, Iterable) and not hasattr(reference, "at"):
            given = list(reference)
        else:
            given = [reference] * (1 if isinstance(reference, Motion) else len(motions))
        if len(given) != len(motions):
            raise InputError(f"identify: reference: expected one for each of {len(motions)} motions")
        clean = [referred(*pair) for pair in zip(motions, given, strict=True)]
    logs = [Reduced(motion, regressor.table(motion).triangles()) for motion in motions]
    if controller is None:
        return _with_instruments(regressor, logs, clean, method)
    # the motion under control may be far from its reference: what was measured is nearer
    found = _with_instruments(regressor, logs, [smoothed(motion) for motion in motions], "iv")
    for _ in range(_CLOSED_LOOPS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RobotWarning)
            robot = found.robot
        try:
            moved = [followed(robot, ideal, controller) for ideal in clean]
        except InputError as error:
            raise InputError(f"method {method}: the closed loop of the estimate cannot be simulated: {error}") from None
        before, found = found, _with_instruments(regressor, logs, moved, method)
        if found.names == before.names and np.abs(found.values - before.values).max(initial=0) <= _NEAR * np.abs(
            found.values
        ).max(initial=0):
            break
    return found


def _with_instruments(regressor: Regressor, logs: Sequence[Reduced], clean: Sequence[Motion], method: str) -> Estimate:
    """One fit. Where a joint moves is told by the motion without noise."""
    both: list[list[Triangle]] = [[] for _ in regressor.joints]
    for log, ideal in zip(logs, clean, strict=True):
        measured, instruments = regressor.table(log.motion), regressor.table(replace(ideal, drive=None))
        moves = ideal.moving & log.motion.moving
        for at, parts in enumerate(both):
            rows = moves[:, at]
            Z, W = instruments.row(at)[rows], measured.row(at)[rows]
            parts.append(compressed(np.hstack([Z, W]), log.motion.tau[rows, at]))
    parts = [joined(part) for part in both]
    width = len(regressor.names)
    fits_of_z = [Triangle(part.R[:, [*range(width), -1]], part.rows) for part in parts]
    data = weighted(parts, [noise(part) for part in fits_of_z])
    kept, chosen = told_apart(data, width, "identify")
    if method == "didim":
        fit = solve(chosen)
    else:
        pair = Triangle(data.R[:, [*kept, *(width + k for k in kept), -1]], data.rows)
        fit = instrumental(pair, len(kept))
    return Estimate.of(regressor, logs, kept, fit, chosen, method)


def given_motions(motions: object, names: Sequence[str] = (), **preparation: Any) -> tuple[Motion, ...]:
    """One motion or several; logs and files are prepared, their joints in the order of `names`."""
    one = isinstance(motions, Motion | Log | str | Path)
    given = (motions,) if one or not isinstance(motions, Iterable) else tuple(motions)
    if not given:
        raise InputError("identify: expected at least one motion")
    if preparation and all(isinstance(motion, Motion) for motion in given):
        raise InputError(f"identify: {', '.join(preparation)}: the motions are prepared already")
    logs = [Log(motion) if isinstance(motion, str | Path) else motion for motion in given]
    given = tuple(prepare(log.in_order(names), **preparation) if isinstance(log, Log) else log for log in logs)
    for motion in given:
        if not isinstance(motion, Motion):
            raise InputError(f"identify: expected a Motion, found {type(motion).__name__}: prepare(log) makes one")
    if not any(motion.moving.any() for motion in given):
        raise InputError("identify: no joint moves: its samples at rest say nothing of its friction and its inertia")
    return given


def fitted(
    regressor: Regressor, motions: Sequence[Motion], method: str, model: str = "dynamic", near: Estimate | None = None
) -> Estimate:
    """The estimate; friction that depends on load by repetition, since the load follows from the estimate.

    `near` is an estimate with other friction, to begin with.
    """
    values = None if near is None else np.array([dict(near.items()).get(name, 0.0) for name in regressor.names])
    steps = _LOAD_STEPS if regressor.friction.load else 0
    own = steps and regressor.shared is None
    regressor.shared = {} if own else regressor.shared
    for step in range(steps + 1):
        logs = [Reduced(motion, regressor.table(motion).triangles(values)) for motion in motions]
        parts = by_joint(logs)
        if model != "dynamic":
            of_logs = zip(*(rows_of(regressor, motion, model) for motion in motions), strict=True)
            parts = [joined(of_row) for of_row in of_logs]
        data = joined(parts) if method == "ols" else weighted(parts, [noise(part) for part in parts])
        kept, chosen = told_apart(data, len(regressor.names), "identify")
        fit = link_by_link(parts, kept) if method == "links" else solve(chosen, total=method == "tls")
        before, values = values, np.zeros(len(regressor.names))
        values[kept] = fit.values
        if before is not None and np.linalg.norm(values - before) <= _SETTLED * np.linalg.norm(values) and step:
            break
    regressor.shared = None if own else regressor.shared
    name = method if model == "dynamic" else f"{method}, {model} model"
    return Estimate.of(regressor, logs, kept, fit, chosen, name)


def by_joint(logs: Sequence[Reduced]) -> list[Triangle]:
    """One triangle a joint, of its samples in motion in all logs."""
    return [joined(log.joints[at][0] for log in logs) for at in range(len(logs[0].joints))]
