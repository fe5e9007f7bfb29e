"""Formats of fixed-point arithmetic for a model, with a proof that nothing overflows and bounds of the errors.

A number is an integer of `word` bits times 2^-fraction; each node of the model has its own fraction. Operations are:

- sum: both operands are shifted to the fraction of the sum, whose format has room for either of them, and added;
- product: the product, which has twice as many bits, is shifted to the fraction of the result;
- quotient: the dividend, with twice as many bits, is shifted so that the quotient has the fraction of the result;
- function, constant: the nearest number of the format, or an adjacent one.

A shift to the right rounds towards minus infinity, a quotient towards zero. Inputs are numbers of their formats.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.enclosures import Array, operation_bounds, slopes_of
from robosym.algebra.intervals import Interval
from robosym.algebra.operations import OPERATIONS
from robosym.errors import InputError
from robosym.model import Model
from robosym.runtime.precision import Ranges, ranges_of

__all__ = ["FixedPoint", "fixed_point"]

_WORDS = 8, 32  #: smallest and largest number of bits
_OUTWARD = 1 + 1e-12  #: factor of a bound that covers the rounding errors of its own computation
_LARGEST = 96  #: largest fraction, of numbers that are always zero
_ANGLES = 30  #: largest fraction of sines and cosines


@dataclass(frozen=True)
class FixedPoint:
    """Fractions of all nodes of a model for numbers of `word` bits, for which nothing overflows.

    Examples
    --------
    >>> import robosym as rs
    >>> found = rs.gravity_torques("planar2r").fixed_point(32)
    >>> found.fraction("t1"), found.errors["Q1"] < 1e-6
    (29, True)
    """

    model: Model
    word: int
    ranges: Ranges = field(repr=False)
    fractions: Mapping[Expr, int] = field(repr=False)  #: by node
    errors: Mapping[str, float]  #: bounds of the errors of the outputs

    def fraction(self, name: str) -> int:
        """Return the number of fractional bits of an input, a variable or an output."""
        symbols = {str(node.value): node for node in self.fractions if node.op == "symbol"}
        found = symbols[name] if name in symbols else self.model.definitions.get(name)
        if found is None or found.node not in self.fractions:
            raise InputError(f"expected the name of an input, variable or output of the model, found {name!r}")
        return self.fractions[found.node]

    def evaluate(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the outputs, computed with integers as described above, for values of the inputs by name.

        Raises
        ------
        InputError
            A value is missing or outside of its range.
        """
        found: dict[Expr, int] = {}
        for node in self.model.nodes:
            if node.op == "symbol":
                low, high = self.ranges[str(node.value)]
                value = values.get(str(node.value))
                if value is None or not low <= value <= high:
                    raise InputError(f"{node.value}: expected a number from {low:g} to {high:g}, found {value}")
                found[node] = self._nearest(Fraction(value), node)
            else:
                found[node] = self._operation(node, found)
            assert -(2 ** (self.word - 1)) < found[node] < 2 ** (self.word - 1), "overflow"
        return {
            name: (-1 if root.negative else 1) * found[root.node] / 2.0 ** self.fractions[root.node]
            for name, root in zip(self.model.output_names, self.model.roots, strict=True)
        }

    def _nearest(self, value: Fraction, node: Expr) -> int:
        return round(value * Fraction(2) ** self.fractions[node])

    def _operation(self, node: Expr, found: Mapping[Expr, int]) -> int:
        """Return the integer of a node from those of its arguments."""
        own = self.fractions[node]
        if not node.args:
            return self._nearest(_constant(node), node)
        given = [(-found[a.node] if a.negative else found[a.node], self.fractions[a.node]) for a in node.args]
        (a, below), (b, under) = given[0], given[-1]
        match node.op:
            case "add":
                return sum(_shifted(value, own - fraction) for value, fraction in given)
            case "mul":
                return _shifted(a * b, own - below - under)
            case "div":
                above = _shifted(a, own - below + under)
                return int(math.copysign(1, above) * math.copysign(1, b)) * (abs(above) // abs(b))
        exact = OPERATIONS[node.op].value(*(value / 2.0**fraction for value, fraction in given))
        return self._nearest(Fraction(exact), node)

    def __str__(self) -> str:
        inputs = [name for names in self.model.inputs.values() for name in names]
        symbols = {str(node.value) for node in self.fractions if node.op == "symbol"}
        rows = [("name", "integer bits", "fraction bits", "unit", "error at most")]
        for name in (*(entry for entry in inputs if entry in symbols), *self.model.output_names):
            fraction = self.fraction(name)
            error = f"{self.errors[name] * 1.005:.2e}" if name in self.errors else ""
            rows.append((name, str(self.word - 1 - fraction), str(fraction), f"{2.0**-fraction:.2e}", error))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        head = f"{self.model.name}: {self.model.title}, numbers of {self.word} bits"
        most = f"Of {len(self.fractions)} intermediate results none overflows for inputs in their ranges."
        return "\n".join([head, "", *lines, "", most, "Inputs are numbers of their formats."])


def _shifted(value: int, places: int) -> int:
    return value << places if places >= 0 else value >> -places


def _constant(node: Expr) -> Fraction:
    return Fraction(math.pi) if node.op == "pi" else Fraction(node.value)


# ------------------------------------------------------------------------------------------------ formats


class _Formats:
    """Chooses the fraction of one node after the other, from bounds that include the errors of all nodes before it."""

    def __init__(self, model: Model, word: int, box: Mapping[str, Interval]) -> None:
        self.model, self.word, self.box = model, word, box
        self.boxes = len(next(iter(box.values())).low) if box else 1
        self.values: dict[Expr, Interval] = {}
        self.errors: dict[Expr, Array] = {}
        self.fractions: dict[Expr, int] = {}
        with np.errstate(all="ignore"):
            for node in model.nodes:
                self._add(node)

    def _add(self, node: Expr) -> None:
        arguments = [-self.values[a.node] if a.negative else self.values[a.node] for a in node.args]
        units = 0.5
        if node.op == "symbol":
            value = self.box[str(node.value)]
            units = 0.5 if np.min(value.low) == np.max(value.high) else 0.0  # a given value is rounded
        elif not node.args:
            near = np.full(self.boxes, float(_constant(node)))
            value = Interval.outward(near, near)
        else:
            value = operation_bounds(node, arguments)
            units = {"add": 2.0, "mul": 1.0, "div": 2.0}.get(node.op, 1.0)
        parts = [value, *arguments] if node.op == "add" else [value]
        fraction = self._fraction(node, float(max(np.max(part.size) for part in parts)), units)
        unit = units * 2.0**-fraction
        self.values[node] = Interval(value.low - unit, value.high + unit)
        self.fractions[node] = fraction
        error = np.full(self.boxes, unit)
        if node.args:
            for argument, slope in zip(node.args, slopes_of(node, value, arguments), strict=True):
                error = error + np.where(self.errors[argument.node] == 0, 0.0, slope.size * self.errors[argument.node])
        self.errors[node] = error * _OUTWARD

    def _fraction(self, node: Expr, size: float, units: float) -> int:
        """Return the largest fraction for which numbers up to a size fit, with their errors."""
        if not math.isfinite(size):
            raise InputError(
                f"ranges: {self._name(node)} has no bound: pass narrower ranges, away from singular positions"
            )
        most = _ANGLES if node.op in ("sin", "cos") else _LARGEST
        fraction = min(most, self.word - 1 - (math.frexp(size)[1] if size else -_LARGEST))
        while (size + units * 2.0**-fraction) * 2.0**fraction > 2 ** (self.word - 1) - 2:
            fraction -= 1
        return fraction

    def _name(self, node: Expr) -> str:
        return (
            self.model.variables[node][0] if node in self.model.variables else f"the intermediate result {node.op}(...)"
        )


def _boxes(ranges: Ranges, count: int) -> dict[str, Interval]:
    """Return boxes that cover the ranges, by halving the inputs in turn."""
    boxes = {name: Interval(np.array([low], float), np.array([high], float)) for name, (low, high) in ranges.items()}
    moving = [name for name, (low, high) in ranges.items() if low < high]
    size = 1
    while moving and 2 * size <= count:
        name = moving[size.bit_length() % len(moving) - 1]
        low, high = boxes[name].low, boxes[name].high
        middle = low + (high - low) / 2
        boxes = {n: Interval(np.tile(b.low, 2), np.tile(b.high, 2)) for n, b in boxes.items()}
        boxes[name] = Interval(np.concatenate([low, middle]), np.concatenate([middle, high]))
        size *= 2
    return boxes


def fixed_point(
    model: Model, word: int = 32, ranges: Mapping[str, object] | None = None, boxes: int = 64
) -> FixedPoint:
    """Choose formats; see `Model.fixed_point`."""
    for name, value, (low, high) in (("word", word, _WORDS), ("boxes", boxes, (1, 10**6))):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise InputError(f"{name}: expected an integer from {low} to {high}, found {value!r}")
    spans = ranges_of(model, ranges)
    found = _Formats(model, word, _boxes(spans, boxes))
    errors = {
        name: float(np.max(found.errors[root.node])) for name, root in zip(model.output_names, model.roots, strict=True)
    }
    return FixedPoint(model, word, spans, found.fractions, errors)
