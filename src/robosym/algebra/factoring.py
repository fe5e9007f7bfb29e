"""Factorization of polynomials in sines and cosines: simple cases here, the others by SymPy."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from importlib import import_module
from math import gcd, lcm
from typing import Any

from robosym.algebra.folding import Folding
from robosym.algebra.generic import random_numbers
from robosym.algebra.polynomial import Poly, power_of

__all__ = ["Factors", "factors"]

#: A number, and irreducible polynomials with their exponents.
Factors = tuple[Fraction, dict[Poly, int]]
#: Largest number of terms of a polynomial that is factored; factors of longer ones are slow to find and hard to read.
_LARGEST = 150
#: The same for a polynomial without a variable of degree 1.
_LARGEST_UNKNOWN = 30
_PRIME = 2**61 - 1


def factors(folding: Folding, poly: Poly) -> Factors:
    """Factor into number * product of polynomial^exponent; each polynomial has coprime integer coefficients."""
    poly = folding.folded(poly)
    if not poly:
        return Fraction(0), {}
    number = Fraction(1)
    found: Counter[Poly] = Counter()
    waiting = [(poly, 1)]
    while waiting:
        piece, power = waiting.pop()
        common = piece.content()
        for atom, exponent in common:
            found[Poly({((atom, 1),): Fraction(1)})] += exponent * power
        scale, piece = _primitive(piece.divided(common))
        number *= scale**power
        if set(piece.terms) == {()}:
            continue
        known = _irreducible(piece)
        small = len(piece) <= (_LARGEST_UNKNOWN if known is None else _LARGEST)
        parts = _by_sympy(piece) if small and not known else None
        if parts is not None:
            number *= parts[0] ** power
            waiting += [(part, exponent * power) for part, exponent in parts[1]]
            continue
        shorter = folding.merged(piece)
        if len(shorter) < len(piece):
            waiting.append((shorter, power))
        else:
            found[piece] += power
    return number, found


def _primitive(poly: Poly) -> tuple[Fraction, Poly]:
    """Return the content of a polynomial and its primitive part, whose first coefficient is positive."""
    numbers = list(poly.terms.values())
    scale = Fraction(gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers)))
    if poly.terms[min(poly.terms)] < 0:
        scale = -scale
    return scale, poly * (1 / scale)


def _irreducible(poly: Poly) -> bool | None:
    """Return whether a polynomial is irreducible, or None if that is unknown.

    If a variable v has degree 1, poly = A v + B, and its proper factors are the common factors of A and B.
    """
    if len(poly) == 1:
        return True
    simple = [atom for atom in poly.atoms() if poly.total_degree({atom}) == 1]
    if not simple:
        return None
    rarest = min(simple, key=lambda atom: sum(power_of(atom, m) for m in poly.terms))
    parts = poly.parted({rarest}.__contains__)
    first, rest = parts[((rarest, 1),)], parts[()]
    return len(first) == 1 or _coprime(first, rest)


def _coprime(a: Poly, b: Poly) -> bool:
    """Return whether two polynomials are coprime, tested in each variable with random values modulo a prime."""
    rng = random_numbers("common factors of polynomials")
    numbers = {atom: rng.randrange(2, _PRIME) for atom in {*a.atoms(), *b.atoms()}}
    common = set(a.atoms()) & set(b.atoms())
    return all(_degree_of_divisor(_in_one(a, x, numbers), _in_one(b, x, numbers)) == 0 for x in common)


def _in_one(poly: Poly, x: int, numbers: dict[int, int]) -> list[int]:
    """Return the coefficients of the powers of x modulo the prime, with numbers substituted for the other variables."""
    found = [0] * (1 + poly.total_degree({x}))
    for monomial, coefficient in poly.terms.items():
        value = coefficient.numerator * pow(coefficient.denominator, -1, _PRIME)
        for atom, exponent in monomial:
            if atom != x:
                value = value * pow(numbers[atom], exponent, _PRIME) % _PRIME
        found[power_of(x, monomial)] += value
    return [value % _PRIME for value in found]


def _degree_of_divisor(a: list[int], b: list[int]) -> int:
    """Return the degree of the greatest common divisor (Euclid)."""
    while b:
        while b and not b[-1]:
            b = b[:-1]
        if not b:
            break
        inverse = pow(b[-1], -1, _PRIME)
        a = list(a)
        while len(a) >= len(b):
            factor, shift = a[-1] * inverse % _PRIME, len(a) - len(b)
            for k, value in enumerate(b):
                a[shift + k] = (a[shift + k] - factor * value) % _PRIME
            a.pop()
        a, b = b, a
    return len(a) - 1


def _by_sympy(poly: Poly) -> tuple[Fraction, list[tuple[Poly, int]]] | None:
    """Return the factors found by SymPy, or None if there is only one."""
    rings, domains = import_module("sympy.polys.rings"), import_module("sympy.polys.domains")
    atoms = poly.atoms()
    ring = rings.PolyRing([f"x{atom}" for atom in atoms], domains.QQ)
    terms = {
        tuple(power_of(atom, m) for atom in atoms): domains.QQ(c.numerator, c.denominator)
        for m, c in poly.terms.items()
    }
    scale, pieces = ring.from_dict(terms).factor_list()
    if len(pieces) == 1 and pieces[0][1] == 1:
        return None

    def back(piece: Any) -> Poly:
        named = ((zip(atoms, powers, strict=True), c) for powers, c in piece.terms())
        return Poly({tuple((atom, e) for atom, e in powers if e): _fraction(c) for powers, c in named})

    return _fraction(scale), [(back(piece), power) for piece, power in pieces]


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.numerator), int(number.denominator))
