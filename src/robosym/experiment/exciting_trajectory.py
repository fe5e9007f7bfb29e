"""Exciting trajectories: motions along which the parameters can be identified well (guide 3.6.3), within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import numeric_value
from robosym.algebra.arrays import Array, numbers, one_thread
from robosym.algebra.generic import random_arrays
from robosym.coordinates.accepts import accepts
from robosym.dynamics import inverse_dynamics
from robosym.dynamics.identification import IdentificationModel, dynamic_identification
from robosym.errors import InputError
from robosym.experiment.information import Criterion, Information, check_criterion, with_signs
from robosym.experiment.problem import STAGES, BoundedOutputs, Effort, Problem
from robosym.experiment.regressor import need_numbers, unknown_inertia
from robosym.experiment.trajectory import Basis, Fourier, Spline, Trajectory
from robosym.kinematics import direct_geometry
from robosym.mechanism import Robot, need_rigid
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.path import path
from robosym.model import Model
from robosym.simulation.motion_limits import MotionLimits, Sphere, motion_limits
from robosym.studies.workers import Progress, WorkerDied, cores, here, on_cores, reporting

__all__ = ["exciting_trajectory", "problem_of"]


_SAMPLES = 8  #: samples of the regressor per coefficient of a joint
_STATES = 400  #: number of random states at which dependent columns are detected
_SINGULAR = 1e7  #: condition number above which the parameters are not identifiable
_FINALISTS = 2  #: starts that go through all stages


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
    """Compute a periodic trajectory that excites all base parameters, within limits.

    The motion starts and ends at rest and minimizes the condition number of the regressor W, or maximizes the
    information. Limits hold at all times, not only at samples. Parameters are those that `identify` estimates.

    Parameters
    ----------
    robot : Robot
        Tree robot on a fixed base, with numbers for its geometry. Limits of torque require inertial parameters too.
    limits : mapping or path of a YAML file, optional
        Limits of the motion, as a mapping or a YAML file with the keys `position`, `velocity`, `acceleration` and
        `torque` (a number, one per joint, or lower and upper limits) and, for the position of `frame` in frame 0 in m,
        `box` and `floor`. `spheres`, rows [frame, x, y, z, radius] with centers in the axes of a frame (0: the base),
        must not meet, unless one joint at most is between them. Default: the limits in the description.
    period : float
        Period in s.
    harmonics : int
        Number of harmonics of the Fourier series; a spline has twice as many pieces.
    criterion : {"condition", "d-optimal"}
        Criterion to minimize: `condition` or `d-optimal`.
    kind : {"fourier", "spline"}
        Kind of motion: `fourier`, or `spline` with pieces of degree 5.
    friction : bool
        Include viscous and Coulomb friction in the parameters.
    offset : bool
        Include constant torques in the parameters.
    deviations : float or sequence of float
        Standard deviations of the torques, which weight the rows of W.
    frame : int or str, optional
        Frame to which box and floor apply. Default: the end of the arm.
    tool : array_like, optional
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    start : sequence of float, optional
        Joint positions at which the motion starts and ends.
    starts : int
        Number of starting points of the search.
    workers : int, optional
        Number of processes. Default: one per core.
    seed : int
        Seed of the random numbers.
    progress : callable or bool, optional
        True for a bar, or a function called with (done, total), which may raise an exception to cancel.

    Returns
    -------
    Trajectory
        The best trajectory found.

    Raises
    ------
    InputError
        If an argument is invalid, a required number is missing, or no trajectory within the limits is found.

    Examples
    --------
    >>> import robosym as rs
    >>> limits = {"position": 1.5, "velocity": 2, "acceleration": 10}
    >>> motion = rs.exciting_trajectory(rs.load("planar2r"), limits, period=5, harmonics=3, starts=1)
    >>> motion.condition < 100
    True
    """
    check_criterion(criterion)
    basis = _basis(kind, period, harmonics)
    _check_integer("starts", starts, 1)
    _check_integer("seed", seed, 0)
    count = cores() if workers is None else _check_integer("workers", workers, 1)
    problem = problem_of(robot, basis, criterion, limits, friction, offset, deviations, frame, tool, start)

    def begin(k: int) -> _Start:
        return _Start(*problem.first(random_arrays("exciting motions", seed + 1000 * k), centered=k == 0))

    found = _searched(problem, {k: begin(k) for k in range(starts)}, count, robot.name, progress)
    return _best(robot, problem, [found[k] for k in sorted(found)])


def problem_of(
    robot: Robot, basis: Basis, criterion: Criterion, limits: object, friction: bool = True, offset: bool = True,
    deviations: ArrayLike = 1.0, frame: int | str | None = None, tool: ArrayLike | None = None, start: object = None,
) -> Problem:  # fmt: skip
    """Return the optimization problem over the motions of a basis; see `exciting_trajectory`."""
    need_rigid(robot, "exciting_trajectory")
    model = dynamic_identification(unknown_inertia(robot), base_parameters=True, friction=friction, offset=offset)
    _check_numbers(robot, model)
    permitted = motion_limits(robot, limits, robot.tree_joints, spheres=True)
    information = _information(model, permitted, deviations)
    kept = _torques(robot, permitted) if permitted.limits("tau") else []
    kept += [_place(robot, permitted, frame, tool)] if permitted.limits("box") else []
    kept += [_apart(robot, permitted.spheres)] if permitted.spheres else []
    posture = None if start is None else _posture(start, permitted)
    return Problem(information, basis, permitted, kept, criterion, _SAMPLES * basis.count, posture)


def _searched(
    problem: Problem, found: dict[int, _Start], workers: int, name: str, progress: Progress
) -> dict[int, _Start]:
    """Run all stages of the search; each stage continues with fewer starts."""
    starts = len(found)
    left = [max(min(_FINALISTS, starts), starts >> stage) for stage in range(len(STAGES))]
    with reporting(f"exciting motion of {name}", sum(left), progress) as report, one_thread():
        done = 0
        for stage, size in zip(STAGES, left, strict=True):
            chosen = sorted(found, key=lambda k: found[k].value)[:size]
            run = _Search(problem, found, stage)
            found = {}
            spread = (
                here(run, chosen) if workers == 1 or len(chosen) == 1 else on_cores(run, chosen, min(workers, size))
            )
            for k, result in spread:
                if isinstance(result, WorkerDied):
                    raise result
                found[k] = result
                done += 1
                report(done)
    return found


@dataclass(frozen=True, eq=False)
class _Start:
    """State of the search from one start."""

    posture: Array
    free: Array
    value: float = 0.0


@dataclass(frozen=True, eq=False)
class _Search:
    """One stage of the search as a picklable function of the number of a start."""

    problem: Problem
    starts: Mapping[int, _Start]
    stage: Effort

    def __call__(self, k: int) -> _Start:
        start = self.starts[k]
        return _Start(start.posture, *self.problem.improve(start.posture, start.free, self.stage))


def _information(model: IdentificationModel, permitted: MotionLimits, deviations: ArrayLike) -> Information:
    """Return the weighted regressor without columns that no motion can identify."""
    joints = len(permitted.of("q")[0])
    weights = np.asarray(deviations, dtype=float)
    if weights.shape not in ((), (joints,)) or not (weights > 0).all() or not np.isfinite(weights).all():
        raise InputError(f"deviations: expected a positive number or {joints} positive numbers, found {deviations!r}")
    information = Information(model, np.broadcast_to(weights, (joints,)).copy())
    rng = random_arrays("exciting motions")
    q, qd = (rng.uniform(*permitted.of(group), (_STATES, joints)) for group in ("q", "qd"))
    information.leave_out_dependent(q, qd, rng.uniform(-1, 1, (_STATES, joints)))
    return information


def _check_numbers(robot: Robot, model: Model) -> None:
    need_numbers(robot, model)
    others = [group for group in model.inputs if group not in ("q", "qd", "qdd")]
    if others:
        raise InputError(f"{robot.name}: expected a robot on a fixed base, found the inputs {', '.join(others)}")


def _torques(robot: Robot, permitted: MotionLimits) -> list[BoundedOutputs]:
    """Return the torque limits; the search checks both signs of Coulomb friction, the proof the actual one."""
    exact = inverse_dynamics(robot)
    _check_numbers(robot, exact)
    limits = permitted.of("tau")
    if not any(node.op == "sign" for node in exact.nodes):
        return [BoundedOutputs(exact, *limits)]
    return [BoundedOutputs(with_signs(exact, value), *limits, exact) for value in (1, -1)]


def _place(robot: Robot, permitted: MotionLimits, frame: int | str | None, tool: ArrayLike | None) -> BoundedOutputs:
    """Return the limits of the position of a frame in frame 0."""
    robot, number = tool_frame(robot, frame, tool)
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
                f"limits: box: expected a range that contains {'xyz'[k]} = {fixed:g}, which no joint can change, "
                f"found {lower[k]:g} to {upper[k]:g}"
            )
    limited = [k for k in chosen if np.isfinite(lower[k]) or np.isfinite(upper[k])]
    model = matrix.select(*(str(names[k]) for k in limited))
    return BoundedOutputs(model, lower[limited], upper[limited])


def _apart(robot: Robot, spheres: Sequence[Sphere]) -> BoundedOutputs:
    """Return the limits of distances between spheres: their squares in parts of those at contact are at least 1."""

    def joints_between(a: int, b: int) -> int:
        return sum(robot.frame(j).is_joint for frames in path(robot, a, b) for j in frames)

    pairs = [(a, b) for a, b in combinations(spheres, 2) if joints_between(a.frame, b.frame) > 1]
    if not pairs:
        raise InputError("limits: spheres: expected two spheres with at least two joints between them, found none")
    frames = dict.fromkeys(sphere.frame for sphere in spheres if sphere.frame)
    matrices = {frame: direct_geometry(robot, 0, frame) for frame in frames}
    first = next(iter(matrices.values()))
    graph = first.graph
    centers = {}
    for sphere in spheres:
        at = [graph.number(x) for x in (*sphere.center, 1.0)]
        if sphere.frame:
            model = matrices[sphere.frame]
            rows = [graph.copy([model.definitions[str(name)] for name in row]) for row in model.outputs["T"][:3]]
            at = [sum((entry * x for entry, x in zip(row, at, strict=True)), graph.zero) for row in rows]
        centers[sphere] = at[:3]
    values = {}
    for k, (a, b) in enumerate(pairs, 1):
        gaps = [x - y for x, y in zip(centers[a], centers[b], strict=True)]
        values[f"APART{k}"] = sum((gap * gap for gap in gaps), graph.zero) / (a.radius + b.radius) ** 2
    inputs = {"q": tuple(robot.variable(j) for j in robot.tree_joints)}
    model = replace(first.plain(), inputs=inputs, outputs={"apart": tuple(values)}, definitions=values, made=None)
    _check_numbers(robot, model)
    return BoundedOutputs(model, np.ones(len(values)), np.full(len(values), np.inf))


def _best(robot: Robot, problem: Problem, found: list[_Start]) -> Trajectory:
    """Return the best motion after a proof that all limits hold."""
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
        raise InputError(
            "limits: the search found no motion that provably stays within the limits: relax them a little"
        )
    if not condition < _SINGULAR:
        raise InputError(
            f"harmonics: the motions found do not identify all {len(information.columns)} parameters: use more "
            "harmonics"
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
        raise InputError(f"period: expected a positive number of seconds, found {period!r}")
    _check_integer("harmonics", harmonics, 2)
    if kind not in ("fourier", "spline"):
        raise InputError(f"kind: expected one of 'fourier', 'spline', found {kind!r}")
    return Fourier(length, harmonics) if kind == "fourier" else Spline(length, 2 * harmonics)


def _check_integer(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name}: expected an integer of at least {least}, found {value!r}")
    return int(value)


def _posture(start: object, permitted: MotionLimits) -> Array:
    lower, upper = permitted.of("q")
    posture = numbers("start", start, lower.shape)
    if not ((posture > lower) & (posture < upper)).all():
        raise InputError(f"start: expected {len(lower)} joint positions within their limits, found {start!r}")
    return posture
