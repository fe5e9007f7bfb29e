"""Exact derivatives of expressions: forward mode, with one pass per variable, and reverse mode, with one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from robosym.algebra.graph import Expr
from robosym.algebra.interpret import reachable
from robosym.algebra.operations import OPERATIONS

__all__ = ["derivatives", "gradient", "rates_of_change"]


def derivatives(roots: Sequence[Expr], variables: Sequence[str]) -> list[list[Expr]]:
    """Return exact partial derivatives, one row per root and one column per variable (forward mode)."""
    if not roots:
        return []
    forward, one = _forward(roots), roots[0].graph.one
    columns = [forward({variable: one}) for variable in variables]
    return [[column[i] for column in columns] for i in range(len(roots))]


def rates_of_change(roots: Sequence[Expr], rates: Mapping[str, Expr]) -> list[Expr]:
    """Return the time derivatives of the roots for given rates of symbols; other symbols are constant."""
    return _forward(roots)(rates)


def _forward(roots: Sequence[Expr]) -> Callable[[Mapping[str, Expr]], list[Expr]]:
    """Return a function that maps rates of symbols to rates of the roots."""
    nodes = reachable(roots)
    partials = {node: OPERATIONS[node.op].partials(node, *node.args) for node in nodes if node.args}

    def changing(rates: Mapping[str, Expr]) -> list[Expr]:
        graph = roots[0].graph
        rate: dict[Expr, Expr] = {}  # of the nodes that change
        for node in nodes:
            if node.op == "symbol":
                if node.value in rates:
                    rate[node] = rates[node.value]
            elif node.args and any(a.node in rate for a in node.args):
                total = graph.zero
                for argument, partial in zip(node.args, partials[node], strict=True):
                    inner = rate.get(argument.node)
                    if inner is not None:
                        total = total + partial * inner.signed(argument.negative)
                if not total.is_zero:
                    rate[node] = total
        return [rate.get(root.node, graph.zero).signed(root.negative) for root in roots]

    return changing


def gradient(roots: Sequence[Expr], weights: Sequence[Expr], variables: Sequence[str]) -> list[Expr]:
    """Return the derivative of sum(weight * root) with respect to each variable, for constant weights (reverse mode).

    One pass computes all derivatives, so that the result has a few times as many operations as the roots.
    """
    if not roots:
        return []
    graph = roots[0].graph
    nodes = reachable(roots)
    moving = _depending(nodes, set(variables))
    adjoints: dict[Expr, Expr] = {}  # derivative of the sum with respect to each node

    def add(reference: Expr, share: Expr) -> None:
        if reference.node in moving:
            signed = share.signed(reference.negative)
            before = adjoints.get(reference.node)
            adjoints[reference.node] = signed if before is None else before + signed

    for root, weight in zip(roots, weights, strict=True):
        add(root, weight)
    by_name = dict.fromkeys(variables, graph.zero)
    for node in reversed(nodes):  # all nodes that use a node come after it
        share = adjoints.get(node)
        if share is None or share.is_zero:
            continue
        if node.op == "symbol":
            by_name[node.value] = share
            continue
        for argument, partial in zip(node.args, OPERATIONS[node.op].partials(node, *node.args), strict=True):
            if argument.node in moving:
                add(argument, share * partial)
    return [by_name[name] for name in variables]


def _depending(nodes: Iterable[Expr], variables: set[str]) -> set[Expr]:
    """Return the nodes that depend on a variable; `nodes` are in an order of evaluation."""
    found: set[Expr] = set()
    for node in nodes:
        if node.value in variables if node.op == "symbol" else any(a.node in found for a in node.args):
            found.add(node)
    return found
