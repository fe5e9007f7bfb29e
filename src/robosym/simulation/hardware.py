"""Motor limits, disturbances, stops and friction between the commanded torque and the joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.control.drives import Actuator, with_motors
from robosym.dynamics import inertia_matrix
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot
from robosym.mechanism.friction import NOT_DRY
from robosym.model import Model
from robosym.model.groups import declare
from robosym.simulation.bristles import Bristles, bristle_friction, with_bristles
from robosym.simulation.stick import may_stick

__all__ = ["Hardware", "Stop", "efforts_model", "efforts_of", "geared", "need_single_joints", "with_friction"]

_STIFFNESS = 0.2  #: phase of the oscillation of a stop per step, in rad: as stiff as the step allows
_DAMPING = 1.0  #: damping of a stop relative to its stiffness, in s/rad or s/m


def with_friction(
    robot: Robot, friction: str | None, smooth: float, fixed: bool, bristles: object = None
) -> tuple[Robot, bool, dict[int, Bristles]]:
    """Return the robot with the chosen friction model, whether static friction holds joints, and LuGre friction.

    Static friction requires `fixed` steps: joints stick or break away at the end of a step.
    """
    if friction not in (None, "stick", "smooth", "sign", "lugre"):
        raise InputError(f"friction: expected 'stick', 'smooth', 'sign' or 'lugre', found {friction!r}")
    if bristles is not None and friction != "lugre":
        raise InputError("bristles: expected none", hint=("pass ", Pass("friction", "lugre")))
    if not (isinstance(smooth, (int, float)) and 0 < smooth < np.inf):
        raise InputError(f"smooth: expected a positive speed, found {smooth!r}")
    if friction == "stick" and not fixed:
        others = ("use ", Pass("method", "rk4"), " or ", Pass("friction", "smooth"))
        raise InputError("friction: 'stick' requires a method with fixed steps", hint=others)
    dry = [j for j in (*robot.tree_joints, *robot.cut_joints) if _is_dry(robot, j)]
    if friction is None:
        plain = all(not (set(dict(robot.joint(j).friction.values)) - set(NOT_DRY)) for j in dry)
        friction = "sign" if not dry else "stick" if plain and fixed and may_stick(robot) else "smooth"
    if friction == "lugre":
        robot, found = with_bristles(robot, bristles, dry)
        return robot, False, found
    if friction == "smooth":
        turned = tuple(
            replace(joint, friction=replace(joint.friction, smooth=float(smooth))) if j in dry else joint
            for j, joint in enumerate(robot.joints, 1)
        )
        return replace(robot, joints=turned), False, {}
    return robot, friction == "stick", {}


def _is_dry(robot: Robot, j: int) -> bool:
    """Return whether the friction of a joint depends on the sign of its velocity."""
    own = robot.joint(j).friction
    terms = [value for name, value in own.values if name not in NOT_DRY]
    terms += [robot.link(j).FS] if j <= robot.NL else []  # a cut joint has no link
    return not own.smooth and any(not value.is_zero for value in terms)


#: messages for robots in other coordinates: no motors at the joints, joints that do not move independently
_NO_MOTORS = {
    "motors": "{} has a transmission: use robot.in_joints()",
    "platform": "{} has a platform: use robot.to_closed(), the same robot in joint coordinates",
}
_BOUND = dict.fromkeys(("active", *_NO_MOTORS), "expected a serial robot or a tree in joint coordinates")


def _need(robot: Robot, what: str, rejected: Mapping[str, str]) -> None:
    if reason := rejected.get(robot.coordinates):
        raise InputError(f"{what}: {reason.format(robot.name)}")


def need_single_joints(robot: Robot, what: str) -> None:
    """Raise an error for a robot whose joints do not move independently."""
    _need(robot, what, _BOUND)


def _joint(robot: Robot, given: int | str, what: str) -> int:
    """Return the number of a tree joint, given by number, name or variable."""
    j = robot.joint_number(given, what)
    if j not in robot.tree_joints:
        raise InputError(
            f"{what}: expected one of the joints {', '.join(map(str, robot.tree_joints))}, found the cut joint {j}"
        )
    return j


def geared(robot: Robot, actuators: Mapping[int | str, Actuator]) -> tuple[Robot, dict[int, Actuator]]:
    """Return the robot with the rotors, friction and masses of its motors, and the motors by joint number."""
    _need(robot, "actuators", _NO_MOTORS)
    motors = {_joint(robot, given, "actuators"): motor for given, motor in actuators.items()}
    for j, motor in motors.items():
        if not isinstance(motor, Actuator):
            raise InputError(f"actuators: expected an Actuator for joint {j}, found {motor!r}")
    return with_motors(robot, motors), motors


def efforts_of(
    robot: Robot, actuators: Mapping[int, Actuator] | bool | None, stops: object, disturbed: bool, step: float,
    bristles: Mapping[int, Bristles] | None = None,
) -> Hardware:  # fmt: skip
    """Return motor limits (per joint, or from the description), stops, friction, and whether disturbances act."""
    torque: dict[int, float] = {}
    speed: dict[int, float] = {}
    if isinstance(actuators, Mapping):
        for j, motor in actuators.items():
            n = abs(motor.number("ratio", j))
            torque[j] = n * motor.number("largest", j)
            if motor.speed is not None:
                speed[j] = motor.number("speed", j) / n
    elif actuators is True:
        _need(robot, "actuators", _NO_MOTORS)
        for j, limits in zip(robot.tree_joints, robot.joint_limits, strict=True):
            if limits.effort is not None:
                torque[j] = limits.effort
                if limits.velocity:
                    speed[j] = limits.velocity
        if not torque:
            raise InputError(f"actuators: expected effort limits in the description of {robot.name}, found none")
    elif actuators not in (None, False):
        raise InputError(f"actuators: expected {{joint: Actuator}} or True, found {actuators!r}")
    ends = tuple(_stops(robot, stops, step).items())
    return Hardware(tuple(torque.items()), tuple(speed.items()), ends, disturbed, tuple((bristles or {}).items()))


def _stops(robot: Robot, stops: object, step: float) -> dict[int, Stop]:
    if stops in (None, False):
        return {}
    need_single_joints(robot, "stops")
    if stops is True:
        described = zip(robot.tree_joints, robot.joint_limits, strict=True)
        ends = {j: (at.lower, at.upper) for j, at in described if (at.lower, at.upper) != (None, None)}
        if not ends:
            raise InputError(f"stops: expected position limits in the description of {robot.name}, found none")
    elif isinstance(stops, Mapping):
        ends = {}
        for given, pair in stops.items():
            j = _joint(robot, given, "stops")
            if not isinstance(pair, Stop):
                low, high = pair if isinstance(pair, (tuple, list)) and len(pair) == 2 else (None, None)
                if (low is None and high is None) or (low is not None and high is not None and not low < high):
                    raise InputError(f"stops: joint {j}: expected (lower, upper), found {pair!r}")
                pair = (low, high)
            ends[j] = pair
    else:
        raise InputError(f"stops: expected {{joint: (lower, upper)}} or True, found {stops!r}")
    inertia = _inertia(robot)
    return {
        j: pair if isinstance(pair, Stop)
        else Stop(*pair, stiffness=inertia[j] * (_STIFFNESS / step) ** 2, damping=_DAMPING)
        for j, pair in ends.items()
    }  # fmt: skip


def _inertia(robot: Robot) -> dict[int, float]:
    """Return the inertia about each joint at zero positions, with the other joints fixed."""
    model = inertia_matrix(robot, structure="tree")
    if "parameters" in model.inputs:
        raise InputError(
            f"stops: expected values for {', '.join(model.inputs['parameters'][:8])}, found none", code="E404"
        )
    A = model.compile()(**{group: np.zeros(len(names)) for group, names in model.inputs.items()})
    return dict(zip(robot.tree_joints, np.diag(A), strict=True))


_BAND = 0.05  #: fraction of the maximum speed over which the driving torque falls to zero


@dataclass(frozen=True)
class Stop:
    """End stop of a joint: a damped spring beyond a position."""

    lower: float | None
    upper: float | None
    stiffness: float
    damping: float  #: force = stiffness p (1 + damping p'), where p is the penetration depth


@dataclass(frozen=True)
class Hardware:
    """Motor limits and stops by joint; hashable, so that equal hardware shares one compiled system."""

    torque: tuple[tuple[int, float], ...] = ()  #: maximum torque at the joint
    speed: tuple[tuple[int, float], ...] = ()
    stops: tuple[tuple[int, Stop], ...] = ()
    disturbed: bool = False  #: whether disturbances act beside the motors
    bristles: tuple[tuple[int, Bristles], ...] = ()  #: LuGre friction

    @property
    def empty(self) -> bool:
        """Whether there are no limits, stops, bristles or disturbances."""
        return not (self.torque or self.speed or self.stops or self.disturbed or self.bristles)


def _positive(value: Expr) -> Expr:
    return (value + value.graph.function("abs", value)) / 2


def _within(value: Expr, low: Expr | float, high: Expr | float) -> Expr:
    """Return the value clipped to its limits: low + (v - low)+ - (v - high)+."""
    return low + _positive(value - low) - _positive(value - high)


def efforts_model(robot: Robot, direct: Model, efforts: Hardware) -> Model | None:
    """Return a model of the limited motor torques (`motor`) and joint efforts (`tau`) from commanded torques.

    LuGre friction adds `friction`, and the deflections of bristles as a state.
    """
    if efforts.empty:
        return None
    named = direct.inputs.get("tau", ())
    by_name = {robot.joint(j).GAM.name: j for j in range(1, robot.NJ + 1)}
    joints = [by_name.get(name, k) for k, name in enumerate(named, 1)]  # motors of a transmission are numbered in order
    for what in (efforts.torque, efforts.speed, efforts.stops, efforts.bristles):
        for j, _ in what:
            if j not in joints:
                raise InputError(
                    f"joint {j}: expected a joint with its own motor, one of {', '.join(map(str, joints))}"
                )
    graph = Graph()
    inputs = {group: direct.inputs[group] for group in ("q", "qd") if group in direct.inputs} | {"tau": named}
    if efforts.disturbed:
        inputs["disturbance"] = tuple(f"DI{name}" for name in named)
    bristles = dict(efforts.bristles)
    if bristles:
        inputs["bristles"] = tuple(f"Z{j}" for j in bristles)
    declare(graph, inputs)
    largest, fastest, stops = dict(efforts.torque), dict(efforts.speed), dict(efforts.stops)
    definitions: dict[str, Expr] = {}
    for j, name in zip(joints, named, strict=True):
        motor = graph.symbol(name)
        if j in largest:
            high: Expr | float = largest[j]
            low: Expr | float = -largest[j]
            if j in fastest:
                _, qd = _own(robot, j, graph)
                high, low = (
                    side * largest[j] * _within((fastest[j] - side * qd) / (_BAND * fastest[j]), -1, 1)
                    for side in (1, -1)
                )
            motor = _within(motor, low, high)
        definitions[f"MOTOR{j}"] = motor
        effort = motor
        if efforts.disturbed:
            effort = effort + graph.symbol(f"DI{name}")
        if j in stops:
            effort = effort + _of_stop(stops[j], *_own(robot, j, graph))
        if j in bristles:
            friction, rate = bristle_friction(bristles[j], graph.symbol(f"Z{j}"), _own(robot, j, graph)[1])
            definitions |= {f"LUGRE{j}": friction, f"ZP{j}": rate}
            effort = effort - friction
        definitions[f"EFFORT{j}"] = effort
    outputs = {
        group: tuple(f"{prefix}{j}" for j in joints) for group, prefix in (("motor", "MOTOR"), ("tau", "EFFORT"))
    }
    if bristles:
        outputs |= {
            "friction": tuple(f"LUGRE{j}" for j in bristles),
            "bristles_rate": tuple(f"ZP{j}" for j in bristles),
        }
    return Model(robot.name, "eff", "Joint efforts with motor limits and stops", inputs, outputs, definitions, graph)


def _own(robot: Robot, j: int, graph: Graph) -> tuple[Expr, Expr]:
    """Return the position and velocity of a joint."""
    name = robot.joint(j).QP.name
    return graph.symbol(robot.variable(j)), graph.symbol(name) if name else graph.zero


def _of_stop(stop: Stop, q: Expr, qd: Expr) -> Expr:
    """Return the force of both stops, which push and never pull."""
    force = q.graph.zero
    for side, end in ((1, stop.upper), (-1, stop.lower)):
        if end is not None:
            depth = _positive(side * (q - end))
            force = force - side * stop.stiffness * depth * _positive(1 + stop.damping * side * qd)
    return force
