"""Centrifugal, Coriolis and gravity torques H, gravity torques Q, and friction torques (guide 3.6.1, 5.7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

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
    robot: Robot, structure: Literal["tree"] | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, friction: bool | str = True,
    space: Literal["platform", "joint"] = "platform", modes: Any = None,
) -> Model:  # fmt: skip
    """Return H1.. of tau = A qdd + H: the torques at zero acceleration, with gravity, friction and wrenches.

    For a closed robot, H contains the motor torques. A floating base adds the group "base": moment, then force on it in
    frame 0. For an elastic joint of a tree, H has an entry too; its tau is the torque of the spring. For a robot with a
    platform, H is expressed along the free coordinates of the platform's twist, or of its motors.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.
    friction : bool or "smooth", optional
        Whether the model includes friction; `smooth` replaces the sign of each velocity by tanh(qd / 0.01).
    space : {"platform", "joint"}, optional
        Coordinates of a parallel robot: `platform` or `joint`.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    Model
        Model with the output group "H" (N m, N), and "base" for a floating base.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.bias_torques(rs.load("planar2r"))
    >>> model.compile()(q=[0, 0], qd=[0, 0]).round(3)
    array([19.62 ,  4.905])
    """
    robot = prepared(robot, structure, base_parameters, reference, friction)
    return bias_of(robot, structure, base_parameters, modes=modes, space=space)


def bias_of(robot: Robot, structure: str | None = None, reduced: bool = False, **others: Any) -> Model:
    """Return the model of a robot with chosen parameters; `others`: modes and space of platforms, another recursion."""
    equations = equations_of(robot, BIAS, structure, **others)
    with equations.work as work:
        outputs: dict[str, Layout] = {"H": work.vector("H", equations.bias()), **equations.base_bias()}
        title = "Centrifugal, Coriolis and gravity torques"
        about = {"H": "centrifugal, Coriolis and gravity forces along {} (N, N m)"}
        return equations.model("ccg", title, _METHOD, outputs, equations.origin(bias_of, {}, reduced), about)


@accepts("floating", motors=True)
def gravity_torques(
    robot: Robot, structure: Literal["tree"] | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Return Q1..: the torques that hold the robot at rest against gravity.

    A floating base adds the group "base": moment, then force that hold it, in frame 0. For an elastic joint, Q is the
    torque of its spring.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.

    Returns
    -------
    Model
        Model with the output group "Q" (N m, N), and "base" for a floating base.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.gravity_torques("planar2r")
    >>> model.outputs
    {'Q': ('Q1', 'Q2')}
    """
    robot = prepared(robot, structure, base_parameters, reference)
    return gravity_of(robot, structure)


def gravity_of(robot: Robot, structure: str | None = None, **others: Any) -> Model:
    """Return the model of a robot with chosen parameters; `others`: another recursion."""
    equations = equations_of(robot, ("q", "gravity", "parameters"), structure, **others)
    with equations.work:
        made = equations.origin(gravity_of, {})
        return equations.model("grav", "Gravity torques", _METHOD, equations.gravity(), made)


@accepts("floating", motors=True)
def friction_torques(robot: Robot) -> Model | None:
    """Return the motor torques FRICj against friction at the velocities qd.

    Return None if they are not functions of position and velocity only, because friction depends on load or several
    motors share it.
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
