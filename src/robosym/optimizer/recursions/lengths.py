"""Replace a first moment of a link by a mass at the origin of the next frame.

Mass on the axis of a revolute joint may be assigned to either side of the joint. Usually, all of it is moved to the
antecedent, offline. However, if the origin of frame j is on the x or y axis of its antecedent i, a mass there can
replace a first moment of link i. Its force takes three products with the acceleration of that point, which is known
anyway, whereas the first moment takes up to five. The mass is the first moment divided by the distance of the point.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robosym.algebra import Expr, Level
from robosym.algebra.generic import is_exactly
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.optimizer.recursions.frames import origin_before
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import SecondMoments

__all__ = ["in_unit", "lengths", "points", "taken_off"]


def _place(tree: Tree, j: int) -> tuple[int, Scalar] | None:
    """Return the axis of the antecedent (0 for x, 1 for y) with the origin of frame j, and its distance."""
    body = tree.body(j)
    if not body.ant or not body.joint.only_turns or not tree.body(body.ant).joint.only_turns:
        return None
    found = [(axis, part) for axis, part in enumerate(origin_before(body)) if not is_exactly(part, 0)]
    return found[0] if len(found) == 1 and found[0][0] < 2 else None


def taken_off(k: SecondMoments, tree: Tree, j: int) -> tuple[SecondMoments, Scalar]:
    """Return the moments of the antecedent of frame j without one first moment, and the mass that replaces it."""
    place = _place(tree, j)
    if place is None:
        return k, 0
    axis, length = place
    first = tuple(k.MS)[axis]
    mass = first / length
    x, y = (first, 0) if axis == 0 else (0, first)
    S = Mat3.of(-(x * length), 0, 0, 0, -(y * length), 0, 0, 0, 0)
    return k + SecondMoments.made_of(S, Vec3(-x, -y, 0), -mass), mass


def points(robot: Robot, symbols: bool = True) -> dict[int, Expr]:
    """Return joints whose origin may have such a mass, with the length to divide by; `symbols` permits symbols."""
    tree = tree_of(robot.with_values({}), lambda entry: entry)
    found = {j: place[1] for j, _ in tree.items() if (place := _place(tree, j)) is not None}
    most = Level.OFFLINE if symbols else Level.NUMBER
    return {j: length for j, length in found.items() if isinstance(length, Expr) and length.level <= most}


def lengths(robot: Robot) -> list[tuple[int, str]]:
    """Return the distinct lengths that could be the unit, for a robot with revolute joints on a fixed base."""
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
    """Return the robot with lengths relative to one of them."""
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
