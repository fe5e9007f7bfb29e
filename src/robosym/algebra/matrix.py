"""Small dense matrices of numbers or expressions.

The entries need only `+ - *`. A sum of products adds its terms in the order of the columns, so that the expression
graph contains the same sums whichever algorithm builds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

if TYPE_CHECKING:
    from robosym.algebra.graph import Expr, Graph

__all__ = ["Matrix", "Scalar", "connected", "cross", "dot", "less_products", "sum_of"]

Entry = TypeVar("Entry")


class Scalar(Protocol):
    """A number or an expression, on which algorithms use only + - *."""

    def __add__(self, other: Any, /) -> Scalar: ...
    def __radd__(self, other: Any, /) -> Scalar: ...
    def __sub__(self, other: Any, /) -> Scalar: ...
    def __rsub__(self, other: Any, /) -> Scalar: ...
    def __mul__(self, other: Any, /) -> Scalar: ...
    def __rmul__(self, other: Any, /) -> Scalar: ...
    def __neg__(self) -> Scalar: ...


def sum_of(terms: Iterable[Scalar]) -> Scalar:
    """Return the sum, starting with the first term instead of 0."""
    total: Scalar = 0
    for term in terms:
        total = term + total
    return total


def dot(a: Iterable[Entry], b: Iterable[Entry]) -> Entry:
    """Return the scalar product of two sequences."""
    products = (cast(Scalar, x) * y for x, y in zip(a, b, strict=True))
    return cast(Entry, sum_of(products))


def less_products(value: Expr, products: Iterable[tuple[Expr, Expr]]) -> Expr:
    """Subtract the products of pairs from a value, in order."""
    for a, b in products:
        value = value - a * b
    return value


def connected(held: Mapping[int, Iterable[int]]) -> list[tuple[list[int], list[int]]]:
    """Return independent parts, as columns and the rows in which they have entries."""
    parts: list[tuple[set[int], set[int]]] = []
    for column, rows in held.items():
        columns, joined = {column}, set(rows)
        apart = []
        for part in parts:
            if part[1] & joined:
                columns, joined = columns | part[0], joined | part[1]
            else:
                apart.append(part)
        parts = [*apart, (columns, joined)]
    return [(sorted(part), sorted(held_by)) for part, held_by in parts]


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    """Return the vector product of two sequences of three entries."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Matrix(Sequence[list[Entry]]):
    """An immutable matrix, stored as a sequence of rows."""

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Iterable[Entry]]) -> None:
        self.rows = [list(row) for row in rows]

    @classmethod
    def symmetric(cls, size: int, entry: Callable[[int, int], Entry]) -> Matrix[Entry]:
        """Create a symmetric matrix from the entries on and above the diagonal."""
        upper = {(a, b): entry(a, b) for a in range(size) for b in range(a, size)}
        return cls([upper[min(a, b), max(a, b)] for b in range(size)] for a in range(size))

    @staticmethod
    def unit(graph: Graph, size: int) -> Matrix[Expr]:
        return Matrix([graph.one if a == b else graph.zero for b in range(size)] for a in range(size))

    @overload
    def __getitem__(self, row: int) -> list[Entry]: ...
    @overload
    def __getitem__(self, row: slice) -> list[list[Entry]]: ...
    def __getitem__(self, row: int | slice) -> list[Entry] | list[list[Entry]]:
        return self.rows[row]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @property
    def T(self) -> Matrix[Entry]:
        return Matrix(zip(*self.rows, strict=True))

    def over(self, graph: Graph) -> Matrix[Expr]:
        """Return the matrix with all entries as expressions of the graph."""
        return Matrix([graph.zero + cast("Expr", x) for x in row] for row in self.rows)

    def __add__(self, other: Matrix[Entry]) -> Matrix[Entry]:
        pairs = zip(self.rows, other.rows, strict=True)
        return Matrix([cast(Entry, cast(Scalar, a) + b) for a, b in zip(*rows, strict=True)] for rows in pairs)

    @overload
    def __matmul__(self, other: Matrix[Entry]) -> Matrix[Entry]: ...
    @overload
    def __matmul__(self, other: list[Entry] | tuple[Entry, ...]) -> list[Entry]: ...
    def __matmul__(self, other: Matrix[Entry] | list[Entry] | tuple[Entry, ...]) -> Matrix[Entry] | list[Entry]:
        if not isinstance(other, Matrix):
            return [dot(row, other) for row in self.rows]
        columns = other.T.rows
        return Matrix([dot(row, column) for column in columns] for row in self.rows)

    def congruence(self, G: Matrix[Entry]) -> Matrix[Entry]:
        """Return G^T A G of a symmetric A, computing equal entries once and adding terms from the last row upwards."""
        left, right = Matrix(G.rows[::-1]).T, Matrix((self @ G).rows[::-1]).T
        return Matrix.symmetric(len(left), lambda a, b: dot(left[a], right[b]))
