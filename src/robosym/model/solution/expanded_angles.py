"""Replace unknown angles by their cosines and sines, expanding sums of angles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from robosym.algebra import Expr, Graph, reachable, rebuild, substitute
from robosym.algebra.trigonometry import from_terms, linear_terms

__all__ = ["Turn", "turned", "without_angles"]

Turn = tuple[Expr, Expr]  #: the cosine and sine of an unknown angle


def turned(
    angle: Expr, graph: Graph, unknown: Mapping[str, Turn], values: Mapping[str, Expr] | None = None
) -> tuple[Expr, Expr]:
    """Return cosine and sine, in `graph`, of a sum of unknown and known angles; for `values`, see `without_angles`."""
    c, s = graph.one, graph.zero
    rest: dict[Expr, Fraction | float] = {}
    for base, factor in linear_terms(angle).items():
        if base.op == "symbol" and base.value in unknown and factor in (1, -1):
            c2, s2 = unknown[base.value]
            s2 = s2 if factor > 0 else -s2
            c, s = c * c2 - s * s2, s * c2 + c * s2
        else:
            rest[base] = factor
    if rest:
        [known] = substitute([from_terms(angle.graph, rest)], graph, values or {})
        c2, s2 = graph.function("cos", known), graph.function("sin", known)
        c, s = c * c2 - s * s2, s * c2 + c * s2
    return c, s


def without_angles(
    roots: Sequence[Expr], graph: Graph, unknown: Mapping[str, Turn], values: Mapping[str, Expr] | None = None
) -> list[Expr]:
    """Return the roots in `graph` with the unknown angles replaced; `values` are the values of other symbols."""
    replaced: dict[Expr, Expr] = {}
    for node in reachable(roots):
        if node.op in ("sin", "cos") and _angles(node.args[0], unknown):
            c, s = turned(node.args[0], graph, unknown, values)
            replaced[node] = c if node.op == "cos" else s
        elif node.op == "symbol" and values and node.value in values:
            replaced[node] = values[node.value]
    return rebuild(roots, graph, replaced)


def _angles(angle: Expr, unknown: Mapping[str, Turn]) -> bool:
    return any(n.op == "symbol" and n.value in unknown for n in reachable([angle]))
