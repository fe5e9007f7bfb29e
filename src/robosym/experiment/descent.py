"""The least value of a function by quasi-Newton steps (Broyden, Fletcher, Goldfarb, Shanno) that stay where it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Value", "descend"]

Array = NDArray[np.float64]
#: value and gradient; infinity and anything where the function is not defined
Value = Callable[[Array], tuple[float, Array]]

_DECREASE = 1e-4  #: the part of the expected decrease that a step must bring (Armijo)
_CURVATURE = 1e-10  #: a smaller part of the lengths says nothing about curvature
_FIRST = 0.1  #: length of the first step
_HALVINGS = 30


def descend(function: Value, x: Array, steps: int, tolerance: float) -> tuple[Array, float]:
    """Where the function is least, from x, and its value; it stops where a few steps bring less than the tolerance."""
    value, slope = function(x)
    inverse = np.eye(len(x)) * _FIRST / (np.linalg.norm(slope) or 1.0)
    fresh, gains = True, [np.inf] * 5
    for _ in range(steps):
        direction = -inverse @ slope
        expected = float(direction @ slope)
        if expected >= 0:  # rounding has spoiled the matrix
            if fresh:
                break
            inverse, fresh = np.eye(len(x)) * _FIRST / np.linalg.norm(slope), True
            continue
        length = 1.0
        for _ in range(_HALVINGS):
            new_value, new_slope = function(x + length * direction)
            if np.isfinite(new_value) and new_value <= value + _DECREASE * length * expected:
                break
            length *= 0.4
        else:
            break
        step, change = length * direction, new_slope - slope
        product = float(step @ change)
        if product > _CURVATURE * np.linalg.norm(step) * np.linalg.norm(change):
            if fresh:
                inverse, fresh = np.eye(len(x)) * product / float(change @ change), False
            moved = inverse @ change
            inverse += (1 + float(change @ moved) / product) / product * np.outer(step, step)
            inverse -= (np.outer(step, moved) + np.outer(moved, step)) / product
        gains = [*gains[1:], value - new_value]
        x, value, slope = x + step, new_value, new_slope
        if sum(gains) < tolerance:
            break
    return x, value
