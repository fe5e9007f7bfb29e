"""Numeric mechanism as data for the browser: frames, joints, loops and couplings, read by kinematics.js."""

from __future__ import annotations

from typing import Any

from robosym.coordinates.numeric_robot import NumericRobot
from robosym.mechanism import GEOMETRY
from robosym.mechanism.numeric_tree import frame_geometry

__all__ = ["mechanism_data"]


def mechanism_data(numeric: NumericRobot) -> dict[str, Any]:
    """Return the geometry and the constraints of a robot as plain lists; angles in rad, lengths in m.

    Joints are those of the tree, then the cut ones; `table` holds the parameters of every frame with its joint at
    zero.
    """
    robot, gaps = numeric.robot, numeric.closing.gaps
    still = {name: 0.0 for name in robot.variables if name}
    table: list[dict[str, float]] = []
    for frame, column in zip(robot.frames, frame_geometry(robot.frames, still).T, strict=True):
        values = dict(zip(GEOMETRY, map(float, column), strict=True))
        table.append({"ant": frame.ant, **values})
    movable = set(numeric.movable)
    joints = []
    for j, name, angular, linear in zip(gaps.joints, gaps.names, gaps.angular, gaps.linear, strict=True):
        limits = robot.joint(j).limits
        joints.append({
            "name": name, "frame": j, "angular": float(angular), "linear": float(linear), "slides": numeric.slides(j),
            "lower": limits.lower, "upper": limits.upper, "movable": j in movable,
        })  # fmt: skip
    couplings = [
        {"joint": gaps.names.index(name), "offset": float(coupling.offset),
         "ratios": [[gaps.names.index(other), float(ratio)] for other, ratio in coupling.ratios.items()]}
        for name, coupling in robot.couplings.items()
    ]  # fmt: skip
    return {
        "table": table,
        "joints": joints,
        "tree": len(robot.tree_joints),
        "reach": numeric.reach,
        "couplings": couplings,
        **gaps.data(gaps.geometry({})),
    }
