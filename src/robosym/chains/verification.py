"""The equations that verify a closed-form solution: the chain brought to the pose, entry by entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robosym.algebra import Expr
from robosym.chains.matrix_equations import Element, Knowledge
from robosym.chains.problem import Problem
from robosym.model.solution.recipe import Recipe
from robosym.model.solution.steps import Step

__all__ = ["checks", "pose_recipe"]


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
