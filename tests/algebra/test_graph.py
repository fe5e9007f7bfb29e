"""Test the expression graph: sharing of nodes, signs, exact constants."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robosym.algebra import Graph, Level, evaluate, parse, reachable, substitute
from robosym.errors import ExpressionError


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a + b", "b + a"),
        ("a*b", "b*a"),
        ("-(a*b)", "(-a)*b"),
        ("a - b", "-(b - a)"),
        ("a/(-b)", "-(a/b)"),
        ("a + a", "2*a"),
        ("a + b - b", "a"),
        ("b - (a + b)", "-a"),
        ("2*a + 3*a", "5*a"),
        ("2*(3*a)", "6*a"),
        ("a/2", "a*(1/2)"),
        ("(a*b)/b", "a"),
        ("a**3", "a*a*a"),
        ("a**0", "1"),
        ("a**-1", "1/a"),
        ("a**(1/2)", "sqrt(a)"),
        ("sqrt(9/4)", "3/2"),
        ("sin(-a)", "-sin(a)"),
        ("cos(-a)", "cos(a)"),
        ("abs(-a)", "abs(a)"),
        ("sign(-3)", "-1"),
        ("0*a + 1*b - 0", "b"),
        ("Pi/2 + Pi", "3*Pi/2"),
    ],
)
def test_equal_expressions_share_one_node(graph: Graph, left: str, right: str) -> None:
    assert parse(left, graph) is parse(right, graph)


def test_negation_creates_no_node(graph: Graph) -> None:
    product = parse("a*b", graph)
    size = len(graph)
    opposite = -product
    assert -opposite is product
    assert opposite.node is product
    assert parse("-a*b", graph) is -product
    assert len(graph) == size


def test_constants_stay_exact(graph: Graph) -> None:
    third = graph.number(1) / 3
    assert third.number == Fraction(1, 3)
    assert (third * 3) is graph.one
    assert graph.number(0.5) is not graph.number(Fraction(1, 2))
    assert graph.number(2.0) is graph.number(2)


def test_zero_has_no_sign(graph: Graph) -> None:
    assert -graph.zero is graph.zero
    assert graph.number(-0.0) is graph.zero


@pytest.mark.parametrize("text", ["1/0", "a/(b - b)", "1/(Pi - Pi)", "log(0)", "sqrt(-2)", "acos(2)", "10**400"])
def test_rejects_undefined_expressions(graph: Graph, text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text, graph)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "a", None, 1j])
def test_rejects_numbers_that_are_not_finite(graph: Graph, value: object) -> None:
    with pytest.raises(ExpressionError):
        graph.number(value)  # type: ignore[arg-type]


def test_rejects_expressions_of_two_graphs(graph: Graph) -> None:
    with pytest.raises(ExpressionError, match="two graphs"):
        _ = graph.symbol("a") + Graph().symbol("a")


def test_levels(graph: Graph) -> None:
    q, m = graph.symbol("q", online=True), graph.symbol("m")
    assert graph.pi.level is Level.NUMBER
    assert (m * 2).level is Level.OFFLINE
    assert (m * q).level is Level.ONLINE
    assert graph.symbol("q").level is Level.ONLINE  # fixed by the first use


def test_deep_graph_does_not_recurse(graph: Graph) -> None:
    total, x = graph.zero, graph.symbol("x")
    for k in range(1, 20_001):
        total = (total + k) * x
    assert len(reachable([total])) > 40_000
    copied = Graph().copy([total])[0]
    again_graph, again = pickle.loads(pickle.dumps((total.graph, total)))
    for expression in (total, copied, again):
        assert evaluate([expression], {"x": -1.0}) == evaluate([total], {"x": -1.0})
    assert again.graph is again_graph
    assert again_graph.add(again, 1) is again_graph.add(1, again)


def test_substitution(graph: Graph) -> None:
    e = parse("a*cos(b) - c", graph)
    target = Graph()
    [result] = substitute([e], target, {"b": target.pi / 3, "c": 2})
    assert result is parse("a/2 - 2", target)


_leaf = st.sampled_from(["a", "b", "c", "1", "2", "1/3", "0.25", "Pi"])
_text = st.recursive(
    _leaf,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"(-{t})"),
        inner.map(lambda t: f"sin({t})"),
        inner.map(lambda t: f"cos({t})"),
        inner.map(lambda t: f"({t})**2"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}/(3 + ({t[1]})**2))"),
    ),
    max_leaves=12,
)


@given(_text)
def test_values_agree_with_python(text: str) -> None:
    """Simplification preserves values; the oracle is Python's arithmetic, by `eval` of texts of this test."""
    import math

    values = {"a": 0.7, "b": -1.3, "c": 2.1}
    names = {"sin": math.sin, "cos": math.cos, "Pi": math.pi, "__builtins__": {}}
    expected = eval(text, names, values)
    [found] = evaluate([parse(text, Graph())], values)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
