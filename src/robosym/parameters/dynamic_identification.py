"""The dynamic identification model: torques as a matrix times the parameters (guide 3.6.3.1, 5.8.3).

A column is Newton-Euler for a robot that has one parameter alone, of value 1 (3.107, 3.108).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import joint_motion
from robosym.dynamics.arguments import BASE_WRENCH
from robosym.dynamics.composite import to_antecedent
from robosym.dynamics.newton_euler import LinkMotion, link_wrench, outward
from robosym.mechanism import Robot, with_given_motion
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.model import Note, Origin, Workspace
from robosym.parameters.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.parameters.platform_identification import platform_dynamic
from robosym.parameters.wrench_path import along_joints, path_to_base
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["dynamic_identification", "dynamic_matrix", "unit_wrench"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "gravity", "parameters")


@accepts("floating", motors=True, platform="base_parameters modes", variants={"platform": platform_dynamic})
def dynamic_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: str | None = None,
    friction: bool | None = None,
    offset: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """The matrix "D", a row for each joint and a column for each parameter (DG4XX6): tau = D K.

    `friction` adds FVj and FSj for every joint (True) or none; by default those of the description. `offset` adds
    constant torques OFFj. The parameters are in `columns`. D is triangular by blocks: a joint before which a link does
    not stand feels nothing of it, and those entries are zero. A floating base, whose motion is given here, adds six
    rows before the others: moment, then force on the base in frame 0, which are zero where nothing holds it. An elastic
    joint has its row too: the torque of its spring.
    `modes` numbers the branches of the legs of a platform.
    """
    if structure == "tree":
        robot = with_given_motion(robot)
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    return dynamic_matrix(robot, columns, structure)


def dynamic_matrix(
    robot: Robot, columns: list[Column], structure: str | None, motion_of: Callable[[Tree, Note], LinkMotion] = outward
) -> IdentificationModel:
    """D of chosen columns; `motion_of` is the recursion that gives the motion of the links."""
    base_free = robot.base.kind == "floating" and structure is None
    setting = joint_motion(with_given_motion(robot), _INPUTS, structure)
    with setting.work as work:
        tree = setting.tree()
        motion = motion_of(tree, work.note)
        paths = {
            j: path_to_base(robot, j, work.value) for j in dict.fromkeys(c.link for c in columns if not c.of_joint)
        }

        def felt(column: Column) -> dict[int, Scalar]:
            """{joint: effort for a unit of the parameter}; joints not listed feel nothing."""
            j, field = column.place
            if column.of_joint:
                return {j: unit_effort(setting, column.place)}
            return dict(along_joints(paths[j], *unit_wrench(motion, j, field)))

        rows = [setting.project(efforts) for efforts in [felt(column) for column in columns]]
        layout = tuple(tuple(f"DG{j}{column.name}" for column in columns) for j in setting.active)
        for j, names in zip(setting.active, layout, strict=True):
            for name, row in zip(names, rows, strict=True):
                work.define(name, row.get(j, 0))
        felt_by = [f"GAM{j}" for j in setting.active]
        if base_free:
            felt_by = [*BASE_WRENCH, *felt_by]
            layout = (*_base_rows(work, tree, motion, columns), *layout)
        made = Origin(dynamic_matrix, robot, {"columns": columns, "structure": structure})
        return finish(work, "dim", "Dynamic identification model", {"D": layout}, columns, felt_by, made)


def _base_rows(work: Workspace, tree: Tree, motion: LinkMotion, columns: list[Column]) -> tuple[tuple[str, ...], ...]:
    """What a unit of each parameter exerts on the base: names of moment, then force."""
    layout = tuple(tuple(f"D{row}{column.name}" for column in columns) for row in BASE_WRENCH)
    for k, column in enumerate(columns):
        force, moment, j = Vec3(0, 0, 0), Vec3(0, 0, 0), column.link
        if not column.of_joint:
            force, moment = unit_wrench(motion, j, column.place[1])
            while j:
                force, moment = to_antecedent(tree.body(j), force, moment)
                j = tree.body(j).ant
        for names, value in zip(layout, (*moment, *force), strict=True):
            work.define(names[k], value)
    return layout


def unit_wrench(motion: LinkMotion, j: int, field: str) -> tuple[Vec3, Vec3]:
    """Force and moment that move link j if its only parameter is `field`, of value 1 (4.5, 4.6)."""
    dv, wp = products(motion.w[j]), motion.wp[j]
    return link_wrench(RigidInertia(**{field: 1}), dv, u_matrix(dv, wp), wp, motion.vp[j], j)
