"""Test the roots of each form of equation in tables 2.1 and 2.2 on equations with a known root."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.model.solution.roots import KERNELS, strength
from robosym.model.solution.steps import BRANCHES

ROWS = 200


def equation(form, x, rng):
    """Return random coefficients of equations of this form; the constant term makes x a root."""
    c, s = np.cos(x), np.sin(x)
    known = {
        "difference": [],
        "linear": [x],
        "quadratic": [x, x**2],
        "quartic": [x, x**2, x**3, x**4],
        "sine": [s, c],
        "sine2": [c * c, c * s, c, s],
    }
    if form == "difference":
        return [x]
    if form == "pair":
        return [part for _ in range(2) for part in equation("sine", x, rng)]
    factors = rng.uniform(-1, 1, (len(known[form]), ROWS))
    constant = -sum(factor * value for factor, value in zip(factors, known[form], strict=True))
    return [constant, *factors] if form in ("linear", "quadratic", "quartic") else [*factors, constant]


@pytest.mark.parametrize("form", KERNELS)
def test_finds_known_root(form):
    rng = np.random.default_rng(4)
    x = rng.uniform(-3, 3, ROWS)
    coefficients = equation(form, x, rng)
    values, real, free = KERNELS[form](coefficients, strength(form, coefficients) if form != "difference" else x)
    assert values.shape[1] >= BRANCHES[form] and not free.any()
    gaps = np.abs(np.exp(1j * values) - np.exp(1j * x)[:, None])
    assert np.where(real, gaps, np.inf).min(axis=1).max() < 1e-5


@pytest.mark.parametrize("form", sorted(KERNELS.keys() - {"difference"}))
def test_zero_coefficients_leave_the_unknown_free(form):
    width = {"linear": 2, "sine": 3, "pair": 6, "quadratic": 3, "quartic": 5, "sine2": 5}[form]
    values, real, free = KERNELS[form]([np.zeros(1)] * width, np.ones(1))
    assert free.all() and real.sum() == 1 and values[real] == 0


@pytest.mark.parametrize(
    "form, coefficients", [("sine", (1, 1, 2)), ("quadratic", (1, 0, 1)), ("sine2", (0, 0, 1, 1, 2))]
)
def test_reports_missing_real_roots(form, coefficients):
    _, real, free = KERNELS[form]([np.array([float(c)]) for c in coefficients], np.ones(1))
    assert not real.any() and not free.any()
