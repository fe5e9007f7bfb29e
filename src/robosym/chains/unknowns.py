"""Polynomials in the cosines and sines of unknown angles and in unknown lengths, over the expression graph.

An angle is a sum of joint variables (t2 + t3 of parallel axes is one angle, with its own cosine and sine). What is
known, solved joints included, is in the coefficients. Squares of sines are replaced by 1 - C^2, and coefficients that
vanish at the sample points are dropped, so a polynomial shows exactly what an equation depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from robosym.algebra import Expr, Graph, Number
from robosym.algebra.samples import Samples
from robosym.model.solution.unknown import Variable

__all__ = ["Atom", "Monomial", "Polynomial"]

#: (variable, "c" | "s" | "r")
Atom = tuple[Variable, str]
#: Atoms with their powers, in order.
Monomial = tuple[tuple[Atom, int], ...]


class Polynomial:
    """A sum of coefficient times monomial; `samples` decides what vanishes."""

    __slots__ = ("samples", "terms")

    def __init__(self, samples: Samples, terms: Mapping[Monomial, Expr] | None = None) -> None:
        self.samples = samples
        self.terms: dict[Monomial, Expr] = {m: c for m, c in (terms or {}).items() if not c.is_zero}

    @classmethod
    def constant(cls, samples: Samples, value: Expr) -> Polynomial:
        return cls(samples, {(): value})

    @classmethod
    def atom(cls, samples: Samples, variable: Variable, kind: str) -> Polynomial:
        return cls(samples, {(((variable, kind), 1),): samples.graph.one})

    @property
    def graph(self) -> Graph:
        return self.samples.graph

    @classmethod
    def _of(cls, samples: Samples, terms: dict[Monomial, Expr]) -> Polynomial:
        """Of terms that are known not to be zero."""
        result = cls.__new__(cls)
        result.samples, result.terms = samples, terms
        return result

    def _lift(self, other: Any) -> Polynomial:
        if isinstance(other, Polynomial):
            return other
        return Polynomial.constant(self.samples, self.graph.zero + other)

    def __neg__(self) -> Polynomial:
        return Polynomial._of(self.samples, {m: -c for m, c in self.terms.items()})

    def __add__(self, other: Union[Polynomial, Expr, Number]) -> Polynomial:
        if not isinstance(other, Polynomial):
            other = self._lift(other)
        if not other.terms:
            return self
        if not self.terms:
            return other
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            old = terms.get(monomial)
            terms[monomial] = coefficient if old is None else old + coefficient
        return Polynomial(self.samples, terms)

    __radd__ = __add__

    def __sub__(self, other: Union[Polynomial, Expr, Number]) -> Polynomial:
        return self + -self._lift(other)

    def __rsub__(self, other: Union[Polynomial, Expr, Number]) -> Polynomial:
        return -self + other

    def __mul__(self, other: Union[Polynomial, Expr, Number]) -> Polynomial:
        if isinstance(other, Expr):
            if other is self.graph.one or not self.terms:
                return self
            if other.is_zero:
                return Polynomial._of(self.samples, {})
            return Polynomial._of(self.samples, {m: c * other for m, c in self.terms.items()})
        other = self._lift(other)
        terms: dict[Monomial, Expr] = {}
        for first, a in self.terms.items():
            for second, b in other.terms.items():
                monomial = _times(first, second) if first and second else first or second
                old = terms.get(monomial)
                terms[monomial] = a * b if old is None else old + a * b
        return Polynomial(self.samples, terms)

    __rmul__ = __mul__

    def reduced(self) -> Polynomial:
        """S^2 written as 1 - C^2, vanishing coefficients dropped."""
        terms: dict[Monomial, Expr] = {}
        stack = list(self.terms.items())
        while stack:
            monomial, coefficient = stack.pop()
            square = next((i for i, ((_, kind), power) in enumerate(monomial) if kind == "s" and power > 1), None)
            if square is None:
                old = terms.get(monomial)
                terms[monomial] = coefficient if old is None else old + coefficient
                continue
            (variable, _), power = monomial[square]
            rest = monomial[:square] + monomial[square + 1 :]
            if power > 2:
                rest = _times(rest, (((variable, "s"), power - 2),))
            stack.append((rest, coefficient))
            stack.append((_times(rest, (((variable, "c"), 2),)), -coefficient))
        samples = self.samples
        return Polynomial(samples, {m: c for m, c in terms.items() if not samples.is_zero(c)})

    def variables(self) -> tuple[Variable, ...]:
        return tuple(sorted({variable for monomial in self.terms for (variable, _), _ in monomial}))

    def split(self, variables: Iterable[Variable]) -> dict[Monomial, Polynomial]:
        """The polynomial by monomials of the given variables, coefficients in the others."""
        chosen = set(variables)
        parts: dict[Monomial, dict[Monomial, Expr]] = {}
        for monomial, coefficient in self.terms.items():
            inside = tuple(item for item in monomial if item[0][0] in chosen)
            outside = tuple(item for item in monomial if item[0][0] not in chosen)
            parts.setdefault(inside, {})[outside] = coefficient
        return {inside: Polynomial(self.samples, terms) for inside, terms in parts.items()}

    def degree(self, variable: Variable) -> int:
        """The highest total power of the variable's atoms."""
        return max((sum(power for (v, _), power in monomial if v == variable) for monomial in self.terms), default=0)

    def coefficient(self, monomial: Monomial) -> Expr:
        return self.terms.get(monomial, self.graph.zero)

    @property
    def known(self) -> Expr:
        """The coefficient of 1."""
        return self.coefficient(())

    def __repr__(self) -> str:
        return " + ".join(f"({c})*{_name(m)}" for m, c in self.terms.items()) or "0"


def _name(monomial: Monomial) -> str:
    return "*".join(f"{kind}[{variable.name}]^{power}" for (variable, kind), power in monomial) or "1"


def _times(first: Monomial, second: Monomial) -> Monomial:
    powers = dict(first)
    for atom, power in second:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))
