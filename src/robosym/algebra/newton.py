"""Levenberg-Marquardt method from many starting points at once, and continuation of a solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import TINY

__all__ = ["Damping", "Equations", "follow", "levenberg_marquardt"]

#: (x, starts) -> residuals (m, rows) and Jacobians (m, rows, unknowns) at x (m, unknowns); `starts` are start indices
Equations = Callable[[Array, Array], tuple[Array, Array]]
Place = TypeVar("Place")
_ROUNDING = 1e-14  #: smallest damping relative to the trace for which the matrix is regular


@dataclass(frozen=True)
class Damping:
    """Adaptation of the damping to the success of each step."""

    first: float
    less: float  #: divisor after a successful step
    more: float  #: factor after an unsuccessful step
    least: float
    most: float  #: damping at which a start is abandoned
    caution: float = 0.0  #: damping added after an unsuccessful step
    relative: bool = True  #: whether the damping is relative to the trace of J^T J
    #: compute steps from singular values of J, because J^T J loses those below the square root of the rounding error
    singular_values: bool = False


def levenberg_marquardt(
    equations: Equations, x: Array, damping: Damping, goal: float, rounds: int, *,
    units: Array | float = 1.0, settled: float = 0.0,
) -> tuple[Array, Array]:  # fmt: skip
    """Minimize the residuals from each start x (m, unknowns); return the minimizers and the norms of the residuals.

    The result is never worse than the start. A start is finished if the norm of its residuals is at most `goal`, or at
    most `settled` and a step does not reduce it. `units` are the scales of the unknowns.
    """
    x = np.array(x, dtype=float)
    starts = np.arange(len(x))
    r, J = equations(x, starts)
    residuals = r.copy()
    size = np.linalg.norm(r, axis=1)
    weight = np.full(len(x), damping.first)
    for _ in range(rounds):
        going = (size > goal) & (weight <= damping.most)
        if not going.any():
            break
        if not going.all():
            starts, r, J, size, weight = starts[going], r[going], J[going], size[going], weight[going]
        try:
            step = _step(J * units, r, weight, damping) * units
        except np.linalg.LinAlgError:
            break
        trial = x[starts] + np.nan_to_num(step)
        new_r, new_J = equations(trial, starts)
        new_size = np.linalg.norm(new_r, axis=1)
        better = new_size < size
        x[starts[better]], residuals[starts[better]] = trial[better], new_r[better]
        r[better], J[better], size[better] = new_r[better], new_J[better], new_size[better]
        longer = np.where(size <= settled, np.inf, weight * damping.more + damping.caution)
        weight = np.where(better, np.maximum(weight / damping.less, damping.least), longer)
    return x, residuals


def _step(J: Array, r: Array, weight: Array, damping: Damping) -> Array:
    """Return -(J^T J + weight)^-1 J^T r."""
    if damping.singular_values:
        U, sizes, V = np.linalg.svd(J, full_matrices=False)
        squares = sizes**2
        weight = weight * squares.sum(axis=1) + TINY
        parts = sizes / (squares + weight[:, None]) * np.einsum("mru,mr->mu", U, r)
        return np.asarray(-np.einsum("muc,mu->mc", V, parts))
    transposed = np.swapaxes(J, 1, 2)
    normal = transposed @ J
    trace = np.trace(normal, axis1=1, axis2=2)
    # this weight keeps the matrix regular if J has dependent columns
    weight = weight * trace + TINY if damping.relative else np.maximum(weight, _ROUNDING * trace)
    damped = normal + weight[:, None, None] * np.eye(J.shape[2])
    return np.asarray(-np.linalg.solve(damped, transposed @ r[:, :, None])[..., 0])


def follow(
    step: Callable[[float, Place], Place | None], start: Place, first: float = 1.0, most: float = 1.0,
    least: float = 1e-5,
) -> tuple[Place, float]:  # fmt: skip
    """Follow a solution along a path, halving the step after a failure and doubling it after a success.

    `step(share, here)` returns the solution at a fraction of the path, computed from `here`, or None if none is found
    or it may belong to another branch. The first step is `first`, steps are at most `most`, and a step below `least`
    ends the continuation. Returns the last solution and the fraction of the path that was covered, 1 at the end.
    """
    here, done, part = start, 0.0, first
    while done < 1 and part >= least:
        share = min(1.0, done + part)
        found = step(share, here)
        if found is None:
            part /= 2
        else:
            here, done, part = found, share, min(2 * part, most)
    return here, done
