"""Power identification model: the time derivative of the energy model (guide 3.113)."""

from __future__ import annotations

from typing import Any, Literal

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.dynamics.identification.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.dynamics.identification.dynamic_identification import unit_wrench
from robosym.dynamics.identification.platform_identification import platform_power
from robosym.dynamics.newton_euler import LinkMotion, outward
from robosym.mechanism import Robot, with_given_motion
from robosym.mechanism.motion import AT_REST, Velocities, velocity_pass
from robosym.spatial.inertia import RigidInertia

__all__ = ["power_identification"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "gravity", "parameters")


@accepts("floating", platform="base_parameters modes", variants={"platform": platform_power})
def power_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: Literal["tree"] | None = None,
    friction: bool | None = None,
    offset: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """Return the row "dh" (DHXX1 ..): qd . tau = dh K.

    On a floating base, whose motion is given here, dh K is the power of the motors and of external forces on the base,
    [W0; V0] . [moment; force], which is zero in free flight. On a mobile base, it is the power of the motors.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    friction : bool, optional
        Whether there are columns FVj and FSj for the friction of every joint. Default: as in the description.
    offset : bool, optional
        Add a column OFFj for a constant torque of every joint.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    IdentificationModel
        Model with the output group "dh".

    Raises
    ------
    InputError
        If the robot is not supported, or has no parameters to identify.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.power_identification(rs.load("planar2r").symbolic())
    >>> list(model.outputs)
    ['dh']
    """
    if structure == "tree":
        robot = with_given_motion(robot)
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    setting = joint_motion(with_given_motion(robot), _INPUTS, structure)
    with setting.work as work:
        motion = outward(setting.tree(), work.note)
        velocities = setting.velocities
        if robot.base.kind == "mobile":  # relative velocities: the power of the base motion is excluded
            velocities = velocity_pass(setting.hinges, AT_REST)
        row = tuple(f"DH{c.name}" for c in columns)
        for name, column in zip(row, columns, strict=True):
            work.define(name, _power(setting, motion, velocities, column))
        return finish(work, "pim", "Power identification model", {"dh": (row,)}, columns, ["power"])


def _power(setting: JointMotion, motion: LinkMotion, velocities: Velocities, column: Column) -> Any:
    """Return the power of a link whose only parameter is this one, of value 1; the acceleration includes gravity."""
    j, field = column.place
    if column.of_joint:
        return setting.rate(j) * unit_effort(setting, column.place)
    w, v = velocities.w[j], velocities.v[j]
    if field in ("M", "MX", "MY", "MZ") or w is not setting.velocities.w[j]:
        force, moment = unit_wrench(motion, j, field)
        return force.dot(v) + moment.dot(w)
    return w.dot(RigidInertia(**{field: 1}).J @ motion.wp[j])  # w . (w x J w) is zero
