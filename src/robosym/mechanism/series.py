"""Robots that are built of others: legs with a platform, and modules in series."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph, Number, parse, substitute, symbols
from robosym.errors import RobotError
from robosym.mechanism.elements import GEOMETRY, Frame, Joint, Link, expressions, marking_frame
from robosym.mechanism.modules import Module, TwinRods

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["Part", "in_series", "joined", "with_platform", "with_rates", "with_suffix"]

#: a module before it is joined to others: its robot, the place of its base, the frame of an arm that carries the next
Part = tuple["Robot", Frame, int]


def with_platform(
    legs: Robot,
    platform: Link,
    places: Sequence[Frame],
    freedom: int | None = None,
    parallelograms: Sequence[TwinRods] = (),
    reference_pose: tuple[float, ...] | None = None,
) -> Robot:
    """Legs, a tree whose chains end on a platform, with the platform and the places of their last frames on it."""
    end, zero = legs.NF + 1, legs.graph.zero
    still, none, rest = marking_frame(0, zero)
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
    """Modules in series, the first on the base; see `Robot.in_series`."""
    graph = Graph()
    found: list[Part] = []
    taken: set[str] = set()
    given = list(modules)
    if len(places) > len(given):
        raise RobotError(f"places: {len(given)} modules, and {len(places)} places")
    for k, robot in enumerate(given, 1):
        one = with_suffix(robot, f"_{k}") if taken & _own_symbols(robot) else robot
        taken |= _own_symbols(one)
        entries = places[k - 1] if k <= len(places) else {}
        for key in entries:
            if key not in GEOMETRY:
                raise RobotError(f"places: module {k}: expected {', '.join(GEOMETRY)}, found {key}")
        values = (entries.get(key, 0) for key in GEOMETRY)
        own = (parse(v, graph) if isinstance(v, str) else graph.number(v) for v in values)
        found.append((one, Frame(0, 2, 0, *own), one.NF))
    weight = None
    if gravity is not None:
        weight = tuple(parse(g, graph) if isinstance(g, str) else graph.number(g) for g in gravity)
    return joined(name, found, graph, weight, title, source)


def joined(
    name: str, parts: Sequence[Part], graph: Graph, gravity: tuple[Expr, ...] | None = None, title: str = "",
    source: str = "",
) -> Robot:  # fmt: skip
    """Modules over one graph, under one gravity, rates and efforts numbered through; places are in it already."""
    if len(parts) < 2:
        raise RobotError(f"modules: a robot of modules has two or more, found {len(parts)}")
    _check_parts(parts)
    gx, gy, gz = gravity or graph.copy(parts[0][0].gravity)
    frames: list[Frame] = []
    links: list[Link] = []
    joints: list[Joint] = []
    modules: list[Module] = []
    names: dict[str, int] = {}

    def add(frame: Frame, link: Link, joint: Joint) -> int:
        frames.append(frame)
        links.append(link)
        joints.append(joint)
        return len(frames)

    robots, starts = [], []
    for robot, _, _ in parts:
        at = len(frames)
        own = with_rates(robot, graph, at)
        robots.append(own)
        starts.append(at)
        for frame, link, joint in list(zip(own.frames, own.links, own.joints, strict=True))[: _tree_frames(own)]:
            add(replace(frame, ant=frame.ant + at if frame.ant else 0), link, joint)
        names |= {n: at + j for n, j in own.frame_names.items() if j and n not in names and j <= _tree_frames(own)}
    ends: list[int] = []
    for own, at, (_, _, end) in zip(robots, starts, parts, strict=True):
        if not own.modules:
            ends.append(at + end)
            continue
        (module,) = own.modules
        ends.append(add(own.frame(module.end), own.link(module.end), own.joint(module.end)))
        for j in module.stations:
            add(replace(own.frame(j), ant=ends[-1]), own.link(j), own.joint(j))
    none, rest = marking_frame(0, graph.zero)[1:]
    for own, at, end, (robot, place, _) in zip(robots, starts, ends, parts, strict=True):
        number = add(replace(place, ant=0), none, rest)
        module = own.modules[0] if own.modules else Module(1, own.NF, own.NF)
        modules.append(replace(module.moved(at, end, number), name=robot.name))
    given = {key: value for own in robots for key, value in own.position.items()}
    return replace(
        robots[0], name=name, frames=tuple(frames), links=tuple(links), joints=tuple(joints), frame_names=names,
        position=given, picture={key: value for own in robots for key, value in own.picture.items()}, title=title,
        source=source, gravity=(gx, gy, gz), graph=graph, modules=tuple(modules),
    )  # fmt: skip


def _check_parts(parts: Sequence[Part]) -> None:
    """Raise `RobotError` for robots that cannot be modules, and for variables that two of them have."""
    seen: dict[str, int] = {}
    for k, (robot, _, _) in enumerate(parts, 1):
        if len(robot.modules) > 1:
            raise RobotError(f"module {k}: {robot.name} has modules itself: list them")
        if robot.base.kind != "fixed":
            raise RobotError(f"module {k}: base: {robot.base.kind}: what carries a module moves it")
        if robot.constrained or robot.transmission is not None:
            raise RobotError(f"module {k}: an arm without loops and couplings is expected, or legs and a platform")
        for name in robot.variables:
            if name and seen.setdefault(name, k) != k:
                raise RobotError(
                    f"module {k}: {name} is a joint variable of module {seen[name]} too: "
                    "give other names, or `suffix: _2`"
                )


def _tree_frames(robot: Robot) -> int:
    return robot.modules[0].last if robot.modules else robot.NF


def _own_symbols(robot: Robot) -> set[str]:
    """Joint variables and parameters, without gravity and without the rates and efforts of joints."""
    parts = (*robot.frames, *robot.links)
    return set(symbols(e for part in parts for _, e in expressions(part))) - set(symbols(robot.gravity))


def with_suffix(robot: Robot, suffix: str) -> Robot:
    """The robot with an ending on each of its symbols but those of gravity."""
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
    """The robot in a graph, rates and efforts of its joints with the numbers of the frames from `offset` on."""
    own = robot.in_graph(graph)

    def named(j: int, joint: Joint) -> Joint:
        if not own.frame(j).is_joint:
            return joint
        QP, QDP, GAM = (graph.symbol(f"{name}{offset + j}") for name in ("QP", "QDP", "GAM"))
        return replace(joint, QP=QP, QDP=QDP, GAM=GAM)

    return replace(own, joints=tuple(named(j, joint) for j, joint in enumerate(own.joints, 1)))
