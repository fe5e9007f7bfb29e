"""The energy identification model: the work of the motors as a row times the parameters (guide 3.6.3.2, 5.8.2)."""

from __future__ import annotations

from typing import Any

from robosym.errors import InputError
from robosym.identification.columns import IdentificationModel, choose_columns, finish
from robosym.identification.energy_functions import energy_functions, weight_pass
from robosym.identification.setting import Setting
from robosym.kinematics.motion import AT_REST, velocity_pass
from robosym.robot import Robot
from robosym.spatial import Vec3, sign

__all__ = ["energy_identification"]

_INPUTS = ("q", "qd", "gravity", "parameters")


def energy_identification(
    robot: Robot, base_parameters: bool = False, structure: str | None = None, friction: bool = False
) -> IdentificationModel:
    """The row "h" (HXX1 ..): between two times the work of the motors is the difference of h K.

    With `friction` a second row "p": the power that FVj and FSj take, to be integrated over the motion.
    """
    inertial = choose_columns(robot, base_parameters, structure, False, False)
    if robot.base.kind != "fixed":
        raise InputError(f"{robot.name} has a {robot.base.kind} base: the energy model needs a fixed one")
    setting = Setting(robot, _INPUTS, structure)
    with setting.work as work:
        hinge = setting.hinges()
        velocities = velocity_pass(hinge, AT_REST, work.note)
        weight = weight_pass(hinge, Vec3(*map(work.value, robot.gravity)), work.note)
        values = energy_functions(hinge, velocities, weight, [c.place for c in inertial])
        row = tuple(f"H{c.name}" for c in inertial)
        for name, value in zip(row, values, strict=True):
            work.define(name, value)
        outputs: dict[str, Any] = {"h": (row,)}
        if friction:
            outputs["p"] = (tuple(f"P{field}{j}" for j in robot.tree_joints for field in ("FV", "FS")),)
            for j in robot.tree_joints:
                work.define(f"PFV{j}", hinge[j].qd * hinge[j].qd)
                work.define(f"PFS{j}", hinge[j].qd * sign(hinge[j].qd))
        return finish(work, "eim", "Energy identification model", outputs, inertial, ["H"])
