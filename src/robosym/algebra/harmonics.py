"""Expressions as sums over harmonics of their angles, whose interval bounds are close to the range.

Bounds of a recursion grow with each rotation, because the components of a vector are bounded one by one. In the form
a cos(x) + b sin(x) + c cos(2 x) + d sin(2 x) + e, with coefficients of the same form in the other angles, each pair is
at most the length of its coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from robosym.algebra.graph import Expr, Graph
from robosym.algebra.polynomial import Monomial, Poly, Polynomials, times

__all__ = ["harmonics"]

_TERMS = 60_000  #: maximum number of terms
_PRODUCTS = 10_000_000  #: maximum number of products of terms in one multiplication


class _TooLong(Exception):
    pass


class _Limited(Polynomials):
    """Polynomials with a limited number of terms; a float has its exact binary value, not that of its decimals."""

    def number(self, value: Fraction | float) -> Poly:
        return Poly({(): Fraction(value)})

    def product(self, a: Poly, b: Poly) -> Poly:
        if len(a) * len(b) > _PRODUCTS:
            raise _TooLong
        found = a * b
        if len(found) > _TERMS:
            raise _TooLong
        return found


def harmonics(root: Expr) -> Expr | None:
    """Return an expression as a sum over harmonics, in another graph; None if it is too long."""
    [root] = Graph().copy([root])
    ring = _Limited(root.graph)
    try:
        poly = ring.of(root)
    except _TooLong:
        return None
    if len(poly) > _TERMS:
        return None
    angles: dict[Expr, set[int]] = {}
    for place in poly.atoms():
        node = ring.atoms[place]
        if node.op in ("sin", "cos"):
            angles.setdefault(node.args[0].node, set()).add(place)
    multiples: dict[Expr, set[int]] = {}
    for angle in angles:
        found = _by_multiples(ring, poly, angle)
        if len(found[0]) > _TERMS:
            return None
        poly, multiples[angle] = found
    return _nested(ring, poly, list(multiples.values()))


_Wave = dict[tuple[str, int], Fraction]  # coefficients of cos(k x) and sin(k x)


def _wave(sines: int, cosines: int) -> _Wave:
    """Return a product of powers of sine and cosine as a sum over multiples of the angle."""
    found: _Wave = {("cos", 0): Fraction(1)}
    for factor in ("sin",) * sines + ("cos",) * cosines:
        total: _Wave = {}
        for (name, k), coefficient in found.items():
            other = name if factor == "cos" else "sin" if name == "cos" else "cos"
            up, down = {"coscos": (1, 1), "sincos": (1, 1), "cossin": (1, -1), "sinsin": (-1, 1)}[name + factor]
            for sign, multiple in ((up, k + 1), (down, k - 1)):
                sign = -sign if multiple < 0 and other == "sin" else sign
                key = other, abs(multiple)
                total[key] = total.get(key, Fraction(0)) + coefficient * sign / 2
        found = {key: value for key, value in total.items() if value and key != ("sin", 0)}
    return found


def _by_multiples(ring: Polynomials, poly: Poly, angle: Expr) -> tuple[Poly, set[int]]:
    """Replace powers of sine and cosine of an angle; return also the places of the sines and cosines of multiples."""
    graph: Graph = angle.graph
    sine, cosine = (ring.place(graph.function(name, angle).node) for name in ("sin", "cos"))
    total: dict[Monomial[int], Fraction] = {}
    used: set[int] = set()
    for powers, part in poly.parted(lambda atom: atom in (sine, cosine)).items():
        of = dict(powers)
        for (name, k), coefficient in _wave(of.get(sine, 0), of.get(cosine, 0)).items():
            turning: Monomial[int] = ()
            if k:
                reference = graph.function(name, k * angle)
                turning = ((ring.place(reference.node), 1),)
                coefficient = -coefficient if reference.negative else coefficient
                used.add(turning[0][0])
            for monomial, value in part.terms.items():
                key = times(monomial, turning)
                total[key] = total.get(key, Fraction(0)) + coefficient * value
    return Poly(total), used


def _nested(ring: Polynomials, poly: Poly, groups: Sequence[set[int]]) -> Expr:
    """Return a polynomial in the sines and cosines of the first angle, with coefficients in the others."""
    if not groups:
        return ring.expression(poly)
    total: Expr = ring.graph.zero
    parts = poly.parted(lambda atom: atom in groups[0])
    for monomial in sorted(parts, key=_order):
        part = _nested(ring, parts[monomial], groups[1:])
        for atom, power in monomial:
            part = ring.graph.power(ring.atoms[atom], power) * part
        total = total + part
    return total


def _order(monomial: Monomial[int]) -> tuple[int, Monomial[int]]:
    return len(monomial), monomial
