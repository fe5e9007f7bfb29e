"""Polynomials in the cosines and sines of unknown angles and in unknown lengths, over the expression graph.

An angle is a sum of joint variables (t2 + t3 of parallel axes is one angle, with its own cosine and sine). Known
quantities, solved joints included, are in the coefficients. Squares of sines are replaced by 1 - C^2, and coefficients
that
vanish at the sample points are dropped, so that a polynomial shows exactly the unknowns of an equation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph
from robosym.algebra.folding import without_squares
from robosym.algebra.polynomial import Monomial as SparseMonomial
from robosym.algebra.polynomial import SparsePolynomial
from robosym.algebra.samples import Samples
from robosym.model.solution.steps import Variable

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Atom", "Monomial", "Polynomial"]

#: (variable, "c" | "s" | "r")
Atom = tuple[Variable, str]
Monomial = SparseMonomial[Atom]


def _cosine(atom: Atom) -> Atom | None:
    """Return the cosine that belongs to a sine."""
    variable, kind = atom
    return (variable, "c") if kind == "s" else None


class Polynomial(SparsePolynomial[Atom, Expr]):
    """A sum of coefficient times monomial; `samples` decides which coefficients vanish."""

    __slots__ = ("samples",)

    def __init__(self, samples: Samples, terms: Mapping[Monomial, Expr] | None = None) -> None:
        self.samples = samples
        super().__init__(terms)

    @classmethod
    def constant(cls, samples: Samples, value: Expr) -> Polynomial:
        return cls(samples, {(): value})

    @classmethod
    def atom(cls, samples: Samples, variable: Variable, kind: str) -> Polynomial:
        return cls(samples, {(((variable, kind), 1),): samples.graph.one})

    @property
    def graph(self) -> Graph:
        return self.samples.graph

    def _kept(self, terms: Mapping[Monomial, Expr]) -> dict[Monomial, Expr]:
        return {m: c for m, c in terms.items() if not c.is_zero}

    def _coefficient(self, value: Expr | float) -> Expr:
        return value if isinstance(value, Expr) else self.graph.number(value)

    def _of(self, terms: dict[Monomial, Expr]) -> Self:
        made = self.__class__.__new__(self.__class__)
        made.samples, made.terms = self.samples, terms
        return made

    def reduced(self) -> Polynomial:
        """Return the polynomial with S^2 replaced by 1 - C^2, without vanishing coefficients."""
        terms = [(n, c * number) for m, c in self.terms.items() for n, number in without_squares(m, _cosine)]
        whole = self.gathered(reversed(terms))  # the order of the sums that the printed coefficients are made of
        return self._of({m: c for m, c in whole.terms.items() if not self.samples.is_zero(c)})

    def variables(self) -> tuple[Variable, ...]:
        return tuple(sorted({variable for monomial in self.terms for (variable, _), _ in monomial}))

    def split(self, variables: Iterable[Variable]) -> dict[Monomial, Polynomial]:
        """Return the coefficients by monomials of the given variables."""
        chosen = set(variables)
        return dict(self.parted(lambda atom: atom[0] in chosen))

    def degree(self, variable: Variable) -> int:
        """Return the highest total power of the atoms of the variable."""
        return self.total_degree({(variable, kind) for kind in "csr"})

    @property
    def known(self) -> Expr:
        """The coefficient of 1."""
        return self.coefficient(())

    def __repr__(self) -> str:
        return " + ".join(f"({c})*{_name(m)}" for m, c in self.terms.items()) or "0"


def _name(monomial: Monomial) -> str:
    return "*".join(f"{kind}[{variable.name}]^{power}" for (variable, kind), power in monomial) or "1"
