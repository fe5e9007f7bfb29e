"""A closed-form solution as data for the languages: inputs, steps, outputs, and the equations that verify them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from robosym.algebra import Expr, symbols

if TYPE_CHECKING:  # NumPy comes with the steps; who prints a model needs neither
    from robosym.mechanism import Robot
    from robosym.model.solution.steps import Step

__all__ = ["EVERY_MODE", "Printed", "Recipe", "by_graph"]

#: what the header of printed code says where its rows are not of one assembly mode
EVERY_MODE = (
    "Rows of EVERY assembly mode of the loops are given, in no certain order. The mode of a row is k where row k of "
    "loop_geometry(robot).solve in robosym, at its motors ({motors}), has the same joints; 0 is the reference."
)

#: solutions that a step can add; of a pair there is one, and a second where its equations are one and the same
_SOLUTIONS = {"sine": 2, "pair": 1, "linear": 1, "quadratic": 2, "quartic": 4, "sine2": 4}


def by_graph(values: Iterable[Expr]) -> list[list[Expr]]:
    """Expressions in their order, those of one graph together: a loop has a graph of its own."""
    return [list(part) for _, part in groupby(values, key=lambda value: id(value.graph))]


def _symbols(values: Iterable[Expr]) -> set[str]:
    return {name for part in by_graph(values) for name in symbols(part)}


class Printed:
    """What languages print as a function that gives all solutions."""

    def code(self, language: str, **options: str) -> str:
        """A function that gives all solutions, in a language."""
        from robosym.languages.solution_code import solution_code

        return solution_code(self, language, **options)  # type: ignore[arg-type]

    def write(self, path: str | Path, language: str | None = None, name: str = "") -> list[Path]:
        """The function in a file, in the language of its extension, and what belongs beside it; gives the paths."""
        from robosym.languages.solution_code import write_solution

        return write_solution(self, path, language, name)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Recipe(Printed):
    """A function of arrays: `inputs` by group, all values of `outputs` by the branches of the steps."""

    name: str
    kind: str  #: as the guide's extensions: "pau", "pie", "cgel"
    title: str
    inputs: Mapping[str, tuple[str, ...]]  #: "T" (the desired matrix, row by row), "q" (known joints), "parameters"
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    lengths: frozenset[str]  #: which unknowns are lengths
    checks: tuple[tuple[int, Expr], ...]  #: (steps that must be done, an expression that vanishes at a solution)
    robot: Robot | None = None
    goal: str = ""  #: whose pose T is, and in which frame
    modes: str = ""  #: of a closed robot, which assembly modes of its loops the rows have, in words

    @property
    def turns(self) -> bool:
        """Whether the whole rotation of the desired matrix is given."""
        if "T" not in self.inputs:
            return False
        names = self.inputs["T"]
        used = _symbols(value for _, value in self.checks)
        return {names[4 * row + column] for row in range(3) for column in range(3)} <= used

    @property
    def read(self) -> dict[str, tuple[int, ...]]:
        """Of each group of inputs the places of the numbers that the solution depends on."""
        values = [value for _, value in self.checks]
        values += [value for step in self.steps for equation in step.coefficients for value in equation]
        used = _symbols(values)
        return {
            group: tuple(place for place, name in enumerate(names) if name in used)
            for group, names in self.inputs.items()
        }

    @property
    def most(self) -> int:
        """A bound of the number of solutions."""
        return prod(_SOLUTIONS.get(step.form, 1) for step in self.steps)
