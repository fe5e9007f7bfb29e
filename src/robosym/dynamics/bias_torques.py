"""Centrifugal, Coriolis and gravity torques H, the gravity torques Q alone, and friction (guide 3.6.1, 5.7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import joint_motion
from robosym.dynamics.arguments import prepared
from robosym.dynamics.equations_of_motion import BIAS, equations_of
from robosym.mechanism import Robot
from robosym.model import Layout, Model

__all__ = ["bias_of", "bias_torques", "friction_torques", "gravity_of", "gravity_torques"]

_METHOD = "Newton-Euler method"


@accepts(
    "floating", motors=True, platform="base_parameters space modes friction", modules="base_parameters modes friction"
)
def bias_torques(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, friction: bool | str = True, space: str = "platform",
    modes: Any = None,
) -> Model:  # fmt: skip
    """H1.. of tau = A qdd + H: the torques at zero acceleration, with gravity, friction and wrenches.

    A closed robot gives H over its motors. A floating base adds the group "base": moment, then force on it in frame 0.
    An elastic joint of a tree has its H too: tau is there the torque of its spring. Of a robot with a platform H is
    that along the free coordinates of the platform's twist, or of its motors (`space="joint"`).
    """
    robot = prepared(robot, structure, base_parameters, reference, friction)
    return bias_of(robot, structure, base_parameters, modes=modes, space=space)


def bias_of(robot: Robot, structure: str | None = None, reduced: bool = False, **others: Any) -> Model:
    """The model of a robot whose parameters are chosen; `others`: modes and space of platforms, another recursion."""
    equations = equations_of(robot, BIAS, structure, **others)
    with equations.work as work:
        outputs: dict[str, Layout] = {"H": work.vector("H", equations.bias()), **equations.base_bias()}
        title = "Centrifugal, Coriolis and gravity torques"
        about = {"H": "centrifugal, Coriolis and gravity forces along {} (N, N m)"}
        return equations.model("ccg", title, _METHOD, outputs, equations.origin(bias_of, {}, reduced), about)


@accepts("floating", motors=True)
def gravity_torques(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Q1..: the torques that hold the robot at rest against gravity alone.

    A floating base adds the group "base": moment, then force that hold it, in frame 0. An elastic joint has its Q too,
    which its spring must exert.
    """
    robot = prepared(robot, structure, base_parameters, reference)
    return gravity_of(robot, structure)


def gravity_of(robot: Robot, structure: str | None = None, **others: Any) -> Model:
    """The model of a robot whose parameters are chosen; `others`: another recursion."""
    equations = equations_of(robot, ("q", "gravity", "parameters"), structure, **others)
    with equations.work:
        made = equations.origin(gravity_of, {})
        return equations.model("grav", "Gravity torques", _METHOD, equations.gravity(), made)


@accepts("floating", motors=True)
def friction_torques(robot: Robot) -> Model | None:
    """Return the torques FRICj of the motors against friction at the velocities qd.

    None where they are no function of position and velocity alone: friction under load, or motors that share it.
    """
    if any(name == "FL" for joint in robot.joints for name, _ in joint.friction.values):
        return None
    motion = joint_motion(robot, ("q", "qd", "parameters"))
    if not motion.motors_are_active:
        return None
    with motion.work as work:
        torques = motion.friction(motion.tree({}))
        outputs = {"friction": work.vector("FRIC", {j: work.graph.zero + x for j, x in torques.items()})}
        about = {"friction": "torques of the motors against friction (N m, N)"}
        return work.model("fri", "Friction torques", outputs, about=about)
