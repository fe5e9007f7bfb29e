"""Test the evaluation of graphs with several arithmetics, including one that robosym does not define."""

from __future__ import annotations

import operator
from fractions import Fraction

import numpy as np
import pytest

from robosym.algebra import Graph, evaluate, numeric_value, parse, reachable, rebuild, substitute
from robosym.algebra.interpret import Arithmetic, interpret
from robosym.algebra.modular import PRIME, residues
from robosym.algebra.samples import Samples, evaluate_arrays
from robosym.errors import InputError


class Exact(Arithmetic):
    def __init__(self, **symbols: Fraction) -> None:
        super().__init__({"add": operator.add, "mul": operator.mul, "div": operator.truediv}, symbols)

    def number(self, value: Fraction | float) -> Fraction:
        return Fraction(value)


def test_evaluates_with_fractions() -> None:
    graph = Graph()
    roots = [parse(text, graph) for text in ("-(x - y)/(x + 2*y)", "-x", "3/4 - x*x", "x - y")]
    x, y = Fraction(2, 3), Fraction(5, 7)
    assert interpret(roots, Exact(x=x, y=y)) == [-(x - y) / (x + 2 * y), -x, Fraction(3, 4) - x * x, x - y]


def test_known_nodes_are_not_expanded() -> None:
    graph = Graph()
    inner, outer = parse("a*b", graph), parse("1 - a*b", graph)
    known = {inner.node: Fraction(7)}
    assert interpret([outer], Exact(), known) == [-6]  # a and b have no value
    assert known[outer.node] in (6, -6)
    assert inner.node not in reachable([outer], known)


def test_arrays_agree_with_floats() -> None:
    graph = Graph()
    roots = [parse(t, graph) for t in ("sin(x)*y - atan2(-x, y)", "pow(y, x) - abs(x)", "sqrt(2)*Pi", "-y")]
    x, y = np.array([0.3, -0.7]), np.array([1.5, 0.2])
    found = np.array([np.broadcast_to(value, 2) for value in evaluate_arrays(roots, {"x": x, "y": y})])
    for k in range(2):
        assert found[:, k] == pytest.approx(evaluate(roots, {"x": x[k], "y": y[k]}), rel=1e-14)
    assert np.isinf(evaluate_arrays([parse("1/x", graph)], {"x": np.zeros(1)})[0])
    with pytest.raises(InputError, match="missing value for y"):
        evaluate_arrays(roots, {"x": x})


def test_residues_agree_with_exact_values() -> None:
    graph = Graph()
    found = residues([parse("(2/3 - 5)/7", graph), parse("1 - 4", graph), parse("-(x/3)*9 + 3*x", graph)], ["x"], 3)
    exact = (Fraction(2, 3) - 5) / 7
    assert found[:, 0].tolist() == [exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME] * 3
    assert found[:, 1].tolist() == [PRIME - 3] * 3
    assert found[:, 2].tolist() == [0] * 3


def test_rebuild_and_substitute() -> None:
    graph, other = Graph(), Graph()
    [root] = [parse("-sin(a + b)/c + Pi*a", graph)]
    [again] = rebuild([root], other, {})
    assert again is parse("-sin(a + b)/c + Pi*a", other)
    [changed] = substitute([root], other, {"a": 2, "c": other.symbol("d")})
    assert changed is parse("-sin(2 + b)/d + Pi*2", other)


def test_constants_are_computed_once() -> None:
    graph = Graph()
    value = parse("-sqrt(2 + Pi)", graph)
    assert numeric_value(value) == pytest.approx(-((2 + np.pi) ** 0.5), rel=1e-15)
    graph.worked_out[value.node] = 5.0
    assert numeric_value(value) == -5
    assert numeric_value(parse("x", graph)) is None


def test_samples_include_new_symbols() -> None:
    graph = Graph()
    samples = Samples(graph, {"t": np.array([0.2, 1.1, -0.4])})
    assert samples.is_zero(parse("sin(t)**2 + cos(t)**2 - 1", graph))
    assert not samples.is_zero(parse("sin(t) - t", graph))
    samples.define("u", np.array([0.4, 2.2, -0.8]))
    assert samples.is_zero(parse("u - 2*t", graph))
    assert samples.is_one(parse("u/t - 1", graph))
    assert samples.simplified(parse("t/u - u/(4*t)", graph)) is graph.zero
