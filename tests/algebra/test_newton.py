"""Test damped Newton steps from many starting points on problems with known solutions."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.algebra.newton import Damping, follow, levenberg_marquardt

Array = np.ndarray
DAMPING = Damping(first=1e-3, less=10, more=10, least=1e-14, most=1e4)


def circle_and_line(x: Array, starts: Array) -> tuple[Array, Array]:
    """Return x^2 + y^2 - 1 and y - c x with their derivatives; each start has its own c and two solutions."""
    slope = np.array([0.0, 1.0, -2.0, 0.5])[starts]
    r = np.stack([x[:, 0] ** 2 + x[:, 1] ** 2 - 1, x[:, 1] - slope * x[:, 0]], axis=1)
    J = np.empty((len(x), 2, 2))
    J[:, 0] = 2 * x
    J[:, 1, 0], J[:, 1, 1] = -slope, 1.0
    return r, J


@pytest.mark.parametrize("relative", [True, False])
def test_every_start_converges(relative: bool) -> None:
    damping = Damping(first=1e-3, less=10, more=10, least=1e-14, most=1e4, relative=relative)
    x = np.array([[2.0, 1.0], [0.3, 0.9], [-1.0, 0.2], [-3.0, -3.0]])
    found, left = levenberg_marquardt(circle_and_line, x, damping, 1e-13, 50)
    angle = np.arctan([0.0, 1.0, -2.0, 0.5])
    expected = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.array([1, 1, -1, -1])[:, None]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(left, circle_and_line(found, np.arange(4))[0], atol=0)


def test_underdetermined_and_inconsistent_systems() -> None:
    def sphere(x: Array, _: Array) -> tuple[Array, Array]:
        return (np.sum(x**2, axis=1) - 4)[:, None], 2 * x[:, None, :]

    found, _ = levenberg_marquardt(sphere, np.array([[3.0, 4.0, 0.0]]), DAMPING, 1e-13, 50)
    np.testing.assert_allclose(found, [[1.2, 1.6, 0.0]], atol=1e-10)  # the nearest point of the sphere

    def apart(x: Array, _: Array) -> tuple[Array, Array]:
        return np.concatenate([x - 1, x - 3], axis=1), np.ones((len(x), 2, 1))

    found, left = levenberg_marquardt(apart, np.array([[40.0]]), DAMPING, 1e-13, 50)
    np.testing.assert_allclose(found, [[2.0]], atol=1e-9)
    np.testing.assert_allclose(left, [[1.0, -1.0]], atol=1e-9)


def test_residual_never_grows_and_units_do_not_matter() -> None:
    x = np.random.default_rng(1).normal(size=(4, 2)) * 5
    before = np.linalg.norm(circle_and_line(x, np.arange(4))[0], axis=1)
    for rounds in range(4):
        _, left = levenberg_marquardt(circle_and_line, x, DAMPING, 0.0, rounds)
        assert np.all(np.linalg.norm(left, axis=1) <= before)
    plain, _ = levenberg_marquardt(circle_and_line, x, DAMPING, 1e-14, 60)
    scaled, _ = levenberg_marquardt(circle_and_line, x, DAMPING, 1e-14, 60, units=np.array([1.0, 2.0]))
    np.testing.assert_allclose(np.abs(scaled), np.abs(plain), atol=1e-10)


def test_follow_stays_on_one_branch() -> None:
    """The root of x^2 = 1 + 8 s that starts at 1 ends at 3, in steps of at most 0.2."""
    taken: list[float] = []

    def step(share: float, here: float) -> float | None:
        there = (1 + 8 * share) ** 0.5
        taken.append(there - here)
        return there if there - here <= 0.2 else None

    end, done = follow(step, 1.0)
    assert (end, done) == (3.0, 1.0)
    assert sum(change <= 0.2 for change in taken) >= 10


def test_follow_stops_at_the_end_of_the_branch() -> None:
    end, done = follow(lambda share, here: None if share > 0.3 else share, 0.0, most=0.125, least=1e-4)
    assert end == done == pytest.approx(0.3, abs=1e-3)
    assert done <= 0.3
