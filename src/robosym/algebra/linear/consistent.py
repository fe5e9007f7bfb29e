"""A X = B with as many equations as unknowns or more, all of which hold, without a pivot that may vanish.

Three things are done in turn, and none divides by what is zero where the columns of A are independent:

- an unknown of a row of constants is eliminated by it;
- one or two unknowns that only two or three rows hold, as the rates of a leg between two points, leave what is at right
  angles to their columns, one row, and follow from the rest by the length of that direction;
- what is left falls apart into parts that share no unknown, each solved by orthogonal columns with all its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr
from robosym.algebra.matrix import connected, cross, dot, less_products
from robosym.algebra.tolerances import ROUNDING

__all__ = ["Consistent", "Orthogonal"]

_CONSTANT = 0.2  #: of the largest constant of the row, that a pivot is at least
#: Entries with those that vanish in every position replaced by zero.
Cleared = Callable[[list[Expr]], list[Expr]]
#: The columns of A, or a right side, by row.
Column = dict[int, Expr]
Known = dict[int, Expr]


class Orthogonal:
    """A = V R: the columns of V at right angles, R with ones on its diagonal, columns with few entries first.

    Elimination needs a pivot that is not zero, and which entry that is may change from position to position. Orthogonal
    columns need none (Gram and Schmidt): wherever the columns of A are independent the result is as accurate as A is
    regular, and A may have more rows than columns, of which any may depend on the others in any position. It takes
    about three times the operations of elimination, all of them `+ - * /`: every language, machine code and derivatives
    have it as it stands.
    """

    def __init__(self, A: Sequence[Sequence[Expr]], cleared: Cleared) -> None:
        columns = list(zip(*A, strict=True))
        self.order = sorted(range(len(columns)), key=lambda c: sum(not e.is_zero for e in columns[c]))
        self.V: list[list[Expr]] = []
        self.over: list[Expr] = []  #: 1 / |v|^2
        self.R: list[list[Expr]] = []  #: of each column the shares of those before it
        for c in self.order:
            v, shares = self._parted(columns[c], cleared)
            self.V.append(v)
            self.R.append(shares)
            self.over.append(1 / dot(v, v))

    def _parted(self, column: Sequence[Expr], cleared: Cleared) -> tuple[list[Expr], list[Expr]]:
        """What is left of a column beside those that are known, and their shares in it."""
        v, shares = list(column), []
        for known, over in zip(self.V, self.over, strict=True):
            (share,) = cleared([dot(known, v)])
            if not share.is_zero:
                share = share * over
                v = cleared([x - share * y for x, y in zip(v, known, strict=True)])
            shares.append(share)
        return v, shares

    def solve(self, right: Sequence[Expr]) -> list[Expr]:
        """x with A x = right; of more equations than unknowns, the one with the least squares."""
        _, shares = self._parted(right, list)
        for k in reversed(range(len(shares))):
            for j in range(k):
                shares[j] = shares[j] - self.R[k][j] * shares[k]
        found = dict(zip(self.order, shares, strict=True))
        return [found[c] for c in range(len(found))]

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """y with A^T y = right: of those that there are, the smallest one."""
        w: list[Expr] = []
        for shares, c in zip(self.R, self.order, strict=True):
            w.append(less_products(right[c], zip(shares, w, strict=True)))
        scaled = [x * over for x, over in zip(w, self.over, strict=True)]
        return [dot(row, scaled) for row in zip(*self.V, strict=True)]


@dataclass
class _Pivot:
    """The unknown of `columns`, which is taken out of the equations together with the row of a pivot."""

    row: int
    columns: tuple[int]
    entries: Known  #: of the row, as it was
    beside: Column  #: of the column, as it was, but for the row

    def __post_init__(self) -> None:
        (self.column,) = self.columns
        self.pivot = self.entries[self.column]

    def reduce(self, column: Column) -> None:
        """Rows of a right side without the unknown."""
        own = column.pop(self.row)
        for r, entry in self.beside.items():
            column[r] = column[r] - entry / self.pivot * own

    def unknowns(self, right: Column, known: Known) -> None:
        """Its value, those of all unknowns that are left being known."""
        known[self.column] = _less(right[self.row], self.entries, known) / self.pivot

    def reduce_transposed(self, right: Known) -> None:
        """The right side of A^T y, by unknown of A, without the rows that are taken out."""
        share = right[self.column] / self.pivot
        for c, entry in self.entries.items():
            if c != self.column:
                right[c] = right[c] - entry * share

    def multipliers(self, right: Known, y: Column) -> None:
        """y of those rows, that of the others being known."""
        y[self.row] = _less(right[self.column], self.beside, y) / self.pivot


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
        self.steps: list[_Pivot | _Direction] = []
        for find in (_constant, _direction):
            while (step := find(table)) is not None:
                self._take(step, table, cleared)
        self.parts = []
        for columns, rows in connected(_held(table)):
            self.parts.append((rows, columns, Orthogonal([[table[c][r] for c in columns] for r in rows], cleared)))

    @property
    def divisors(self) -> list[Expr]:
        """One over what is divided by and vanishes where the columns depend on each other."""
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
        """X with A X = B."""
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
    return less_products(value, ((factor, others[place]) for place, factor in factors.items() if place in others))


def _held(table: dict[int, Column]) -> dict[int, list[int]]:
    """The rows that hold each unknown."""
    return {c: [r for r, entry in column.items() if not entry.is_zero] for c, column in table.items()}


def _constant(table: dict[int, Column]) -> _Pivot | None:
    """A row of constants, and of them one whose elimination touches the least."""
    held = _held(table)
    best: tuple[int, int, int] | None = None
    for r in next(iter(table.values()), {}):
        row = {c: column[r] for c, column in table.items() if not column[r].is_zero}
        if not row or any(not entry.is_number for entry in row.values()):
            continue  # beside entries that move, a constant may be small
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
