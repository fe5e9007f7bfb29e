"""Tolerances of the package with their reasons; a tolerance of a single algorithm is in its module."""

from __future__ import annotations

__all__ = [
    "BETTER", "CLOSED", "DEPENDENT", "EXACTLY", "LIMIT", "ORTHONORMAL", "PIVOT", "RANK", "ROUNDING", "SAME", "SINGULAR",
    "SOLVED", "TIGHTLY", "TINY", "ZERO",
]  # fmt: skip

# ---- zero, relative to the typical size of a nonzero value
ZERO = 1e-9  #: a value below this at a generic point is zero at every point; far above rounding errors
ROUNDING = 1e-13  #: rounding error of a sum that is zero, after some hundred operations
PIVOT = 1e-12  #: smallest pivot; with a smaller one an inverse would consist of rounding errors of some ten steps
TINY = 1e-300  #: replaces a divisor of 0 and does not affect any other value

# ---- rank, relative to the largest singular value or to the length of a column
RANK = 1e-7  #: singular values below this are zero; about the square root of the rounding error, as at a double root
DEPENDENT = 1e-8  #: a column whose residual after orthogonalization is smaller depends on the previous columns
SINGULAR = 1e-6  #: a position with a smaller singular value is singular: velocities would lose six digits
BETTER = 1.001  #: an alternative must be better by this factor, so that all machines make the same choice

# ---- solutions, in m and rad, or relative to the size of a robot larger than 1 m
SOLVED = 1e-9  #: largest residual of a solution; smaller than manufacturing tolerances
CLOSED = SOLVED  #: largest closure error of a closed loop
TIGHTLY = 1e-12  #: closure error within rounding, at which decisions are not affected by the error
EXACTLY = 1e-14  #: residual at which Newton's method stops, because it cannot improve further
SAME = 1e-6  #: solutions closer than this are identical: the error of a double root is the square root of `TIGHTLY`
LIMIT = 1e-9  #: tolerance of joint limits, so that a solution at a limit is accepted

# ---- user input
ORTHONORMAL = 1e-6  #: error of a given rotation matrix, as files often have six digits
