"""Damped Newton steps on many starts, against problems whose solutions are known."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra.newton import Damping, levenberg_marquardt

Array = np.ndarray
DAMPING = Damping(first=1e-3, less=10, more=10, least=1e-14, most=1e4)


def circle_and_line(x: Array, starts: Array) -> tuple[Array, Array]:
    """x^2 + y^2 = 1 and y = c x with c of each start: two solutions each."""
    slope = np.array([0.0, 1.0, -2.0, 0.5])[starts]
    r = np.stack([x[:, 0] ** 2 + x[:, 1] ** 2 - 1, x[:, 1] - slope * x[:, 0]], axis=1)
    J = np.empty((len(x), 2, 2))
    J[:, 0] = 2 * x
    J[:, 1, 0], J[:, 1, 1] = -slope, 1.0
    return r, J


@pytest.mark.parametrize("relative", [True, False])
def test_every_start_finds_its_solution(relative: bool) -> None:
    damping = Damping(first=1e-3, less=10, more=10, least=1e-14, most=1e4, relative=relative)
    x = np.array([[2.0, 1.0], [0.3, 0.9], [-1.0, 0.2], [-3.0, -3.0]])
    found, left = levenberg_marquardt(circle_and_line, x, damping, 1e-13, 50)
    angle = np.arctan([0.0, 1.0, -2.0, 0.5])
    expected = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.array([1, 1, -1, -1])[:, None]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(left, circle_and_line(found, np.arange(4))[0], atol=0)


def test_more_unknowns_than_equations_and_the_nearest_where_there_is_no_solution() -> None:
    def sphere(x: Array, _: Array) -> tuple[Array, Array]:
        return (np.sum(x**2, axis=1) - 4)[:, None], 2 * x[:, None, :]

    found, _ = levenberg_marquardt(sphere, np.array([[3.0, 4.0, 0.0]]), DAMPING, 1e-13, 50)
    np.testing.assert_allclose(found, [[1.2, 1.6, 0.0]], atol=1e-10)  # straight towards the sphere

    def apart(x: Array, _: Array) -> tuple[Array, Array]:
        return np.concatenate([x - 1, x - 3], axis=1), np.ones((len(x), 2, 1))

    found, left = levenberg_marquardt(apart, np.array([[40.0]]), DAMPING, 1e-13, 50)
    np.testing.assert_allclose(found, [[2.0]], atol=1e-9)
    np.testing.assert_allclose(left, [[1.0, -1.0]], atol=1e-9)


def test_never_worse_than_the_start_and_units_do_not_move_the_solution() -> None:
    x = np.random.default_rng(1).normal(size=(4, 2)) * 5
    before = np.linalg.norm(circle_and_line(x, np.arange(4))[0], axis=1)
    for rounds in range(4):
        _, left = levenberg_marquardt(circle_and_line, x, DAMPING, 0.0, rounds)
        assert np.all(np.linalg.norm(left, axis=1) <= before)
    plain, _ = levenberg_marquardt(circle_and_line, x, DAMPING, 1e-14, 60)
    scaled, _ = levenberg_marquardt(circle_and_line, x, DAMPING, 1e-14, 60, units=np.array([1.0, 2.0]))
    np.testing.assert_allclose(np.abs(scaled), np.abs(plain), atol=1e-10)
