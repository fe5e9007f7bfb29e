"""Test every row of the table of operations against mpmath, numerical derivatives and the libraries it names."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import casadi
import mpmath
import numpy as np
import pytest
import sympy

from robosym.algebra import FUNCTIONS, OPERATIONS, Graph, Operation, evaluate, parse
from robosym.algebra.operations import Parity

#: the oracle: mpmath's function for each operation
REFERENCE: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "abs": mpmath.fabs,
    "pow": mpmath.power,
    **{n: getattr(mpmath, n) for n in "sin cos tan asin acos atan atan2 sqrt exp log tanh sign".split()},
}  # fmt: skip
POINTS = (-0.9, -0.4, 0.3, 0.7)  # in the domain of all operations except POSITIVE
POSITIVE = {"sqrt", "log", "pow"}  # of the first argument

each = pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)


def points(row: Operation) -> list[tuple[float, ...]]:
    first = [x for x in POINTS if x > 0 or row.name not in POSITIVE]
    return list(itertools.product(first, *[POINTS] * (row.arity - 1)))


@each
def test_values(row: Operation) -> None:
    import jax.numpy  # imported here: at module level each worker would spend seconds on it

    for at in points(row):
        right = float(REFERENCE[row.name](*at))
        assert row.value(*at) == pytest.approx(right, rel=1e-15)
        assert getattr(np, row.numpy)(*map(np.array, at)) == pytest.approx(right, rel=1e-15)
        assert float(getattr(jax.numpy, row.numpy)(*at)) == pytest.approx(right, rel=1e-6)
        if row.is_function:
            assert float(getattr(casadi, row.casadi)(*at)) == pytest.approx(right, rel=1e-15)
            assert float(getattr(sympy, row.sympy)(*at)) == pytest.approx(right, rel=1e-15)


@each
def test_partials(row: Operation) -> None:
    graph = Graph()
    names = ["x", "y"][: row.arity]
    args = tuple(graph.symbol(name) for name in names)
    binary = {"add": graph.add, "mul": graph.mul, "div": graph.div}
    node = graph.apply(row.name, args) if row.is_function else binary[row.name](*args)
    partials = [graph.zero + partial for partial in row.partials(node, *args)]
    assert len(partials) == row.arity
    for at in points(row):
        found = evaluate(partials, dict(zip(names, at, strict=True)))
        for place in range(row.arity):
            order = tuple(int(k == place) for k in range(row.arity))
            assert found[place] == pytest.approx(float(mpmath.diff(REFERENCE[row.name], at, order)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("row", FUNCTIONS.values(), ids=lambda row: row.name)
def test_parity(row: Operation) -> None:
    if row.arity > 1 or row.name in POSITIVE:
        assert row.parity is Parity.NONE
        return
    odd = all(row.value(-x) == -row.value(x) for x in POINTS)
    even = all(row.value(-x) == row.value(x) for x in POINTS)
    assert row.parity is (Parity.ODD if odd else Parity.EVEN if even else Parity.NONE)
    assert row.zero_at_zero is (row.value(0.0) == 0)


@pytest.mark.parametrize("row", FUNCTIONS.values(), ids=lambda row: row.name)
def test_mathematica_names(row: Operation) -> None:
    if row.name == "atan2":  # the order of its arguments differs; the language swaps them
        return
    graph = Graph()
    names = ["x", "y"][: row.arity]
    text = f"{row.mathematica}[{', '.join(names)}]"
    assert parse(text, graph) is graph.apply(row.name, tuple(graph.symbol(name) for name in names))


def test_sign_of_nan() -> None:
    assert OPERATIONS["sign"].value(0.0) == 0
    assert math.isnan(OPERATIONS["sign"].value(math.nan))
