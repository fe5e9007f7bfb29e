"""Simulation of a robot with given torques or a controller: fixed steps in machine code, or solvers of SciPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import numeric_value
from robosym.algebra.arrays import Array
from robosym.control.drives import Actuator
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.gaps import Gaps
from robosym.errors import InputError, Pass, PathPart, RobotWarning, closest
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.runtime.fixed_step import METHODS
from robosym.simulation.cycle import attained_motion
from robosym.simulation.hardware import efforts_of, geared, with_friction
from robosym.simulation.integration import SOLVERS, Controller, Steps, integrated, sampled_control
from robosym.simulation.motions import DrivingValues, desired, source_of
from robosym.simulation.prescribed import prescribed_motion
from robosym.simulation.run import Simulation
from robosym.simulation.start import in_numbers, start_of
from robosym.simulation.system import System, law_on_floating_base, system_of, upright
from robosym.solve.leg_joints import leg_joints

__all__ = ["simulate"]

_ROUNDING = 1e-9  #: tolerance of the end time relative to a step
_WARNED, _OPEN = 1e-7, 1e-4  #: gaps of loops in m and rad that cause a warning and an error
_WRONG = 0.01  #: relative error of the energy balance that causes an error
_BISECTIONS = 60  #: bisections between two samples to locate an event
_PULL = 100.0  #: rate of constraint stabilization in variable-step solvers, in 1/s


def _with_loops(robot: Robot, **given: Any) -> Simulation:
    """Simulate modules in series in joint coordinates."""
    return simulate(robot.to_closed(), **given)


@accepts("floating", motors=ALL, platform=ALL, modules=ALL, variants={"modules": _with_loops}, contacts=ALL)
def simulate(
    robot: Robot, q: ArrayLike | None = None, qd: ArrayLike | None = None, torque: object = None,
    controller: Controller | None = None, until: float = 10.0, step: float = 1e-3, method: str = "rk4",
    *, motion: object = None, reference: object = None, disturbance: object = None,
    inputs: Mapping[str, object] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None, actuators: Mapping[Any, Actuator] | bool | None = None,
    friction: Literal["stick", "smooth", "sign", "lugre"] | None = None, smooth: float = 0.01,
    bristles: object = None, stops: object = None,
    base: ArrayLike | None = None, base_velocity: ArrayLike | None = None,
    memory: Mapping[str, ArrayLike] | None = None,
    period: float | None = None, events: Mapping[str, Callable[..., float]] | None = None, every: int = 1,
    tolerance: float = 1e-9,
) -> Simulation:  # fmt: skip
    """Simulate the motion of a robot with given torques or a controller.

    A closed robot starts at all its tree joints or at the active ones. A parallel robot starts at a pose (4x4) that its
    legs allow or at motor positions, in the assembly mode of the reference position, with its twist as `qd`. With a
    controller, `torque` or `disturbance` acts in addition to it.

    Parameters
    ----------
    robot : Robot
        Tree, closed or parallel robot, on a fixed or floating base; also one with contacts with the ground, whose
        initial velocities must not slip.
    q : array_like, shape (..., joints), optional
        Initial joint positions in rad or m, one row per trajectory. Default: zero, or the reference position.
    qd : array_like, shape (..., joints), optional
        Initial joint velocities. Default: zero.
    torque : array_like or callable, optional
        Motor torques in N m or forces in N: constant, one row per sample, or a function of time. Default: zero.
    controller : Model or callable, optional
        Control law: a model with the output "tau", or a function (t, q, qd) -> tau that is called once per step.
    until : float
        Duration in s.
    step : float
        Time step in s.
    method : str
        Integration method: rk4, rk5, heun, midpoint, euler (fixed steps, in machine code); dop853, rk45, rk23, radau,
        bdf, lsoda (SciPy, with a tolerance); cycle (follows the reference within the limits of the actuators: Kvrgic
        and Vidakovic, section II).
    motion : object, optional
        Given motion of the joints of a robot on a floating base: a trajectory, a .csv file with columns t, q1, ...,
        qd1, ..., qdd1, ..., or a function of time that returns (q, qd, qdd). The base moves freely, and the result
        contains the torques of this motion.
    reference : object, optional
        Desired motion of the controller: a position, a trajectory, a .csv file with columns t, q1, ..., qd1, ..., a
        function of time that returns (q, qd, qdd), or a mapping of groups X_desired.
    disturbance : array_like or callable, optional
        Torques that act in addition to the controller.
    inputs : mapping, optional
        Other input groups, such as "wrench". Default: zero.
    parameters : mapping, optional
        Values of symbols; an array assigns one value per trajectory.
    actuators : mapping of joint to Actuator, or True, optional
        Limits of torque and speed by joint, as `Actuator`; True uses those of the description.
    friction : {"stick", "smooth", "sign", "lugre"}, optional
        Coulomb friction: `stick` holds joints at rest (default for trees), `smooth` changes sign continuously within
        a speed (default for other robots), `sign` is discontinuous, `lugre` models bristles that bend before a joint
        slides.
    smooth : float
        Speed in rad/s or m/s within which smooth friction changes its sign.
    bristles : (stiffness, damping) or mapping of joint to (stiffness, damping), optional
        Bristles of LuGre friction: stiffness in N m/rad or N/m, damping in N m s/rad or N s/m. Stiff bristles need
        short steps or a method for stiff systems, such as radau.
    stops : mapping of joint to (lower, upper), or True, optional
        Positions of mechanical stops by joint; True uses the joint limits of the description.
    base : array_like, shape (..., 7), optional
        Initial pose of a floating base: position in m and quaternion w x y z.
    base_velocity : array_like, shape (..., 6), optional
        Initial velocity of a floating base in its own frame: angular, then linear.
    memory : mapping, optional
        Initial values of internal states of the controller.
    period : float, optional
        Time in s between calls of the controller, during which its torque is constant. Default: one step.
    events : mapping of str to callable, optional
        Functions (t, q, qd) -> number whose zeros are located. The attributes `direction` (1, -1 or 0) and `terminal`
        of a function select a direction and end the motion.
    every : int
        Number of steps from one stored sample to the next.
    tolerance : float
        Relative tolerance of methods with a variable step.

    Returns
    -------
    Simulation
        Motion with positions, velocities, torques, energies and events.

    Raises
    ------
    InputError
        If an argument is invalid, the initial state is inconsistent, or the motion leaves the validity of the model,
        for example in a singular position of the loops.

    Examples
    --------
    >>> import robosym as rs
    >>> run = rs.simulate(rs.load("planar2r"), [0.5, 0.0], until=1.0)
    >>> run.q.shape
    (1001, 2)
    >>> bool(abs(run.balance).max() < 1e-6)
    True
    """
    steps = _steps(until, step, every, method, tolerance)
    t, step = steps.t, steps.step
    robot, values, varied, batched = in_numbers(upright(robot), controller, parameters)
    if isinstance(actuators, Mapping):
        robot, actuators = geared(robot, actuators)
    if motion is not None:
        _check_prescribed(q=q, qd=qd, torque=torque, controller=controller, reference=reference, stops=stops,
                          disturbance=disturbance, inputs=inputs, memory=memory, period=period)  # fmt: skip
        _check_options(method, None, None, step)
        run = _checked(prescribed_motion(robot, motion, steps, base, base_velocity))
        return _with_events(run, events) if events else run
    if method == "cycle":
        return attained_motion(robot, reference, actuators, t, q, qd)
    _check_options(method, controller, period, step)
    if isinstance(controller, Model) and robot.base.kind == "floating":
        controller = law_on_floating_base(controller, robot)
    pushed = _is_disturbed(controller, torque, disturbance)
    robot, stick, bent = with_friction(robot, friction, smooth, method in METHODS, bristles)
    efforts = efforts_of(robot, actuators, stops, pushed, step, bent)
    sampled = (
        controller if controller is not None and (period is not None or not isinstance(controller, Model)) else None
    )
    law = controller if isinstance(controller, Model) and sampled is None else None
    pull = 1 / step if method in METHODS else min(1 / step, _PULL)
    system = _system(robot, pull, method in METHODS, law, efforts, stick, varied, values)
    start, leading = start_of(system, q, qd, base, base_velocity, memory, batched)
    batched = {name: np.broadcast_to(array, leading).reshape(-1) for name, array in batched.items()}
    sources = _sources(system, t, len(start), torque, controller, reference, disturbance, inputs, batched)
    if sampled is not None:
        states, applied = sampled_control(system, sampled, sources, start, steps, period, values)
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
        raise InputError(f"period: expected at least one step of {step:g} s, found {period!r}")


def _check_prescribed(**others: object) -> None:
    """Raise an error for arguments that cannot be combined with a given motion of the joints."""
    for name, value in others.items():
        if value is not None:
            raise InputError(f"{name}: expected none, because the motion of the joints is given")


def _is_disturbed(controller: object, torque: object, disturbance: object) -> bool:
    """Return whether efforts other than those of the motors act."""
    if controller is not None and torque is not None and disturbance is not None:
        raise InputError("disturbance: expected torque or disturbance in addition to a controller, found both")
    return disturbance is not None or (torque is not None and controller is not None)


def _checked(run: Simulation) -> Simulation:
    """Return the run, or raise an error if loops or legs came apart."""
    _check_loops(run)
    _check_legs(run)
    _check_turns(run)
    return run


def _steps(until: float, step: float, every: int, method: str, tolerance: float) -> Steps:
    """Return equal steps up to the end."""
    positive = (("until", until, "time in s"), ("step", step, "time in s"), ("tolerance", tolerance, "number"))
    for name, value, what in positive:
        if not isinstance(value, (int, float, np.number)) or not np.isfinite(value) or value <= 0:
            raise InputError(f"{name}: expected a positive {what}, found {value!r}")
    if not isinstance(every, (int, np.integer)) or every < 1:
        raise InputError(f"every: expected a positive number of steps, found {every!r}")
    count = max(1, int(np.ceil(until / step * (1 - _ROUNDING))))
    if count > 10**9:
        raise InputError(f"step: expected fewer than 1e9 steps until {until:g} s, found {count:.3g}")
    count = -(-count // every) * every
    step = float(until) / count
    t: Array = np.arange(count // every + 1, dtype=float) * (step * every)
    return Steps(t, step, count, int(every), method, tolerance)


_CACHE: list[tuple[Robot, tuple[object, ...], System]] = []  #: recently used systems, with robot and options
_MOST = 16


def _system(robot: Robot, *how: Any) -> System:
    """Return the system of a robot, cached so that equal robots share compiled code."""
    like = [(other, system) for other, key, system in list(_CACHE) if key == how]
    for other, system in like:
        if other is robot:
            return system
    for other, system in like:
        if other == robot:  # compares all entries, which takes milliseconds
            return system
    made = system_of(robot, *how)
    _CACHE.append((robot, how, made))
    del _CACHE[:-_MOST]
    return made


def _sources(
    system: System, t: Array, batch: int, torque: object, controller: Controller | None, reference: object,
    disturbance: object, inputs: Mapping[str, object] | None, varied: Mapping[str, Array],
) -> dict[str, DrivingValues]:  # fmt: skip
    """Return the values of each input group; groups without values raise an error, except torques and wrenches."""
    given: dict[str, Any] = {"wrench": 0.0, "disturbance": 0.0, **(inputs or {})}
    wanted = {group: system.flow.inputs[group] for group in system.driven}
    if isinstance(controller, Model):
        wanted |= {g: names for g, names in controller.inputs.items() if g.endswith("_desired") or g == "T"}
    if reference is not None and controller is None:
        raise InputError("reference: expected a controller that follows it", hint=("pass ", Pass("controller")))
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
            raise InputError(f"inputs: unknown group {group!r}{closest(group, wanted)}")
    if controller is None:
        given.setdefault("tau", 0.0)
    else:
        given["tau"] = np.zeros(len(wanted.get("tau", ())))  # replaced by a controller outside the model
    still = ("qd_desired", "qdd_desired", "twist_desired", "acceleration_desired")
    if any(not callable(given[g]) and np.ndim(given[g]) == 1 for g in ("q_desired", "T") if g in given):
        given = dict.fromkeys(still, 0.0) | given  # hold a position
    missing = [group for group in wanted if group not in given]
    if missing:
        what = "reference" if missing[0].endswith("_desired") else "inputs"
        raise InputError(f"{what}: expected values for {', '.join(missing)}, found none")
    try:
        return {group: source_of(group, given[group], names, t, batch) for group, names in wanted.items()}
    except InputError as error:
        group = error.path[0].name if error.path else ""
        if reference is not None and group not in (inputs or {}) and (group.endswith("_desired") or group == "T"):
            raise error.within(PathPart("reference")) from None
        if group != "tau":
            raise
        path = (PathPart("torque"), *error.path[1:])  # the argument that the group comes from
        raise InputError(error.statement, path=path, hint=error.hint, code=error.code) from None


def _check_loops(run: Simulation) -> None:
    """Raise an error for open loops: the motion passed a singular position, and its numbers are invalid."""
    if run.system.loops is None:
        return
    worst = run.drift.max(axis=tuple(range(run.drift.ndim - 1)))
    if worst.max() > _WARNED:
        at = run.t[int(np.argmax(worst > _WARNED))]
        found = f"the loops of {run.robot.name} have gaps of up to {worst.max():.2g}, first at t = {at:g} s"
        if worst.max() > _OPEN:
            raise InputError(f"{found}: the motion passes a singular position of the loops, or the step is too long")
        warnings.warn(f"{found}: reduce the step", RobotWarning, stacklevel=5)
    if run.system.law is None and run.applied is None:  # the work of other efforts is not computed
        scale = np.maximum(run.kinetic.max(axis=-1), np.ptp(run.potential, axis=-1))[..., None]
        off = np.abs(run.balance) / np.maximum(scale, np.finfo(float).tiny)
        off = off.max(axis=tuple(range(off.ndim - 1)))
        if off.max() > _WRONG:
            raise InputError(
                f"{run.robot.name}: the error of the energy balance is {off.max():.0%}, first at t = "
                f"{run.t[int(np.argmax(off > _WRONG))]:g} s: the motion passes a singular position of the loops, where "
                "it is undetermined, or the step is too long"
            )


def _check_legs(run: Simulation) -> None:
    """Raise an error if the legs of a parallel robot do not allow the computed poses."""
    if run.system.positions != "pose":
        return
    motors = np.asarray(run._value(leg_joints(run.robot, passive=False), {}))
    apart = np.isnan(motors).any(axis=-1)
    apart = apart.any(axis=tuple(range(apart.ndim - 1)))
    if apart.any():
        since = run.t[int(apart.argmax())]
        raise InputError(
            f"the legs of {run.robot.name} do not allow the pose of the platform after t = {since:g} s: the step is "
            "too long, the method is not accurate enough, or a leg passes a singular position"
        )


def _check_turns(run: Simulation) -> None:
    """Raise an error if a cut joint with a spring or friction leaves the half turn in which its angle is known."""
    robot = run.robot
    if not any(robot.joint(j).acts for j in robot.cut_joints):
        return
    gaps = Gaps(robot)
    if not {*gaps.lengths} <= {*run.values}:  # lengths differ between trajectories
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
                f"{robot.name}: the cut joint {name} turns by more than half a turn from {about:.4g}, but its "
                "spring or "
                "friction requires the angle: cut this loop at another joint"
            )


def _check_finite(states: Array, t: Array) -> None:
    bad = np.asarray(~np.isfinite(states).all(axis=-1))
    if bad.any():
        trajectory, first = np.unravel_index(np.argmax(bad), bad.shape)
        which = f" of trajectory {trajectory}" if len(states) > 1 else ""
        raise InputError(
            f"the state{which} is not finite after t = {t[first]:g} s: the position is singular, a torque is not "
            "finite, "
            "or the step is too long"
        )


def _with_events(run: Simulation, events: Mapping[str, Callable[..., float]]) -> Simulation:
    """Return the run with the zeros of functions (t, q, qd) -> number, cut at the first terminal event.

    The attributes `direction` (1, -1 or 0) and `terminal` of a function are respected.
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
    """Return the times at which a function is zero, by bisection between samples."""

    def value(t: float, q: Array, qd: Array) -> float:
        try:
            result = float(function(t, q, qd))
        except (TypeError, ValueError) as error:
            raise InputError(f"events: {name}: expected a function that returns a number: {error}") from None
        if np.isnan(result):
            raise InputError(f"events: {name}: expected a finite number at t = {t:g} s, found NaN")
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
