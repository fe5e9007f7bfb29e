"""Types of equations (guide tables 2.1 and 2.2): recognized from the monomials of polynomials, in any order and sign.

An equation in one unknown is linear, quadratic or quartic in a length, or of first or second degree in a cosine and
sine. Elimination reduces two equations in two unknowns to one equation in one unknown. This covers types 4 to 8 of
table 2.1 and types 5 and 6 of table 2.2, because one unknown is linear in both equations.
"""

from __future__ import annotations

from dataclasses import dataclass

from robosym.algebra import Expr
from robosym.chains.matrix_equations import Equation
from robosym.chains.unknowns import Monomial, Polynomial
from robosym.model.solution.steps import Variable

__all__ = ["Univariate", "eliminate", "two_equations", "univariate"]


@dataclass(frozen=True)
class Univariate:
    """An equation in one unknown.

    Coefficients of an equation in a length belong to 1, r, r^2 ..; those of a "sine" equation X S + Y C + Z to S, C and
    1; those of "sine2" to C^2, C S, C, S and 1. A "pair" has X, Y, Z of both equations.
    """

    variable: Variable
    form: str  #: a key of `BRANCHES`
    type: str  #: number of the type in the guide
    coefficients: tuple[Expr, ...]
    origins: tuple[str, ...]


def _power(variable: Variable, **powers: int) -> Monomial:
    return tuple(((variable, kind), power) for kind, power in sorted(powers.items()))


def univariate(equation: Equation, type: str | None = None) -> Univariate | None:
    """Return the coefficients of an equation in one unknown; None if its degree is too high."""
    polynomial = equation.polynomial
    variables = polynomial.variables()
    if len(variables) != 1:
        return None
    (x,) = variables
    degree = polynomial.degree(x)
    origins = tuple(equation.origin.split(" with "))
    if x.prismatic:
        if degree > 4:
            return None
        coefficients = [polynomial.known, *(polynomial.coefficient(_power(x, r=p)) for p in range(1, degree + 1))]
        form = {1: "linear", 2: "quadratic"}.get(degree, "quartic")
        if form == "quartic":
            coefficients += [polynomial.graph.zero] * (5 - len(coefficients))
        guide = type or {1: "type 1", 2: "type 2 of Pieper"}.get(degree, "type 5 of Pieper")
        return Univariate(x, form, guide, tuple(coefficients), origins)
    if degree == 1:
        sine, cosine = polynomial.coefficient(_power(x, s=1)), polynomial.coefficient(_power(x, c=1))
        guide = type or ("type 9" if sine.is_zero else "type 10" if cosine.is_zero else "type 2")
        return Univariate(x, "sine", guide, (sine, cosine, polynomial.known), origins)
    if degree == 2:
        monomials = _power(x, c=2), _power(x, c=1, s=1), _power(x, c=1), _power(x, s=1), ()
        values = tuple(polynomial.coefficient(m) for m in monomials)
        return Univariate(x, "sine2", type or "type 6 of Pieper", values, origins)
    return None


def two_equations(first: Univariate, second: Univariate) -> Univariate:
    """Combine two "sine" equations of the same angle into one "pair" (type 3)."""
    coefficients, origins = (*first.coefficients, *second.coefficients), (*first.origins, *second.origins)
    return Univariate(first.variable, "pair", "type 3", coefficients, origins)


def _linear_in(polynomial: Polynomial, y: Variable) -> tuple[Polynomial, Polynomial, Polynomial] | None:
    """Return an equation as b1 C + b2 S + w of the angle y; None if it does not have this form."""
    parts = polynomial.split([y])
    c, s = _power(y, c=1), _power(y, s=1)
    if not set(parts) <= {c, s, ()}:
        return None
    none = Polynomial(polynomial.samples)
    return parts.get(c, none), parts.get(s, none), parts.get((), none)


def eliminate(first: Equation, second: Equation, x: Variable, y: Variable) -> tuple[Equation, str] | None:
    """Return the equation in x alone that follows from two equations in x and y, and the type of the two."""
    result = _without_length(first, second, x, y) if y.prismatic else _without_angle(first, second, x, y)
    if result is None:
        return None
    polynomial, guide = result
    polynomial = polynomial.reduced()
    if polynomial.variables() != (x,) or polynomial.degree(x) > (4 if x.prismatic else 2):
        return None
    return Equation(f"{first.origin} with {second.origin}", polynomial), guide


def _without_angle(first: Equation, second: Equation, x: Variable, y: Variable) -> tuple[Polynomial, str] | None:
    one, two = _linear_in(first.polynomial, y), _linear_in(second.polynomial, y)
    if one is None or two is None:
        return None
    (b11, b12, w1), (b21, b22, w2) = one, two
    D = (b11 * b22 - b12 * b21).reduced()
    if not D.terms:  # both contain the same combination of C and S
        b1, b2 = (b11, b21) if b11.terms or b21.terms else (b12, b22)
        return w1 * b2 - w2 * b1, "type 2"
    separable = not any(p.variables() for p in (b11, b12, b21, b22))
    if x.prismatic:
        guide = "type 5" if separable else "type 4"
    elif set(x.terms) & set(y.terms):
        guide = "type 8"
    else:
        guide = "type 7" if b11.terms and b12.terms else "type 6"
    if not (b11 * b21 + b12 * b22).reduced().terms:
        square = (b11 * b11 + b12 * b12).reduced()
        if not (square - (b21 * b21 + b22 * b22)).reduced().terms:  # the rows are orthogonal and of equal length
            return w1 * w1 + w2 * w2 - square, guide
    if not separable:
        common = _common_factor((b11, b12, b21, b22), x)
        if common is None:
            return None
        factor, (b11, b12, b21, b22) = common
        if w1.variables() or w2.variables():
            return None
        D = (b11 * b22 - b12 * b21).reduced()
        c, s = w2 * b12 - w1 * b22, w1 * b21 - w2 * b11
        return c * c + s * s - D * D * factor * factor, guide
    c, s = w2 * b12 - w1 * b22, w1 * b21 - w2 * b11  # times D
    return c * c + s * s - D * D, guide


def _common_factor(entries: tuple[Polynomial, ...], x: Variable) -> tuple[Polynomial, tuple[Polynomial, ...]] | None:
    """Return the factor r + h of entries that are all known multiples of it, and the multiples."""
    if not x.prismatic:
        return None
    r = _power(x, r=1)
    factor: Polynomial | None = None
    multiples: list[Polynomial] = []
    for entry in entries:
        if not entry.terms:
            multiples.append(entry)
            continue
        slope = entry.coefficient(r)
        if slope.is_zero or not set(entry.terms) <= {r, ()}:
            return None
        this = Polynomial(entry.samples, {r: entry.graph.one, (): entry.known / slope})
        if factor is None:
            factor = this
        elif (factor - this).reduced().terms:
            return None
        multiples.append(Polynomial.constant(entry.samples, slope))
    return None if factor is None else (factor, tuple(multiples))


def _without_length(first: Equation, second: Equation, x: Variable, y: Variable) -> tuple[Polynomial, str] | None:
    """Eliminate y, which is linear with a known factor in the first equation, from the second."""
    r, r2 = _power(y, r=1), _power(y, r=2)
    one, two = first.polynomial.split([y]), second.polynomial.split([y])
    if not set(one) <= {r, ()} or r not in one or not set(two) <= {r2, r, ()}:
        return None
    none = Polynomial(first.polynomial.samples)
    b, w = one[r], one.get((), none)
    if b.variables():
        return None
    linear, square, rest = two.get(r, none), two.get(r2, none), two.get((), none)
    if not square.terms:
        if not linear.terms:
            return None  # the second equation is in x alone
        return rest * b - linear * w, "type 5" if not x.prismatic else "type 1"
    guide = "type 2 of Pieper"
    return rest * b * b - linear * w * b + square * w * w, guide
