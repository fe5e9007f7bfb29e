"""A X = B without pivots: columns made orthogonal one after the other, as straight-line code (Gram and Schmidt).

Elimination needs a pivot that is not zero, and which entry that is may change from position to position. Orthogonal
columns need none: wherever the columns of A are independent the result is as accurate as A is regular, and A may have
more rows than columns, of which any may depend on the others in any position. It takes about three times the
operations of elimination, all of them `+ - * /`: every language, machine code and derivatives have it as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from robosym.algebra import Expr
from robosym.algebra.matrix import dot

__all__ = ["Orthogonal"]

#: Entries with those that vanish in every position replaced by zero.
Cleared = Callable[[list[Expr]], list[Expr]]


class Orthogonal:
    """A = V R: the columns of V at right angles, R with ones on its diagonal, columns with few entries first."""

    def __init__(self, A: Sequence[Sequence[Expr]], cleared: Cleared) -> None:
        columns = list(zip(*A, strict=True))
        self.order = sorted(range(len(columns)), key=lambda c: sum(not e.is_zero for e in columns[c]))
        self.V: list[list[Expr]] = []
        self.over: list[Expr] = []  #: 1 / |v|^2
        self.R: list[list[Expr]] = []  #: of each column the shares of those before it
        for c in self.order:
            v, shares = list(columns[c]), []
            for k in range(len(self.V)):
                share, v = self._taken(k, v, cleared)
                shares.append(share)
            self.V.append(v)
            self.R.append(shares)
            self.over.append(1 / dot(v, v))

    def _taken(self, k: int, v: list[Expr], cleared: Cleared) -> tuple[Expr, list[Expr]]:
        """The share of column k in v, and v without it."""
        (product,) = cleared([dot(self.V[k], v)])
        if product.is_zero:
            return product, v
        share = product * self.over[k]
        return share, cleared([x - share * y for x, y in zip(v, self.V[k], strict=True)])

    def solve(self, B: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """X with A X = B; of more equations than unknowns, the one with the least squares."""
        solved = []
        for column in zip(*B, strict=True):
            v, shares = list(column), []
            for k in range(len(self.V)):
                share, v = self._taken(k, v, list)
                shares.append(share)
            for k in reversed(range(len(shares))):
                for j in range(k):
                    shares[j] = shares[j] - self.R[k][j] * shares[k]
            solved.append(shares)
        place = {c: k for k, c in enumerate(self.order)}
        return [[shares[place[c]] for shares in solved] for c in range(len(self.order))]

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """y with A^T y = right: of those that there are, the smallest one."""
        w: list[Expr] = []
        for k, c in enumerate(self.order):
            value = right[c]
            for j in range(k):
                value = value - self.R[k][j] * w[j]
            w.append(value)
        scaled = [x * over for x, over in zip(w, self.over, strict=True)]
        return [dot(row, scaled) for row in zip(*self.V, strict=True)]
