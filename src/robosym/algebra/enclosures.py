"""Enclosures of values, derivatives and rounding errors of one output over boxes of its inputs.

A forward pass encloses the value of every node, exact or computed with rounding errors. A backward pass encloses the
derivative of the output by every node. By the mean value theorem along the line from the exact to the computed values,
the error of the output is at most the sum over all nodes of the rounding error of the node times this derivative.
Nodes of one kind that do not depend on each other are evaluated together, in arrays with a row per node and a column
per box.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.graph import Expr
from robosym.algebra.interpret import reachable
from robosym.algebra.intervals import Interval, function_bounds
from robosym.algebra.operations import Level

__all__ = ["DOUBLE", "EXACT", "SINGLE", "Array", "Enclosure", "Output", "Rounding", "operation_bounds", "slopes_of"]

Array = NDArray[np.float64]
_Rows = NDArray[np.intp]
_FUNCTION = 4.0  #: error of a function such as sine in units of the rounding error: two units in the last place
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Rounding:
    """Rounding to nearest in a format of numbers, with or without fused multiply-add, and sums in any order."""

    unit: float  #: largest relative error of an operation
    least: float  #: smallest normal number: the error of a result that underflows, also if it is flushed to zero
    largest: float  #: largest finite number

    def of_number(self, value: Fraction | float) -> float:
        """Return the error of a constant."""
        exact = Fraction(value)
        if not self.unit or not exact:
            return 0.0
        near = float(exact) if self.unit == DOUBLE.unit else float(np.float32(float(exact)))
        return 0.0 if math.isfinite(near) and Fraction(near) == exact else self.unit * abs(float(exact)) + self.least


EXACT = Rounding(0.0, 0.0, np.inf)
DOUBLE = Rounding(2.0**-53, float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max))
SINGLE = Rounding(2.0**-24, float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max))


@dataclass(frozen=True)
class Enclosure:
    """Bounds of one output over boxes; all arrays have one entry per box."""

    value: Interval
    slopes: Mapping[str, Interval]  #: derivative by each input
    error: Array  #: rounding error


@dataclass
class _Group:
    """Nodes with the same operation that do not depend on each other: rows of their values and of their arguments."""

    op: str
    exact: bool  #: whether the operation is rounded correctly, unlike functions
    out: list[int] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)  #: of each node
    negative: list[list[bool]] = field(default_factory=list)
    waves: list[tuple[int, int, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places: _Rows = np.array([], dtype=np.intp)

    def close(self) -> None:
        """Convert the lists to arrays: arguments are flat, node by node for sums, else argument by argument."""
        self.places = np.array(self.out)
        self.counts = np.array([len(row) for row in self.rows])
        self.starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        self.flat = np.array([row for rows in self.rows for row in rows])
        self.signs = np.array([sign for signs in self.negative for sign in signs])[:, None]
        self.pairs = np.array(self.waves, dtype=np.intp).reshape(-1, 4).T

    def arguments(self, values: Interval) -> list[Interval]:
        """Return the arguments, all terms of all sums in one array."""
        flat = _signed(Interval(values.low[self.flat], values.high[self.flat]), self.signs)
        if self.op == "add":
            return [flat]
        arity = len(self.rows[0])
        return [Interval(flat.low[k::arity], flat.high[k::arity]) for k in range(arity)]


def _signed(value: Interval, negative: NDArray[np.bool_]) -> Interval:
    return Interval(np.where(negative, -value.high, value.low), np.where(negative, -value.low, value.high))


class Output:
    """An output as groups of nodes in an order of evaluation; sums may be added in any order."""

    def __init__(self, root: Expr) -> None:
        self.root = root
        nodes = reachable([root])
        uses = Counter(argument.node for node in nodes for argument in node.args)
        inner = {a.node for node in nodes if node.op == "add" for a in node.args if a.op == "add" and uses[a.node] == 1}
        inner.discard(root.node)
        kept = [node for node in nodes if node not in inner]
        self.rows = {node: row for row, node in enumerate(kept)}
        self.leaves = [node for node in kept if not node.args]
        self.inputs = [str(node.value) for node in self.leaves if node.op == "symbol"]
        level: dict[Expr, int] = {}
        groups: dict[tuple[int, str, bool], _Group] = {}
        for node in kept:
            terms = _terms(node, inner) if node.op == "add" else list(node.args)
            level[node] = 1 + max((level[term.node] for term in terms), default=-1)
            if terms:
                exact = node.op in ("add", "mul", "div", "sqrt") and node.level is not Level.NUMBER
                group = groups.setdefault((level[node], node.op, exact), _Group(node.op, exact))
                if node.op == "add":
                    before = sum(map(len, group.rows))
                    group.waves += [self._wave(before, terms, *pair) for pair in _waves(terms)]
                group.out.append(self.rows[node])
                group.rows.append([self.rows[term.node] for term in terms])
                group.negative.append([term.negative for term in terms])
        self.groups = [groups[key] for key in sorted(groups)]
        for group in self.groups:
            group.close()

    def _wave(self, before: int, terms: Sequence[Expr], *pair: int) -> tuple[int, int, int, int]:
        """Return the places of a pair of terms in the group, and the rows of their coefficients."""
        rows = []
        for place in pair:
            a, b = terms[place].args
            rows.append(self.rows[(b if a.op in ("sin", "cos") else a).node])
        return before + pair[0], before + pair[1], rows[0], rows[1]

    def over(
        self, box: Mapping[str, Interval], rounding: Rounding, given: Mapping[str, float] | None = None
    ) -> Enclosure:
        """Return bounds of the output over boxes of its inputs.

        Parameters
        ----------
        box : mapping of str to Interval
            Bounds of each input, with one entry per box.
        rounding : Rounding
            Arithmetic in which the output is computed.
        given : mapping of str to float, optional
            Rounding errors of inputs. Default: all inputs are exact.
        """
        found = _Pass(self, box, rounding, given or {})
        return found.backward()

    def value(self, box: Mapping[str, Interval]) -> Interval:
        """Return bounds of the exact value only."""
        return _Pass(self, box, EXACT, {}).result()


def _terms(node: Expr, inner: Iterable[Expr]) -> list[Expr]:
    """Return the signed terms of a sum, flattening sums that are used nowhere else."""
    found, waiting = [], list(node.args)
    while waiting:
        argument = waiting.pop()
        if argument.node in inner:
            waiting += [a.signed(argument.negative) for a in argument.node.args]
        else:
            found.append(argument)
    return found


def _waves(terms: Sequence[Expr]) -> list[tuple[int, int]]:
    """Return the indices of pairs of terms (a cos x, b sin x)."""
    found: dict[tuple[Expr, str], int] = {}
    for place, term in enumerate(terms):
        turning = [a for a in term.args if a.op in ("sin", "cos")] if term.op == "mul" else []
        if len(turning) == 1:
            found.setdefault((turning[0].args[0].node, turning[0].op), place)
    return [
        (place, found[angle, "sin"]) for (angle, op), place in found.items() if op == "cos" and (angle, "sin") in found
    ]


class _Pass:
    """A forward and a backward pass over some boxes."""

    def __init__(
        self, output: Output, box: Mapping[str, Interval], rounding: Rounding, given: Mapping[str, float]
    ) -> None:
        self.output, self.rounding = output, rounding
        self.boxes = len(next(iter(box.values())).low) if box else 1
        shape = len(output.rows), self.boxes
        self.values = Interval(np.zeros(shape), np.zeros(shape))
        self.errors = np.zeros(shape) if rounding.unit else None
        with np.errstate(all="ignore"):
            for node in output.leaves:
                self._leaf(node, box, given)
            for group in output.groups:
                value, error = self._computed(group)
                self._put(group.places, value, error)

    def _put(self, rows: Any, value: Interval, error: Array | float) -> None:
        """Store values, widened by their errors; an unknown end is infinite."""
        low, high = value.low, value.high
        if self.errors is not None:
            low, high = low - error, high + error
            outside = ~(np.maximum(np.abs(low), np.abs(high)) <= self.rounding.largest)
            self.errors[rows] = np.where(outside, np.inf, error)
            low, high = np.where(outside, -np.inf, low), np.where(outside, np.inf, high)
        self.values.low[rows] = np.where(np.isnan(low), -np.inf, low)
        self.values.high[rows] = np.where(np.isnan(high), np.inf, high)

    def _leaf(self, node: Expr, box: Mapping[str, Interval], given: Mapping[str, float]) -> None:
        row = self.output.rows[node]
        if node.op == "symbol":
            self._put(row, box[str(node.value)], given.get(str(node.value), 0.0))
            return
        exact = math.pi if node.op == "pi" else node.value
        near = np.full(self.boxes, float(exact))
        known = node.op == "number" and Fraction(float(exact)) == Fraction(exact)
        value = Interval(near, near) if known else Interval.outward(near, near)
        error = self.rounding.unit * math.pi if node.op == "pi" else self.rounding.of_number(exact)
        self._put(row, value, error)

    def _computed(self, group: _Group) -> tuple[Interval, Array | float]:
        """Return the values of a group of nodes, and the errors of their operations on exact arguments."""
        arguments = group.arguments(self.values)
        if group.op == "add":
            return self._sums(group, arguments[0])
        value = function_bounds(group.op, arguments) if group.op != "mul" else _product(group, *arguments)
        if group.op in ("abs", "sign") or self.errors is None:
            return value, 0.0
        units = 1.0 if group.exact else _FUNCTION
        return value, units * self.rounding.unit * value.size + self.rounding.least

    def _sums(self, group: _Group, terms: Interval) -> tuple[Interval, Array | float]:
        value = _added(group, terms)
        if group.waves:
            first, second, a, b = group.pairs
            most = np.hypot(*(Interval(self.values.low[k], self.values.high[k]).size for k in (a, b)))
            most = most * (1 + 8 * _EPSILON)
            whole = Interval(terms.low[first], terms.high[first]) + Interval(terms.low[second], terms.high[second])
            low, high = terms.low.copy(), terms.high.copy()
            low[first], high[first] = np.fmax(whole.low, -most), np.fmin(whole.high, most)
            low[second] = high[second] = 0.0
            other = _added(group, Interval(low, high))
            value = Interval(np.fmax(value.low, other.low), np.fmin(value.high, other.high))
        if self.errors is None:
            return value, 0.0
        up = np.add.reduceat(np.maximum(terms.high, 0.0), group.starts)
        down = np.add.reduceat(np.maximum(-terms.low, 0.0), group.starts)
        count = group.counts[:, None]
        partial = np.where(count > 2, (count - 2.0) * np.maximum(up, down), 0.0)
        unit = self.rounding.unit
        return value, unit * (1 + (count + 2) * (unit + _EPSILON)) * (partial + value.size)

    def result(self) -> Interval:
        root = self.output.root
        row = self.output.rows[root.node]
        value = Interval(self.values.low[row], self.values.high[row])
        return -value if root.negative else value

    def backward(self) -> Enclosure:
        """Enclose the derivatives by all nodes, and sum up the errors."""
        output = self.output
        slopes = _Slopes(len(output.rows), self.boxes)
        slopes.start(output.rows[output.root.node], -1.0 if output.root.negative else 1.0)
        with np.errstate(all="ignore"):
            for group in reversed(output.groups):
                self._share(group, slopes)
            found = {str(node.value): slopes.of(output.rows[node]) for node in output.leaves if node.op == "symbol"}
            error = np.zeros(self.boxes)
            if self.errors is not None:
                sizes = slopes.of(slice(None)).size
                error = np.where(self.errors == 0, 0.0, self.errors * sizes).sum(axis=0)
                error = error * (1 + 4 * _EPSILON * (len(output.rows) + 8))
        return Enclosure(self.result(), found, np.where(np.isnan(error), np.inf, error))

    def _share(self, group: _Group, slopes: _Slopes) -> None:
        """Add the derivatives by the arguments of a group."""
        own = slopes.of(group.places)
        if group.op == "add":
            repeated = Interval(np.repeat(own.low, group.counts, axis=0), np.repeat(own.high, group.counts, axis=0))
            slopes.add(group.flat, _signed(repeated, group.signs))
            return
        arguments = group.arguments(self.values)
        value = Interval(self.values.low[group.places], self.values.high[group.places])
        arity = len(arguments)
        for k, partial in enumerate(_PARTIALS[group.op](value, *arguments)):
            slopes.add(group.flat[k::arity], _signed(own.times(partial), group.signs[k::arity]))


class _Slopes:
    """Sums of derivatives with bounds of their rounding errors."""

    def __init__(self, rows: int, boxes: int) -> None:
        self.low, self.high, self.size = (np.zeros((rows, boxes)) for _ in range(3))
        self.count = np.zeros((rows, 1))

    def start(self, row: int, value: float) -> None:
        self.low[row] = self.high[row] = value

    def add(self, rows: _Rows, value: Interval) -> None:
        np.add.at(self.low, rows, value.low)
        np.add.at(self.high, rows, value.high)
        np.add.at(self.size, rows, value.size)
        np.add.at(self.count, rows, 1.0)

    def of(self, rows: Any) -> Interval:
        low, high = self.low[rows], self.high[rows]
        count = self.count[rows]
        spread = np.where(count > 1, count * _EPSILON * self.size[rows], 0.0)
        low, high = low - spread, high + spread
        return Interval(np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def _added(group: _Group, terms: Interval) -> Interval:
    """Return the sums of a group, rounded outward."""
    spread = np.add.reduceat(terms.size, group.starts) * (group.counts[:, None] * _EPSILON)
    low, high = (np.add.reduceat(end, group.starts) for end in (terms.low, terms.high))
    return Interval(low - spread, high + spread)


def _product(group: _Group, a: Interval, b: Interval) -> Interval:
    """Return products; those of a node with itself are squares."""
    value = a.times(b)
    pairs = group.flat.reshape(-1, 2)
    same = (pairs[:, 0] == pairs[:, 1])[:, None]
    if not same.any():
        return value
    signs = group.signs.reshape(-1, 2)
    square = _signed(a.square(), (signs[:, 0] != signs[:, 1])[:, None])
    return Interval(np.where(same, square.low, value.low), np.where(same, square.high, value.high))


def operation_bounds(node: Expr, arguments: Sequence[Interval]) -> Interval:
    """Return bounds of one node from those of its arguments."""
    if node.op != "mul":
        return function_bounds(node.op, arguments)
    first, second = node.args
    if first.node is not second.node:
        return arguments[0].times(arguments[1])
    return arguments[0].square() if first.negative is second.negative else -arguments[0].square()


# ------------------------------------------------------------------------------------------------ derivatives


def slopes_of(node: Expr, value: Interval, arguments: Sequence[Interval]) -> Sequence[Interval]:
    """Return bounds of the derivative of one node by each argument, from bounds of the node and its arguments."""
    return (_ONE, _ONE) if node.op == "add" else _PARTIALS[node.op](value, *arguments)


_ONE = Interval(np.array(1.0), np.array(1.0))


def _root(x: Interval) -> Interval:
    return Interval.outward(np.sqrt(np.maximum(x.low, 0.0)), np.sqrt(np.maximum(x.high, 0.0)))


def _jump(x: Interval) -> Interval:
    """Return the derivative of sign, which has none where it jumps."""
    zero = np.zeros_like(x.low)
    return _where((x.low > 0) | (x.high < 0) | (x.low == x.high), Interval(zero, zero))


def _where(known: NDArray[np.bool_], value: Interval) -> Interval:
    """Return bounds that are unknown except where a condition holds, for functions with jumps."""
    return Interval(np.where(known, value.low, -np.inf), np.where(known, value.high, np.inf))


def _by_point(y: Interval, x: Interval) -> Sequence[Interval]:
    """Return the derivatives of atan2, which jumps where y changes its sign and x is negative."""
    known, squared = (x.low > 0) | (y.low > 0) | (y.high < 0), x.square() + y.square()
    return _where(known, x / squared), _where(known, -(y / squared))


def _by_power(f: Interval, base: Interval, exponent: Interval) -> Sequence[Interval]:
    positive = base.low > 0
    slopes = exponent.times(f) / base, f.times(function_bounds("log", [base]))
    return [_where(positive, slope) for slope in slopes]


_PARTIALS: Mapping[str, Callable[..., Sequence[Interval]]] = {
    "mul": lambda f, a, b: (b, a),
    "div": lambda f, a, b: (_ONE / b, -(f / b)),
    "sin": lambda f, x: (function_bounds("cos", [x]),),
    "cos": lambda f, x: (-function_bounds("sin", [x]),),
    "tan": lambda f, x: (_where(np.isfinite(f.size), _ONE + f.square()),),
    "asin": lambda f, x: (_ONE / _root(_ONE + -x.square()),),
    "acos": lambda f, x: (-(_ONE / _root(_ONE + -x.square())),),
    "atan": lambda f, x: (_ONE / (_ONE + x.square()),),
    "atan2": lambda f, y, x: _by_point(y, x),
    "sqrt": lambda f, x: (_ONE / (f + f),),
    "exp": lambda f, x: (f,),
    "log": lambda f, x: (_ONE / x,),
    "tanh": lambda f, x: (_ONE + -f.square(),),
    "abs": lambda f, x: (Interval(np.where(x.low <= 0, -1.0, 1.0), np.where(x.high >= 0, 1.0, -1.0)),),
    "sign": lambda f, x: (_jump(x),),
    "pow": _by_power,
}
