"""The power identification model: the derivative of the energy model by time (guide 3.113)."""

from __future__ import annotations

from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.dynamics.newton_euler import LinkMotion, outward
from robosym.mechanism import Robot
from robosym.mechanism.motion import Velocities
from robosym.parameters.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.parameters.dynamic_identification import unit_wrench
from robosym.parameters.platform_identification import platform_power
from robosym.spatial.inertia import RigidInertia

__all__ = ["power_identification"]

_INPUTS = ("q", "qd", "qdd", "gravity", "parameters")


@accepts("fixed", platform="base_parameters modes", variants={"platform": platform_power})
def power_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: str | None = None,
    friction: bool | None = None,
    offset: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """The row "dh" (DHXX1 ..): qd . tau = dh K. Arguments as for `dynamic_identification`.

    `modes` numbers the branches of the legs of a platform.
    """
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    setting = joint_motion(robot, _INPUTS, structure)
    with setting.work as work:
        motion, velocities = outward(setting.tree(), work.note), setting.velocities
        row = tuple(f"DH{c.name}" for c in columns)
        for name, column in zip(row, columns, strict=True):
            work.define(name, _power(setting, motion, velocities, column))
        return finish(work, "pim", "Power identification model", {"dh": (row,)}, columns, ["power"])


def _power(setting: JointMotion, motion: LinkMotion, velocities: Velocities, column: Column) -> Any:
    """Of what moves a link whose only parameter is this one, of value 1; gravity is in the acceleration."""
    j, field = column.place
    if column.of_joint:
        return setting.rate(j) * unit_effort(setting, column.place)
    w, v = velocities.w[j], velocities.v[j]
    if field in ("M", "MX", "MY", "MZ"):
        force, moment = unit_wrench(motion, j, field)
        return force.dot(v) + moment.dot(w)
    return w.dot(RigidInertia(**{field: 1}).J @ motion.wp[j])  # w . (w x J w) is zero
