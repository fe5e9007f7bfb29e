"""Result of a check: difference of two computations, and the condition of the problem."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BAR = 1e-11  #: largest difference relative to the largest value of a result
ROUNDING = 1e-13  #: rounding error of both computations, before amplification by the condition
_STEP = 1e-9  #: relative change of the inputs for estimating the condition


@dataclass(frozen=True)
class Finding:
    name: str
    gap: float
    condition: float = 1.0

    @property
    def allowed(self) -> float:
        return max(BAR, ROUNDING * self.condition)

    @property
    def failed(self) -> bool:
        return not self.gap <= self.allowed  # NaN fails

    def __str__(self) -> str:
        return f"{self.name}: {self.gap:.1e} apart, condition {self.condition:.1e}, allowed {self.allowed:.1e}"


def compare(
    name: str, found: object, expected: object, condition: float | Callable[[], float] = 1.0, scale: float = 0.0
) -> Finding:
    """Return the difference; the condition is computed only if the numbers differ."""
    ours, right = np.asarray(found, float), np.asarray(expected, float)
    if ours.shape != right.shape:
        return Finding(f"{name}: shapes {ours.shape} and {right.shape}", np.inf)
    size = max(scale, float(np.max(np.abs(right), initial=0)))
    apart = float(np.max(np.abs(ours - right), initial=0))
    gap = 0.0 if apart == 0 else apart / size if size else np.inf
    if gap <= BAR:
        return Finding(name, gap)
    return Finding(name, gap, condition() if callable(condition) else condition)


def magnification(function: Callable[[Mapping[str, float]], Array], values: Mapping[str, float]) -> float:
    """Return the relative change of a result per unit of relative change of its inputs."""
    rng = random.Random(0)
    at = np.asarray(function(values), float)
    size, most = float(np.max(np.abs(at), initial=0)), 0.0
    for _ in range(6):
        moved = {n: v * (1 + rng.choice((-1, 1)) * _STEP) for n, v in values.items()}
        most = max(most, float(np.max(np.abs(np.asarray(function(moved), float) - at), initial=0)))
    return most / size / _STEP if size else 1.0
