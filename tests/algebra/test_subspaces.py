"""Test rank, null spaces and independent columns on matrices with known properties."""

from __future__ import annotations

import numpy as np

from robosym.algebra.subspaces import best_rows, independent_columns, null_space, null_spaces, rank
from robosym.algebra.tolerances import DEPENDENT

RNG = np.random.default_rng(4)


def test_rank_and_null_space_of_products() -> None:
    table = RNG.normal(size=(5, 3)) @ RNG.normal(size=(3, 7))
    free = null_space(table)
    assert rank(table) == 3 == np.linalg.matrix_rank(table)
    assert free.shape == (7, 4)
    np.testing.assert_allclose(table @ free, 0, atol=1e-12)
    np.testing.assert_allclose(free.T @ free, np.eye(4), atol=1e-12)


def test_null_spaces_of_complex_tables_and_of_zero() -> None:
    tables = RNG.normal(size=(2, 2, 4)) + 1j * RNG.normal(size=(2, 2, 4))
    for table, free in zip(tables, null_spaces(tables), strict=True):
        np.testing.assert_allclose(table @ free, 0, atol=1e-12)
    assert rank(1e-17 * RNG.normal(size=(3, 3))) == 0
    assert null_space(np.zeros((2, 3))).shape == (3, 3)


def test_independent_columns_are_the_first_possible_ones() -> None:
    a, b, c = RNG.normal(size=(3, 6))
    table = np.column_stack([a, 0 * a, 3 * a, b, 1e-4 * (a - b), c, a + b + c])
    kept, left = independent_columns(table, DEPENDENT)
    assert kept == [0, 3, 5]
    assert left[[1, 2, 4, 6]].max() < 1e-10 < left[kept].min()


def test_short_columns_count_on_request() -> None:
    table = np.diag([1.0, 1e-12])
    assert independent_columns(table, DEPENDENT)[0] == [0]
    assert independent_columns(table, DEPENDENT, shortest=0.0)[0] == [0, 1]


def test_best_rows_prefer_the_first_of_equal_rows() -> None:
    table = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1.0005], [0, 2]])
    assert best_rows([table], 2) == (0, 4)
    assert best_rows([table[:4]], 2) == (0, 2)
