"""Values, substitutions and exact derivatives of expressions, each one loop over the nodes in order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from robosym.algebra.graph import Expr, Graph, Level, Number, reachable, rebuild
from robosym.algebra.operations import OPERATIONS
from robosym.errors import ExpressionError

__all__ = ["derivatives", "evaluate", "numeric_value", "substitute"]


def evaluate(roots: Iterable[Expr], values: Mapping[str, float]) -> list[float]:
    """The value of each root on floats, for given values of the symbols."""
    roots = list(roots)
    value: dict[Expr, float] = {}
    for node in reachable(roots):
        value[node] = _value(node, value, values)
    return [_signed(root, value) for root in roots]


def numeric_value(expression: Expr) -> float | None:
    """The value of a constant expression, None where it holds a symbol."""
    if expression.level is not Level.NUMBER:
        return None
    known = expression.graph.worked_out
    stack = [expression.node]
    while stack:
        node = stack[-1]
        missing = [argument.node for argument in node.args if argument.node not in known]
        if missing:
            stack += missing
        else:
            known[node] = _value(node, known, {})
            stack.pop()
    return _signed(expression, known)


def _signed(reference: Expr, value: Mapping[Expr, float]) -> float:
    return -value[reference.node] if reference.negative else value[reference.node]


def _value(node: Expr, value: Mapping[Expr, float], symbols: Mapping[str, float]) -> float:
    """The value of a node from those of its arguments."""
    if node.op == "number":
        return float(node.value)
    if node.op == "pi":
        return math.pi
    if node.op == "symbol":
        if node.value not in symbols:
            raise ExpressionError(f"no value is given for the symbol {node.value}")
        return float(symbols[node.value])
    try:
        return OPERATIONS[node.op].value(*(_signed(argument, value) for argument in node.args))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ExpressionError(f"{node} has no finite value") from None


def substitute(roots: Iterable[Expr], graph: Graph, values: Mapping[str, Expr | Number]) -> list[Expr]:
    """The roots in `graph` with the named symbols replaced; an expression given as a value belongs to `graph`."""
    roots = list(roots)
    replaced = {
        node: value if isinstance(value, Expr) else graph.number(value)
        for node in reachable(roots)
        if node.op == "symbol" and (value := values.get(node.value)) is not None
    }
    return rebuild(roots, graph, replaced)


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
