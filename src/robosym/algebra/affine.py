"""Affine arithmetic: values over boxes as linear functions of their sides plus an error, which keeps dependencies.

Interval arithmetic treats the arguments of an operation as independent, so that its bounds are too wide by a multiple
of the size of a box. Here they are too wide by a multiple of its square. Values are also enclosed by intervals, and the
narrower bounds hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.enclosures import operation_bounds, slopes_of
from robosym.algebra.graph import Expr
from robosym.algebra.interpret import Arithmetic, interpret
from robosym.algebra.intervals import Interval

__all__ = ["Affine", "affine_bounds"]

Array = NDArray[np.float64]
_SPACING = 16 * float(np.finfo(float).eps)  #: relative outward rounding, larger than the rounding errors of a step


@dataclass(frozen=True, eq=False)
class Affine:
    """center + slopes . e, up to an error of `rest`, for e in [-1, 1] along each side; also within `natural`."""

    center: Array  #: shape (n,)
    slopes: Array  #: shape (sides, n)
    rest: Array
    natural: Interval

    @classmethod
    def of(cls, center: Array, slopes: Array, rest: Array, natural: Interval) -> Affine:
        """Return a value whose error includes rounding, its intervals narrowed by the linear function."""
        size = np.abs(slopes).sum(axis=0)
        rest = rest + _SPACING * (np.abs(center) + size + rest)
        known: NDArray[np.bool_] = np.asarray(np.isfinite(center) & np.isfinite(size) & np.isfinite(rest))
        center, slopes, rest = np.where(known, center, 0.0), np.where(known, slopes, 0.0), np.where(known, rest, np.inf)
        reach = np.where(known, size, 0.0) + rest
        # the ends are rounded once more, because their sums are
        reach = reach + _SPACING * (np.abs(center) + reach)
        low, high = np.fmax(natural.low, center - reach), np.fmin(natural.high, center + reach)
        return cls(center, slopes, rest, Interval(low, high))

    def __neg__(self) -> Affine:
        return Affine(-self.center, -self.slopes, self.rest, -self.natural)

    def __add__(self, other: Affine) -> Affine:
        return Affine.of(
            self.center + other.center, self.slopes + other.slopes, self.rest + other.rest, self.natural + other.natural
        )

    def __mul__(self, other: Affine) -> Affine:
        return self.times(other, self.natural.times(other.natural))

    def times(self, other: Affine, natural: Interval) -> Affine:
        """Return the product, whose interval is known."""
        a, b = self.center, other.center
        sizes = [np.abs(x.slopes).sum(axis=0) + x.rest for x in (self, other)]
        rest = np.abs(a) * other.rest + np.abs(b) * self.rest + sizes[0] * sizes[1]
        return Affine.of(a * b, a * other.slopes + b * self.slopes, rest, natural)

    @property
    def size(self) -> Array:
        """Largest absolute value."""
        return self.natural.size


def _function(node: Expr, arguments: Sequence[Affine]) -> Affine:
    """Return the value of an operation by the mean value theorem: its slopes are those at the middle of their range."""
    inside = [argument.natural for argument in arguments]
    natural = operation_bounds(node, inside)
    if node.op == "mul":
        return arguments[0].times(arguments[1], natural)
    at = operation_bounds(node, [Interval(argument.center, argument.center) for argument in arguments])
    center = (at.low + at.high) / 2
    rest = (at.high - at.low) / 2
    slopes = np.zeros_like(arguments[0].slopes)
    for argument, slope in zip(arguments, slopes_of(node, natural, inside), strict=True):
        middle, spread = (slope.low + slope.high) / 2, (slope.high - slope.low) / 2
        wide = np.abs(argument.slopes).sum(axis=0) + argument.rest
        rest = rest + np.abs(middle) * argument.rest + spread * wide
        slopes = slopes + middle * argument.slopes
    return Affine.of(center, slopes, rest, natural)


class _Affines(Arithmetic[Affine]):
    def __init__(self, symbols: Mapping[str, Affine]) -> None:
        super().__init__({"add": Affine.__add__}, symbols)
        self._one = np.zeros_like(next(iter(symbols.values())).slopes)
        self.pi = self._constant(np.pi)

    def _constant(self, value: float) -> Affine:
        count = self._one.shape[1]
        middle = np.full(count, value)
        return Affine.of(middle, self._one, np.zeros(count), Interval.outward(middle, middle))

    def number(self, value: Fraction | float) -> Affine:
        return self._constant(float(value))

    def apply(self, node: Expr, arguments: Sequence[Affine]) -> Affine:
        return _function(node, arguments)


def affine_bounds(roots: Iterable[Expr], symbols: Mapping[str, Interval]) -> list[Affine]:
    """Return bounds of each root over boxes whose sides are the intervals of the symbols; infinite if unknown."""
    given = {}
    for place, (name, side) in enumerate(symbols.items()):
        center, half = (side.low + side.high) / 2, (side.high - side.low) / 2
        slopes = np.zeros((len(symbols), len(center)))
        slopes[place] = half
        given[name] = Affine.of(center, slopes, np.zeros(len(center)), side)
    with np.errstate(all="ignore"):
        return interpret(roots, _Affines(given))
