"""A frame's placement as elementary screws: turns about and shifts along the axes z and x (guide 1.3).

Moving a tensor one screw at a time needs fewer operations than products of full matrices: a turn by a multiple of
Pi/2 is free, and a shift along one axis touches few entries.
"""

from __future__ import annotations

from dataclasses import dataclass

from robosym.algebra.matrix import Scalar
from robosym.spatial.vectors import Vec3

__all__ = ["Screw"]


@dataclass(frozen=True, slots=True)
class Screw:
    """A turn (cosine `c`, sine `s`) about an axis, and a shift along it."""

    axis: str  #: "z" or "x"
    c: Scalar
    s: Scalar
    shift: Scalar

    @property
    def order(self) -> tuple[int, int, int]:
        """The components in cyclic order with the screw's axis last."""
        return (0, 1, 2) if self.axis == "z" else (1, 2, 0)

    def out(self, v: Vec3) -> Vec3:
        """A vector given behind the screw, in the frame before it."""
        return self._turn(v, self.s)

    def back(self, v: Vec3) -> Vec3:
        """A vector given in the frame before the screw, in the frame behind it."""
        return self._turn(v, -self.s)

    def _turn(self, v: Vec3, s: Scalar) -> Vec3:
        parts = list(v)
        x, y, _ = self.order
        parts[x], parts[y] = self.c * parts[x] - s * parts[y], s * parts[x] + self.c * parts[y]
        return Vec3(*parts)
