"""Delay between the recorded positions and torques of a motion, from the residuals of an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robosym.algebra.arrays import Array
from robosym.experiment.filters import between, low_pass
from robosym.experiment.prepare import Motion, Segment

if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate

__all__ = ["Delay", "delay_of"]

_SMALLEST = 1e-12  #: smallest standard deviation, for residuals without noise
_ROUNDS = 12
_SETTLED = 1e-7  #: s


class Delay(NamedTuple):
    """Time in s by which the torques are recorded later than the positions, and its standard deviation."""

    seconds: float
    deviation: float

    def __str__(self) -> str:
        return f"delay of the torques: {1e3 * self.seconds:.3g} ms, std. dev. {1e3 * self.deviation:.2g} ms"


def delay_of(found: Estimate) -> Delay:
    """Return the delay at which the torques fit the model best, for free values of all parameters.

    Each step shifts the measured torques and fits parameters and the rest of the delay together: the derivative of
    the torques over time is one more column (Gauss-Newton).
    """
    spans = [np.linalg.qr(rows)[0] for rows in _rows(found)]
    scales = _deviations(found, spans)
    delay, deviation = 0.0, np.inf
    for _ in range(_ROUNDS):
        above = below = 0.0
        wrong, count = 0.0, 0
        tau = [_shifted(motion, delay) for motion in found.motions]
        for at, (Q, scale) in enumerate(zip(spans, scales, strict=True)):
            moves = [motion.moving[:, at] for motion in found.motions]
            y, slope = (
                np.concatenate([part[k][some, at] for part, some in zip(tau, moves, strict=True)]) for k in (0, 1)
            )
            left, along = ((part - Q @ (Q.T @ part)) / scale for part in (y, slope))
            above += float(left @ along)
            below += float(along @ along)
            wrong, count = wrong + float(left @ left), count + len(left) - Q.shape[1]
        step = -above / below if below else 0.0
        deviation = float(np.sqrt(wrong / max(count, 1) / below)) if below else np.inf
        delay += step
        if abs(step) < _SETTLED:
            break
    return Delay(float(delay), deviation)


def _rows(found: Estimate) -> list[Array]:
    """Return the rows of the moving samples of each joint in all motions, with load-dependent friction."""
    regressor, values = found.regressor, found.all_values()
    tables = [regressor.table(motion) for motion in found.motions]
    loads = [table.load(values) if regressor.load_columns else None for table in tables]
    rows = []
    for at in range(len(regressor.rows)):
        parts = []
        for table, load, motion in zip(tables, loads, found.motions, strict=True):
            row = table.rows[at] if load is None else np.column_stack([table.rows[at], load[:, at]])
            parts.append(row[motion.moving[:, at]])
        rows.append(np.concatenate(parts))
    return rows


def _deviations(found: Estimate, spans: list[Array]) -> list[float]:
    """Return the standard deviation of the residuals of each joint."""
    found_ = []
    for at, Q in enumerate(spans):
        y = np.concatenate([motion.tau[motion.moving[:, at], at] for motion in found.motions])
        left = y - Q @ (Q.T @ y)
        found_.append(max(float(np.linalg.norm(left)) / np.sqrt(max(len(left) - Q.shape[1], 1)), _SMALLEST))
    return found_


def _shifted(motion: Motion, delay: float) -> tuple[Array, Array]:
    """Return the torques at the samples `delay` later, and their derivatives over time."""
    tau, slope, first = np.empty_like(motion.tau), np.empty_like(motion.tau), 0
    for segment in motion.segments:
        count = len(range(*segment.kept.indices(len(segment.q))))
        place = slice(first, first + count)
        tau[place], slope[place] = _of_segment(segment, motion.t[place], motion.tau[place], delay)
        first += count
    return tau, slope


def _of_segment(segment: Segment, t: Array, tau: Array, delay: float) -> tuple[Array, Array]:
    if segment.tau is None or segment.cut is None:
        later = between(t + delay, t, tau) if delay else tau
        return later, np.asarray(np.gradient(later, t, axis=0))
    start, _, _ = segment.kept.indices(len(segment.q))
    times = t[0] + segment.step * (np.arange(len(segment.q)) - start)
    fine = low_pass(between(times + delay, times, segment.tau) if delay else segment.tau, segment.step, segment.cut)
    return fine[segment.kept], np.gradient(fine, segment.step, axis=0)[segment.kept]
