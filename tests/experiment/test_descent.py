"""The BFGS minimizer against SciPy's method of the same name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from robosym.experiment.problem import descend


class Counted:
    def __init__(self, value: Any, slope: Any) -> None:
        self.value, self.slope = value, slope
        self.seen: list[float] = []

    def __call__(self, x: Any) -> tuple[float, Any]:
        self.seen.append(float(self.value(x)))
        return self.seen[-1], np.asarray(self.slope(x))

    @property
    def calls(self) -> int:
        return len(self.seen)

    def until(self, value: float) -> int:
        """Return the number of calls before the value is reached."""
        return next(k for k, found in enumerate(self.seen) if found <= value)


@pytest.mark.parametrize("size", [2, 5, 9])
def test_quadratic_takes_as_many_steps_as_scipy(size: int) -> None:
    rng = np.random.default_rng(size)
    root = rng.standard_normal((size, size))
    A, b = root @ root.T + 0.1 * np.eye(size), rng.standard_normal(size)
    function = Counted(lambda x: x @ A @ x / 2 - b @ x, lambda x: A @ x - b)
    x, value = descend(function, np.zeros(size), 200, 1e-14)
    right = np.linalg.solve(A, b)
    np.testing.assert_allclose(x, right, atol=1e-5 * np.abs(right).max())
    assert value == pytest.approx(-b @ right / 2, rel=1e-9)
    other = Counted(function.value, function.slope)
    minimize(other, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-8})
    near = value + 1e-9 * abs(value)
    assert function.until(near) <= 1.3 * other.until(near) + 3


def test_minimizes_rosenbrock_valley() -> None:
    start = np.array([-1.2, 1.0, -0.7, 1.4])
    function = Counted(rosen, rosen_der)
    x, value = descend(function, start, 400, 1e-16)
    np.testing.assert_allclose(x, 1, atol=1e-5)
    assert value == rosen(x) < 1e-10
    other = Counted(rosen, rosen_der)
    minimize(other, start, jac=True, method="BFGS", options={"gtol": 1e-8})
    assert function.until(1e-8) <= 1.3 * other.until(1e-8) + 3


def test_stays_in_domain_and_decreases() -> None:
    """Minimize a logarithmic barrier plus a slope, with the minimum at x = 0.1."""
    seen = []

    def function(x: Any) -> tuple[float, Any]:
        if (x <= 0).any():
            return np.inf, x
        return float((10 * x - np.log(x)).sum()), 10 - 1 / x

    x = np.array([3.0, 0.02])
    for _ in range(30):
        x, value = descend(function, x, 1, 0.0)
        seen.append(value)
    assert (np.diff(seen) <= 0).all()
    x, value = descend(function, np.array([3.0, 0.02]), 100, 1e-14)
    np.testing.assert_allclose(x, 0.1, rtol=1e-5)
    np.testing.assert_allclose(value, 2 * (1 - np.log(0.1)), rtol=1e-9)


def test_stops_at_minimum_and_at_small_gains() -> None:
    function = Counted(lambda x: x @ x, lambda x: 2 * x)
    x, value = descend(function, np.zeros(3), 50, 1e-3)
    assert function.calls == 1 and value == 0 and not x.any()
    coarse, fine = Counted(rosen, rosen_der), Counted(rosen, rosen_der)
    start = np.array([-1.2, 1.0])
    _, rough = descend(coarse, start, 400, 1e-1)
    _, good = descend(fine, start, 400, 1e-12)
    assert coarse.calls < fine.calls and good < rough
    few = Counted(rosen, rosen_der)
    descend(few, start, 3, 0.0)
    assert 4 <= few.calls < 30
