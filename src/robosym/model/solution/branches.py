"""One branch of a closed-form solution as expressions: angles by cosine and sine, lengths as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from robosym.algebra import Expr, Graph
from robosym.algebra.interpret import Expressions, interpret
from robosym.errors import InputError
from robosym.model.solution.steps import Step
from robosym.spatial import cos, sin
from robosym.spatial.vectors import KnownAngle

__all__ = ["branch_signs", "run_branch"]

_DECIDES = ("sine", "quadratic")  #: the forms with two values


class _Turning(Expressions):
    """Expressions of a graph in which turns replace the symbols of angles."""

    def __init__(self, graph: Graph, values: Mapping[str, Any]) -> None:
        super().__init__(graph)
        self.functions = {**self.functions, "add": _sum, "cos": cos, "sin": sin}
        self.values = values

    def symbol(self, node: Expr) -> Any:
        known = self.values.get(node.value)
        return super().symbol(node) if known is None else known


def _sum(a: Any, b: Any) -> Any:
    return b + a if isinstance(b, KnownAngle) else a + b


def branch_signs(steps: Sequence[Step]) -> list[tuple[int, ...]]:
    """Return the branches of a solution: for each, the sign of the root in every step with two roots."""
    return list(product(*((1, -1) for step in steps if step.form in _DECIDES)))


def run_branch(steps: Sequence[Step], signs: Sequence[int], graph: Graph, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the unknowns of the steps over a graph, from the `known` symbols (angles and expressions)."""
    values = dict(known)
    choice = iter(signs)
    for step in steps:
        c = interpret(step.coefficients[0], _Turning(graph, values))
        sign = next(choice) if step.form in _DECIDES else 1
        if step.form not in _FORMS:
            raise InputError(f"{step.joint} is a root of degree four: this leg has no closed form in square roots")
        values[step.joint] = _FORMS[step.form](c, sign)
    return values


def _root(value: Any) -> Any:
    return value.graph.function("sqrt", value)


def _sine(c: Sequence[Any], sign: int) -> KnownAngle:
    """X S + Y C + Z = 0."""
    X, Y, Z = c
    if X.is_zero or Y.is_zero:  # C or S alone
        one = Z / X if Y.is_zero else Z / Y
        other = _root(1 - one * one) * sign
        return KnownAngle(other, -one) if Y.is_zero else KnownAngle(-one, other)
    squared = X * X + Y * Y
    root = _root(squared - Z * Z) * sign
    return KnownAngle((-(Y * Z) - X * root) / squared, (Y * root - X * Z) / squared)


def _pair(c: Sequence[Any], sign: int) -> KnownAngle:
    X1, Y1, Z1, X2, Y2, Z2 = c
    D = X1 * Y2 - X2 * Y1
    s, c_ = Y1 * Z2 - Y2 * Z1, X2 * Z1 - X1 * Z2
    if D.is_number:
        return KnownAngle(c_ / D, s / D)
    over = 1 / D
    return KnownAngle(c_ * over, s * over)


def _quadratic(c: Sequence[Any], sign: int) -> Any:
    a0, a1, a2 = c
    if a1.is_zero:
        return _root(-(a0 / a2)) * sign
    return (_root(a1 * a1 - 4 * a0 * a2) * sign - a1) / (2 * a2)


_FORMS = {
    "difference": lambda c, sign: c[0],
    "linear": lambda c, sign: -(c[0] / c[1]),
    "sine": _sine,
    "pair": _pair,
    "quadratic": _quadratic,
}
