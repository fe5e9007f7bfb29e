"""Test consistent systems with more rows than unknowns and random zero entries against NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from robosym.algebra import Expr, Graph, evaluate
from robosym.algebra.linear.consistent import Consistent


def system(rng: random.Random, graph: Graph, spare: int) -> tuple[list[list[Expr]], dict[str, float]]:
    """Return a system of two legs: each has three rows and two unknowns; three unknowns are common; rows repeat."""
    values: dict[str, float] = {}

    def entry() -> Expr:
        name = f"a{len(values)}"
        values[name] = rng.choice([0.0, 1.0, rng.uniform(-2, 2)]) if spare else rng.uniform(-2, 2)
        return graph.symbol(name)

    zero = graph.zero
    rows = [[*([zero] * 2 * leg), entry(), entry(), *([zero] * (4 - 2 * leg)), entry(), entry(), entry(), zero]
            for leg in range(3) for _ in range(3)]  # fmt: skip
    rows += [[zero] * 9 + [graph.number(2)], [*([zero] * 8), entry(), graph.one]]
    rows += [[a + 2 * b for a, b in zip(rows[k], rows[k + 1], strict=True)] for k in range(spare)]
    return rows, values


@pytest.mark.parametrize("seed", range(30))
def test_solves_every_regular_system(seed: int) -> None:
    rng, graph = random.Random(seed), Graph()
    A, values = system(rng, graph, seed % 4)
    table = np.array([evaluate(row, values) for row in A])
    singular = np.linalg.svd(table, compute_uv=False)
    if singular[-1] < 1e-2:
        pytest.skip("the system is singular")
    made = Consistent(A, list)
    X = np.random.default_rng(seed).normal(size=(table.shape[1], 2))
    right = [[graph.number(float(b)) for b in row] for row in table @ X]
    found = np.array([evaluate(row, values) for row in made.solve(right)])
    np.testing.assert_allclose(found, X, atol=1e-10)
    efforts = X[:, 0]
    y = np.array(evaluate(made.solve_transposed([graph.number(float(e)) for e in efforts]), values))
    np.testing.assert_allclose(table.T @ y, efforts, atol=1e-10)
