"""Determinants of Jacobian matrices, factorised, and the singular positions they tell (guide 2.9.4 and 5.6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Level, to_sympy
from robosym.algebra.count import count
from robosym.algebra.factoring import Factors, factors
from robosym.algebra.linear.blocks import block_triangular
from robosym.algebra.linear.solve import minor
from robosym.algebra.polynomial import Poly, Polynomials, add, multiply
from robosym.errors import InputError
from robosym.geometry.path import path
from robosym.geometry.poses import Poses
from robosym.model import Model, Workspace

if TYPE_CHECKING:
    import sympy

    from robosym.kinematics.jacobian import Jacobian

__all__ = ["Factorised", "determinant"]

Matrix = list[list[Expr]]
_TRIES = 3  #: projection and intermediate frames tried, the simplest matrices first
_MINORS = 300
_SHORT_SUM = 60  #: in operations; a longer sum of squared minors is left as it is
_LARGEST_PRODUCT = 1500  #: in terms; beyond, a block is not expanded


@dataclass(frozen=True, eq=False)
class Factorised(Model):
    """A determinant (output "DET") as a product; `powers` tells that of each factor F1, F2, ..."""

    powers: tuple[tuple[str, int], ...] = ()

    @property
    def factors(self) -> tuple[tuple[sympy.Expr, int], ...]:
        """The factors as SymPy expressions with their powers; the sign and plain numbers are left to DET."""
        return tuple(
            zip(to_sympy([self.definitions[n] for n, _ in self.powers]), (p for _, p in self.powers), strict=True)
        )

    def singularities(self) -> tuple[sympy.Expr, ...]:
        """The factors that depend on the joints: a position is singular where one of them is zero."""
        names = [name for name, _ in self.powers if self.definitions[name].level is Level.ONLINE]
        return tuple(to_sympy([self.definitions[name] for name in names]))

    def explain(self) -> str:
        """The factors, and which of them vanish at singular positions."""
        powers = (f"  ({factor})" + (f"^{power}" if power > 1 else "") for factor, power in self.factors)
        zeros = (f"  {factor}" for factor in self.singularities())
        return "\n".join(["factors:", *powers, "singular where one of these is zero:", *zeros]) + "\n"


def determinant(J: Jacobian) -> Factorised:
    """det J; where J has more columns than rows det(J J^T), where fewer det(J^T J), a sum of squares of minors."""
    robot = J.robot
    assert robot is not None
    with Workspace(robot, ("q", "parameters")) as work:
        polynomials = Polynomials(work.graph)
        best: tuple[int, Fraction, list[tuple[Expr, int]]] | None = None
        for matrix in _simplest_matrices(J, Poses(robot, work.value), work.graph.one):
            found = _of(matrix, polynomials)
            cost = count(expression for expression, _ in found[1]).total
            if best is None or cost < best[0]:
                best = cost, *found
            if cost <= 3 * len(found[1]):  # no shorter one is worth the search
                break
        assert best is not None
        _, number, pieces = best
        total = work.graph.number(number)
        powers = []
        for k, (piece, power) in enumerate(pieces, 1):
            work.define(f"F{k}", piece)
            powers.append((f"F{k}", power))
            total = total * work.graph.power(piece, power)
        if number == 0:
            powers = []
        work.define("DET", total)
        model = work.model("det", f"Determinant of the Jacobian matrix of link {J.link}", {"DET": ("DET",)})
        return Factorised(**{entry.name: getattr(model, entry.name) for entry in fields(Model)}, powers=tuple(powers))


def _simplest_matrices(J: Jacobian, poses: Poses, one: Expr) -> list[Matrix]:
    """Matrices with the same determinant (of J, J J^T or J^T J): other frames where all rows allow it."""
    robot, rows = poses.robot, J.rows
    way = [0, *path(robot, 0, J.link)[1]]
    whole, tall = sorted(rows) == [1, 2, 3, 4, 5, 6], len(rows) > len(J.joints)
    turned = whole or sorted(rows) in ([1, 2, 3], [4, 5, 6])
    ends = way if (whole and not tall) or sorted(rows) == [4, 5, 6] else [J.link]
    pairs = [(i, j) for i in way for j in ends] if turned else [(J.frame, J.link)]
    matrices: list[tuple[int, int, int, Matrix]] = []
    for i, j in pairs:
        columns = [[one * e for part in poses.column(i, j, k) for e in part] for k in J.joints]
        matrix = [[column[r - 1] for column in columns] for r in rows]
        entries = [e for row in matrix for e in row]
        matrices.append((count(entries).total, sum(not e.is_zero for e in entries), len(matrices), matrix))
    return [matrix for *_, matrix in sorted(matrices, key=lambda m: m[:3])][:_TRIES]


def _of(matrix: Matrix, polynomials: Polynomials) -> tuple[Fraction, list[tuple[Expr, int]]]:
    """The number and the factors with their powers."""
    m, n = len(matrix), len(matrix[0])
    if m == n:
        number, found = _square(matrix, range(n), range(n), polynomials)
        return number, _sorted(found, polynomials)
    small, large = min(m, n), max(m, n)
    if comb(large, small) > _MINORS:
        raise InputError(f"a {m} x {n} matrix has {comb(large, small)} minors: choose fewer rows or joints")
    minors = []
    for chosen in combinations(range(large), small):
        rows, columns = (range(m), chosen) if m < n else (chosen, range(n))
        number, found = _square(matrix, rows, columns, polynomials)
        if number:
            minors.append((number, found))
    if not minors:
        return Fraction(0), []
    # the factors of every minor, squared, times the sum of the squares of what is left
    common = {key: min(found.get(key, 0) for _, found in minors) for key in minors[0][1]}
    common = {key: power for key, power in common.items() if power}
    squares = []
    for number, found in minors:
        rest = polynomials.graph.number(number)
        for key, power in found.items():
            rest = rest * polynomials.graph.power(polynomials.expression(dict(key)), power - common.get(key, 0))
        squares.append(rest * rest)
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    if count([total]).total <= _SHORT_SUM:
        folded = polynomials.expression(polynomials.merged(polynomials.of(total)))
        total = min(total, folded, key=lambda sum_: count([sum_]).total)
    pieces = [(piece, 2 * power) for piece, power in _sorted(common, polynomials)]
    if total.is_number:
        return Fraction(total.number), pieces
    return Fraction(1), [*pieces, (total, 1)]


def _sorted(found: dict[tuple[object, ...], int], polynomials: Polynomials) -> list[tuple[Expr, int]]:
    """Parameters first, then the simplest."""
    pieces = [(polynomials.expression(dict(key)), power) for key, power in found.items()]  # type: ignore[arg-type]
    return sorted(pieces, key=lambda piece: (piece[0].level, count([piece[0]]).total, str(piece[0])))


def _square(matrix: Matrix, rows: Sequence[int], columns: Sequence[int], polynomials: Polynomials) -> Factors:
    """The determinant of a square part: the product of those of its diagonal blocks."""
    part = [[matrix[r][c] for c in columns] for r in rows]
    blocks = block_triangular([[not e.is_zero for e in row] for row in part])
    if blocks is None:
        return Fraction(0), {}
    order = (
        [r for block_rows, _ in blocks for r in block_rows],
        [c for _, block_columns in blocks for c in block_columns],
    )
    number = Fraction(_sign(order[0]) * _sign(order[1]))
    found: dict[tuple[object, ...], int] = {}
    for block_rows, block_columns in blocks:
        poly = _determinant([[part[r][c] for c in block_columns] for r in block_rows], polynomials)
        scale, pieces = factors(polynomials, poly)
        number *= scale
        if not number:
            return Fraction(0), {}
        for key, power in pieces.items():
            found[key] = found.get(key, 0) + power
    return number, found


def _determinant(block: Matrix, polynomials: Polynomials) -> Poly:
    """The determinant of a block as a polynomial, or as one atom where the polynomial would be of no use to anybody."""
    try:
        return _expanded(block, polynomials)
    except _TooLarge:
        every = range(len(block))
        value = minor(block, every, every)
        return {((polynomials.place(value.node), 1),): Fraction(-1 if value.negative else 1)}


class _TooLarge(Exception):
    pass


def _expanded(block: Matrix, polynomials: Polynomials) -> Poly:
    """Minors of the last rows by sets of columns, folded on the way."""
    entries = [[polynomials.of(e) for e in row] for row in block]
    entries.sort(key=lambda row: sum(len(poly) for poly in row))  # the shortest rows are expanded last
    sign = _sign(sorted(range(len(block)), key=lambda r: sum(len(polynomials.of(e)) for e in block[r])))
    minors: dict[tuple[int, ...], Poly] = {(): {(): Fraction(1)}}
    size = len(block)
    for row in reversed(range(size)):
        grown: dict[tuple[int, ...], Poly] = {}
        for columns in combinations(range(size), size - row):
            total: Poly = {}
            for place, column in enumerate(columns):
                rest = minors.get((*columns[:place], *columns[place + 1 :]))
                if rest and entries[row][column]:
                    if len(rest) * len(entries[row][column]) > _LARGEST_PRODUCT:
                        raise _TooLarge
                    total = add(total, multiply(entries[row][column], rest), -1 if place % 2 else 1)
            if total:
                grown[columns] = polynomials.folded(total)
        minors = grown
    return {m: sign * c for m, c in minors.get(tuple(range(size)), {}).items()}


def _sign(order: Sequence[int]) -> int:
    """Of a permutation."""
    return -1 if sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) % 2 else 1
