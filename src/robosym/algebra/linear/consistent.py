"""Solve A X = B with at least as many consistent equations as unknowns, without pivots that may be zero.

There are three kinds of steps, and none divides by zero if the columns of A are independent:

- an unknown in a row of constants is eliminated by this row;
- one or two unknowns that appear in only two or three rows, such as the joint velocities of a leg between two points,
  are eliminated by projecting these rows onto the normal of their columns, which leaves one row;
- the remaining system is split into parts without common unknowns, each solved by orthogonalization of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr
from robosym.algebra.matrix import connected, cross, dot, less_products
from robosym.algebra.tolerances import ROUNDING

__all__ = ["Consistent", "Orthogonal"]

_CONSTANT = 0.2  #: smallest pivot relative to the largest constant of the row
#: A function that replaces entries that are zero in every position by 0.
Cleared = Callable[[list[Expr]], list[Expr]]
#: The columns of A, or a right side, by row.
Column = dict[int, Expr]
Known = dict[int, Expr]


class Orthogonal:
    """Factorization A = V R: V has orthogonal columns, R is unit upper triangular, sparse columns come first.

    Elimination needs a nonzero pivot, whose location may change with the position. Gram-Schmidt orthogonalization needs
    none: it is accurate wherever the columns of A are independent, and A may have additional dependent rows. It needs
    about three times as many operations as elimination, all of them `+ - * /`, so that every language, machine code and
    derivatives support it.
    """

    def __init__(self, A: Sequence[Sequence[Expr]], cleared: Cleared) -> None:
        columns = list(zip(*A, strict=True))
        self.order = sorted(range(len(columns)), key=lambda c: sum(not e.is_zero for e in columns[c]))
        self.V: list[list[Expr]] = []
        self.over: list[Expr] = []  #: 1 / |v|^2
        self.R: list[list[Expr]] = []  #: coefficients of the previous columns in each column
        for c in self.order:
            v, shares = self._parted(columns[c], cleared)
            self.V.append(v)
            self.R.append(shares)
            self.over.append(1 / dot(v, v))

    def _parted(self, column: Sequence[Expr], cleared: Cleared) -> tuple[list[Expr], list[Expr]]:
        """Return the part of a column that is orthogonal to the previous ones, and their coefficients."""
        v, shares = list(column), []
        for known, over in zip(self.V, self.over, strict=True):
            (share,) = cleared([dot(known, v)])
            if not share.is_zero:
                share = share * over
                v = cleared([x - share * y for x, y in zip(v, known, strict=True)])
            shares.append(share)
        return v, shares

    def solve(self, right: Sequence[Expr]) -> list[Expr]:
        """Return x with A x = right, in the sense of least squares."""
        _, shares = self._parted(right, list)
        for k in reversed(range(len(shares))):
            for j in range(k):
                shares[j] = shares[j] - self.R[k][j] * shares[k]
        found = dict(zip(self.order, shares, strict=True))
        return [found[c] for c in range(len(found))]

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """Return the smallest y with A^T y = right."""
        w: list[Expr] = []
        for shares, c in zip(self.R, self.order, strict=True):
            w.append(less_products(right[c], zip(shares, w, strict=True)))
        scaled = [x * over for x, over in zip(w, self.over, strict=True)]
        return [dot(row, scaled) for row in zip(*self.V, strict=True)]


@dataclass
class _Pivot:
    """Elimination of the unknown of `columns` together with the row of a pivot."""

    row: int
    columns: tuple[int]
    entries: Known  #: entries of the row before the elimination
    beside: Column  #: entries of the column before the elimination, without the pivot

    def __post_init__(self) -> None:
        (self.column,) = self.columns
        self.pivot = self.entries[self.column]

    def reduce(self, column: Column) -> None:
        """Return the rows of a right-hand side after the elimination."""
        own = column.pop(self.row)
        for r, entry in self.beside.items():
            column[r] = column[r] - entry / self.pivot * own

    def unknowns(self, right: Column, known: Known) -> None:
        """Return the value of the unknown from those of the remaining unknowns."""
        known[self.column] = _less(right[self.row], self.entries, known) / self.pivot

    def reduce_transposed(self, right: Known) -> None:
        """Return the right-hand side of A^T y by unknown of A, without the eliminated rows."""
        share = right[self.column] / self.pivot
        for c, entry in self.entries.items():
            if c != self.column:
                right[c] = right[c] - entry * share

    def multipliers(self, right: Known, y: Column) -> None:
        """Return y of the eliminated rows from those of the other rows."""
        y[self.row] = _less(right[self.column], self.beside, y) / self.pivot


@dataclass
class _Direction:
    """Elimination of the unknowns of `columns`, which appear only in `rows`; `normal` is orthogonal to them."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    own: list[list[Expr]]  #: entries of `columns`
    normal: list[Expr]
    others: dict[int, list[Expr]]  #: columns of other unknowns in these rows

    def __post_init__(self) -> None:
        self.over = over = 1 / dot(self.normal, self.normal)
        if len(self.own) == 1:
            shares = [self.own[0]]
        else:
            shares = [cross(self.own[1], self.normal), cross(self.normal, self.own[0])]
        #: factors of the rows for each of its unknowns
        self.shares = [[entry * over for entry in share] for share in shares]

    def reduce(self, column: Column) -> None:
        values = [column.pop(r) for r in self.rows]
        column[self.rows[0]] = dot(self.normal, values)

    def unknowns(self, right: Column, known: Known) -> None:
        values = [
            _less(right[r], {c: entries[k] for c, entries in self.others.items()}, known)
            for k, r in enumerate(self.rows)
        ]
        known.update({c: dot(share, values) for c, share in zip(self.columns, self.shares, strict=True)})

    def _least(self, right: Known) -> list[Expr]:
        """Return y of the rows, orthogonal to the normal, for the right-hand side of the unknowns."""
        parts = [[right[c] * entry for entry in share] for c, share in zip(self.columns, self.shares, strict=True)]
        return [sum(entries[1:], start=entries[0]) for entries in zip(*parts, strict=True)]

    def reduce_transposed(self, right: Known) -> None:
        least = self._least(right)
        for c, entries in self.others.items():
            right[c] = right[c] - dot(entries, least)

    def multipliers(self, right: Known, y: Column) -> None:
        along = y[self.rows[0]]
        for r, part, direction in zip(self.rows, self._least(right), self.normal, strict=True):
            y[r] = part + direction * along


class Consistent:
    """A system as elimination steps in order, and the remaining independent parts."""

    def __init__(self, A: Sequence[Sequence[Expr]], cleared: Cleared) -> None:
        self.zero = A[0][0].graph.zero
        self.height, self.width = len(A), len(A[0])
        table = {c: {r: row[c] for r, row in enumerate(A)} for c in range(self.width)}
        self.steps: list[_Pivot | _Direction] = []
        for find in (_constant, _direction):
            while (step := find(table)) is not None:
                self._take(step, table, cleared)
        self.parts = []
        for columns, rows in connected(_held(table)):
            self.parts.append((rows, columns, Orthogonal([[table[c][r] for c in columns] for r in rows], cleared)))

    @property
    def divisors(self) -> list[Expr]:
        """Reciprocals of the divisors that are zero if the columns are dependent."""
        directions = [step.over for step in self.steps if isinstance(step, _Direction)]
        return [*directions, *(over for _, _, part in self.parts for over in part.over)]

    def _take(self, step: _Pivot | _Direction, table: dict[int, Column], cleared: Cleared) -> None:
        for c in step.columns:
            del table[c]
        for column in table.values():
            step.reduce(column)
        places = [(c, r) for c, column in table.items() for r, entry in column.items() if not entry.is_zero]
        for (c, r), entry in zip(places, cleared([table[c][r] for c, r in places]), strict=True):
            table[c][r] = entry
        self.steps.append(step)

    def solve(self, B: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Return X with A X = B."""
        solved = []
        for entries in zip(*B, strict=True):
            right, stages = dict(enumerate(entries)), []
            for step in self.steps:
                stages.append(dict(right))
                step.reduce(right)
            known: Known = {}
            for rows, columns, part in self.parts:
                known.update(zip(columns, part.solve([right[r] for r in rows]), strict=True))
            for step, before in zip(reversed(self.steps), reversed(stages), strict=True):
                step.unknowns(before, known)
            solved.append(known)
        return [[known[c] for known in solved] for c in range(self.width)]

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """Return one y with A^T y = right, which is zero for redundant rows."""
        left, stages = dict(enumerate(right)), []
        for step in self.steps:
            stages.append(dict(left))
            step.reduce_transposed(left)
        y: Column = dict.fromkeys(range(self.height), self.zero)
        for rows, columns, part in self.parts:
            y.update(zip(rows, part.solve_transposed([left[c] for c in columns]), strict=True))
        for step, before in zip(reversed(self.steps), reversed(stages), strict=True):
            step.multipliers(before, y)
        return [y[r] for r in range(self.height)]


def _less(value: Expr, factors: dict[int, Expr], others: dict[int, Expr]) -> Expr:
    return less_products(value, ((factor, others[place]) for place, factor in factors.items() if place in others))


def _held(table: dict[int, Column]) -> dict[int, list[int]]:
    """Return the rows in which each unknown appears."""
    return {c: [r for r, entry in column.items() if not entry.is_zero] for c, column in table.items()}


def _constant(table: dict[int, Column]) -> _Pivot | None:
    """Return a row of constants and the pivot in it whose elimination changes the fewest entries."""
    held = _held(table)
    best: tuple[int, int, int] | None = None
    for r in next(iter(table.values()), {}):
        row = {c: column[r] for c, column in table.items() if not column[r].is_zero}
        if not row or any(not entry.is_number for entry in row.values()):
            continue  # a constant may be small relative to entries that vary
        sizes = {c: abs(float(entry.number)) for c, entry in row.items()}
        for c, size in sizes.items():
            cost = (len(row) - 1) * (len(held[c]) - 1)
            if size >= max(_CONSTANT * max(sizes.values()), ROUNDING) and (best is None or cost < best[0]):
                best = cost, r, c
    if best is None:
        return None
    _, r, c = best
    entries = {k: column[r] for k, column in table.items() if not column[r].is_zero}
    return _Pivot(r, (c,), entries, {k: table[c][k] for k in held[c] if k != r})


def _direction(table: dict[int, Column]) -> _Direction | None:
    """Return n unknowns that appear in n + 1 rows only."""
    held = _held(table)
    for rows in held.values():
        own = [c for c, others in held.items() if others and {*others} <= {*rows}]
        if not (len(rows) == len(own) + 1 and len(own) in (1, 2)) or len(own) == len(table):
            continue
        columns = [[table[c][r] for r in rows] for c in own]
        normal = [columns[0][1], -columns[0][0]] if len(own) == 1 else cross(*columns)
        if all(entry.is_zero for entry in normal):
            continue
        others = {c: [table[c][r] for r in rows] for c in table if c not in own and {*held[c]} & {*rows}}
        return _Direction(tuple(rows), tuple(own), columns, normal, others)
    return None
