"""The form of an expression that a textbook would print: cos^2 + sin^2 = 1, powers, like terms collected, factors.

Each node becomes a quotient of polynomials in symbols, sines, cosines and other functions. A quotient is canceled and
written as a sum, as a sum with common factors taken out, and as a product; the shortest one is used. Forms for machines
keep the order that computes fastest; this form is for people only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from robosym.algebra.factoring import factors
from robosym.algebra.folding import Folding, contracted
from robosym.algebra.graph import Expr
from robosym.algebra.interpret import reachable, rebuild
from robosym.algebra.operations import FUNCTIONS, Level
from robosym.algebra.polynomial import Monomial, Poly, Polynomials, power_of, times

__all__ = ["reading_length", "textbook"]

#: Largest number of terms of a polynomial that is expanded; only the parts of a longer one are simplified.
_LARGEST = 60
_MOST_FACTORED = 24  #: largest number of terms of a polynomial for which factors are tried
_DIGITS = 12  #: significant digits of decimals
_NOISE = 1e-10  #: a smaller part of the greatest coefficient is a rounding error of decimals
_SMALL = 12  #: largest denominator of a fraction beside decimals
_BITS = 200  #: largest size of a coefficient in bits; decimals of a file multiply to long fractions

_Quotient = tuple[Poly, Counter[Poly]]  #: a numerator, and the factors of the denominator with their exponents


def textbook(expressions: Iterable[Expr]) -> list[Expr]:
    """Return equal expressions of one graph in the form in which a textbook would print them.

    An expression that has no shorter form is returned unchanged.
    """
    roots = list(expressions)
    if not roots:
        return []
    nodes = reachable(roots)
    form = _Form(Polynomials(roots[0].graph), any(isinstance(node.value, float) for node in nodes))
    for node in nodes:
        form.visit(node)
    found = [form.shortest(root) for root in roots]
    floats = (node for node in reachable(found) if isinstance(node.value, float))
    rounded = {node: node.graph.number(float(f"{node.value:.{_DIGITS}g}")) for node in floats}
    return rebuild(found, roots[0].graph, rounded) if rounded else found


def reading_length(expression: Expr) -> int:
    """Return the number of operations that a reader sees: every sum, product, power and function, also if repeated."""
    size: dict[Expr, int] = {}
    roots: dict[Expr, tuple[Expr, int]] = {}  # base and exponent of powers, which are one operation
    for node in reachable([expression]):
        if not node.args:
            size[node] = 0
            continue
        base, exponent = _power(node, roots)
        if exponent > 1:
            roots[node] = base, exponent
            size[node] = size[base] + 1
        else:
            size[node] = sum(size[a.node] for a in node.args) + (1 if node.op in FUNCTIONS else len(node.args) - 1)
    return size[expression.node]


def _power(node: Expr, roots: dict[Expr, tuple[Expr, int]]) -> tuple[Expr, int]:
    """Return (x, n) if the node is x^n made by squaring and multiplying."""
    if node.op != "mul":
        return node, 1
    left, right = (roots.get(a.node, (a.node, 1)) for a in node.args)
    return (left[0], left[1] + right[1]) if left[0] is right[0] else (node, 1)


class _Form:
    """Quotients of polynomials of the nodes of one graph, and their shortest forms."""

    def __init__(self, polynomials: Polynomials, decimal: bool) -> None:
        self.polynomials = polynomials
        self.decimal = decimal  #: whether the expressions contain decimals; coefficients are then written as such
        self.graph = polynomials.graph
        self.folding = Folding(polynomials)
        self.quotients: dict[Expr, _Quotient] = {}
        self.known: dict[Expr, Expr] = {}

    def visit(self, node: Expr) -> None:
        """Store the quotient of a node whose arguments have been visited."""
        if node.level is Level.NUMBER and self.decimal and node.op != "number":
            self.quotients[node] = self.polynomials.number(float(f"{float(node):.{_DIGITS}g}")), Counter()
            return
        found = self._quotient(node)
        if _is_large(found) and node.op == "add":  # numbers and like terms beside a large term are still combined
            parts = [self._of(argument) for argument in node.args]
            large = [len(part[0]) == max(len(numerator) for numerator, _ in parts) for part in parts]
            atoms = [
                self._atom(self.shortest(a)) if big else part
                for a, big, part in zip(node.args, large, parts, strict=True)
            ]
            found = self._sum(*atoms)
        self.quotients[node] = self._atom(self._rebuilt(node)) if _is_large(found) else found

    def shortest(self, reference: Expr) -> Expr:
        """Return the shortest form of a visited expression."""
        node = reference.node
        if node not in self.known:
            forms = [node, self._rebuilt(node) if node.args else node, *self._forms(self.quotients[node])]
            self.known[node] = min(forms, key=reading_length)
        return self.known[node].signed(reference.negative)

    # ------------------------------------------------------------------ quotients

    def _atom(self, expression: Expr) -> _Quotient:
        return self.polynomials.single(expression), Counter()

    def _of(self, reference: Expr) -> _Quotient:
        numerator, below = self.quotients[reference.node]
        return (-numerator if reference.negative else numerator), below

    def _quotient(self, node: Expr) -> _Quotient:
        if node.op == "number":
            return self.polynomials.number(node.value), Counter()
        if node.op == "add":
            return self._sum(self._of(node.args[0]), self._of(node.args[1]))
        if node.op == "mul":
            (a, below), (b, other) = (self._of(argument) for argument in node.args)
            return self._reduced(self._plain(a * b), below + other)
        if node.op == "div":
            (a, below), (b, other) = (self._of(argument) for argument in node.args)
            for poly, exponent in other.items():
                for _ in range(exponent):
                    a = self._plain(a * poly)
            number, parts = self._parts(b)
            return self._reduced(a * (1 / number), below + parts) if number else self._atom(node)
        return self._atom(self._rebuilt(node))

    def _sum(self, one: _Quotient, other: _Quotient) -> _Quotient:
        (a, below), (b, beneath) = one, other
        common = below | beneath
        return self._reduced(self._raised(a, common - below) + self._raised(b, common - beneath), common)

    def _raised(self, poly: Poly, by: Counter[Poly]) -> Poly:
        for factor, exponent in by.items():
            for _ in range(exponent):
                poly = self._plain(poly * factor)
        return poly

    def _plain(self, poly: Poly) -> Poly:
        """Replace squares of square roots."""
        roots = {p for p in poly.atoms() if self.polynomials.atoms[p].op == "sqrt" and poly.total_degree({p}) > 1}
        for place in roots:
            radicand, below = self._of_argument(self.polynomials.atoms[place])
            if not below:
                total = Poly()
                for monomial, coefficient in poly.terms.items():
                    power = power_of(place, monomial)
                    rest = tuple((p, e) for p, e in monomial if p != place)
                    part = Poly({times(rest, ((place, 1),)) if power % 2 else rest: coefficient})
                    for _ in range(power // 2):
                        part = part * radicand
                    total = total + part
                poly = total
        return poly

    def _of_argument(self, root: Expr) -> _Quotient:
        argument = root.args[0]
        if argument.node not in self.quotients:
            for node in reachable([argument]):
                if node not in self.quotients:
                    self.visit(node)
        return self._of(argument)

    def _reduced(self, numerator: Poly, below: Counter[Poly]) -> _Quotient:
        """Cancel common factors."""
        if not numerator:
            return numerator, Counter()
        below = Counter({poly: exponent for poly, exponent in below.items() if exponent})
        for factor in list(below):
            while below[factor]:
                rest = _divided(numerator, factor)
                if rest is None:
                    rest = _divided(self.folding.folded(numerator), factor) if len(numerator) > 1 else None
                if rest is None:
                    break
                numerator = rest
                below[factor] -= 1
        return numerator, +below

    def _parts(self, poly: Poly) -> tuple[Fraction, Counter[Poly]]:
        """Return a number and factors of a denominator."""
        poly = self.folding.folded(poly)
        if not poly:
            return Fraction(0), Counter()
        if len(poly) <= _MOST_FACTORED:
            number, found = factors(self.folding, poly)
            return number, Counter(found)
        numbers = list(poly.terms.values())
        scale = Fraction(gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers)))
        return scale, Counter({poly * (1 / scale): 1})

    # ------------------------------------------------------------------ forms

    def _rebuilt(self, node: Expr) -> Expr:
        """Return the node with its arguments in their shortest forms."""
        if not node.args:
            return node
        args = [self.shortest(argument) for argument in node.args]
        if node.op in FUNCTIONS:
            return self.graph.function(node.op, *args)
        return {"add": self.graph.add, "mul": self.graph.mul, "div": self.graph.div}[node.op](*args)

    def _forms(self, quotient: _Quotient) -> list[Expr]:
        numerator, below = quotient
        if not numerator:
            return [self.graph.zero]
        bottom = self.graph.one
        for poly, exponent in below.items():
            best = min(self._written(poly), key=reading_length)
            bottom = bottom * self.graph.power(best, exponent)
        return [top if bottom is self.graph.one else top / bottom for top in self._written(numerator)]

    def _written(self, poly: Poly) -> list[Expr]:
        """Return equivalent texts of a polynomial."""
        merged = self.folding.merged(poly)
        polys = [poly, merged, contracted(self.polynomials, poly), contracted(self.polynomials, merged)]
        if 1 < len(merged) <= _MOST_FACTORED:
            polys += [double for double in self.folding.doubled(merged) if len(double) <= len(merged)]
        found = []
        for one in {id(p): p for p in polys}.values():
            found += [self._as_sum(one), self._nested(one)]
        if 1 < len(merged) <= _MOST_FACTORED:
            number, parts = factors(self.folding, merged)
            product = self.graph.number(_decimal(number) if self.decimal else number)
            for part, exponent in parts.items():
                best = min((self._as_sum(part), self._nested(part)), key=reading_length)
                product = product * self.graph.power(best, exponent)
            found.append(product)
        return found

    def _as_sum(self, poly: Poly) -> Expr:
        if self.decimal:
            most = max((abs(c) for c in poly.terms.values()), default=0)
            poly = Poly({m: _decimal(c) for m, c in poly.terms.items() if abs(c) > _NOISE * most})
        return self.polynomials.total(poly, self._ordered(poly))

    def _ordered(self, poly: Poly) -> Sequence[Monomial[int]]:
        """Return the monomials in the order of a text: positive terms first, then by the names of their atoms."""
        return sorted(poly.terms, key=lambda m: (poly.terms[m] < 0, m))

    def _nested(self, poly: Poly) -> Expr:
        """Take out common factors: first those of all terms, then the atom in the most terms."""
        if len(poly) < 2:
            return self._as_sum(poly)
        common = poly.content()
        numbers = list(poly.terms.values())
        scale = Fraction(gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers)))
        if scale.denominator != 1 or self.decimal:
            scale = Fraction(1)
        if all(c < 0 for c in numbers):
            scale = -scale
        if common or scale != 1:
            outside = self._as_sum(Poly({common: scale}))
            return outside * self._nested(poly.divided(common) * (1 / scale))
        uses = Counter(atom for m in poly.terms for atom, _ in m)
        atom, most = max(uses.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
        if most < 2:
            return self._as_sum(poly)
        inside = Poly({m: c for m, c in poly.terms.items() if power_of(atom, m)})
        rest = Poly({m: c for m, c in poly.terms.items() if not power_of(atom, m)})
        nested = self._nested(inside)
        return nested + self._nested(rest) if rest else nested


def _divided(poly: Poly, divisor: Poly) -> Poly | None:
    """Return the exact quotient of two polynomials, or None."""
    if len(divisor) == 1:
        ((monomial, number),) = divisor.terms.items()
        rest = poly.divided(monomial)
        return rest * (1 / Fraction(number)) if len(rest) == len(poly) else None
    if len(divisor) > len(poly):
        return None
    lead = max(divisor.terms, key=_degree)
    quotient, rest = Poly(), poly
    for _ in range(len(poly)):
        if not rest:
            return quotient
        high = max(rest.terms, key=_degree)
        step = Poly({high: rest.terms[high] / divisor.terms[lead]}).divided(lead)
        if not step:
            return None
        quotient, rest = quotient + step, rest - step * divisor
    return None if rest else quotient


def _degree(monomial: Monomial[int]) -> tuple[tuple[int, int], ...]:
    """Return a sort key of monomials that respects products: lexicographic, the first atom first."""
    return tuple((-atom, power) for atom, power in monomial)


def _is_large(quotient: _Quotient) -> bool:
    numerator, below = quotient
    if max(len(numerator), *(len(poly) for poly in below), 0) > _LARGEST:
        return True
    return any(c.numerator.bit_length() + c.denominator.bit_length() > _BITS for c in numerator.terms.values())


def _decimal(number: Fraction) -> Fraction | float:
    """Return small fractions as they are and other numbers as decimals."""
    return number if number.denominator <= _SMALL else float(f"{float(number):.{_DIGITS}g}")
