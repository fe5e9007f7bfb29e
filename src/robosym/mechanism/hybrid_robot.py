"""The description of a hybrid robot: modules in series, each a parallel robot or an arm, each on the end of the last.

The base of module k + 1 is fixed to the platform of module k, or to a frame of an arm. Frames are numbered through the
modules, the legs of a parallel one as in its own tree; motors, efforts and rates have these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from robosym.algebra import Expr, Graph, Number, substitute, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import cached_property
from robosym.errors import RobotError
from robosym.mechanism.described import Described
from robosym.mechanism.kinds import hand_over
from robosym.mechanism.parallel_robot import Parallel, renumbered
from robosym.mechanism.robot import GEOMETRY, INERTIA, Frame, Joint, Link, Robot, expressions

__all__ = ["Hybrid", "Module", "in_one_graph", "with_rates", "with_suffix"]


@dataclass(frozen=True, eq=False)
class Module:
    """A parallel robot or an arm, and where its base stands on what carries it."""

    robot: Robot | Parallel
    place: Frame  #: the base of the module, fixed to the end of the module before; of the first, to frame 0
    end: int = 0  #: the frame of an arm that carries the next module; 0 of a parallel robot, whose platform does

    @property
    def tree(self) -> Robot:
        """The arm, or the legs."""
        return self.robot.tree if isinstance(self.robot, Parallel) else self.robot

    @property
    def motors(self) -> tuple[int, ...]:
        """The frames with motors, by the module's own numbers."""
        return self.robot.motors if isinstance(self.robot, Parallel) else self.robot.tree_joints

    @property
    def stands_plain(self) -> bool:
        """Whether its base coincides with the end that carries it."""
        return all(getattr(self.place, name).is_zero for name in GEOMETRY)


@dataclass(frozen=True, eq=False, repr=False)
class Hybrid(Described):
    """A hybrid robot; build one with `rs.load`, or from modules with `Hybrid.of`."""

    name: str
    modules: tuple[Module, ...]
    title: str = ""
    source: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        modules: Iterable[Robot | Parallel],
        places: Sequence[Mapping[str, Number | str]] = (),
        gravity: Sequence[Number | str] | None = None,
        title: str = "",
        source: str = "",
    ) -> Hybrid:
        """Modules in series, the first on the base; `places` are parameters of frames, d, r, alpha .., one a module.

        Symbols of module k, from the second on, get the ending _k where a module before it has one of them too. Gravity
        is that of the first module unless it is given.
        """
        from robosym.algebra import parse

        graph = Graph()
        found: list[Module] = []
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
            found.append(Module(one, Frame(0, 2, 0, *own), 0 if isinstance(one, Parallel) else one.NF))
        weight = None
        if gravity is not None:
            weight = tuple(parse(g, graph) if isinstance(g, str) else graph.number(g) for g in gravity)
        return in_one_graph(cls(name, tuple(found), title, source), graph, weight)

    # --------------------------------------------------------------------- names

    @property
    def structure(self) -> str:
        return "hybrid"

    @property
    def gravity(self) -> tuple[Expr, ...]:
        """In frame 0."""
        return self.modules[0].tree.gravity

    @property
    def offsets(self) -> tuple[int, ...]:
        """What is added to the numbers of each module's frames to number them through."""
        return tuple(accumulate((module.tree.NF for module in self.modules[:-1]), initial=0))

    @property
    def motors(self) -> tuple[int, ...]:
        """The frames whose joints have a motor, numbered through."""
        return tuple(at + j for at, module in zip(self.offsets, self.modules, strict=True) for j in module.motors)

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Their joint variables, the order of `tau`."""
        return tuple(module.tree.variable(j) for module in self.modules for j in module.motors)

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(name for module in self.modules for name in module.tree.joint_names)

    @property
    def position(self) -> dict[str, float]:
        return {name: value for module in self.modules for name, value in module.tree.position.items()}

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every symbol of the description that is not a joint variable, nor a rate or an effort of a joint."""
        moving = symbols(e for joint in self.carrier().joints for e in (joint.QP, joint.QDP, joint.GAM))
        rates = set(moving) - set(symbols(e for link in self.carrier().links for _, e in expressions(link)))
        return tuple(name for name in self.carrier().parameters if name not in rates)

    # ---------------------------------------------------------------- validation

    def __post_init__(self) -> None:
        from robosym.coordinates import HYBRID

        hand_over(Hybrid, HYBRID)
        if len(self.modules) < 2:
            raise RobotError(f"modules: a hybrid robot has two or more, found {len(self.modules)}")
        for k, module in enumerate(self.modules, 1):
            robot, tree = module.robot, module.tree
            if tree.base.kind != "fixed":
                raise RobotError(f"module {k}: base: {tree.base.kind}: what carries a module moves it")
            if tree.constrained:
                raise RobotError(f"module {k}: an arm without loops and couplings is expected, or legs and a platform")
            if isinstance(robot, Parallel):
                continue
            for j in tree.tree_joints:
                if not tree.frame(j).mu or tree.joint(j).eta:
                    raise RobotError(f"module {k}: the joints of an arm are rigid and have motors", j, "mu")
            if not 1 <= module.end <= tree.NF:
                raise RobotError(f"module {k}: end: expected a frame from 1 to {tree.NF}, found {module.end}")
        seen: dict[str, int] = {}
        for k, module in enumerate(self.modules, 1):
            for name in module.tree.variables:
                if name and seen.setdefault(name, k) != k:
                    raise RobotError(
                        f"module {k}: {name} is a joint variable of module {seen[name]} too: "
                        "give other names, or `suffix: _2`"
                    )
        self.carrier()  # its checks are those of all entries together

    # -------------------------------------------------------------------- change

    def carrier(self) -> Robot:
        """All entries of the description as one tree for those who look at entries: the modules side by side.

        The trees of the modules first, then the platforms with the places of their legs, then the modules' places.
        """
        return self._carrier

    @cached_property
    def _carrier(self) -> Robot:
        first = self.modules[0].tree
        zero = first.graph.zero
        rest, none = Joint(zero, zero, zero, 0, zero), Link(*(19 * [zero]))
        frames: list[Frame] = []
        links: list[Link] = []
        joints: list[Joint] = []

        def add(frame: Frame, link: Link, joint: Joint) -> int:
            frames.append(frame)
            links.append(link)
            joints.append(joint)
            return len(frames)

        for module, at in zip(self.modules, self.offsets, strict=True):
            tree = module.tree
            for frame, link, joint in zip(tree.frames, tree.links, tree.joints, strict=True):
                add(replace(frame, ant=frame.ant + at if frame.ant else 0), link, joint)
        for module in self.modules:
            if isinstance(module.robot, Parallel):
                platform = add(Frame(0, 2, 0, *(6 * [zero])), module.robot.platform, rest)
                for place in module.robot.places:
                    add(replace(place, ant=platform), none, rest)
        for module in self.modules:
            add(replace(module.place, ant=0), none, rest)
        return replace(
            first, name=self.name, frames=tuple(frames), links=tuple(links), joints=tuple(joints), frame_names={},
            position={}, picture={}, title=self.title, source=self.source,
        )  # fmt: skip

    def through(self, change: Callable[[Robot], Robot]) -> Hybrid:
        """All modules through a change of entries: of the carrier, whose frames stay as they are."""
        changed = change(self.carrier())
        count = sum(module.tree.NF for module in self.modules)
        places = changed.frames[-len(self.modules) :]
        modules = []
        for module, at, place in zip(self.modules, self.offsets, places, strict=True):
            tree = module.tree
            own = slice(at, at + tree.NF)
            frames = (replace(f, ant=old.ant) for f, old in zip(changed.frames[own], tree.frames, strict=True))
            tree = replace(
                tree, frames=tuple(frames), links=changed.links[own], joints=changed.joints[own],
                gravity=changed.gravity, graph=changed.graph, base=changed.base,
                position=_still(tree.position, changed), picture=_still(tree.picture, changed),
            )  # fmt: skip
            robot: Robot | Parallel = tree
            if isinstance(module.robot, Parallel):
                legs = len(module.robot.places)
                stations = tuple(replace(f, ant=0) for f in changed.frames[count + 1 : count + 1 + legs])
                robot = replace(module.robot, tree=tree, platform=changed.links[count], places=stations)
                count += 1 + legs
            modules.append(replace(module, robot=robot, place=place))
        return replace(self, modules=tuple(modules))

    def platform_frames(self) -> tuple[int, ...]:
        """The numbers in the carrier of the links that end the modules: platforms, and the ends of arms."""
        found, count = [], sum(module.tree.NF for module in self.modules)
        for module, at in zip(self.modules, self.offsets, strict=True):
            if isinstance(module.robot, Parallel):
                found.append(count + 1)
                count += 1 + len(module.robot.places)
            else:
                found.append(at + module.end)
        return tuple(found)

    def with_values(self, values: Mapping[str, Number | str]) -> Hybrid:
        """The robot with parameters replaced by numbers or expressions (`{"D3": 0.45, "D4": "2*L"}`)."""
        return self.through(lambda robot: robot.with_values(values))

    def with_inputs(self, *inputs: str, link: int | str | None = None) -> Hybrid:
        """Return the robot whose gravity, base orientation or payload (on the last platform) stay inputs.

        See `Robot.with_inputs`.
        """
        place = self.platform_frames()[-1] if link is None else link
        return self.through(lambda robot: robot.with_inputs(*inputs, link=place))

    def symbolic(self) -> Hybrid:
        """The robot with standard symbols in place of its links' numbers: XXj .., numbered through; XXP1 .. of the
        platform of module 1."""
        names = (*INERTIA, "IA", "FV", "FS")
        changes: list[dict[str, Number | str]] = []
        for module, at in zip(self.modules, self.offsets, strict=True):
            ends = {leg[-1] for leg in module.robot.legs} if isinstance(module.robot, Parallel) else set()
            changes += [{} if j in ends else {n: f"{n}{at + j}" for n in names} for j in range(1, module.tree.NL + 1)]
        for k, module in enumerate(self.modules, 1):
            if isinstance(module.robot, Parallel):
                changes += [{n: f"{n}P{k}" for n in INERTIA}, *({} for _ in module.robot.places)]
        changes += [{} for _ in self.modules]
        return self.through(lambda robot: robot.with_links(changes))

    def check(self) -> tuple[str, ...]:
        """What no body can have, module by module."""
        parts = [m.robot.check_bodies() if isinstance(m.robot, Parallel) else m.robot.check() for m in self.modules]
        return tuple(f"module {k}: {remark}" for k, remarks in enumerate(parts, 1) for remark in remarks)

    def to_closed(self) -> Robot:
        """The same machine as a robot with loops: the closed robots of its modules, one on the other."""
        parts = [m.robot.to_closed() if isinstance(m.robot, Parallel) else m.robot for m in self.modules]
        frames: list[Frame] = []
        links: list[Link] = []
        joints: list[Joint] = []
        zero = self.modules[0].tree.graph.zero
        rest, none = Joint(zero, zero, zero, 0, zero), Link(*(19 * [zero]))
        carrying, numbers = 0, []
        for module, part in zip(self.modules, parts, strict=True):
            if not module.stands_plain:
                frames.append(replace(module.place, ant=carrying))
                links.append(none)
                joints.append(rest)
                carrying = len(frames)
            at, base = len(frames), carrying
            numbers.append({0: base} | {j: at + j for j in range(1, part.NL + 1)})
            frames += (replace(frame, ant=numbers[-1][frame.ant]) for frame in part.frames[: part.NL])
            links += part.links
            joints += part.joints[: part.NL]
            carrying = numbers[-1][_end_in_closed(module, part)]
        for part, number in zip(parts, numbers, strict=True):
            frames += (replace(frame, ant=number[frame.ant]) for frame in part.frames[part.NL : part.NJ])
            joints += part.joints[part.NL :]
        for part, number in zip(parts, numbers, strict=True):
            frames += (replace(frame, ant=number[frame.ant]) for frame in part.frames[part.NJ :])
        position = {name: value for part in parts for name, value in part.position.items()}
        return replace(
            parts[0], name=self.name, frames=tuple(frames), links=tuple(links), joints=renumbered(joints),
            frame_names={}, position=position, picture={}, title=self.title, source=self.source,
        )  # fmt: skip

    # ------------------------------------------------------------------ identity

    def _key(self) -> tuple[Any, ...]:
        places = [canonical_text(v) for m in self.modules for _, v in expressions(m.place)]
        return self.name, tuple(m.robot for m in self.modules), tuple(m.end for m in self.modules), tuple(places)

    # ----------------------------------------------------------------- writing

    def dumps(self, format: str = "yaml") -> str:
        """The description as text, "yaml"; the closed robot of `to_closed` has the other formats too."""
        from robosym.formats import dumps

        return dumps(self, format)


def _still(given: Mapping[str, float], robot: Robot) -> dict[str, float]:
    """Values of joint variables and of symbols that a robot still has."""
    known = {*robot.variables, *robot.parameters}
    return {name: value for name, value in given.items() if name in known}


def _end_in_closed(module: Module, closed: Robot) -> int:
    """The frame that carries the next module, in the closed robot of a module."""
    if not isinstance(module.robot, Parallel):
        return module.end
    last = len(module.robot.legs[0])
    after = last + 1
    own = after <= closed.NL and closed.frame(after).ant == last and not closed.frame(after).is_joint
    return after if own else last


def _own_symbols(robot: Robot | Parallel) -> set[str]:
    """Joint variables and parameters, without gravity and without the rates and efforts of joints."""
    if isinstance(robot, Parallel):
        return _own_symbols(robot.carrier())
    parts = (*robot.frames, *robot.links)
    return set(symbols(e for part in parts for _, e in expressions(part))) - set(symbols(robot.gravity))


def with_suffix(robot: Robot | Parallel, suffix: str) -> Any:
    """The robot with an ending on each of its symbols but those of gravity."""
    if isinstance(robot, Parallel):
        cuts = (replace(rods, cut=f"{rods.cut}{suffix}") for rods in robot.parallelograms)
        renamed = robot.through(lambda carrier: with_suffix(carrier, suffix))
        return replace(renamed, parallelograms=tuple(cuts))
    kept = set(symbols(robot.gravity))
    variables = [name for name in robot.variables if name]
    graph = Graph()
    names = [name for name in (*variables, *robot.parameters) if name not in kept]
    images = {name: graph.symbol(f"{name}{suffix}") for name in names}
    position = {f"{name}{suffix}": value for name, value in robot.position.items()}
    picture = {f"{name}{suffix}" if name in images else name: value for name, value in robot.picture.items()}
    bare = replace(robot, position={}, picture={})
    changed = bare._rebuilt(graph, lambda roots: substitute(roots, graph, images))
    return replace(changed, position=position, picture=picture)


def in_one_graph(robot: Hybrid, graph: Graph, gravity: tuple[Expr, ...] | None = None) -> Hybrid:
    """Modules over one graph, under one gravity, rates and efforts numbered through; places are in it already."""
    gx, gy, gz = gravity or graph.copy(robot.modules[0].tree.gravity)
    weight = gx, gy, gz
    modules = []
    for module, at in zip(robot.modules, robot.offsets, strict=True):

        def moved(tree: Robot, at: int = at) -> Robot:
            return replace(with_rates(tree, graph, at), gravity=weight)

        own = module.robot.through(moved) if isinstance(module.robot, Parallel) else moved(module.robot)
        modules.append(replace(module, robot=own))
    return replace(robot, modules=tuple(modules))


def with_rates(tree: Robot, graph: Graph, offset: int = 0) -> Robot:
    """The tree in a graph, rates and efforts of its joints with the numbers of the frames from `offset` on."""
    own = tree.in_graph(graph)

    def named(j: int, joint: Joint) -> Joint:
        if not own.frame(j).is_joint:
            return joint
        QP, QDP, GAM = (graph.symbol(f"{name}{offset + j}") for name in ("QP", "QDP", "GAM"))
        return replace(joint, QP=QP, QDP=QDP, GAM=GAM)

    return replace(own, joints=tuple(named(j, joint) for j, joint in enumerate(own.joints, 1)))
