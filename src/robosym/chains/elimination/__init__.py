"""The general method for one numeric pose, as plain functions (guide, Appendix 4.1).

The same source runs in Python, is printed as C and C++, and becomes machine code.

In the closed chain J1 K1 J2 K2 .. J6 K6 = 1, any joint can be the first: Ja Ka Jb Kb Jc Kc Jd = (Kd Je Ke Jf Kf)^-1
(A1-16). The third and fourth columns a, P do not depend on Jd if it is revolute, and fourteen functions of them
(a, P, a.P, P.P, a x P, (P.P) a - 2 (a.P) P) are linear in the cosine and sine of every joint, and quadratic in a
length. Their coefficients are determined by sampling each joint at three points. Eight of the equations eliminate
Je and Jf; the other six, and their products with the half-angle tangent of one joint, are linear in twelve products
of the unknowns of two joints, with coefficients that are quadratic in the hidden third joint: an eigenvalue problem
of size 24.

A chain C0 J1 C1 .. J6 C6 = T is given by `shape` (integers) and `constants` (C0 .. C6, three rows of four each):

    shape: number of real joints, given columns (bits s n a P), number of plans, six flags of prismatic joints, six
        signs, then for each plan: the first joint, the hidden one, whether it is reliable
    plans: for each plan the offsets of the six joints that are the zeros of their half-angle tangents, then seven
        motions (three rows of four, lengths in units of the robot's length) by which the constants are perturbed
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

__all__ = ["MODULES", "Doubles", "Integers", "doubles", "integers"]

#: the modules, those that others need first
MODULES = ("rigid_rows", "dense_matrices", "qr_eigenvalues", "fourteen_equations", "chain_newton", "all_solutions")

# Flat arrays of numbers whose slices are views, like arrays of C.
Doubles: TypeAlias = "memoryview[float]"
Integers: TypeAlias = "memoryview[int]"


def doubles(size: int) -> Doubles:
    """Return an array of zeros."""
    return memoryview(array("d", bytes(8 * size))).cast("B").cast("d")


def integers(size: int) -> Integers:
    """Return an array of zeros."""
    return memoryview(array("i", bytes(4 * size))).cast("B").cast("i")
