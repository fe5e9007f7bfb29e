"""Integrals of sampled functions."""

from __future__ import annotations

import numpy as np

from robosym.algebra.arrays import Array

__all__ = ["running_integral"]

_NODES = 6
_EVEN = 1e-9  #: relative difference of the steps of samples that count as evenly spaced


def running_integral(values: Array, t: Array) -> Array:
    """Return the integral from the first to each sample; samples are along the last axis but one.

    Evenly spaced samples are connected by polynomials of degree 5, each through the samples around an interval;
    others by straight lines.
    """
    found, steps = np.zeros_like(values), np.diff(t)
    if len(t) < _NODES or np.ptp(steps) > _EVEN * steps.max():
        means = (values[..., 1:, :] + values[..., :-1, :]) / 2
        found[..., 1:, :] = np.cumsum(means * steps[:, None], axis=-2)
        return found
    orders, middle = np.arange(_NODES), _NODES // 2 - 1
    table = np.vander(np.arange(_NODES, dtype=float), increasing=True).T
    moments = (orders + 1.0)[:, None] ** (orders + 1) - orders[:, None] ** (orders + 1.0)
    weights = np.linalg.solve(table, (moments / (orders + 1)).T).T  # one row per interval between the nodes
    count = len(t) - 1
    first = np.clip(np.arange(count) - middle, 0, len(t) - _NODES)
    place = np.arange(count) - first
    parts = np.zeros_like(values[..., 1:, :])
    for k in range(_NODES):
        parts += weights[place, k][:, None] * values[..., first + k, :]
    found[..., 1:, :] = np.cumsum(parts * (t[-1] - t[0]) / count, axis=-2)
    return found
