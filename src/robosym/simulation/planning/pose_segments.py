"""Lines and arcs between poses, over a parameter from 0 to 1, with a rotation about one axis: numbers and expressions.

The orientation turns at a constant rate over the parameter, along the shorter way between both quaternions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robosym.algebra.arrays import Array
from robosym.errors import InputError

__all__ = ["PoseSegment", "segment_between"]

_STRAIGHT = 1e-9  #: sine of the angle at a via point below which three points are on a line


class SegmentDerivatives(NamedTuple):
    """Position and rotation of a segment at a parameter, with the derivatives of the position with respect to it."""

    position: Any
    slope: Any
    bend: Any
    rotation: Any  #: (..., 3, 3)


@dataclass(frozen=True, eq=False)
class PoseSegment:
    """Path from one pose to the next: P = P0 + s d, or an arc c + r (cos(s a) u + sin(s a) v); R = exp(s w) R0."""

    start: Array  #: (4, 4)
    way: Array  #: d of a line, zero for an arc
    turn: Array  #: w, rotation vector in the axes of the poses
    center: Array | None = None
    first: Array | None = None  #: r u
    second: Array | None = None  #: r v
    sweep: float = 0.0

    @property
    def length(self) -> float:
        """Length of the path in m."""
        if self.first is not None:
            return float(np.linalg.norm(self.first)) * self.sweep
        return float(np.linalg.norm(self.way))

    @property
    def angle(self) -> float:
        """Angle of the rotation in rad."""
        return float(np.linalg.norm(self.turn))

    @property
    def curvature(self) -> float:
        """Inverse of the radius in 1/m; zero for a line."""
        return 0.0 if self.first is None else 1 / float(np.linalg.norm(self.first))

    def at(self, s: Any, cos: Callable[[Any], Any], sin: Callable[[Any], Any]) -> SegmentDerivatives:
        """Return the path at a parameter, a number, an array of shape (..., 1) or an expression per entry."""
        P0 = self.start[:3, 3]
        if self.center is None:
            position = [p + s * d for p, d in zip(P0, self.way, strict=True)]
            slope, bend = [0 * s + d for d in self.way], [0 * s for _ in P0]
        else:
            assert self.first is not None and self.second is not None
            c, n, a = cos(self.sweep * s), sin(self.sweep * s), self.sweep
            uv = list(zip(self.center, self.first, self.second, strict=True))
            position = [o + c * u + n * v for o, u, v in uv]
            slope = [a * (c * v - n * u) for _, u, v in uv]
            bend = [-a * a * (c * u + n * v) for _, u, v in uv]
        return SegmentDerivatives(position, slope, bend, self._rotation(s, cos, sin))

    def _rotation(self, s: Any, cos: Callable[[Any], Any], sin: Callable[[Any], Any]) -> list[list[Any]]:
        """Return R by the formula of Rodrigues: R0 + sin(a s) K R0 + (1 - cos(a s)) K K R0."""
        R0 = self.start[:3, :3]
        if not self.angle:
            return [[0 * s + entry for entry in row] for row in R0]
        x, y, z = self.turn / self.angle
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        c, n = 1 - cos(self.angle * s), sin(self.angle * s)
        rows = zip(R0, K @ R0, K @ K @ R0, strict=True)
        return [[a + n * b + c * d for a, b, d in zip(*row, strict=True)] for row in rows]


def segment_between(start: Array, end: Array, via: Array | None, where: str) -> PoseSegment:
    """Return the line between two poses, or the arc through a point."""
    turn = _turn_between(start[:3, :3], end[:3, :3])
    P0, P1 = start[:3, 3], end[:3, 3]
    if via is None:
        if not (P1 - P0).any() and not turn.any():
            raise InputError(f"{where}: expected a pose different from the previous one")
        return PoseSegment(start, P1 - P0, turn)
    a, b = via - P0, P1 - P0
    normal = np.cross(a, b)
    size = float(np.linalg.norm(normal))
    if size <= _STRAIGHT * float(np.linalg.norm(a) * np.linalg.norm(b)) or not (b.any() and a.any()):
        raise InputError(f"{where}: expected a via point off the line between both poses, found {via.tolist()}")
    center = P0 + (np.cross(normal, a) * (b @ b) - np.cross(normal, b) * (a @ a)) / (2 * size**2)
    first, axis = P0 - center, normal / size
    second = np.cross(axis, first)
    last = P1 - center
    sweep = float(np.arctan2(last @ second, last @ first) % (2 * np.pi))
    return PoseSegment(start, np.zeros(3), turn, center, first, second, sweep)


def _turn_between(A: Array, B: Array) -> Array:
    """Return the rotation vector from one orientation to another, in their common axes, exact up to half a turn."""
    R = B @ A.T
    trace = np.trace(R)
    # four times the squares of the components of the quaternion: the largest one is divided by
    squares = np.array([1 + trace, *(1 + 2 * np.diag(R) - trace)])
    k = int(squares.argmax())
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        quaternion = np.array([squares[0], *v])
    else:
        i = k - 1
        row = (R + R.T)[i].copy()
        row[i] = squares[k]
        quaternion = np.array([v[i], *row])
    quaternion *= np.sign(quaternion[0] or 1.0) / np.linalg.norm(quaternion)
    size = float(np.linalg.norm(quaternion[1:]))
    if not size:
        return np.zeros(3)
    return np.asarray(quaternion[1:] * (2 * np.arctan2(size, quaternion[0]) / size))
