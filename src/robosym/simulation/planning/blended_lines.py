"""Straight lines of constant velocity through positions, with corners rounded by blends of limited acceleration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.algebra.arrays import Array
from robosym.simulation.planning.piecewise import PiecewisePolynomial

__all__ = ["blended_lines"]

_ROUNDS = 10_000  #: of lengthening lines that are too short for the blends at their ends
_STEADY = 1e-12


def blended_lines(rows: Array, limits: Sequence[Array]) -> PiecewisePolynomial:
    """Return the motion within limits of velocity, acceleration and jerk (infinite limits are ignored).

    Around each position, from half the time of its blend before to half after it, the velocity changes linearly, or as
    a cubic with a limit of jerk. The first and the last blends begin and end at rest in the positions.
    """
    velocity, acceleration, jerk = limits
    ways = np.diff(rows, axis=0)
    lines = np.maximum((np.abs(ways) / velocity).max(axis=1), _STEADY)
    for _ in range(_ROUNDS):
        blends = _blend_times(_rates(ways, lines), acceleration, jerk)
        needed = (blends[:-1] + blends[1:]) / 2 / lines
        if needed.max() <= 1 + _STEADY:
            break
        lines = lines * np.where(needed > 1, np.sqrt(needed), 1.0)
    lines = lines * max(1.0, float(needed.max()))
    rates = _rates(ways, lines)
    return _pieces(rows, rates, lines, np.minimum(blends, _longest_blends(lines)), smooth=bool(np.isfinite(jerk).any()))


def _rates(ways: Array, lines: Array) -> Array:
    """Return the velocities of all lines, with a zero velocity before the first and after the last."""
    still = np.zeros((1, ways.shape[1]))
    return np.concatenate([still, ways / lines[:, None], still])


def _blend_times(rates: Array, acceleration: Array, jerk: Array) -> Array:
    changes = np.abs(np.diff(rates, axis=0))
    if not np.isfinite(jerk).any():
        return np.asarray((changes / acceleration).max(axis=1))
    bent = np.sqrt(6 * changes / jerk)
    return np.asarray(np.maximum(1.5 * changes / acceleration, bent).max(axis=1))


def _longest_blends(lines: Array) -> Array:
    """Return the longest blends that rounding errors of the lengths allow."""
    return np.asarray(2 * np.minimum(np.append(lines, np.inf), np.insert(lines, 0, np.inf)))


def _pieces(rows: Array, rates: Array, lines: Array, blends: Array, smooth: bool) -> PiecewisePolynomial:
    knots = np.concatenate([[0.0], np.cumsum(lines)]) + blends[0] / 2
    degree = 4 if smooth else 2
    breaks, parts = [0.0], []
    place = rows[0]
    for k, (knot, blend) in enumerate(zip(knots, blends, strict=True)):
        before, after = rates[k], rates[k + 1]
        if blend > 0:
            powers = np.zeros((degree + 1, rows.shape[1]))
            powers[0], powers[1] = place, before
            change = after - before
            if smooth:  # velocities as 3 x^2 - 2 x^3
                powers[3], powers[4] = change / blend**2, -change / (2 * blend**3)
            else:
                powers[2] = change / (2 * blend)
            parts.append(powers)
            breaks.append(knot + blend / 2)
            place = place + (before + after) / 2 * blend
        if k < len(lines):
            line = lines[k] - (blend + blends[k + 1]) / 2
            if line > _STEADY * lines[k]:
                powers = np.zeros((degree + 1, rows.shape[1]))
                powers[0], powers[1] = place, after
                parts.append(powers)
                breaks.append(knots[k + 1] - blends[k + 1] / 2)
                place = place + after * line
    return PiecewisePolynomial(np.array(breaks), np.array(parts))
