"""Solutions of poses, motors and platforms as tables of numbers with remarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from robosym.algebra.arrays import Array
from robosym.chains.numeric_chain import Solutions
from robosym.coordinates.platform_poses import LegEnds
from robosym.mechanism import Robot
from robosym.runtime.evaluation import Numbers

__all__ = ["motor_table", "motors_at_poses", "pose_table", "solution_table"]

_SAME = 1e-9  #: entries of a rotation that differ by less are the same
_HEAD = ("R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33", "PX", "PY", "PZ")


def solution_table(
    found: Sequence[Solutions], joints: Sequence[str], with_modes: bool = False, positions: bool = False
) -> Numbers:
    """Return the solutions of several poses: one row per solution, with the number of its pose.

    Parameters
    ----------
    found
        Solutions of each pose.
    joints
        Names of the columns.
    with_modes
        Show the assembly mode of each row even if it is always that of the reference.
    positions
        Whether positions without an orientation were solved, which a remark mentions.

    Returns
    -------
    Numbers
        The table, with remarks about poses without solutions and near singularities.
    """
    named = any(any(solutions.modes) or (with_modes and solutions.modes) for solutions in found)
    table = [
        [number, *([solutions.modes[place]] if named else []), *row]
        for number, solutions in enumerate(found, 1)
        for place, row in enumerate(np.asarray(solutions))
    ]
    remarks = [f"pose {n}: no solution" for n, solutions in enumerate(found, 1) if not len(solutions)]
    for n, solutions in enumerate(found, 1):
        free = sorted({name for names in solutions.free for name in names})
        remarks += [f"pose {n} is singular: {', '.join(free)} free, put to 0"] if free else []
        if solutions.complete is False:
            remarks.append(f"pose {n} is nearly singular: solutions may be missing")
    if positions:
        remarks.append("positions alone are solved, --given P; x,y,z,roll,pitch,yaw gives an orientation as well")
    names = ("pose", *(["mode"] if named else []), *joints)
    return Numbers(names, np.array(table).reshape(-1, len(names)), tuple(remarks))


def motors_at_poses(geometry: Any, found: Array) -> Numbers:
    """Return the motors of a platform at several poses, one row per pose."""
    rows = np.atleast_2d(found)
    return Numbers(("pose", *geometry.outputs["q"]), np.column_stack([np.arange(1, len(rows) + 1), rows]))


def _row_text(row: Sequence[float] | Array) -> str:
    return ", ".join(f"{float(x):.12g}" for x in row)


def pose_table(poses: Array, report: str = "") -> Numbers:
    """Return poses of a platform, R row by row and P; `report` heads the text of several poses."""
    rows = np.atleast_2d(poses)
    head = [f"# {report}", f"# {' '.join(_HEAD)}"] if report else []
    return Numbers(_HEAD, rows, shown="\n".join([*head, *map(_row_text, rows)]))


def motor_table(robot: Robot, geometry: Any, pose: Array, found: Array, passive: bool, follows: bool) -> Numbers:
    """Return the motors, or with `passive` all joints of the legs, at a pose of the platform.

    The text also shows the pose if some of its coordinates follow from the legs (`follows`), and joints beyond their
    limits.
    """
    names = [robot.variable(j) for j in robot.tree_joints] if passive else robot.motor_names
    lines = []
    if follows and robot.reference is not None and bool(abs(pose - robot.reference.pose)[:9].max() > _SAME):
        lines.append(f"# pose: {_row_text(pose.round(12) + 0.0)}")
    lines += [f"{name} = {float(value):.12g}" for name, value in zip(names, found, strict=True)]
    return Numbers(tuple(names), [found], shown="\n".join(lines + _beyond_limits(robot, geometry, pose)))


def _beyond_limits(robot: Robot, geometry: Any, row: Array) -> list[str]:
    """Return a remark for each joint that is beyond its limits in a pose."""
    joints, ends = geometry.solve(row, passive=True), LegEnds(robot)
    remarks = []
    for j, value in zip(robot.tree_joints, joints, strict=True):
        limits = robot.joint(j).limits
        if not ends.joint_within_limits(j, joints[None, robot.tree_joints.index(j)])[0]:
            bounds = f"[{limits.lower}, {limits.upper}]"
            remarks.append(f"# beyond its limits {bounds}: {robot.variable(j)} = {float(value):.6g}")
    return remarks
