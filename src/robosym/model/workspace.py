"""Where an algorithm builds a model of a robot: one graph, its inputs by group, and the names given on the way."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence

from robosym.algebra import Expr, Graph, Number, parse, symbols
from robosym.description import DRIVE, GEOMETRY, INERTIA, WRENCH, Joint, Link, Robot
from robosym.errors import InputError
from robosym.model.model import ONLINE_GROUPS, Layout, Model
from robosym.model.naming import by_component

__all__ = ["Workspace", "input_groups"]


class Workspace:
    """A robot's description copied into a fresh graph whose on-line symbols are declared.

    As a context it pauses the garbage collector, which would walk over a growing graph that is all alive (measured:
    half of the time of a large model).
    """

    def __init__(self, robot: Robot, groups: Sequence[str], joints: Mapping[str, Sequence[int]] | None = None) -> None:
        """`groups` are the inputs of the model, in order, and `joints` whose motion or torque they hold.

        See `input_groups`.
        """
        self._collecting = False
        with self:
            self._fill(robot, groups, joints or {})

    def _fill(self, robot: Robot, groups: Sequence[str], joints: Mapping[str, Sequence[int]]) -> None:
        self.robot = robot
        self.graph = Graph()
        self.inputs = input_groups(robot, groups, joints)
        self.definitions: dict[str, Expr] = {}
        self.note = by_component(self.define)
        for group, names in self.inputs.items():
            for name in names:
                self.graph.symbol(name, online=group in ONLINE_GROUPS)
        entries = list(dict.fromkeys(value for _, _, value in robot.entries()))
        self._copies = dict(zip(entries, self.graph.copy(entries), strict=True))

    def __enter__(self) -> Workspace:
        self._collecting = gc.isenabled()
        gc.disable()
        return self

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            gc.enable()

    def value(self, entry: Expr) -> Expr:
        """An expression of the robot's description, in this graph."""
        return self._copies[entry]

    def input(self, group: str, names: Sequence[str]) -> list[Expr]:
        """Inputs that are not in the description, a group of ONLINE_GROUPS."""
        for name in names:
            if any(name in others for others in self.inputs.values()):
                raise InputError(f"{name} is an input of this model and cannot be a symbol of the robot")
        last = {g: n for g, n in self.inputs.items() if g == "parameters"}
        rest = {g: n for g, n in self.inputs.items() if g != "parameters"}
        self.inputs = {**rest, group: tuple(names), **last}
        return [self.graph.symbol(name, online=True) for name in names]

    def parameter(self, entry: Number | str) -> Expr:
        """A value that is not in the description; its symbols join the parameters of the model."""
        value = parse(entry, self.graph) if isinstance(entry, str) else self.graph.number(entry)
        known = {name for names in self.inputs.values() for name in names}
        new = tuple(name for name in symbols([value]) if name not in known)
        if new:
            self.inputs["parameters"] = (*self.inputs.get("parameters", ()), *new)
        return value

    def define(self, name: str, value: Expr | Number) -> Expr:
        """Give a value its name; the value is passed on."""
        known = value if isinstance(value, Expr) else self.graph.number(value)
        self.definitions[name] = known
        return known

    def model(self, kind: str, title: str, outputs: Mapping[str, Layout]) -> Model:
        """The model of what was defined; `kind` is the extension of the guide's Appendix 5.1."""
        return Model(self.robot.name, kind, title, self.inputs, outputs, self.definitions, self.graph, self.robot)


def input_groups(
    robot: Robot, wanted: Sequence[str], joints: Mapping[str, Sequence[int]] | None = None
) -> dict[str, tuple[str, ...]]:
    """The symbols of the robot by group, each in the first group that holds it; groups not wanted are left out.

    `joints` says which joints the groups qd, qdd and tau hold, where it is not all of the tree.
    Geometry and inertia come before gravity and wrenches, so that a weight written `M7*g` leaves M7 a parameter.
    """

    def of(group: str) -> list[Joint]:
        return [robot.joint(j) for j in (joints or {}).get(group, robot.tree_joints)]

    base = robot.base
    holders: dict[str, list[Expr]] = {
        "q": [robot.graph.symbol(robot.variable(j)) for j in robot.tree_joints],
        "qd": [joint.QP for joint in of("qd")],
        "qdd": [joint.QDP for joint in of("qdd")],
        "tau": [joint.GAM for joint in of("tau")],
        "q_cut": [robot.graph.symbol(robot.variable(k)) for k, _ in robot.loops if robot.frame(k).is_joint],
        "base_velocity": [*base.W0, *base.V0],
        "base_acceleration": [*base.WP0, *base.VP0],
        "parameters": [
            *(getattr(frame, name) for frame in robot.frames for name in GEOMETRY),
            *(getattr(link, name) for link in _links(robot) for name in (*INERTIA, *DRIVE)),
            *(joint.k for joint in robot.joints),
            *base.Z,
        ],
        "gravity": list(robot.gravity),
        "wrench": [getattr(link, name) for link in _links(robot) for name in WRENCH],
    }
    claimed: set[str] = set()
    groups: dict[str, tuple[str, ...]] = {}
    for group, values in holders.items():
        if group not in wanted:
            continue
        names = dict.fromkeys(name for value in values if value.level for name in symbols([value]))
        groups[group] = tuple(name for name in names if name not in claimed)
        claimed.update(names)
    return {group: groups[group] for group in wanted if groups[group]}


def _links(robot: Robot) -> Iterable[Link]:
    return (link for link in (robot.base.link, *robot.links) if link is not None)
