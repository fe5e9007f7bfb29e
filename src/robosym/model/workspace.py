"""Workspace in which an algorithm builds a model: one graph, inputs by group, and named variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from robosym.algebra import Expr, Graph, Number, parse
from robosym.algebra.graph import collector_paused
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import Note
from robosym.model.domain import Domain
from robosym.model.groups import declare, input_groups, with_parameters
from robosym.model.model import Model
from robosym.model.naming import Definitions, Layout, entry_name
from robosym.model.origin import Origin
from robosym.spatial import Mat3, Scalar, Vec3

__all__ = ["Workspace"]

Kind = TypeVar("Kind", bound=Model)


class Workspace:
    """A copy of a robot's description in a new graph, with online symbols declared.

    As a context manager it pauses the garbage collector, which would traverse a growing graph in which every object is
    in use. This halves the generation time of a large model.
    """

    def __init__(self, robot: Robot, groups: Sequence[str], joints: Mapping[str, Sequence[int]] | None = None) -> None:
        """Declare the inputs of the model.

        `groups` are the groups of inputs in order, and `joints` selects the joints of a group; see `input_groups`.
        """
        with self:
            self._fill(robot, groups, joints or {})

    def _fill(self, robot: Robot, groups: Sequence[str], joints: Mapping[str, Sequence[int]]) -> None:
        self.robot = robot
        self.graph = Graph()
        self.inputs = input_groups(robot, groups, joints)
        self.definitions = Definitions()
        self.note: Note = self.name_of_index
        self.domain: Domain | None = None  #: domain of the models of this workspace
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
        """Return an expression of the description in this graph."""
        return self._copies[entry]

    def input(self, group: str, names: Sequence[str], first: bool = False) -> list[Expr]:
        """Declare inputs that are not in the description; with `first`, their group precedes all others."""
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
        """Return a value that is not in the description; its symbols become parameters of the model."""
        value = parse(entry, self.graph) if isinstance(entry, str) else self.graph.number(entry)
        self.inputs = with_parameters(self.inputs, [value])
        return value

    def define(self, name: str, value: Scalar) -> Expr:
        """Name a value and return it."""
        known = self._taken(value)
        self.definitions.define(name, known)
        return known

    def name_of_index(self, prefix: str, j: int, value: Any) -> Any:
        """Name a value of index j and return it: a scalar Xj, a vector X1j X2j X3j, a matrix X11j .. X33j."""
        if not isinstance(value, Vec3 | Mat3):
            return self.define(f"{prefix}{j}", value)
        if not all(isinstance(entry, Expr) for entry in value):
            value = value.map(self._taken)
        self.definitions.note(prefix, j, value)
        return value

    def _taken(self, value: Any) -> Expr:
        return value if isinstance(value, Expr) else self.graph.number(value)

    def vector(self, prefix: str, entries: Mapping[int, Scalar] | Mapping[int | str, Scalar]) -> tuple[str, ...]:
        """Name entries by their index, Q1 Q2 ..., and return the names in order."""
        for index, entry in entries.items():
            self.define(f"{prefix}{index}", entry)
        return tuple(f"{prefix}{index}" for index in entries)

    def matrix(
        self,
        letter: str,
        entries: Sequence[Sequence[Scalar]],
        rows: Iterable[int | str] | None = None,
        columns: Iterable[int | str] | None = None,
    ) -> tuple[tuple[str, ...], ...]:
        """Name the entries of a matrix A11 A12 ... by row and column numbers, and return the layout."""
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
        """Return the model of the named variables; `kind` is the extension of the guide's Appendix 5.1.

        `of` is a subclass of `Model` for a model with further attributes, given as `more`.
        """
        return of(
            self.robot.name, kind, title, self.inputs, outputs, self.definitions.copy(), self.graph, self.robot,
            domain=self.domain, **more,
        )  # fmt: skip
