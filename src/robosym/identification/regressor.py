"""The torques as a matrix times the parameters: one column of Newton-Euler for each (guide 3.107, 3.108)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from robosym.algebra import Expr
from robosym.description import Robot
from robosym.dynamics.newton_euler import LinkMotion, link_wrench, outward
from robosym.identification.wrench_path import along_joints, path_to_base
from robosym.model import Note, no_name
from robosym.spatial import Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.tree.bodies import Tree
from robosym.tree.motion import products, u_matrix

__all__ = ["regressor", "unit_wrench"]


def unit_wrench(motion: LinkMotion, j: int, field: str) -> tuple[Vec3, Vec3]:
    """Force and moment that move link j if its only parameter is `field`, of value 1 (4.5, 4.6)."""
    dv, wp = products(motion.w[j]), motion.wp[j]
    return link_wrench(RigidInertia(**{field: 1}), dv, u_matrix(dv, wp), wp, motion.vp[j], j)


def regressor(
    robot: Robot,
    tree: Tree,
    columns: Sequence[tuple[int, str]],
    value: Callable[[Expr], Any],
    note: Note = no_name,
) -> list[dict[int, Any]]:
    """For each column (link, field): {joint: torque per unit of the parameter}; joints not listed feel nothing."""
    motion = outward(tree, note)
    paths = {j: path_to_base(robot, j, value) for j in dict.fromkeys(j for j, _ in columns)}

    def column(j: int, field: str) -> dict[int, Any]:
        if field == "IA":
            return {j: tree.body(j).qdd}
        return dict(along_joints(paths[j], *unit_wrench(motion, j, field)))

    return [column(j, field) for j, field in columns]
