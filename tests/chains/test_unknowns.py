"""Test polynomials in unknown angles and lengths: their values and the detection of zeros."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra import Graph
from robosym.algebra.samples import Samples
from robosym.chains.unknowns import Polynomial
from robosym.model.solution.steps import Variable


@pytest.fixture
def samples() -> Samples:
    graph = Graph()
    for name in "ab":
        graph.symbol(name)
    return Samples(graph, {"a": np.array([0.3, 1.2, -0.7]), "b": np.array([0.9, -0.4, 0.5])})


def value(polynomial: Polynomial, angle: float, length: float) -> np.ndarray:
    """Evaluate a polynomial at the sample points with NumPy."""
    atoms = {"c": np.cos(angle), "s": np.sin(angle), "r": length}
    total = np.zeros(3)
    for monomial, coefficient in polynomial.terms.items():
        factors = [atoms[kind] ** power for (_, kind), power in monomial]
        total = total + polynomial.samples.value(coefficient) * np.prod(factors)
    return total


def test_reduced_polynomials_have_the_same_values(samples: Samples) -> None:
    angle, length = Variable((("t2", 1), ("t3", 1))), Variable((("r4", 1),), prismatic=True)
    a, b = (samples.graph.symbol(name) for name in "ab")
    c, s = (Polynomial.atom(samples, angle, kind) for kind in "cs")
    r = Polynomial.atom(samples, length, "r")
    polynomial = (s * a + r * b - 2) * (s * s + c * b) * s
    reduced = polynomial.reduced()
    np.testing.assert_allclose(value(reduced, 0.8, 1.7), value(polynomial, 0.8, 1.7))
    assert all(power < 2 for monomial in reduced.terms for (_, kind), power in monomial if kind == "s")
    assert polynomial.degree(angle) == 4 and polynomial.degree(length) == 1
    assert polynomial.variables() == (length, angle)


def test_drops_terms_that_vanish_at_the_samples(samples: Samples) -> None:
    """sin^2 a + cos^2 a - 1 is zero, but not symbolically."""
    graph, angle = samples.graph, Variable((("t1", 1),))
    a = graph.symbol("a")
    hidden = graph.function("sin", a) ** 2 + graph.function("cos", a) ** 2 - 1
    c, s = (Polynomial.atom(samples, angle, kind) for kind in "cs")
    assert not hidden.is_zero
    assert not (c * hidden).reduced().terms
    assert not (c * c + s * s - 1).reduced().terms


def test_split(samples: Samples) -> None:
    x, y = Variable((("t1", 1),)), Variable((("t2", 1),))
    cx, cy = (Polynomial.atom(samples, v, "c") for v in (x, y))
    polynomial = cx * cy * 3 + cx * samples.graph.symbol("b") + cy
    parts = polynomial.split([x])
    assert parts[(((x, "c"), 1),)] == cy * 3 + samples.graph.symbol("b")
    assert parts[()] == cy
    assert polynomial.known.is_zero
