"""Evaluate expressions over any type of number.

The number type is an `Arithmetic`: floats and expressions here, arrays in `samples`, residues modulo a prime in
`modular`, SymPy in `sympy_bridge`, and the libraries of `languages.bridges`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from robosym.algebra.operations import OPERATIONS, Level
from robosym.errors import ExpressionError

if TYPE_CHECKING:
    from typing_extensions import Self

    from robosym.algebra.graph import Expr, Graph, Number

__all__ = [
    "Arithmetic", "Expressions", "evaluate", "functions_of", "interpret", "needed", "needed_symbols", "numeric_value",
    "reachable", "rebuild", "substitute", "symbols",
]  # fmt: skip

# ---------------------------------------------------------------------------------- nodes in an order of evaluation


def reachable(roots: Iterable[Expr], known: Container[Expr] = ()) -> list[Expr]:
    """Return the nodes that the roots depend on, in an order of evaluation; nodes in `known` are not entered."""
    seen: dict[int, Expr] = {}
    stack = [root.node for root in roots]
    while stack:
        node = stack.pop()
        if node.index not in seen and node not in known:
            seen[node.index] = node
            for argument in node.args:
                stack.append(argument.node)
    return [seen[index] for index in sorted(seen)]


def needed(graph: Graph, roots: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return the same as `reachable` by one pass over the graph, which is faster if most nodes are reachable."""
    return tuple(compress(graph.nodes, _marks(graph, roots)))


def needed_symbols(graph: Graph, roots: Iterable[Expr]) -> Iterator[Expr]:
    """Return the symbols among the nodes of `needed`."""
    marked = _marks(graph, roots)
    return (symbol for symbol in graph.symbols() if marked[symbol.index])


def _marks(graph: Graph, roots: Iterable[Expr]) -> bytearray:
    """Return 1 for each node of the graph that the roots depend on, and 0 for the others."""
    nodes = graph.nodes
    marked = bytearray(len(nodes))
    for root in roots:
        marked[root.index] = 1
    for node in reversed(nodes):
        if marked[node.index]:
            for argument in node.args:
                marked[argument.index] = 1
    return marked


def symbols(roots: Iterable[Expr]) -> Iterator[str]:
    """Return the names of the symbols in the roots, in order of creation."""
    roots = [root for root in roots if root.level]
    if len(roots) == 1 and roots[0].op == "symbol":  # most entries of a description
        return iter((roots[0].value,))
    return (node.value for node in reachable(roots) if node.op == "symbol")


# --------------------------------------------------------------------------------------------- their values


class _Signed(Protocol):
    def __neg__(self) -> Self: ...


Value = TypeVar("Value", bound=_Signed)


def functions_of(library: object, column: str) -> dict[str, Callable[..., Any]]:
    """Return the library function of each operation, named in a column of the table; + * / are those of Python."""
    return {
        name: getattr(library, getattr(row, column)) if row.is_function else row.value
        for name, row in OPERATIONS.items()
    }


class Arithmetic(Generic[Value]):
    """A type of number that supports unary minus: values of constants and symbols, and operations on them.

    `functions` holds the operations that depend on their arguments only; `apply` implements the others.
    """

    pi: Any = math.pi

    def __init__(self, functions: Mapping[str, Callable[..., Value]], symbols: Mapping[str, Any]) -> None:
        self.functions = functions
        self.symbols = symbols

    def number(self, value: Fraction | float) -> Any:
        return float(value)

    def symbol(self, node: Expr) -> Value:
        if node.value not in self.symbols:
            raise ExpressionError(f"missing value for the symbol {node.value}")
        found: Value = self.symbols[node.value]
        return found

    def leaf(self, node: Expr) -> Value:
        """Return the value of a node without arguments."""
        if node.op == "symbol":
            return self.symbol(node)
        found: Value = self.pi if node.op == "pi" else self.number(node.value)
        return found

    def apply(self, node: Expr, arguments: Sequence[Value]) -> Value:
        """Return the value of a node whose operation is not in `functions`."""
        raise AssertionError(node.op)


def interpret(
    roots: Iterable[Expr],
    arithmetic: Arithmetic[Value],
    known: dict[Expr, Value] | None = None,
    nodes: Iterable[Expr] | None = None,
) -> list[Value]:
    """Return the value of each root.

    `known` holds values of nodes and is extended. `nodes`, if available, are all nodes of the roots in an order of
    evaluation.
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


class _Floats(Arithmetic[float]):
    def symbol(self, node: Expr) -> float:
        return float(super().symbol(node))

    def apply(self, node: Expr, arguments: Sequence[float]) -> float:
        try:
            return OPERATIONS[node.op].value(*arguments)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise ExpressionError(f"{node} has no finite value") from None


def evaluate(roots: Iterable[Expr], values: Mapping[str, float]) -> list[float]:
    """Return the value of each root as a float, for given values of the symbols."""
    return interpret(roots, _Floats({}, values))


def numeric_value(expression: Expr) -> float | None:
    """Return the value of a constant expression, or None if it contains a symbol."""
    if expression.level is not Level.NUMBER:
        return None
    return interpret([expression], _Floats({}, {}), expression.graph.worked_out)[0]


class Expressions(Arithmetic["Expr"]):
    """Expressions of another graph, or of the same one."""

    def __init__(self, graph: Graph) -> None:
        super().__init__({"add": graph.add, "mul": graph.mul, "div": graph.div}, {})
        self.graph = graph
        self.pi = graph.pi

    def number(self, value: Fraction | float) -> Expr:
        return self.graph.number(value)

    def symbol(self, node: Expr) -> Expr:
        # a symbol may be offline only because its graph, such as that of a robot, does not declare symbols
        return self.graph.symbol(node.value, online=True if node.level is Level.ONLINE else None)

    def apply(self, node: Expr, arguments: Sequence[Expr]) -> Expr:
        return self.graph.function(node.op, *arguments)


def rebuild(roots: Iterable[Expr], graph: Graph, replaced: Mapping[Expr, Expr]) -> list[Expr]:
    """Rebuild the roots in `graph`, replacing each node in `replaced`."""
    roots = list(roots)
    # arguments of replaced nodes are built as well, so that the order of nodes and terms does not depend on them
    return interpret(roots, Expressions(graph), dict(replaced), reachable(roots))


def substitute(roots: Iterable[Expr], graph: Graph, values: Mapping[str, Expr | Number]) -> list[Expr]:
    """Return the roots in `graph` with symbols replaced by values; a value that is an expression is in `graph`."""
    roots = list(roots)
    replaced = {
        node: graph.taken(value)
        for node in reachable(roots)
        if node.op == "symbol" and (value := values.get(node.value)) is not None
    }
    return rebuild(roots, graph, replaced)
