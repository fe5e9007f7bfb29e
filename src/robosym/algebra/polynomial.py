"""Sparse polynomials: monomials over any atoms, any coefficients, and those over the atoms of one expression graph.

A monomial is a sorted tuple of (atom, power), so that equal ones are equal tuples. Identities of sines and cosines are
no part of the ring: they are rules of `folding`.
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
#: Atoms with their powers, atoms rising, powers positive.
Monomial = tuple[tuple[Atom, int], ...]


class _Summand(Protocol):
    def __add__(self, other: Any, /) -> Any: ...

    def __mul__(self, other: Any, /) -> Any: ...

    def __neg__(self) -> Any: ...


C = TypeVar("C", bound=_Summand)


def times(a: Monomial[Atom], b: Monomial[Atom]) -> Monomial[Atom]:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


def quotient(a: Monomial[Atom], b: Monomial[Atom]) -> Monomial[Atom] | None:
    """a / b, None where b does not divide a."""
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
    """A sum of coefficient times monomial; it does not change once it is made. The coefficients are numbers.

    A child with other coefficients tells which of them vanish, and how another polynomial of its kind is made.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial[Atom], C] | None = None) -> None:
        self.terms = self._kept(terms or {})

    def _kept(self, terms: Mapping[Monomial[Atom], C]) -> dict[Monomial[Atom], C]:
        """The terms whose coefficients do not vanish."""
        return {m: c for m, c in terms.items() if c}

    def _coefficient(self, value: Any) -> C:
        """A number, or whatever else polynomials are added to and multiplied by, as a coefficient."""
        return cast(C, value)

    def _of(self, terms: dict[Monomial[Atom], C]) -> Self:
        """Another polynomial of this kind, of terms that do not vanish."""
        made = self.__class__.__new__(self.__class__)
        made.terms = terms
        return made

    # ------------------------------------------------------------------------- ring

    def gathered(self, terms: Iterable[tuple[Monomial[Atom], C]]) -> Self:
        """The sum of terms in the order in which they come; those of one monomial are added up."""
        return self._added({}, terms)

    def _added(self, total: dict[Monomial[Atom], C], terms: Iterable[tuple[Monomial[Atom], C]]) -> Self:
        """Terms added to `total`, which is changed."""
        for monomial, coefficient in terms:
            known = total.get(monomial)
            total[monomial] = coefficient if known is None else known + coefficient
        return self._of(self._kept(total))

    def _taken(self, other: object) -> Self:
        """A polynomial, or a constant as one."""
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
        """Each monomial replaced by a sum of (monomial, number)."""
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
        """The highest power of some atoms together."""
        return max((sum(power for atom, power in m if atom in atoms) for m in self.terms), default=0)

    def content(self) -> Monomial[Atom]:
        """The monomial that divides every term."""
        first, *others = (dict(m) for m in self.terms)
        for powers in others:
            first = {atom: min(power, powers[atom]) for atom, power in first.items() if atom in powers}
        return tuple(sorted(first.items()))

    def divided(self, monomial: Monomial[Atom]) -> Self:
        """Over a monomial; terms that it does not divide are left out."""
        quotients = ((quotient(m, monomial), c) for m, c in self.terms.items())
        return self._of({m: c for m, c in quotients if m is not None})

    def parted(self, chosen: Callable[[Atom], bool]) -> dict[Monomial[Atom], Self]:
        """By the monomials of the chosen atoms: what stands with each, in the other atoms."""
        parts: dict[Monomial[Atom], dict[Monomial[Atom], C]] = {}
        for monomial, coefficient in self.terms.items():
            ours = tuple(item for item in monomial if chosen(item[0]))
            others = tuple(item for item in monomial if not chosen(item[0]))
            parts.setdefault(ours, {})[others] = coefficient
        return {ours: self._of(terms) for ours, terms in parts.items()}


#: Over the places of atoms in `Polynomials`; coefficients are fractions, or floats where a child lets them be.
Poly = SparsePolynomial[int, Any]


class Polynomials(Arithmetic["Poly"]):
    """The polynomials over the atoms of one graph: symbols, sines, cosines, and whatever else is no sum or product.

    Decimals become the fractions that they are written as, so that everything is exact.
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
        """A new atom: a sine and the cosine of the same angle lie side by side."""
        if self.turns(place):
            self.partner(place)

    def turns(self, place: int) -> bool:
        """Whether the atom is a sine or cosine."""
        return self.atoms[place].op in ("sin", "cos")

    def partner(self, place: int) -> int:
        """The place of cos x for that of sin x, and back."""
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
        """Of two polynomials; a subclass may reduce it by what it knows of its atoms."""
        return a * b

    def single(self, reference: Expr) -> Poly:
        """A signed atom."""
        return Poly({((self.place(reference.node), 1),): Fraction(-1 if reference.negative else 1)})

    def expression(self, poly: Poly) -> Expr:
        """The sum of its terms, the shortest monomials first."""
        return self.total(poly, sorted(poly.terms, key=lambda m: (len(m), m)))

    def total(self, poly: Poly, order: Iterable[Monomial[int]]) -> Expr:
        """The sum of the terms in an order."""
        total = self.graph.zero
        for monomial in order:
            product = self.graph.number(poly.terms[monomial])
            for atom, power in monomial:
                product = product * self.graph.power(self.atoms[atom], power)
            total = total + product
        return total
