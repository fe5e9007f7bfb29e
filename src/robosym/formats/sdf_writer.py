"""Writer of SDF: links placed relative to their parents, joints at their origins."""

from __future__ import annotations

import warnings

from robosym.errors import RobotError, RobotWarning
from robosym.formats.par_writer import checked_name
from robosym.formats.placements import roll_pitch_yaw_of
from robosym.formats.tree_in_numbers import TENSOR, NumericLink, joint_kind, numeric_tree, relation_of
from robosym.formats.xml_source import Element, decimals, element, xml_text
from robosym.mechanism import Follow, Robot

__all__ = ["write_sdf"]


def write_sdf(robot: Robot) -> str:
    if robot.loops or robot.base.kind != "fixed":
        raise RobotError(f"SDF can only describe trees on a fixed base, and {robot.name} is not one: write mjcf")
    links = numeric_tree(robot, "SDF")
    follow = any(relation_of(robot, j, "SDF") for j in robot.tree_joints)
    names = _joint_names(robot, links)
    model = element("model", *(_link(link, links[link.ant]) for link in links), name=checked_name(robot))
    model.children += (_joint(robot, link, links[link.ant].names[0], names) for link in links[1:])
    model.children += (
        element("frame", name=name, attached_to=link.names[0]) for link in links for name in link.names[1:]
    )
    return xml_text(element("sdf", model, version="1.11" if follow else "1.8"), flat=3)


def _joint_names(robot: Robot, links: list[NumericLink]) -> dict[int, str]:
    """Return the name of every joint in the file: links, frames and joints of SDF share one namespace."""
    taken = {name for link in links for name in link.names}
    own = {j: robot.joint_name(j) for j in robot.tree_joints}
    found: dict[int, str] = {}
    for link in links[1:]:
        name = free = own.get(link.number, f"{link.names[0]}_fixed")
        while free in taken:
            free += "_joint"
        if free != name and link.number in own:
            warnings.warn(
                f"joint {name} is written as {free}: in SDF a joint and a link cannot have the same name",
                RobotWarning,
                stacklevel=5,
            )
        taken.add(free)
        found[link.number] = free
    return found


def _numbers(tag: str, **values: float | None) -> Element:
    """Return an element with one child per number."""
    return element(tag, *(element(key, decimals(x)) for key, x in values.items() if x is not None))


def _link(link: NumericLink, before: NumericLink) -> Element:
    place = decimals([*link.place.P, *roll_pitch_yaw_of(link.place.A)])
    inertial = element(
        "inertial",
        element("pose", decimals([*link.center, 0, 0, 0])),
        element("mass", decimals(link.mass)),
        _numbers("inertia", **dict(zip(TENSOR, link.tensor, strict=True))),
    )
    pose = element("pose", place, relative_to=before.names[0]) if link.number else None
    return element("link", pose, inertial, name=link.names[0])


def _joint(robot: Robot, link: NumericLink, parent: str, names: dict[int, str]) -> Element:
    frame, limits = robot.frame(link.number), robot.joint(link.number).limits
    kind = joint_kind(robot, link.number, "SDF") if frame.is_joint else "fixed"
    ends = element("", element("parent", parent), element("child", link.names[0]))
    joint = element("joint", ends, name=names[link.number], type=kind)
    if frame.is_joint:
        bounds = {key: getattr(limits, key) for key in ("lower", "upper", "effort", "velocity")}
        mimic = _mimic(relation_of(robot, link.number, "SDF"), robot, names)
        drive = _numbers("dynamics", damping=link.FV, friction=link.FS)
        joint.children.append(element("axis", element("xyz", "0 0 1"), _numbers("limit", **bounds), drive, mimic))
    return joint


def _mimic(follow: Follow | None, robot: Robot, names: dict[int, str]) -> Element | None:
    """Return the <mimic> element of a joint that follows another."""
    if follow is None:
        return None
    found = _numbers("mimic", multiplier=follow.ratio, offset=follow.offset, reference=0.0)
    found.attributes["joint"] = next(names[j] for j in robot.tree_joints if robot.joint_name(j) == follow.joint)
    return found
