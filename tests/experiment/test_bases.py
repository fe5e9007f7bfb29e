"""Fourier series and splines against finite differences, SciPy splines and dense grids."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from robosym.experiment.trajectory import Basis, Fourier, Spline

BASES = [Fourier(20.0, 7), Fourier(3.0, 2), Spline(20.0, 14), Spline(2.0, 5)]


@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_derivatives_by_differences(basis: Basis) -> None:
    t, step = np.linspace(0.05, 0.95, 37) * basis.period, 1e-5 * basis.period
    for order in range(4):
        slope = (basis.matrix(t + step, order) - basis.matrix(t - step, order)) / (2 * step)
        scale = np.abs(slope).max()
        np.testing.assert_allclose(basis.matrix(t, order + 1), slope, atol=1e-3 * scale)


def test_splines_match_scipy() -> None:
    basis = Spline(6.0, 9)
    t = np.linspace(0, 6, 101)
    for order in range(4):
        for k, column in enumerate(np.eye(basis.count)):
            right = BSpline(basis._knots, column, 5)(t, nu=order)
            np.testing.assert_allclose(basis.matrix(t, order)[:, k], right, atol=1e-9 * max(1, np.abs(right).max()))


@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_peaks_are_extrema(basis: Basis) -> None:
    rng = np.random.default_rng(2)
    coefficients = rng.standard_normal((basis.count, 5))
    t = np.linspace(0, basis.period, 40_001)
    for order in range(4):
        low, high = basis.peaks(coefficients, order)
        values = basis.matrix(t, order) @ coefficients
        span = (high - low).max()
        assert (low <= values.min(axis=0) + 1e-12 * span).all() and (values.max(axis=0) - 1e-12 * span <= high).all()
        np.testing.assert_allclose(low, values.min(axis=0), atol=1e-5 * span)
        np.testing.assert_allclose(high, values.max(axis=0), atol=1e-5 * span)


def test_peaks_of_constant_motion() -> None:
    for basis in BASES:
        still = basis.constant()[:, None] * 0.7
        np.testing.assert_allclose(basis.peaks(still, 0), 0.7)
        np.testing.assert_allclose(basis.peaks(still, 1), 0, atol=1e-12)


def test_fourier_share_bounds_values_between_points() -> None:
    """Check that values between 30 points stay within the bound of the theorem, and that some come close to it."""
    basis = Fourier(20.0, 7)
    rng = np.random.default_rng(3)
    ratios = []
    for coefficients in rng.standard_normal((200, basis.count, 1)):
        low, high = basis.peaks(coefficients - basis.constant()[:, None] * coefficients[0], 2)
        shown = np.abs(basis.matrix(basis.times(30), 2) @ coefficients).max()
        ratios.append(max(-low[0], high[0]) / shown)
    assert 1.05 < max(ratios) <= 1 / basis.share(30)


@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_rows_of_rest_conditions(basis: Basis) -> None:
    rows = basis.rests()
    free = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :].T
    motion = free @ np.random.default_rng(4).standard_normal((free.shape[1], 3))
    ends = np.array([0.0, basis.period])
    for order in (1, 2):
        np.testing.assert_allclose(basis.matrix(ends, order) @ motion, 0, atol=1e-9 * np.abs(motion).max())
    first, last = basis.matrix(ends) @ motion
    np.testing.assert_allclose(first, last, atol=1e-9)
