"""A robot to URDF: a link for every frame, a joint before each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from robosym.errors import RobotError
from robosym.formats.par_writer import checked_name
from robosym.formats.tree_in_numbers import NumericLink, decimals, numeric_tree, relation_of
from robosym.mechanism import PRISMATIC, REVOLUTE, Robot
from robosym.spatial import Mat3, Transform

__all__ = ["write_urdf"]

_LOCKED = 1e-12  #: cosine of a pitch at which roll and yaw turn about one axis

_KINDS = {REVOLUTE: "revolute", PRISMATIC: "prismatic"}
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def write_urdf(robot: Robot) -> str:
    if robot.loops:
        raise RobotError(f"URDF has no loops and {robot.name} has {len(robot.loops)}: MJCF can hold them")
    links = numeric_tree(robot, "URDF")
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(checked_name(robot))}>"]
    for link in links:
        lines += _link(link)
        lines += (f"  <link name={quoteattr(name)}/>" for name in link.names[1:])
    if robot.base.kind != "fixed":
        lines.insert(2, '  <link name="world_"/>')
        lines += _joint("floating_base", "floating", "world_", links[0].names[0], links[0].place)
    for link in links:
        if link.number:
            lines += _held(robot, link, links[link.ant].names[0])
        for name in link.names[1:]:
            lines += _joint(f"{name}_fixed", "fixed", link.names[0], name, Transform.identity())
    return "\n".join([*lines, "</robot>"]) + "\n"


def _link(link: NumericLink) -> Iterator[str]:
    name = quoteattr(link.names[0])
    if not link.has_inertia:
        yield f"  <link name={name}/>"
        return
    tensor = " ".join(f'{key}="{decimals([value])}"' for key, value in zip(_SIX, link.tensor, strict=True))
    yield f"  <link name={name}>"
    yield "    <inertial>"
    yield f'      <origin xyz="{decimals(list(link.centre))}"/>'
    yield f'      <mass value="{decimals([link.mass])}"/>'
    yield f"      <inertia {tensor}/>"
    yield "    </inertial>"
    yield "  </link>"


def _held(robot: Robot, link: NumericLink, parent: str) -> Iterator[str]:
    """The joint before a link."""
    frame, joint = robot.frame(link.number), robot.joint(link.number)
    if not frame.is_joint:
        return _joint(f"{link.names[0]}_fixed", "fixed", parent, link.names[0], link.place)
    if frame.sigma not in _KINDS:
        raise RobotError(f"URDF has no {frame.joint_type.name} joint", frame=link.number, field="sigma")
    limits, more = joint.limits, ['    <axis xyz="0 0 1"/>']
    kind = _KINDS[frame.sigma]
    if limits.lower is None and limits.upper is None and frame.sigma == REVOLUTE:
        kind = "continuous"
    bounds = {"effort": limits.effort, "velocity": limits.velocity}
    given = {key: 1e9 if value is None else value for key, value in bounds.items()}  # URDF wants both
    if kind != "continuous":
        ends = {"lower": limits.lower, "upper": limits.upper}
        given |= {key: math.copysign(1e9, (key == "upper") - 0.5) if end is None else end for key, end in ends.items()}
    if limits or kind == "prismatic":
        more.append("    <limit " + " ".join(f'{key}="{decimals([value])}"' for key, value in given.items()) + "/>")
    if link.FV or link.FS:
        more.append(f'    <dynamics damping="{decimals([link.FV])}" friction="{decimals([link.FS])}"/>')
    follows = relation_of(robot, link.number, "URDF")
    if follows is not None:
        leader, numbers = quoteattr(follows.joint), (follows.ratio, follows.offset)
        ratio, offset = (decimals([number]) for number in numbers)
        more.append(f'    <mimic joint={leader} multiplier="{ratio}" offset="{offset}"/>')
    return _joint(robot.joint_name(link.number), kind, parent, link.names[0], link.place, *more)


def _joint(name: str, kind: str, parent: str, child: str, place: Transform, *more: str) -> Iterator[str]:
    yield f'  <joint name={quoteattr(name)} type="{kind}">'
    yield f"    <parent link={quoteattr(parent)}/>"
    yield f"    <child link={quoteattr(child)}/>"
    yield f'    <origin xyz="{decimals(list(place.P))}" rpy="{decimals(roll_pitch_yaw_of(place.A))}"/>'
    yield from more
    yield "  </joint>"


def roll_pitch_yaw_of(A: Mat3) -> tuple[float, float, float]:
    """Angles of A = Rot(z, yaw) Rot(y, pitch) Rot(x, roll); at a pitch of a quarter turn, without yaw."""
    (xx, xy, _), (yx, yy, _), (zx, zy, zz) = A.rows
    pitch = math.atan2(-zx, math.hypot(xx, yx))
    if math.hypot(xx, yx) < _LOCKED:  # roll and yaw turn about one axis
        return math.atan2(-zx * xy, yy), pitch, 0.0
    return math.atan2(zy, zz), pitch, math.atan2(yx, xx)
