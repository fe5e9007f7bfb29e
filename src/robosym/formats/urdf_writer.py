"""A robot to URDF: a link for every frame, a joint before each."""

from __future__ import annotations

import math

from robosym.errors import RobotError
from robosym.formats.par_writer import checked_name
from robosym.formats.tree_in_numbers import TENSOR, NumericLink, numeric_tree, relation_of
from robosym.formats.xml_source import Element, element, xml_text
from robosym.mechanism import PRISMATIC, REVOLUTE, Robot
from robosym.spatial import Mat3, Transform

__all__ = ["roll_pitch_yaw_of", "write_urdf"]

_LOCKED = 1e-12  #: cosine of a pitch at which roll and yaw turn about one axis
_FAR = 1e9  #: what stands for the bound that a joint does not have

_KINDS = {REVOLUTE: "revolute", PRISMATIC: "prismatic"}


def write_urdf(robot: Robot) -> str:
    if robot.loops:
        raise RobotError(f"URDF has no loops and {robot.name} has {len(robot.loops)}: MJCF can hold them")
    links = numeric_tree(robot, "URDF")
    floats = robot.base.kind != "fixed"
    root = element("robot", element("link", name="world_") if floats else None, name=checked_name(robot))
    for link in links:
        root.children += [_link(link), *(element("link", name=name) for name in link.names[1:])]
    if floats:
        root.children.append(_joint("floating_base", "floating", "world_", links[0].names[0], links[0].place))
    for link in links:
        if link.number:
            root.children.append(_held(robot, link, links[link.ant].names[0]))
        for name in link.names[1:]:
            root.children.append(_joint(f"{name}_fixed", "fixed", link.names[0], name, Transform.identity()))
    return '<?xml version="1.0"?>\n' + xml_text(root)


def _link(link: NumericLink) -> Element:
    tensor = element("inertia", **dict(zip(TENSOR, link.tensor, strict=True)))
    inertial = element("inertial", element("origin", xyz=link.centre), element("mass", value=link.mass), tensor)
    return element("link", inertial if link.has_inertia else None, name=link.names[0])


def _held(robot: Robot, link: NumericLink, parent: str) -> Element:
    """The joint before a link."""
    frame, limits = robot.frame(link.number), robot.joint(link.number).limits
    if not frame.is_joint:
        return _joint(f"{link.names[0]}_fixed", "fixed", parent, link.names[0], link.place)
    if frame.sigma not in _KINDS:
        raise RobotError(f"URDF has no {frame.joint_type.name} joint", frame=link.number, field="sigma")
    kind = _KINDS[frame.sigma]
    if limits.lower is None and limits.upper is None and frame.sigma == REVOLUTE:
        kind = "continuous"
    bounds = {"effort": (limits.effort, _FAR), "velocity": (limits.velocity, _FAR)}  # URDF wants both
    if kind != "continuous":
        bounds |= {"lower": (limits.lower, -_FAR), "upper": (limits.upper, _FAR)}
    more = [element("axis", xyz="0 0 1")]
    if limits or kind == "prismatic":
        given = {key: far if bound is None else bound for key, (bound, far) in bounds.items()}
        more.append(element("limit", **given))
    if link.FV or link.FS:
        more.append(element("dynamics", damping=link.FV, friction=link.FS))
    follows = relation_of(robot, link.number, "URDF")
    if follows is not None:
        more.append(element("mimic", joint=follows.joint, multiplier=follows.ratio, offset=follows.offset))
    return _joint(robot.joint_name(link.number), kind, parent, link.names[0], link.place, *more)


def _joint(name: str, kind: str, parent: str, child: str, place: Transform, *more: Element) -> Element:
    ends = element("parent", link=parent), element("child", link=child)
    return element(
        "joint", *ends, element("origin", xyz=place.P, rpy=roll_pitch_yaw_of(place.A)), *more, name=name, type=kind
    )


def roll_pitch_yaw_of(A: Mat3) -> tuple[float, float, float]:
    """Angles of A = Rot(z, yaw) Rot(y, pitch) Rot(x, roll); at a pitch of a quarter turn, without yaw."""
    (xx, xy, _), (yx, yy, _), (zx, zy, zz) = A.rows
    pitch = math.atan2(-zx, math.hypot(xx, yx))
    if math.hypot(xx, yx) < _LOCKED:  # roll and yaw turn about one axis
        return math.atan2(-zx * xy, yy), pitch, 0.0
    return math.atan2(zy, zz), pitch, math.atan2(yx, xx)
