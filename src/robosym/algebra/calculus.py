"""Exact derivatives of expressions: forward, a loop over the nodes for each variable, or backward, one for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from robosym.algebra.graph import Expr
from robosym.algebra.interpret import reachable
from robosym.algebra.operations import OPERATIONS

__all__ = ["derivatives", "gradient", "rates_of_change"]


def derivatives(roots: Sequence[Expr], variables: Sequence[str]) -> list[list[Expr]]:
    """Exact partial derivatives, a row for each root and a column for each variable (forward accumulation)."""
    if not roots:
        return []
    forward, one = _forward(roots), roots[0].graph.one
    columns = [forward({variable: one}) for variable in variables]
    return [[column[i] for column in columns] for i in range(len(roots))]


def rates_of_change(roots: Sequence[Expr], rates: Mapping[str, Expr]) -> list[Expr]:
    """How fast each root changes where symbols change at these rates, the others not at all: one walk for all."""
    return _forward(roots)(rates)


def _forward(roots: Sequence[Expr]) -> Callable[[Mapping[str, Expr]], list[Expr]]:
    """A function that gives the rates of the roots from those of some symbols."""
    nodes = reachable(roots)
    partials = {node: OPERATIONS[node.op].partials(node, *node.args) for node in nodes if node.args}

    def changing(rates: Mapping[str, Expr]) -> list[Expr]:
        graph = roots[0].graph
        rate: dict[Expr, Expr] = {}  # only the nodes that change
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
    """The derivative of sum(weight * root) by each variable, the weights held fixed (reverse accumulation).

    One walk from the roots down serves every variable, so that the result is a few times as long as the roots are.
    """
    if not roots:
        return []
    graph = roots[0].graph
    nodes = reachable(roots)
    moving = _depending(nodes, set(variables))
    felt: dict[Expr, Expr] = {}  # how the sum changes with each node

    def add(reference: Expr, share: Expr) -> None:
        if reference.node in moving:
            signed = share.signed(reference.negative)
            before = felt.get(reference.node)
            felt[reference.node] = signed if before is None else before + signed

    for root, weight in zip(roots, weights, strict=True):
        add(root, weight)
    by_name = dict.fromkeys(variables, graph.zero)
    for node in reversed(nodes):  # every use of a node comes after it
        share = felt.get(node)
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
    """The nodes, in an order of evaluation, that depend on one of the variables."""
    found: set[Expr] = set()
    for node in nodes:
        if node.value in variables if node.op == "symbol" else any(a.node in found for a in node.args):
            found.add(node)
    return found
