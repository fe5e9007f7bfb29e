"""View of a scene: a parallel projection with a direction, a center and a scale.

The floor with its grid and the shadows of the solids follow from the view.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Union

import numpy as np

from robosym.algebra.once import cached_property
from robosym.drawing.convex import Convex, cast, convex_of, hull
from robosym.drawing.parts import Array, placed
from robosym.drawing.scene import Scene
from robosym.errors import InputError, closest

__all__ = ["VIEWS", "SceneView", "View", "grid_lines", "level", "seen", "shadows", "spacing", "view_angles"]

#: azimuth from the horizontal part of x0 and elevation, in degrees
VIEWS = {
    "auto": None, "iso": (-50.0, 24.0), "front": (-90.0, 0.0), "back": (90.0, 0.0), "right": (0.0, 0.0),
    "left": (180.0, 0.0), "top": (-90.0, 90.0), "bottom": (-90.0, -90.0),
}  # fmt: skip
_AZIMUTHS = (-50.0, -70.0, -30.0, -110.0, -130.0, -150.0, -10.0, 30.0, 50.0, 130.0, 150.0)
_ELEVATION = 20.0
_LEAST = 1e-3  #: minimum visible extent, relative to the reach
_WIDE = 240  #: number of points across the picture at which heights are compared
_MARGIN = 0.09  #: margin, relative to the picture
Wanted = Union[str, Sequence[float]]


@dataclass(frozen=True, eq=False)
class View:
    """Directions in frame 0, center and scale of the picture."""

    right: Array
    above: Array
    toward: Array
    center: Array
    scale: float  #: pixels per meter
    width: float
    height: float

    @property
    def turn(self) -> Array:
        return np.array([self.right, self.above, self.toward])

    def into(self, points: Array) -> Array:
        """Return points of frame 0 in view coordinates, in pixels: x right, y up, z towards the viewer."""
        return np.asarray((np.asarray(points) - self.center) @ self.turn.T * self.scale)

    def pixels(self, points: Array) -> Array:
        """Return points of frame 0 in the picture: x right, y down, from the upper left corner."""
        p = self.into(points)
        return np.stack([self.width / 2 + p[..., 0], self.height / 2 - p[..., 1]], axis=-1)

    def of(self, body: Convex) -> Convex:
        """Return a solid of frame 0 in view coordinates, in pixels."""
        normals = body.normals @ self.turn.T
        offsets = (body.offsets - body.normals @ self.center) * self.scale
        solid = replace(body.solid, radius=body.solid.radius * self.scale, end=body.solid.end * self.scale)
        ends, rings = (tuple(self.into(p) for p in points) for points in (body.ends, body.rings))
        return Convex(solid, self.into(body.corners), normals, offsets, ends, rings)


@dataclass(frozen=True, eq=False)
class SceneView:
    """Scene in a view, with its solids in pixels."""

    scene: Scene
    view: View
    bodies: tuple[Convex, ...]

    @cached_property
    def depths(self) -> Array:
        """Heights of the solids at points of a coarse grid by rows, shape (solids, points); -inf outside."""
        view = self.view
        step = view.width / _WIDE
        xs = np.arange(-view.width / 2 + step / 2, view.width / 2, step)
        ys = np.arange(view.height / 2 - step / 2, -view.height / 2, -step)
        x, y = (grid.ravel() for grid in np.meshgrid(xs, ys))
        depths = np.full((len(self.bodies), len(x)), -np.inf)
        for place, body in enumerate(self.bodies):
            low, high = body.bounds
            near = (x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1])
            if near.any():
                depths[place, near] = cast(body, x[near], y[near])[0]
        return depths

    @cached_property
    def covered(self) -> Array:
        """Cells of the coarse grid that are covered by a solid, shape (rows, columns)."""
        return np.isfinite(self.depths).any(axis=0).reshape(-1, _WIDE)


def _level_axes(up: Array) -> tuple[Array, Array]:
    """Return two directions perpendicular to each other and to `up`."""
    level = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
    e1 = level - (level @ up) * up
    e1 /= np.linalg.norm(e1)
    return e1, np.cross(up, e1)


def _directions(azimuth: float, elevation: float, up: Array) -> tuple[Array, Array, Array]:
    """Return the directions right, up and towards the viewer."""
    e1, e2 = _level_axes(up)
    a, e = math.radians(azimuth), math.radians(elevation)
    ahead = math.cos(a) * e1 + math.sin(a) * e2
    toward = math.cos(e) * ahead + math.sin(e) * up
    above = math.cos(e) * up - math.sin(e) * ahead
    return np.cross(above, toward), above, toward


def seen(scene: Scene, wanted: Wanted = "auto", size: tuple[float, float] = (720, 540)) -> SceneView:
    """Return the scene in a named view or from (azimuth, elevation) in degrees, as large as possible."""
    bodies = [body for solid in scene.solids if (body := convex_of(solid, scene.poses)) is not None]
    extent = np.vstack([_extent(bodies), _marks(scene)])
    angles = view_angles(scene, wanted)
    right, above, toward = _directions(*angles, np.array(scene.up))
    flat = extent @ np.array([right, above]).T
    low, high = flat.min(axis=0), flat.max(axis=0)
    available = np.array(size) * (1 - 2 * _MARGIN)
    span = np.maximum(high - low, _LEAST * scene.reach)
    middle = (low + high) / 2
    center = middle[0] * right + middle[1] * above
    view = View(right, above, toward, center, float((available / span).min()), *map(float, size))
    return SceneView(scene, view, tuple(view.of(body) for body in bodies))


def _extent(bodies: Sequence[Convex]) -> Array:
    points = []
    for body in bodies:
        if body.solid.kind == "ball":
            points += [body.ends[0] + body.solid.radius * s * e for e in np.eye(3) for s in (-1, 1)]
        else:
            points += list(body.corners)
    return np.array(points) if points else np.zeros((1, 3))


def _marks(scene: Scene) -> Array:
    """Return ends of axes and origins, which must be visible too."""
    return np.array([*scene.poses[:, :3, 3], *(placed(s, scene.poses) for a in scene.axes for s in (a.start, a.end))])


def view_angles(scene: Scene, wanted: Wanted) -> tuple[float, float]:
    """Return azimuth and elevation in degrees."""
    if isinstance(wanted, str) and "," in wanted:
        return _degrees(wanted.split(","))
    if isinstance(wanted, str):
        if wanted not in VIEWS:
            expected = f"expected {', '.join(VIEWS)} or (azimuth, elevation) in degrees"
            raise InputError(f"view: {expected}, found {wanted!r}{closest(wanted, VIEWS)}")
        angles = VIEWS[wanted]
        return _best(scene) if angles is None else angles
    return _degrees(wanted)


def _degrees(wanted: Sequence[str | float]) -> tuple[float, float]:
    try:
        azimuth, elevation = map(float, wanted)
    except (TypeError, ValueError):
        raise InputError(f"view: expected a name or (azimuth, elevation) in degrees, found {wanted!r}") from None
    if not (math.isfinite(azimuth) and -90 <= elevation <= 90):
        raise InputError(f"view: expected an elevation from -90 to 90 degrees, found {azimuth!r}, {elevation!r}")
    return azimuth, elevation


def _best(scene: Scene) -> tuple[float, float]:
    """Return the view, slightly from above, in which the origins are farthest apart; the first one if equal."""
    points = _marks(scene)
    up = np.array(scene.up)
    axes = [scene.poses[j][:3, 2] for j in scene.robot.tree_joints]
    # a planar robot: nearly perpendicular to its plane
    if len(axes) > 1 and all(abs(axis @ axes[0]) > 0.999 for axis in axes):
        upright = abs(axes[0] @ up)
        if upright > 0.9:
            return -60.0, 48.0
        level = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
        return math.degrees(math.atan2(axes[0] @ np.cross(up, level), axes[0] @ level)) + 25.0, _ELEVATION

    def spread(angles: tuple[float, float]) -> float:
        right, above, _ = _directions(*angles, up)
        flat = points @ np.array([right, above]).T
        apart = np.linalg.norm(flat[:, None] - flat[None], axis=-1)
        return float(np.sqrt(apart).mean())

    views = [(azimuth, _ELEVATION) for azimuth in _AZIMUTHS]
    worth = [spread(view) - 0.004 * k * math.sqrt(scene.reach) for k, view in enumerate(views)]
    return views[int(np.argmax(worth))]


_SLANT = 0.28  #: horizontal displacement of a shadow per unit of height


def level(seen: SceneView) -> tuple[Array, Array, Array]:
    """Return two directions of the floor, and its point above or below the origin of frame 0."""
    up = np.array(seen.scene.up)
    return *_level_axes(up), (seen.scene.floor or 0.0) * up


def spacing(reach: float) -> float:
    """Return the spacing of the grid: 1, 2 or 5 times a power of ten, about an eighth of the reach."""
    power = 10 ** math.floor(math.log10(reach / 8))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= reach / 8))


def grid_lines(seen: SceneView) -> Iterator[tuple[Array, Array]]:
    """Yield the grid lines in pixels, around the robot."""
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
    """Yield the outline of the shadow of each solid, in pixels."""
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
