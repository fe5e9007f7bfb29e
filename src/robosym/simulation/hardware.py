"""Motors, stops and friction of a robot as the simulation takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from robosym.control.drives import Actuator, with_motors
from robosym.dynamics import inertia_matrix
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.elements import Limits
from robosym.mechanism.friction import NOT_DRY
from robosym.simulation.efforts import Hardware, Stop
from robosym.simulation.stick import may_stick

__all__ = ["efforts_of", "geared", "with_friction"]

_STIFFNESS = 0.2  #: a stop swings so many radians in a step: as hard as the step can follow
_DAMPING = 1.0  #: s/rad, s/m: part of the force of a stop for a unit of speed into it


def with_friction(robot: Robot, friction: str | None, smooth: float, fixed: bool) -> tuple[Robot, bool]:
    """The robot as its dry friction is to be taken, and whether that holds joints at rest.

    That needs `fixed` steps, at whose ends joints are caught and let go.
    """
    if friction not in (None, "stick", "smooth", "sign"):
        raise InputError(f"friction: expected 'stick', 'smooth' or 'sign', found {friction!r}")
    if not (isinstance(smooth, (int, float)) and 0 < smooth < np.inf):
        raise InputError(f"smooth: expected a speed above 0, found {smooth!r}")
    if friction == "stick" and not fixed:
        raise InputError("friction='stick' needs fixed steps: take method='rk4', or friction='smooth'")
    dry = [j for j in (*robot.tree_joints, *robot.cut_joints) if _is_dry(robot, j)]
    if friction is None:
        plain = all(not (set(dict(robot.joint(j).friction.values)) - set(NOT_DRY)) for j in dry)
        friction = "sign" if not dry else "stick" if plain and fixed and may_stick(robot) else "smooth"
    if friction == "smooth":
        turned = tuple(
            replace(joint, friction=replace(joint.friction, smooth=float(smooth))) if j in dry else joint
            for j, joint in enumerate(robot.joints, 1)
        )
        return replace(robot, joints=turned), False
    return robot, friction == "stick"


def _is_dry(robot: Robot, j: int) -> bool:
    """Whether a joint has friction that depends on the sign of its velocity."""
    own = robot.joint(j).friction
    terms = [value for name, value in own.values if name not in NOT_DRY]
    terms += [robot.link(j).FS] if j <= robot.NL else []  # a cut joint has no link
    return not own.smooth and any(not value.is_zero for value in terms)


def _need_joints(robot: Robot, what: str) -> None:
    """Raise an error for a robot that is not simulated by its joints."""
    if robot.transmission is not None:
        raise InputError(f"{what}: {robot.name} has a transmission: pass robot.in_joints()")
    if robot.modules:
        raise InputError(f"{what}: {robot.name} has a platform: pass robot.to_closed(), the same robot with loops")


def _joint(robot: Robot, given: Any, what: str) -> int:
    """The number of a joint, given by number, name or variable."""
    joints = robot.tree_joints
    if given in joints and not isinstance(given, bool):
        return int(given)
    if isinstance(given, str):
        for j, name in zip(joints, robot.joint_names, strict=True):
            if given in (name, robot.variable(j)):
                return j
    raise InputError(f"{what}: {given!r} is no joint: expected one of {', '.join(map(str, joints))}")


def geared(robot: Robot, actuators: Mapping[Any, Actuator]) -> tuple[Robot, dict[int, Actuator]]:
    """The robot with rotors, friction and masses of its motors, and the motors by the numbers of their joints."""
    _need_joints(robot, "actuators")
    motors = {_joint(robot, given, "actuators"): motor for given, motor in actuators.items()}
    for j, motor in motors.items():
        if not isinstance(motor, Actuator):
            raise InputError(f"actuators: expected an Actuator for joint {j}, found {motor!r}")
    return with_motors(robot, motors), motors


def efforts_of(
    robot: Robot, actuators: Mapping[int, Actuator] | bool | None, stops: Any, disturbed: bool, step: float
) -> Hardware:
    """Limits of motors (by joint, or those of the description), stops, and whether other efforts act."""
    torque: dict[int, float] = {}
    speed: dict[int, float] = {}
    if isinstance(actuators, Mapping):
        for j, motor in actuators.items():
            n = abs(motor.number("ratio", j))
            torque[j] = n * motor.number("largest", j)
            if motor.speed is not None:
                speed[j] = motor.number("speed", j) / n
    elif actuators is True:
        for j, limits in _described(robot, "actuators"):
            if limits.effort is not None:
                torque[j] = limits.effort
                if limits.velocity:
                    speed[j] = limits.velocity
        if not torque:
            raise InputError(f"actuators: the description of {robot.name} has no limit of an effort")
    elif actuators not in (None, False):
        raise InputError(f"actuators: expected {{joint: Actuator}} or True, found {actuators!r}")
    return Hardware(tuple(torque.items()), tuple(speed.items()), tuple(_stops(robot, stops, step).items()), disturbed)


def _described(robot: Robot, what: str) -> list[tuple[int, Limits]]:
    _need_joints(robot, what)
    return [(j, robot.joint(j).limits) for j in robot.tree_joints]


def _stops(robot: Robot, stops: Any, step: float) -> dict[int, Stop]:
    if stops in (None, False):
        return {}
    if robot.constrained or robot.modules or robot.transmission is not None:
        raise InputError("stops: expected a serial robot or a tree, simulated by its joints")
    if stops is True:
        ends = {j: (limits.lower, limits.upper) for j, limits in _described(robot, "stops")}
        ends = {j: pair for j, pair in ends.items() if pair != (None, None)}
        if not ends:
            raise InputError(f"stops: the description of {robot.name} has no limit of a position")
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
    """What each joint feels of the inertia, the others held, where all joints are at zero."""
    model = inertia_matrix(robot, structure="tree")
    if "parameters" in model.inputs:
        raise InputError(f"stops: no value is given for {', '.join(model.inputs['parameters'][:8])}")
    A = model.compile()(**{group: np.zeros(len(names)) for group, names in model.inputs.items()})
    return dict(zip(robot.tree_joints, np.diag(A), strict=True))
