"""Instrumental variables (IDIM-IV) and direct output fitting (DIDIM): the motion without the noise of its measurement.

Both take the regressor along the motion that a simulation of the estimated model has under control. A computed-torque
law with the model's own parameters follows its reference without error, whatever the parameters are: the simulated
motion is the reference, and the regressor along it is Z. Without a recorded reference the measurement, smoothed below
the frequency at which it drowns in its noise, stands for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.generic import TINY
from robosym.estimate.filters import derivatives
from robosym.estimate.least_squares import Fit, Triangle
from robosym.estimate.prepare import Motion

__all__ = ["instrumental", "smoothed"]


Array = NDArray[np.float64]

_ABOVE = 30.0  #: power over that of the noise from which a frequency belongs to the motion
_ROOM = 2.5  #: the filter's cut-off over the highest such frequency: it must not bend the motion


def smoothed(motion: Motion) -> Motion:
    """The motion that stands for the reference."""
    found = []
    for stretch in motion.stretches:
        cut = min((highest(stretch.q, stretch.step)) * _ROOM, 0.45 / stretch.step)
        q, qd, qdd = derivatives(stretch.q, stretch.step, cut)
        found.append(replace(stretch, q=q, qd=qd, qdd=qdd))
    return replace(motion, stretches=tuple(found))


def highest(q: Array, step: float) -> float:
    """The highest frequency at which the motion stands out of its noise."""
    n = len(q)
    line = np.linspace(q[0], q[-1], n)
    power = np.abs(np.fft.rfft((q - line) * np.hanning(n)[:, None], axis=0)) ** 2
    frequency = np.fft.rfftfreq(n, step)
    best = frequency[min(3, len(frequency) - 1)]
    for column in power.T:
        if not column.any():
            continue
        # the floor: the least of medians over octaves, so that a filter's own slope is not taken for the motion
        octaves = [(f, 2 * f) for f in np.geomspace(frequency[1] * 8, frequency[-1] / 2, 24)]
        levels = [float(np.median(column[(frequency >= a) & (frequency < b)])) for a, b in octaves]
        # a plateau is white noise: the level at which the spectrum changes least from octave to octave
        change = np.abs(np.diff(np.log(np.maximum(levels, TINY))))
        floor = levels[int(np.argmin(change))]
        above = np.flatnonzero(column > _ABOVE * floor)
        if above.size:
            best = max(best, float(frequency[above[-1]]))
    return float(best)


def instrumental(data: Triangle, count: int) -> Fit:
    """From the triangle of [Z W y] with `count` columns in each of Z and W."""
    Z, W, y = data.R[:, :count], data.R[:, count : 2 * count], data.R[:, -1]
    sizes = np.linalg.norm(Z, axis=0)
    Z, W = Z / sizes, W / sizes
    cross = Z.T @ W
    values = np.linalg.solve(cross, Z.T @ y)
    spread = float(np.linalg.norm(y - W @ values)) ** 2 / max(data.rows - count, 1)
    inverse = np.linalg.inv(cross)
    covariance = spread * inverse @ (Z.T @ Z) @ inverse.T / np.outer(sizes, sizes)
    return Fit(values / sizes, covariance, float(np.linalg.cond(Z * sizes)))
