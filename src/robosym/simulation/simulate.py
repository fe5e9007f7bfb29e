"""Motion of a robot from its torques or under a controller: fixed steps in machine code, or SciPy's solvers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robosym.algebra import numeric_value
from robosym.control.drives import Actuator
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.gaps import Gaps
from robosym.errors import InputError, RobotWarning, closest
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.runtime.march import METHODS, March
from robosym.simulation.cycle import attained_motion
from robosym.simulation.events import Crossings
from robosym.simulation.hardware import efforts_of, geared, with_friction
from robosym.simulation.held_torques import held_control
from robosym.simulation.numbers import in_numbers
from robosym.simulation.run import Simulation
from robosym.simulation.solvers import SOLVERS, Steps, solved
from robosym.simulation.sources import DrivingValues, desired, source_of
from robosym.simulation.start import start_of
from robosym.simulation.system import System, system_of
from robosym.solve.leg_joints import leg_joints

__all__ = ["simulate"]

Array = NDArray[np.float64]
_ROUNDING = 1e-9  #: part of a step by which the end may miss the last one
_TOLD, _OPEN = 1e-7, 1e-4  #: gaps of loops, metres and radians, that are told and that are refused
_WRONG = 0.01  #: of the energy that moves
_PULL = 100.0  #: 1/s: how fast a variable-step solver closes loops again


@accepts("floating", motors=ALL, platform=ALL, modules=ALL)
def simulate(
    robot: Robot, q: ArrayLike | None = None, qd: ArrayLike | None = None, torque: Any = None,
    controller: Model | Callable[..., Any] | None = None, until: float = 10.0, step: float = 1e-3, method: str = "rk4",
    *, reference: Any = None, disturbance: Any = None, inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None, actuators: Mapping[Any, Actuator] | bool | None = None,
    friction: str | None = None, smooth: float = 0.01, stops: Any = None, base: ArrayLike | None = None,
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
    if len(robot.modules) > 1:
        robot = robot.to_closed()
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
        states, applied = held_control(system, held, sources, start, steps, period, values, _march)
    else:
        states, applied = _integrated(system, sources, start, steps), None
    _check_finite(states, t)
    run = _checked(Simulation.of(system, t, states, leading, sources, applied, values))
    return run if not events else Crossings(events).applied(run)


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


def _integrated(system: System, sources: Mapping[str, DrivingValues], start: Array, steps: Steps) -> Array:
    """The states at the times of the steps, by fixed steps in machine code or by a solver of SciPy."""
    t, step, count, every, method, tolerance = steps
    if method not in METHODS:
        return solved(system, sources, start, t, method, tolerance)
    march = _march(system, method, len(start))
    return march(start, _table(system, sources, step, count, march.parts), step, count, every)


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


_KEPT: list[tuple[Robot, tuple[Any, ...], System]] = []  #: systems used last, with what they were made of
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


def _march(system: System, method: str, batch: int) -> March:
    key = f"{method}, alone" if batch == 1 else method
    if key not in system.compiled:
        system.compiled[key] = March(system.flow, METHODS[method], system.after, batch == 1)
    found: March = system.compiled[key]
    return found


def _sources(
    system: System, t: Array, batch: int, torque: Any, controller: Any, reference: Any, disturbance: Any,
    inputs: Mapping[str, Any] | None, varied: Mapping[str, Array],
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


def _table(system: System, sources: Mapping[str, DrivingValues], step: float, count: int, parts: int) -> Array:
    """The groups side by side, with a row for each part of a step where one of them changes."""
    times: Array = np.arange(parts * count + 1, dtype=float) * (step / parts)
    tables = [sources[group].table(times) for group in system.driven]
    if not tables:
        return np.zeros((1, 1, 0))
    blocks, rows = (max(table.shape[axis] for table in tables) for axis in (0, 1))
    return np.concatenate([np.broadcast_to(table, (blocks, rows, table.shape[2])) for table in tables], axis=2)


def _check_loops(run: Simulation) -> None:
    """Loops that come open mean that the motion went through a singular position, and that its numbers are none."""
    if not run.robot.constrained:
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
    if not run.robot.modules:
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
