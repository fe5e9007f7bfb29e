"""Linear systems as straight-line code: no pivot is chosen, every step is a few operations of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from robosym.algebra import Expr
from robosym.errors import InputError

__all__ = ["reciprocal", "solve_symmetric"]

Matrix = Sequence[Sequence[Any]]


def reciprocal(pivot: Any, what: str) -> Any:
    """1 / pivot; `what` has no inertia at all where the pivot is zero in every position."""
    if pivot.is_zero if isinstance(pivot, Expr) else pivot == 0:
        raise InputError(f"{what} moves no inertia: its acceleration is not determined by its torque")
    return 1 / pivot


def solve_symmetric(A: Matrix, right: Sequence[Any], reciprocals: bool = True) -> list[Any]:
    """x of A x = right for a symmetric positive definite A: Cholesky without square roots, A = L^T D L.

    Only entries on and above the diagonal are read, and no pivot is zero. Taken from the last row upwards, so that the
    zeros of a tree's inertia matrix, whose branches do not meet, are not filled. With `reciprocals` each pivot divides
    once, which is fast; without, one operation less a pivot is counted, but most of them are divisions.
    """
    n = len(A)
    S = [[A[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    over: dict[int, Callable[[Any], Any]] = {}  # what each pivot makes of a number: number / D
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
