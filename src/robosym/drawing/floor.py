"""The floor: a grid, and the shadows of the solids on it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from robosym.drawing.convex import convex_of, hull
from robosym.drawing.parts import Array
from robosym.drawing.view import SceneView

__all__ = ["grid_lines", "level", "shadows", "spacing"]

_SLANT = 0.28  #: how far a shadow leans for a unit of height


def level(seen: SceneView) -> tuple[Array, Array, Array]:
    """Two directions of the floor, and its point above or below the origin of frame 0."""
    up = np.array(seen.scene.up)
    helper = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
    e1 = helper - (helper @ up) * up
    e1 /= np.linalg.norm(e1)
    return e1, np.cross(up, e1), (seen.scene.floor or 0.0) * up


def spacing(reach: float) -> float:
    """Of the lines of the grid: 1, 2 or 5 times a power of ten, about an eighth of the reach."""
    power = 10 ** math.floor(math.log10(reach / 8))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= reach / 8))


def grid_lines(seen: SceneView) -> Iterator[tuple[Array, Array]]:
    """The lines of the grid in pixels, around the robot."""
    e1, e2, origin = level(seen)
    step = spacing(seen.scene.reach)
    flat = seen.scene.poses[:, :3, 3] @ np.array([e1, e2]).T
    middle = np.round(flat.mean(axis=0) / step) * step
    half = step * math.ceil(1.2 * seen.scene.reach / step)
    for k in np.arange(-half, half + step / 2, step):
        for a, b in (((-half, k), (half, k)), ((k, -half), (k, half))):
            ends = [origin + (middle[0] + u) * e1 + (middle[1] + v) * e2 for u, v in (a, b)]
            yield seen.view.pixels(ends[0]), seen.view.pixels(ends[1])


def shadows(seen: SceneView) -> Iterator[Array]:
    """The outline of the shadow of each solid, in pixels."""
    e1, e2, _ = level(seen)
    up = np.array(seen.scene.up)
    right = seen.view.right - (seen.view.right @ up) * up
    lean = _SLANT * right / max(float(np.linalg.norm(right)), 0.1)
    for solid in seen.scene.solids:
        body = convex_of(solid, seen.scene.poses)
        if body is None:
            continue
        points = body.corners
        if solid.kind == "ball":
            around = np.linspace(0, 2 * math.pi, 16, endpoint=False)
            ring = np.outer(np.cos(around), e1) + np.outer(np.sin(around), e2)
            points = body.ends[0] + solid.radius * ring
        heights = points @ up - (seen.scene.floor or 0.0)
        if heights.max() < 0:
            continue
        fallen = points - heights[:, None] * up + np.maximum(heights, 0)[:, None] * lean
        outline = hull(seen.view.pixels(fallen))
        if len(outline) > 2:
            yield outline
