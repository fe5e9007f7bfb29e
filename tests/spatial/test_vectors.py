"""Test the algebra of transformations against 4x4 NumPy matrices."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra import Graph
from robosym.spatial import Transform


def matrix(T: Transform) -> np.ndarray:
    return np.array([*T.rows, (0, 0, 0, 1)], dtype=float)


def random_transform(seed: int) -> Transform:
    rng = np.random.default_rng(seed)
    A, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Transform.of(*np.hstack([A, rng.normal(size=(3, 1))]).flat)


def test_product_and_inverse() -> None:
    one, two = random_transform(1), random_transform(2)
    assert matrix(one @ two) == pytest.approx(matrix(one) @ matrix(two))
    assert matrix(one.inverse()) == pytest.approx(np.linalg.inv(matrix(one)))


def test_screws() -> None:
    for axis, screw in ((0, Transform.screw_x), (2, Transform.screw_z)):
        T = matrix(screw(0.3, 0.7))
        assert T[:3, 3] == pytest.approx(0.7 * np.eye(3)[axis])
        assert T[:3, :3] @ np.eye(3)[axis] == pytest.approx(np.eye(3)[axis])
        assert np.trace(T[:3, :3]) == pytest.approx(1 + 2 * np.cos(0.3))
        x, y = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        assert y @ T[:3, :3] @ x == pytest.approx(np.sin(0.3))


def test_entries_and_columns() -> None:
    T = random_transform(3)
    s, n, a = T.A.T.rows
    assert Transform.from_columns(s, n, a, T.P) == T
    assert matrix(T.map(lambda entry: 2 * entry)) == pytest.approx(matrix(T) * 2 - np.diag([0, 0, 0, 1]))


def test_zeros_and_ones_vanish_in_a_graph() -> None:
    graph = Graph()
    T = Transform.screw_z(graph.symbol("t"), graph.symbol("r")).map(lambda entry: graph.zero + entry)
    assert (T @ Transform.identity()).rows == (Transform.identity() @ T).rows == T.rows
