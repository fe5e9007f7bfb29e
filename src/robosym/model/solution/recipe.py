"""Solutions as data for the languages: inputs, outputs, and the steps or the elimination between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph, symbols
from robosym.model.model import Model, Printed
from robosym.model.solution.steps import Step

if TYPE_CHECKING:
    from robosym.mechanism import Robot

__all__ = ["EVERY_MODE", "EliminationRecipe", "Recipe", "StepsRecipe", "by_graph"]

#: text for the header of generated code if its rows belong to several assembly modes
EVERY_MODE = (
    "Rows of EVERY assembly mode of the loops are given, in no certain order. The mode of a row is k where row k of "
    "loop_geometry(robot).solve in robosym, at its motors ({motors}), has the same joints; 0 is the reference."
)


def by_graph(values: Iterable[Expr]) -> list[list[Expr]]:
    """Return expressions in order, grouped by graph; each loop has a separate graph."""
    return [list(part) for _, part in groupby(values, key=lambda value: id(value.graph))]


def _symbols(values: Iterable[Expr]) -> set[str]:
    return {name for part in by_graph(values) for name in symbols(part)}


@dataclass(frozen=True, kw_only=True)
class Recipe(Printed):
    """A function of arrays that returns all solutions: `inputs` by group, and the names of `outputs`."""

    name: str
    kind: str  #: extension of the guide: "pau", "pie", "ragn", "cgel"
    title: str
    inputs: Mapping[str, tuple[str, ...]]  #: "T" (the desired matrix, row by row), "q" (known joints), "parameters"
    outputs: tuple[str, ...]
    lengths: frozenset[str]  #: unknowns that are lengths
    robot: Robot | None = None
    goal: str = ""  #: description of the pose T: placed frame and frame of reference
    modes: str = ""  #: for a closed robot, description of the assembly modes of the rows
    geometry: str = ""  #: the changes of the geometry, if the solution is for a nearby special geometry

    @property
    @abstractmethod
    def turns(self) -> bool:
        """Whether the complete rotation of the desired matrix is given."""

    @property
    @abstractmethod
    def read(self) -> dict[str, tuple[int, ...]]:
        """Indices of the inputs that the solution depends on, by group."""


@dataclass(frozen=True, kw_only=True)
class StepsRecipe(Recipe):
    """A closed form: the branches of its steps, and the equations that verify them."""

    steps: tuple[Step, ...]
    checks: tuple[tuple[int, Expr], ...]  #: (number of preceding steps, an expression that is zero at a solution)

    @property
    def turns(self) -> bool:
        if "T" not in self.inputs:
            return False
        names = self.inputs["T"]
        used = _symbols(value for _, value in self.checks)
        return {names[4 * row + column] for row in range(3) for column in range(3)} <= used

    @property
    def read(self) -> dict[str, tuple[int, ...]]:
        values = [value for _, value in self.checks]
        values += [value for step in self.steps for equation in step.coefficients for value in equation]
        used = _symbols(values)
        return {
            group: tuple(place for place, name in enumerate(names) if name in used)
            for group, names in self.inputs.items()
        }

    @property
    def most(self) -> int:
        """Upper bound of the number of solutions."""
        return prod(step.branches for step in self.steps)


@dataclass(frozen=True, kw_only=True)
class EliminationRecipe(Recipe):
    """The general method: the chain of six joints, the start of its elimination, and the functions that perform it.

    The arguments of these functions are documented in `chains/elimination`.
    """

    given: str  #: columns of the pose that are used
    steps: tuple[object, ...]  #: steps for display
    shape: tuple[int, ...]
    constants: tuple[Expr, ...]  #: constants of the chain in `graph`, shape (7, 3, 4)
    plans: tuple[float, ...]
    sources: tuple[str, ...]  #: source code of the plain functions
    graph: Graph
    most: int

    @property
    def turns(self) -> bool:
        return "sna" in self.given

    @property
    def read(self) -> dict[str, tuple[int, ...]]:
        columns = ["snaP".index(column) for column in self.given]
        places = tuple(4 * row + column for row in range(3) for column in columns)
        return {group: places if group == "T" else tuple(range(len(names))) for group, names in self.inputs.items()}

    @property
    def model(self) -> Model:
        """Return the model of the constants as functions of the parameters."""
        names = tuple(f"C{place}" for place in range(len(self.constants)))
        definitions = dict(zip(names, self.constants, strict=True))
        parameters = self.inputs.get("parameters", ())
        return Model(self.name, self.kind, self.title, {"parameters": parameters}, {"constants": names}, definitions,
                     self.graph)  # fmt: skip
