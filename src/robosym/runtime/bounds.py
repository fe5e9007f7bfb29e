"""Guaranteed bounds of outputs and of rounding errors over ranges of the inputs, by branch and bound over boxes.

A box is split across the input with the largest influence, that of the largest bound first. If an output is monotonic
in an input over a whole box, only the end of the box is considered.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from robosym.algebra.enclosures import DOUBLE, EXACT, SINGLE, Array, Output, Rounding
from robosym.algebra.generic import random_arrays
from robosym.algebra.harmonics import harmonics
from robosym.algebra.intervals import Interval
from robosym.errors import InputError
from robosym.model import Model, flat
from robosym.optimizer.optimize import quickly
from robosym.runtime.precision import Ranges, ranges_of

__all__ = ["Bound", "Bounds", "bounds_of"]

_KINDS: Mapping[str, Rounding] = {"double": DOUBLE, "single": SINGLE}
_AT_ONCE = 32  #: largest number of boxes that are split together
_ROWS = 600_000  #: largest number of nodes times boxes that are evaluated together
_MOST = 4_000_000  #: largest number of nodes times boxes per bound
_SAMPLES = 256  #: states at which values are computed before boxes are split
_DIGITS = 1e-5  #: more than the relative rounding error of six digits
_OUTWARD = 1 + 1e-12  #: factor of a bound that covers the rounding errors of its own computation
_CLOSE = 1e-3  #: a bound that exceeds an attained value by less than this share is not improved


@dataclass(frozen=True)
class Bound:
    """Bounds of one output over the ranges."""

    name: str
    low: float  #: no value is smaller
    high: float  #: no value is larger
    attained: tuple[float, float]  #: smallest and largest value found; the exact range is between these and the bounds
    errors: Mapping[str, float]  #: largest rounding error by precision: "double" and "single"

    @property
    def size(self) -> float:
        """Largest absolute value."""
        return max(abs(self.low), abs(self.high))


@dataclass(frozen=True)
class Bounds:
    """Guaranteed bounds of the outputs of a model and of their rounding errors; see `Model.bounds`."""

    model: Model
    ranges: Ranges = field(repr=False)
    outputs: Mapping[str, Bound]  #: by name of the output
    boxes: int  #: number of boxes per bound

    def group(self, name: str) -> tuple[Bound, ...]:
        """Return the bounds of the outputs of a group, matrices row by row."""
        if name not in self.model.outputs:
            raise InputError(f"group: expected one of {', '.join(self.model.outputs)}, found {name!r}")
        return tuple(self.outputs[entry] for entry in flat(self.model.outputs[name]))

    def error(self, precision: str = "double") -> float:
        """Return the largest bound of the rounding error of any output, in the unit of the output."""
        if precision not in _KINDS:
            raise InputError(f"precision: expected {' or '.join(map(repr, _KINDS))}, found {precision!r}")
        return max(bound.errors[precision] for bound in self.outputs.values())

    def in_header(self) -> Model:
        """Return the model with these bounds in the header of generated files."""
        return self.model.with_notes(*self.lines())

    def lines(self) -> list[str]:
        """Return the ranges and the bounds as lines of a table."""
        rows: list[tuple[str, ...]] = [("output", "at least", "at most", "found", "error in double", "in single")]
        for bound in self.outputs.values():
            found = " to ".join(f"{value:.5g}" for value in bound.attained)
            ends = f"{_down(bound.low):.6g}", f"{-_down(-bound.high):.6g}"
            rows.append((bound.name, *ends, found, *(f"{_up(bound.errors[kind]):.2e}" for kind in _KINDS)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return ["Guaranteed bounds of outputs and rounding errors for", *self._spans(), "", *table]

    def _spans(self) -> list[str]:
        """Return lines with the ranges; inputs of a group with the same range share an entry."""
        parts: list[str] = []
        for group, names in self.model.inputs.items():
            spans = {self.ranges[name] for name in names}
            if len(spans) == 1:
                parts.append(f"{group} {_span(*spans.pop())}")
            else:
                parts += [f"{name} {_span(*self.ranges[name])}" for name in names]
        lines = [""]
        for part in parts:
            if len(lines[-1]) + len(part) > 96:
                lines.append("")
            lines[-1] += f"  {part}" if not lines[-1] else f", {part}"
        return lines

    def __str__(self) -> str:
        head = f"{self.model.name}: {self.model.title}"
        return "\n".join([head, "", *self.lines(), "", *_REMARKS])


_REMARKS = (
    "Every output is within its bounds for all inputs in these ranges. Errors hold for sums in any order, with or",
    "without fused multiply-add, if functions such as sine are exact to two units in the last place. Inputs are",
    "numbers of the precision.",
)


def _span(low: float, high: float) -> str:
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def _down(value: float) -> float:
    """Return a number that is not above `value` when it is printed with six digits."""
    return value if not isfinite(value) or float(f"{value:.6g}") <= value else value - _DIGITS * abs(value)


def _up(value: float) -> float:
    """Return a number that is not below `value` when it is printed with three digits."""
    return value if not isfinite(value) or float(f"{value:.2e}") >= value else value * 1.01


# ------------------------------------------------------------------------------------------ branch and bound


class _Rated(NamedTuple):
    """Upper bounds of an objective over boxes, values that it attains there, and boxes to continue with."""

    most: Array
    attained: Array
    low: Array  #: smaller boxes on which the objective has the same maximum; one row per box
    high: Array
    weights: Array  #: influence of each input on the objective


Rate = Callable[[Array, Array], _Rated]


def _largest(rate: Rate, low: Array, high: Array, effort: tuple[int, int], known: float = -inf) -> tuple[float, float]:
    """Return an upper bound of the maximum of an objective over a box, and a value that it attains.

    `effort` is the number of boxes, and of those that are split together.
    """
    boxes, together = effort
    rated = rate(low[None, :], high[None, :])
    found, count, attained = float(rated.most[0]), 1, max(known, float(rated.attained[0]))
    waiting = [(-found, 0, rated.low[0], rated.high[0], rated.weights[0])]
    while count < boxes:
        least = attained + _CLOSE * abs(attained)
        parts: list[tuple[Array, Array, float]] = []
        while waiting and -waiting[0][0] > least and len(parts) < 2 * together:
            most, _, below, above, weights = heapq.heappop(waiting)
            parts += [(*half, -most) for half in _halves(below, above, weights)]
        if not parts:
            break
        rated = rate(np.array([p[0] for p in parts]), np.array([p[1] for p in parts]))
        attained = max(attained, float(np.max(rated.attained)))
        for k, (_, _, most) in enumerate(parts):
            bound = min(most, float(rated.most[k]))  # a part of a box has no larger maximum
            heapq.heappush(waiting, (-bound, count + k, rated.low[k], rated.high[k], rated.weights[k]))
        count += len(parts)
    found = max((-entry[0] for entry in waiting), default=found)
    return max(found, attained), attained


def _halves(low: Array, high: Array, weights: Array) -> list[tuple[Array, Array]]:
    """Split a box across the input with the largest influence; a box without extent is unchanged."""
    width = high - low
    if not np.any(width > 0):
        return [(low, high)]
    known = np.where(width > 0, np.where(np.isfinite(weights), weights, 1e300) * width, -1.0)
    axis = int(np.argmax(known))
    below, above = high.copy(), low.copy()
    below[axis] = above[axis] = low[axis] + width[axis] / 2
    return [(low, below), (above, high)]


class _Objectives:
    """The objectives of one output: its value, its negative value, and its rounding errors."""

    def __init__(self, model: Model, name: str, ranges: Ranges) -> None:
        self.output = Output(model.definitions[name])
        other = harmonics(model.definitions[name])
        self.values = self.output if other is None else Output(other)  #: the form whose values are bounded
        used = set(self.output.inputs)
        self.names = [entry for entry in ranges if entry in used]
        self.low, self.high = (np.array([ranges[entry][k] for entry in self.names], dtype=float) for k in (0, 1))
        self.fixed = [entry for entry in self.names if ranges[entry][0] == ranges[entry][1]]
        self.ranges = ranges

    def box(self, low: Array, high: Array) -> dict[str, Interval]:
        return {name: Interval(low[:, k], high[:, k]) for k, name in enumerate(self.names)}

    def slopes(self, found: Mapping[str, Interval], shape: int) -> tuple[Array, Array]:
        zero = Interval(*2 * (np.zeros(shape),))  # the form may not depend on an input
        ends = [[found.get(name, zero).low, found.get(name, zero).high] for name in self.names]
        low, high = (np.array([pair[k] for pair in ends]).T for k in (0, 1))
        return np.where(np.isnan(low), -inf, low), np.where(np.isnan(high), inf, high)

    def sampled(self) -> tuple[float, float]:
        """Return the smallest and the largest value at some states, half of them corners."""
        share = random_arrays("bounds of outputs").random((_SAMPLES, len(self.names)))
        share[::2] = np.round(share[::2])
        states = np.clip(self.low * (1 - share) + self.high * share, self.low, self.high)
        value = self.output.value(self.box(states, states))
        middle = _middle(value)
        middle = middle[~np.isnan(middle)]
        return float(np.min(middle, initial=inf)), float(np.max(middle, initial=-inf))

    def value(self, sign: int) -> Rate:
        """Return the rating of the value of the output, or of its negative."""

        def rate(low: Array, high: Array) -> _Rated:
            found = self.values.over(self.box(low, high), EXACT)
            natural = found.value.high if sign > 0 else -found.value.low
            if not self.names:
                return _Rated(natural, natural, low, high, low)
            least, most = self.slopes(found.slopes, len(low))
            least, most = (least, most) if sign > 0 else (-most, -least)
            center = (low + high) / 2
            with np.errstate(all="ignore"):
                reach = np.maximum(most * (high - center), least * (low - center))
                # an upper bound of a sum of roundings: relative to its terms
                reach = np.where(high > low, np.where(np.isnan(reach), inf, reach), 0.0).sum(axis=1) * _OUTWARD
            best = np.where(least >= 0, high, np.where(most <= 0, low, center))
            points = np.concatenate([center, best])
            at = self.output.value(self.box(points, points))
            count = len(center)
            sums = (at.high if sign > 0 else -at.low)[:count] + reach
            middle = sign * _middle(at)
            middle = np.where(np.isnan(middle), -inf, middle)
            bound = np.fmin(np.where(np.isnan(natural), inf, natural), np.where(np.isnan(sums), inf, sums))
            attained = np.maximum(middle[:count], middle[count:])
            low, high = np.where(least >= 0, high, low), np.where(most <= 0, low, high)
            return _Rated(bound, attained, low, np.maximum(low, high), np.maximum(np.abs(least), np.abs(most)))

        return rate

    def error(self, rounding: Rounding) -> Rate:
        """Return the rating of the rounding error of the output; no attained value is known."""
        given = {name: _of_fixed(self.ranges[name][0], rounding) for name in self.fixed}

        def rate(low: Array, high: Array) -> _Rated:
            found = self.output.over(self.box(low, high), rounding, given)
            weights = low
            if self.names:
                least, most = self.slopes(found.slopes, len(low))
                weights = np.maximum(np.abs(least), np.abs(most))
            return _Rated(found.error, np.zeros_like(found.error), low, high, weights)

        return rate


def _middle(value: Interval) -> Array:
    """Return the middle of bounded intervals, and NaN for others."""
    with np.errstate(invalid="ignore"):
        middle = value.low / 2 + value.high / 2
    return np.where(np.isfinite(middle), middle, np.nan)


def _of_fixed(value: float, rounding: Rounding) -> float:
    """Return the rounding error of a given value."""
    return abs(value - float(np.float32(value))) if rounding is SINGLE else 0.0


def _effort(output: Output, boxes: int) -> tuple[int, int]:
    rows = len(output.rows)
    return max(1, min(boxes, _MOST // rows)), max(1, min(_AT_ONCE, _ROWS // (2 * rows)))


def _bound(models: tuple[Model, ...], name: str, ranges: Ranges, boxes: int) -> Bound:
    objectives = [_Objectives(model, name, ranges) for model in models]
    first = objectives[0]
    least, most = first.sampled()
    effort = _effort(first.values, boxes)
    high, top = _largest(first.value(1), first.low, first.high, effort, most)
    low, bottom = (-value for value in _largest(first.value(-1), first.low, first.high, effort, -least))
    errors = {
        kind: max(
            _largest(each.error(rounding), each.low, each.high, _effort(each.output, boxes))[0] for each in objectives
        )
        for kind, rounding in _KINDS.items()
    }
    return Bound(name, low, high, (bottom, top), errors)


def bounds_of(model: Model, ranges: Mapping[str, object] | None = None, boxes: int = 100) -> Bounds:
    """Compute guaranteed bounds; see `Model.bounds`."""
    if isinstance(boxes, bool) or not isinstance(boxes, int | np.integer) or boxes < 1:
        raise InputError(f"boxes: expected an integer of at least 1, found {boxes!r}")
    spans = ranges_of(model, ranges)
    other = quickly(model)  # the form of the machine code
    models = (model,) if other is model else (model, other)
    found = {name: _bound(models, name, spans, int(boxes)) for name in model.output_names}
    return Bounds(model, spans, found, int(boxes))
