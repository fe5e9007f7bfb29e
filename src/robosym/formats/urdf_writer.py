"""Writer of URDF: one link per frame, and the joint before it."""

from __future__ import annotations

from robosym.errors import RobotError
from robosym.formats.par_writer import checked_name
from robosym.formats.placements import roll_pitch_yaw_of
from robosym.formats.tree_in_numbers import TENSOR, NumericLink, joint_kind, numeric_tree, relation_of
from robosym.formats.xml_source import Element, element, xml_text
from robosym.mechanism import REVOLUTE, Robot
from robosym.spatial import Transform

__all__ = ["write_urdf"]

_FAR = 1e9  #: bound of a joint without limits


def write_urdf(robot: Robot) -> str:
    if robot.loops:
        message = f"URDF cannot describe loops, and {robot.name} has {len(robot.loops)}: write mjcf or yaml"
        raise RobotError(message)
    links = numeric_tree(robot, "URDF")
    floats = robot.base.kind != "fixed"
    root = element("robot", element("link", name="world_") if floats else None, name=checked_name(robot))
    for link in links:
        root.children += [_link(link), *(element("link", name=name) for name in link.names[1:])]
    if floats:
        root.children.append(_joint("floating_base", "floating", "world_", links[0].names[0], links[0].place))
    for link in links:
        if link.number:
            root.children.append(_joint_before(robot, link, links[link.ant].names[0]))
        for name in link.names[1:]:
            root.children.append(_joint(f"{name}_fixed", "fixed", link.names[0], name, Transform.identity()))
    return '<?xml version="1.0"?>\n' + xml_text(root)


def _link(link: NumericLink) -> Element:
    tensor = element("inertia", **dict(zip(TENSOR, link.tensor, strict=True)))
    inertial = element("inertial", element("origin", xyz=link.center), element("mass", value=link.mass), tensor)
    return element("link", inertial if link.has_inertia else None, name=link.names[0])


def _joint_before(robot: Robot, link: NumericLink, parent: str) -> Element:
    """Return the joint before a link."""
    frame, limits = robot.frame(link.number), robot.joint(link.number).limits
    if not frame.is_joint:
        return _joint(f"{link.names[0]}_fixed", "fixed", parent, link.names[0], link.place)
    kind = joint_kind(robot, link.number, "URDF")
    if limits.lower is None and limits.upper is None and frame.sigma == REVOLUTE:
        kind = "continuous"
    bounds = {"effort": (limits.effort, _FAR), "velocity": (limits.velocity, _FAR)}  # URDF requires both
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
