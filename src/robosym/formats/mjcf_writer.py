"""A robot to MJCF: a body for every link, sites for further names, loops as points that stay together."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from robosym.errors import RobotError
from robosym.formats.par_writer import checked_name
from robosym.formats.tree_in_numbers import (
    NumericLink,
    decimals,
    fixed_place,
    is_identity,
    numeric_tree,
    relation_of,
    world_gravity,
)
from robosym.mechanism import FIXED, PRISMATIC, REVOLUTE, Robot
from robosym.spatial import Transform, Vec3

__all__ = ["write_mjcf"]

_KINDS = {REVOLUTE: "hinge", PRISMATIC: "slide"}
_ORIGIN, _BESIDE, _AXIS = Vec3(0.0, 0.0, 0.0), Vec3(0.1, 0.0, 0.0), Vec3(0.0, 0.0, 0.1)
#: of the frames at a cut, what stays together: two points of a hinge, three of bodies that are welded
_POINTS = {REVOLUTE: (_ORIGIN, _AXIS), FIXED: (_ORIGIN, _BESIDE, _AXIS)}
_LEAST = "2e-15"  #: what MuJoCo puts in the place of a mass or moment of 0: the least that it takes


def write_mjcf(robot: Robot) -> str:
    links = numeric_tree(robot, "MJCF", reference=True)
    inside: dict[int, list[NumericLink]] = {link.number: [] for link in links}
    for link in links[1:]:
        inside[link.ant].append(link)
    sites, equalities = _loops(robot)
    base = links[0]
    floats = robot.base.kind != "fixed"
    held = floats or not is_identity(base.place)  # else frame 0 is the world
    moving = [link for link in links if (robot.frame(link.number).is_joint if link.number else floats)]
    bounds = f' boundmass="{_LEAST}" boundinertia="{_LEAST}"' if any(_is_light(link) for link in moving) else ""
    gravity = decimals(list(world_gravity(robot, base, "MJCF")))
    lines = [f"<mujoco model={quoteattr(checked_name(robot))}>", f'  <compiler angle="radian"{bounds}/>']
    lines += [f'  <option gravity="{gravity}"/>', "  <worldbody>"]
    if held:
        lines.append(f"    <body name={quoteattr(base.names[0])} {_pose(base.place)}>")
        lines += ["      <freejoint/>"] if floats else []
        lines += _inertial(base, "      ")
    names = base.names[1:] if held else tuple(name for name in base.names if name != "world")
    lines += _sites(names, sites.get(0, []), "      " if held else "    ")
    start = 3 if held else 2
    waiting: list[tuple[NumericLink | None, int]] = [(link, start) for link in reversed(inside[0])]
    while waiting:
        one, depth = waiting.pop()
        indent = "  " * depth
        if one is None:
            lines.append(f"{indent}</body>")
            continue
        lines.append(f"{indent}<body name={quoteattr(one.names[0])} {_pose(one.place)}>")
        lines += _held(robot, one, indent + "  ")
        lines += _inertial(one, indent + "  ")
        lines += _sites(one.names[1:], sites.get(one.number, []), indent + "  ")
        waiting.append((None, depth))
        waiting += [(link, depth + 1) for link in reversed(inside[one.number])]
    lines += ["    </body>"] if held else []
    lines.append("  </worldbody>")
    equalities += _follows(robot)
    if equalities:
        lines += ["  <equality>", *equalities, "  </equality>"]
    if robot.loops:
        driven = [robot.joint_name(j) for j in robot.tree_joints if robot.frame(j).mu]
        lines += ["  <actuator>", *(f"    <motor joint={quoteattr(name)}/>" for name in driven), "  </actuator>"]
    return "\n".join([*lines, "</mujoco>"]) + "\n"


def _is_light(link: NumericLink) -> bool:
    """Whether MuJoCo would refuse a body that moves: it wants a mass and three moments of inertia."""
    xx, xy, xz, yy, yz, zz = link.tensor
    minors = xx, xx * yy - xy * xy, xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return not link.mass or min(minors) <= 0


def _pose(T: Transform) -> str:
    x, y = (Vec3(*(getattr(row, axis) for row in T.A.rows)) for axis in "xy")
    return f'pos="{decimals(list(T.P))}" xyaxes="{decimals([*x, *y])}"'


def _inertial(link: NumericLink, indent: str) -> Iterator[str]:
    if link.has_inertia:
        xx, xy, xz, yy, yz, zz = link.tensor
        six = decimals([xx, yy, zz, xy, xz, yz])
        mass, centre = decimals([link.mass]), decimals(list(link.centre))
        yield f'{indent}<inertial pos="{centre}" mass="{mass}" fullinertia="{six}"/>'


def _sites(names: tuple[str, ...], marks: list[tuple[str, Vec3]], indent: str) -> Iterator[str]:
    yield from (f"{indent}<site name={quoteattr(name)}/>" for name in names)
    yield from (f'{indent}<site name={quoteattr(name)} pos="{decimals(list(at))}"/>' for name, at in marks)


def _held(robot: Robot, link: NumericLink, indent: str) -> Iterator[str]:
    """The joint of a body."""
    frame, limits = robot.frame(link.number), robot.joint(link.number).limits
    if not frame.is_joint:
        return
    if frame.sigma not in _KINDS:
        raise RobotError(f"MJCF has no {frame.joint_type.name} joint", frame=link.number, field="sigma")
    given = {"damping": link.FV, "frictionloss": link.FS, "armature": link.IA}
    given["ref"] = robot.position.get(robot.variable(link.number), 0.0)
    words = [f'{key}="{decimals([value])}"' for key, value in given.items() if value]
    if limits.lower is not None and limits.upper is not None:
        words.append(f'limited="true" range="{decimals([limits.lower, limits.upper])}"')
    start = f'{indent}<joint name={quoteattr(robot.joint_name(link.number))} type="{_KINDS[frame.sigma]}" axis="0 0 1"'
    yield " ".join([start, *words]) + "/>"


def _loops(robot: Robot) -> tuple[dict[int, list[tuple[str, Vec3]]], list[str]]:
    """Sites on links, and the pairs of them that stay together: two points of an axis are a hinge."""
    sites: dict[int, list[tuple[str, Vec3]]] = {}
    equalities: list[str] = []
    for n, (cut, fixed) in enumerate(robot.loops, 1):
        kind = robot.frame(cut).sigma
        if kind not in _POINTS:
            raise RobotError(f"MJCF is written with no {robot.frame(cut).joint_type.name} joint in a cut", cut, "sigma")
        ends = [(robot.frame(j).ant, fixed_place(robot, j, "MJCF")) for j in (cut, fixed)]
        for part, point in enumerate(_POINTS[kind], 1):
            names = []
            for side, (link, T) in zip("ab", ends, strict=True):
                names.append(f"loop{n}_{part}{side}")
                sites.setdefault(link, []).append((names[-1], T.A @ point + T.P))
            equalities.append(f'    <connect site1="{names[0]}" site2="{names[1]}"/>')
    return sites, equalities


def _follows(robot: Robot) -> list[str]:
    lines = []
    numbers = dict(zip(robot.joint_names, robot.tree_joints, strict=True))
    found = ((robot.joint_name(j), relation_of(robot, j, "MJCF"), j) for j in robot.tree_joints)
    for name, follow, j in found:
        if follow is None:
            continue
        # MuJoCo's relation is between the ways from the references
        start, lead = (robot.position.get(robot.variable(k), 0.0) for k in (j, numbers[follow.joint]))
        offset = follow.offset - start + follow.ratio * lead
        coefficients = decimals([offset, follow.ratio, 0.0, 0.0, 0.0])
        joints = f"joint1={quoteattr(name)} joint2={quoteattr(follow.joint)}"
        lines.append(f'    <joint {joints} polycoef="{coefficients}"/>')
    return lines
