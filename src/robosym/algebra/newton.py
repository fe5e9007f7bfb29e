"""Newton's method on least squares, damped as Levenberg and Marquardt do, from many starts at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import TINY

__all__ = ["Damping", "Equations", "levenberg_marquardt"]

#: (x, starts) -> residuals (m, rows) and derivatives (m, rows, unknowns) at x (m, unknowns), which came from `starts`
Equations = Callable[[Array, Array], tuple[Array, Array]]
_ROUNDING = 1e-14  #: the least damping, in parts of the trace, that keeps the matrix regular


@dataclass(frozen=True)
class Damping:
    """How the damping follows the success of each step."""

    first: float
    less: float  #: divisor after a step that helps
    more: float  #: factor after a step that does not
    least: float
    most: float  #: beyond this a start is given up
    caution: float = 0.0  #: added after a step that does not help
    relative: bool = True  #: in parts of the trace of J^T J


def levenberg_marquardt(
    equations: Equations, x: Array, damping: Damping, goal: float, rounds: int, *,
    units: Array | float = 1.0, settled: float = 0.0,
) -> tuple[Array, Array]:  # fmt: skip
    """Where the residuals are smallest from each start x (m, unknowns), never worse than there, and the residuals.

    A start is done where the norm of its residuals is no more than `goal`, or no more than `settled` and a step does
    not make it smaller. `units` are the sizes that count as one, of each unknown.
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
            step = _step(J * units, r, weight, damping.relative) * units
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


def _step(J: Array, r: Array, weight: Array, relative: bool) -> Array:
    """-(J^T J + weight)^-1 J^T r."""
    transposed = np.swapaxes(J, 1, 2)
    normal = transposed @ J
    trace = np.trace(normal, axis1=1, axis2=2)
    # however small the weight, the matrix stays regular where J has dependent columns
    weight = weight * trace + TINY if relative else np.maximum(weight, _ROUNDING * trace)
    damped = normal + weight[:, None, None] * np.eye(J.shape[2])
    return np.asarray(-np.linalg.solve(damped, transposed @ r[:, :, None])[..., 0])
