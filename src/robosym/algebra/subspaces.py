"""Rank, null space and independent columns of numeric matrices, which determine the form of models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import BETTER, RANK, ROUNDING, ZERO

__all__ = ["best_rows", "independent_columns", "null_space", "null_spaces", "rank", "ranks"]


def ranks(singular: Array, part: float = RANK) -> Array:
    """Return the number of singular values (..., n), in descending order, that exceed a fraction of the largest."""
    return np.asarray((singular > part * np.maximum(singular[..., :1], ZERO)).sum(axis=-1))


def rank(table: Array, part: float = RANK) -> int:
    """Return the rank of a matrix."""
    return int(ranks(np.linalg.svd(table, compute_uv=False), part)) if table.size else 0


def null_spaces(tables: Array) -> list[Array]:
    """Return an orthonormal basis of the null space of each matrix (m, rows, columns), as columns."""
    _, singular, rows = np.linalg.svd(tables)
    return [np.asarray(row[r:].conj().T) for row, r in zip(rows, ranks(singular), strict=True)]


def null_space(table: Array) -> Array:
    """Return an orthonormal basis of the null space of a matrix, as columns."""
    return null_spaces(table[None])[0]


def independent_columns(table: Array, tolerance: float, shortest: float | None = None) -> tuple[list[int], Array]:
    """Return the columns that are independent of previous ones, and the relative residual of each column.

    A column is dependent if its residual after orthogonalization (Gram-Schmidt, twice) is at most `tolerance`. A column
    shorter than `shortest` relative to the longest one, by default the tolerance, counts as zero.
    """
    lengths = np.linalg.norm(table, axis=0)
    least = max(tolerance if shortest is None else shortest, 0.0) * float(lengths.max(initial=0.0))
    kept: list[int] = []
    left = np.zeros(table.shape[1])
    basis = np.zeros((table.shape[0], 0))
    for column in np.flatnonzero(lengths > least):
        rest = table[:, column] / lengths[column]
        for _ in range(2):  # the second pass removes rounding errors of the first
            rest = rest - basis @ (basis.T @ rest)
        left[column] = np.linalg.norm(rest)
        if left[column] > tolerance:
            kept.append(int(column))
            basis = np.column_stack([basis, rest / left[column]])
    return kept, left


def best_rows(tables: Sequence[Array], count: int) -> tuple[int, ...]:
    """Select as many rows as the matrices have columns, maximizing the smallest determinant over the matrices.

    The first of several equivalent selections is returned.
    """
    best: tuple[float, tuple[int, ...]] = (-1.0, ())
    for rows in combinations(range(len(tables[0])), count):
        worth = min(abs(float(np.linalg.det(table[list(rows)]))) for table in tables)
        if worth > best[0] * BETTER + ROUNDING:
            best = worth, rows
    return best[1]
