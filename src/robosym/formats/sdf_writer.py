"""A robot to SDF: links placed in those before them, joints at their origins."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from robosym.description import PRISMATIC, REVOLUTE, Robot
from robosym.errors import RobotError
from robosym.formats.numeric_tree import NumericLink, decimals, numeric_tree
from robosym.formats.par_writer import checked_name
from robosym.formats.urdf_writer import roll_pitch_yaw_of
from robosym.spatial import Transform

__all__ = ["write_sdf"]

_KINDS = {REVOLUTE: "revolute", PRISMATIC: "prismatic"}
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def write_sdf(robot: Robot) -> str:
    if robot.loops or robot.base.kind != "fixed":
        raise RobotError(f"SDF is written of trees on a fixed base, {robot.name} is none: MJCF can hold it")
    links = numeric_tree(robot, "SDF")
    lines = ['<sdf version="1.8">', f"  <model name={quoteattr(checked_name(robot))}>"]
    for link in links:
        before = links[link.ant].names[0] if link.number else ""
        lines += _link(link, before)
    for link in links[1:]:
        lines += _joint(robot, link, links[link.ant].names[0])
    for link in links:
        for name in link.names[1:]:
            lines.append(f"    <frame name={quoteattr(name)} attached_to={quoteattr(link.names[0])}/>")
    return "\n".join([*lines, "  </model>", "</sdf>"]) + "\n"


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


def _joint(robot: Robot, link: NumericLink, parent: str) -> Iterator[str]:
    frame, joint = robot.frame(link.number), robot.joint(link.number)
    if frame.is_joint and frame.sigma not in _KINDS:
        raise RobotError(f"SDF is written with no {frame.joint_type.name} joint", frame=link.number, field="sigma")
    kind = _KINDS[frame.sigma] if frame.is_joint else "fixed"
    name = joint.name or robot.variable(link.number) if frame.is_joint else f"{link.names[0]}_fixed"
    yield f'    <joint name={quoteattr(name)} type="{kind}">'
    yield f"      <parent>{escape(parent)}</parent><child>{escape(link.names[0])}</child>"
    if frame.is_joint:
        bounds = {key: getattr(joint.limits, key) for key in ("lower", "upper", "effort", "velocity")}
        given = "".join(f"<{key}>{decimals([end])}</{key}>" for key, end in bounds.items() if end is not None)
        drive = f"<damping>{decimals([link.FV])}</damping><friction>{decimals([link.FS])}</friction>"
        yield f"      <axis><xyz>0 0 1</xyz><limit>{given}</limit><dynamics>{drive}</dynamics></axis>"
    yield "    </joint>"
