"""Exact elimination in sparse systems whose coefficients are expressions of the geometry.

Each coefficient has a value at a generic point, which decides whether it is zero. A coefficient that is zero only after
simplification is therefore never used as a pivot.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import generic_values, negligible

__all__ = ["Coefficient", "coefficients", "reduced_rows"]

Key = TypeVar("Key", bound=Hashable)


class Coefficient:
    """An expression and its value at a generic point."""

    __slots__ = ("expression", "value")

    def __init__(self, expression: Expr, value: float) -> None:
        self.expression = expression
        self.value = value

    def __neg__(self) -> Coefficient:
        return Coefficient(-self.expression, -self.value)

    def __add__(self, other: Coefficient) -> Coefficient:
        return Coefficient(self.expression + other.expression, self.value + other.value)

    def __mul__(self, other: Coefficient) -> Coefficient:
        return Coefficient(self.expression * other.expression, self.value * other.value)

    def __truediv__(self, other: Coefficient) -> Coefficient:
        return Coefficient(self.expression / other.expression, self.value / other.value)

    @property
    def is_zero(self) -> bool:
        return negligible(self.value)


Row = dict[Key, Coefficient]


def coefficients(row: Mapping[Key, Expr]) -> Row[Key]:
    """Return a row of expressions with their values at a generic point, without zeros."""
    values = evaluate(row.values(), generic_values(symbols(row.values())))
    pairs = zip(row.items(), values, strict=True)
    return {key: Coefficient(e, value) for (key, e), value in pairs if not negligible(value)}


def reduced_rows(rows: Iterable[Row[Key]], preference: Sequence[Key]) -> dict[Key, Row[Key]]:
    """Return the reduced row echelon form, {pivot: row with 1 at the pivot}, with pivots in order of `preference`."""
    waiting = [dict(row) for row in rows if row]
    done: dict[Key, Row[Key]] = {}
    for column in preference:
        candidates = [row for row in waiting if column in row]
        if not candidates:
            continue
        # the simplest pivot keeps expressions short
        chosen = min(candidates, key=lambda row: (not row[column].expression.is_number, len(row)))
        waiting.remove(chosen)
        pivot = chosen[column]
        normal = {key: entry if pivot.expression is pivot.expression.graph.one else entry / pivot
                  for key, entry in chosen.items()}  # fmt: skip
        for row in (*waiting, *done.values()):
            if column in row:
                _subtract(row, row.pop(column), normal, column)
        waiting = [row for row in waiting if row]
        done[column] = normal
        if not waiting:
            break
    return done


def _subtract(row: Row[Key], factor: Coefficient, other: Row[Key], pivot: Key) -> None:
    """Compute row -= factor * other in place, without the pivot, which the caller has removed."""
    for key, entry in other.items():
        if key == pivot:
            continue
        change = -(factor * entry)
        total = row[key] + change if key in row else change
        if total.is_zero:
            row.pop(key, None)
        else:
            row[key] = total
