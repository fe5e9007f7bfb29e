"""Motions along which the parameters of a robot can be identified well (guide 3.6.3): found, and kept to all limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import numeric_value
from robosym.algebra.arrays import Array, numbers
from robosym.algebra.generic import random_arrays
from robosym.coordinates.accepts import accepts
from robosym.dynamics import inverse_dynamics
from robosym.errors import InputError
from robosym.experiment.allowed import Allowed, allowed
from robosym.experiment.information import Criterion, Information, check_criterion, with_signs
from robosym.experiment.problem import STAGES, Effort, Kept, Problem
from robosym.experiment.regressor import unknown_inertia
from robosym.experiment.trajectory import Basis, Fourier, Spline, Trajectory
from robosym.kinematics import direct_geometry
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.added_frame import aimed
from robosym.model import Model
from robosym.parameters import IdentificationModel, dynamic_identification
from robosym.studies.workers import Progress, WorkerDied, cores, here, on_cores, one_thread, telling

__all__ = ["exciting_trajectory", "problem_of"]


_SAMPLES = 8  #: of the regressor, for each coefficient of a joint
_STATES = 400  #: at which columns of the regressor are told from dependent ones
_WORST = 1e7  #: a condition that says that nothing was found
_KEPT = 2  #: starts that are followed to the end


@accepts("fixed", loops=False)
def exciting_trajectory(
    robot: Robot,
    limits: Mapping[str, ArrayLike] | str | Path | None = None,
    period: float = 20.0,
    harmonics: int = 7,
    criterion: Criterion = "condition",
    *,
    kind: Literal["fourier", "spline"] = "fourier",
    friction: bool = True,
    offset: bool = True,
    deviations: Sequence[float] | float = 1.0,
    frame: int | str | None = None,
    tool: ArrayLike | None = None,
    start: Sequence[float] | None = None,
    starts: int = 4,
    workers: int | None = None,
    seed: int = 0,
    progress: Progress = None,
) -> Trajectory:
    """A motion of one period, at rest at both ends, along which the regressor W is as well conditioned as limits allow.

    `limits` is a mapping, or a file of one in YAML: "position", "velocity", "acceleration" and "torque" of the joints
    (a number, one for each, or lower and upper ones), "box" and "floor" for the origin of `frame` (the end of the
    arm), or of a `tool` on it, in frame 0; what is not given is taken from the description. Limits hold at all
    times, not at samples only. The torques are those of the robot, whose inertial parameters must then be numbers.

    The parameters are those that `identify` looks for: base parameters, `friction` FV and FS, and `offset` OFF of every
    joint. `deviations` of the torques weight the rows of W. `kind` is "fourier", with so many `harmonics`, or "spline",
    with twice as many pieces of degree 5. The search begins at several `starts`, on all cores unless `workers` says
    otherwise, with random numbers of a `seed`; `start` is a posture to begin and end at.
    """
    check_criterion(criterion)
    basis = _basis(kind, period, harmonics)
    _check_whole("starts", starts, 1)
    _check_whole("seed", seed, 0)
    count = cores() if workers is None else _check_whole("workers", workers, 1)
    problem = problem_of(robot, basis, criterion, limits, friction, offset, deviations, frame, tool, start)

    def begin(k: int) -> _Start:
        return _Start(*problem.first(random_arrays("exciting motions", seed + 1000 * k), centred=k == 0))

    found = _searched(problem, {k: begin(k) for k in range(starts)}, count, robot.name, progress)
    return _best(robot, problem, [found[k] for k in sorted(found)])


def problem_of(
    robot: Robot, basis: Basis, criterion: Criterion, limits: object, friction: bool = True, offset: bool = True,
    deviations: ArrayLike = 1.0, frame: int | str | None = None, tool: ArrayLike | None = None, start: object = None,
) -> Problem:  # fmt: skip
    """The motions of a basis among which one is looked for; see `exciting_trajectory`."""
    need_rigid(robot, "exciting_trajectory")
    model = dynamic_identification(unknown_inertia(robot), base_parameters=True, friction=friction, offset=offset)
    _check_numbers(robot, model)
    permitted = allowed(robot, limits, robot.tree_joints)
    information = _information(model, permitted, deviations)
    kept = _torques(robot, permitted) if permitted.limits("tau") else []
    kept += [_place(robot, permitted, frame, tool)] if permitted.limits("box") else []
    posture = None if start is None else _posture(start, permitted)
    return Problem(information, basis, permitted, kept, criterion, _SAMPLES * basis.count, posture)


def _searched(
    problem: Problem, found: dict[int, _Start], workers: int, name: str, progress: Progress
) -> dict[int, _Start]:
    """The best starts after all stages of the search; each stage goes on with fewer of them."""
    starts = len(found)
    left = [max(min(_KEPT, starts), starts >> stage) for stage in range(len(STAGES))]
    with telling(f"exciting motion of {name}", sum(left), progress) as tell, one_thread():
        done = 0
        for stage, size in zip(STAGES, left, strict=True):
            chosen = sorted(found, key=lambda k: found[k].value)[:size]

            def run(k: int, before: dict[int, _Start] = found, stage: Effort = stage) -> _Start:
                return _Start(before[k].posture, *problem.improve(before[k].posture, before[k].free, stage))

            found = {}
            spread = (
                here(run, chosen) if workers == 1 or len(chosen) == 1 else on_cores(run, chosen, min(workers, size))
            )
            for k, result in spread:
                if isinstance(result, WorkerDied):
                    raise result
                found[k] = result
                done += 1
                tell(done)
    return found


@dataclass(frozen=True, eq=False)
class _Start:
    """Where a search is."""

    posture: Array
    free: Array
    value: float = 0.0


def _information(model: IdentificationModel, permitted: Allowed, deviations: ArrayLike) -> Information:
    """The regressor with rows over the deviations of the torques, without columns that no motion tells apart."""
    joints = len(permitted.of("q")[0])
    weights = np.asarray(deviations, dtype=float)
    if weights.shape not in ((), (joints,)) or not (weights > 0).all() or not np.isfinite(weights).all():
        raise InputError(f"deviations: expected a positive number, or {joints} of them, found {deviations!r}")
    information = Information(model, np.broadcast_to(weights, (joints,)).copy())
    rng = random_arrays("exciting motions")
    q, qd = (rng.uniform(*permitted.of(group), (_STATES, joints)) for group in ("q", "qd"))
    information.leave_out_dependent(q, qd, rng.uniform(-1, 1, (_STATES, joints)))
    return information


def _check_numbers(robot: Robot, model: Model) -> None:
    missing = [name for group in ("parameters", "gravity") for name in model.inputs.get(group, ())]
    if missing:
        given = ", ".join(f"'{name}': ..." for name in missing[:3])
        raise InputError(
            f"{robot.name}: expected numbers for {', '.join(missing[:8])}: say robot.with_values({{{given}}})"
        )
    others = [group for group in model.inputs if group not in ("q", "qd", "qdd")]
    if others:
        raise InputError(f"{robot.name}: expected a robot on a fixed base, found the inputs {', '.join(others)}")


def _torques(robot: Robot, permitted: Allowed) -> list[Kept]:
    """Torques of the robot; dry friction may act either way while searching, and does as it is in the proof."""
    exact = inverse_dynamics(robot)
    _check_numbers(robot, exact)
    limits = permitted.of("tau")
    if not any(node.op == "sign" for node in exact.nodes):
        return [Kept(exact, *limits)]
    return [Kept(with_signs(exact, value), *limits, exact) for value in (1, -1)]


def _place(robot: Robot, permitted: Allowed, frame: int | str | None, tool: ArrayLike | None) -> Kept:
    """The origin of a frame in frame 0."""
    robot, number = aimed(robot, frame, tool)
    matrix = direct_geometry(robot, 0, number)
    names = [row[3] for row in matrix.outputs["T"][:3]]
    model = matrix.select(*(str(name) for name in names))
    _check_numbers(robot, model)
    lower, upper = permitted.of("box")
    chosen = [k for k, name in enumerate(names) if model.definitions[str(name)].level]
    for k in range(3):
        fixed = None if k in chosen else numeric_value(model.definitions[str(names[k])])
        if fixed is not None and not lower[k] <= fixed <= upper[k]:
            raise InputError(
                f"limits: {'xyz'[k]} of the frame is always {fixed:g}, outside of the box or below the floor"
            )
    limited = [k for k in chosen if np.isfinite(lower[k]) or np.isfinite(upper[k])]
    model = matrix.select(*(str(names[k]) for k in limited))
    return Kept(model, lower[limited], upper[limited])


def _best(robot: Robot, problem: Problem, found: list[_Start]) -> Trajectory:
    """The motion with the least criterion of those that were found, after all limits are shown to hold."""
    basis, information, criterion = problem.basis, problem.information, problem.criterion
    order = np.argsort([start.value for start in found])
    conditions = []
    chosen: Array | None = None
    for k in order:
        c = problem.within(found[k].posture, found[k].free)
        if c is None:
            continue
        t = basis.times(max(2000, 100 * basis.count))
        conditions.append(information.condition(*(basis.matrix(t, n) @ c for n in range(3))))
        if chosen is None or (criterion == "condition" and conditions[-1] == min(conditions)):
            chosen, condition = c, conditions[-1]
    if chosen is None:
        raise InputError("the limits cannot be shown to hold between the points of the search: relax them a little")
    if not condition < _WORST:
        raise InputError(
            f"none of the motions tells the {len(information.columns)} parameters apart: give more harmonics"
        )
    c = chosen
    return Trajectory(
        name=robot.name,
        joints=robot.joint_names,
        basis=basis,
        coefficients=c,
        condition=condition,
        criterion=criterion,
        columns=information.columns,
        left_out=information.left_out,
        limits={group: problem.permitted.of(group) for group in ("q", "qd", "qdd", "tau", "box")},
        peaks={group: basis.peaks(c, n) for n, group in enumerate(("q", "qd", "qdd"))},
        tried=tuple(conditions),
    )


def _basis(kind: str, period: float, harmonics: int) -> Basis:
    length = float(numbers("period", period, ()))
    if length <= 0:
        raise InputError(f"period: expected seconds above 0, found {period!r}")
    _check_whole("harmonics", harmonics, 2)
    if kind not in ("fourier", "spline"):
        raise InputError(f"kind: expected one of 'fourier', 'spline', found {kind!r}")
    return Fourier(length, harmonics) if kind == "fourier" else Spline(length, 2 * harmonics)


def _check_whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name}: expected a whole number from {least} on, found {value!r}")
    return int(value)


def _posture(start: object, permitted: Allowed) -> Array:
    lower, upper = permitted.of("q")
    posture = numbers("start", start, lower.shape)
    if not ((posture > lower) & (posture < upper)).all():
        raise InputError(f"start: expected {len(lower)} positions within their limits, found {start!r}")
    return posture
