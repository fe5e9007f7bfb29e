"""Test small dense matrices of numbers and expressions."""

from __future__ import annotations

import numpy as np

from robosym.algebra import Graph, evaluate
from robosym.algebra.count import count
from robosym.algebra.matrix import Matrix, dot


def test_products_agree_with_numpy() -> None:
    rng = np.random.default_rng(0)
    A, B, x = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=3)
    np.testing.assert_allclose(Matrix(A.tolist()) @ Matrix(B.tolist()), A @ B)
    np.testing.assert_allclose(Matrix(A.tolist()) @ x.tolist(), A @ x)
    np.testing.assert_allclose(Matrix(A.tolist()).T, A.T)
    np.testing.assert_allclose(Matrix(A.tolist()) + Matrix((2 * A).tolist()), 3 * A)


def test_symmetric_congruence_computes_each_pair_once() -> None:
    graph = Graph()
    entry = {(i, j): graph.symbol(f"a{i}{j}") for i in range(3) for j in range(i, 3)}
    A = Matrix.symmetric(3, lambda i, j: entry[i, j])
    G = Matrix([graph.symbol(f"g{i}{j}") for j in range(2)] for i in range(3))
    found = A.congruence(G)
    assert found[0][1] is found[1][0]
    values = dict(
        zip((e.name for e in (*entry.values(), *(e for row in G for e in row))), np.linspace(-1, 2, 12), strict=True)
    )
    a, g, c = (np.array([evaluate(row, values) for row in rows]) for rows in (A, G, found))
    np.testing.assert_allclose(c, g.T @ a @ g)
    assert count([e for row in found for e in row]).multiplications == 3 * 3 * 2 + 3 * 3


def test_zeros_and_ones_vanish_from_products() -> None:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert Matrix.unit(graph, 2) @ [x, y] == [x, y]
    assert dot([1, 0], [x, y]) is x
