"""Sine and cosine of sums: one node for `t2 + t3` in any order, and exact values at multiples of Pi/2."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from robosym.algebra.operations import Level

if TYPE_CHECKING:
    from robosym.algebra.graph import Expr, Graph, Number

__all__ = ["cosine", "from_terms", "half_turns", "linear_terms", "sine", "split_coefficient"]

_Coefficient = Fraction | float


def split_coefficient(expression: Expr) -> tuple[Fraction | float, Expr]:
    """Return (-2, x) for `-2*x` and (1, x) for `x`."""
    node = expression.node
    if node.op == "mul" and node.args[0].op == "number":
        factor, base = node.args[0].value, node.args[1]
    else:
        factor, base = Fraction(1), node
    return (-factor if expression.negative else factor), base


def linear_terms(expression: Expr) -> dict[Expr, _Coefficient]:
    """Return a sum as {node: coefficient}, with the nodes 1 and Pi for the constant part."""
    terms: dict[Expr, _Coefficient] = {}
    stack: list[tuple[Expr, _Coefficient]] = [(expression, Fraction(1))]
    while stack:
        reference, factor = stack.pop()
        coefficient, base = split_coefficient(reference)
        if base.op == "number":
            base, coefficient = base.graph.one, coefficient * base.value
        coefficient = coefficient * factor
        if base.op == "add":
            stack.extend((term, coefficient) for term in base.args)
        else:
            terms[base] = terms.get(base, Fraction(0)) + coefficient
    return {base: terms[base] for base in sorted(terms, key=_order) if terms[base] != 0}


def _order(node: Expr) -> tuple[bool, int]:
    """Return a sort key with numbers last, so that angles that differ by a number share the other terms."""
    return node.level is Level.NUMBER, node.index


def from_terms(graph: Graph, terms: dict[Expr, _Coefficient]) -> Expr:
    """Return the sum of terms in canonical order; 2 a + 2 b becomes 2 (a + b)."""
    sums: dict[Expr | _Coefficient, tuple[_Coefficient, Expr]] = {}
    for base, coefficient in terms.items():
        size: _Coefficient = -coefficient if coefficient < 0 else coefficient
        key: Expr | _Coefficient = size if base.level and size != 1 else base
        known = sums[key][1] if key in sums else graph.zero
        sums[key] = size, graph.add(known, base.signed(coefficient < 0))
    total = graph.zero
    for factor, base in sums.values():
        total = graph.add(total, graph.mul(graph.number(factor), base))
    return total


def half_turns(angle: Expr | Number) -> int | None:
    """Return 0 or 1 for an exact even or odd multiple of Pi, and None for other angles."""
    if isinstance(angle, int | float | Fraction):
        return 0 if angle == 0 else None
    if angle.is_zero:
        return 0
    factor, base = split_coefficient(angle)
    return int(factor) % 2 if base is angle.graph.pi and factor == int(factor) else None


def sine(angle: Expr) -> Expr:
    graph = angle.graph
    if angle.op == "symbol":  # most angles are
        return graph.apply("sin", (angle,))
    terms = linear_terms(angle)
    turn = terms.pop(graph.pi, Fraction(0))
    if isinstance(turn, float):
        terms[graph.pi] = turn
        return graph.apply("sin", (from_terms(graph, terms),))
    quarters = round(2 * turn)  # number of quarter turns; the remainder is in [-Pi/4, Pi/4]
    rest = turn - Fraction(quarters, 2)
    if rest:
        terms[graph.pi] = rest
    if not terms:
        return graph.number((0, 1, 0, -1)[quarters % 4])
    remaining = from_terms(graph, terms)
    if set(terms) == {graph.pi} and quarters % 2 == 0 and abs(rest) == Fraction(1, 6):
        return graph.number(Fraction(1, 2)).signed((rest < 0) != (quarters % 4 == 2))
    value = graph.apply("cos" if quarters % 2 else "sin", (remaining,))
    return value.signed(quarters % 4 >= 2)


def cosine(angle: Expr) -> Expr:
    """Return cos(x) as sin(x + Pi/2)."""
    graph = angle.graph
    if angle.op == "symbol":
        return graph.apply("cos", (angle,))
    return sine(graph.add(angle, graph.mul(Fraction(1, 2), graph.pi)))
