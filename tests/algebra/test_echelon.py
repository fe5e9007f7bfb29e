"""Test elimination with symbolic coefficients against NumPy at another point."""

from __future__ import annotations

import random

import numpy as np
import pytest

from robosym.algebra import Expr, Graph, evaluate, parse
from robosym.algebra.linear.echelon import coefficients, reduced_rows

WORDS = ("1", "-1", "2", "a", "-b", "a*b", "sin(t)", "cos(t)", "a/b")
COLUMNS = "uvwxyz"


@pytest.mark.parametrize("seed", range(10))
def test_row_space_and_pivots(seed: int) -> None:
    """Some rows are sums of others, so that coefficients vanish that no rewriting simplifies to zero."""
    rng, graph = random.Random(seed), Graph()
    rows = [
        {c: parse(rng.choice(WORDS), graph) for c in COLUMNS if rng.random() < 0.6} for _ in range(rng.randint(2, 4))
    ]
    first, second = rows[0], rows[1]
    turned = [{c: row.get(c, graph.zero) for c in COLUMNS} for row in (first, second)]
    sine, cosine = parse("sin(t)", graph), parse("cos(t)", graph)
    rows.append({c: turned[0][c] * sine * sine + turned[1][c] * sine for c in COLUMNS})
    rows.append({c: turned[0][c] * cosine * cosine - turned[1][c] * sine for c in COLUMNS})
    found = reduced_rows([coefficients(row) for row in rows], COLUMNS)
    values = {"a": 0.7, "b": -1.9, "t": 0.4}

    def numbers(row: dict[str, Expr]) -> list[float]:
        return evaluate([row.get(c, graph.zero) for c in COLUMNS], values)

    given = np.array([numbers(row) for row in rows])
    reduced = np.array([numbers({c: entry.expression for c, entry in row.items()}) for row in found.values()])
    assert len(found) == np.linalg.matrix_rank(given, tol=1e-9)
    assert np.linalg.matrix_rank(np.vstack([given, reduced]), tol=1e-9) == len(found)
    pivots = [COLUMNS.index(c) for c in found]
    assert pivots == [n for n in range(6) if np.linalg.matrix_rank(given[:, : n + 1], tol=1e-9) > (
        np.linalg.matrix_rank(given[:, :n], tol=1e-9) if n else 0
    )]  # fmt: skip
    assert np.allclose(reduced[:, pivots], np.eye(len(pivots)))


def test_preference_selects_pivots() -> None:
    graph = Graph()
    row = coefficients({"u": graph.symbol("a"), "v": graph.one})
    assert list(reduced_rows([row], "uv")) == ["u"]
    (solved,) = reduced_rows([row], "vu").values()
    assert str(solved["u"].expression) == "a"
