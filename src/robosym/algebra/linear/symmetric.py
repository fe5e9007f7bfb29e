"""Linear systems as straight-line code: no pivot is chosen, every step is a few operations of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra import Expr
from robosym.errors import InputError

__all__ = ["factor_symmetric", "reciprocal", "solve_factored", "solve_symmetric"]

Matrix = Sequence[Sequence[Any]]


def reciprocal(pivot: Any, what: str) -> Any:
    """1 / pivot; `what` has no inertia at all where the pivot is zero in every position."""
    if pivot.is_zero if isinstance(pivot, Expr) else pivot == 0:
        raise InputError(f"{what} moves no inertia: its acceleration is not determined by its torque")
    return 1 / pivot


def factor_symmetric(A: Matrix) -> tuple[list[list[Any]], list[Any]]:
    """Cholesky without square roots, A = U^T D U: rows of U beyond the diagonal, and 1 / D.

    Only entries on and above the diagonal are read. Of a positive definite matrix no pivot is zero. Taken from the
    last row upwards, so that the zeros of a tree's inertia matrix, whose branches do not meet, are not filled.
    """
    n = len(A)
    S = [[A[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    inverse: list[Any] = [0] * n
    for k in reversed(range(n)):
        inverse[k] = reciprocal(S[k][k], f"unknown {k + 1} of the system")
        for a in range(k):
            L[k][a] = S[a][k] * inverse[k]
        for a in range(k):
            for b in range(a, k):
                S[a][b] = S[a][b] - L[k][a] * S[b][k]
    return L, inverse


def solve_factored(L: Matrix, inverse: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """x of A x = right, from the factors."""
    x = list(right)
    n = len(x)
    for k in reversed(range(n)):
        for a in range(k):
            x[a] = x[a] - L[k][a] * x[k]
    for k in range(n):
        x[k] = x[k] * inverse[k]
        for a in range(k):
            x[k] = x[k] - L[k][a] * x[a]
    return x


def solve_symmetric(A: Matrix, right: Sequence[Any]) -> list[Any]:
    """x of A x = right for a symmetric positive definite A."""
    return solve_factored(*factor_symmetric(A), right)
