"""Parameters from the last joint to the first (guide 3.108): each row of D has those of the links beyond its joint.

What is found at one joint is taken off the torques of those before it. Parameters that a joint alone cannot tell apart
wait for the next one, with the equations that they stand in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robosym.experiment.least_squares import Fit, Triangle, independent, joined, solve

__all__ = ["link_by_link"]

Array = NDArray[np.float64]


def link_by_link(parts: Sequence[Triangle], kept: Sequence[int]) -> Fit:
    """Values of the columns `kept` from the triangles of the joints, first joint first."""
    width = parts[0].R.shape[1] - 1
    values, covariance = np.zeros(width), np.zeros((width, width))
    known: list[int] = []
    waiting: list[Triangle] = []
    for at, part in reversed(list(enumerate(parts))):
        waiting.append(part)
        rows = joined(waiting)
        unknown = [k for k in kept if k not in known and np.any(rows.R[:, k])]
        left = Triangle(
            np.column_stack([rows.R[:, unknown], rows.R[:, -1] - rows.R[:, known] @ values[known]]), rows.rows
        )
        apart = independent(left.R)
        if not unknown or (at and len(apart) < len(unknown)):
            continue
        found = [unknown[k] for k in apart]
        stage = Triangle(left.R[:, [*apart, -1]], left.rows)
        fit = solve(stage)
        values[found] = fit.values
        # what is not known of the others beyond is carried on
        onto = np.linalg.pinv(stage.R[:, :-1]) @ rows.R[:, known]
        own = covariance[np.ix_(known, known)]
        covariance[np.ix_(found, found)] = fit.covariance + onto @ own @ onto.T
        covariance[np.ix_(found, known)] = -onto @ own
        covariance[np.ix_(known, found)] = covariance[np.ix_(found, known)].T
        known += found
        waiting = []
    whole = np.concatenate([part.R[:, list(kept)] for part in parts])
    chosen = np.ix_(list(kept), list(kept))
    return Fit(values[list(kept)], covariance[chosen], float(np.linalg.cond(whole)))
