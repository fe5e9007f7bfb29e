"""The general method for one numeric pose, as plain functions (guide, Appendix 4.1).

The same source runs in Python, is printed as C and C++, and becomes machine code.

Around the closed chain J1 K1 J2 K2 .. J6 K6 = 1 any joint can be the first: Ja Ka Jb Kb Jc Kc Jd = (Kd Je Ke Jf Kf)^-1
(A1-16). The third and fourth columns a, P do not depend on Jd where that is revolute, and fourteen functions of them
(a, P, a.P, P.P, a x P, (P.P) a - 2 (a.P) P) are of first degree in the cosine and sine of every joint, of second degree
in a length. Their coefficients are found by sampling each joint at three points. Eight of the equations eliminate
Je and Jf; the six that are left, and the same times the half-angle tangent of one joint, are linear in twelve products
of the unknowns of two joints, with coefficients of second degree in the hidden third: eigenvalues of a 24x24 matrix.

A chain C0 J1 C1 .. J6 C6 = T is given by `shape` (integers) and `constants` (C0 .. C6, three rows of four each):

    shape: joints that are real, columns that count (bits s n a P), plans, six flags of prismatic joints, six signs,
        then of each plan: the first joint, the hidden one, whether it is sure
    plans: of each plan the offsets of the six joints from where their half-angle tangents are counted, then seven
        motions (three rows of four, lengths in units of the robot's) by which the constants are perturbed
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
