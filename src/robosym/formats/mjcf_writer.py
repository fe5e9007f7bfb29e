"""A robot to MJCF: a body for every link, sites for further names, loops as points that stay together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from robosym.errors import RobotError
from robosym.formats.par_writer import checked_name
from robosym.formats.tree_in_numbers import (
    NumericLink,
    fixed_place,
    is_identity,
    numeric_tree,
    relation_of,
    world_gravity,
)
from robosym.formats.xml_source import Element, decimals, element, xml_text
from robosym.mechanism import FIXED, PRISMATIC, REVOLUTE, Robot
from robosym.spatial import Vec3

__all__ = ["write_mjcf"]

_KINDS = {REVOLUTE: "hinge", PRISMATIC: "slide"}
_ORIGIN, _BESIDE, _AXIS = Vec3(0.0, 0.0, 0.0), Vec3(0.1, 0.0, 0.0), Vec3(0.0, 0.0, 0.1)
#: of the frames at a cut, what stays together: two points of a hinge, three of bodies that are welded
_POINTS = {REVOLUTE: (_ORIGIN, _AXIS), FIXED: (_ORIGIN, _BESIDE, _AXIS)}
_LEAST = 2e-15  #: what MuJoCo puts in the place of a mass or moment of 0: the least that it takes


def write_mjcf(robot: Robot) -> str:
    links = numeric_tree(robot, "MJCF", reference=True)
    sites, equalities = _loops(robot)
    base = links[0]
    floats = robot.base.kind != "fixed"
    held = floats or not is_identity(base.place)  # else frame 0 is the world
    moving = [link for link in links if (robot.frame(link.number).is_joint if link.number else floats)]
    bounds = {"boundmass": _LEAST, "boundinertia": _LEAST} if any(_is_light(link) for link in moving) else {}
    world = element("worldbody")
    bodies = {0: world}
    if held:
        bodies[0] = _body(base, element("freejoint") if floats else None, sites.get(0, []))
        world.children.append(bodies[0])
    else:
        world.children += _sites((name for name in base.names if name != "world"), sites.get(0, []))
    for link in links[1:]:
        bodies[link.number] = _body(link, _held(robot, link), sites.get(link.number, []))
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
    """Whether MuJoCo would refuse a body that moves: it wants a mass and three moments of inertia."""
    xx, xy, xz, yy, yz, zz = link.tensor
    minors = xx, xx * yy - xy * xy, xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return not link.mass or min(minors) <= 0


def _body(link: NumericLink, joint: Element | None, marks: list[tuple[str, Vec3]]) -> Element:
    x, y = (Vec3(*(getattr(row, axis) for row in link.place.A.rows)) for axis in "xy")
    xx, xy, xz, yy, yz, zz = link.tensor
    inertial = element("inertial", pos=link.centre, mass=link.mass, fullinertia=[xx, yy, zz, xy, xz, yz])
    inside = joint, inertial if link.has_inertia else None, *_sites(link.names[1:], marks)
    return element("body", *inside, name=link.names[0], pos=link.place.P, xyaxes=[*x, *y])


def _sites(names: Iterable[str], marks: list[tuple[str, Vec3]]) -> list[Element]:
    """Further names of a link, and points on it."""
    return [*(element("site", name=name) for name in names), *(element("site", name=n, pos=at) for n, at in marks)]


def _held(robot: Robot, link: NumericLink) -> Element | None:
    """The joint of a body."""
    frame, limits = robot.frame(link.number), robot.joint(link.number).limits
    if not frame.is_joint:
        return None
    if frame.sigma not in _KINDS:
        raise RobotError(f"MJCF has no {frame.joint_type.name} joint", frame=link.number, field="sigma")
    given = {"damping": link.FV, "frictionloss": link.FS, "armature": link.IA}
    given["ref"] = robot.position.get(robot.variable(link.number), 0.0)
    joint = element("joint", name=robot.joint_name(link.number), type=_KINDS[frame.sigma], axis="0 0 1")
    joint.attributes |= {key: decimals(value) for key, value in given.items() if value}
    if limits.lower is not None and limits.upper is not None:
        joint.attributes |= {"limited": "true", "range": decimals([limits.lower, limits.upper])}
    return joint


def _loops(robot: Robot) -> tuple[dict[int, list[tuple[str, Vec3]]], list[Element]]:
    """Sites on links, and the pairs of them that stay together: two points of an axis are a hinge."""
    sites: dict[int, list[tuple[str, Vec3]]] = {}
    equalities: list[Element] = []
    for n, (cut, fixed) in enumerate(robot.loops, 1):
        kind = robot.frame(cut).sigma
        if kind not in _POINTS:
            raise RobotError(f"MJCF is written with no {robot.frame(cut).joint_type.name} joint in a cut", cut, "sigma")
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
        if follow is not None:  # MuJoCo's relation is between the ways from the references
            start, lead = (robot.position.get(robot.variable(k), 0.0) for k in (j, numbers[follow.joint]))
            coefficients = [follow.offset - start + follow.ratio * lead, follow.ratio, 0.0, 0.0, 0.0]
            yield element("joint", joint1=robot.joint_name(j), joint2=follow.joint, polycoef=coefficients)
