"""The energy identification model: the work of the motors as a row times the parameters (guide 3.6.3.2, 5.8.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.dynamics.energy import energy_functions
from robosym.mechanism import Robot
from robosym.model import Origin
from robosym.parameters.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.parameters.platform_identification import platform_energy
from robosym.parameters.standard import LinkField
from robosym.spatial import Scalar

__all__ = ["energy_identification", "energy_row"]

_INPUTS = ("q", "qd", "gravity", "parameters")
Functions = Callable[[JointMotion, Sequence[LinkField]], Sequence[Scalar]]


@accepts("fixed", platform="base_parameters modes", variants={"platform": platform_energy})
def energy_identification(
    robot: Robot, base_parameters: bool = False, structure: str | None = None, friction: bool = False, modes: Any = None
) -> IdentificationModel:
    """The row "h" (HXX1 ..): between two times the work of the motors is the difference of h K.

    With `friction` a second row "p": the power that FVj and FSj take, to be integrated over the motion.
    `modes` numbers the branches of the legs of a platform.
    """
    columns = choose_columns(robot, base_parameters, structure, False, False)
    return energy_row(robot, columns, structure, friction)


def _functions(setting: JointMotion, places: Sequence[LinkField]) -> Sequence[Scalar]:
    """Equations 3.72 to 3.74."""
    return energy_functions(setting.hinges, setting.velocities, setting.weight, places)


def energy_row(
    robot: Robot, columns: list[Column], structure: str | None, friction: bool, functions: Functions = _functions
) -> IdentificationModel:
    """The row of chosen columns; `functions` gives what the parameters at some places are multiplied by."""
    setting = joint_motion(robot, _INPUTS, structure)
    with setting.work as work:
        values = functions(setting, [c.place for c in columns])
        row = tuple(f"H{c.name}" for c in columns)
        for name, value in zip(row, values, strict=True):
            work.define(name, value)
        outputs: dict[str, Any] = {"h": (row,)}
        if friction:
            taken = {
                f"P{field}{j}": setting.rate(j) * unit_effort(setting, (j, field), accelerated=False)
                for j in (*robot.tree_joints, *setting.across)
                for field in ("FV", "FS")
            }
            outputs["p"] = (tuple(taken),)
            for name, value in taken.items():
                work.define(name, value)
        options = {"columns": columns, "structure": structure, "friction": friction}
        made = Origin(energy_row, robot, options)
        return finish(work, "eim", "Energy identification model", outputs, columns, ["H"], made)
