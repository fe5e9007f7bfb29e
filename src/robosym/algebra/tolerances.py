"""The tolerances of the package, each with its reason. One that a single algorithm needs stays beside it."""

from __future__ import annotations

__all__ = [
    "BETTER", "CLOSED", "DEPENDENT", "EXACTLY", "LIMIT", "ORTHONORMAL", "PIVOT", "RANK", "ROUNDING", "SAME", "SINGULAR",
    "SOLVED", "TIGHTLY", "TINY", "ZERO",
]  # fmt: skip

# ---- zero, in parts of the size that a number has where it is not zero
ZERO = 1e-9  #: a smaller value at a point in general position is zero at every point, far above rounding
ROUNDING = 1e-13  #: what rounding leaves of a sum that is zero, after some hundred operations
PIVOT = 1e-12  #: a smaller pivot is no pivot: an inverse would hold nothing but the rounding of some ten steps
TINY = 1e-300  #: put in the place of a length of 0 that is divided by; no other number feels it

# ---- rank, in parts of the largest singular value, or of a column's length
RANK = 1e-7  #: a smaller singular value adds nothing: the root of rounding, which is what a double root leaves of it
DEPENDENT = 1e-8  #: a column of which less is left beside those before it says nothing of its own
SINGULAR = 1e-6  #: a position with a smaller singular value is singular: rates would lose six digits
BETTER = 1.001  #: a choice that is better by less than this factor is as good: the first one stays, on every machine

# ---- solutions, in metres and radians, or parts of the size of a robot above 1 m
SOLVED = 1e-9  #: a solution fulfils its equations as well as this: better than any machine is built
CLOSED = SOLVED  #: the two sides of a cut have met
TIGHTLY = 1e-12  #: they have met to rounding: what is decided there is not blurred by the gap
EXACTLY = 1e-14  #: where Newton's method stops: nothing is left to gain
SAME = 1e-6  #: solutions nearer to each other are one: a double root is known to the root of `TIGHTLY` only
LIMIT = 1e-9  #: by which a joint may pass its limit: a solution at the limit is one

# ---- what people write
ORTHONORMAL = 1e-6  #: how far a given rotation may be from one: files have six digits
