"""The expression graph: every model is a set of named nodes of one `Graph`.

Equal expressions are one node (hash-consing), so a common sub-expression never exists twice. A sign is not a node:
each node has two references, `x` and its twin `-x`, so that `-(a*b)`, `(-a)*b`, and `a-b` versus `b-a` share one node.
Constants are exact fractions; a float stands only where the user gave one. Nodes are numbered in the order of their
creation, arguments first: sorting any set of nodes by `index` gives an order of evaluation, and no traversal recurses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator
from enum import IntEnum
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Union

from robosym.algebra.operations import FUNCTIONS, Parity
from robosym.errors import ExpressionError

__all__ = ["Expr", "Graph", "Level", "Number", "needed", "reachable", "split_coefficient", "symbols"]

Number = Union[int, float, Fraction]

#: Beyond this many bits an exact fraction becomes a float: it is no longer a number that anyone wrote.
_EXACT_BITS = 512


class Level(IntEnum):
    """What a node depends on: nothing, parameters alone (off line), or joint variables (on line)."""

    NUMBER = 0
    OFFLINE = 1
    ONLINE = 2


class Expr:
    """A signed reference to a node. Arithmetic builds new nodes in the same graph; equality is identity."""

    __slots__ = ("_twin", "args", "graph", "index", "level", "negative", "node", "op", "value")

    graph: Graph
    index: int  #: place of the node in its graph, arguments before their users
    op: str  #: "number", "pi", "symbol", "add", "mul", "div" or the name of a function
    args: tuple[Expr, ...]  #: of the positive node
    value: Any  #: the number of a "number" (never negative), the name of a "symbol"
    level: Level
    node: Expr  #: the positive reference
    negative: bool

    def __init__(self, graph: Graph, index: int, op: str, args: tuple[Expr, ...], value: Any, level: Level) -> None:
        self.graph = graph
        self.index = index
        self.op = op
        self.args = args
        self.value = value
        self.level = level
        self.node = self
        self.negative = False
        self._twin: Expr | None = None

    def __neg__(self) -> Expr:
        twin = self._twin
        if twin is None:
            twin = Expr(self.graph, self.index, self.op, self.args, self.value, self.level)
            twin.node = self
            twin.negative = True
            twin._twin = self
            self._twin = twin
        return twin

    def __pos__(self) -> Expr:
        return self

    def __add__(self, other: Expr | Number) -> Expr:
        return self.graph.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Expr | Number) -> Expr:
        return self.graph.add(self, -other)

    def __rsub__(self, other: Expr | Number) -> Expr:
        return self.graph.add(-self, other)

    def __mul__(self, other: Expr | Number) -> Expr:
        return self.graph.mul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Expr | Number) -> Expr:
        return self.graph.div(self, other)

    def __rtruediv__(self, other: Expr | Number) -> Expr:
        return self.graph.div(other, self)

    def __pow__(self, exponent: Expr | Number) -> Expr:
        return self.graph.power(self, exponent)

    @property
    def is_zero(self) -> bool:
        return self is self.graph.zero

    @property
    def is_number(self) -> bool:
        """A plain number, exact or float (Pi and sqrt(2) are constants too, but not plain numbers)."""
        return self.op == "number"

    @property
    def number(self) -> Fraction | float:
        """The signed value of a plain number."""
        value: Fraction | float = self.value
        return -value if self.negative else value

    @property
    def name(self) -> str | None:
        """The name of a symbol that stands alone and without a minus, else None."""
        return self.value if self.op == "symbol" and not self.negative else None

    def signed(self, negative: bool) -> Expr:
        """This reference, its sign turned where `negative`."""
        return -self if negative else self

    def terms(self) -> tuple[Expr, ...]:
        """The two signed terms of a sum."""
        a, b = self.args
        return (-a, -b) if self.negative else (a, b)

    def __str__(self) -> str:
        from robosym.algebra.text import to_text

        return to_text(self)

    def __repr__(self) -> str:
        return f"Expr({self})"

    def __float__(self) -> float:
        """The value of a constant expression."""
        from robosym.algebra.interpret import numeric_value

        value = numeric_value(self)
        if value is None:
            raise ExpressionError(f"{self} holds a symbol: it has no number")
        return value

    def _sympy_(self) -> Any:
        """What SymPy asks for when an expression meets its own."""
        from robosym.algebra.sympy_bridge import to_sympy

        return to_sympy([self])[0]

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Graph, int, bool]]:
        return _restore, (self.graph, self.index, self.negative)


def _restore(graph: Graph, index: int, negative: bool) -> Expr:
    return graph.nodes[index].signed(negative)


class Graph:
    """The nodes of one model or one robot. `parameters=True` symbols are off line unless declared on line."""

    def __init__(self) -> None:
        self.nodes: list[Expr] = []
        self._leaves: dict[tuple[Any, ...], Expr] = {}
        self._binary: dict[str, dict[int, Expr]] = {"add": {}, "mul": {}, "div": {}}  # by the two indices packed in one
        self._applied: dict[tuple[Any, ...], Expr] = {}
        self._turned: dict[tuple[str, Expr], Expr] = {}
        self._expected: set[str] = set()
        self.worked_out: dict[Expr, float] = {}  #: values of constant nodes, kept by `numeric_value`
        self.zero = self._leaf("number", Fraction(0), Level.NUMBER)
        self.zero._twin = self.zero
        self.one = self._leaf("number", Fraction(1), Level.NUMBER)
        self.pi = self._leaf("pi", None, Level.NUMBER)

    def __len__(self) -> int:
        return len(self.nodes)

    # ------------------------------------------------------------------ leaves

    def _new(self, op: str, args: tuple[Expr, ...], value: Any, level: Level) -> Expr:
        node = Expr(self, len(self.nodes), op, args, value, level)
        self.nodes.append(node)
        return node

    def _leaf(self, op: str, value: Any, level: Level) -> Expr:
        # the class is part of the key: Fraction(1, 2) and 0.5 are equal but not the same constant
        key = (op, value, value.__class__)
        node = self._leaves.get(key)
        if node is None:
            node = self._leaves[key] = self._new(op, (), value, level)
        return node

    def _pair(self, op: str, a: Expr, b: Expr) -> Expr:
        """The node of a binary operation on a positive and a signed reference."""
        known = self._binary[op]
        key = a.index << 32 | b.index << 1 | b.negative
        node = known.get(key)
        if node is None:
            node = known[key] = self._new(op, (a, b), None, a.level if a.level > b.level else b.level)
        return node

    def symbol(self, name: str, online: bool | None = None) -> Expr:
        """The symbol `name`, declared on line or off line (also where nothing is said) by its first use.

        A later declaration that says otherwise is refused: nodes made in between would keep the wrong level.
        """
        known = self._leaves.get(("symbol", name, str))
        if known is None:
            if online is None:
                online = name in self._expected
            return self._leaf("symbol", name, Level.ONLINE if online else Level.OFFLINE)
        if online is not None and online is not (known.level is Level.ONLINE):
            wanted, found = ("on line", "off line") if online else ("off line", "on line")
            raise ExpressionError(f"the symbol {name} cannot be declared {wanted}: it is {found} already")
        return known

    def is_offline(self, name: str) -> bool:
        """Whether this is a symbol already, and one that is off line."""
        known = self._leaves.get(("symbol", name, str))
        return known is not None and known.level is not Level.ONLINE

    def expect_online(self, names: Iterable[str]) -> None:
        """Names that are on line once they occur; unlike `symbol` this makes no node, so the order is untouched."""
        self._expected.update(names)

    def number(self, value: Number) -> Expr:
        """A constant: exact for integers and fractions, a float as it is given."""
        if value.__class__ is int and -2 < value < 2:  # the zeros and ones that algorithms are full of
            return self.zero if value == 0 else self.one.signed(value < 0)
        exact: Any
        if isinstance(value, Rational):
            exact = Fraction(int(value.numerator), int(value.denominator))
            if exact.numerator.bit_length() > _EXACT_BITS or exact.denominator.bit_length() > _EXACT_BITS:
                try:
                    exact = float(exact)
                except OverflowError:
                    raise ExpressionError("a number is too large for a double") from None
        elif isinstance(value, Real):
            exact = float(value)
        else:
            raise ExpressionError(f"expected a number or an expression, found {value!r}")
        if isinstance(exact, float):
            if not math.isfinite(exact):
                raise ExpressionError(f"expected a finite number, found {exact}")
            if exact.is_integer() and abs(exact) < 2**53:
                exact = Fraction(int(exact))
        if exact < 0:
            return -self._leaf("number", -exact, Level.NUMBER)
        return self._leaf("number", exact, Level.NUMBER)

    def _take(self, value: Expr | Number) -> Expr:
        if isinstance(value, Expr):
            if value.graph is not self:
                raise ExpressionError("expressions of two graphs meet; copy one with Graph.copy first")
            return value
        return self.number(value)

    # -------------------------------------------------------------- operations

    def add(self, a: Expr | Number, b: Expr | Number) -> Expr:
        if not isinstance(a, Expr) or a.graph is not self:
            a = self._take(a)
        if not isinstance(b, Expr) or b.graph is not self:
            b = self._take(b)
        zero = self.zero
        if a is zero:
            return b
        if b is zero:
            return a
        if a.node is b.node:
            return zero if a is not b else self.mul(a, 2)
        if a.op == "number" and b.op == "number":
            return self.number(a.number + b.number)
        # (x + y) - y is x
        if a.op == "add" and (a.args[0] is b.node or a.args[1].node is b.node):
            x, y = a.terms()
            if x is -b:
                return y
            if y is -b:
                return x
        if b.op == "add" and (b.args[0] is a.node or b.args[1].node is a.node):
            x, y = b.terms()
            if x is -a:
                return y
            if y is -a:
                return x
        if (a.op == "mul" and a.args[0].op == "number") or (b.op == "mul" and b.args[0].op == "number"):
            # 2*x + 3*x is 5*x
            factor_a, base_a = split_coefficient(a)
            factor_b, base_b = split_coefficient(b)
            if base_a is base_b:
                return self.mul(base_a, self.number(factor_a + factor_b))
        if a.index > b.index:
            a, b = b, a
        negative = a.negative
        if negative:
            a, b = -a, -b
        node = self._pair("add", a, b)
        return -node if negative else node

    def mul(self, a: Expr | Number, b: Expr | Number) -> Expr:
        if not isinstance(a, Expr) or a.graph is not self:
            a = self._take(a)
        if not isinstance(b, Expr) or b.graph is not self:
            b = self._take(b)
        zero, one = self.zero, self.one
        if a is zero or b is zero:
            return zero
        negative = a.negative is not b.negative
        a, b = a.node, b.node
        if a is one:
            return -b if negative else b
        if b is one:
            return -a if negative else a
        if b.op == "number":
            a, b = b, a
        if a.op == "number":
            if b.op == "number":
                product = self.number(a.value * b.value)
                return -product if negative else product
            if b.op == "mul" and b.args[0].op == "number":
                product = self.mul(self.number(a.value * b.args[0].value), b.args[1])
                return -product if negative else product
        elif a.index > b.index:
            a, b = b, a
        node = self._pair("mul", a, b)
        return -node if negative else node

    def div(self, a: Expr | Number, b: Expr | Number) -> Expr:
        a, b = self._take(a), self._take(b)
        if b is self.zero:
            raise ExpressionError("division by zero")
        if a is self.zero:
            return a
        negative = a.negative is not b.negative
        a, b = a.node, b.node
        if a is b:
            quotient = self.one
        elif b.op == "number" and (isinstance(b.value, Fraction) or a.op == "number"):
            if a.op == "number":
                quotient = self.number(a.value / b.value)
            else:
                quotient = self.mul(self.number(1 / b.value), a)
        elif a.op == "mul" and b in a.args:
            quotient = a.args[0] if a.args[1] is b else a.args[1]
        else:
            quotient = self._pair("div", a, b)
        return -quotient if negative else quotient

    def power(self, base: Expr | Number, exponent: Expr | Number) -> Expr:
        """`base ** exponent`: products for small whole exponents, sqrt for 1/2, else the function pow."""
        base, exponent = self._take(base), self._take(exponent)
        power = exponent.number if exponent.op == "number" else None
        if power is not None and power == int(power) and -64 <= power <= 64:
            count = int(power)
            result = self.one
            for bit in f"{abs(count):b}":  # square and multiply, highest binary digit first
                result = self.mul(result, result)
                if bit == "1":
                    result = self.mul(result, base)
            return self.div(self.one, result) if count < 0 else result
        if power == Fraction(1, 2):
            return self.function("sqrt", base)
        return self.function("pow", base, exponent)

    def function(self, name: str, *arguments: Expr | Number) -> Expr:
        """A function of the algebra, simplified where its value is known exactly."""
        args = tuple(self._take(argument) for argument in arguments)
        function = FUNCTIONS.get(name)
        if function is None or function.arity != len(args):
            raise ExpressionError(f"{name} does not take {len(args)} arguments")
        if name == "sin" or name == "cos":
            known = self._turned.get((name, args[0]))  # algorithms ask for the same angle many times
            if known is None:
                from robosym.algebra.trigonometry import cosine, sine

                known = self._turned[name, args[0]] = sine(args[0]) if name == "sin" else cosine(args[0])
            return known
        if name == "sqrt" and args[0].op == "number" and isinstance(args[0].value, Fraction):
            value = args[0].value
            root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
            if root * root == value and not args[0].negative:
                return self.number(root)
        if args[0] is self.zero and function.zero_at_zero:
            return self.zero
        if name == "sign" and args[0].op == "number":
            return self.one.signed(args[0].negative)
        result = self.apply(name, args)
        if result.level is Level.NUMBER:
            from robosym.algebra.interpret import numeric_value

            numeric_value(result)  # raises where it has no value: log(0), acos(2)
        return result

    def apply(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """The node of a function as it stands; the sign of an odd or even function's argument is pulled out."""
        negative = False
        if args[0].negative and (parity := FUNCTIONS[name].parity):
            negative = parity is Parity.ODD
            args = (args[0].node,)
        key = (name, *((a.index, a.negative) for a in args))
        node = self._applied.get(key)
        if node is None:
            node = self._applied[key] = self._new(name, args, None, max(a.level for a in args))
        return -node if negative else node

    # -------------------------------------------------------------------- copy

    def copy(self, expressions: Iterable[Expr]) -> list[Expr]:
        """The same expressions in this graph; symbols of the same name become one."""
        from robosym.algebra.interpret import rebuild

        return rebuild(expressions, self, {})

    def __getstate__(self) -> list[tuple[str, tuple[int, ...], Any, int]]:
        """Flat, so that pickling a deep graph does not recurse."""
        return [
            (n.op, tuple(~a.index if a.negative else a.index for a in n.args), n.value, int(n.level))
            for n in self.nodes[3:]
        ]

    def __setstate__(self, state: list[tuple[str, tuple[int, ...], Any, int]]) -> None:
        self.__init__()  # type: ignore[misc]
        for op, refs, value, level in state:
            args = tuple(-self.nodes[~r] if r < 0 else self.nodes[r] for r in refs)
            if not args:
                self._leaf(op, value, Level(level))
            elif op in self._binary:
                self._pair(op, *args)
            else:
                self.apply(op, args)


def split_coefficient(expression: Expr) -> tuple[Fraction | float, Expr]:
    """`-2*x` is (-2, x); `x` is (1, x)."""
    node = expression.node
    if node.op == "mul" and node.args[0].op == "number":
        factor, base = node.args[0].value, node.args[1]
    else:
        factor, base = Fraction(1), node
    return (-factor if expression.negative else factor), base


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


def needed(graph: Graph, roots: Iterable[Expr]) -> list[Expr]:
    """The same as `reachable`, by one pass over the whole graph: faster where most of it is reached."""
    nodes = graph.nodes
    marked = bytearray(len(nodes))
    for root in roots:
        marked[root.index] = 1
    for index in range(len(nodes) - 1, -1, -1):
        if marked[index]:
            for argument in nodes[index].args:
                marked[argument.index] = 1
    return [node for node, mark in zip(nodes, marked, strict=True) if mark]


def symbols(roots: Iterable[Expr]) -> Iterator[str]:
    """Names of the symbols that occur in the roots, in order of creation."""
    return (node.value for node in reachable(root for root in roots if root.level) if node.op == "symbol")
