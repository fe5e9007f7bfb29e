"""A robot to SDF: links placed in those before them, joints at their origins."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from robosym.errors import RobotError, RobotWarning
from robosym.formats.par_writer import checked_name
from robosym.formats.tree_in_numbers import NumericLink, decimals, numeric_tree, relation_of
from robosym.formats.urdf_writer import roll_pitch_yaw_of
from robosym.mechanism import PRISMATIC, REVOLUTE, Follow, Robot
from robosym.spatial import Transform

__all__ = ["write_sdf"]

_KINDS = {REVOLUTE: "revolute", PRISMATIC: "prismatic"}
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def write_sdf(robot: Robot) -> str:
    if robot.loops or robot.base.kind != "fixed":
        raise RobotError(f"SDF is written of trees on a fixed base, {robot.name} is none: MJCF can hold it")
    links = numeric_tree(robot, "SDF")
    follow = any(relation_of(robot, j, "SDF") for j in robot.tree_joints)
    lines = [f'<sdf version="{"1.11" if follow else "1.8"}">', f"  <model name={quoteattr(checked_name(robot))}>"]
    names = _joint_names(robot, links)
    for link in links:
        before = links[link.ant].names[0] if link.number else ""
        lines += _link(link, before)
    for link in links[1:]:
        lines += _joint(robot, link, links[link.ant].names[0], names)
    for link in links:
        for name in link.names[1:]:
            lines.append(f"    <frame name={quoteattr(name)} attached_to={quoteattr(link.names[0])}/>")
    return "\n".join([*lines, "  </model>", "</sdf>"]) + "\n"


def _joint_names(robot: Robot, links: list[NumericLink]) -> dict[int, str]:
    """The name of every joint in the file: links, frames and joints of SDF share one space of names."""
    taken = {name for link in links for name in link.names}
    own = {j: robot.joint_name(j) for j in robot.tree_joints}
    found: dict[int, str] = {}
    for link in links[1:]:
        name = free = own.get(link.number, f"{link.names[0]}_fixed")
        while free in taken:
            free += "_joint"
        if free != name and link.number in own:
            warnings.warn(
                f"SDF has no joint and link of one name: joint {name} is written as {free}", RobotWarning, stacklevel=5
            )
        taken.add(free)
        found[link.number] = free
    return found


def _link(link: NumericLink, before: str) -> Iterator[str]:
    yield f"    <link name={quoteattr(link.names[0])}>"
    if before:
        yield f"      <pose relative_to={quoteattr(before)}>{_six(link.place)}</pose>"
    entries = "".join(f"<{key}>{decimals([value])}</{key}>" for key, value in zip(_SIX, link.tensor, strict=True))
    centre = f"<pose>{decimals(list(link.centre))} 0 0 0</pose>"
    yield f"      <inertial>{centre}<mass>{decimals([link.mass])}</mass><inertia>{entries}</inertia></inertial>"
    yield "    </link>"


def _six(place: Transform) -> str:
    return decimals([*place.P, *roll_pitch_yaw_of(place.A)])


def _joint(robot: Robot, link: NumericLink, parent: str, names: dict[int, str]) -> Iterator[str]:
    frame, joint = robot.frame(link.number), robot.joint(link.number)
    if frame.is_joint and frame.sigma not in _KINDS:
        raise RobotError(f"SDF is written with no {frame.joint_type.name} joint", frame=link.number, field="sigma")
    kind = _KINDS[frame.sigma] if frame.is_joint else "fixed"
    yield f'    <joint name={quoteattr(names[link.number])} type="{kind}">'
    yield f"      <parent>{escape(parent)}</parent><child>{escape(link.names[0])}</child>"
    if frame.is_joint:
        bounds = {key: getattr(joint.limits, key) for key in ("lower", "upper", "effort", "velocity")}
        given = "".join(f"<{key}>{decimals([end])}</{key}>" for key, end in bounds.items() if end is not None)
        drive = f"<damping>{decimals([link.FV])}</damping><friction>{decimals([link.FS])}</friction>"
        mimic = _mimic(relation_of(robot, link.number, "SDF"), robot, names)
        yield f"      <axis><xyz>0 0 1</xyz><limit>{given}</limit><dynamics>{drive}</dynamics>{mimic}</axis>"
    yield "    </joint>"


def _mimic(follow: Follow | None, robot: Robot, names: dict[int, str]) -> str:
    """What a joint follows."""
    if follow is None:
        return ""
    leader = next(names[j] for j in robot.tree_joints if robot.joint_name(j) == follow.joint)
    entries = zip(("multiplier", "offset", "reference"), (follow.ratio, follow.offset, 0.0), strict=True)
    inner = "".join(f"<{key}>{decimals([value])}</{key}>" for key, value in entries)
    return f"<mimic joint={quoteattr(leader)}>{inner}</mimic>"
