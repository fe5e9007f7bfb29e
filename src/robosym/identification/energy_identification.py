"""The energy identification model: the work of the motors as a row times the parameters (guide 3.6.3.2, 5.8.2)."""

from __future__ import annotations

from typing import Any

from robosym.description import Robot, dispatched, need_fixed_base
from robosym.identification.columns import IdentificationModel, choose_columns, finish, joint_effort
from robosym.identification.joint_space import JointSpace
from robosym.parameters.energy_functions import energy_functions

__all__ = ["energy_identification"]

_INPUTS = ("q", "qd", "gravity", "parameters")


@dispatched
def energy_identification(
    robot: Robot, base_parameters: bool = False, structure: str | None = None, friction: bool = False
) -> IdentificationModel:
    """The row "h" (HXX1 ..): between two times the work of the motors is the difference of h K.

    With `friction` a second row "p": the power that FVj and FSj take, to be integrated over the motion.
    """
    inertial = choose_columns(robot, base_parameters, structure, False, False)
    need_fixed_base(robot, "the energy model needs")
    setting = JointSpace(robot, _INPUTS, structure)
    with setting.work as work:
        hinge = setting.hinges
        values = energy_functions(hinge, setting.velocities, setting.weight, [c.place for c in inertial])
        row = tuple(f"H{c.name}" for c in inertial)
        for name, value in zip(row, values, strict=True):
            work.define(name, value)
        outputs: dict[str, Any] = {"h": (row,)}
        if friction:
            taken = {
                f"P{field}{j}": hinge[j].qd * joint_effort(work, (j, field), hinge[j].qd)
                for j in robot.tree_joints
                for field in ("FV", "FS")
            }
            outputs["p"] = (tuple(taken),)
            for name, value in taken.items():
                work.define(name, value)
        return finish(work, "eim", "Energy identification model", outputs, inertial, ["H"])
