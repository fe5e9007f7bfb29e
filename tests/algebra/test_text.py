"""Test text of expressions for people and for the parser."""

from __future__ import annotations

import pytest

from robosym.algebra import Graph, evaluate, parse


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("t2 - Pi/2", "t2 - Pi/2"),
        ("3*Pi/4", "3*Pi/4"),
        ("-(a - b)", "b - a"),
        ("-a - b", "-a - b"),
        ("a*(b/c)", "a*(b/c)"),
        ("a/(b*c)", "a/(b*c)"),
        ("a - (b - c)", "a - b + c"),
        ("(a + b)*c", "c*(a + b)"),
        ("-a*(b - c)", "-a*(b - c)"),
        ("sin(-(a - b))", "-sin(a - b)"),
        ("1/3", "1/3"),
        ("0.1", "0.1"),
        ("sqrt(2)/2", "sqrt(2)/2"),
    ],
)
def test_text(text: str, printed: str) -> None:
    graph = Graph()
    for name in "abct":
        graph.symbol(name)
    assert str(parse(text, graph)) == printed


@pytest.mark.parametrize("text", ["a - (b - (c - a*2))/3", "-(-(a/b)/c)*2", "a*b/c/(a/b)", "-(a + 1)/(-b - 2)"])
def test_text_has_the_same_value(text: str) -> None:
    at = {"a": 0.3, "b": -1.7, "c": 2.9}
    expression = parse(text, Graph())
    again = parse(str(expression), Graph())
    assert evaluate([again], at)[0] == pytest.approx(evaluate([expression], at)[0], rel=1e-14)
