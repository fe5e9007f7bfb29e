"""Evaluate expressions at random points, to test whether they are zero.

Every symbol (parameters, joints, entries of the desired matrix) has a few values that are mutually consistent, so that
identities that no rewriting would find (such as the unit length of a column of a rotation) are detected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from robosym.algebra import OPERATIONS, Expr, Graph, Level, reachable
from robosym.algebra.generic import negligible
from robosym.algebra.interpret import Arithmetic, interpret
from robosym.algebra.tolerances import ROUNDING
from robosym.errors import InputError

__all__ = ["Array", "Samples", "evaluate_arrays"]

Array = np.ndarray[Any, np.dtype[Any]]

_THE_NUMBER = 1e-10  #: an expression this close to 0, 1 or -1 is replaced by it; stricter than `is_zero`
_ZERO_NUMBER = 10 * ROUNDING  #: a number this close to 0 is replaced by it
_UNIT_NUMBER = 1e-15  #: the same to 1 or -1: the sine of an angle that is off by 1e-6 is closer than 1e-12
_ON_ARRAYS = {name: getattr(np, row.numpy) for name, row in OPERATIONS.items()}


class _Arrays(Arithmetic[Array]):
    """Arrays or floats; inf and NaN are propagated."""

    def symbol(self, node: Expr) -> Array:
        if node.value not in self.symbols:
            raise InputError(f"missing value for {node.value}")
        found: Array = self.symbols[node.value]
        return found


def evaluate_arrays(
    roots: Iterable[Expr], symbols: Mapping[str, Array | float], known: dict[Expr, Array] | None = None
) -> list[Array]:
    """Return the value of each root for arrays or floats as values of the symbols; for `known`, see `interpret`."""
    with np.errstate(all="ignore"):
        return interpret(roots, _Arrays(_ON_ARRAYS, symbols), known)


class Samples:
    """Values of the expressions of one graph at a few points, computed on demand."""

    def __init__(self, graph: Graph, symbols: Mapping[str, Array]) -> None:
        self.graph = graph
        self.symbols = dict(symbols)
        self._known: dict[Expr, Array] = {}
        self._simple: dict[Expr, Expr] = {}

    def value(self, expression: Expr) -> Array:
        """Return the value at every point: an array, or a float for a constant."""
        value = self._known.get(expression.node)
        if value is not None:
            return -value if expression.negative else value
        [value] = evaluate_arrays([expression], self.symbols, self._known)
        return value

    def array(self, expression: Expr) -> Array:
        """Return the value at every point as an array, also for a constant."""
        return np.broadcast_to(self.value(expression), (self.points,))

    @property
    def points(self) -> int:
        """Number of points."""
        return len(next(iter(self.symbols.values())))

    def define(self, name: str, values: Array) -> Expr:
        """Add an online symbol with its values."""
        self.symbols[name] = values
        return self.graph.symbol(name, online=True)

    def is_zero(self, expression: Expr, scale: float = 1.0) -> bool:
        """Return whether the expression is zero at every point, within rounding."""
        return expression.is_zero or negligible(self.value(expression), scale)

    def is_one(self, expression: Expr) -> bool:
        return negligible(self.value(expression) - 1)

    def simplified(self, expression: Expr) -> Expr:
        """Simplify to 0, 1 or -1 if the values agree, or a constant of decimals to a decimal."""
        if expression.op == "number":
            return expression
        known = self._simple.get(expression)
        if known is None:
            value = np.asarray(self.value(expression))
            number = round(float(value.flat[0])) if abs(value.flat[0]) < 1.5 else 0
            near = _THE_NUMBER
            if expression.level is Level.NUMBER:
                near = _UNIT_NUMBER if number else _ZERO_NUMBER
            same = np.all(np.abs(value - number) <= near)
            if same:
                known = self.graph.number(number)
            elif expression.level is Level.NUMBER and _holds_float(expression):
                known = self.graph.number(float(value.flat[0]))
            else:
                known = expression
            self._simple[expression] = known
        return known


def _holds_float(expression: Expr) -> bool:
    """Return whether a constant contains a float, so that evaluating it loses no exactness."""
    return any(node.op == "number" and isinstance(node.value, float) for node in reachable([expression]))
