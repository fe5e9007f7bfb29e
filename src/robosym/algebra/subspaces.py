"""Rank, null spaces and independent columns of tables of numbers, by which the form of a model is decided."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import BETTER, RANK, ROUNDING, ZERO

__all__ = ["best_rows", "independent_columns", "null_space", "null_spaces", "rank", "ranks"]


def ranks(singular: Array, part: float = RANK) -> Array:
    """How many of singular values (..., n), the largest first, count: those above this part of the largest."""
    return np.asarray((singular > part * np.maximum(singular[..., :1], ZERO)).sum(axis=-1))


def rank(table: Array, part: float = RANK) -> int:
    """The rank of a table."""
    return int(ranks(np.linalg.svd(table, compute_uv=False), part)) if table.size else 0


def null_spaces(tables: Array) -> list[Array]:
    """What each of the tables (m, rows, columns) takes to zero: orthonormal columns."""
    _, singular, rows = np.linalg.svd(tables)
    return [np.asarray(row[r:].conj().T) for row, r in zip(rows, ranks(singular), strict=True)]


def null_space(table: Array) -> Array:
    """What a table takes to zero: orthonormal columns."""
    return null_spaces(table[None])[0]


def independent_columns(table: Array, tolerance: float, shortest: float | None = None) -> tuple[list[int], Array]:
    """The columns that are independent of those before them, and what is left of each, in parts of its length.

    A column depends on those before it where no more than `tolerance` is left of it (Gram and Schmidt, each column made
    orthogonal twice). One shorter than `shortest`, by default the tolerance, in parts of the longest counts as zero.
    """
    lengths = np.linalg.norm(table, axis=0)
    least = max(tolerance if shortest is None else shortest, 0.0) * float(lengths.max(initial=0.0))
    kept: list[int] = []
    left = np.zeros(table.shape[1])
    basis = np.zeros((table.shape[0], 0))
    for column in np.flatnonzero(lengths > least):
        rest = table[:, column] / lengths[column]
        for _ in range(2):  # once more for what rounding left of the first
            rest = rest - basis @ (basis.T @ rest)
        left[column] = np.linalg.norm(rest)
        if left[column] > tolerance:
            kept.append(int(column))
            basis = np.column_stack([basis, rest / left[column]])
    return kept, left


def best_rows(tables: Sequence[Array], count: int) -> tuple[int, ...]:
    """As many rows as the tables have columns, whose determinant is largest in the table where it is least.

    Of choices that are as good, the first.
    """
    best: tuple[float, tuple[int, ...]] = (-1.0, ())
    for rows in combinations(range(len(tables[0])), count):
        worth = min(abs(float(np.linalg.det(table[list(rows)]))) for table in tables)
        if worth > best[0] * BETTER + ROUNDING:
            best = worth, rows
    return best[1]
