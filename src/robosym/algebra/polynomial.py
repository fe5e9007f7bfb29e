"""Sparse polynomials with any atoms and coefficients, and polynomials in the atoms of an expression graph.

A monomial is a sorted tuple of (atom, exponent), so that equal monomials are equal tuples. Trigonometric identities are
not part of the ring; they are rules of `folding`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from robosym.algebra.graph import Expr, Graph
from robosym.algebra.interpret import Arithmetic, interpret

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Monomial", "Poly", "Polynomials", "SparsePolynomial", "power_of", "quotient", "times"]

Atom = TypeVar("Atom")
#: Atoms with positive exponents, sorted by atom.
Monomial = tuple[tuple[Atom, int], ...]


class _Summand(Protocol):
    def __add__(self, other: Any, /) -> Any: ...

    def __mul__(self, other: Any, /) -> Any: ...

    def __neg__(self) -> Any: ...


C = TypeVar("C", bound=_Summand)


def times(a: Monomial[Atom], b: Monomial[Atom]) -> Monomial[Atom]:
    """Return the product of two monomials."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


def quotient(a: Monomial[Atom], b: Monomial[Atom]) -> Monomial[Atom] | None:
    """Return a / b, or None if b does not divide a."""
    powers = dict(a)
    for atom, power in b:
        left = powers.pop(atom, 0) - power
        if left < 0:
            return None
        if left:
            powers[atom] = left
    return tuple(sorted(powers.items()))


def power_of(atom: Atom, monomial: Monomial[Atom]) -> int:
    return dict(monomial).get(atom, 0)


class SparsePolynomial(Generic[Atom, C]):
    """An immutable sum of coefficients times monomials, with numbers as coefficients.

    A subclass with other coefficients defines which of them are zero, and how to create a polynomial of its type.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial[Atom], C] | None = None) -> None:
        self.terms = self._kept(terms or {})

    def _kept(self, terms: Mapping[Monomial[Atom], C]) -> dict[Monomial[Atom], C]:
        """Return the terms with nonzero coefficients."""
        return {m: c for m, c in terms.items() if c}

    def _coefficient(self, value: Any) -> C:
        """Convert an operand that is not a polynomial to a coefficient."""
        return cast(C, value)

    def _of(self, terms: dict[Monomial[Atom], C]) -> Self:
        """Create a polynomial of this type from nonzero terms."""
        made = self.__class__.__new__(self.__class__)
        made.terms = terms
        return made

    # ------------------------------------------------------------------------- ring

    def gathered(self, terms: Iterable[tuple[Monomial[Atom], C]]) -> Self:
        """Add terms in order, combining those with the same monomial."""
        return self._added({}, terms)

    def _added(self, total: dict[Monomial[Atom], C], terms: Iterable[tuple[Monomial[Atom], C]]) -> Self:
        """Add terms to `total` in place."""
        for monomial, coefficient in terms:
            known = total.get(monomial)
            total[monomial] = coefficient if known is None else known + coefficient
        return self._of(self._kept(total))

    def _taken(self, other: object) -> Self:
        """Return a polynomial, converting a constant."""
        if not isinstance(other, self.__class__):
            return self._of(self._kept({(): self._coefficient(other)}))
        return other

    def __neg__(self) -> Self:
        return self._of({m: -c for m, c in self.terms.items()})

    def __add__(self, other: object) -> Self:
        summand = self._taken(other)
        if not summand.terms:
            return self
        return self._added(dict(self.terms), summand.terms.items()) if self.terms else summand

    __radd__ = __add__

    def __sub__(self, other: object) -> Self:
        return self + -self._taken(other)

    def __rsub__(self, other: object) -> Self:
        return -self + self._taken(other)

    def __mul__(self, other: object) -> Self:
        if not self.terms:
            return self
        if isinstance(other, self.__class__):
            right = other.terms.items()
            return self.gathered((times(m, n), x * y) for m, x in self.terms.items() for n, y in right)
        factor = self._coefficient(other)
        if not self._kept({(): factor}):
            return self._of({})
        return self._of({m: c * factor for m, c in self.terms.items()})

    __rmul__ = __mul__

    def rewritten(self, rule: Callable[[Monomial[Atom]], Iterable[tuple[Monomial[Atom], Any]]]) -> Self:
        """Replace each monomial by a sum of (monomial, number)."""
        return self.gathered((n, c * number) for m, c in self.terms.items() for n, number in rule(m))

    def __len__(self) -> int:
        return len(self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparsePolynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    # ------------------------------------------------------------------------ parts

    def coefficient(self, monomial: Monomial[Atom]) -> C:
        return self.terms[monomial] if monomial in self.terms else self._coefficient(0)

    def atoms(self) -> list[Atom]:
        return sorted({atom for m in self.terms for atom, _ in m})  # type: ignore[type-var]

    def total_degree(self, atoms: Container[Atom]) -> int:
        """Return the total degree in some atoms."""
        return max((sum(power for atom, power in m if atom in atoms) for m in self.terms), default=0)

    def content(self) -> Monomial[Atom]:
        """Return the greatest monomial that divides every term."""
        first, *others = (dict(m) for m in self.terms)
        for powers in others:
            first = {atom: min(power, powers[atom]) for atom, power in first.items() if atom in powers}
        return tuple(sorted(first.items()))

    def divided(self, monomial: Monomial[Atom]) -> Self:
        """Divide by a monomial, dropping terms that it does not divide."""
        quotients = ((quotient(m, monomial), c) for m, c in self.terms.items())
        return self._of({m: c for m, c in quotients if m is not None})

    def parted(self, chosen: Callable[[Atom], bool]) -> dict[Monomial[Atom], Self]:
        """Return the coefficients, polynomials in the other atoms, of the monomials of the chosen atoms."""
        parts: dict[Monomial[Atom], dict[Monomial[Atom], C]] = {}
        for monomial, coefficient in self.terms.items():
            ours = tuple(item for item in monomial if chosen(item[0]))
            others = tuple(item for item in monomial if not chosen(item[0]))
            parts.setdefault(ours, {})[others] = coefficient
        return {ours: self._of(terms) for ours, terms in parts.items()}


#: Polynomials in indices of atoms of `Polynomials`; coefficients are fractions, or floats if a subclass allows them.
Poly = SparsePolynomial[int, Any]


class Polynomials(Arithmetic["Poly"]):
    """Polynomials in the atoms of one graph: symbols, sines, cosines, and all nodes other than sums and products.

    Decimals become exact fractions.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__({"add": operator.add, "mul": self.product}, {})
        self.graph = graph
        self.atoms: list[Expr] = []
        self._places: dict[Expr, int] = {}
        self._known: dict[Expr, Poly] = {}

    # ------------------------------------------------------------ atoms

    def place(self, node: Expr) -> int:
        known = self._places.get(node)
        if known is not None:
            return known
        place = self._places[node] = len(self.atoms)
        self.atoms.append(node)
        self._entered(place)
        return place

    def _entered(self, place: int) -> None:
        """Add an atom; sine and cosine of the same angle have adjacent indices."""
        if self.turns(place):
            self.partner(place)

    def turns(self, place: int) -> bool:
        """Return whether the atom is a sine or cosine."""
        return self.atoms[place].op in ("sin", "cos")

    def partner(self, place: int) -> int:
        """Return the index of cos x for that of sin x, and vice versa."""
        node = self.atoms[place]
        return self.place(self.graph.apply("cos" if node.op == "sin" else "sin", node.args).node)

    # ------------------------------------------------------------ to and from expressions

    def of(self, expression: Expr) -> Poly:
        return interpret([expression], self, self._known)[0]

    def number(self, value: Fraction | float) -> Poly:
        return Poly({(): Fraction(repr(value)) if isinstance(value, float) else value})

    def leaf(self, node: Expr) -> Poly:
        return self.number(node.value) if node.op == "number" else self.single(node)

    def apply(self, node: Expr, arguments: Sequence[Poly]) -> Poly:
        return self.single(node)

    def product(self, a: Poly, b: Poly) -> Poly:
        """Multiply two polynomials; a subclass may reduce the product by relations of its atoms."""
        return a * b

    def single(self, reference: Expr) -> Poly:
        """Return a signed atom as a polynomial."""
        return Poly({((self.place(reference.node), 1),): Fraction(-1 if reference.negative else 1)})

    def expression(self, poly: Poly) -> Expr:
        """Convert to an expression, with the shortest monomials first."""
        return self.total(poly, sorted(poly.terms, key=lambda m: (len(m), m)))

    def total(self, poly: Poly, order: Iterable[Monomial[int]]) -> Expr:
        """Convert to an expression, with the terms in a given order."""
        total = self.graph.zero
        for monomial in order:
            product = self.graph.number(poly.terms[monomial])
            for atom, power in monomial:
                product = product * self.graph.power(self.atoms[atom], power)
            total = total + product
        return total
