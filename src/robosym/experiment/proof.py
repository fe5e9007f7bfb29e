"""Whether a function of a motion stays within its limits at all times: shown by bounds over stretches of time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.intervals import Interval, bounds
from robosym.experiment.bases import Basis
from robosym.model import Model

__all__ = ["stays_within"]

Array = NDArray[np.float64]

_FIRST = 512  #: stretches to begin with
_MOST = 60_000  #: stretches at a time; where more are open, the limit is met too often to be shown
_ROUNDS = 12
_PARTS = 4  #: into which an open stretch is divided
_ORDERS = {"q": 0, "qd": 1, "qdd": 2}


def stays_within(
    model: Model, basis: Basis, coefficients: Array, lower: Array, upper: Array, exact: Callable[[Array], Array]
) -> bool:
    """Whether every output of a model of q, qd and qdd is within its limits over the whole period.

    Over a stretch of time each derivative is its value in the middle, give or take what the next two can change; the
    model over these intervals gives bounds that hold. Stretches whose bounds go beyond are divided, unless `exact`, the
    outputs at given times, is beyond in the middle.
    """
    sizes = {order: np.maximum(*map(np.abs, basis.peaks(coefficients, order))) for order in (2, 3, 4)}
    edges = np.linspace(0, basis.period, _FIRST + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    for _ in range(_ROUNDS):
        values = exact(middle)
        if not ((values >= lower) & (values <= upper)).all():
            return False
        symbols: dict[str, Interval] = {}
        for group, order in _ORDERS.items():
            if group in model.inputs:
                centre = basis.matrix(middle, order) @ coefficients
                rate = np.abs(basis.matrix(middle, order + 1) @ coefficients)
                reach = half[:, None] * rate + (half**2 / 2)[:, None] * sizes[order + 2]
                ends = (Interval.outward(c - r, c + r) for c, r in zip(centre.T, reach.T, strict=True))
                symbols |= zip(model.inputs[group], ends, strict=True)
        known = np.ones(len(middle), dtype=bool)
        for bound, low, high in zip(bounds(model.roots, symbols), lower, upper, strict=True):
            known &= (bound.low >= low) & (bound.high <= high)  # what is not a number is not known
        middle, half = middle[~known], half[~known]
        if not len(middle):
            return True
        if len(middle) * _PARTS > _MOST:
            return False
        shifts = (2 * np.arange(_PARTS) + 1 - _PARTS) / _PARTS
        middle = (middle[:, None] + half[:, None] * shifts).ravel()
        half = np.repeat(half / _PARTS, _PARTS)
    return False
