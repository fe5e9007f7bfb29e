"""Energy identification model: the work of the motors as a row times the parameters (guide 3.6.3.2, 5.8.2).

The energy of a robot on a floating base depends on the height of the base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from robosym.algebra import Expr
from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.dynamics.identification.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.dynamics.identification.platform_identification import platform_energy
from robosym.errors import InputError
from robosym.mechanism import Robot, with_given_motion
from robosym.model import Origin, Workspace
from robosym.parameters.standard import LinkField, energy_functions
from robosym.spatial import Scalar, Vec3

__all__ = ["energy_identification", "energy_row"]

_INPUTS = ("q", "qd", "base_velocity", "gravity", "parameters")
_HEIGHT = "HB0"
Functions = Callable[[JointMotion, Sequence[LinkField]], Sequence[Scalar]]


@accepts("floating", platform="base_parameters modes", variants={"platform": platform_energy})
def energy_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: Literal["tree"] | None = None,
    friction: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """Return the row "h" (HXX1 ..): the difference of h K between two times is the work of the motors.

    On a floating base, h K is the total energy, and the height of the base is an input (`base_height`). Its
    difference is the work of the motors and of external forces on the base, which are zero in free flight.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    friction : bool, optional
        Add a row "p": the power that friction (FVj, FSj) dissipates, to be integrated over the motion.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    IdentificationModel
        Model with the output group "h", and "p" with friction.

    Raises
    ------
    InputError
        If the robot is not supported, or has no parameters to identify.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.energy_identification(rs.load("planar2r").symbolic())
    >>> list(model.outputs)
    ['h']
    """
    if structure == "tree":
        robot = with_given_motion(robot)
    if robot.base.kind == "mobile":
        raise InputError(
            f"{robot.name} has a mobile base, whose motion does work in addition to the motors: energy_identification "
            "supports a fixed or floating base. Use power_identification, filtered_identification or "
            "dynamic_identification"
        )
    columns = choose_columns(robot, base_parameters, structure, False, False)
    return energy_row(robot, columns, structure, friction)


def _functions(setting: JointMotion, places: Sequence[LinkField]) -> Sequence[Scalar]:
    """Return the energy functions by equations 3.72 to 3.74."""
    return energy_functions(setting.hinges, setting.velocities, setting.weight, places)


def _potential_of_base(work: Workspace) -> Expr:
    """Return the potential of a unit mass at the origin of frame 0; the height is an input if there is gravity."""
    gravity = Vec3(*map(work.value, work.robot.gravity))
    squared: Expr = work.graph.zero + gravity.dot(gravity)
    if squared.is_zero:
        return squared
    (height,) = work.input("base_height", [_HEIGHT])
    lifted: Expr = height * work.graph.function("sqrt", squared)
    return lifted


def energy_row(
    robot: Robot, columns: list[Column], structure: str | None, friction: bool, functions: Functions = _functions
) -> IdentificationModel:
    """Return the row of chosen columns; `functions` computes the factors of the parameters at given places."""
    setting = joint_motion(robot, _INPUTS, structure)
    with setting.work as work:
        values = list(functions(setting, [c.place for c in columns]))
        if setting.base_free:
            lifted = _potential_of_base(work)
            values = [value + lifted if c.field == "M" else value for c, value in zip(columns, values, strict=True)]
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
