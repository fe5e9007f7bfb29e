"""Where the two sides of a cut stand to each other: the position of a cut joint from those of the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.algebra import Expr
from robosym.coordinates.structure import Loop
from robosym.mechanism import Robot
from robosym.mechanism.path import Poses
from robosym.spatial import Transform, cos, sin

__all__ = ["cut_position", "pose_across"]


def pose_across(robot: Robot, loop: Loop, poses: Poses, value: Callable[[Expr], Any]) -> Transform:
    """The fixed frame of a loop seen from where the frame of the cut joint stands when its variable is 0.

    Where the loop is closed, it is the motion of the cut joint alone. It does not depend on its variable.
    """
    frame = robot.frame(loop.cut)
    kind = frame.joint_type
    entries = {name: value(getattr(frame, name)) for name in ("gamma", "b", "alpha", "d", "theta", "r")}
    if kind.variable:
        own = entries[kind.variable]
        entries[kind.variable] = own - own.graph.symbol(robot.variable(loop.cut))
    before = Transform.screw_z(entries["gamma"], entries["b"]) @ Transform.screw_x(entries["alpha"], entries["d"])
    start = before @ Transform.screw_z(*kind.placed(entries["theta"], entries["r"]))
    return start.inverse() @ poses(frame.ant, loop.fixed)


def cut_position(robot: Robot, loop: Loop, poses: Poses, value: Callable[[Expr], Any], about: Expr) -> Expr:
    """The variable of a cut joint where the loop is closed; an angle is the one within half a turn of `about`."""
    kind, across = robot.frame(loop.cut).joint_type, pose_across(robot, loop, poses, value)
    graph = about.graph
    if kind.slides:
        position: Expr = graph.zero + across.P.z * (1 / kind.linear)
        return position
    c, s = across.A.rows[0].x, across.A.rows[1].x
    y, x = s * cos(about) - c * sin(about), c * cos(about) + s * sin(about)
    return about + graph.function("atan2", graph.zero + y, graph.zero + x) * (1 / kind.angular)
