"""One length of a robot as its unit of length: what is multiplied by that length on line is not multiplied any more.

With lengths, gravity and accelerations in parts of L, first moments times L, masses times L^2 and forces times L, the
torques stay what they are. L must not be zero, and the robot must turn only: sliding joints have forces, not torques.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robosym.algebra import Expr
from robosym.errors import InputError
from robosym.mechanism import Robot

__all__ = ["in_unit", "lengths"]


def lengths(robot: Robot) -> list[tuple[int, str]]:
    """Of a robot that turns only, on a base that stands still: the lengths, each once, that could be the unit."""
    moving = robot.base.kind != "fixed" or robot.constrained
    if moving or not all(robot.frame(j).joint_type.only_turns for j in robot.tree_joints):
        return []
    found: dict[Expr, tuple[int, str]] = {}
    for j in range(1, robot.NL + 1):
        for name in ("d", "r", "b"):
            length = getattr(robot.frame(j), name)
            if not length.is_zero:
                found.setdefault(length.node, (j, name))
    return list(found.values())


def in_unit(robot: Robot, unit: tuple[int, str] | None) -> Robot:
    """The robot in parts of one of its lengths."""
    if unit is None:
        return robot
    if unit not in lengths(robot):
        raise InputError(f"{robot.name}: {unit[1]} of frame {unit[0]} cannot be the unit of length")
    L = getattr(robot.frame(unit[0]), unit[1]).node
    frames = [replace(frame, d=frame.d / L, r=frame.r / L, b=frame.b / L) for frame in robot.frames]
    links = []
    for link in robot.links:
        fields: dict[str, Any] = {name: getattr(link, name) * L for name in ("MX", "MY", "MZ", "FX", "FY", "FZ")}
        links.append(replace(link, M=link.M * L * L, **fields))
    x, y, z = robot.gravity
    gravity = x / L, y / L, z / L
    return replace(robot, frames=tuple(frames), links=tuple(links), gravity=gravity)
