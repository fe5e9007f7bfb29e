"""The filtered dynamic identification model: no accelerations, tau = (d/dt D1 + D2) K (guide 3.6.3.3, appendix 4.5)."""

from __future__ import annotations

from typing import Any

from robosym.algebra import Graph
from robosym.description import Robot, need_fixed_base
from robosym.identification.columns import Column, IdentificationModel, choose_columns, finish
from robosym.identification.joint_space import JointSpace
from robosym.identification.momentum import Derivatives, derivative_columns, screws
from robosym.parameters.freedom import felt_without_weight, motions
from robosym.spatial import sign
from robosym.tree.zero import frame_places

__all__ = ["filtered_identification"]

_INPUTS = ("q", "qd", "gravity", "parameters")


def filtered_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: str | None = None,
    friction: bool | None = None,
    offset: bool = False,
) -> IdentificationModel:
    """The matrices "D1" (DEP1XX1 ..) and "D2" (DLQ1XX1 ..): tau = (d/dt D1 + D2) K, and so for filtered signals.

    D1 K are the derivatives of the kinetic energy by the velocities of the joints, D2 K those of U - E by the positions
    plus friction. Arguments as for `dynamic_identification`.
    """
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    need_fixed_base(robot, "the filtered model needs")
    setting = JointSpace(robot, _INPUTS, structure)
    with setting.work as work:
        hinge, velocities = setting.hinges, setting.velocities
        places = [c.place for c in columns if not c.of_joint]
        before = screws(hinge, velocities)
        following = iter(derivative_columns(velocities, setting.weight, before, places, weightless(robot)))
        joints = setting.joints
        first = tuple(tuple(f"DEP{j}{c.name}" for c in columns) for j in joints)
        second = tuple(tuple(f"DLQ{j}{c.name}" for c in columns) for j in joints)
        for n, column in enumerate(columns):
            entries = _of_joint(column, hinge[column.link].qd) if column.of_joint else next(following)
            momentum = setting.project(entries.by_velocity)
            slope, turning = setting.project(entries.by_position), setting.project_rate(entries.by_velocity)
            for row, j in enumerate(joints):
                work.define(first[row][n], momentum.get(j, 0))
                work.define(second[row][n], slope.get(j, 0) - turning.get(j, 0))
        title, rows = "Filtered dynamic identification model", [f"GAM{j}" for j in joints]
        return finish(work, "fdi", title, {"D1": first, "D2": second}, columns, rows)


def _of_joint(column: Column, qd: Any) -> Derivatives:
    """Of a parameter that only its joint feels."""
    one, two = {"IA": (qd, 0), "FV": (0, qd), "FS": (0, sign(qd)), "OFF": (0, 1)}[column.field]
    return Derivatives({column.link: one}, {column.link: two})


def weightless(robot: Robot) -> set[int]:
    """The joints of the tree that gravity never acts on, whatever the parameters."""
    places, gravity = frame_places(robot, Graph())
    known = motions(robot, places)
    return {j for j in robot.tree_joints if felt_without_weight(known[j], places[j].joint, gravity)}
