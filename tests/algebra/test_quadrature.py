"""Test running integrals against closed forms."""

from __future__ import annotations

import numpy as np

from robosym.algebra.quadrature import running_integral


def test_integral_of_even_samples_is_accurate() -> None:
    t = np.linspace(1, 4, 301)
    values = np.stack([np.sin(3 * t), np.exp(-t)], axis=1)
    right = np.stack([(np.cos(3) - np.cos(3 * t)) / 3, np.exp(-1) - np.exp(-t)], axis=1)
    found = running_integral(np.stack([values, 2 * values]), t)
    np.testing.assert_allclose(found, np.stack([right, 2 * right]), atol=1e-11)


def test_polynomials_of_degree_five_are_exact() -> None:
    for count in (6, 7, 20):
        t = np.linspace(0, 2, count)
        found = running_integral(np.polyval([1, -2, 0, 3, 1, 4], t)[:, None], t)
        np.testing.assert_allclose(found[:, 0], np.polyval([1 / 6, -2 / 5, 0, 1, 1 / 2, 4, 0], t), atol=1e-12)


def test_uneven_and_few_samples_are_connected_by_lines() -> None:
    for t in (np.array([0.0, 0.3, 1.0]), np.array([0.0, 0.1, 0.5, 0.6, 0.9, 1.1, 2.0])):
        np.testing.assert_allclose(running_integral(2 * t[:, None] + 1, t)[:, 0], t**2 + t, atol=1e-14)
