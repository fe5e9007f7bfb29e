"""Numbers for expressions: whether an expression vanishes is asked of values drawn at random, not of its form.

Every symbol (parameters, joints, entries of the desired matrix) has a few values that are consistent with each other,
so that identities which no rewriting would find (a column of a rotation has unit length) are seen as what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from robosym.algebra import OPERATIONS, Expr, Graph, Level, reachable
from robosym.algebra.generic import negligible
from robosym.algebra.interpret import Arithmetic, interpret
from robosym.errors import InputError

__all__ = ["Array", "Samples", "evaluate_arrays"]

Array = np.ndarray[Any, np.dtype[Any]]

_THE_NUMBER = 1e-10  #: an expression so near to 0, 1 or -1 is put there: nearer than what `is_zero` asks for
_ON_ARRAYS = {name: getattr(np, row.numpy) for name, row in OPERATIONS.items()}


class _Arrays(Arithmetic[Array]):
    """Arrays, or floats; infinities and what is no number take their course."""

    def symbol(self, node: Expr) -> Array:
        if node.value not in self.symbols:
            raise InputError(f"no value is given for {node.value}")
        found: Array = self.symbols[node.value]
        return found


def evaluate_arrays(
    roots: Iterable[Expr], symbols: Mapping[str, Array | float], known: dict[Expr, Array] | None = None
) -> list[Array]:
    """The value of each root on arrays (or floats) of the symbols' values; `known` as in `interpret`."""
    with np.errstate(all="ignore"):
        return interpret(roots, _Arrays(_ON_ARRAYS, symbols), known)


class Samples:
    """Values of the expressions of one graph at a few points, worked out as they are asked for."""

    def __init__(self, graph: Graph, symbols: Mapping[str, Array]) -> None:
        self.graph = graph
        self.symbols = dict(symbols)
        self._known: dict[Expr, Array] = {}
        self._simple: dict[Expr, Expr] = {}

    def value(self, expression: Expr) -> Array:
        """Signed value at every point: an array, or a float for a constant."""
        value = self._known.get(expression.node)
        if value is not None:
            return -value if expression.negative else value
        [value] = evaluate_arrays([expression], self.symbols, self._known)
        return value

    def array(self, expression: Expr) -> Array:
        """The value at every point, as many times as there are points for a constant too."""
        return np.broadcast_to(self.value(expression), (self.points,))

    @property
    def points(self) -> int:
        """How many there are."""
        return len(next(iter(self.symbols.values())))

    def define(self, name: str, values: Array) -> Expr:
        """A new on-line symbol and its values."""
        self.symbols[name] = values
        return self.graph.symbol(name, online=True)

    def is_zero(self, expression: Expr, scale: float = 1.0) -> bool:
        """Whether the expression vanishes at every point, to rounding."""
        return expression.is_zero or negligible(self.value(expression), scale)

    def is_one(self, expression: Expr) -> bool:
        return negligible(self.value(expression) - 1)

    def simplified(self, expression: Expr) -> Expr:
        """0, 1 and -1 where the values say so, a decimal for constants made of decimals, else the expression itself."""
        if expression.op == "number":
            return expression
        known = self._simple.get(expression)
        if known is None:
            value = np.asarray(self.value(expression))
            number = round(float(value.flat[0])) if abs(value.flat[0]) < 1.5 else 0
            same = np.all(np.abs(value - number) <= _THE_NUMBER)
            if same:
                known = self.graph.number(number)
            elif expression.level is Level.NUMBER and _holds_float(expression):
                known = self.graph.number(float(value.flat[0]))
            else:
                known = expression
            self._simple[expression] = known
        return known


def _holds_float(expression: Expr) -> bool:
    """Whether a constant is already a rounded number, so that nothing is lost by working it out."""
    return any(node.op == "number" and isinstance(node.value, float) for node in reachable([expression]))
