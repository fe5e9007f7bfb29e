"""Identification of robot parameters from motions (guide 3.6.3), by linear least squares."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from robosym.algebra.arrays import one_thread
from robosym.coordinates.accepts import ALL, accepts
from robosym.dynamics.arguments import BASE_WRENCH
from robosym.errors import InputError, Pass, RobotWarning, closest
from robosym.experiment.alternatives import MODELS, rows_of
from robosym.experiment.estimate import Estimate
from robosym.experiment.instruments import instrumental, reference_motion, simulated_motion, smoothed
from robosym.experiment.least_squares import (
    Triangle,
    compressed,
    cross_validated,
    identifiable,
    joined,
    link_by_link,
    noise,
    solve,
    weighted,
)
from robosym.experiment.log import Log
from robosym.experiment.prepare import Motion, prepare
from robosym.experiment.regressor import ReducedLog, Regressor, Shared
from robosym.mechanism import Friction, Robot
from robosym.simulation.integration import Controller

__all__ = ["by_joint", "fitted", "given_motions", "identify"]

_SETTLED = 1e-5  #: relative change of the parameters that ends the iteration
_METHODS = ("ols", "wls", "tls", "iv", "didim", "links")
_BLOCKS, _BLOCK = 24, 1.0  #: cross-validation: number of blocks, and their minimum length in s
_CLEARLY = 0.98  #: a term is added if the squared error falls below this fraction
#: friction terms tried in this order, each added to the best model so far
_CHANGES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("load", (True,)), ("stribeck", (0.03, 0.1, 0.3, 1.0, 3.0)), ("smooth", (0.01, 0.03, 0.1)), ("asymmetric", (True,)),
)  # fmt: skip
_CLOSED_LOOPS = 6  #: maximum number of closed-loop simulations
_NEAR = 1e-4  #: change relative to the largest value that ends the simulations
_LOAD_STEPS = 20  #: maximum number of fits for load-dependent friction; real arms need three to six


@accepts("floating", platform=ALL)
@one_thread()
def identify(
    robot: Robot,
    motions: Motion | Log | str | Path | Iterable[Motion | Log | str | Path],
    method: Literal["ols", "wls", "tls", "iv", "didim", "links"] = "wls",
    friction: Friction | str | None = None,
    reference: object = None,
    controller: Controller | None = None,
    model: Literal["dynamic", "power", "energy", "filtered"] = "dynamic",
    **preparation: Any,
) -> Estimate:
    """Identify base parameters, friction and offsets of a robot from motions.

    Stationary samples of a joint are left out. Inertial parameters are treated as unknown even if the description
    contains numbers. For robots with loops and parallel robots, the motor positions are sufficient.

    Parameters
    ----------
    robot : Robot
        Robot with numbers for its geometry. On a mobile or floating base, the motions contain the measured motion of
        the base (`Motion(..., base={"base_velocity": ..., "base_acceleration": ...})`, in Python); with a force plate
        under a floating base, the wrench on the base precedes the torques. Where the base rotates, pass
        `robot.with_inputs("orientation")` and "base_orientation": gravity is then that of the world.
    motions : Motion, Log, path, or an iterable of these
        Prepared motions, or logs that are prepared with the options of `prepare`.
    method : {"wls", "ols", "tls", "iv", "didim", "links"}
        Estimator. `ols`: all joints weighted equally; `wls`: each joint divided by the standard deviation of its
        residuals; `tls`: total least squares with the same weights; `iv`: instrumental variables along the reference
        motion; `didim`: torques fitted along that motion; `links`: from the last joint to the first.
    friction : Friction or "auto", optional
        Friction terms, or "auto", which selects them by cross-validation. Default: viscous, Coulomb and offset.
    reference : object, optional
        Reference motion of the controller, for "iv" and "didim": a trajectory, a function of time that returns (q,
        qd, qdd), or a Motion with the same samples; one for all motions or one per motion.
    controller : Model or callable, optional
        Control law as in `simulate`. The closed loop is then simulated with the estimate, and the fit is repeated.
    model : {"dynamic", "power", "energy", "filtered"}
        Identification model: `dynamic`, or `power`, `energy` or `filtered`, which need fewer derivatives.
    **preparation
        Options of `prepare`, such as `cut=8, rate=100`.

    Returns
    -------
    Estimate
        Identified parameters. Parameters that the motions do not excite are in `left_out`.

    Raises
    ------
    InputError
        If an option is unknown, the data do not match the robot, or no joint moves.

    Examples
    --------
    >>> import numpy as np
    >>> import robosym as rs
    >>> robot = rs.load("planar2r")
    >>> limits = {"position": 1.5, "velocity": 2, "acceleration": 10}
    >>> motion = rs.exciting_trajectory(robot, limits, period=5, harmonics=3, starts=1)
    >>> t = motion.times(100)
    >>> q, qd, qdd = motion.at(t)
    >>> tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    >>> found = rs.identify(robot, rs.Motion(t, q, qd, qdd, tau))
    >>> bool(found.fits[0].all < 1e-6)
    True
    """
    _check_method(method, model)
    if robot.base.kind != "fixed" and (model != "dynamic" or method in ("iv", "didim")):
        raise InputError(
            f"{robot.name} has a {robot.base.kind} base: expected least squares on the dynamic model, found method "
            f"{method!r}, model {model!r}"
        )
    given = given_motions(motions, robot.joint_names, **preparation)
    if isinstance(friction, str):
        if friction != "auto":
            raise InputError(f"friction: expected a Friction or 'auto', found {friction!r}")
        if method in ("iv", "didim") or model != "dynamic":
            raise InputError(
                f"friction: 'auto' requires least squares on the dynamic model, found method {method!r}, model "
                f"{model!r}"
            )
        return _with_best_friction(robot, given, method)
    if friction is not None and not isinstance(friction, Friction):
        raise InputError(f"friction: expected a Friction or 'auto', found {friction!r}")
    regressor = _regressor(robot, given, friction or Friction())
    if method in ("iv", "didim"):
        return _along_reference(regressor, given, method, reference, controller)
    return fitted(regressor, given, method, model)


def _check_method(method: str, model: str) -> None:
    """Raise an error for an unknown method or model, or a combination that is not supported."""
    if method not in _METHODS:
        raise InputError(f"method: expected one of {', '.join(_METHODS)}, found {method!r}{closest(method, _METHODS)}")
    if model not in MODELS:
        raise InputError(f"model: expected one of {', '.join(MODELS)}, found {model!r}{closest(model, MODELS)}")
    if model != "dynamic" and method not in ("ols", "wls", "tls"):
        raise InputError(f"method {method}: expected model 'dynamic', found {model!r}")


def _regressor(robot: Robot, motions: Sequence[Motion], friction: Friction, shared: Shared | None = None) -> Regressor:
    drives = [motion.drive for motion in motions if motion.drive is not None]
    joints = sum(robot.frame(j).mu for j in robot.tree_joints) if robot.constrained else len(robot.tree_joints)
    wrench = robot.base.kind == "floating" and all(m.joints == joints + len(BASE_WRENCH) for m in motions)
    return Regressor(robot, friction, drives[0] if drives else None, shared, wrench)


def _with_best_friction(robot: Robot, motions: tuple[Motion, ...], method: str) -> Estimate:
    """Add friction terms as long as cross-validation improves clearly."""
    shared = Shared()

    def estimate(friction: Friction, near: Estimate | None) -> Estimate:
        return fitted(_regressor(robot, motions, friction, shared), motions, method, near=near)

    best = estimate(Friction(), None)
    weights = [noise(part) for part in by_joint(best.logs)]
    first = least = _validation_error(best, weights)
    chosen: list[str] = []
    for term, options in _CHANGES:
        tried = [replace(best.regressor.friction, **{term: value}) for value in options]
        found = [estimate(friction, best) for friction in tried]
        scores = [_validation_error(one, weights) for one in found]
        at = int(np.argmin(scores))
        if scores[at] < _CLEARLY * least:
            best, least = found[at], scores[at]
            chosen.append(f"{term}={options[at]}")
    remark = (
        f"friction: {', '.join(chosen) or 'viscous, Coulomb and offset only'}; squared error in cross-validation: "
        f"{least / first:.0%} of that of viscous and Coulomb friction with an offset"
    )
    best.regressor.release()
    return replace(best, remarks=(*best.remarks, remark))


def _validation_error(found: Estimate, weights: Sequence[float]) -> float:
    seconds = max(sum(float(m.t[-1] - m.t[0]) for m in found.motions) / _BLOCKS, _BLOCK)
    return cross_validated(found.blocks(seconds), weights, [found.regressor.names.index(n) for n in found.names])


def _along_reference(
    regressor: Regressor, motions: tuple[Motion, ...], method: str, reference: object, controller: Controller | None
) -> Estimate:
    """Fit with the instruments Z along the simulated motion and W along the measured one."""
    if regressor.friction.load:
        raise InputError(f"method {method}: expected friction without load dependence, found load=True")
    if reference is None:
        clean = [smoothed(motion) for motion in motions]
        remark = "the smoothed measurement replaces the reference motion, which was not given"
        motions = tuple(replace(motion, remarks=(*motion.remarks, remark)) for motion in motions)
    else:
        if isinstance(reference, Iterable) and not hasattr(reference, "at"):
            given = list(reference)
        else:
            given = [reference] * (1 if isinstance(reference, Motion) else len(motions))
        if len(given) != len(motions):
            raise InputError(
                f"identify: reference: expected one or {len(motions)} references (one per motion), found {len(given)}"
            )
        clean = [reference_motion(*pair) for pair in zip(motions, given, strict=True)]
    logs = [ReducedLog(motion, regressor.table(motion).triangles()) for motion in motions]
    if controller is None:
        return _with_instruments(regressor, logs, clean, method)
    # the controlled motion may be far from its reference; the measurement is closer
    found = _with_instruments(regressor, logs, [smoothed(motion) for motion in motions], "iv")
    for _ in range(_CLOSED_LOOPS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RobotWarning)
            robot = found.robot
        try:
            moved = [simulated_motion(robot, ideal, controller) for ideal in clean]
        except InputError as error:
            raise InputError(
                f"method {method}: the closed loop with the estimate could not be simulated: {error}"
            ) from None
        before, found = found, _with_instruments(regressor, logs, moved, method)
        if found.names == before.names and np.abs(found.values - before.values).max(initial=0) <= _NEAR * np.abs(
            found.values
        ).max(initial=0):
            break
    return found


def _with_instruments(
    regressor: Regressor, logs: Sequence[ReducedLog], clean: Sequence[Motion], method: str
) -> Estimate:
    """Fit once; samples count as moving according to the motion without noise."""
    both: list[list[Triangle]] = [[] for _ in regressor.rows]
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
    kept, chosen = identifiable(data, width, "identify")
    if method == "didim":
        fit = solve(chosen)
    else:
        pair = Triangle(data.R[:, [*kept, *(width + k for k in kept), -1]], data.rows)
        fit = instrumental(pair, len(kept))
    return Estimate.of(regressor, logs, kept, fit, chosen, method)


def given_motions(motions: object, names: Sequence[str] = (), **preparation: Any) -> tuple[Motion, ...]:
    """Return motions from one or several motions, logs or files; columns are sorted by joint `names`."""
    one = isinstance(motions, Motion | Log | str | Path)
    given = (motions,) if one or not isinstance(motions, Iterable) else tuple(motions)
    if not given:
        raise InputError("identify: motions: expected at least one motion, found none")
    if preparation and all(isinstance(motion, Motion) for motion in given):
        raise InputError(
            f"identify: {', '.join(preparation)}: expected logs to prepare, found motions that are already prepared"
        )
    logs = [Log(motion) if isinstance(motion, str | Path) else motion for motion in given]
    given = tuple(prepare(log.in_order(names), **preparation) if isinstance(log, Log) else log for log in logs)
    for motion in given:
        if not isinstance(motion, Motion):
            raise InputError(f"identify: motions: expected a Motion, found {type(motion).__name__}: use prepare(log)")
    if not any(motion.moving.any() for motion in given):
        message = "identify: motions: expected at least one moving joint, found stationary samples only"
        raise InputError(
            message, hint=("record a faster motion, or lower the velocity of stationary samples with ", Pass("rest"))
        )
    return given


def fitted(
    regressor: Regressor, motions: Sequence[Motion], method: str, model: str = "dynamic", near: Estimate | None = None
) -> Estimate:
    """Fit a regressor to motions; load-dependent friction is iterated, since the load follows from the estimate.

    `near` is an estimate with another friction model, used as the initial value.
    """
    values = None if near is None else np.array([dict(near.items()).get(name, 0.0) for name in regressor.names])
    steps = _LOAD_STEPS if regressor.friction.load else 0
    own = steps and regressor.shared is None
    regressor.shared = Shared() if own else regressor.shared
    for step in range(steps + 1):
        logs = [ReducedLog(motion, regressor.table(motion).triangles(values)) for motion in motions]
        parts = by_joint(logs)
        if model != "dynamic":
            of_logs = zip(*(rows_of(regressor, motion, model) for motion in motions), strict=True)
            parts = [joined(of_row) for of_row in of_logs]
        data = joined(parts) if method == "ols" else weighted(parts, [noise(part) for part in parts])
        kept, chosen = identifiable(data, len(regressor.names), "identify")
        fit = link_by_link(parts, kept) if method == "links" else solve(chosen, total=method == "tls")
        before, values = values, np.zeros(len(regressor.names))
        values[kept] = fit.values
        if before is not None and np.linalg.norm(values - before) <= _SETTLED * np.linalg.norm(values) and step:
            break
    if own:
        regressor.release()
    name = method if model == "dynamic" else f"{method}, {model} model"
    return Estimate.of(regressor, logs, kept, fit, chosen, name)


def by_joint(logs: Sequence[ReducedLog]) -> list[Triangle]:
    """Return one triangle per joint with its moving samples in all logs."""
    return [joined(log.joints[at][0] for log in logs) for at in range(len(logs[0].joints))]
