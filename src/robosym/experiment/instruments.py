"""Instrumental variables (IDIM-IV) and direct output fitting (DIDIM), along motions without measurement noise.

Both compute the regressor Z along the motion of the simulated closed loop with the estimated model, and iterate. With
`controller` the closed loop is simulated. Otherwise a computed-torque controller with exact parameters is assumed,
which follows its reference without error: the simulated motion is then the reference. If no reference was recorded,
the measurement, smoothed below the frequency at which noise dominates, replaces it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import TINY
from robosym.errors import InputError
from robosym.experiment.filters import derivatives
from robosym.experiment.least_squares import Fit, Triangle
from robosym.experiment.prepare import Motion
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.simulation import simulate
from robosym.simulation.integration import Controller
from robosym.simulation.motions import sampled_motion

__all__ = ["instrumental", "reference_motion", "simulated_motion", "smoothed"]


_ABOVE = 30.0  #: ratio of signal to noise power above which a frequency belongs to the motion
_STEP = 1e-3  #: longest simulation step, in s
_CUTOFF_RATIO = 1.5  #: ratio of the filter's cutoff to the highest such frequency; noise grows with its fifth power


def smoothed(motion: Motion) -> Motion:
    """Return the smoothed measurement, which replaces an unknown reference."""
    found = []
    for segment in motion.segments:
        cut = min((highest_frequency(segment.q, segment.step)) * _CUTOFF_RATIO, 0.45 / segment.step)
        q, qd, qdd = derivatives(segment.q, segment.step, cut)
        found.append(replace(segment, q=q, qd=qd, qdd=qdd))
    return motion.along(found)


def reference_motion(motion: Motion, reference: object) -> Motion:
    """Return the reference at the times of a motion; it is a motion with the same samples or any function of time."""
    if isinstance(reference, Motion):
        if len(reference) != len(motion):
            raise InputError(
                f"identify: reference: expected {len(motion)} samples, as measured, found {len(reference)}"
            )
        return replace(reference, drive=None, rest=motion.rest)
    found = []
    for segment, times in motion.grids():
        ideal = sampled_motion(reference, segment.q.shape[1], what="identify: reference", times=times)
        found.append(replace(segment, q=ideal.q, qd=ideal.qd, qdd=ideal.qdd))
    return motion.along(found)


def simulated_motion(robot: Robot, ideal: Motion, controller: Controller) -> Motion:
    """Return the motion of the robot under the controller, from the start of the reference."""
    found = []
    for segment, times in ideal.grids():
        start, count = float(times[0]), len(times)
        finer = max(1, int(np.ceil(segment.step / _STEP)))
        law, more = controller, None
        if isinstance(controller, Model):
            groups = {"q_desired": segment.q, "qd_desired": segment.qd, "qdd_desired": segment.qdd}
            more = {g: x for g, x in groups.items() if g in controller.inputs}
        else:
            law = partial(_later, controller, start)
        run = simulate(
            robot, segment.q[0], segment.qd[0], controller=law, until=(count - 1) * segment.step,
            step=segment.step / finer, every=finer, reference=more,
        )  # fmt: skip
        qdd = np.gradient(run.qd, segment.step, axis=0)
        found.append(replace(segment, q=run.q, qd=run.qd, qdd=qdd))
    return ideal.along(found)


def _later(controller: Callable[..., ArrayLike], by: float, t: float, q: Array, qd: Array) -> ArrayLike:
    return controller(t + by, q, qd)


def highest_frequency(q: Array, step: float) -> float:
    """Return the highest frequency at which the motion exceeds its noise, in Hz."""
    n = len(q)
    line = np.linspace(q[0], q[-1], n)
    power = np.abs(np.fft.rfft((q - line) * np.hanning(n)[:, None], axis=0)) ** 2
    frequency = np.fft.rfftfreq(n, step)
    best = frequency[min(3, len(frequency) - 1)]
    for column in power.T:
        if not column.any():
            continue
        # median power over octaves: the slope of an earlier filter is not mistaken for motion
        octaves = [(f, 2 * f) for f in np.geomspace(frequency[1] * 8, frequency[-1] / 2, 24)]
        levels = [float(np.median(column[(frequency >= a) & (frequency < b)])) for a, b in octaves]
        # a plateau is white noise: the level where the spectrum changes least between octaves
        change = np.abs(np.diff(np.log(np.maximum(levels, TINY))))
        floor = levels[int(np.argmin(change))]
        above = np.flatnonzero(column > _ABOVE * floor)
        if above.size:
            best = max(best, float(frequency[above[-1]]))
    return float(best)


def instrumental(data: Triangle, count: int) -> Fit:
    """Solve for the parameters from the triangle of [Z W y] with `count` columns in each of Z and W."""
    Z, W, y = data.R[:, :count], data.R[:, count : 2 * count], data.R[:, -1]
    sizes = np.linalg.norm(Z, axis=0)
    Z, W = Z / sizes, W / sizes
    cross = Z.T @ W
    values = np.linalg.solve(cross, Z.T @ y)
    spread = float(np.linalg.norm(y - W @ values)) ** 2 / max(data.rows - count, 1)
    inverse = np.linalg.inv(cross)
    covariance = spread * inverse @ (Z.T @ Z) @ inverse.T / np.outer(sizes, sizes)
    return Fit(values / sizes, covariance, float(np.linalg.cond(Z * sizes)))
