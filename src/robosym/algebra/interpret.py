"""One walk over the nodes of expressions, whatever stands for their numbers.

What differs is the `Arithmetic`: floats and other expressions here, arrays in `samples`, residues modulo a prime in
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
    """Every node that the roots are made of, in an order of evaluation; those in `known` are not looked into."""
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
    """The same as `reachable`, by one pass over the whole graph: faster where most of it is reached."""
    return tuple(compress(graph.nodes, _marks(graph, roots)))


def needed_symbols(graph: Graph, roots: Iterable[Expr]) -> Iterator[Expr]:
    """Of `needed` the symbols."""
    marked = _marks(graph, roots)
    return (symbol for symbol in graph.symbols() if marked[symbol.index])


def _marks(graph: Graph, roots: Iterable[Expr]) -> bytearray:
    """A one for each node of the graph that the roots are made of."""
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
    """Names of the symbols that occur in the roots, in order of creation."""
    roots = [root for root in roots if root.level]
    if len(roots) == 1 and roots[0].op == "symbol":  # what most entries of a description are
        return iter((roots[0].value,))
    return (node.value for node in reachable(roots) if node.op == "symbol")


# --------------------------------------------------------------------------------------------- what stands for them


class _Signed(Protocol):
    def __neg__(self) -> Self: ...


Value = TypeVar("Value", bound=_Signed)


def functions_of(library: object, column: str) -> dict[str, Callable[..., Any]]:
    """The function of a library for each operation, by the names in a column of the table; + * / are Python's."""
    return {
        name: getattr(library, getattr(row, column)) if row.is_function else row.value
        for name, row in OPERATIONS.items()
    }


class Arithmetic(Generic[Value]):
    """Numbers of one kind, whose minus is `-`: what stands for constants, symbols and operations.

    `functions` holds the operations that need no more than the numbers they act on; `apply` serves the others.
    """

    pi: Any = math.pi

    def __init__(self, functions: Mapping[str, Callable[..., Value]], symbols: Mapping[str, Any]) -> None:
        self.functions = functions
        self.symbols = symbols

    def number(self, value: Fraction | float) -> Any:
        return float(value)

    def symbol(self, node: Expr) -> Value:
        if node.value not in self.symbols:
            raise ExpressionError(f"no value is given for the symbol {node.value}")
        found: Value = self.symbols[node.value]
        return found

    def leaf(self, node: Expr) -> Value:
        """A node without arguments."""
        if node.op == "symbol":
            return self.symbol(node)
        found: Value = self.pi if node.op == "pi" else self.number(node.value)
        return found

    def apply(self, node: Expr, arguments: Sequence[Value]) -> Value:
        """A node whose operation is none of the `functions`, from what stands for its arguments."""
        raise AssertionError(node.op)


def interpret(
    roots: Iterable[Expr],
    arithmetic: Arithmetic[Value],
    known: dict[Expr, Value] | None = None,
    nodes: Iterable[Expr] | None = None,
) -> list[Value]:
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


class _Floats(Arithmetic[float]):
    def symbol(self, node: Expr) -> float:
        return float(super().symbol(node))

    def apply(self, node: Expr, arguments: Sequence[float]) -> float:
        try:
            return OPERATIONS[node.op].value(*arguments)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise ExpressionError(f"{node} has no finite value") from None


def evaluate(roots: Iterable[Expr], values: Mapping[str, float]) -> list[float]:
    """The value of each root on floats, for given values of the symbols."""
    return interpret(roots, _Floats({}, values))


def numeric_value(expression: Expr) -> float | None:
    """The value of a constant expression, None where it holds a symbol."""
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
        # off line may only mean that its graph, such as a robot's, declares nothing
        return self.graph.symbol(node.value, online=True if node.level is Level.ONLINE else None)

    def apply(self, node: Expr, arguments: Sequence[Expr]) -> Expr:
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
        node: graph.taken(value)
        for node in reachable(roots)
        if node.op == "symbol" and (value := values.get(node.value)) is not None
    }
    return rebuild(roots, graph, replaced)
