"""A X = B with as many equations as unknowns or more, all of which hold, without a pivot that may vanish.

Three things are done in turn, and none divides by what is zero where the columns of A are independent:

- an unknown of a row of constants is eliminated by it;
- one or two unknowns that only two or three rows hold, as the rates of a leg between two points, leave what is at right
  angles to their columns, one row, and follow from the rest by the length of that direction;
- what is left falls apart into parts that share no unknown, each solved by orthogonal columns with all its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from robosym.algebra import Expr
from robosym.algebra.linear.orthogonal import Cleared, Orthogonal
from robosym.algebra.matrix import cross, dot
from robosym.algebra.tolerances import ROUNDING

__all__ = ["Consistent"]

_CONSTANT = 0.2  #: of the largest constant of the row, that a pivot is at least
#: The columns of A, or a right side, by row.
Column = dict[int, Expr]
Known = dict[int, Expr]


class _Step(Protocol):
    """Unknowns that are taken out of the equations, together with some of these."""

    def reduce(self, column: Column) -> None:
        """Rows of a right side without those unknowns."""

    def unknowns(self, right: Column, known: Known) -> None:
        """Their values, those of all unknowns that are left being known."""

    def reduce_transposed(self, right: Known) -> None:
        """The right side of A^T y, by unknown of A, without the rows that are taken out."""

    def multipliers(self, right: Known, y: Column) -> None:
        """y of those rows, that of the others being known."""


@dataclass
class _Pivot:
    row: int
    column: int
    entries: Known  #: of the row, as it was
    beside: Column  #: of the column, as it was, but for the row

    def reduce(self, column: Column) -> None:
        own = column.pop(self.row)
        for r, entry in self.beside.items():
            column[r] = column[r] - entry / self.entries[self.column] * own

    def unknowns(self, right: Column, known: Known) -> None:
        known[self.column] = _less(right[self.row], self.entries, known) / self.entries[self.column]

    def reduce_transposed(self, right: Known) -> None:
        share = right[self.column] / self.entries[self.column]
        for c, entry in self.entries.items():
            if c != self.column:
                right[c] = right[c] - entry * share

    def multipliers(self, right: Known, y: Column) -> None:
        y[self.row] = _less(right[self.column], self.beside, y) / self.entries[self.column]


@dataclass
class _Direction:
    """Unknowns of `columns`, which only `rows` hold; `normal` is at right angles to their columns there."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    own: list[list[Expr]]  #: the columns
    normal: list[Expr]
    others: dict[int, list[Expr]]  #: columns of other unknowns in these rows

    def __post_init__(self) -> None:
        self.over = over = 1 / dot(self.normal, self.normal)
        if len(self.own) == 1:
            shares = [self.own[0]]
        else:
            shares = [cross(self.own[1], self.normal), cross(self.normal, self.own[0])]
        #: of each of its unknowns: what to multiply the rows by
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
        """y of the rows, at right angles to the normal, that makes up for the right side of its unknowns."""
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
    """The steps in order, and the parts that are left."""

    def __init__(self, A: Sequence[Sequence[Expr]], cleared: Cleared) -> None:
        self.zero = A[0][0].graph.zero
        self.height, self.width = len(A), len(A[0])
        table = {c: {r: row[c] for r, row in enumerate(A)} for c in range(self.width)}
        self.steps: list[_Step] = []
        for find in (_constant, _direction):
            while (step := find(table)) is not None:
                self._take(step, table, cleared)
        self.parts = []
        for rows, columns in _parts(table):
            self.parts.append((rows, columns, Orthogonal([[table[c][r] for c in columns] for r in rows], cleared)))

    @property
    def divisors(self) -> list[Expr]:
        """One over what is divided by and vanishes where the columns depend on each other."""
        directions = [step.over for step in self.steps if isinstance(step, _Direction)]
        return [*directions, *(over for _, _, part in self.parts for over in part.over)]

    def _take(self, step: _Pivot | _Direction, table: dict[int, Column], cleared: Cleared) -> None:
        for c in (step.column,) if isinstance(step, _Pivot) else step.columns:
            del table[c]
        for column in table.values():
            step.reduce(column)
        places = [(c, r) for c, column in table.items() for r, entry in column.items() if not entry.is_zero]
        for (c, r), entry in zip(places, cleared([table[c][r] for c, r in places]), strict=True):
            table[c][r] = entry
        self.steps.append(step)

    def solve(self, B: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """X with A X = B."""
        solved = []
        for entries in zip(*B, strict=True):
            right, stages = dict(enumerate(entries)), []
            for step in self.steps:
                stages.append(dict(right))
                step.reduce(right)
            known: Known = {}
            for rows, columns, part in self.parts:
                found = part.solve([[right[r]] for r in rows])
                known.update(zip(columns, (row[0] for row in found), strict=True))
            for step, before in zip(reversed(self.steps), reversed(stages), strict=True):
                step.unknowns(before, known)
            solved.append(known)
        return [[known[c] for known in solved] for c in range(self.width)]

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """y with A^T y = right: one of those that there are; of rows that are not needed it is zero."""
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
    for place, factor in factors.items():
        if place in others and not factor.is_zero:
            value = value - factor * others[place]
    return value


def _held(table: dict[int, Column]) -> dict[int, list[int]]:
    """The rows that hold each unknown."""
    return {c: [r for r, entry in column.items() if not entry.is_zero] for c, column in table.items()}


def _constant(table: dict[int, Column]) -> _Pivot | None:
    """A row of constants, and of them one whose elimination touches the least."""
    held = _held(table)
    best: tuple[int, int] | None = None
    least = 0
    for r in next(iter(table.values()), {}):
        row = {c: column[r] for c, column in table.items() if not column[r].is_zero}
        if not row or any(not entry.is_number for entry in row.values()):
            continue  # beside entries that move, a constant may be small
        sizes = {c: abs(float(entry.number)) for c, entry in row.items()}
        for c, size in sizes.items():
            cost = (len(row) - 1) * (len(held[c]) - 1)
            if size >= max(_CONSTANT * max(sizes.values()), ROUNDING) and (best is None or cost < least):
                best, least = (r, c), cost
    if best is None:
        return None
    r, c = best
    entries = {k: column[r] for k, column in table.items() if not column[r].is_zero}
    return _Pivot(r, c, entries, {k: table[c][k] for k in held[c] if k != r})


def _direction(table: dict[int, Column]) -> _Direction | None:
    """Unknowns that only as many rows hold as there are of them, and one more."""
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


def _parts(table: dict[int, Column]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that hang together; rows without an entry are left out."""
    parts: list[tuple[set[int], set[int]]] = []
    for c, rows in _held(table).items():
        joined = [part for part in parts if {*rows} & part[0]]
        parts = [part for part in parts if part not in joined]
        parts.append(({*rows}.union(*(part[0] for part in joined)), {c}.union(*(part[1] for part in joined))))
    return [(sorted(rows), sorted(columns)) for rows, columns in parts]
