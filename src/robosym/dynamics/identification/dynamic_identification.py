"""Dynamic identification model: torques as a matrix times the parameters (guide 3.6.3.1, 5.8.3).

A column is the Newton-Euler algorithm for a robot with a single nonzero parameter of value 1 (3.107, 3.108).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from robosym.coordinates.accepts import accepts
from robosym.coordinates.joint_motion import joint_motion
from robosym.dynamics.arguments import BASE_WRENCH
from robosym.dynamics.composite import to_antecedent
from robosym.dynamics.identification.columns import Column, IdentificationModel, choose_columns, finish, unit_effort
from robosym.dynamics.identification.platform_identification import platform_dynamic
from robosym.dynamics.identification.wrench_path import along_joints, path_to_base
from robosym.dynamics.newton_euler import LinkMotion, link_wrench, outward
from robosym.mechanism import Robot, with_given_motion
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.model import Note, Origin, Workspace
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["dynamic_identification", "dynamic_matrix", "unit_wrench"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "gravity", "parameters")


@accepts("floating", motors=True, platform="base_parameters modes", variants={"platform": platform_dynamic})
def dynamic_identification(
    robot: Robot,
    base_parameters: bool = False,
    structure: Literal["tree"] | None = None,
    friction: bool | None = None,
    offset: bool = False,
    modes: Any = None,
) -> IdentificationModel:
    """Return the matrix "D", one row per joint and one column per parameter (DG4XX6): tau = D K.

    The parameters are in `columns`. D is block triangular: the entries of joints that do not carry a link are zero. A
    floating base, whose motion is given here, adds six rows before the others: moment, then force on the base in
    frame 0, which are zero in free flight. An elastic joint has its row too: the torque of its spring.

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
        Model with the output group "D"; its columns are in `columns`.

    Raises
    ------
    InputError
        If the robot is not supported, or has no parameters to identify.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.dynamic_identification("planar2r", base_parameters=True)
    >>> model.columns
    ('ZZ1R', 'MX1R', 'MY1', 'ZZ2', 'MX2', 'MY2')
    """
    if structure == "tree":
        robot = with_given_motion(robot)
    columns = choose_columns(robot, base_parameters, structure, friction, offset)
    return dynamic_matrix(robot, columns, structure)


def dynamic_matrix(
    robot: Robot, columns: list[Column], structure: str | None, motion_of: Callable[[Tree, Note], LinkMotion] = outward
) -> IdentificationModel:
    """Return D of chosen columns; `motion_of` is the recursion for the motion of the links."""
    base_free = robot.base.kind == "floating" and structure is None
    setting = joint_motion(with_given_motion(robot), _INPUTS, structure)
    with setting.work as work:
        tree = setting.tree()
        motion = motion_of(tree, work.note)
        paths = {
            j: path_to_base(robot, j, work.value) for j in dict.fromkeys(c.link for c in columns if not c.of_joint)
        }

        def unit_efforts(column: Column) -> dict[int, Scalar]:
            """Return {joint: effort per unit of the parameter}; other efforts are zero."""
            j, field = column.place
            if column.of_joint:
                return {j: unit_effort(setting, column.place)}
            return dict(along_joints(paths[j], *unit_wrench(motion, j, field)))

        rows = [setting.project(efforts) for efforts in [unit_efforts(column) for column in columns]]
        layout = tuple(tuple(f"DG{j}{column.name}" for column in columns) for j in setting.active)
        for j, names in zip(setting.active, layout, strict=True):
            for name, row in zip(names, rows, strict=True):
                work.define(name, row.get(j, 0))
        rows_of = [f"GAM{j}" for j in setting.active]
        if base_free:
            rows_of = [*BASE_WRENCH, *rows_of]
            layout = (*_base_rows(work, tree, motion, columns), *layout)
        made = Origin(dynamic_matrix, robot, {"columns": columns, "structure": structure})
        return finish(work, "dim", "Dynamic identification model", {"D": layout}, columns, rows_of, made)


def _base_rows(work: Workspace, tree: Tree, motion: LinkMotion, columns: list[Column]) -> tuple[tuple[str, ...], ...]:
    """Return the names of moment, then force on the base per unit of each parameter."""
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
    """Return the wrench of the motion of link j if its only parameter is `field`, of value 1 (4.5, 4.6)."""
    dv, wp = products(motion.w[j]), motion.wp[j]
    return link_wrench(RigidInertia(**{field: 1}), dv, u_matrix(dv, wp), wp, motion.vp[j], j)
