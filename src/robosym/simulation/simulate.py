"""Motion of a robot from its torques or under a controller: fixed steps in machine code, or SciPy's solvers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import numeric_value
from robosym.algebra.arrays import Array
from robosym.control.drives import Actuator
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.gaps import Gaps
from robosym.errors import InputError, RobotWarning, closest
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.runtime.march import METHODS
from robosym.simulation.cycle import attained_motion
from robosym.simulation.hardware import efforts_of, geared, with_friction
from robosym.simulation.integration import SOLVERS, Controller, Steps, held_control, integrated
from robosym.simulation.motions import DrivingValues, desired, source_of
from robosym.simulation.run import Simulation
from robosym.simulation.start import in_numbers, start_of
from robosym.simulation.system import System, system_of
from robosym.solve.leg_joints import leg_joints

__all__ = ["simulate"]

_ROUNDING = 1e-9  #: part of a step by which the end may miss the last one
_TOLD, _OPEN = 1e-7, 1e-4  #: gaps of loops, metres and radians, that are told and that are refused
_WRONG = 0.01  #: of the energy that moves
_BISECTIONS = 60  #: of the time between two samples, to find an event
_PULL = 100.0  #: 1/s: how fast a variable-step solver closes loops again


def _with_loops(robot: Robot, **given: Any) -> Simulation:
    """Modules in series are simulated by their joints."""
    return simulate(robot.to_closed(), **given)


@accepts("floating", motors=ALL, platform=ALL, modules=ALL, variants={"modules": _with_loops})
def simulate(
    robot: Robot, q: ArrayLike | None = None, qd: ArrayLike | None = None, torque: object = None,
    controller: Controller | None = None, until: float = 10.0, step: float = 1e-3, method: str = "rk4",
    *, reference: object = None, disturbance: object = None, inputs: Mapping[str, object] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None, actuators: Mapping[Any, Actuator] | bool | None = None,
    friction: str | None = None, smooth: float = 0.01, stops: object = None, base: ArrayLike | None = None,
    base_velocity: ArrayLike | None = None, memory: Mapping[str, ArrayLike] | None = None,
    period: float | None = None, events: Mapping[str, Callable[..., float]] | None = None, every: int = 1,
    tolerance: float = 1e-9,
) -> Simulation:  # fmt: skip
    """The motion from q and qd (the last axis is joints; leading axes are trajectories) until a time, in seconds.

    `torque` is a vector, an array with a row a sample, or a function of time. `controller` is a Model with the output
    "tau" (a control law; what it calls X_desired comes from `reference`: a trajectory, t -> (q, qd, qdd), or a mapping
    of groups) or a function (t, q, qd) -> tau, called once a step; `period` holds its torque that long. With a
    controller, `torque` or `disturbance` acts beside it; `inputs` are other groups, as "wrench" (else zero).

    `method`: rk4, rk5, heun, midpoint, euler in fixed steps, in machine code; dop853, rk45, rk23, radau, bdf, lsoda of
    SciPy with `tolerance`; "cycle" follows `reference` as far as the actuators can (Kvrgic and Vidakovic, section II).
    Every `every`-th step is kept.

    `actuators` {joint: Actuator} limits torque and speed (True: those of the description); `stops` {joint: (lower,
    upper)}, or True for the description's; `friction` "stick" holds joints at rest (the default of trees), "smooth"
    turns over within the speed `smooth` (that of other robots), "sign" is the model's own. `parameters` are values of
    symbols; an array gives each trajectory its own. A closed robot starts at all its tree joints or at the active ones;
    a floating base at `base` (position, quaternion w x y z); a parallel robot at a pose (4x4) that its
    legs allow or at positions of its motors, in the assembly mode of the reference position, with its twist as qd.
    """
    steps = _steps(until, step, every, method, tolerance)
    t, step = steps.t, steps.step
    robot, values, varied, batched = in_numbers(robot, controller, parameters)
    if isinstance(actuators, Mapping):
        robot, actuators = geared(robot, actuators)
    if method == "cycle":
        return attained_motion(robot, reference, actuators, t, q, qd)
    _check_options(method, controller, period, step)
    pushed = _pushed(controller, torque, disturbance)
    robot, stick = with_friction(robot, friction, smooth, method in METHODS)
    efforts = efforts_of(robot, actuators, stops, pushed, step)
    held = controller if controller is not None and (period is not None or not isinstance(controller, Model)) else None
    law = controller if isinstance(controller, Model) and held is None else None
    pull = 1 / step if method in METHODS else min(1 / step, _PULL)
    system = _system(robot, pull, method in METHODS, law, efforts, stick, varied, values)
    start, leading = start_of(system, q, qd, base, base_velocity, memory, batched)
    batched = {name: np.broadcast_to(array, leading).reshape(-1) for name, array in batched.items()}
    sources = _sources(system, t, len(start), torque, controller, reference, disturbance, inputs, batched)
    if held is not None:
        states, applied = held_control(system, held, sources, start, steps, period, values)
    else:
        states, applied = integrated(system, sources, start, steps), None
    _check_finite(states, t)
    run = _checked(Simulation.of(system, t, states, leading, sources, applied, values))
    return _with_events(run, events) if events else run


def _check_options(method: str, controller: object, period: float | None, step: float) -> None:
    if method not in METHODS and method not in SOLVERS:
        known = (*METHODS, *SOLVERS, "cycle")
        raise InputError(f"method: expected one of {', '.join(known)}, found {method!r}{closest(str(method), known)}")
    if controller is not None and not isinstance(controller, Model) and not callable(controller):
        raise InputError(f"controller: expected a Model or a function (t, q, qd) -> tau, found {controller!r}")
    if period is not None and not (isinstance(period, (int, float)) and step * (1 - _ROUNDING) <= period < np.inf):
        raise InputError(f"period: expected at least one step, {step:g} s, found {period!r}")


def _pushed(controller: object, torque: object, disturbance: object) -> bool:
    """Whether other efforts act beside those of the motors."""
    if controller is not None and torque is not None and disturbance is not None:
        raise InputError("beside a controller either torque or disturbance acts: found both")
    return disturbance is not None or (torque is not None and controller is not None)


def _checked(run: Simulation) -> Simulation:
    """The run, unless its loops or its legs came apart on the way."""
    _check_loops(run)
    _check_legs(run)
    _check_turns(run)
    return run


def _steps(until: float, step: float, every: int, method: str, tolerance: float) -> Steps:
    """Even steps up to the end."""
    for name, value in (("until", until), ("step", step)):
        if not isinstance(value, (int, float, np.number)) or not np.isfinite(value) or value <= 0:
            raise InputError(f"{name}: expected a time above 0 in seconds, found {value!r}")
    if not isinstance(every, (int, np.integer)) or every < 1:
        raise InputError(f"every: expected a whole number of steps, found {every!r}")
    count = max(1, int(np.ceil(until / step * (1 - _ROUNDING))))
    if count > 10**9:
        raise InputError(f"step: {count:.3g} steps until {until:g} s: expected fewer than 1e9")
    count = -(-count // every) * every
    step = float(until) / count
    t: Array = np.arange(count // every + 1, dtype=float) * (step * every)
    return Steps(t, step, count, int(every), method, tolerance)


_KEPT: list[tuple[Robot, tuple[object, ...], System]] = []  #: systems used last, with what they were made of
_MOST = 16


def _system(robot: Robot, *how: Any) -> System:
    """Made once for equal robots: a compiled motion is to be used again."""
    like = [(other, system) for other, key, system in list(_KEPT) if key == how]
    for other, system in like:
        if other is robot:
            return system
    for other, system in like:
        if other == robot:  # by all their entries, which takes milliseconds
            return system
    made = system_of(robot, *how)
    _KEPT.append((robot, how, made))
    del _KEPT[:-_MOST]
    return made


def _sources(
    system: System, t: Array, batch: int, torque: object, controller: Controller | None, reference: object,
    disturbance: object, inputs: Mapping[str, object] | None, varied: Mapping[str, Array],
) -> dict[str, DrivingValues]:  # fmt: skip
    """What is given for each group that drives the motion; nothing given is refused, but for torques and wrenches."""
    given: dict[str, Any] = {"wrench": 0.0, "disturbance": 0.0, **(inputs or {})}
    wanted = {group: system.flow.inputs[group] for group in system.driven}
    if isinstance(controller, Model):
        wanted |= {g: names for g, names in controller.inputs.items() if g.endswith("_desired") or g == "T"}
    if reference is not None:
        given |= desired(reference)
    if torque is not None:
        given["tau" if controller is None else "disturbance"] = torque
    if disturbance is not None:
        given["disturbance"] = disturbance
    if varied:
        given["varied"] = np.stack([varied[name] for name in wanted["varied"]], axis=-1)
    for group in inputs or {}:
        if group not in wanted:
            raise InputError(f"inputs: the models take no group {group!r}{closest(group, wanted)}")
    if controller is None:
        given.setdefault("tau", 0.0)
    else:
        given["tau"] = np.zeros(len(wanted.get("tau", ())))  # a controller that is not in the flow replaces it
    still = ("qd_desired", "qdd_desired", "twist_desired", "acceleration_desired")
    if any(not callable(given[g]) and np.ndim(given[g]) == 1 for g in ("q_desired", "T") if g in given):
        given = dict.fromkeys(still, 0.0) | given  # a place that is held
    missing = [group for group in wanted if group not in given]
    if missing:
        what = "reference" if missing[0].endswith("_desired") else "inputs"
        raise InputError(f"{what}: nothing is given for {', '.join(missing)}")
    return {group: source_of(group, given[group], names, t, batch) for group, names in wanted.items()}


def _check_loops(run: Simulation) -> None:
    """Loops that come open mean that the motion went through a singular position, and that its numbers are none."""
    if run.system.loops is None:
        return
    worst = run.drift.max(axis=tuple(range(run.drift.ndim - 1)))
    if worst.max() > _TOLD:
        at = run.t[int(np.argmax(worst > _TOLD))]
        found = f"the loops of {run.robot.name} are open by {worst.max():.2g}, first at t = {at:g} s"
        if worst.max() > _OPEN:
            raise InputError(f"{found}: the motion comes to a singular position of the loops, or the step is too long")
        warnings.warn(f"{found}: the step is long for this motion", RobotWarning, stacklevel=5)
    if run.system.law is None and run.applied is None:  # what else acts is not among the works
        scale = np.maximum(run.kinetic.max(axis=-1), np.ptp(run.potential, axis=-1))[..., None]
        off = np.abs(run.balance) / np.maximum(scale, np.finfo(float).tiny)
        off = off.max(axis=tuple(range(off.ndim - 1)))
        if off.max() > _WRONG:
            raise InputError(
                f"{run.robot.name}: the energy is {off.max():.0%} out of balance, first at t = "
                f"{run.t[int(np.argmax(off > _WRONG))]:g} s: the motion passes a singular position of the loops, where "
                "it is not determined, or the step is too long"
            )


def _check_legs(run: Simulation) -> None:
    """Raise an error where the legs of a parallel robot do not allow the poses that the steps have led to."""
    if run.system.positions != "pose":
        return
    motors = np.asarray(run._value(leg_joints(run.robot, passive=False), {}))
    apart = np.isnan(motors).any(axis=-1)
    apart = apart.any(axis=tuple(range(apart.ndim - 1)))
    if apart.any():
        since = run.t[int(apart.argmax())]
        raise InputError(
            f"the legs of {run.robot.name} do not allow the pose of the platform from t = {since:g} s on: the step is "
            "too long, the method not accurate enough, or a leg passes a singular position"
        )


def _check_turns(run: Simulation) -> None:
    """Raise an error where a cut joint whose angle counts leaves the half turns within which the models take it."""
    robot = run.robot
    if not any(robot.joint(j).acts for j in robot.cut_joints):
        return
    gaps = Gaps(robot)
    if not {*gaps.lengths} <= {*run.values}:  # lengths that differ from one trajectory to the next
        return
    tree = run.q.reshape(-1, len(robot.tree_joints))
    q = np.hstack([tree, np.zeros((len(tree), len(gaps.joints) - tree.shape[1]))])
    found = gaps.cut_positions(gaps.geometry(run.values), q).reshape(*run.q.shape[:-1], -1)
    for j in robot.cut_joints:
        joint, name = robot.joint(j), robot.variable(j)
        if robot.frame(j).joint_type.slides or not (joint.eta or joint.friction.needs_position):
            continue
        angles = found[..., gaps.names.index(name)]
        about = robot.position.get(name, 0.0 if joint.rest is None else numeric_value(joint.rest) or 0.0)
        taken = np.angle(np.exp(1j * (angles - about)))
        if np.abs(np.unwrap(taken, axis=-1) - taken).max() > 1:
            raise InputError(
                f"{robot.name}: the cut joint {name} turns by more than half a turn from {about:.4g}, where its "
                "spring or friction has another value: cut this loop elsewhere"
            )


def _check_finite(states: Array, t: Array) -> None:
    bad = np.asarray(~np.isfinite(states).all(axis=-1))
    if bad.any():
        trajectory, first = np.unravel_index(np.argmax(bad), bad.shape)
        which = f" of trajectory {trajectory}" if len(states) > 1 else ""
        raise InputError(
            f"the motion{which} is not finite from t = {t[first]:g} s on: a singular position, torques that are not "
            "finite, or a step that is too long"
        )


def _with_events(run: Simulation, events: Mapping[str, Callable[..., float]]) -> Simulation:
    """The run with the times at which functions (t, q, qd) -> number pass zero, cut at the first that is terminal.

    Attributes `direction` (1, -1 or 0) and `terminal` of a function are heeded.
    """
    for name, function in events.items():
        if not callable(function):
            raise InputError(f"events: {name}: expected a function (t, q, qd) -> number, found {function!r}")
    if run.q.ndim != 2:
        raise InputError("events: expected one trajectory, found several")
    found = {name: _crossings(name, function, run) for name, function in events.items()}
    ends = [times[0] for name, times in found.items() if len(times) and getattr(events[name], "terminal", 0)]
    if ends:
        run = run.until(min(ends))
        found = {name: times[times <= min(ends)] for name, times in found.items()}
    return replace(run, events=found)


def _crossings(name: str, function: Callable[..., float], run: Simulation) -> Array:
    """The times at which a function passes zero, by bisection between samples."""

    def value(t: float, q: Array, qd: Array) -> float:
        try:
            result = float(function(t, q, qd))
        except (TypeError, ValueError) as error:
            raise InputError(f"events: {name}: expected a number: {error}") from None
        if np.isnan(result):
            raise InputError(f"events: {name}: not a number at t = {t:g} s")
        return result

    values = np.array([value(t, q, qd) for t, q, qd in zip(run.t, run.q, run.qd, strict=True)])
    direction = getattr(function, "direction", 0)
    times = []
    for k in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0):
        if direction * (values[k + 1] - values[k]) >= 0:
            low, high = run.t[k], run.t[k + 1]
            for _ in range(_BISECTIONS):
                middle = (low + high) / 2
                same = np.sign(value(middle, *run.at(middle))) == np.sign(values[k])
                low, high = (middle, high) if same else (low, middle)
            times.append((low + high) / 2)
    times += [t for t, v, before in zip(run.t[1:], values[1:], values[:-1], strict=True) if v == 0 != before]
    return np.array(sorted(times))
