"""Volumes and inertias of the shapes that stand for bodies in MJCF."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["SHAPES", "solid"]

SHAPES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}  #: and how many sizes they have


def solid(shape: str, size: Sequence[float]) -> tuple[float, tuple[float, float, float]]:
    """Volume, and moments of inertia for a unit of mass about its own axes."""
    if shape == "sphere":
        r = size[0]
        moment = 2 * r * r / 5
        return 4 * math.pi * r**3 / 3, (moment, moment, moment)
    if shape == "cylinder":
        r, h = size[0], 2 * size[1]
        across = (3 * r * r + h * h) / 12
        return math.pi * r * r * h, (across, across, r * r / 2)
    if shape == "capsule":
        return _capsule(size[0], 2 * size[1])
    a, b, c = (entry * entry for entry in size[:3])
    part = 3 if shape == "box" else 5
    volume = 8 * math.prod(size[:3]) if shape == "box" else 4 * math.pi * math.prod(size[:3]) / 3
    return volume, ((b + c) / part, (a + c) / part, (a + b) / part)


def _capsule(r: float, h: float) -> tuple[float, tuple[float, float, float]]:
    """A cylinder of height h and two half balls."""
    tube, balls = math.pi * r * r * h, 4 * math.pi * r**3 / 3
    volume = tube + balls
    share, rest = tube / volume, balls / volume
    across = share * (3 * r * r + h * h) / 12 + rest * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8)
    return volume, (across, across, share * r * r / 2 + rest * 2 * r * r / 5)
