"""Rigid motions, three rows of four."""

from __future__ import annotations

import math

from robosym.chains.elimination import Doubles

__all__ = ["cross", "joint_times", "norm_of_position", "rigid_inverse", "rigid_product", "times_joint"]

PLAIN = True  #: the functions below are also translated to C and machine code: `languages/plain.py`


def rigid_product(A: Doubles, B: Doubles, out: Doubles) -> None:
    """Compute A B."""
    for i in range(3):
        a, b, c, d = A[4 * i], A[4 * i + 1], A[4 * i + 2], A[4 * i + 3]
        for j in range(4):
            out[4 * i + j] = a * B[j] + b * B[4 + j] + c * B[8 + j]
        out[4 * i + 3] += d


def rigid_inverse(A: Doubles, out: Doubles) -> None:
    """Compute A^-1."""
    for i in range(3):
        for j in range(3):
            out[4 * i + j] = A[4 * j + i]
        out[4 * i + 3] = -(A[i] * A[3] + A[4 + i] * A[7] + A[8 + i] * A[11])


def joint_times(prismatic: int, q: float, C: Doubles, out: Doubles) -> None:
    """Compute the motion of a joint along z by q, times C."""
    if prismatic:
        for i in range(12):
            out[i] = C[i]
        out[11] += q
    else:
        c, s = math.cos(q), math.sin(q)
        for j in range(4):
            out[j] = c * C[j] - s * C[4 + j]
            out[4 + j] = s * C[j] + c * C[4 + j]
            out[8 + j] = C[8 + j]


def times_joint(prismatic: int, q: float, A: Doubles, out: Doubles) -> None:
    """Compute A times the motion of a joint along z by q."""
    for i in range(12):
        out[i] = A[i]
    if prismatic:
        for i in range(3):
            out[4 * i + 3] += q * A[4 * i + 2]
    else:
        c, s = math.cos(q), math.sin(q)
        for i in range(3):
            out[4 * i] = c * A[4 * i] + s * A[4 * i + 1]
            out[4 * i + 1] = c * A[4 * i + 1] - s * A[4 * i]


def cross(i: int, j: int, k: int, T: Doubles) -> None:
    """Compute column k of a pose from columns i and j."""
    for row in range(3):
        below, last = (row + 1) % 3, (row + 2) % 3
        T[4 * row + k] = T[4 * below + i] * T[4 * last + j] - T[4 * last + i] * T[4 * below + j]


def norm_of_position(A: Doubles) -> float:
    return math.sqrt(A[3] * A[3] + A[7] * A[7] + A[11] * A[11])
