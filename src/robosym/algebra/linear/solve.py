"""A X = B over expressions: block by block, constants eliminated first, small blocks by Cramer's rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from robosym.algebra import Expr, evaluate
from robosym.algebra.generic import ROUNDING
from robosym.algebra.linear.blocks import block_triangular
from robosym.errors import InputError

__all__ = ["Sizes", "minor", "sizes_at", "solve"]

Matrix = list[list[Expr]]
#: The magnitudes of entries in a position of no particularity.
Sizes = Callable[[Sequence[Expr]], list[float]]
#: The largest block that Cramer's rule takes: it divides by the determinant alone, not zero where A is regular.
_CRAMER = 3
_PIVOT = 0.05  #: a pivot is at least this share of the largest entry


def sizes_at(values: Mapping[str, float]) -> Sizes:
    """Magnitudes at given values of the symbols."""
    return lambda entries: [abs(number) for number in evaluate(entries, values)]


def solve(A: Sequence[Sequence[Expr]], B: Sequence[Sequence[Expr]], sizes: Sizes) -> Matrix:
    """X with A X = B; an entry that is zero in a position of no particularity is taken to be zero in all."""
    blocks = block_triangular([[not entry.is_zero for entry in row] for row in A])
    if blocks is None:
        raise InputError("the matrix is singular in every position")
    width = len(B[0]) if B else 0
    X: dict[int, list[Expr]] = {}
    for rows, columns in blocks:
        known = [c for c in X if any(not A[r][c].is_zero for r in rows)]
        right = [[_less(B[r][k], ((A[r][c], X[c][k]) for c in known)) for k in range(width)] for r in rows]
        block = [[A[r][c] for c in columns] for r in rows]
        for column, values in zip(columns, _block(block, right, sizes), strict=True):
            X[column] = values
    return [X[c] for c in range(len(A))]


def _less(value: Expr, products: Iterable[tuple[Expr, Expr]]) -> Expr:
    for a, b in products:
        value = value - a * b
    return value


def _block(A: Matrix, B: Matrix, sizes: Sizes) -> Matrix:
    """A block that does not fall apart: an unknown with a constant coefficient goes first, then Cramer."""
    n = len(A)
    if n == 1:
        return [[b / A[0][0] for b in B[0]]]
    places = [(r, c) for r in range(n) for c in range(n) if not A[r][c].is_zero]
    usable = [(r, c) for r, c in places if A[r][c].is_number]
    if not usable:
        if n <= _CRAMER:
            return _cramer(A, B, sizes)
        magnitude = sizes([A[r][c] for r, c in places])
        usable = [place for place, m in zip(places, magnitude, strict=True) if m >= _PIVOT * max(magnitude)]
    filled_rows = [sum(not e.is_zero for e in row) for row in A]
    filled_columns = [sum(not row[c].is_zero for row in A) for c in range(n)]
    r, c = min(usable, key=lambda place: (filled_rows[place[0]] - 1) * (filled_columns[place[1]] - 1))
    return _eliminate(A, B, r, c, sizes)


def _eliminate(A: Matrix, B: Matrix, r: int, c: int, sizes: Sizes) -> Matrix:
    pivot = A[r][c]
    others = [k for k in range(len(A)) if k != c]
    rest = [row for row in range(len(A)) if row != r]
    factor = {row: A[row][c] / pivot for row in rest}
    flat = [A[row][k] - factor[row] * A[r][k] for row in rest for k in others]
    kept = [e.graph.zero if size < ROUNDING else e for e, size in zip(flat, sizes(flat), strict=True)]
    left = [kept[k * len(others) : (k + 1) * len(others)] for k in range(len(rest))]
    right = [[b - factor[row] * a for b, a in zip(B[row], B[r], strict=True)] for row in rest]
    X = solve(left, right, sizes)
    own = [_less(b, ((A[r][o], x[k]) for o, x in zip(others, X, strict=True))) / pivot for k, b in enumerate(B[r])]
    return [*X[:c], own, *X[c:]]


def minor(A: Sequence[Sequence[Any]], rows: Sequence[int], columns: Sequence[int]) -> Any:
    """The determinant of a part, by the row with the most zeros; entries need `+ - *` alone."""
    if len(rows) == 1:
        return A[rows[0]][columns[0]]
    r = max(rows, key=lambda row: sum(_is_zero(A[row][c]) for c in columns))
    place = rows.index(r)
    total = 0 * A[r][columns[0]]
    for k, c in enumerate(columns):
        if not _is_zero(A[r][c]):
            term = A[r][c] * minor(A, [row for row in rows if row != r], [o for o in columns if o != c])
            total = total - term if (place + k) % 2 else total + term
    return total


def _is_zero(entry: Any) -> bool:
    return entry.is_zero if isinstance(entry, Expr) else entry == 0


def _cramer(A: Matrix, B: Matrix, sizes: Sizes) -> Matrix:
    every = list(range(len(A)))
    determinant = minor(A, every, every)
    if sizes([determinant])[0] < ROUNDING:
        raise InputError("the matrix is singular in every position")
    adjugate = [
        [minor(A, _without(every, j), _without(every, i)).signed((i + j) % 2 == 1) for j in every] for i in every
    ]
    zero = determinant.graph.zero
    return [
        [-_less(zero, zip(row, column, strict=True)) / determinant for column in zip(*B, strict=True)]
        for row in adjugate
    ]


def _without(places: Sequence[int], one: int) -> list[int]:
    return [place for place in places if place != one]
