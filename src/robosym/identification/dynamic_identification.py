"""The dynamic identification model: torques as a matrix times the parameters (guide 3.6.3.1, 5.8.3)."""

from __future__ import annotations

from typing import Any

from robosym.description import Robot
from robosym.identification.columns import Column, IdentificationModel, choose_columns, finish
from robosym.identification.joint_space import JointSpace
from robosym.identification.regressor import regressor
from robosym.spatial import sign
from robosym.tree.bodies import Tree

__all__ = ["dynamic_identification", "joint_entry"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "gravity", "parameters")


def dynamic_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: str | None = None,
    friction: bool | None = None,
    offset: bool = False,
) -> IdentificationModel:
    """The matrix "D", a row for each joint and a column for each parameter (DG4XX6): tau = D K.

    `friction` adds FVj and FSj for every joint (True) or none; by default those of the description. `offset` adds
    constant torques OFFj. The parameters are in `columns`. D is triangular by blocks: a joint before which a link does
    not stand feels nothing of it, and those entries are zero.
    """
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    setting = JointSpace(robot, _INPUTS, structure)
    with setting.work as work:
        tree = setting.tree()
        inertial = regressor(robot, tree, [c.place for c in columns if not c.of_joint], work.value, work.note)
        following = iter(inertial)
        entries = [{c.link: joint_entry(tree, c)} if c.of_joint else next(following) for c in columns]
        rows = [setting.project(column) for column in entries]
        layout = tuple(tuple(f"DG{j}{column.name}" for column in columns) for j in setting.joints)
        for j, names in zip(setting.joints, layout, strict=True):
            for name, row in zip(names, rows, strict=True):
                work.define(name, row.get(j, 0))
        title = "Dynamic identification model"
        return finish(work, "dim", title, {"D": layout}, columns, [f"GAM{j}" for j in setting.joints])


def joint_entry(tree: Tree, column: Column) -> Any:
    """What multiplies a parameter that only its joint feels."""
    body = tree.body(column.link)
    return {"IA": body.qdd, "FV": body.qd, "FS": sign(body.qd), "OFF": 1}[column.field]
