"""Values, substitutions and exact derivatives of expressions, each one loop over the nodes in order."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

from robosym.algebra.graph import Expr, Graph, Level, Number, reachable, rebuild
from robosym.errors import ExpressionError

__all__ = ["derivatives", "evaluate", "numeric_value", "substitute"]

_VALUE: dict[str, Callable[..., float]] = {
    "add": operator.add, "mul": operator.mul, "div": operator.truediv,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "abs": abs,
    "sign": lambda x: float((x > 0) - (x < 0)) if x == x else x, "pow": math.pow,
}  # fmt: skip


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
        return _VALUE[node.op](*(_signed(argument, value) for argument in node.args))
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


def _partials(node: Expr) -> Sequence[Expr]:
    """The derivative of a node by each of its arguments."""
    graph, args = node.graph, node.args
    x = args[0]
    match node.op:
        case "add":
            return graph.one, graph.one
        case "mul":
            return args[1], args[0]
        case "div":
            return 1 / args[1], -node / args[1]
        case "sin":
            return (graph.function("cos", x),)
        case "cos":
            return (-graph.function("sin", x),)
        case "tan":
            return (1 + node * node,)
        case "asin":
            return (1 / graph.function("sqrt", 1 - x * x),)
        case "acos":
            return (-1 / graph.function("sqrt", 1 - x * x),)
        case "atan":
            return (1 / (1 + x * x),)
        case "atan2":
            norm = args[0] * args[0] + args[1] * args[1]
            return args[1] / norm, -args[0] / norm
        case "sqrt":
            return (1 / (2 * node),)
        case "exp":
            return (node,)
        case "log":
            return (1 / x,)
        case "abs":
            return (graph.function("sign", x),)
        case "sign":  # constant wherever it can be differentiated
            return (graph.zero,)
        case "pow":
            base, exponent = args
            by_exponent = graph.zero if exponent.op == "number" else node * graph.function("log", base)
            return exponent * graph.power(base, exponent - 1), by_exponent
    raise AssertionError(node.op)


def derivatives(roots: Sequence[Expr], variables: Sequence[str]) -> list[list[Expr]]:
    """Exact partial derivatives, a row for each root and a column for each variable (forward accumulation)."""
    if not roots:
        return []
    graph = roots[0].graph
    nodes = reachable(roots)
    partials = {node: _partials(node) for node in nodes if node.args}
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
