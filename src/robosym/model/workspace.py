"""Where an algorithm builds a model of a robot: one graph, its inputs by group, and the names given on the way."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence

from robosym.algebra import Expr, Graph, Number, parse, symbols
from robosym.description import Robot
from robosym.errors import InputError
from robosym.model.groups import declare, input_groups
from robosym.model.model import Layout, Model
from robosym.model.naming import by_component
from robosym.model.variants import Variants

__all__ = ["Workspace"]


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
        declare(self.graph, self.inputs)
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

    def input(self, group: str, names: Sequence[str], first: bool = False) -> list[Expr]:
        """Inputs that are not in the description, in a group of the table; `first`: before all others."""
        for name in names:
            if any(name in others for others in self.inputs.values()):
                raise InputError(f"{name} is an input of this model and cannot be a symbol of the robot")
        last = {g: n for g, n in self.inputs.items() if g == "parameters"}
        rest = {g: n for g, n in self.inputs.items() if g != "parameters"}
        new = {group: tuple(names)}
        self.inputs = {**new, **rest, **last} if first else {**rest, **new, **last}
        declare(self.graph, {group: names})
        return [self.graph.symbol(name) for name in names]

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

    def model(self, kind: str, title: str, outputs: Mapping[str, Layout], variants: Variants | None = None) -> Model:
        """The model of what was defined; `kind` is the extension of the guide's Appendix 5.1."""
        parts = (self.robot.name, kind, title, self.inputs, outputs, self.definitions, self.graph, self.robot)
        return Model(*parts, variants=variants)
