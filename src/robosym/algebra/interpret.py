"""One walk over the nodes of expressions, whatever stands for their numbers.

What differs is the `Arithmetic`: floats and other expressions here, arrays in `samples`, residues modulo a prime in
`modular`, SymPy in `sympy_bridge`, and the libraries of `languages.bridges`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from robosym.algebra.graph import Expr, Graph, Level, Number, reachable
from robosym.algebra.operations import OPERATIONS
from robosym.errors import ExpressionError

__all__ = [
    "Arithmetic",
    "Expressions",
    "evaluate",
    "functions_of",
    "interpret",
    "numeric_value",
    "rebuild",
    "substitute",
]

Function = Callable[..., Any]


def functions_of(library: Any, column: str) -> dict[str, Function]:
    """The function of a library for each operation, by the names in a column of the table; + * / are Python's."""
    return {
        name: getattr(library, getattr(row, column)) if row.is_function else row.value
        for name, row in OPERATIONS.items()
    }


class Arithmetic:
    """Numbers of one kind, whose minus is `-`: what stands for constants, symbols and operations.

    `functions` holds the operations that need no more than the numbers they act on; `apply` serves the others.
    """

    pi: Any = math.pi

    def __init__(self, functions: Mapping[str, Function], symbols: Mapping[str, Any]) -> None:
        self.functions = functions
        self.symbols = symbols

    def number(self, value: Fraction | float) -> Any:
        return float(value)

    def symbol(self, node: Expr) -> Any:
        return self.symbols[node.value]

    def leaf(self, node: Expr) -> Any:
        """A node without arguments."""
        if node.op == "symbol":
            return self.symbol(node)
        return self.pi if node.op == "pi" else self.number(node.value)

    def apply(self, node: Expr, arguments: Sequence[Any]) -> Any:
        """A node whose operation is none of the `functions`, from what stands for its arguments."""
        raise AssertionError(node.op)


def interpret(
    roots: Iterable[Expr],
    arithmetic: Arithmetic,
    known: dict[Expr, Any] | None = None,
    nodes: Iterable[Expr] | None = None,
) -> list[Any]:
    """What stands for each root. Nodes in `known` are not looked into, and what is found is added to it.

    `nodes`, where they are at hand, are all those of the roots in an order of evaluation.
    """
    roots = list(roots)
    found = {} if known is None else known
    functions = arithmetic.functions
    for node in reachable(roots, found) if nodes is None else nodes:
        if node in found:
            continue
        args = node.args
        if args:
            arguments = []
            for a in args:
                value = found[a.node]
                arguments.append(value if a.node is a else -value)
            function = functions.get(node.op)
            found[node] = function(*arguments) if function else arithmetic.apply(node, arguments)
        else:
            found[node] = arithmetic.leaf(node)
    return [-found[root.node] if root.negative else found[root.node] for root in roots]


class _Floats(Arithmetic):
    def __init__(self, symbols: Mapping[str, float]) -> None:
        super().__init__({}, symbols)

    def symbol(self, node: Expr) -> float:
        if node.value not in self.symbols:
            raise ExpressionError(f"no value is given for the symbol {node.value}")
        return float(self.symbols[node.value])

    def apply(self, node: Expr, arguments: Sequence[float]) -> Any:
        try:
            return OPERATIONS[node.op].value(*arguments)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise ExpressionError(f"{node} has no finite value") from None


def evaluate(roots: Iterable[Expr], values: Mapping[str, float]) -> list[float]:
    """The value of each root on floats, for given values of the symbols."""
    return interpret(roots, _Floats(values))


def numeric_value(expression: Expr) -> float | None:
    """The value of a constant expression, None where it holds a symbol."""
    if expression.level is not Level.NUMBER:
        return None
    value: float
    [value] = interpret([expression], _Floats({}), expression.graph.worked_out)
    return value


class Expressions(Arithmetic):
    """Expressions of another graph, or of the same one."""

    def __init__(self, graph: Graph) -> None:
        super().__init__({"add": graph.add, "mul": graph.mul, "div": graph.div}, {})
        self.graph = graph
        self.pi = graph.pi

    def number(self, value: Fraction | float) -> Expr:
        return self.graph.number(value)

    def symbol(self, node: Expr) -> Expr:
        # off line may only mean that its graph, such as a robot's, declares nothing
        return self.graph.symbol(node.value, online=True if node.level is Level.ONLINE else None)

    def apply(self, node: Expr, arguments: Sequence[Expr]) -> Any:
        return self.graph.function(node.op, *arguments)


def rebuild(roots: Iterable[Expr], graph: Graph, replaced: Mapping[Expr, Expr]) -> list[Expr]:
    """The roots built anew in `graph`, each node in `replaced` giving way to what it is mapped to."""
    roots = list(roots)
    # what lies below a replaced node is built as well: the order of nodes, and so of terms, does not depend on it
    return interpret(roots, Expressions(graph), dict(replaced), reachable(roots))


def substitute(roots: Iterable[Expr], graph: Graph, values: Mapping[str, Expr | Number]) -> list[Expr]:
    """The roots in `graph` with the named symbols replaced; an expression given as a value belongs to `graph`."""
    roots = list(roots)
    replaced = {
        node: value if isinstance(value, Expr) else graph.number(value)
        for node in reachable(roots)
        if node.op == "symbol" and (value := values.get(node.value)) is not None
    }
    return rebuild(roots, graph, replaced)
