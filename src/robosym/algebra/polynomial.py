"""Polynomials in sines, cosines and parameters: exact, sparse, folded by sin^2 + cos^2 = 1 and by sums of angles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations

from robosym.algebra import Expr, Graph, reachable
from robosym.algebra.trigonometry import from_terms, linear_terms

__all__ = ["Polynomials"]

Monomial = tuple[tuple[int, int], ...]  #: (atom, exponent), atoms rising, exponents positive
Poly = dict[Monomial, Fraction]
_ONE: Monomial = ()
#: Pairs of angles are tried in polynomials of so many terms at most.
_FEW = 12


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a:
        return b
    if not b:
        return a
    powers = dict(a)
    for atom, exponent in b:
        powers[atom] = powers.get(atom, 0) + exponent
    return tuple(sorted((atom, exponent) for atom, exponent in powers.items() if exponent))


def increase(total: Poly, monomial: Monomial, coefficient: Fraction) -> None:
    """Add a term to a polynomial in place."""
    known = total.get(monomial)
    if known is None:
        total[monomial] = coefficient
    elif known == -coefficient:
        del total[monomial]
    else:
        total[monomial] = known + coefficient


def add(a: Poly, b: Poly, factor: int | Fraction = 1) -> Poly:
    """a + factor * b."""
    total = dict(a)
    for monomial, coefficient in b.items():
        increase(total, monomial, factor * coefficient)
    return total


def multiply(a: Poly, b: Poly) -> Poly:
    product: Poly = {}
    for m, x in a.items():
        for n, y in b.items():
            increase(product, _times(m, n), x * y)
    return product


class Polynomials:
    """The polynomials over the atoms of one graph: symbols, sines, cosines, and whatever else is no sum or product."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.atoms: list[Expr] = []
        self._places: dict[Expr, int] = {}
        self._partner: dict[int, int] = {}  # the place of cos x for that of sin x, and back
        self._known: dict[Expr, Poly] = {}

    # ------------------------------------------------------------ to and from expressions

    def place(self, node: Expr) -> int:
        known = self._places.get(node)
        if known is not None:
            return known
        place = self._places[node] = len(self.atoms)
        self.atoms.append(node)
        if node.op in ("sin", "cos"):
            other = self.graph.apply("cos" if node.op == "sin" else "sin", node.args)
            twin = self.place(other.node)
            self._partner[place], self._partner[twin] = twin, place
        return place

    def of(self, expression: Expr) -> Poly:
        for node in reachable([expression]):
            if node in self._known:
                continue
            match node.op:
                case "number":
                    value = Fraction(repr(node.value)) if isinstance(node.value, float) else node.value
                    poly: Poly = {_ONE: value} if value else {}
                case "add":
                    poly = add(self._signed(node.args[0]), self._signed(node.args[1]))
                case "mul":
                    poly = multiply(self._signed(node.args[0]), self._signed(node.args[1]))
                case _:
                    poly = {((self.place(node), 1),): Fraction(1)}
            self._known[node] = poly
        return self._signed(expression)

    def _signed(self, reference: Expr) -> Poly:
        poly = self._known[reference.node]
        return {m: -c for m, c in poly.items()} if reference.negative else poly

    def expression(self, poly: Poly) -> Expr:
        total = self.graph.zero
        for monomial, coefficient in sorted(poly.items(), key=lambda item: (len(item[0]), item[0])):
            product = self.graph.number(coefficient)
            for atom, exponent in monomial:
                product = product * self.graph.power(self.atoms[atom], exponent)
            total = total + product
        return total

    # ------------------------------------------------------------------------- folding

    def folded(self, poly: Poly) -> Poly:
        """The shortest form found by sin^2 + cos^2 = 1, angle by angle, and by products of sines made into sums."""
        poly = self._pythagoras(poly)
        summed = self._sums(poly)
        return summed if len(summed) < len(poly) else poly

    def merged(self, poly: Poly) -> Poly:
        """Folded, and products of any two angles made into sums where that is shorter (S2 C3 + C2 S3 is S23)."""
        poly = self.folded(poly)
        if not 1 < len(poly) <= _FEW:
            return poly
        atoms = {atom for m in poly for atom, _ in m if atom in self._partner}
        angles = {frozenset({atom, self._partner[atom]}) for atom in atoms}
        for one, other in combinations(sorted(angles, key=min), 2):
            summed = self._fourier(poly, set(one | other))
            if len(summed) < len(poly):
                poly = summed
        return poly

    def _pythagoras(self, poly: Poly) -> Poly:
        changed = True
        while changed and len(poly) > 1:
            changed = False
            squares = {atom for m in poly for atom, exponent in m if exponent > 1 and atom in self._partner}
            for atom in sorted(squares):
                shorter = self._pairs(poly, atom)
                replaced = self._replaced(poly, atom)
                best = min(shorter, replaced, key=len)
                if len(best) < len(poly):
                    poly, changed = best, True
        return poly

    def _pairs(self, poly: Poly, atom: int) -> Poly:
        """c m s^2 + c m cos^2 made into c m wherever both are there."""
        down, up = ((atom, -2),), ((self._partner[atom], 2),)
        poly = dict(poly)
        for monomial in list(poly):
            if dict(monomial).get(atom, 0) < 2 or monomial not in poly:
                continue
            rest = _times(monomial, down)
            other = _times(rest, up)
            if poly.get(other) == poly[monomial]:
                coefficient = poly.pop(monomial)
                del poly[other]
                increase(poly, rest, coefficient)
        return poly

    def _replaced(self, poly: Poly, atom: int) -> Poly:
        """Every square of the atom written as 1 less that of its partner."""
        down, up = ((atom, -2),), ((self._partner[atom], 2),)
        waiting, done = dict(poly), Poly()
        while waiting:
            monomial, coefficient = waiting.popitem()
            if dict(monomial).get(atom, 0) < 2:
                increase(done, monomial, coefficient)
            else:
                rest = _times(monomial, down)
                increase(waiting, rest, coefficient)
                increase(waiting, _times(rest, up), -coefficient)
        return done

    def _sums(self, poly: Poly) -> Poly:
        """Products of sines and cosines of angles that share variables (t2, t3 and t2 + t3) as sums of single ones."""
        groups = self._entangled(poly)
        for group in groups:
            poly = min(poly, self._fourier(poly, group), key=len)
        return poly

    def _entangled(self, poly: Poly) -> list[set[int]]:
        """Sets of sines and cosines whose angles are linked by common variables, where some angle has several."""
        atoms = sorted({atom for m in poly for atom, _ in m if atom in self._partner})
        variables = {atom: set(self._angle(atom)) - {self.graph.one, self.graph.pi} for atom in atoms}
        groups: list[tuple[set[int], set[Expr]]] = []
        for atom in atoms:
            joined, names = {atom}, set(variables[atom])
            rest = []
            for members, there in groups:
                if there & names:
                    joined |= members
                    names |= there
                else:
                    rest.append((members, there))
            groups = [*rest, (joined, names)]
        return [members for members, _ in groups if any(len(variables[a]) > 1 for a in members)]

    def _angle(self, atom: int) -> dict[Expr, Fraction | float]:
        return linear_terms(self.atoms[atom].args[0])

    def _fourier(self, poly: Poly, group: set[int]) -> Poly:
        """Monomials of the group as sums: product = sum over angles of A cos + B sin, angles combined by + and -."""
        total: Poly = {}
        for monomial, coefficient in poly.items():
            turning = [atom for atom, exponent in monomial if atom in group for _ in range(exponent)]
            rest = tuple((atom, exponent) for atom, exponent in monomial if atom not in group)
            series = [(Fraction(1), "cos", self.graph.zero)]
            for atom in turning:
                x = self.atoms[atom].args[0]
                series = [term for each in series for term in _product(each, self.atoms[atom].op, x)]
            for factor, op, angle in series:
                for m, c in self.of(self.graph.function(op, _canonical(angle))).items():
                    increase(total, _times(rest, m), coefficient * factor * c)
        return total


def _product(term: tuple[Fraction, str, Expr], op: str, x: Expr) -> list[tuple[Fraction, str, Expr]]:
    """cos or sin of an angle times cos or sin of x."""
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


def _canonical(angle: Expr) -> Expr:
    return from_terms(angle.graph, linear_terms(angle))


def content(poly: Poly) -> Monomial:
    """The monomial that divides every term."""
    common: dict[int, int] | None = None
    for monomial in poly:
        powers = dict(monomial)
        if common is None:
            common = powers
        else:
            common = {atom: min(e, powers[atom]) for atom, e in common.items() if atom in powers}
    return tuple(sorted((common or {}).items()))


def divided(poly: Poly, monomial: Monomial) -> Poly:
    down = tuple((atom, -exponent) for atom, exponent in monomial)
    return {_times(m, down): c for m, c in poly.items()}


def symbols_of(poly: Mapping[Monomial, Fraction]) -> Iterable[int]:
    return sorted({atom for monomial in poly for atom, _ in monomial})
