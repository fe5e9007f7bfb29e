"""The rank of energy functions: of samples in floats by QR, and exactly by arithmetic modulo a prime (A3-4, A3-5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr
from robosym.algebra.modular import PRIME, modular_rank, residues
from robosym.algebra.subspaces import independent_columns

__all__ = ["Dependence", "dependence", "exact_rank", "has_full_rank"]

Array = NDArray[np.float64]
_LOST_DIGITS = 1e4  #: closing a loop by iteration leaves more than the rounding of one sum, but twelve digits hold
_FEW_DIGITS = 1e-8
_GAP = 0.01  #: residuals of dependent columns are at least this much below the others, or the rank is in doubt
_MORE = 8  #: rows than columns, so that an unlucky row does not lower the exact rank


def exact_rank(functions: Iterable[Expr], varying: Sequence[str]) -> int:
    """The generic rank of functions of the `varying` symbols, up to constants: differences of samples are taken.

    It is never more than the true one, see `robosym.algebra.modular`.
    """
    functions = list(functions)
    rows = residues(functions, varying, len(functions) + _MORE + 1)
    return modular_rank((rows[1:] - rows[:1]) % PRIME)[0]


@dataclass(frozen=True)
class Dependence:
    """Which columns of a matrix depend on those before them, and how."""

    independent: list[int]
    dependent: list[int]
    weights: Array  #: dependent columns = independent columns @ weights
    tolerance: float
    smallest_kept: float
    largest_dropped: float

    @property
    def clear(self) -> bool:
        """Whether the residuals leave no doubt about the rank."""
        return self.largest_dropped < _GAP * self.smallest_kept


def has_full_rank(matrix: Array) -> bool:
    """Whether the columns are independent, by singular values of columns of unit length."""
    lengths = np.linalg.norm(matrix, axis=0)
    if not matrix.shape[1] or lengths.min() <= _tolerance(matrix) * lengths.max():
        return not matrix.shape[1]
    return bool(np.linalg.svd(matrix / lengths, compute_uv=False)[-1] > _tolerance(matrix) / _GAP)


def _tolerance(matrix: Array) -> float:
    return float(_LOST_DIGITS * max(matrix.shape) * np.finfo(float).eps)


def dependence(matrix: Array, few_digits: bool = False) -> Dependence:
    """Which columns depend on those before them (`independent_columns`), and by which shares.

    A column depends on those before it if what is left of it is below the tolerance, in parts of its length. Loops
    whose geometry has few digits do not close exactly: with `few_digits` a larger tolerance is tried in case of doubt.
    """
    found = _dependence(matrix, _tolerance(matrix))
    if few_digits and not found.clear:
        coarse = _dependence(matrix, _FEW_DIGITS)
        found = coarse if coarse.clear else found
    return found


def _dependence(matrix: Array, tolerance: float) -> Dependence:
    independent, left = independent_columns(matrix, tolerance)
    dependent = [column for column in range(matrix.shape[1]) if column not in independent]
    smallest, largest = float(left[independent].min(initial=1.0)), float(left[dependent].max(initial=0.0))
    solution = np.linalg.lstsq(matrix[:, independent], matrix[:, dependent], rcond=None)[0]
    return Dependence(independent, dependent, np.asarray(solution, dtype=np.float64), tolerance, smallest, largest)
