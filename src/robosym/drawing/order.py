"""Which solid hides which: the order in which a picture without depth paints them."""

from __future__ import annotations

import numpy as np

from robosym.drawing.parts import Array

__all__ = ["painted_order"]


def painted_order(depths: Array) -> list[int]:
    """Places of solids, the farthest first, from their heights (solids, points) towards the viewer.

    Of two solids that overlap in the picture, the one that is in front at most of the points they share is painted
    later; where that goes round in a circle, the least contradiction is accepted.
    """
    count = len(depths)
    behind = np.zeros((count, count))  # behind[a, b]: points at which a is behind b, less those at which it is before
    there = np.isfinite(depths)
    for a in range(count):
        points = np.flatnonzero(there[a])
        shared = there[:, points]
        with np.errstate(invalid="ignore"):
            behind[a] = np.where(shared, np.sign(depths[:, points] - depths[a, points]), 0).sum(axis=1)
    middle = [float(row[seen].mean()) if seen.any() else 0.0 for row, seen in zip(depths, there, strict=True)]
    left, order = list(range(count)), []
    while left:
        first = min(left, key=lambda a: (float(np.maximum(behind[left, a], 0).sum()), middle[a]))
        order.append(first)
        left.remove(first)
    return order
