"""Temperatures of motors along a motion that is repeated.

A winding with copper losses R (torque / constant)^2 conducts heat to the housing, which loses it to the surroundings.
The resistance grows with the temperature, so that the losses are linear in it: each interval of the motion maps both
temperatures linearly, and the temperatures of the repeated motion are the fixed point of the product of these maps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import TINY
from robosym.control.drives import Winding

__all__ = ["MotorHeat", "motor_heat"]

_COPPER = 0.00393  #: growth of the resistance of copper per K
_REFERENCE = 25.0  #: temperature in degrees Celsius at which resistances are given


@dataclass(frozen=True, eq=False)
class MotorHeat:
    """Temperatures in degrees Celsius of a motor that repeats a motion; infinite if it heats up without end."""

    t: Array
    winding: Array  #: shape (samples,), in the steady state
    housing: Array

    @property
    def peak(self) -> float:
        """Highest temperature of the winding."""
        return float(self.winding.max())


def motor_heat(winding: Winding, t: Array, torque: Array, ambient: float) -> MotorHeat:
    """Return the steady temperatures of a motor; torques are constant at their rms value in each interval."""
    square = (torque[1:] ** 2 + torque[1:] * torque[:-1] + torque[:-1] ** 2) / 3  # of a linear torque
    loss = winding.resistance / winding.constant**2 * square
    maps = [_step(winding, power, step, ambient) for power, step in zip(loss, np.diff(t), strict=True)]
    whole = np.eye(3)
    for one in maps:
        whole = one @ whole
    if np.abs(np.linalg.eigvals(whole[:2, :2])).max() >= 1:
        endless = np.full(len(t), np.inf)
        return MotorHeat(t, endless, endless)
    state = np.append(np.linalg.solve(np.eye(2) - whole[:2, :2], whole[:2, 2]), 1.0)
    rows = [state]
    for one in maps:
        rows.append(one @ rows[-1])
    found = np.array(rows)
    return MotorHeat(t, found[:, 0], found[:, 1])


def _step(winding: Winding, loss: float, step: float, ambient: float) -> Array:
    """Return the exact map of (winding, housing, 1) over an interval with constant losses at 25 degrees."""
    inner, outer = 1 / winding.to_housing, 1 / winding.to_ambient
    heat_winding, heat_housing = winding.winding_time / winding.to_housing, winding.housing_time / winding.to_ambient
    rates = np.array([
        [(loss * _COPPER - inner) / heat_winding, inner / heat_winding,
         loss * (1 - _COPPER * _REFERENCE) / heat_winding],
        [inner / heat_housing, -(inner + outer) / heat_housing, outer * ambient / heat_housing],
        [0.0, 0.0, 0.0],
    ])  # fmt: skip
    return _exponential(rates * step)


def _exponential(matrix: Array) -> Array:
    """Return the exponential of a small matrix by scaling, a series and squaring."""
    halvings = max(0, int(np.ceil(np.log2(max(float(np.abs(matrix).sum(axis=1).max()), TINY)))) + 4)
    scaled = matrix / 2.0**halvings
    term = result = np.eye(len(matrix))
    for k in range(1, 12):
        term = term @ scaled / k
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return np.asarray(result)
