"""Where an algorithm builds a model of a robot: one graph, its inputs by group, and the names given on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from robosym.algebra import Expr, Graph, Number, parse, symbols
from robosym.algebra.graph import collector_paused
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import Note
from robosym.model.domain import Domain
from robosym.model.groups import declare, input_groups
from robosym.model.model import Model
from robosym.model.naming import Definitions, Layout, entry_name
from robosym.model.origin import Origin
from robosym.spatial import Mat3, Scalar, Vec3

__all__ = ["Workspace"]

Kind = TypeVar("Kind", bound=Model)


class Workspace:
    """A robot's description copied into a fresh graph whose on-line symbols are declared.

    As a context it pauses the garbage collector, which would walk over a growing graph that is all alive (measured:
    half of the time of a large model).
    """

    def __init__(self, robot: Robot, groups: Sequence[str], joints: Mapping[str, Sequence[int]] | None = None) -> None:
        """`groups` are the inputs of the model, in order, and `joints` whose motion or torque they hold.

        See `input_groups`.
        """
        with self:
            self._fill(robot, groups, joints or {})

    def _fill(self, robot: Robot, groups: Sequence[str], joints: Mapping[str, Sequence[int]]) -> None:
        self.robot = robot
        self.graph = Graph()
        self.inputs = input_groups(robot, groups, joints)
        self.definitions = Definitions()
        self.note: Note = self.name_of_index
        self.domain: Domain | None = None  #: of the models made here
        declare(self.graph, self.inputs)
        entries = list(dict.fromkeys(value for _, _, value in robot.entries()))
        self._copies = dict(zip(entries, self.graph.copy(entries), strict=True))

    def __enter__(self) -> Workspace:
        self._paused = collector_paused()
        self._paused.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._paused.__exit__(None, None, None)

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

    def define(self, name: str, value: Scalar) -> Expr:
        """Give a value its name; the value is passed on."""
        known = self._taken(value)
        self.definitions.define(name, known)
        return known

    def name_of_index(self, prefix: str, j: int, value: Any) -> Any:
        """Give the value of index j its name: a vector's are X1j X2j X3j, a matrix's X11j .. X33j, a scalar's Xj."""
        if not isinstance(value, Vec3 | Mat3):
            return self.define(f"{prefix}{j}", value)
        if not all(isinstance(entry, Expr) for entry in value):
            value = value.map(self._taken)
        self.definitions.note(prefix, j, value)
        return value

    def _taken(self, value: Any) -> Expr:
        return value if isinstance(value, Expr) else self.graph.number(value)

    def vector(self, prefix: str, entries: Mapping[int, Scalar]) -> tuple[str, ...]:
        """Name entries by their index, Q1 Q2 ...; the names in order."""
        for index, entry in entries.items():
            self.define(f"{prefix}{index}", entry)
        return tuple(f"{prefix}{index}" for index in entries)

    def matrix(
        self,
        letter: str,
        entries: Sequence[Sequence[Scalar]],
        rows: Iterable[int] | None = None,
        columns: Iterable[int] | None = None,
    ) -> tuple[tuple[str, ...], ...]:
        """Name the entries of a matrix, A11 A12 ..., by the numbers of its rows and columns; its layout."""
        rows = tuple(range(1, len(entries) + 1) if rows is None else rows)
        columns = tuple(range(1, len(entries[0]) + 1 if entries else 1) if columns is None else columns)
        layout = tuple(tuple(entry_name(letter, r, c) for c in columns) for r in rows)
        for names, row in zip(layout, entries, strict=True):
            for name, entry in zip(names, row, strict=True):
                self.define(name, entry)
        return layout

    @overload
    def model(
        self,
        kind: str,
        title: str,
        outputs: Mapping[str, Layout],
        *,
        made: Origin | None = None,
        about: Mapping[str, str] = ...,
    ) -> Model: ...

    @overload
    def model(self, kind: str, title: str, outputs: Mapping[str, Layout], of: type[Kind], **more: Any) -> Kind: ...

    def model(
        self, kind: str, title: str, outputs: Mapping[str, Layout], of: type[Model] = Model, **more: Any
    ) -> Model:
        """The model of what was defined; `kind` is the extension of the guide's Appendix 5.1.

        `of` is the class of a model that knows more than its outputs, with its own fields as `more`.
        """
        return of(
            self.robot.name, kind, title, self.inputs, outputs, self.definitions.copy(), self.graph, self.robot,
            domain=self.domain, **more,
        )  # fmt: skip
