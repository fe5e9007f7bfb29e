"""The general method as data for the languages: the chain of six joints, how its elimination begins, and the functions
that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph
from robosym.model.model import Model
from robosym.model.solution.recipe import Printed

if TYPE_CHECKING:
    from robosym.mechanism import Robot

__all__ = ["EliminationRecipe"]


@dataclass(frozen=True)
class EliminationRecipe(Printed):
    """A function of arrays: `inputs` by group, all values of `outputs`; `chains/elimination` says what it is given."""

    name: str
    kind: str  #: as the guide's extensions: "ragn"
    title: str
    inputs: Mapping[str, tuple[str, ...]]  #: "T" (the desired matrix, row by row), "parameters"
    outputs: tuple[str, ...]
    lengths: frozenset[str]  #: which unknowns are lengths
    given: str  #: the columns of the pose that count
    steps: tuple[object, ...]  #: what is done, for people
    shape: tuple[int, ...]
    constants: tuple[Expr, ...]  #: of the chain: seven times three rows of four, over `graph`
    plans: tuple[float, ...]
    sources: tuple[str, ...]  #: the plain functions
    graph: Graph
    most: int
    robot: Robot | None = None
    goal: str = ""  #: whose pose T is, and in which frame

    @property
    def turns(self) -> bool:
        """Whether the whole rotation of the desired matrix is given."""
        return "sna" in self.given

    @property
    def read(self) -> dict[str, tuple[int, ...]]:
        """Of each group of inputs the places of the numbers that the solution depends on."""
        columns = ["snaP".index(column) for column in self.given]
        places = tuple(4 * row + column for row in range(3) for column in columns)
        return {group: places if group == "T" else tuple(range(len(names))) for group, names in self.inputs.items()}

    @property
    def model(self) -> Model:
        """From the parameters to the constants."""
        names = tuple(f"C{place}" for place in range(len(self.constants)))
        definitions = dict(zip(names, self.constants, strict=True))
        parameters = self.inputs.get("parameters", ())
        return Model(self.name, self.kind, self.title, {"parameters": parameters}, {"constants": names}, definitions,
                     self.graph)  # fmt: skip
