"""Time scaling of a motion so that its torques are within limits."""

from __future__ import annotations

import numpy as np

from robosym.algebra.arrays import Array
from robosym.errors import InputError
from robosym.simulation.planning.joint_efforts import JointEfforts
from robosym.simulation.planning.piecewise import PiecewisePolynomial

__all__ = ["torque_stretch"]

_SAMPLES, _LEAST = 2000, 9  #: times of the whole motion, and of each piece, at least
_INSIDE = 1e-9  #: part of a piece by which its last time is before its end, where the acceleration may jump
_SLOWEST = 1e4  #: factor of time beyond which gravity alone is too much
_HALVINGS = 45


def torque_stretch(curve: PiecewisePolynomial, efforts: JointEfforts, low: Array, high: Array) -> float:
    """Return the least factor of time, 1 or more, for which the torques of a motion are within limits."""
    efforts.start()
    parts = np.linspace(0.0, 1.0 - _INSIDE, max(_LEAST, -(-_SAMPLES // len(curve.coefficients))))
    times = (curve.breaks[:-1, None] + np.diff(curve.breaks)[:, None] * parts).ravel()
    q, qd, qdd = curve.at(times, 3)
    whole = efforts.all_joints(q)

    def used(factor: float) -> float:
        tau = efforts.at(whole, qd / factor, qdd / factor**2)
        return float(np.maximum(tau / low, tau / high).max())

    if used(1.0) <= 1:
        return 1.0
    slow, fast = 2.0, 1.0
    while used(slow) > 1:
        slow, fast = 2 * slow, slow
        if slow > _SLOWEST:
            raise InputError(_too_heavy(efforts, whole, low, high))
    for _ in range(_HALVINGS):
        middle = (slow + fast) / 2
        slow, fast = (middle, fast) if used(middle) <= 1 else (slow, middle)
    return slow


def _too_heavy(efforts: JointEfforts, whole: Array, low: Array, high: Array) -> str:
    """Return the message that names the joint that cannot hold the robot."""
    zero = np.zeros((len(whole), len(efforts.names)))
    load = efforts.at(whole, zero, zero)
    k = int(np.maximum(load / low, load / high).max(axis=0).argmax())
    worst = load[np.abs(load[:, k]).argmax(), k]
    return (
        f"limits: torque: holding the robot on its way takes {worst:.4g} at {efforts.names[k]}, expected a limit "
        f"beyond it, found {low[k]:g} to {high[k]:g}"
    )
