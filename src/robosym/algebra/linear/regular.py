"""Solve A X = B of expressions by blocks, eliminating constants first, and small blocks by Cramer's rule.

Values in some positions (`Sizes`) decide which entries are zero. If A is regular, three kinds of pivots are never
zero: constants, the single entry of a block of size one, and the determinant of a block. Other pivots are used only
for a generic geometry in which they are large in every position; otherwise, a block is solved without pivots
(`consistent`), which is valid wherever A is regular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log10
from typing import Any

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.algebra.linear.consistent import Consistent
from robosym.algebra.matrix import dot, less_products
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array, evaluate_arrays
from robosym.algebra.tolerances import ROUNDING
from robosym.errors import InputError

__all__ = ["Sizes", "block_triangular", "matching", "minor", "sizes_at", "solve", "solve_where_regular"]

Matrix = list[list[Expr]]
#: Largest block for Cramer's rule, which divides only by the determinant; that is not zero if A is regular.
_CRAMER = 3
_PIVOT = 0.05  #: smallest pivot relative to the largest entry
_FLAT = 0.02  #: smallest determinant of a block relative to the product of the lengths of its rows
_CONSTANT = 1e-3  #: a smaller constant may be a rounding error of a description in decimals
_VANISHING = 1e-8  #: a smaller relative value in one position is zero in its assembly mode
_SINGULAR = 1e13  #: reciprocal squared divisor, relative to its median over the positions, at a singularity
_LEAST = 1e-4  #: smallest value of a pivot in positions of other assembly modes and geometries


@dataclass
class Sizes:
    """Values of entries in generic positions; an entry that is zero in all of them is treated as zero.

    Positions of `one_mode` are connected by motions, on which a pivot may be zero, so that no pivot is used.
    """

    positions: Sequence[Mapping[str, float]]
    one_mode: bool = False
    pivots: bool = True  #: whether an entry that is large in the positions may be a pivot
    #: positions, possibly in other assembly modes, to confirm that entries are zero and pivots are not
    others: Sequence[Mapping[str, float]] = ()
    #: reciprocal squares of divisors that may be zero, if they are monitored
    divisors: dict[Expr, None] | None = None
    _known: dict[Expr, Array] = field(default_factory=dict, repr=False)

    def watch(self, *divisors: Expr) -> None:
        if self.divisors is not None:
            self.divisors.update(dict.fromkeys(1 / (d * d) for d in divisors if not d.is_number))

    def without_pivots(self, A: Sequence[Sequence[Expr]]) -> Consistent:
        found = Consistent(A, self.cleared)
        if self.divisors is not None:
            self.divisors.update(dict.fromkeys(over for over in found.divisors if not over.is_number))
        return found

    def __call__(self, entries: Sequence[Expr]) -> Array:
        """Return the values as an array, one row per position."""
        return self._everywhere(entries)[: len(self.positions)]

    def _everywhere(self, entries: Sequence[Expr]) -> Array:
        """Return the values including the other positions, which come last."""
        found = evaluate_arrays(entries, self._symbols, self._known)
        count = len(self.positions) + len(self.others)
        return np.column_stack([np.broadcast_to(value, count) for value in found])

    @cached_property
    def _symbols(self) -> Mapping[str, Array]:
        every = (*self.positions, *self.others)
        return {name: np.array([values[name] for values in every]) for name in self.positions[0]}

    def cleared(self, entries: Sequence[Expr]) -> list[Expr]:
        """Return the entries, with 0 for those that are zero in every position."""
        if all(e.is_number for e in entries):
            return list(entries)
        largest = abs(self._everywhere(entries)).max(axis=0)
        return [e.graph.zero if size < ROUNDING else e for e, size in zip(entries, largest, strict=True)]

    def may_be_pivots(self, entries: Sequence[Expr]) -> list[bool]:
        """Return whether each entry is large relative to its block, ranked by the first position."""
        if not self.pivots or self.one_mode:
            return [False] * len(entries)
        shares = abs(values := self._everywhere(entries)) / abs(values).max(axis=1, keepdims=True)
        near = shares[: len(self.positions)]
        return list((shares >= _VANISHING).all(axis=0) & (near[0] >= _PIVOT) & (near >= _LEAST).all(axis=0))

    def guard(self) -> Expr | None:
        """Return 1 if all monitored divisors are nonzero, 1/0 otherwise, or None if nothing is monitored."""
        divisors = list(self.divisors or ())
        if not divisors:
            return None
        graph = divisors[0].graph
        total = sum(divisors[1:], start=divisors[0])
        usual = sorted(self([total])[:, 0])[len(self.positions) // 2]
        limit = graph.number(10 ** round(log10(_SINGULAR * usual)))
        side = graph.function("sign", limit - total)
        return 2 / (side + side * side)

    def regular(self, A: Matrix) -> bool:
        """Return whether the rows of a block are well conditioned in every position, so that minors cancel little."""
        if not self.one_mode:
            return True
        tables = self([e for row in A for e in row]).reshape(-1, len(A), len(A))
        lengths = np.linalg.norm(tables, axis=2).prod(axis=1)
        return bool((abs(np.linalg.det(tables)) >= _FLAT * lengths).all())


def sizes_at(values: Mapping[str, float]) -> Sizes:
    """Return magnitudes at given values of the symbols."""
    return Sizes((values,))


def solve(A: Sequence[Sequence[Expr]], B: Sequence[Sequence[Expr]], sizes: Sizes) -> Matrix:
    """Return X with A X = B; an entry that is zero in a generic position is treated as zero."""
    blocks = block_triangular([[not entry.is_zero for entry in row] for row in A])
    if blocks is None:
        raise InputError("the matrix is singular in every position")
    width = len(B[0]) if B else 0
    X: dict[int, list[Expr]] = {}
    for rows, columns in blocks:
        known = [c for c in X if any(not A[r][c].is_zero for r in rows)]
        right = [[less_products(B[r][k], ((A[r][c], X[c][k]) for c in known)) for k in range(width)] for r in rows]
        block = [[A[r][c] for c in columns] for r in rows]
        for column, values in zip(columns, _block(block, right, sizes), strict=True):
            X[column] = values
    return [X[c] for c in range(len(A))]


def solve_where_regular(A: Sequence[Sequence[Expr]], B: Sequence[Sequence[Expr]], sizes: Sizes) -> Matrix:
    """Return the same, with no finite entry where A is singular, at the cost of a few operations."""
    if sizes.divisors is None:
        return solve(A, B, sizes)
    own = replace(sizes, divisors={})
    X = solve(A, B, own)
    guard = own.guard()
    return X if guard is None else [[x * guard for x in row] for row in X]


def _block(A: Matrix, B: Matrix, sizes: Sizes) -> Matrix:
    """Solve an irreducible block: eliminate an unknown with a constant coefficient, or use Cramer's rule."""
    n = len(A)
    if n == 1:
        sizes.watch(A[0][0])
        return [[b / A[0][0] for b in B[0]]]
    places = [(r, c) for r in range(n) for c in range(n) if not A[r][c].is_zero]
    usable = [(r, c) for r, c in places if A[r][c].is_number and abs(float(A[r][c].number)) >= _CONSTANT]
    if not usable:
        if n <= _CRAMER:
            return _cramer(A, B, sizes) if sizes.regular(A) else sizes.without_pivots(A).solve(B)
        safe = sizes.may_be_pivots([A[r][c] for r, c in places])
        usable = [place for place, may in zip(places, safe, strict=True) if may]
        if not usable:
            return sizes.without_pivots(A).solve(B)
    filled_rows = [sum(not e.is_zero for e in row) for row in A]
    filled_columns = [sum(not row[c].is_zero for row in A) for c in range(n)]
    r, c = min(usable, key=lambda place: (filled_rows[place[0]] - 1) * (filled_columns[place[1]] - 1))
    return _eliminate(A, B, r, c, sizes)


def _eliminate(A: Matrix, B: Matrix, r: int, c: int, sizes: Sizes) -> Matrix:
    pivot = A[r][c]
    sizes.watch(pivot)
    every = range(len(A))
    others, rest = _without(every, c), _without(every, r)
    factor = {row: A[row][c] / pivot for row in rest}
    kept = sizes.cleared([A[row][k] - factor[row] * A[r][k] for row in rest for k in others])
    left = [kept[k * len(others) : (k + 1) * len(others)] for k in range(len(rest))]
    right = [[b - factor[row] * a for b, a in zip(B[row], B[r], strict=True)] for row in rest]
    X = solve(left, right, sizes)
    own = [
        less_products(b, ((A[r][o], x[k]) for o, x in zip(others, X, strict=True))) / pivot for k, b in enumerate(B[r])
    ]
    return [*X[:c], own, *X[c:]]


def minor(A: Sequence[Sequence[Any]], rows: Sequence[int], columns: Sequence[int]) -> Any:
    """Return the determinant of a submatrix, expanded by the row with the most zeros; entries need only `+ - *`."""
    if len(rows) == 1:
        return A[rows[0]][columns[0]]
    r = max(rows, key=lambda row: sum(is_exactly(A[row][c], 0) for c in columns))
    place = rows.index(r)
    total = 0 * A[r][columns[0]]
    for k, c in enumerate(columns):
        if not is_exactly(A[r][c], 0):
            term = A[r][c] * minor(A, _without(rows, r), _without(columns, c))
            total = total - term if (place + k) % 2 else total + term
    return total


def _cramer(A: Matrix, B: Matrix, sizes: Sizes) -> Matrix:
    every = list(range(len(A)))
    determinant = minor(A, every, every)
    if sizes.cleared([determinant])[0].is_zero:
        raise InputError("the matrix is singular in every position")
    sizes.watch(determinant)
    adjugate = [
        [minor(A, _without(every, j), _without(every, i)).signed((i + j) % 2 == 1) for j in every] for i in every
    ]
    return [[dot(row, column) / determinant for column in zip(*B, strict=True)] for row in adjugate]


def _without(places: Sequence[int], one: int) -> list[int]:
    return [place for place in places if place != one]


def matching(nonzero: Sequence[Sequence[bool]]) -> list[int] | None:
    """Return a perfect matching of rows and columns with nonzero entries, or None if the determinant is zero."""
    row_of: dict[int, int] = {}

    def settle(row: int, tried: set[int]) -> bool:
        """Return whether a column can be assigned to a row by an augmenting path."""
        new = [column for column, there in enumerate(nonzero[row]) if there and column not in tried]
        tried.update(new)
        free = next((column for column in new if column not in row_of), None)
        found = next((c for c in reversed(new) if settle(row_of[c], tried)), None) if free is None else free
        if found is not None:
            row_of[found] = row
        return found is not None

    if not all(settle(row, set()) for row in range(len(nonzero))):
        return None
    return sorted(row_of, key=row_of.__getitem__)


def block_triangular(nonzero: Sequence[Sequence[bool]]) -> list[tuple[list[int], list[int]]] | None:
    """Return the diagonal blocks (rows, columns) of a block triangular form.

    A block contains its own columns and those of previous blocks only. The result is None if the matrix is structurally
    singular.
    """
    column_of = matching(nonzero)
    if column_of is None:
        return None
    # bit set of the rows that each row depends on, including itself, which is equal for the rows of a block
    row_of = {column: row for row, column in enumerate(column_of)}
    needs = [sum(1 << row_of[c] for c, there in enumerate(row) if there) for row in nonzero]
    for k in range(len(needs)):
        needs = [bits | needs[k] if bits >> k & 1 else bits for bits in needs]
    blocks: dict[int, list[int]] = {}
    for row, bits in enumerate(needs):
        blocks.setdefault(bits, []).append(row)
    return [(blocks[bits], [column_of[r] for r in blocks[bits]]) for bits in sorted(blocks, key=int.bit_count)]
