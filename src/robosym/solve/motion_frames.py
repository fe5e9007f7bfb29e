"""Motions of platforms, and the frames in which they are simplest: z normal to the plane, origin at the center.

In these frames the motion is a rotation about z in the plane z = 0, a rotation about the origin, or a translation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import generic_values
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ZERO
from robosym.coordinates.many_starts import Search
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.spatial import Mat3, Scalar, Vec3

__all__ = ["IN_SPACE", "MotionFrames", "about_center", "constant", "in_plane", "without_turning"]

_WHOLE = 1e-12  #: an entry nearer to a whole number is one
_FLAT = 1e-6  #: m: points that lie in a plane

Pose = tuple[Mat3, Vec3]


@dataclass(frozen=True)
class MotionFrames:
    """Points and poses, in frame 0 and on the platform, to the frames of the motion and back."""

    motion: str  #: a name of `continuation.MOTIONS`
    of_base: Callable[[Vec3], Vec3]
    of_platform: Callable[[Vec3], Vec3]
    enter: Callable[[Mat3, Vec3], Pose]  #: the pose, of expressions, seen in the frames of the motion
    leave: Callable[[Mat3, Vec3], Pose]  #: and back
    vectors: tuple[Vec3, ...] = ()  #: expressions that `enter` and `leave` hold


def _same(point: Vec3) -> Vec3:
    return point


def _pose(R: Mat3, P: Vec3) -> Pose:
    return R, P


IN_SPACE = MotionFrames("space", _same, _same, _pose, _pose)


def constant(vector: Vec3) -> Array | None:
    """Return a constant vector as numbers, tested at two generic points; None if it is not constant."""
    entries = [entry for entry in vector if isinstance(entry, Expr)]
    values = []
    for seed in (0, 1):
        known = evaluate(entries, generic_values(symbols(entries), seed))
        numbers = iter(known)
        values.append(np.array([next(numbers) if isinstance(x, Expr) else float(x) for x in vector], dtype=float))
    return _tidy(values[0]) if np.abs(values[0] - values[1]).max() < ZERO else None


def _tidy(values: Array) -> Array:
    """Round entries that differ from integers by rounding errors only."""
    return np.asarray(np.where(np.abs(values - np.round(values)) < _WHOLE, np.round(values), values))


def _upright(normal: Array) -> Mat3:
    """Return a rotation whose z axis is this unit vector."""
    helper = np.eye(3)[int(np.abs(normal[:2]).argmin())] if abs(normal[2]) < 1 else np.array([1.0, 0, 0])
    x = helper - (helper @ normal) * normal
    x = _tidy(x / np.linalg.norm(x))
    return Mat3.of(*map(_number, (*x, *_tidy(np.cross(normal, x)), *normal)))


def _number(value: float) -> Scalar:
    return int(value) if value == round(value) else float(value)


def in_plane(normal: Array | None, on_platform: Array | None, origin: Vec3) -> MotionFrames | None:
    """Return the planar motion normal to a vector of frame 0, given that vector and a height on the platform."""
    if normal is None or on_platform is None:
        return None
    G, H = _upright(normal), _upright(on_platform)
    height = (G @ origin).z

    def flat(T: Mat3) -> Callable[[Vec3], Vec3]:
        def point(v: Vec3) -> Vec3:
            seen = T @ v
            return Vec3(seen.x, seen.y, 0)

        return point

    def enter(R: Mat3, P: Vec3) -> Pose:
        x, y, _ = (G @ R @ H.T).rows
        c, s = x.x + y.y, y.x - x.y
        square = c * c + s * s
        over = 1 / square.graph.function("sqrt", square)
        c, s = c * over, s * over
        return Mat3.of(c, -s, 0, s, c, 0, 0, 0, 1), flat(G)(P)

    def leave(R: Mat3, P: Vec3) -> Pose:
        return G.T @ R @ H, G.T @ Vec3(P.x, P.y, height)

    return MotionFrames("plane", flat(G), flat(H), enter, leave, (Vec3(0, 0, height),))


def about_center(center: Vec3, on_platform: Vec3) -> MotionFrames:
    """Return the motion about a point, given in frame 0 and in the frame of the platform."""

    def enter(R: Mat3, P: Vec3) -> Pose:
        return R, Vec3(0, 0, 0)

    def leave(R: Mat3, P: Vec3) -> Pose:
        return R, center - R @ on_platform

    return MotionFrames(
        "sphere", lambda v: v - center, lambda v: v - on_platform, enter, leave, (center, on_platform)
    )  # fmt: skip


def without_turning(robot: Robot) -> MotionFrames | None:
    """Return the motion of a platform with constant orientation, tested at and around the reference position."""
    search = Search(robot)
    if search.parameters or not search.reference:
        return None
    try:
        poses = search.around_reference()
    except InputError:
        return None
    turned = np.abs(poses[:, :3, :3] - poses[0, :3, :3]).max()
    if len(poses) < 3 or turned > ZERO or np.linalg.matrix_rank(poses[1:, :3, 3] - poses[0, :3, 3], _FLAT) < 3:
        return None
    R0 = Mat3.of(*map(_number, _tidy(poses[0, :3, :3]).ravel()))
    one = Mat3.identity()
    return MotionFrames("translation", _same, lambda v: R0 @ v, lambda R, P: (one, P), lambda R, P: (R0, P))
