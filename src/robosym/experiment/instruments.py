"""Instrumental variables (IDIM-IV) and direct output fitting (DIDIM): the motion without the noise of its measurement.

Both take the regressor Z along the motion that a simulation of the estimated model has under control, and repeat this
with what they find. With `controller` the closed loop is simulated. Without one it is taken for a computed-torque law
with the model's own parameters, which follows its reference without error whatever the parameters are: the simulated
motion is the reference. Without a recorded reference the measurement, smoothed below the frequency at which it drowns
in its noise, stands for it.
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

__all__ = ["followed", "instrumental", "referred", "smoothed"]


_ABOVE = 30.0  #: power over that of the noise from which a frequency belongs to the motion
_STEP = 1e-3  #: seconds, at most, of a simulated step
_ROOM = 1.5  #: the filter's cut-off over the highest such frequency; noise below it grows with its fifth power


def smoothed(motion: Motion) -> Motion:
    """The motion that stands for the reference."""
    found = []
    for stretch in motion.stretches:
        cut = min((highest(stretch.q, stretch.step)) * _ROOM, 0.45 / stretch.step)
        q, qd, qdd = derivatives(stretch.q, stretch.step, cut)
        found.append(replace(stretch, q=q, qd=qd, qdd=qdd))
    return motion.along(found)


def referred(motion: Motion, reference: object) -> Motion:
    """A reference at the times of a motion: a motion with the same samples, or any motion over time."""
    if isinstance(reference, Motion):
        if len(reference) != len(motion):
            raise InputError("identify: reference: expected as many samples as were measured")
        return replace(reference, drive=None, rest=motion.rest)
    found = []
    for stretch, times in motion.grids():
        ideal = sampled_motion(reference, stretch.q.shape[1], what="identify: reference", times=times)
        found.append(replace(stretch, q=ideal.q, qd=ideal.qd, qdd=ideal.qdd))
    return motion.along(found)


def followed(robot: Robot, ideal: Motion, controller: Controller) -> Motion:
    """The motion that the robot has under the controller, from where the reference begins."""
    found = []
    for stretch, times in ideal.grids():
        start, count = float(times[0]), len(times)
        finer = max(1, int(np.ceil(stretch.step / _STEP)))
        law, more = controller, None
        if isinstance(controller, Model):
            groups = {"q_desired": stretch.q, "qd_desired": stretch.qd, "qdd_desired": stretch.qdd}
            more = {g: x for g, x in groups.items() if g in controller.inputs}
        else:
            law = partial(_later, controller, start)
        run = simulate(
            robot, stretch.q[0], stretch.qd[0], controller=law, until=(count - 1) * stretch.step,
            step=stretch.step / finer, every=finer, reference=more,
        )  # fmt: skip
        qdd = np.gradient(run.qd, stretch.step, axis=0)
        found.append(replace(stretch, q=run.q, qd=run.qd, qdd=qdd))
    return ideal.along(found)


def _later(controller: Callable[..., ArrayLike], by: float, t: float, q: Array, qd: Array) -> ArrayLike:
    return controller(t + by, q, qd)


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
