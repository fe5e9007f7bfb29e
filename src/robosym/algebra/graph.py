"""The expression graph: every model is a set of named nodes of one `Graph`.

Equal expressions are one node (hash-consing), so that a common subexpression exists once. A sign is not a node: each
node has two references, `x` and `-x`, so that `-(a*b)` and `(-a)*b`, and `a-b` and `b-a`, share one node. Constants are
exact fractions; floats come from the user only. Nodes are numbered in the order of their creation, arguments first:
sorting a set of nodes by `index` gives an order of evaluation, and no traversal is recursive.
"""

from __future__ import annotations

import gc
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, Union

from robosym.algebra.interpret import numeric_value, rebuild
from robosym.algebra.operations import FUNCTIONS, Level, Parity
from robosym.algebra.sympy_bridge import to_sympy
from robosym.algebra.text import to_text
from robosym.algebra.trigonometry import cosine, sine, split_coefficient
from robosym.errors import ExpressionError

if TYPE_CHECKING:
    import sympy

    from robosym.algebra.matrix import Scalar

__all__ = ["Expr", "Graph", "Number", "collector_paused", "rounded"]

Number = Union[int, float, Fraction]

Constant = Union[Fraction, float]  #: value of a number
_State = tuple[str, tuple[int, ...], Any, int]  #: pickled node: operation, arguments, value, level

#: Largest number of bits of an exact fraction; a longer one, which no user wrote, becomes a float.
_EXACT_BITS = 512
_LEVELS = tuple(Level)


class Expr:
    """A signed reference to a node; arithmetic creates nodes in the same graph, and equality is identity."""

    __slots__ = ("_negated", "args", "graph", "index", "node", "op")  # few: a large model is a million of these

    graph: Graph
    index: int  #: number of the node in its graph, larger than those of its arguments
    op: str  #: "number", "pi", "symbol", "add", "mul", "div" or the name of a function
    args: tuple[Expr, ...]  #: arguments of the node
    node: Expr  #: positive reference to the node

    def __init__(self, graph: Graph, index: int, op: str, args: tuple[Expr, ...]) -> None:
        self.graph = graph
        self.index = index
        self.op = op
        self.args = args
        self.node = self
        self._negated: Expr | None = None

    def __neg__(self) -> Expr:
        negated = self._negated
        if negated is None:
            negated = Expr(self.graph, self.index, self.op, self.args)
            negated.node = self
            negated._negated = self
            self._negated = negated
        return negated

    def __pos__(self) -> Expr:
        return self

    def __add__(self, other: Scalar) -> Expr:
        return self.graph.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Expr:
        return self.graph.add(self, other, True)

    def __rsub__(self, other: Scalar) -> Expr:
        return self.graph.add(other, self, True)

    def __mul__(self, other: Scalar) -> Expr:
        return self.graph.mul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Expr:
        return self.graph.div(self, other)

    def __rtruediv__(self, other: Scalar) -> Expr:
        return self.graph.div(other, self)

    def __pow__(self, exponent: Scalar) -> Expr:
        return self.graph.power(self, exponent)

    @property
    def negative(self) -> bool:
        """Whether this is the negated node."""
        return self.node is not self

    @property
    def level(self) -> Level:
        return _LEVELS[self.graph.levels[self.index]]

    @property
    def value(self) -> Any:
        """Magnitude of a "number", name of a "symbol", or None."""
        return self.graph.values.get(self.index)

    @property
    def is_zero(self) -> bool:
        return self is self.graph.zero

    @property
    def is_number(self) -> bool:
        """Whether this is a plain number, exact or float; Pi and sqrt(2) are constants but not plain numbers."""
        return self.op == "number"

    @property
    def number(self) -> Fraction | float:
        """Signed value of a plain number."""
        value: Fraction | float = self.value
        return -value if self.negative else value

    @property
    def name(self) -> str | None:
        """Name if the expression is a symbol with a positive sign, or None."""
        return self.value if self.op == "symbol" and not self.negative else None

    def signed(self, negative: bool) -> Expr:
        """Return this reference, negated if `negative`."""
        return -self if negative else self

    def terms(self) -> tuple[Expr, ...]:
        """Return the two signed terms of a sum."""
        a, b = self.args
        return (-a, -b) if self.negative else (a, b)

    def __str__(self) -> str:
        return to_text(self)

    def __repr__(self) -> str:
        return f"Expr({self})"

    def __float__(self) -> float:
        """Return the value of a constant expression."""
        value = numeric_value(self)
        if value is None:
            raise ExpressionError(f"expected a constant expression, found the symbols of {self}")
        return value

    def _sympy_(self) -> sympy.Expr:
        """Convert to SymPy, which calls this method in mixed expressions."""
        return to_sympy([self])[0]

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Graph, int, bool]]:
        return _restore, (self.graph, self.index, self.negative)


def _restore(graph: Graph, index: int, negative: bool) -> Expr:
    return graph.nodes[index].signed(negative)


class Graph:
    """The nodes of one model or one robot; symbols are offline unless they are declared online."""

    def __init__(self) -> None:
        self.nodes: list[Expr] = []
        self.levels = bytearray()  #: levels of the nodes by index
        self.values: dict[
            int, Constant | str | None
        ] = {}  #: values of numbers and symbols by index; other nodes, the majority, have none
        self._symbols: dict[str, Expr] = {}
        self._constants: dict[tuple[type, Number], Expr] = {}
        self._made: defaultdict[str, dict[tuple[Expr, ...], Expr]] = defaultdict(dict)  # by operation and arguments
        self._turned: dict[tuple[str, Expr], Expr] = {}
        self._expected: set[str] = set()
        self.worked_out: dict[Expr, float] = {}  #: values of constant nodes, cached by `numeric_value`
        self.zero = self._constant(Fraction(0))
        self.zero._negated = self.zero
        self.one = self._constant(Fraction(1))
        self.pi = self._leaf("pi", None, Level.NUMBER)
        self._small: dict[Number, Expr] = {0: self.zero, 1: self.one}  # the most frequent constants

    def __len__(self) -> int:
        return len(self.nodes)

    # ------------------------------------------------------------------ leaves

    def _leaf(self, op: str, value: Constant | str | None, level: Level) -> Expr:
        index = len(self.nodes)
        node = Expr(self, index, op, ())
        self.nodes.append(node)
        self.levels.append(level)
        self.values[index] = value
        return node

    def _constant(self, value: Fraction | float) -> Expr:
        # the class is part of the key, because Fraction(1, 2) == 0.5 but they are different constants
        key = (value.__class__, value)
        node = self._constants.get(key)
        if node is None:
            node = self._constants[key] = self._leaf("number", value, Level.NUMBER)
        return node

    def _node(self, op: str, args: tuple[Expr, ...]) -> Expr:
        """Return the node of an operation without simplification; the tuple of its arguments is also its key."""
        known = self._made[op]
        node = known.get(args)
        if node is None:
            levels = self.levels
            level = levels[args[0].index]
            for argument in args:
                if levels[argument.index] > level:
                    level = levels[argument.index]
            node = known[args] = Expr(self, len(levels), op, args)
            levels.append(level)
            self.nodes.append(node)
        return node

    def symbol(self, name: str, online: bool | None = None) -> Expr:
        """Return the symbol `name`, which its first use declares online or offline (the default).

        A different declaration later raises an error, because nodes created in between would have the wrong level.
        """
        known = self._symbols.get(name)
        if known is None:
            if online is None:
                online = name in self._expected
            known = self._symbols[name] = self._leaf("symbol", name, Level.ONLINE if online else Level.OFFLINE)
            return known
        if online is not None and online is not (known.level is Level.ONLINE):
            wanted, found = ("online", "offline") if online else ("offline", "online")
            raise ExpressionError(f"the symbol {name} cannot be declared {wanted}: it is {found} already")
        return known

    def is_offline(self, name: str) -> bool:
        """Return whether the graph has a symbol of this name that is offline."""
        known = self._symbols.get(name)
        return known is not None and known.level is not Level.ONLINE

    def symbols(self) -> Iterable[Expr]:
        """Return all symbols, in order of creation."""
        return self._symbols.values()

    def expect_online(self, names: Iterable[str]) -> None:
        """Declare names as online without creating nodes, so that the order of nodes does not change."""
        self._expected.update(names)

    def number(self, value: Scalar) -> Expr:
        """Return a constant, exact for integers and fractions."""
        if value.__class__ is int and value in self._small:
            return self._small[value]
        exact: Constant
        if isinstance(value, Rational):
            exact = Fraction(int(value.numerator), int(value.denominator))
            if exact.numerator.bit_length() > _EXACT_BITS or exact.denominator.bit_length() > _EXACT_BITS:
                exact = rounded(exact)
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
            return -self._constant(-exact)
        return self._constant(exact)

    def taken(self, value: Scalar) -> Expr:
        """Return an expression of this graph, converting a number to a constant."""
        if isinstance(value, Expr):
            if value.graph is not self:
                raise ExpressionError("expected expressions of one graph, found two graphs; use Graph.copy")
            return value
        return self.number(value)

    # -------------------------------------------------------------- operations

    def add(self, a: Scalar, b: Scalar, minus: bool = False) -> Expr:
        """Return a + b, or a - b with `minus`, without creating a reference to -b."""
        if not isinstance(a, Expr) or a.graph is not self:
            a = self.taken(a)
        if not isinstance(b, Expr) or b.graph is not self:
            b = self.taken(b)
        zero = self.zero
        if b is zero:
            return a
        if a is zero:
            return -b if minus else b
        # from here on a and b are nodes without signs
        minus_a, minus_b = a.node is not a, (b.node is not b) is not minus
        a, b = a.node, b.node
        if a is b:
            return zero if minus_a is not minus_b else self.mul(a.signed(minus_a), 2)
        a_op, b_op = a.op, b.op
        if a_op == "number" and b_op == "number":
            return self.number(a.signed(minus_a).number + b.signed(minus_b).number)
        # (x + y) - y is x
        if a_op == "add" and (a.args[0] is b or a.args[1].node is b):
            x, y = a.signed(minus_a).terms()
            if x is b.signed(not minus_b):
                return y
            if y is b.signed(not minus_b):
                return x
        if b_op == "add" and (b.args[0] is a or b.args[1].node is a):
            x, y = b.signed(minus_b).terms()
            if x is a.signed(not minus_a):
                return y
            if y is a.signed(not minus_a):
                return x
        if (a_op == "mul" and a.args[0].op == "number") or (b_op == "mul" and b.args[0].op == "number"):
            # 2*x + 3*x is 5*x
            factor_a, base_a = split_coefficient(a.signed(minus_a))
            factor_b, base_b = split_coefficient(b.signed(minus_b))
            if base_a is base_b:
                return self.mul(base_a, self.number(factor_a + factor_b))
        if a.index > b.index:
            a, b, minus_a, minus_b = b, a, minus_b, minus_a
        node = self._node("add", (a, b if minus_a is minus_b else -b))
        return -node if minus_a else node

    def mul(self, a: Scalar, b: Scalar) -> Expr:
        if not isinstance(a, Expr) or a.graph is not self:
            a = self.taken(a)
        if not isinstance(b, Expr) or b.graph is not self:
            b = self.taken(b)
        zero, one = self.zero, self.one
        if a is zero or b is zero:
            return zero
        negative = (a.node is a) is not (b.node is b)
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
        node = self._node("mul", (a, b))
        return -node if negative else node

    def div(self, a: Scalar, b: Scalar) -> Expr:
        a, b = self.taken(a), self.taken(b)
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
            quotient = self._node("div", (a, b))
        return -quotient if negative else quotient

    def power(self, base: Scalar, exponent: Scalar) -> Expr:
        """Return `base ** exponent`: products for small integer exponents, sqrt for 1/2, otherwise pow."""
        base, exponent = self.taken(base), self.taken(exponent)
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

    def function(self, name: str, *arguments: Scalar) -> Expr:
        """Return a function of the algebra, simplified if its value is known exactly."""
        args = tuple(self.taken(argument) for argument in arguments)
        function = FUNCTIONS.get(name)
        if function is None or function.arity != len(args):
            raise ExpressionError(f"unknown function {name} of {len(args)} arguments")
        if name == "sin" or name == "cos":
            known = self._turned.get((name, args[0]))  # algorithms use the same angle many times
            if known is None:
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
            numeric_value(result)  # raises an error if there is no value: log(0), acos(2)
        return result

    def apply(self, name: str, args: tuple[Expr, ...]) -> Expr:
        """Return the node of a function without simplification, but move the sign out of odd and even functions."""
        negative = False
        if args[0].negative and (parity := FUNCTIONS[name].parity):
            negative = parity is Parity.ODD
            args = (args[0].node,)
        node = self._node(name, args)
        return -node if negative else node

    # -------------------------------------------------------------------- copy

    def copy(self, expressions: Iterable[Expr]) -> list[Expr]:
        """Copy expressions into this graph, merging symbols of the same name."""
        return rebuild(expressions, self, {})

    def __getstate__(self) -> list[_State]:
        """Return a flat state, so that pickling a deep graph is not recursive."""
        return [
            (n.op, tuple(~a.index if a.negative else a.index for a in n.args), n.value, int(n.level))
            for n in self.nodes[3:]
        ]

    def __setstate__(self, state: list[_State]) -> None:
        self.__init__()  # type: ignore[misc]
        for op, refs, value, level in state:
            args = tuple(-self.nodes[~r] if r < 0 else self.nodes[r] for r in refs)
            if args:
                self._node(op, args)
            elif op == "symbol":
                self.symbol(value, level == Level.ONLINE)
            else:
                self._constant(value)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would traverse a growing graph in which all objects are in use."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def rounded(value: Fraction) -> float:
    """Return the nearest double."""
    try:
        return float(value)
    except OverflowError:
        raise ExpressionError("expected a number in the range of a double, found a larger one") from None
