"""Factorized determinants of Jacobian matrices, singular positions, and inverses by factors and zero blocks.

Guide 2.9.1, 2.9.2, 2.9.4 and 5.6.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from robosym.algebra import POWERS, Expr, Level, numeric_value, reachable, symbols, to_sympy, to_text
from robosym.algebra.count import count
from robosym.algebra.factoring import Factors, factors
from robosym.algebra.folding import Folding
from robosym.algebra.generic import random_numbers
from robosym.algebra.intervals import Interval, bounds
from robosym.algebra.linear.regular import block_triangular, minor, sizes_at, solve
from robosym.algebra.polynomial import Poly, Polynomials
from robosym.algebra.textbook import textbook
from robosym.errors import InputError, Pass, counted
from robosym.mechanism.path import Poses, path, simplest_frames
from robosym.model import Model, Workspace

if TYPE_CHECKING:
    import sympy

    from robosym.kinematics.jacobian import Jacobian
if TYPE_CHECKING:
    from robosym.kinematics.jacobian import Jacobian

__all__ = ["Factorized", "determinant", "inverse_of"]

Matrix = list[list[Expr]]
#: A number, and expressions with their powers, as they are printed.
Pieces = tuple[Fraction, list[tuple[Expr, int]]]
_TRIES = 3  #: projection and intermediate frames tried, the simplest matrices first
_MINORS = 300
_SHORT_SUM = 60  #: in operations; a longer sum of squared minors is not simplified
_LARGEST_PRODUCT = 1500  #: in terms; beyond, a block is not expanded


@dataclass(frozen=True, eq=False, repr=False)
class Factorized(Model):
    """A determinant (output "DET") as a product; `powers` are the exponents of the factors F1, F2, ..."""

    powers: tuple[tuple[str, int], ...] = ()
    shape: tuple[int, int] = (0, 0)  #: rows and columns of the Jacobian matrix

    @property
    def factors(self) -> tuple[tuple[sympy.Expr, int], ...]:
        """The factors as SymPy expressions with their powers; the sign and numeric factors are part of DET only."""
        return tuple(
            zip(to_sympy([self.definitions[n] for n, _ in self.powers]), (p for _, p in self.powers), strict=True)
        )

    @property
    def always_singular(self) -> bool:
        """Whether the determinant is zero at every position."""
        return self.definitions["DET"].is_zero

    @property
    def never_singular(self) -> bool:
        """Whether it is zero at no position, for parameters other than zero."""
        return not self.always_singular and not self._vanishing()

    def singularities(self) -> tuple[sympy.Expr, ...]:
        """Return the factors that depend on the joints: a position is singular where one of them is zero.

        The result is (0,) if every position is singular, and () if none is.
        """
        return tuple(to_sympy([self.definitions["DET"]] if self.always_singular else self._vanishing()))

    def _vanishing(self) -> list[Expr]:
        """Return the factors that depend on the joints and may be zero."""
        online = (self.definitions[name] for name, _ in self.powers)
        return [factor for factor in online if factor.level is Level.ONLINE and _may_vanish(factor)]

    def explain(self) -> str:
        """Return the factors as text, with those that vanish at singular positions."""
        rows, columns = self.shape
        if rows == columns:
            return self._explained()
        product = "J^T J" if rows > columns else "J J^T"
        shape = f"{counted(rows, 'row')} and {counted(columns, 'column')}"
        return f"J has {shape}: the determinant is that of {product}\n{self._explained()}"

    def _explained(self) -> str:
        if self.always_singular:
            return (
                "always singular: the determinant is zero at every position\n"
                "Choose other rows of the Jacobian matrix, other joints, or another frame.\n"
            )
        written = [to_text(factor, POWERS) for factor in textbook([self.definitions[name] for name, _ in self.powers])]
        exponents = (power for _, power in self.powers)
        powers = [f"  ({w})" + (f"^{power}" if power > 1 else "") for w, power in zip(written, exponents, strict=True)]
        value = numeric_value(self.definitions["DET"])
        if self.never_singular:
            lines = ["factors:", *powers] if powers else []
            names = symbols(self.definitions[name] for name, _ in self.powers)
            held = [name for name in names if name in self.inputs.get("parameters", ())]
            unless = f", unless a factor of {', '.join(held)} is" if held else ""
            constant = "" if value is None else f": it is {to_text(self.definitions['DET'])} everywhere"
            return (
                "\n".join([*lines, f"never singular: the determinant is zero at no position{unless}{constant}"]) + "\n"
            )
        zeros = (f"  {to_text(factor, POWERS)}" for factor in textbook(self._vanishing()))
        return "\n".join(["factors:", *powers, "singular where one of these is zero:", *zeros]) + "\n"


def _may_vanish(factor: Expr) -> bool:
    """Return whether zero is between the bounds of a factor, for any values of its symbols."""
    anything = Interval(np.array(-np.inf), np.array(np.inf))
    (found,) = bounds([factor], dict.fromkeys(symbols([factor]), anything))
    return not (found.low > 0 or found.high < 0)


def determinant(J: Jacobian) -> Factorized:
    """Return det J; if J is not square, det(J J^T) or det(J^T J), a sum of squares of minors."""
    robot = J.robot
    assert robot is not None
    with Workspace(robot, ("q", "parameters")) as work:
        folding = Folding(Polynomials(work.graph))
        number, pieces = _shortest(_simplest_matrices(J, Poses(robot, work.value), work.graph.one), folding)
        total = work.graph.number(number)
        powers = []
        for k, (piece, power) in enumerate(pieces, 1):
            work.define(f"F{k}", piece)
            powers.append((f"F{k}", power))
            total = total * work.graph.power(piece, power)
        if number == 0:
            powers = []
        work.define("DET", total)
        title = f"Determinant of the Jacobian matrix of link {J.link}"
        shape = (len(J.outputs["J"]), len(J.outputs["J"][0]))
        return work.model("det", title, {"DET": ("DET",)}, Factorized, powers=tuple(powers), shape=shape)


def _shortest(matrices: Sequence[Matrix], folding: Folding) -> Pieces:
    """Return the common determinant of the matrices in the form with the fewest operations."""
    found: list[tuple[int, Pieces]] = []
    for matrix in matrices:
        pieces = _of(matrix, folding)
        cost = count(expression for expression, _ in pieces[1]).total
        found.append((cost, pieces))
        if cost <= 3 * len(pieces[1]):  # no shorter one is worth the search
            break
    return min(found, key=lambda item: item[0])[1]


def _simplest_matrices(J: Jacobian, poses: Poses, one: Expr) -> list[Matrix]:
    """Return matrices with the same determinant (of J, J J^T or J^T J), in other frames if all rows exist."""
    robot, rows = poses.robot, J.rows
    way = [0, *path(robot, 0, J.link)[1]]
    whole, tall = sorted(rows) == [1, 2, 3, 4, 5, 6], len(rows) > len(J.joints)
    turned = whole or sorted(rows) in ([1, 2, 3], [4, 5, 6])
    ends = way if (whole and not tall) or sorted(rows) == [4, 5, 6] else [J.link]
    pairs = [(i, j) for i in way for j in ends] if turned else [(J.frame, J.link)]
    matrices: list[tuple[int, int, int, Matrix]] = []
    for i, j in pairs:
        columns = J.columns(poses, i, j, one.graph)
        matrix = [[column[r - 1] for column in columns] for r in rows]
        entries = [e for row in matrix for e in row]
        matrices.append((count(entries).total, sum(not e.is_zero for e in entries), len(matrices), matrix))
    return [matrix for *_, matrix in sorted(matrices, key=lambda m: m[:3])][:_TRIES]


# ------------------------------------------------------------------------ the matrix


def _of(matrix: Matrix, folding: Folding) -> Pieces:
    """Return the determinant, or for a matrix that is not square the sum of squared minors (Cauchy-Binet)."""
    m, n = len(matrix), len(matrix[0])
    if m == n:
        number, found = _square(matrix, range(n), range(n), folding)
        return number, _printed(found, folding)
    small, large = min(m, n), max(m, n)
    if comb(large, small) > _MINORS:
        raise InputError(f"a {m} x {n} matrix has {comb(large, small)} minors: choose fewer rows or joints")
    choices = combinations(range(large), small)
    minors = [
        _square(matrix, range(m), some, folding) if m < n else _square(matrix, some, range(n), folding)
        for some in choices
    ]
    return _sum_of_squares([minor for minor in minors if minor[0]], folding)


def _sum_of_squares(minors: Sequence[Factors], folding: Folding) -> Pieces:
    """Return the squared common factors of the minors, times the sum of the remaining squares."""
    if not minors:
        return Fraction(0), []
    polynomials = folding.polynomials
    common = {poly: min(found.get(poly, 0) for _, found in minors) for poly in minors[0][1]}
    common = {poly: power for poly, power in common.items() if power}
    squares = []
    for number, found in minors:
        rest = polynomials.graph.number(number)
        for poly, power in found.items():
            rest = rest * polynomials.graph.power(polynomials.expression(poly), power - common.get(poly, 0))
        squares.append(rest * rest)
    total = sum(squares, polynomials.graph.zero)
    if count([total]).total <= _SHORT_SUM:
        folded = polynomials.expression(folding.merged(polynomials.of(total)))
        total = min(total, folded, key=lambda sum_: count([sum_]).total)
    pieces = [(piece, 2 * power) for piece, power in _printed(common, folding)]
    if total.is_number:
        return Fraction(total.number), pieces
    return Fraction(1), [*pieces, (total, 1)]


def _printed(found: Mapping[Poly, int], folding: Folding) -> list[tuple[Expr, int]]:
    """Sort factors: parameters first, then the simplest."""
    pieces = [(folding.polynomials.expression(poly), power) for poly, power in found.items()]
    return sorted(pieces, key=lambda piece: (piece[0].level, count([piece[0]]).total, str(piece[0])))


# ---------------------------------------------------------------------- square parts


def _square(matrix: Matrix, rows: Sequence[int], columns: Sequence[int], folding: Folding) -> Factors:
    """Return the determinant of a square matrix: the product of those of its diagonal blocks."""
    part = [[matrix[r][c] for c in columns] for r in rows]
    blocks = block_triangular([[not e.is_zero for e in row] for row in part])
    if blocks is None:
        return Fraction(0), {}
    number = Fraction(_sign([r for rs, _ in blocks for r in rs]) * _sign([c for _, cs in blocks for c in cs]))
    found: Counter[Poly] = Counter()
    for block_rows, block_columns in blocks:
        poly = _determinant([[part[r][c] for c in block_columns] for r in block_rows], folding)
        scale, pieces = factors(folding, poly)
        number *= scale
        if not number:
            return Fraction(0), {}
        found.update(pieces)
    return number, found


def _determinant(block: Matrix, folding: Folding) -> Poly:
    """Return the determinant of a block as a polynomial, or as one symbol if the polynomial would be unreadable."""
    try:
        return _expanded(block, folding)
    except _TooLarge:
        every = range(len(block))
        return folding.polynomials.single(minor(block, every, every))


class _TooLarge(Exception):
    pass


def _expanded(block: Matrix, folding: Folding) -> Poly:
    """Expand by minors of the last rows, one row at a time, with folding."""
    entries = [[folding.polynomials.of(e) for e in row] for row in block]
    order = sorted(range(len(block)), key=lambda r: sum(map(len, entries[r])))  # the shortest rows are expanded last
    minors: dict[tuple[int, ...], Poly] = {(): Poly({(): Fraction(1)})}
    for size, row in enumerate(reversed(order), 1):
        chosen = combinations(range(len(block)), size)
        minors = {columns: folding.folded(_along(entries[row], columns, minors)) for columns in chosen}
    return minors.get(tuple(range(len(block))), Poly()) * _sign(order)


def _along(row: Sequence[Poly], columns: tuple[int, ...], minors: Mapping[tuple[int, ...], Poly]) -> Poly:
    """Expand the minor of some columns along its first row; `minors` are those of the rows below."""
    total = Poly()
    for place, column in enumerate(columns):
        rest = minors.get((*columns[:place], *columns[place + 1 :]))
        if rest and row[column]:
            if len(rest) * len(row[column]) > _LARGEST_PRODUCT:
                raise _TooLarge
            total = total + row[column] * rest * (-1 if place % 2 else 1)
    return total


def _sign(order: Sequence[int]) -> int:
    """Return the sign of a permutation."""
    return -1 if sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) % 2 else 1


# -------------------------------------------------------------------------- the inverse


def inverse_of(J: Jacobian) -> Model:
    """Return the model of q' = Ji [V; W] for the velocity as J expresses it; output "Ji", one row per joint.

    With all six rows, the simplest iJr,j is inverted instead of J: iJr,j q' = L^-1 R^T [V; W].
    """
    robot = J.robot
    assert robot is not None
    n = len(J.joints)
    if len(J.rows) != n:
        raise InputError(
            f"expected a square matrix, found {len(J.rows)} rows and {n} joints",
            hint=("choose some with ", Pass("rows"), " and ", Pass("joints")),
        )
    with Workspace(robot, ("q", "parameters")) as work:
        poses, graph = Poses(robot, work.value, work.define), work.graph
        whole = n == 6
        i, j = simplest_frames(poses, J.link, None, None, graph.one) if whole else (J.frame, J.link)
        columns = J.columns(poses, i, j, graph)
        left = [[column[r - 1] for column in columns] for r in (range(1, 7) if whole else J.rows)]
        right = [[graph.number(int(r == c)) for c in range(n)] for r in range(n)]
        if whole:
            right = _unshifted(poses, i, j, J.frame, J.link, graph.zero)
            right = [[row[r - 1] for r in J.rows] for row in right]
        sample = _sample([e for row in left for e in row])
        inverse = solve(left, right, sizes_at(sample))
        title = f"Inverse of the Jacobian matrix of link {J.link}"
        return work.model("inv", title, {"Ji": work.matrix("Ji", inverse)})


def _unshifted(poses: Poses, i: int, j: int, frame: int, link: int, zero: Expr) -> list[list[Expr]]:
    """L^-1 R^T, 6 x 6: [A L^ A; 0 A] with A = iA_r."""
    A = poses(i, frame).A
    L = poses.shift(i, j, link)
    columns = A.T.rows
    linear = [[*column, zero, zero, zero] for column in columns]
    angular = [[*L.cross(column), *column] for column in columns]
    return [[zero + column[r] for column in (*linear, *angular)] for r in range(6)]


def _sample(entries: list[Expr]) -> dict[str, float]:
    """Return a generic position."""
    rng = random_numbers("position of a Jacobian")
    return {node.value: rng.uniform(0.4, 1.4) for node in reachable(entries) if node.op == "symbol"}
