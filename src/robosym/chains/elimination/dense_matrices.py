"""Small dense matrices: factors, null vectors."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles, Integers, doubles, integers

__all__ = ["factorize", "null_vector", "orthogonal_factors", "reflect", "substitute"]

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def exchange_rows(width: int, A: Doubles, one: int, other: int) -> None:
    """Exchange two rows of A, which has this width."""
    for j in range(width):
        kept = A[one * width + j]
        A[one * width + j] = A[other * width + j]
        A[other * width + j] = kept


def factorize(n: int, A: Doubles, rows: Integers) -> float:
    """Factorize A = P L U in place with row exchanges; return the ratio of the smallest to the largest pivot."""
    least, largest = 0.0, 0.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i * n + k]) > abs(A[best * n + k]):
                best = i
        rows[k] = best
        if best != k:
            exchange_rows(n, A, k, best)
        pivot = abs(A[k * n + k])
        if k == 0 or pivot < least:
            least = pivot
        if pivot > largest:
            largest = pivot
        if pivot > 0.0:
            for i in range(k + 1, n):
                factor = A[i * n + k] / A[k * n + k]
                A[i * n + k] = factor
                for j in range(k + 1, n):
                    A[i * n + j] -= factor * A[k * n + j]
    return least / largest if largest > 0.0 else 0.0


def substitute(n: int, A: Doubles, rows: Integers, columns: int, B: Doubles) -> None:
    """Replace B (n, columns) by A^-1 B, with A as returned by `factorize`."""
    for k in range(n):
        other = rows[k]
        if other != k:
            exchange_rows(columns, B, k, other)
        for i in range(k):
            factor = A[k * n + i]
            for j in range(columns):
                B[k * columns + j] -= factor * B[i * columns + j]
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            factor = A[k * n + i]
            for j in range(columns):
                B[k * columns + j] -= factor * B[i * columns + j]
        for j in range(columns):
            B[k * columns + j] /= A[k * n + k]


def exchange_columns(height: int, width: int, A: Doubles, order: Integers, one: int, other: int) -> None:
    """Exchange two columns of A (height, width), and their entries in the column order."""
    for i in range(height):
        kept = A[width * i + one]
        A[width * i + one] = A[width * i + other]
        A[width * i + other] = kept
    place = order[one]
    order[one] = order[other]
    order[other] = place


def null_vector(A: Doubles, v: Doubles) -> None:
    """Compute v with A v = 0 as closely as possible, for A (12, 12), which is overwritten."""
    order = integers(12)
    for k in range(12):
        order[k] = k
    for k in range(11):
        row, column, largest = k, k, -1.0
        for i in range(k, 12):
            for j in range(k, 12):
                if abs(A[12 * i + j]) > largest:
                    largest = abs(A[12 * i + j])
                    row, column = i, j
        if row != k:
            exchange_rows(12, A, k, row)
        if column != k:
            exchange_columns(12, 12, A, order, k, column)
        if largest > 0.0:
            for i in range(k + 1, 12):
                factor = A[12 * i + k] / A[12 * k + k]
                for j in range(k + 1, 12):
                    A[12 * i + j] -= factor * A[12 * k + j]
    x = doubles(12)
    x[11] = 1.0
    for k in range(10, -1, -1):
        total = 0.0
        for j in range(k + 1, 12):
            total += A[12 * k + j] * x[j]
        x[k] = -total / A[12 * k + k] if A[12 * k + k] != 0.0 else 0.0
    for k in range(12):
        v[order[k]] = x[k]


def orthogonal_factors(A: Doubles, mirrors: Doubles, order: Integers) -> None:
    """Reduce A (14, 8) to R with column pivoting; `mirrors` (8, 14) receives the Householder vectors."""
    for k in range(8):
        order[k] = k
    for k in range(8):
        best, largest = k, -1.0
        for j in range(k, 8):
            size = 0.0
            for i in range(k, 14):
                size += A[8 * i + j] * A[8 * i + j]
            if size > largest:
                best, largest = j, size
        if best != k:
            exchange_columns(14, 8, A, order, k, best)
        length = math.sqrt(largest)
        for i in range(14):
            mirrors[14 * k + i] = 0.0
        if length > 0.0:
            for i in range(k, 14):
                mirrors[14 * k + i] = A[8 * i + k]
            mirrors[15 * k] += length if mirrors[15 * k] >= 0.0 else -length
            size = 0.0
            for i in range(k, 14):
                size += mirrors[14 * k + i] * mirrors[14 * k + i]
            size = math.sqrt(size)
            for i in range(k, 14):
                mirrors[14 * k + i] /= size
            for j in range(k, 8):
                total = 0.0
                for i in range(k, 14):
                    total += mirrors[14 * k + i] * A[8 * i + j]
                for i in range(k, 14):
                    A[8 * i + j] -= 2.0 * total * mirrors[14 * k + i]


def reflect(mirrors: Doubles, v: Doubles) -> None:
    """Replace v (14) by Q^T v."""
    for k in range(8):
        total = 0.0
        for i in range(k, 14):
            total += mirrors[14 * k + i] * v[i]
        for i in range(k, 14):
            v[i] -= 2.0 * total * mirrors[14 * k + i]
