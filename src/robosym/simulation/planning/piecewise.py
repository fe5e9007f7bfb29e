"""Piecewise polynomials of one variable with one value per joint: evaluation, extrema, splines.

A spline of degree 2 k - 1 follows from the first k - 1 derivatives at its knots, which make the derivatives up to
2 k - 2 continuous.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import factorial
from typing import Literal

import numpy as np

from robosym.algebra.arrays import Array

__all__ = ["PiecewisePolynomial", "spline"]


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial:
    """Polynomials between breaks, in powers of the distance from the left break."""

    breaks: Array  #: shape (pieces + 1,), increasing
    coefficients: Array  #: shape (pieces, degree + 1, joints), ascending powers

    @property
    def degree(self) -> int:
        return int(self.coefficients.shape[1]) - 1

    def derivative(self, order: int = 1) -> PiecewisePolynomial:
        """Return a derivative."""
        rows = self.coefficients
        for _ in range(order):
            powers = np.arange(1.0, rows.shape[1])[None, :, None]
            rows = rows[:, 1:] * powers if rows.shape[1] > 1 else np.zeros_like(rows)
        return PiecewisePolynomial(self.breaks, rows)

    def at(self, x: Array, orders: int = 1) -> list[Array]:
        """Return the values and the derivatives below an order, shape (..., joints); constant outside the breaks."""
        inside = np.clip(x, self.breaks[0], self.breaks[-1])
        piece = np.clip(np.searchsorted(self.breaks, inside, side="right") - 1, 0, len(self.breaks) - 2)
        rows, apart = self.coefficients[piece], (inside - self.breaks[piece])[..., None]
        found = []
        for order in range(orders):
            value = np.zeros(rows.shape[:-2] + rows.shape[-1:])
            for power in range(self.degree, order - 1, -1):
                value = value * apart + rows[..., power, :] * (factorial(power) / factorial(power - order))
            found.append(value if order == 0 else np.where((inside == x)[..., None], value, 0.0))
        return found

    def peaks(self) -> tuple[Array, Array]:
        """Return the exact minimum and maximum per joint: at breaks and at the roots of the derivative."""
        low, high = [], []
        lengths = np.diff(self.breaks)
        slopes = self.derivative().coefficients
        for joint in range(self.coefficients.shape[2]):
            values = []
            for length, rows, slope in zip(
                lengths, self.coefficients[..., joint], slopes[..., joint], strict=True
            ):  # in units of the length of the piece, so that small pieces have well scaled roots
                scaled = slope * length ** np.arange(len(slope))
                roots = np.roots(scaled[::-1]) if np.abs(scaled[1:]).max(initial=0.0) > 0 else np.zeros(0)
                places = np.clip(np.concatenate([[0.0, 1.0], roots.real]), 0.0, 1.0) * length
                values.append(np.polynomial.polynomial.polyval(places, rows))
            every = np.concatenate(values)
            low.append(every.min())
            high.append(every.max())
        return np.array(low), np.array(high)

    def scaled(self, factor: float) -> PiecewisePolynomial:
        """Return the same curve with the variable multiplied by a factor."""
        powers = factor ** -np.arange(self.degree + 1.0)
        return PiecewisePolynomial(self.breaks * factor, self.coefficients * powers[None, :, None])


def spline(
    knots: Array, values: Array, degree: Literal[3, 5, 7] = 3, ends: Literal["rest", "free"] = "free"
) -> PiecewisePolynomial:
    """Return the spline through values, shape (knots, joints), with degree - 1 continuous derivatives.

    At rest, the lower derivatives are zero at both ends; at free ends, the higher ones are (a natural spline).
    """
    half, count = (degree + 1) // 2, len(knots)
    unknown = half - 1  # derivatives at each knot
    lengths = np.diff(knots)
    matrix = np.zeros((count * unknown, count * unknown))
    right = np.zeros((count * unknown, values.shape[1]))
    hermite = _hermite(half)
    row = 0

    def condition(order: int, pieces: tuple[tuple[int, int, float], ...]) -> None:
        """Add a row: the derivatives of an order at an end (0 or 1) of the pieces sum to zero."""
        nonlocal row
        for piece, end, sign in pieces:
            h = lengths[piece]
            weights = sign * _derivative_row(degree, order, end) @ hermite / h**order
            for knot, part in ((piece, weights[:half]), (piece + 1, weights[half:])):
                right[row] -= part[0] * values[knot]
                for k in range(1, half):
                    matrix[row, knot * unknown + k - 1] += part[k] * h**k
        row += 1

    for end, piece in ((0, 0), (1, count - 2)):
        for k in range(1, half):
            if ends == "rest":
                matrix[row, (piece + end) * unknown + k - 1] = 1.0
                row += 1
            else:
                condition(degree - k, ((piece, end, 1.0),))
    for knot in range(1, count - 1):
        for order in range(half, degree):
            condition(order, ((knot - 1, 1, 1.0), (knot, 0, -1.0)))
    scale = np.abs(matrix).max(axis=1)
    slopes = np.linalg.solve(matrix / scale[:, None], right / scale[:, None]) if unknown else right
    known = np.concatenate([values[:, None], slopes.reshape(count, unknown, -1)], axis=1)  # (knots, half, joints)
    h = lengths[:, None] ** np.arange(float(half))
    data = np.concatenate([known[:-1] * h[..., None], known[1:] * h[..., None]], axis=1)
    rows = np.einsum("ab,pbj->paj", hermite, data) / (lengths[:, None] ** np.arange(degree + 1.0))[..., None]
    return PiecewisePolynomial(knots, rows)


def _derivative_row(degree: int, order: int, end: int) -> Array:
    """Return the derivative of the powers 1, x, .. at x = 0 or 1."""
    found = np.zeros(degree + 1)
    for power in range(order, degree + 1):
        if end or power == order:
            found[power] = factorial(power) / factorial(power - order)
    return found


@cache
def _hermite(half: int) -> Array:
    """Return the coefficients of a polynomial over the unit interval from derivatives at 0, then at 1."""
    degree = 2 * half - 1
    return np.linalg.inv(np.array([_derivative_row(degree, order, end) for end in (0, 1) for order in range(half)]))
