"""The form of expressions for readers: equal by value, and as short as SymPy's."""

from __future__ import annotations

import random

import pytest

from robosym.algebra import POWERS, Expr, Graph, evaluate, parse, reachable, to_text
from robosym.algebra.textbook import reading_length, textbook

SHORT = {
    "cos(t1)^2 + sin(t1)^2": "1",
    "D3*cos(t1)*D3*cos(t1) + D3*sin(t1)*D3*sin(t1)": "D3^2",
    "D3^2 + D8^2 - (D3 - D8*cos(t2 - t7))^2 - (D8*sin(t2 - t7))^2": "2*D3*D8*cos(t2 - t7)",
    "cos(g14)*D14*cos(g14) + sin(g14)*D14*sin(g14)": "D14",
    "sin(t3)*cos(t2)*cos(t1) + cos(t3)*sin(t2)*cos(t1)": "cos(t1)*sin(t2 + t3)",
    "0.075625 + 0.105625": "0.18125",
    "x*a - a*x + 3": "3",
    "(a^2 - b^2)/(a + b)": "a - b",
    "a/(a*b)": "1/b",
    "Pi - (-asin(x))": "Pi + asin(x)",
    "a*x + b*x": "x*(a + b)",
    "sqrt(a + b)*sqrt(a + b)": "a + b",
    "(x - x)/y": "0",
    "3*a*cos(t1)^2 - 3*a*sin(t1)^2": "3*a*cos(2*t1)",
    "1/a + b/a": "(1 + b)/a",
}


@pytest.mark.parametrize("text", SHORT)
def test_short_forms(text: str) -> None:
    graph = Graph()
    (found,) = textbook([parse(text, graph)])
    assert to_text(found, POWERS) == SHORT[text]


def random_expression(rng: random.Random, graph: Graph, depth: int) -> Expr:
    if depth == 0:
        leaves = [graph.symbol(rng.choice("abcxy")), graph.number(rng.choice([2, 3, 0.25, 1.37]))]
        angle = graph.symbol(rng.choice(["t1", "t2"])) + rng.choice([0, 1]) * graph.symbol("t3")
        return rng.choice([*leaves, graph.function("sin", angle), graph.function("cos", angle)])
    one, other = (random_expression(rng, graph, depth - 1) for _ in range(2))
    kind = rng.randrange(6)
    if kind == 5:
        return graph.function("sqrt", one * one + 1)
    return (one + other, one - other, one * other, one * one + other, one / (other * other + 2))[kind]


@pytest.mark.parametrize("seed", range(60))
def test_forms_are_equal_and_not_longer(seed: int) -> None:
    rng = random.Random(seed)
    expression = random_expression(rng, Graph(), rng.randrange(1, 5))
    names = sorted({str(node.value) for node in reachable([expression]) if node.op == "symbol"})
    (found,) = textbook([expression])
    assert reading_length(found) <= reading_length(expression)
    for _ in range(3):
        at = {name: rng.uniform(0.3, 1.5) for name in names}
        assert evaluate([found], at)[0] == pytest.approx(evaluate([expression], at)[0], rel=1e-8, abs=1e-8)
