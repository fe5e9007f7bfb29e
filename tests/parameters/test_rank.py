"""Linear dependence of columns in floats, and exact rank of functions."""

from __future__ import annotations

import numpy as np

from robosym.algebra import Graph, parse
from robosym.parameters.by_numbers import dependence, exact_rank, has_full_rank


def test_dependence_of_columns() -> None:
    rng = np.random.default_rng(0)
    free = rng.normal(size=(40, 3))
    x, y, z = free.T
    matrix = np.column_stack([x, 1e-6 * y, x - 2e-6 * y, z, 0 * x])
    found = dependence(matrix)
    assert found.independent == [0, 1, 3] and found.dependent == [2, 4] and found.clear
    assert np.allclose(found.weights, [[1, 0], [-2, 0], [0, 0]], atol=1e-8)


def test_reports_unclear_rank() -> None:
    """Nearly dependent columns: one above the tolerance, the other below."""
    rng = np.random.default_rng(1)
    x, y, noise, more = rng.normal(size=(4, 60))
    assert not dependence(np.column_stack([x, y, x + y + 1e-9 * noise, x - y + 5e-11 * more])).clear


def test_exact_rank_is_up_to_constants() -> None:
    graph = Graph()
    texts = ("sin(t)^2", "cos(t)^2", "sin(2*t)", "sin(t)*cos(t)", "a*sin(t + b)", "sin(t)", "cos(t)", "a + b")
    functions = [parse(text, graph) for text in texts]
    assert exact_rank(functions, ["t"]) == 4
    assert exact_rank(functions, ["t", "a", "b"]) == 6


def test_full_rank_is_independent_of_units() -> None:
    rng = np.random.default_rng(2)
    free = rng.normal(size=(40, 5)) * 10.0 ** np.array([-4, 0, 3, 0, 2])
    assert has_full_rank(free) and has_full_rank(free[:, :1]) and has_full_rank(free[:, :0])
    assert not has_full_rank(np.column_stack([free, free @ np.ones(5)]))
    assert not has_full_rank(np.column_stack([free, 0 * free[:, 0]]))
    assert not has_full_rank(np.zeros((6, 3)))
    nothing = dependence(np.zeros((6, 3)))
    assert nothing.independent == [] and nothing.dependent == [0, 1, 2]
