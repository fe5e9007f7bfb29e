"""Symmetric linear systems as straight-line code without pivoting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from robosym.algebra import Expr
from robosym.errors import InputError

__all__ = ["reciprocal", "solve_symmetric"]

Matrix = Sequence[Sequence[Any]]


def reciprocal(pivot: Any, what: str) -> Any:
    """Return 1 / pivot; raise an error naming `what` if the pivot is zero in every position."""
    if pivot.is_zero if isinstance(pivot, Expr) else pivot == 0:
        raise InputError(f"{what} moves no inertia: its acceleration is not determined by its torque")
    return 1 / pivot


def solve_symmetric(A: Matrix, right: Sequence[Any], reciprocals: bool = True) -> list[Any]:
    """Solve A x = right for a symmetric positive definite A by A = L^T D L (Cholesky without square roots).

    Only entries on and above the diagonal are used, and no pivot is zero. The factorization starts with the last row,
    so that zeros of the inertia matrix of a tree with several branches are not filled. With `reciprocals` there is one
    division per pivot, which is fast; without, there is one operation less per pivot, but more divisions.
    """
    n = len(A)
    S = [[A[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    over: dict[int, Callable[[Any], Any]] = {}  # functions that divide by each pivot
    for k in reversed(range(n)):
        over[k] = _over(S[k][k], f"unknown {k + 1} of the system", reciprocals)
        for a in range(k):
            L[k][a] = over[k](S[a][k])
        for a in range(k):
            for b in range(a, k):
                S[a][b] = S[a][b] - L[k][a] * S[b][k]
    x = list(right)
    for k in reversed(range(n)):
        for a in range(k):
            x[a] = x[a] - L[k][a] * x[k]
    for k in range(n):
        x[k] = over[k](x[k])
        for a in range(k):
            x[k] = x[k] - L[k][a] * x[a]
    return x


def _over(pivot: Any, what: str, reciprocals: bool) -> Callable[[Any], Any]:
    inverse = reciprocal(pivot, what)
    return (lambda number: number * inverse) if reciprocals else (lambda number: number / pivot)
