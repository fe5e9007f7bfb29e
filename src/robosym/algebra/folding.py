"""Trigonometric identities as rules on polynomials: sin^2 + cos^2 = 1, and sums of angles.

A rule either rewrites monomials (`without_squares`, products into sums) or combines two terms into one. The result of a
rule is used if it is shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations

from robosym.algebra.graph import Expr
from robosym.algebra.matrix import connected
from robosym.algebra.operations import Level
from robosym.algebra.polynomial import Atom, Monomial, Poly, Polynomials, quotient, times
from robosym.algebra.trigonometry import from_terms, linear_terms

__all__ = ["Folding", "contracted", "without_squares"]

#: Largest number of terms of a polynomial in which pairs of angles are tried.
_FEW = 12
#: Combination of a term with another: the other term, its relative sign, the result, the relative sign of the result.
_Join = tuple[Monomial[int], int, Monomial[int], int]


def without_squares(
    monomial: Monomial[Atom], partner: Callable[[Atom], Atom | None]
) -> Iterator[tuple[Monomial[Atom], int]]:
    """Replace x^2 by 1 - y^2 for every atom x with a partner y, so that equal polynomials have the same form."""
    for atom, power in monomial:
        other = partner(atom) if power >= 2 else None
        rest = None if other is None else quotient(monomial, ((atom, 2),))
        if other is not None and rest is not None:
            for left, sign in ((rest, 1), (times(rest, ((other, 2),)), -1)):
                for final, factor in without_squares(left, partner):
                    yield final, sign * factor
            return
    yield monomial, 1


def _joined(poly: Poly, joins: Callable[[Monomial[int]], Iterable[_Join]]) -> Poly:
    """Combine pairs of terms in one pass."""
    left = dict(poly.terms)
    for monomial in poly.terms:
        for mate, relation, result, sign in joins(monomial) if monomial in left else ():
            if mate in left and mate != monomial and left[mate] == relation * left[monomial]:
                value = sign * left.pop(monomial)
                del left[mate]
                left[result] = left.get(result, 0) + value
                if not left[result]:
                    del left[result]
                break
    return Poly(left)


# ------------------------------------------------------------------------ shorter, for factors


class Folding:
    """Shorter forms of polynomials in the atoms of one graph."""

    def __init__(self, polynomials: Polynomials) -> None:
        self.polynomials = polynomials

    def folded(self, poly: Poly) -> Poly:
        """Return the shortest form by sin^2 + cos^2 = 1 for each angle, and by products of sines as sums."""
        poly = self._pythagoras(poly)
        for group in self._entangled(poly):
            poly = min(poly, self._sums(poly, group), key=len)
        return poly

    def merged(self, poly: Poly) -> Poly:
        """Fold, and replace products of functions of two angles by sums if shorter (S2 C3 + C2 S3 = S23)."""
        poly = self.folded(poly)
        if not 1 < len(poly) <= _FEW:
            return poly
        angles = {frozenset({atom, self.polynomials.partner(atom)}) for atom in self._turning(poly)}
        for one, other in combinations(sorted(angles, key=min), 2):
            poly = min(poly, self._sums(poly, set(one | other)), key=len)
        return poly

    def doubled(self, poly: Poly) -> list[Poly]:
        """Return the polynomial with products of functions of one angle as functions of twice the angle, per angle."""
        squared = {
            frozenset({atom, self.polynomials.partner(atom)})
            for atom in self._turning(poly)
            if poly.total_degree({atom, self.polynomials.partner(atom)}) > 1
        }
        return [self._sums(poly, set(angle)) for angle in sorted(squared, key=min)]

    def _turning(self, poly: Poly) -> list[int]:
        """Return the sines and cosines in a polynomial."""
        return [atom for atom in poly.atoms() if self.polynomials.turns(atom)]

    def _pythagoras(self, poly: Poly) -> Poly:
        changed = True
        while changed and len(poly) > 1:
            changed = False
            for atom in [atom for atom in self._turning(poly) if any(_squared(m, atom) for m in poly.terms)]:
                best = min(self._pairs(poly, atom), self._replaced(poly, atom), key=len)
                if len(best) < len(poly):
                    poly, changed = best, True
        return poly

    def _pairs(self, poly: Poly, atom: int) -> Poly:
        """Replace c m sin^2 + c m cos^2 by c m."""
        other = self.polynomials.partner(atom)

        def joins(monomial: Monomial[int]) -> Iterator[_Join]:
            rest = quotient(monomial, ((atom, 2),))
            if rest is not None:
                yield times(rest, ((other, 2),)), 1, rest, 1

        return _joined(poly, joins)

    def _replaced(self, poly: Poly, atom: int) -> Poly:
        """Replace the square of an atom by 1 minus the square of its partner."""
        other = {atom: self.polynomials.partner(atom)}
        return poly.rewritten(lambda monomial: without_squares(monomial, other.get))

    def _entangled(self, poly: Poly) -> list[set[int]]:
        """Return sets of sines and cosines whose angles share variables, if an angle has several variables."""
        graph, atoms = self.polynomials.graph, self._turning(poly)
        bases = {atom: set(linear_terms(self._angle(atom))) - {graph.one, graph.pi} for atom in atoms}
        linked = connected({atom: [base.index for base in found] for atom, found in bases.items()})
        return [set(members) for members, _ in linked if any(len(bases[a]) > 1 for a in members)]

    def _angle(self, atom: int) -> Expr:
        return self.polynomials.atoms[atom].args[0]

    def _sums(self, poly: Poly, group: set[int]) -> Poly:
        """Replace products of sines and cosines of a group by sums of sines and cosines."""
        return poly.rewritten(lambda monomial: self._series(monomial, group))

    def _series(self, monomial: Monomial[int], group: set[int]) -> Iterator[tuple[Monomial[int], Fraction]]:
        graph, atoms = self.polynomials.graph, self.polynomials.atoms
        rest = tuple((atom, power) for atom, power in monomial if atom not in group)
        series = [(Fraction(1), "cos", graph.zero)]
        for atom in (atom for atom, power in monomial if atom in group for _ in range(power)):
            series = [term for each in series for term in _product(each, atoms[atom].op, self._angle(atom))]
        for factor, op, angle in series:
            value = self.polynomials.of(graph.function(op, from_terms(graph, linear_terms(angle))))
            for m, c in value.terms.items():
                yield times(rest, m), factor * c


def _squared(monomial: Monomial[int], atom: int) -> bool:
    return any(other == atom and power > 1 for other, power in monomial)


def _product(term: tuple[Fraction, str, Expr], op: str, x: Expr) -> list[tuple[Fraction, str, Expr]]:
    """Expand the product of cos or sin of an angle and cos or sin of x."""
    factor, kind, angle = term
    half = factor / 2
    less, more = angle - x, angle + x
    if kind == "cos":
        if op == "cos":
            return [(half, "cos", less), (half, "cos", more)]
        return [(half, "sin", more), (-half, "sin", less)]
    if op == "cos":
        return [(half, "sin", more), (half, "sin", less)]
    return [(half, "cos", less), (-half, "cos", more)]


# --------------------------------------------------------------------------- contracted, for people


def contracted(polynomials: Polynomials, poly: Poly) -> Poly:
    """Combine terms by 1 - cos^2 = sin^2 and by sums of angles, until no step shortens the polynomial."""
    while True:
        shorter = _joined(poly, lambda monomial: _contractions(polynomials, monomial))
        if len(shorter) >= len(poly):
            return poly
        poly = shorter


def _contractions(polynomials: Polynomials, monomial: Monomial[int]) -> Iterator[_Join]:
    turning = [place for place, _ in monomial if polynomials.turns(place)]
    for place in turning:
        rest = quotient(monomial, ((place, 2),))
        if polynomials.atoms[place].op == "cos" and rest is not None:  # R c^2 - R is -R s^2
            yield rest, -1, times(rest, ((polynomials.partner(place), 2),)), -1
    for x, y in combinations(turning, 2):
        rest = quotient(monomial, ((x, 1), (y, 1)))
        if rest is not None and polynomials.atoms[x].args != polynomials.atoms[y].args:
            yield from _angle_sums(polynomials, rest, x, y)


def _angle_sums(polynomials: Polynomials, rest: Monomial[int], p: int, q: int) -> Iterator[_Join]:
    """Yield combinations to cos cos -+ sin sin and sin cos +- cos sin in which the term may appear."""
    x, y = polynomials.atoms[p], polynomials.atoms[q]
    mates = polynomials.partner(p), polynomials.partner(q)
    mate = times(rest, times(((mates[0], 1),), ((mates[1], 1),)))
    same = x.op == y.op
    for relation in (1, -1):
        angle = x.args[0] - y.args[0] if same is (relation == 1) else x.args[0] + y.args[0]
        joined = polynomials.graph.function("cos" if same else "sin", angle)
        turned = relation == -1 and (x.op == y.op == "sin" or (not same and x.op == "cos"))
        if joined.level is not Level.NUMBER:
            sign = -1 if turned is not joined.negative else 1
            yield mate, relation, times(rest, ((polynomials.place(joined.node), 1),)), sign
