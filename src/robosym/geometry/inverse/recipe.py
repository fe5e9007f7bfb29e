"""A closed-form solution as data for the languages: inputs, steps, outputs, and the equations that verify them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr
from robosym.geometry.inverse.closure import Element, Knowledge
from robosym.geometry.inverse.problem import Problem
from robosym.geometry.inverse.steps import Step

__all__ = ["Recipe", "checks", "pose_recipe"]


@dataclass(frozen=True)
class Recipe:
    """A function of arrays: `inputs` by group, all values of `outputs` by the branches of the steps."""

    name: str
    kind: str  #: as the guide's extensions: "pau", "pie", "cgel"
    title: str
    inputs: Mapping[str, tuple[str, ...]]  #: "T" (the desired matrix, row by row), "q" (known joints), "parameters"
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    lengths: frozenset[str]  #: which unknowns are lengths
    checks: tuple[tuple[int, Expr], ...]  #: (steps that must be done, an expression that vanishes at a solution)


def checks(problem: Problem, after: int) -> list[tuple[int, Expr]]:
    """The given entries of the pose, as the chain gives them, minus what they should be."""
    closure = problem.closure
    chain = problem.chain
    graph = chain.graph
    everything = Knowledge({joint.name: graph.symbol(joint.name) for joint in chain.joints})
    sequence: list[Element] = [chain.constants[0]]
    for joint, constant in zip(chain.joints, chain.constants[1:], strict=True):
        sequence += [joint, constant]
    result = []
    for column in closure.given:
        place = "snaP".index(column)
        made = closure.known_column(sequence, place, everything)
        wanted = closure.target.P if place == 3 else closure.target.A.T.rows[place]
        result += [(after, a - b) for a, b in zip(made, wanted, strict=True)]
    return [(number, value) for number, value in result if value.args]


def pose_recipe(
    name: str, kind: str, title: str, problem: Problem, steps: Sequence[Step], inputs: Mapping[str, tuple[str, ...]]
) -> Recipe:
    lengths = frozenset(joint.name for joint in problem.chain.joints if joint.prismatic)
    return Recipe(name, kind, title, inputs, tuple(steps), problem.unknown, lengths, tuple(checks(problem, len(steps))))
