"""Test sines and cosines of sums of angles: sharing of nodes, exact values, numeric values."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from robosym.algebra import Graph, evaluate, parse
from robosym.algebra.trigonometry import half_turns


@pytest.mark.parametrize("twelfths", range(-30, 31))
def test_multiples_of_pi(twelfths: int) -> None:
    graph = Graph()
    angle = graph.pi * Fraction(twelfths, 12)
    found = evaluate([graph.function("sin", angle), graph.function("cos", angle)], {})
    exact = twelfths * math.pi / 12
    assert found == pytest.approx([math.sin(exact), math.cos(exact)], abs=1e-14)


@pytest.mark.parametrize("k", range(-8, 9))
def test_quarter_turns_are_exact(k: int) -> None:
    graph = Graph()
    t = graph.symbol("t")
    assert graph.function("cos", graph.pi * Fraction(k, 2)) is graph.number((1, 0, -1, 0)[k % 4])
    shifted = graph.function("sin", t + graph.pi * Fraction(k, 2))
    sine, cosine = graph.function("sin", t), graph.function("cos", t)
    assert shifted is (sine, cosine, -sine, -cosine)[k % 4]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sin(t2 + t3)", "sin(t3 + t2)"),
        ("sin(t2 + t3 + t4)", "sin(t4 + (t3 + t2))"),
        ("cos(t2 - t3)", "cos(t3 - t2)"),
        ("sin(t2 - t3)", "-sin(t3 - t2)"),
        ("sin(2*t2 - t2)", "sin(t2)"),
        ("cos(t2 + Pi/2 + t3)", "-sin(t3 + t2)"),
        ("cos(Pi/4)", "sin(Pi/4)"),
        ("cos(Pi/3)", "1/2"),
        ("sin(t + Pi/3)", "cos(t - Pi/6)"),
    ],
)
def test_equal_angles_share_one_node(left: str, right: str) -> None:
    graph = Graph()
    assert parse(left, graph) is parse(right, graph)


def test_float_offset_stays_a_float() -> None:
    graph = Graph()
    [value] = evaluate([parse("sin(t + 0.3*Pi + 0.25)", graph)], {"t": 0.1})
    assert value == pytest.approx(math.sin(0.1 + 0.3 * math.pi + 0.25), abs=1e-15)


@pytest.mark.parametrize(
    ("text", "turns"),
    [("0", 0), ("Pi", 1), ("-Pi", 1), ("2*Pi", 0), ("3*Pi", 1), ("Pi/2", None), ("3.14159265", None), ("a", None)],
)
def test_half_turns_are_exact(text: str, turns: int | None) -> None:
    assert half_turns(parse(text, Graph())) == turns
