"""Robots composed of others: legs with a platform, modules in series, and their equivalents with loops."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from robosym.algebra import Expr, Graph, Number, substitute, symbols
from robosym.errors import RobotError
from robosym.mechanism.edit import entry
from robosym.mechanism.elements import GEOMETRY, Frame, Joint, Link, expressions, marking_frame
from robosym.mechanism.modules import Module, RodPair, module_robot

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["ClosedForm", "Part", "closed_form", "in_series", "joined", "with_platform", "with_rates", "with_suffix"]

#: a module before joining: its robot, the frame of its base, the frame of an arm that carries the next module
Part = tuple["Robot", Frame, int]


class _Table:
    """Frames, links and joints of a robot under construction."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.joints: list[Joint] = []

    def add(self, frame: Frame, joint: Joint, link: Link | None = None) -> int:
        """Append a frame, and return its number."""
        self.frames.append(frame)
        self.joints.append(joint)
        if link is not None:
            self.links.append(link)
        return len(self.frames)


def with_platform(
    legs: Robot,
    platform: Link,
    places: Sequence[Frame],
    freedom: int | None = None,
    parallelograms: Sequence[RodPair] = (),
    reference_pose: tuple[float, ...] | None = None,
) -> Robot:
    """Return a parallel robot from its legs, its platform and the frames of the legs' ends on the platform."""
    end, zero = legs.NF + 1, legs.graph.zero
    still, none, rest = marking_frame(zero)
    stations = tuple(end + k for k in range(1, len(places) + 1))
    module = Module(1, legs.NF, end, stations, 0, freedom, tuple(parallelograms), reference_pose)
    return replace(
        legs, frames=(*legs.frames, still, *(replace(place, ant=end) for place in places)),
        links=(*legs.links, platform, *(none for _ in places)), joints=(*legs.joints, *(rest for _ in (0, *places))),
        modules=(module,),
    )  # fmt: skip


def in_series(
    name: str,
    modules: Iterable[Robot],
    places: Sequence[Mapping[str, Number | str]] = (),
    gravity: Sequence[Number | str] | None = None,
    title: str = "",
    source: str = "",
) -> Robot:
    """Return a robot of modules in series; see `Robot.in_series`."""
    graph = Graph()
    found: list[Part] = []
    taken: set[str] = set()
    given = list(modules)
    if len(places) > len(given):
        raise RobotError(f"places: expected at most {len(given)}, found {len(places)} (one per module)")
    for k, robot in enumerate(given, 1):
        one = with_suffix(robot, f"_{k}") if taken & _own_symbols(robot) else robot
        taken |= _own_symbols(one)
        entries = places[k - 1] if k <= len(places) else {}
        for key in entries:
            if key not in GEOMETRY:
                raise RobotError(f"places: module {k}: expected {', '.join(GEOMETRY)}, found {key}")
        values = (entries.get(key, 0) for key in GEOMETRY)
        own = (entry(value, graph, f"places: module {k}") for value in values)
        found.append((one, Frame(0, 2, 0, *own), one.NF))
    weight = None if gravity is None else tuple(entry(g, graph, "gravity") for g in gravity)
    return joined(name, found, graph, weight, title, source)


def joined(
    name: str, parts: Sequence[Part], graph: Graph, gravity: tuple[Expr, ...] | None = None, title: str = "",
    source: str = "",
) -> Robot:  # fmt: skip
    """Return modules in series, in one graph with one gravity; the places must be in this graph.

    Rates and efforts are numbered consecutively.
    """
    if len(parts) < 2:
        raise RobotError(f"modules: expected at least 2, found {len(parts)}")
    _check_parts(parts)
    gx, gy, gz = gravity or graph.copy(parts[0][0].gravity)
    table = _Table()
    modules: list[Module] = []
    names: dict[str, int] = {}
    robots, starts = [], []
    for robot, _, _ in parts:
        at = len(table.frames)
        own = with_rates(robot, graph, at)
        robots.append(own)
        starts.append(at)
        for frame, link, joint in list(zip(own.frames, own.links, own.joints, strict=True))[: _tree_frames(own)]:
            table.add(replace(frame, ant=frame.ant + at if frame.ant else 0), joint, link)
        names |= {n: at + j for n, j in own.frame_names.items() if j and n not in names and j <= _tree_frames(own)}
    ends: list[int] = []
    for own, at, (_, _, end) in zip(robots, starts, parts, strict=True):
        if not own.modules:
            ends.append(at + end)
            continue
        (module,) = own.modules
        ends.append(table.add(own.frame(module.end), own.joint(module.end), own.link(module.end)))
        for j in module.stations:
            table.add(replace(own.frame(j), ant=ends[-1]), own.joint(j), own.link(j))
    none, rest = marking_frame(graph.zero)[1:]
    for own, at, end, (robot, place, _) in zip(robots, starts, ends, parts, strict=True):
        number = table.add(replace(place, ant=0), rest, none)
        module = own.modules[0] if own.modules else Module(1, own.NF, own.NF)
        modules.append(replace(module.moved(at, end, number), name=robot.name))
    given = {key: value for own in robots for key, value in own.position.items()}
    return replace(
        robots[0], name=name, frames=tuple(table.frames), links=tuple(table.links), joints=tuple(table.joints),
        frame_names=names, position=given, title=title, source=source, gravity=(gx, gy, gz), graph=graph,
        modules=tuple(modules), picture={key: value for own in robots for key, value in own.picture.items()},
    )  # fmt: skip


def _check_parts(parts: Sequence[Part]) -> None:
    """Raise `RobotError` for robots that cannot be modules, and for variables that two of them share."""
    seen: dict[str, int] = {}
    for k, (robot, _, _) in enumerate(parts, 1):
        if len(robot.modules) > 1:
            raise RobotError(f"module {k}: {robot.name} consists of modules: list its modules instead")
        if robot.base.kind != "fixed":
            raise RobotError(f"module {k}: base: expected fixed, found {robot.base.kind}")
        if robot.constrained or robot.transmission is not None:
            wanted = "an arm without loops, couplings and transmission, or legs with a platform"
            raise RobotError(f"module {k}: expected {wanted}")
        for name in robot.variables:
            if name and seen.setdefault(name, k) != k:
                raise RobotError(
                    f"module {k}: {name} is also a joint variable of module {seen[name]}: "
                    "rename it, or add `suffix: _2`",
                    found=name,
                    code="E206",
                )


def _tree_frames(robot: Robot) -> int:
    return robot.modules[0].last if robot.modules else robot.NF


def _own_symbols(robot: Robot) -> set[str]:
    """Return joint variables and parameters, without gravity and the rates and efforts of joints."""
    parts = (*robot.frames, *robot.links)
    return set(symbols(e for part in parts for _, e in expressions(part))) - set(symbols(robot.gravity))


def with_suffix(robot: Robot, suffix: str) -> Robot:
    """Return the robot with a suffix on each of its symbols except gravity."""
    kept = set(symbols(robot.gravity))
    variables = [name for name in robot.variables if name]
    graph = Graph()
    names = [name for name in (*variables, *robot.parameters) if name not in kept]
    images = {name: graph.symbol(f"{name}{suffix}") for name in names}
    position = {f"{name}{suffix}": value for name, value in robot.position.items()}
    picture = {f"{name}{suffix}" if name in images else name: value for name, value in robot.picture.items()}
    modules = (
        replace(m, parallelograms=tuple(replace(rods, cut=f"{rods.cut}{suffix}") for rods in m.parallelograms))
        for m in robot.modules
    )
    bare = replace(robot, position={}, picture={}, modules=tuple(modules))
    convert: Callable[[Iterable[Expr]], list[Expr]] = lambda roots: substitute(roots, graph, images)  # noqa: E731
    return replace(bare.rebuilt(graph, convert), position=position, picture=picture)


def with_rates(robot: Robot, graph: Graph, offset: int = 0) -> Robot:
    """Return the robot in a graph, with rates and efforts of its joints numbered from `offset` + 1."""
    own = robot.in_graph(graph)

    def named(j: int, joint: Joint) -> Joint:
        if not own.frame(j).is_joint:
            return joint
        QP, QDP, GAM = (graph.symbol(f"{name}{offset + j}") for name in ("QP", "QDP", "GAM"))
        return replace(joint, QP=QP, QDP=QDP, GAM=GAM)

    return replace(own, joints=tuple(named(j, joint) for j, joint in enumerate(own.joints, 1)))


class ClosedForm(NamedTuple):
    """Robot with loops, and the numbers of its links in the robot with platforms."""

    robot: Robot
    links: dict[int, int]


def closed_form(robot: Robot, position: Mapping[str, float]) -> ClosedForm:
    """Return the robot with loops, at a reference position.

    The legs keep their order, each except the first without its last frame; the platform follows leg 1. Standard
    symbols of velocities, accelerations and efforts are renumbered. A robot without modules is unchanged.
    """
    if not robot.modules:
        return ClosedForm(robot, {j: j for j in range(1, robot.NF + 1)})
    if not robot.modules[0].place:
        return _of_platform(robot, position)
    table, carrying, links = _Table(), 0, {}
    numbers: list[dict[int, int]] = []
    parts: list[Robot] = []
    _, none, rest = marking_frame(robot.graph.zero)
    for module in robot.modules:
        part = module_robot(robot, module)
        closed, own = part, {j: j for j in range(1, part.NL + 1)}
        if module.has_platform:
            closed, own = _of_platform(part, _known_to(part, position))
        if not all(getattr(robot.frame(module.place), name).is_zero for name in GEOMETRY):
            carrying = table.add(replace(robot.frame(module.place), ant=carrying), rest, none)
            links[carrying] = module.place
        at = len(table.frames)
        number = {0: carrying} | {j: at + j for j in range(1, closed.NL + 1)}
        for frame, joint, link in zip(closed.frames, closed.joints, closed.links, strict=False):
            table.add(replace(frame, ant=number[frame.ant]), joint, link)
        count = module.last - module.first + 1
        whole = {j: module.first + j - 1 for j in range(1, count + 1)} | {count + 1: module.end}
        links |= {at + j: whole[k] for j, k in own.items()}
        ending = {k: j for j, k in own.items()}
        carrying = at + ending[count + 1 if module.has_platform else module.end - module.first + 1]
        parts.append(closed)
        numbers.append(number)
    for part, number in zip(parts, numbers, strict=True):
        for k in range(part.NL, part.NJ):
            table.add(replace(part.frames[k], ant=number[part.frames[k].ant]), part.joints[k])
    closing = [
        replace(frame, ant=number[frame.ant])
        for part, number in zip(parts, numbers, strict=True) for frame in part.frames[part.NJ :]
    ]  # fmt: skip
    known = {name: value for part in parts for name, value in part.position.items()}
    made = replace(
        robot, frames=(*table.frames, *closing), links=tuple(table.links), joints=_renumbered(table.joints),
        frame_names={}, position=known, picture={}, modules=(),
    )  # fmt: skip
    return ClosedForm(made, links)


def _of_platform(robot: Robot, position: Mapping[str, float]) -> ClosedForm:
    (module,) = robot.modules
    legs, zero = robot.legs, robot.graph.zero
    first, table = legs[0], _Table()
    numbers: dict[int, int] = {0: 0}

    def leg_frame(j: int, link: Link | None) -> None:
        numbers[j] = table.add(replace(robot.frame(j), ant=numbers[robot.frame(j).ant]), robot.joint(j), link)

    for j in first:
        leg_frame(j, robot.link(j))
    links = {numbers[j]: j for j in first}
    rest = marking_frame(zero)[2]
    platform = numbers[first[-1]]
    back = _inverse(robot.places[0], platform)
    if all(getattr(back, name).is_zero for name in GEOMETRY):
        table.links[-1] = replace(robot.platform, IA=zero, FV=zero, FS=zero)
    else:
        platform = table.add(back, rest, robot.platform)
    links[platform] = module.end
    others = [shape.other for shape in module.parallelograms]
    for j in (*(j for leg in legs[1:] for j in leg[:-1]), *others):
        leg_frame(j, robot.link(j))
        links[numbers[j]] = j
    for leg in legs[1:]:
        leg_frame(leg[-1], None)
    closing = [replace(place, ant=platform) for place in robot.places[1:]]
    for shape in module.parallelograms:
        near, far, d = robot.frame(shape.rod), robot.frame(shape.other), robot.frame(shape.link).d
        turning = (zero, zero, zero, d, robot.graph.symbol(shape.cut), zero)
        table.add(Frame(numbers[shape.other], 0, 0, *turning), rest)
        closing.append(Frame(numbers[shape.link], 2, 0, zero, zero, zero, far.d - near.d, zero, zero))
    names = {name: numbers[j] for name, j in robot.frame_names.items() if j in numbers}
    made = replace(
        robot, frames=(*table.frames, *closing), links=tuple(table.links), joints=_renumbered(table.joints),
        frame_names=names, position=dict(position), modules=(),
    )  # fmt: skip
    return ClosedForm(made, links)


def _known_to(robot: Robot, position: Mapping[str, float]) -> dict[str, float]:
    """Return the part of a position that concerns one module: joints, parallelograms and lengths."""
    names = {*robot.variables, *(shape.cut for module in robot.modules for shape in module.parallelograms)}
    names |= {*symbols(value for frame in robot.frames for _, value in expressions(frame))}
    return {name: value for name, value in position.items() if name in names}


def _renumbered(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Return the joints with standard symbols QPj, QDPj, GAMj changed to their new numbers."""

    def symbol(entry: Expr, letters: str, j: int) -> Expr:
        standard = entry.name is not None and re.fullmatch(rf"{letters}\d+", entry.name)
        return entry.graph.symbol(f"{letters}{j}") if standard else entry

    return tuple(
        replace(joint, QP=symbol(joint.QP, "QP", j), QDP=symbol(joint.QDP, "QDP", j), GAM=symbol(joint.GAM, "GAM", j))
        for j, joint in enumerate(joints, 1)
    )


def _inverse(place: Frame, ant: int) -> Frame:
    """Return the inverse of a fixed frame: the six parameters in reverse order, negated."""
    gamma, b, alpha, d, theta, r = (getattr(place, name) for name in GEOMETRY)
    return Frame(ant, 2, 0, -theta, -r, -alpha, -d, -gamma, -b)
