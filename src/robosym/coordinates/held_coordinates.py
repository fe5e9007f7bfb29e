"""The legs of a parallel robot closed while some coordinates of its platform are held, in numbers.

Coordinates are x, y, z of the origin and roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll) R0, from a start R0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.algebra.newton import Equations
from robosym.algebra.samples import Array
from robosym.coordinates.gaps import Geometry
from robosym.coordinates.many_starts import Search

__all__ = ["closed_at", "coordinates_of"]

_UPRIGHT = 1e-9  #: the least cosine of the pitch for which rates of roll and yaw are told apart


def closed_at(search: Search, geometry: Geometry, goals: Array, places: Sequence[int], start: Array) -> Equations:
    """Equations for Newton's method: gaps of the loops, and coordinates (their places) less goals (n, coordinates)."""
    gaps, robot = search.gaps, search.robot
    leg = [j for j in robot.legs[0] if robot.frame(j).is_joint]  # its numbers are those of the closed robot
    columns = [gaps.joints.index(j) for j in leg]
    turning = [place > 2 for place in places]

    def equations(x: Array, starts: Array) -> tuple[Array, Array]:
        gap, slope = gaps.linearised(geometry, x)
        T = search.platform(x, {})
        twists = np.zeros((len(x), 6, x.shape[1]))
        twists[..., columns] = gaps.twists(gaps.poses(geometry.frames, x), T[:, :3, 3], leg)
        here = coordinates_of(T, start)
        away = here[:, places] - goals[starts]
        away = np.where(turning, np.remainder(away + np.pi, 2 * np.pi) - np.pi, away)
        twists[:, 3:] = _angle_rates(here) @ twists[:, 3:]
        return np.concatenate([gap, away], axis=1), np.concatenate([slope, twists[:, places]], axis=1)

    return equations


def coordinates_of(T: Array, start: Array) -> Array:
    """x, y, z, roll, pitch, yaw (n, 6) of matrices (n, 4, 4)."""
    R = T[:, :3, :3] @ start[:3, :3].T
    roll, yaw = np.arctan2(R[:, 2, 1], R[:, 2, 2]), np.arctan2(R[:, 1, 0], R[:, 0, 0])
    pitch = np.arctan2(-R[:, 2, 0], np.hypot(R[:, 0, 0], R[:, 1, 0]))
    return np.column_stack([T[:, :3, 3], roll, pitch, yaw])


def _angle_rates(coordinates: Array) -> Array:
    """The rates of roll, pitch and yaw by the angular velocity in frame 0 (n, 3, 3)."""
    pitch, yaw = coordinates[:, 4], coordinates[:, 5]
    cy, sy, cp = np.cos(yaw), np.sin(yaw), np.cos(pitch)
    cp = np.where(np.abs(cp) < _UPRIGHT, _UPRIGHT, cp)
    tp, zero = np.sin(pitch) / cp, np.zeros_like(pitch)
    rows = [[cy / cp, sy / cp, zero], [-sy, cy, zero], [cy * tp, sy * tp, zero + 1]]
    return np.moveaxis(np.array(rows), -1, 0)
