"""Solutions of the types of equations with their coefficients put in, the simple cases simply (book, table 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from robosym.algebra import Expr

__all__ = ["substituted"]

Solved = tuple[str, tuple[Expr, ...]]  #: a pattern, and the expressions that fill it


def substituted(form: str, coefficients: Sequence[Expr]) -> Solved | None:
    """The solution of an equation of this form; None where there is no short formula."""
    solve = _FORMS.get(form)
    return None if solve is None else solve(*coefficients)


def _linear(Z: Expr, X: Expr) -> Solved:
    return "{}", (-Z / X,)


def _difference(X: Expr) -> Solved:
    return "{}", (X,)


def _sine(X: Expr, Y: Expr, Z: Expr) -> Solved:
    """X sin u + Y cos u + Z = 0: types 2, 9, 10."""
    if Z.is_zero:  # opposite directions: the sign that reads better
        ends = (-Y, X) if not X.negative else (Y, -X)
        return "{0}, and {0} + Pi", (_atan2(*ends),)
    if X.is_zero:
        return "+- {}", (_call("acos", -Z / Y),)
    if Y.is_zero:
        return "{0}, and Pi - {0}", (_call("asin", -Z / X),)
    return "{} +- {}", (_atan2(X, Y), _call("acos", -Z / _call("sqrt", X * X + Y * Y)))


def _pair(X1: Expr, Y1: Expr, Z1: Expr, X2: Expr, Y2: Expr, Z2: Expr) -> Solved:
    """X1 sin u + Y1 cos u + Z1 = 0 and X2 sin u + Y2 cos u + Z2 = 0: types 3 and 4."""
    if Y1.is_zero and X2.is_zero:
        return "{}", (_atan2(-Z1 / X1, -Z2 / Y2),)
    if X1.is_zero and Y2.is_zero:
        return "{}", (_atan2(-Z2 / X2, -Z1 / Y1),)
    sine, cosine = Y1 * Z2 - Y2 * Z1, X2 * Z1 - X1 * Z2
    if (X1 - Y2).is_zero and (X2 + Y1).is_zero:  # D = X1^2 + Y1^2: the direction alone counts
        return "{}", (_atan2(sine, cosine),)
    if (X1 + Y2).is_zero and (X2 - Y1).is_zero:
        return "{}", (_atan2(-sine, -cosine),)
    D = X1 * Y2 - X2 * Y1
    return "{}", (_atan2(sine / D, cosine / D),)


def _quadratic(a0: Expr, a1: Expr, a2: Expr) -> Solved:
    if a1.is_zero:
        return "+- {}", (_call("sqrt", -a0 / a2),)
    return "({} +- {})/({})", (-a1, _call("sqrt", a1 * a1 - 4 * a0 * a2), 2 * a2)


def _atan2(y: Expr, x: Expr) -> Expr:
    return y.graph.function("atan2", y, x)


def _call(name: str, argument: Expr) -> Expr:
    return argument.graph.function(name, argument)


_FORMS: dict[str, Callable[..., Solved]] = {
    "linear": _linear, "sine": _sine, "pair": _pair, "quadratic": _quadratic, "difference": _difference
}  # fmt: skip
