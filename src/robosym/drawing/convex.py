"""Convex solids in space: bounding planes and corners, in the coordinates of a view."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robosym.drawing.parts import Array, Solid, placed

__all__ = ["Convex", "cast", "convex_of", "hull"]

_SIDES = 40  #: number of sides of a tube
_ROUND = 16  #: points of a rounded corner of a plate
_PAD = 3.2  #: margin of a plate around its corners, in half thicknesses
_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Convex:
    """Convex solid; a ball has no planes, the sides of a tube are shaded smoothly."""

    solid: Solid
    corners: Array  #: shape (n, 3)
    normals: Array  #: shape (planes, 3), pointing outward
    offsets: Array  #: inside, normal . point <= offset
    ends: tuple[Array, ...] = ()  #: ends of a tube or box; center of a ball
    rings: tuple[Array, ...] = ()  #: corners of the flat faces, in the order of the first planes

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Minimum and maximum coordinates."""
        pad = self.solid.radius if self.solid.kind == "ball" else 0.0
        return self.corners.min(axis=0) - pad, self.corners.max(axis=0) + pad


def _circle(axis: Array) -> tuple[Array, Array]:
    """Return two directions perpendicular to an axis, and unit vectors around it."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    e1 = np.cross(axis, helper)
    e1 /= np.linalg.norm(e1)
    angles = 2 * math.pi * np.arange(_SIDES) / _SIDES
    return e1, np.outer(np.cos(angles), e1) + np.outer(np.sin(angles), np.cross(axis, e1))


def convex_of(solid: Solid, poses: Array) -> Convex | None:
    """Return the solid placed by the poses, in frame 0; None if it has no extent."""
    points = [placed(spot, poses) for spot in solid.spots]
    if solid.kind == "ball":
        return Convex(solid, np.array(points), np.zeros((0, 3)), np.zeros(0), (points[0],))
    if solid.kind == "plate":
        return _plate(solid, np.array(points))
    a, b = points
    length = float(np.linalg.norm(b - a))
    if length < _FLAT:
        return None
    axis = (b - a) / length
    if solid.kind == "tube":
        _, around = _circle(axis)
        slope = (solid.radius - solid.end) / length
        sides = (around + slope * axis) / math.hypot(1, slope)
        first, second = a + solid.radius * around, b + solid.end * around
        normals = np.vstack([-axis, axis, sides])
        offsets = np.concatenate([[-axis @ a, axis @ b], np.einsum("ij,ij->i", sides, first)])
        return Convex(solid, np.vstack([first, second]), normals, offsets, (a, b), (first, second))
    side = poses[solid.spots[0].frame][:3, :3] @ np.array(solid.side)
    side = side - (side @ axis) * axis
    e1 = side / np.linalg.norm(side)
    e2 = np.cross(axis, e1)
    ring = solid.radius * np.array([e1 + e2, e2 - e1, -e1 - e2, e1 - e2])
    first, second = a + ring, b + ring
    normals = np.vstack([-axis, axis, e2, -e1, -e2, e1])
    w = solid.radius
    offsets = np.array([-axis @ a, axis @ b, e2 @ a + w, -e1 @ a + w, -e2 @ a + w, e1 @ a + w])
    return Convex(solid, np.vstack([first, second]), normals, offsets, (a, b), (first, second, *_sides(first, second)))


def _sides(one: Array, other: Array) -> Array:
    """Return the faces between two rings of corners, shape (faces, 4, 3)."""
    return np.stack([one, np.roll(one, -1, axis=0), np.roll(other, -1, axis=0), other], axis=1)


def _plate(solid: Solid, points: Array) -> Convex:
    center = points.mean(axis=0)
    e1, e2, normal = _plate_axes(points - center)
    flat = (points - center) @ np.array([e1, e2]).T
    angles = 2 * math.pi * np.arange(_ROUND) / _ROUND
    circle = _PAD * solid.radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    outline = hull((flat[:, None] + circle[None]).reshape(-1, 2))
    rim = center + outline @ np.array([e1, e2])
    top, bottom = rim + solid.radius * normal, rim - solid.radius * normal
    edges = np.roll(rim, -1, axis=0) - rim
    sides = np.cross(edges, normal)
    sides /= np.linalg.norm(sides, axis=1)[:, None]
    if (sides[0] @ (rim[0] - center)) < 0:
        sides = -sides
    normals = np.vstack([normal, -normal, sides])
    offsets = np.concatenate(
        [[normal @ center + solid.radius, -normal @ center + solid.radius], np.einsum("ij,ij->i", sides, rim)]
    )
    return Convex(solid, np.vstack([top, bottom]), normals, offsets, (), (top, bottom, *_sides(top, bottom)))


def _plate_axes(arms: Array) -> Array:
    """Return the axes of a plate through points around its center, shape (3, 3); the last is its normal.

    Singular vectors of a regular polygon are arbitrary in its plane, and so would be the order of corners: the first
    axis points to the farthest point, and the greatest component of the normal is positive.
    """
    normal = np.linalg.svd(arms)[2][2]
    normal = normal * np.sign(normal[np.argmax(np.abs(normal).round(6))])
    flat = arms - np.outer(arms @ normal, normal)
    distances = np.linalg.norm(flat, axis=1)
    e1 = flat[np.argmax((distances / distances.max()).round(6))]
    e1 = e1 / np.linalg.norm(e1)
    return np.array([e1, np.cross(normal, e1), normal])


def hull(points: Array) -> Array:
    """Return the corners of the convex hull of points in the plane, in order (Andrew's algorithm)."""
    ordered = sorted({(round(float(x), 9), round(float(y), 9)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)

    def chain(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        found: list[tuple[float, float]] = []
        for p in sequence:
            while len(found) > 1:
                (ax, ay), (bx, by) = found[-2:]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def cast(body: Convex, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the height towards the viewer of the visible surface at points of the picture, and its normals.

    The height is -inf outside of the solid, which is in view coordinates: x right, y up, z towards the viewer.
    """
    if body.solid.kind == "ball":
        center, r = body.ends[0], body.solid.radius
        u, v = (x - center[0]) / r, (y - center[1]) / r
        inside = 1 - u * u - v * v
        w = np.sqrt(np.maximum(inside, 0))
        return np.where(inside > 0, center[2] + r * w, -np.inf), np.stack([u, v, w], axis=-1)
    nx, ny, nz = body.normals.T
    front, back, upright = nz > _FLAT, nz < -_FLAT, np.abs(nz) <= _FLAT
    bound = body.offsets[:, None] - nx[:, None] * x - ny[:, None] * y
    tops = bound[front] / nz[front, None]
    which = tops.argmin(axis=0)
    top = tops[which, np.arange(len(x))]
    hit = top >= (bound[back] / nz[back, None]).max(axis=0, initial=-np.inf)
    hit &= (bound[upright] >= 0).all(axis=0)
    normals = body.normals[np.flatnonzero(front)[which]]
    if body.solid.kind == "tube":
        a, b = body.ends
        axis = (b - a) / np.linalg.norm(b - a)
        smooth = np.flatnonzero(front)[which] > 1
        point = np.stack([x, y, top], axis=-1) - a
        radial = point - (point @ axis)[:, None] * axis
        radial /= np.linalg.norm(radial, axis=1)[:, None] + _FLAT
        normals = np.where(smooth[:, None], radial, normals)
    return np.where(hit, top, -np.inf), normals
