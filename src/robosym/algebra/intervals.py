"""Interval arithmetic: bounds of expressions that hold for all values of the symbols in given intervals.

Bounds are never too narrow but may be too wide, because each operation treats its arguments as independent; they
converge as the intervals shrink. The ends are arrays, so that many boxes are evaluated at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.graph import Expr
from robosym.algebra.interpret import Arithmetic, interpret

__all__ = ["Interval", "bounds", "function_bounds"]

Array = NDArray[np.float64]

#: Relative outward rounding of the ends, larger than the rounding error of any operation.
_SPACING = 4 * float(np.finfo(float).eps)
_FULL = 2 * np.pi


@dataclass(frozen=True, eq=False)
class Interval:
    """Closed intervals, with arrays of lower and upper ends."""

    low: Array
    high: Array

    @classmethod
    def outward(cls, low: Array | np.float64, high: Array | np.float64) -> Interval:
        """Return the interval rounded outward."""
        return cls(low - _SPACING * np.abs(low), high + _SPACING * np.abs(high))

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Interval) -> Interval:
        return Interval.outward(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval) -> Interval:
        ends = (self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)
        return Interval.outward(np.minimum.reduce(ends), np.maximum.reduce(ends))

    def __truediv__(self, other: Interval) -> Interval:
        """Divide; the quotient by an interval that contains zero is unbounded."""
        holds = (other.low <= 0) & (other.high >= 0)
        inverse = Interval.outward(np.where(holds, -np.inf, 1 / other.high), np.where(holds, np.inf, 1 / other.low))
        product = self * inverse
        return Interval(_or_else(product.low, -np.inf), _or_else(product.high, np.inf))

    @property
    def size(self) -> Array:
        """Largest absolute value."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def times(self, other: Interval) -> Interval:
        """Multiply, where zero times an infinite end is zero, as an infinite end only means that no bound is known."""
        ends = (self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)
        known = [np.where(np.isnan(end), 0.0, end) for end in ends]
        return Interval.outward(np.minimum.reduce(known), np.maximum.reduce(known))

    def square(self) -> Interval:
        below, above = np.minimum(np.abs(self.low), np.abs(self.high)), np.maximum(np.abs(self.low), np.abs(self.high))
        return Interval.outward(np.where((self.low <= 0) & (self.high >= 0), 0.0, below * below), above * above)


def _or_else(values: Array, otherwise: float) -> Array:
    """Return the product of ends, where zero times infinity is unbounded."""
    return np.where(np.isnan(values), otherwise, values)


def _rising(function: Callable[[Array], Array]) -> Callable[[Interval], Interval]:
    return lambda x: Interval.outward(function(x.low), function(x.high))


def _holds(x: Interval, angle: float) -> NDArray[np.bool_]:
    """Return whether the interval contains angle + 2 k pi for some k, within a tolerance."""
    reach = _SPACING * (1 + np.abs(x.high))
    return np.floor((x.high + reach - angle) / _FULL) * _FULL + angle >= x.low - reach


def _wave(function: Callable[[Array], Array], top: float) -> Callable[[Interval], Interval]:
    """Return the range of sine or cosine, whose maximum is at `top`."""

    def bound(x: Interval) -> Interval:
        a, b = function(x.low), function(x.high)
        low = np.where(_holds(x, top + np.pi), -1.0, np.minimum(a, b) - _SPACING)
        high = np.where(_holds(x, top), 1.0, np.maximum(a, b) + _SPACING)
        return Interval(np.maximum(low, -1.0), np.minimum(high, 1.0))

    return bound


def _size(x: Interval) -> Interval:
    inside = (x.low <= 0) & (x.high >= 0)
    least = np.where(inside, 0.0, np.minimum(np.abs(x.low), np.abs(x.high)))
    return Interval(least, np.maximum(np.abs(x.low), np.abs(x.high)))


def _tangent(x: Interval) -> Interval:
    return _wave(np.sin, np.pi / 2)(x) / _wave(np.cos, 0.0)(x)


def _direction(y: Interval, x: Interval) -> Interval:
    """Return the range of atan2 from the corners; a box on the branch cut or the origin has any angle."""
    cut = (y.low <= 0) & (y.high >= 0) & (x.low <= 0)
    corners = [np.arctan2(b, a) for a in (x.low, x.high) for b in (y.low, y.high)]
    found = Interval.outward(np.minimum.reduce(corners), np.maximum.reduce(corners))
    return Interval(np.where(cut, -np.pi, found.low), np.where(cut, np.pi, found.high))


def _power(base: Interval, exponent: Interval) -> Interval:
    """Return the range of a power with a positive base; otherwise it is unknown."""
    with np.errstate(all="ignore"):
        corners = [np.power(b, e) for b in (base.low, base.high) for e in (exponent.low, exponent.high)]
        found = Interval.outward(np.minimum.reduce(corners), np.maximum.reduce(corners))
    unknown = base.low <= 0
    return Interval(np.where(unknown, -np.inf, found.low), np.where(unknown, np.inf, found.high))


_ON_INTERVALS: Mapping[str, Callable[..., Interval]] = {
    "add": Interval.__add__,
    "div": Interval.__truediv__,
    "sin": _wave(np.sin, np.pi / 2),
    "cos": _wave(np.cos, 0.0),
    "tan": _tangent,
    "asin": _rising(np.arcsin),
    "acos": lambda x: -_rising(lambda y: -np.arccos(y))(x),
    "atan": _rising(np.arctan),
    "atan2": _direction,
    "sqrt": _rising(np.sqrt),
    "exp": _rising(np.exp),
    "log": _rising(np.log),
    "tanh": _rising(np.tanh),
    "abs": _size,
    "sign": lambda x: Interval(np.sign(x.low), np.sign(x.high)),
    "pow": _power,
}


class _Intervals(Arithmetic[Interval]):
    pi = Interval(np.nextafter(np.pi, 0), np.nextafter(np.pi, 4))

    def number(self, value: Fraction | float) -> Interval:
        return Interval.outward(np.float64(value), np.float64(value))

    def apply(self, node: Expr, arguments: Sequence[Interval]) -> Interval:
        a, b = arguments
        first, second = node.args
        if first.node is not second.node:
            return a * b
        return a.square() if first.negative is second.negative else -a.square()


def bounds(roots: Iterable[Expr], symbols: Mapping[str, Interval]) -> list[Interval]:
    """Return bounds of each root; NaN means that an end is unknown."""
    with np.errstate(all="ignore"):
        return interpret(roots, _Intervals(_ON_INTERVALS, symbols))


def function_bounds(name: str, arguments: Sequence[Interval]) -> Interval:
    """Return bounds of an operation other than a product, by name; unknown ends are infinite."""
    found = _ON_INTERVALS[name](*arguments)
    low, high = (-1.0, 1.0) if name in ("sin", "cos") else (-np.inf, np.inf)
    return Interval(_or_else(found.low, low), _or_else(found.high, high))
