"""Linear forms: coefficients by derivatives, equivalent forms, and text that can be parsed."""

from __future__ import annotations

import random

import pytest

from robosym.algebra import Expr, Graph, derivatives, evaluate, parse
from robosym.parameters.linear_forms import collected, latex, linear_coefficients, row_text

NAMES = ("M1", "M2", "MX2", "ZZ3")
VALUES = {"a": 0.7, "d": 1.3, "M1": 0.2, "M2": -0.4, "MX2": 1.1, "ZZ3": 0.6}


def nested(rng: random.Random, graph: Graph, depth: int = 5) -> Expr:
    """Return sums of products of linear forms with factors, with shared forms."""
    forms = [graph.symbol(name) for name in NAMES]
    factors = [parse(text, graph) for text in ("a", "-d", "2", "cos(a)", "d/a", "-1/3")]
    for _ in range(depth):
        one, other = rng.sample(forms, 2)
        forms.append(one * rng.choice(factors) + other / rng.choice(factors))
    return forms[-1]


@pytest.mark.parametrize("seed", range(10))
def test_forms_are_equivalent(seed: int) -> None:
    graph = Graph()
    form = nested(random.Random(seed), graph)
    found = linear_coefficients(form, NAMES)
    (slopes,) = derivatives([form], NAMES)
    slope = dict(zip(NAMES, evaluate(slopes, VALUES), strict=True))
    assert {name: slope[name] for name in found} == pytest.approx(
        dict(zip(found, evaluate(found.values(), VALUES), strict=True))
    )
    assert all(abs(slope[name]) < 1e-12 for name in NAMES if name not in found)
    (wanted,) = evaluate([form], VALUES)
    once = collected({"form": form}, NAMES)["form"]
    for other in (once, parse(row_text(found), Graph())):
        assert evaluate([other], VALUES) == pytest.approx([wanted])


def test_collects_parameters_of_equal_coefficient() -> None:
    form = parse("MX2 + a*M1 - (a*M2 + d*ZZ3) + d*ZZ3", Graph())
    assert row_text(linear_coefficients(form, NAMES)) == "MX2 + a*(M1 - M2)"
    form = parse("cos(1)*MX2 + 3*M1 + (a + d)*M2 - d*cos(1)*ZZ3", Graph())
    assert row_text(linear_coefficients(form, NAMES)) == "3*M1 + (a + d)*M2 + 0.5403023059*MX2 - d*cos(1)*ZZ3"
    assert latex("MX2R + D3*sin(a)") == r"MX_{2R} + D_{3}\,\sin(a)"


def length(expression: Expr) -> int:
    """Return the length of the text, in symbols, numbers and operators."""
    return 1 + sum(length(argument) for argument in expression.args)


@pytest.mark.parametrize("seed", range(10))
def test_symbolic_forms_do_not_grow(seed: int) -> None:
    form = nested(random.Random(seed), Graph())
    assert length(collected({"form": form}, NAMES)["form"]) <= length(form)


def test_collects_forms_if_shorter() -> None:
    graph = Graph()
    forms = {"one": parse("a*(M1 + M2) + a*MX2", graph), "nested": parse("a*(M1 + d*(M2 + a*(MX2 + d*ZZ3)))", graph)}
    found = collected(forms, NAMES)
    assert length(found["one"]) == length(parse("a*(M1 + M2 + MX2)", graph)) < length(forms["one"])
    assert length(found["nested"]) == length(forms["nested"])
