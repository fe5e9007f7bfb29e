"""Exact derivatives of expressions, by one loop over the nodes in order for each variable."""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra.graph import Expr, reachable
from robosym.algebra.operations import OPERATIONS

__all__ = ["derivatives"]


def derivatives(roots: Sequence[Expr], variables: Sequence[str]) -> list[list[Expr]]:
    """Exact partial derivatives, a row for each root and a column for each variable (forward accumulation)."""
    if not roots:
        return []
    graph = roots[0].graph
    nodes = reachable(roots)
    partials = {node: OPERATIONS[node.op].partials(node, *node.args) for node in nodes if node.args}
    columns: list[list[Expr]] = []
    for variable in variables:
        rate: dict[Expr, Expr] = {}  # only the nodes that depend on the variable
        for node in nodes:
            if node.op == "symbol" and node.value == variable:
                rate[node] = graph.one
            elif node.args and any(a.node in rate for a in node.args):
                total = graph.zero
                for argument, partial in zip(node.args, partials[node], strict=True):
                    inner = rate.get(argument.node)
                    if inner is not None:
                        total = total + partial * inner.signed(argument.negative)
                if not total.is_zero:
                    rate[node] = total
        columns.append([rate.get(root.node, graph.zero).signed(root.negative) for root in roots])
    return [[column[i] for column in columns] for i in range(len(roots))]
