"""Problems that differ in names alone, such as those of the legs of a robot: what solves one solves the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from robosym.algebra import Expr, Graph, reachable, substitute
from robosym.chains.chain import PoseProblem
from robosym.model.solution.steps import Step, Variable

__all__ = ["AlikeProblems"]


class AlikeProblems:
    """The closed forms of some problems, by what these are but for the names of their symbols."""

    def __init__(self) -> None:
        self._solved: dict[Any, tuple[list[str], tuple[Step, ...]]] = {}

    def keep(self, problem: PoseProblem, steps: tuple[Step, ...]) -> None:
        key, names = _form(problem)
        self._solved[key] = names, steps

    def steps(self, problem: PoseProblem) -> tuple[Step, ...] | None:
        """Of a problem that was solved under other names."""
        key, names = _form(problem)
        if key not in self._solved:
            return None
        before, steps = self._solved[key]
        called = dict(zip(before, names, strict=True))
        for step in steps:  # names of sums of joints
            if step.joint not in called:
                called[step.joint] = _name(step.variable, called)
        return tuple(_renamed(step, called, problem.chain.graph) for step in steps)


def _form(problem: PoseProblem) -> tuple[Any, list[str]]:
    """What the chain is, symbols by the order in which they occur, and their names in this order."""
    chain = problem.chain
    names = {name: place for place, name in enumerate(chain.names)}
    transforms = (*chain.constants, problem.target)
    entries = [entry for T in transforms for entry in (*(x for row in T.A.rows for x in row), *T.P)]
    nodes = reachable(entries)
    place = {node: at for at, node in enumerate(nodes)}

    def reference(e: Expr) -> tuple[int, bool]:
        return place[e.node], e.negative

    table = []
    for node in nodes:
        value = names.setdefault(node.value, len(names)) if node.op == "symbol" else node.value
        table.append((node.op, value, *map(reference, node.args)))
    joints = tuple((j.prismatic, j.sign, j.name in problem.unknown) for j in chain.joints)
    return (problem.given, joints, tuple(table), tuple(map(reference, entries))), list(names)


def _name(variable: Variable, called: Mapping[str, str]) -> str:
    (first, _), *rest = variable.terms
    name = called[first] + "".join(f"{'p' if sign > 0 else 'm'}{called[other]}" for other, sign in rest)
    while name in called.values():
        name += "_"
    return name


def _renamed(step: Step, called: Mapping[str, str], graph: Graph) -> Step:
    symbols = {old: graph.symbol(new) for old, new in called.items()}
    terms = tuple((called[name], sign) for name, sign in step.variable.terms)
    coefficients = tuple(tuple(substitute(row, graph, symbols)) for row in step.coefficients)
    variable = replace(step.variable, terms=terms)
    return replace(step, joint=called[step.joint], variable=variable, coefficients=coefficients)
