"""Exact values and ranks of expressions by arithmetic modulo a prime.

Expressions depend on an angle t through its sine and cosine, that is, through a point on the unit circle: exp(i t)
becomes a residue u, cos t = (u + 1/u) / 2 and sin t = (u - 1/u) / 2i. Modulo this prime there are a square root of -1
and a root of unity for each multiple of pi/360, so that 30 or 45 degrees are exact. The rank modulo a prime is a lower
bound of the true rank. Grouping relations are an upper bound, so that equality of the two proves the rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, symbols
from robosym.algebra.generic import random_numbers
from robosym.algebra.interpret import Arithmetic, interpret
from robosym.algebra.trigonometry import linear_terms

__all__ = ["PRIME", "modular_rank", "residues"]

PRIME = 2147482801
_GENERATOR = 22
_PARTS = 720  #: number of parts of a full turn
_UNITY = pow(_GENERATOR, (PRIME - 1) // _PARTS, PRIME)
_I = pow(_UNITY, _PARTS // 4, PRIME)

Residues = NDArray[np.int64]
_ONE = np.ones(1, dtype=np.int64)


def _inverse(value: Residues) -> Residues:
    """Return the inverse of residues by Fermat's theorem."""
    result, base, exponent = _ONE, value % PRIME, PRIME - 2
    while exponent:
        if exponent & 1:
            result = result * base % PRIME
        base = base * base % PRIME
        exponent >>= 1
    return result


def _of_number(value: Fraction | float) -> int:
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


_ON_RESIDUES: dict[str, Callable[[Residues, Residues], Residues]] = {
    "add": lambda a, b: (a + b) % PRIME,
    "mul": lambda a, b: a * b % PRIME,
    "div": lambda a, b: a * _inverse(b) % PRIME,
}


class _Residues(Arithmetic[Residues]):
    """Residues at several samples; `varying` symbols differ between samples."""

    def __init__(self, samples: int, varying: Iterable[str], seed: int) -> None:
        super().__init__(_ON_RESIDUES, {})
        self.samples = samples
        self.varying = frozenset(varying)
        self.rng = random_numbers("residues", seed)
        self.circle: dict[tuple[Expr, int], Residues] = {}  #: exp(i x / denominator) of the terms x of angles

    def draw(self, varies: bool) -> Residues:
        numbers = [self.rng.randrange(1, PRIME) for _ in range(self.samples if varies else 1)]
        return np.array(numbers, dtype=np.int64)

    def varies(self, node: Expr) -> bool:
        return any(name in self.varying for name in symbols([node]))

    def turn(self, angle: Expr) -> Residues:
        """Return exp(i angle)."""
        total = _ONE
        for base, coefficient in linear_terms(angle).items():
            if base.op == "pi":
                parts = coefficient * (_PARTS // 2)
                if isinstance(parts, Fraction) and parts.denominator == 1:
                    factor: int | Residues = pow(_UNITY, int(parts) % _PARTS, PRIME)
                else:
                    factor = self.number_turn(float(coefficient) * math.pi)
            elif base.op == "number":
                factor = self.number_turn(float(coefficient))
            else:
                factor = self.unknown_turn(base, coefficient)
            total = total * factor % PRIME
        return total

    def number_turn(self, angle: float) -> int:
        """Return exp(i angle) of a float from a rational tangent of the half angle."""
        t = _of_number(math.tan(angle / 2))
        below = pow(1 + t * t, -1, PRIME)
        return ((1 - t * t) + 2 * _I * t) * below % PRIME

    def unknown_turn(self, base: Expr, coefficient: Fraction | float) -> Residues:
        exact = coefficient if isinstance(coefficient, Fraction) else Fraction(coefficient).limit_denominator(1000)
        key = (base, exact.denominator)
        if key not in self.circle:
            self.circle[key] = self.draw(self.varies(base))
        u, times = self.circle[key], exact.numerator
        u = _inverse(u) if times < 0 else u
        power = _ONE
        for _ in range(abs(times)):
            power = power * u % PRIME
        return power

    def leaf(self, node: Expr) -> Residues:
        return _ONE * _of_number(node.value) if node.op == "number" else self.draw(self.varies(node))

    def apply(self, node: Expr, arguments: Sequence[Residues]) -> Residues:
        if node.op in ("sin", "cos"):
            u = self.turn(node.args[0])
            back = _inverse(u)
            if node.op == "cos":
                return (u + back) * pow(2, -1, PRIME) % PRIME
            return (u - back) % PRIME * pow(2 * _I, -1, PRIME) % PRIME
        return self.draw(self.varies(node))  # other functions are algebraically independent


def residues(roots: Sequence[Expr], varying: Sequence[str], samples: int, seed: int = 0) -> Residues:
    """Return exact values at random points, one row per sample and one column per root.

    Symbols that are not `varying` have the same value in all rows.
    """
    found = interpret(roots, _Residues(samples, varying, seed))
    return np.column_stack([np.broadcast_to(np.asarray(value, dtype=np.int64) % PRIME, samples) for value in found])


def modular_rank(matrix: Residues) -> tuple[int, list[int]]:
    """Return the rank modulo the prime, and the columns that are independent of previous ones."""
    left = matrix.copy() % PRIME
    pivots: list[int] = []
    row = 0
    for column in range(left.shape[1]):
        nonzero = np.nonzero(left[row:, column])[0]
        if len(nonzero) == 0:
            continue
        at = row + int(nonzero[0])
        left[[row, at]] = left[[at, row]]
        left[row] = left[row] * pow(int(left[row, column]), -1, PRIME) % PRIME
        below = left[row + 1 :, column].copy()
        left[row + 1 :] = (left[row + 1 :] - below[:, None] * left[row][None, :] % PRIME) % PRIME
        pivots.append(column)
        row += 1
        if row == left.shape[0]:
            break
    return row, pivots
