"""Writer of MJCF: one body per link, sites for further names, loops as coincident points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from robosym.errors import RobotError
from robosym.formats.par_writer import checked_name
from robosym.formats.tree_in_numbers import (
    NumericLink,
    fixed_place,
    is_identity,
    joint_kind,
    numeric_tree,
    relation_of,
    world_gravity,
)
from robosym.formats.xml_source import Element, decimals, element, xml_text
from robosym.mechanism import FIXED, REVOLUTE, Robot
from robosym.spatial import Vec3

__all__ = ["write_mjcf"]

_ORIGIN, _BESIDE, _AXIS = Vec3(0.0, 0.0, 0.0), Vec3(0.1, 0.0, 0.0), Vec3(0.0, 0.0, 0.1)
#: points that coincide at a cut: two for a hinge, three for a weld
_POINTS = {REVOLUTE: (_ORIGIN, _AXIS), FIXED: (_ORIGIN, _BESIDE, _AXIS)}
_LEAST = 2e-15  #: replaces a zero mass or moment: the minimum that MuJoCo accepts


def write_mjcf(robot: Robot) -> str:
    links = numeric_tree(robot, "MJCF", reference=True)
    sites, equalities = _loops(robot)
    base = links[0]
    floats = robot.base.kind != "fixed"
    mounted = floats or not is_identity(base.place)  # else frame 0 is the world
    moving = [link for link in links if (robot.frame(link.number).is_joint if link.number else floats)]
    bounds = {"boundmass": _LEAST, "boundinertia": _LEAST} if any(_is_light(link) for link in moving) else {}
    world = element("worldbody")
    bodies = {0: world}
    if mounted:
        bodies[0] = _body(base, element("freejoint") if floats else None, sites.get(0, []))
        world.children.append(bodies[0])
    else:
        world.children += _sites((name for name in base.names if name != "world"), sites.get(0, []))
    for link in links[1:]:
        bodies[link.number] = _body(link, _joint_of(robot, link), sites.get(link.number, []))
        bodies[link.ant].children.append(bodies[link.number])
    equalities += _follows(robot)
    driven = [robot.joint_name(j) for j in robot.tree_joints if robot.frame(j).mu] if robot.loops else []
    return xml_text(
        element(
            "mujoco",
            element("compiler", angle="radian", **bounds),
            element("option", gravity=world_gravity(robot, base, "MJCF")),
            world,
            element("equality", *equalities) if equalities else None,
            element("actuator", *(element("motor", joint=name) for name in driven)) if robot.loops else None,
            model=checked_name(robot),
        )
    )


def _is_light(link: NumericLink) -> bool:
    """Return whether MuJoCo would reject the link as a moving body: it needs a mass and three moments of inertia."""
    xx, xy, xz, yy, yz, zz = link.tensor
    minors = xx, xx * yy - xy * xy, xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return not link.mass or min(minors) <= 0


def _body(link: NumericLink, joint: Element | None, marks: list[tuple[str, Vec3]]) -> Element:
    x, y = (Vec3(*(getattr(row, axis) for row in link.place.A.rows)) for axis in "xy")
    xx, xy, xz, yy, yz, zz = link.tensor
    inertial = element("inertial", pos=link.center, mass=link.mass, fullinertia=[xx, yy, zz, xy, xz, yz])
    inside = joint, inertial if link.has_inertia else None, *_sites(link.names[1:], marks)
    return element("body", *inside, name=link.names[0], pos=link.place.P, xyaxes=[*x, *y])


def _sites(names: Iterable[str], marks: list[tuple[str, Vec3]]) -> list[Element]:
    """Return sites for further names of a link and for points on it."""
    return [*(element("site", name=name) for name in names), *(element("site", name=n, pos=at) for n, at in marks)]


def _joint_of(robot: Robot, link: NumericLink) -> Element | None:
    """Return the joint of a body."""
    frame, limits = robot.frame(link.number), robot.joint(link.number).limits
    if not frame.is_joint:
        return None
    kind = joint_kind(robot, link.number, "MJCF")
    given = {"damping": link.FV, "frictionloss": link.FS, "armature": link.IA}
    given["ref"] = robot.position.get(robot.variable(link.number), 0.0)
    joint = element("joint", name=robot.joint_name(link.number), type=kind, axis="0 0 1")
    joint.attributes |= {key: decimals(value) for key, value in given.items() if value}
    if limits.lower is not None and limits.upper is not None:
        joint.attributes |= {"limited": "true", "range": decimals([limits.lower, limits.upper])}
    return joint


def _loops(robot: Robot) -> tuple[dict[int, list[tuple[str, Vec3]]], list[Element]]:
    """Return sites on links, and the pairs of them that coincide: two points on an axis form a hinge."""
    sites: dict[int, list[tuple[str, Vec3]]] = {}
    equalities: list[Element] = []
    for n, (cut, fixed) in enumerate(robot.loops, 1):
        kind = robot.frame(cut).sigma
        if kind not in _POINTS:
            message = f"MJCF cannot describe a cut {robot.frame(cut).joint_type.name} joint"
            raise RobotError(message, cut, "sigma")
        ends = [(robot.frame(j).ant, fixed_place(robot, j, "MJCF")) for j in (cut, fixed)]
        for part, point in enumerate(_POINTS[kind], 1):
            names = [f"loop{n}_{part}{side}" for side in "ab"]
            for name, (link, T) in zip(names, ends, strict=True):
                sites.setdefault(link, []).append((name, T.A @ point + T.P))
            equalities.append(element("connect", site1=names[0], site2=names[1]))
    return sites, equalities


def _follows(robot: Robot) -> Iterator[Element]:
    numbers = dict(zip(robot.joint_names, robot.tree_joints, strict=True))
    for j in robot.tree_joints:
        follow = relation_of(robot, j, "MJCF")
        if follow is not None:  # MuJoCo's relation is between displacements from the references
            start, lead = (robot.position.get(robot.variable(k), 0.0) for k in (j, numbers[follow.joint]))
            coefficients = [follow.offset - start + follow.ratio * lead, follow.ratio, 0.0, 0.0, 0.0]
            yield element("joint", joint1=robot.joint_name(j), joint2=follow.joint, polycoef=coefficients)
