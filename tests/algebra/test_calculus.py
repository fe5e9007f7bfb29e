"""Test exact derivatives against SymPy, and the conversion to and from SymPy."""

from __future__ import annotations

import pytest
import sympy

from robosym.algebra import Graph, derivatives, evaluate, from_sympy, parse, to_sympy
from robosym.errors import ExpressionError

TEXTS = [
    "x*sin(y)**2 + atan2(x, y) + x/y + sqrt(x) + x**2.5",
    "tan(x*y) - asin(x/9) + acos(y/9) - atan(x)",
    "exp(x)*log(y) - abs(x - y) + sign(x)*y",
    "(x + y)**3/(1 + x*x) - cos(x + 2*y)",
    "x**y + pow(y, x)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_derivatives_agree_with_sympy(text: str) -> None:
    graph = Graph()
    expression = parse(text, graph)
    at = {"x": 1.3, "y": 0.7}
    [row] = derivatives([expression], ["x", "y"])
    [image] = to_sympy([expression])
    for variable, ours in zip(("x", "y"), row, strict=True):
        theirs = sympy.diff(image, sympy.Symbol(variable, real=True))
        expected = float(theirs.subs({sympy.Symbol(n, real=True): v for n, v in at.items()}))
        assert evaluate([ours], at)[0] == pytest.approx(expected, rel=1e-12)


def test_derivative_by_an_absent_symbol_is_zero() -> None:
    graph = Graph()
    assert derivatives([parse("a*b", graph)], ["z"]) == [[graph.zero]]


@pytest.mark.parametrize("text", TEXTS)
def test_to_sympy_and_back(text: str) -> None:
    graph = Graph()
    expression = parse(text, graph)
    at = {"x": 1.3, "y": 0.7}
    back = from_sympy(to_sympy([expression])[0], graph)
    assert evaluate([back], at)[0] == pytest.approx(evaluate([expression], at)[0], rel=1e-13)


def test_from_sympy_names_unknown_function() -> None:
    with pytest.raises(ExpressionError, match="gamma"):
        from_sympy(sympy.gamma(sympy.Symbol("x")), Graph())


def test_names_symbol_without_value() -> None:
    with pytest.raises(ExpressionError, match="symbol b"):
        evaluate([parse("a + b", Graph())], {"a": 1.0})


def test_division_by_zero_raises_expression_error() -> None:
    with pytest.raises(ExpressionError, match="no finite value"):
        evaluate([parse("1/(a - b)", Graph())], {"a": 1.0, "b": 1.0})
