"""Time laws of motions from rest to rest, as piecewise polynomials of time from 0 to 1 over a distance of 1.

Trapezoidal and double-S profiles are the fastest within limits of velocity, acceleration and (double-S) jerk; a
polynomial has one shape, whose duration follows from the limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robosym.algebra.arrays import Array
from robosym.simulation.planning.piecewise import PiecewisePolynomial, spline

__all__ = [
    "POLYNOMIALS",
    "PROFILES",
    "InverseLimits",
    "fastest_law",
    "joined",
    "merged",
    "stretch_for",
    "unit_polynomial",
]

POLYNOMIALS = {"cubic": 3, "quintic": 5, "septic": 7}  #: degree by name
PROFILES = {"trapezoidal": 2, "double_s": 3}  #: number of limited derivatives by name


class InverseLimits(NamedTuple):
    """Inverses of the limits of velocity, acceleration and jerk over a distance of 1; zero without a limit."""

    velocity: float
    acceleration: float
    jerk: float

    @classmethod
    def over(cls, distances: Array, limits: Sequence[Array]) -> InverseLimits:
        """Return the values for coordinates that move together over distances; `limits` has one row per derivative."""
        return cls(*(float((np.abs(distances) / limit).max(initial=0.0)) for limit in limits))


def unit_polynomial(degree: int) -> PiecewisePolynomial:
    """Return the polynomial from 0 to 1 whose lower derivatives vanish at both ends."""
    ends = np.array([0.0, 1.0])
    return spline(ends, ends[:, None], degree, "rest")  # type: ignore[arg-type]


def stretch_for(curve: PiecewisePolynomial, lower: Sequence[Array], upper: Sequence[Array]) -> float:
    """Return the factor of time that makes the fastest of the first derivatives just reach its limit."""
    factor = 0.0
    for order, (low, high) in enumerate(zip(lower, upper, strict=True), 1):
        if np.isfinite(np.concatenate([low, high])).any():
            least, most = curve.derivative(order).peaks()
            used = max(float((least / low).max()), float((most / high).max()))
            factor = max(factor, used ** (1 / order))
    return factor


def fastest_law(law: str, slowness: InverseLimits) -> PiecewisePolynomial:
    """Return the law over a distance of 1 that uses the limits."""
    if law in POLYNOMIALS:
        curve = unit_polynomial(POLYNOMIALS[law])
        with np.errstate(divide="ignore"):
            limits = [np.array([1 / np.float64(slow)]) for slow in slowness]
        return curve.scaled(stretch_for(curve, [-limit for limit in limits], limits))
    lengths, jerks, changes = _trapezoidal(slowness) if law == "trapezoidal" else _double_s(slowness)
    return _integrated(lengths, jerks, changes)


def _trapezoidal(slow: InverseLimits) -> tuple[list[float], list[float], list[float]]:
    """Return the durations of the phases, their jerks, and their accelerations at the start."""
    ramp = min(slow.acceleration / slow.velocity if slow.velocity else np.inf, float(np.sqrt(slow.acceleration)))
    a = 1 / slow.acceleration
    cruise = max(0.0, 1 / (a * ramp) - ramp)
    return [ramp, cruise, ramp], [0.0] * 3, [a, 0.0, -a]


def _double_s(slow: InverseLimits) -> tuple[list[float], list[float], list[float]]:
    """Return the durations, jerks and accelerations at the start of the seven phases.

    The time of constant acceleration is the least of two: until the velocity limit is reached, and until half the
    distance is covered.
    """
    jerk = 1 / slow.jerk
    bend = float(np.cbrt(slow.jerk / 2))
    straight = np.inf
    if slow.acceleration:
        bend = min(bend, slow.jerk / slow.acceleration)
    if slow.velocity:
        bend = min(bend, float(np.sqrt(slow.jerk / slow.velocity)))
        straight = slow.acceleration / slow.velocity - bend
    straight = max(0.0, min(straight, (float(np.sqrt(bend**2 + 4 * slow.acceleration)) - 3 * bend) / 2))
    top = jerk * bend
    cruise = max(0.0, 1 / (top * (bend + straight)) - 2 * bend - straight)
    lengths = [bend, straight, bend, cruise, bend, straight, bend]
    return lengths, [jerk, 0, -jerk, 0, -jerk, 0, jerk], [0.0, top, top, 0.0, 0.0, -top, -top]


def _integrated(lengths: Sequence[float], jerks: Sequence[float], changes: Sequence[float]) -> PiecewisePolynomial:
    """Return the position of phases of constant jerk, which ends at 1 to rounding."""
    rows, place, speed = [], 0.0, 0.0
    kept = [k for k, length in enumerate(lengths) if length > 0]
    for k in kept:
        h, a, j = lengths[k], changes[k], jerks[k]
        rows.append([place, speed, a / 2, j / 6])
        place += h * (speed + h * (a / 2 + h * j / 6))
        speed += h * (a + h * j / 2)
    breaks = np.concatenate([[0.0], np.cumsum([lengths[k] for k in kept])])
    return PiecewisePolynomial(breaks, np.array(rows)[..., None] / place)


def joined(parts: Sequence[PiecewisePolynomial]) -> PiecewisePolynomial:
    """Return parts one after the other in time."""
    degree = max(part.degree for part in parts)
    starts = np.concatenate([[0.0], np.cumsum([part.breaks[-1] - part.breaks[0] for part in parts])])
    breaks = [start + part.breaks[:-1] - part.breaks[0] for start, part in zip(starts[:-1], parts, strict=True)]
    rows = [np.pad(part.coefficients, ((0, 0), (0, degree - part.degree), (0, 0))) for part in parts]
    return PiecewisePolynomial(np.append(np.concatenate(breaks), starts[-1]), np.concatenate(rows))


def merged(parts: Sequence[PiecewisePolynomial]) -> PiecewisePolynomial:
    """Return curves of several coordinates that start at the same time; one that ends earlier remains at its end."""
    degree = max(part.degree for part in parts)
    breaks = np.unique(np.concatenate([part.breaks for part in parts]))
    starts = breaks[:-1]
    columns = []
    for part in parts:
        values = part.at(starts, degree + 1)
        factorials = np.cumprod([1.0, *range(1, degree + 1)])
        rows = np.stack([value / factor for value, factor in zip(values, factorials, strict=True)], axis=1)
        rows[starts >= part.breaks[-1], 1:] = 0.0
        columns.append(rows)
    return PiecewisePolynomial(breaks, np.concatenate(columns, axis=2))
