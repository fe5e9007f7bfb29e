"""All poses of a platform whose points are at given distances from points of the base.

This is the direct geometric problem of the Gough-Stewart robot, and of every robot whose legs keep two points at a
given distance. The solutions of one generic instance (40 in space) are data: `starts.json`, written by
`tools/starts.py`. They are followed once to a generic member of the family of the robot, with the constant points and
lengths of the robot and generic complex numbers for the quantities that its motors change. From there, the finite
solutions are followed to each position of the motors.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import numbers
from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.coordinates.platform_poses import PlatformPoses
from robosym.errors import InputError
from robosym.solve.continuation import MOTIONS, Instance, derivatives, follow, inverses, refined

__all__ = ["Distances"]

_GOAL, _MET = 1e-16, 1e-13  #: errors at which Newton's method ends, and at which a point is a solution


_APPROXIMATE = 0.157  #: Smale: Newton's method converges from a point whose alpha is below (13 - 3 sqrt(17)) / 4
_SAME = 1e-7  #: two points of projective space nearer to each other, as one minus the cosine, are one
_REAL, _ALMOST = 1e-7, 3e-2  #: imaginary parts of real solutions: of single ones, and of those that meet
_FLAT = 1e-5  #: e^2 of a point of length 1 that tends to infinity
_LATE = 0.999  #: a path that stops earlier, in parts of the way, was lost
_APART = 1e-4  #: poses found where several solutions meet are one if they are nearer than this
_AWAY = 0.35  #: how far from real numbers a family starts, in parts of its size
_CAUTIONS = (1.0, 0.1, 0.01)  #: factors of the steps, tried until the ends of the paths are distinct
_DAMPING = Damping(first=1e-6, less=10, more=10, least=1e-16, most=1e8)


@dataclass(frozen=True)
class _Ends:
    """Ends of paths (m, n), which of them are certified to be near a distinct solution, and which are at infinity."""

    x: Array
    regular: Array
    infinite: Array
    distinct: bool  #: whether no two of the regular ones are the same, and no path stopped on the way


class Distances:
    """Poses from distances for one robot: points `base` and `platform` (legs, 3), `lengths` (legs,) in one position.

    `moving` says which of them the motors change: any of "base", "platform", "lengths". Six legs hold a platform that
    moves in space, three legs one that moves in the plane z = 0, about the origin, or without rotation.
    """

    def __init__(
        self,
        base: ArrayLike,
        platform: ArrayLike,
        lengths: ArrayLike,
        moving: Collection[str] = ("lengths",),
        motion: str = "space",
    ) -> None:
        self.motion = MOTIONS[motion]
        a, b, lengths = self._checked(base, platform, lengths)
        turning = motion == "sphere"  # its center stays where it is
        self._center = (0 * a[0], 0 * b[0]) if turning else (a.mean(0), b.mean(0))
        spread = float(np.sqrt(((a - self._center[0]) ** 2).mean() + ((b - self._center[1]) ** 2).mean()))
        if not spread:
            raise InputError(
                "the points of the base coincide, and so do those of the platform: every pose has the same lengths"
            )
        self._unit = max(spread, 0.5 * float(np.sqrt((lengths**2).mean())))
        self._family = self._start(*self._scaled(a, b, lengths), moving)
        x, start = _stored(motion)
        ends = _ends(x, start, self._family)
        self._x = refined(ends.x[ends.regular], self._family)[0]
        self.finite = len(self._x)  #: how many complex poses the robot has with motors in general position
        if not self.finite:
            raise InputError(
                f"architecture singularity: {len(a)} legs between these points never fix the platform: it has no pose "
                "for generic lengths, and for others it can move while all motors are locked"
            )
        #: whether they are distinct, so that no path was lost
        self.certain = ends.distinct and bool(np.all(ends.regular | ends.infinite))

    def _checked(self, base: ArrayLike, platform: ArrayLike, lengths: ArrayLike) -> tuple[Array, Array, Array]:
        n = self.motion.legs
        return numbers("base", base, (n, 3)), numbers("platform", platform, (n, 3)), numbers("lengths", lengths, (n,))

    def _scaled(self, a: Array, b: Array, lengths: Array) -> tuple[Array, Array, Array]:
        return (a - self._center[0]) / self._unit, (b - self._center[1]) / self._unit, (lengths / self._unit) ** 2

    def _start(self, a: Array, b: Array, d: Array, moving: Collection[str]) -> Instance:
        """Return a generic instance of the robot's family, close to the given one."""
        draw = random_arrays("poses of a platform")

        def shifted(value: Array, moves: bool, size: float) -> Array:
            if not moves:
                return value.astype(complex)
            signs = draw.choice([-1.0, 1.0], value.shape)
            real, imaginary = draw.normal(size=value.shape), signs * draw.uniform(0.5, 1.5, value.shape)
            return np.asarray(value + _AWAY * size * (0.3 * real + 1j * imaginary))

        a, b = shifted(a, "base" in moving, 1.0), shifted(b, "platform" in moving, 1.0)
        if self.motion.name == "plane":
            a[:, 2] = b[:, 2] = 0
        return Instance.of(self.motion, a, b, shifted(d, "lengths" in moving, max(float(d.mean()), 0.1)))

    def solve(self, base: ArrayLike, platform: ArrayLike, lengths: ArrayLike) -> PlatformPoses:
        """Return all real poses; see `PlatformPoses` for the counts."""
        a, b, lengths = self._checked(base, platform, lengths)
        instance = Instance.of(self.motion, *self._scaled(a, b, lengths))
        for caution in _CAUTIONS:
            ends = _ends(self._x, self._family, instance, caution)
            mirrored = _closed(ends.x[ends.regular].conj(), ends.x[ends.regular])
            if ends.distinct and mirrored:
                break
        x = _real(refined(ends.x[ends.regular], instance)[0], _REAL)
        meeting = _meeting(ends.x[~ends.regular & ~ends.infinite], instance, x)
        solutions = self.motion.complete(np.concatenate([x, meeting]).real)
        singular = np.arange(len(solutions)) >= len(x)
        R, P = _pose(solutions)
        P = P * self._unit + self._center[0] - np.einsum("kij,j->ki", R, self._center[1])
        reached = P[:, None] + np.einsum("kij,lj->kli", R, b) - a
        errors = np.abs(np.linalg.norm(reached, axis=2) - np.abs(lengths)).max(axis=1, initial=0)
        good = errors <= SOLVED * max(1.0, self._unit)
        rows = np.concatenate([R.reshape(-1, 9), P], axis=1)
        complete = self.certain and ends.distinct and mirrored and bool(np.all(ends.regular | ends.infinite))
        return PlatformPoses.of(
            rows[good], errors[good], singular[good], "by continuation",
            complex=int(ends.regular.sum()), complete=complete and bool(good.all()),
            infinite=self.motion.solutions - self.finite + int(ends.infinite.sum()),
        )  # fmt: skip


@cache
def _stored(motion: str) -> tuple[Array, Instance]:
    """Return the stored solutions and their instance."""
    data = json.loads(files("robosym.solve").joinpath("starts.json").read_text(encoding="utf-8"))[motion]
    a, b, d, x = (np.array(data[name])[..., 0] + 1j * np.array(data[name])[..., 1] for name in ("a", "b", "d", "x"))
    instance = Instance.of(MOTIONS[motion], a, b, d)
    return refined(x, instance, 4)[0], instance


def _ends(x: Array, start: Instance, end: Instance, caution: float = 0.3) -> _Ends:
    paths = follow(x, start, end, caution)
    reached, late = paths.x, paths.t > _LATE
    alpha = _alpha(reached, end)
    regular = alpha < _APPROXIMATE
    flat = np.abs((reached[:, : end.motion.turns] ** 2).sum(1)) < _FLAT
    points = reached[regular]
    near = np.abs(points.conj() @ points.T) > 1 - _SAME
    distinct = int(near.sum()) == len(points)
    return _Ends(reached, regular, flat & late & ~regular, distinct and bool(np.all(late)))


def _alpha(x: Array, instance: Instance) -> Array:
    """Return Smale's alpha of each point: below `_APPROXIMATE`, Newton's method converges to a solution.

    Beta is the length of the Newton step; gamma, for quadratic equations, is half the norm of the inverse of the
    first derivative times the second derivative.
    """
    f, J = derivatives(x, instance)
    inverse = inverses(J)
    beta = np.linalg.norm(np.matmul(inverse, f[:, :, None])[..., 0], axis=1)
    W, study, square = instance.W, instance.motion.study, np.arange(x.shape[1]) < instance.motion.turns
    forms = np.swapaxes(W, 1, 2) @ W - instance.d[:, None, None] * np.diag(square)
    sizes = [*np.linalg.norm(forms, 2, axis=(1, 2)), *([] if study is None else [np.linalg.norm(study, 2)])]
    gamma = 0.5 * (np.linalg.norm(inverse[:, :, :-1], axis=1) * sizes).sum(1)
    return np.asarray(beta * gamma)


def _closed(images: Array, points: Array) -> bool:
    """Return whether each image is one of the points."""
    return bool(np.all((np.abs(images.conj() @ points.T) > 1 - _SAME).any(axis=1)))


def _real(x: Array, tolerance: float) -> Array:
    """Return the points that are real up to a common factor, divided by it."""
    largest = np.take_along_axis(x, np.abs(x).argmax(axis=1)[:, None], axis=1)
    x = x * (np.abs(largest) / largest)
    return np.asarray(x[np.abs(x.imag).max(axis=1, initial=0) < tolerance])


def _meeting(x: Array, instance: Instance, known: Array) -> Array:
    """Real solutions in which several paths meet: searched from the ends of these paths, each kept once."""

    def equations(trial: Array, _: Array) -> tuple[Array, Array]:
        f, J = derivatives(trial.astype(complex), instance)
        J = J.real.copy()
        J[:, -1] = 2 * trial
        f = f.real.copy()
        f[:, -1] = (trial**2).sum(1) - 1
        return f, J

    candidates = _real(x, _ALMOST).real
    if not len(candidates):
        return candidates
    found, left = levenberg_marquardt(equations, candidates, _DAMPING, _GOAL, 60)
    kept: list[Array] = [*known.real]
    for point in found[np.abs(left).max(axis=1) < _MET]:
        point = point / np.linalg.norm(point)
        if (point[: instance.motion.turns] ** 2).sum() > _FLAT and all(
            1 - abs(other @ point) > _APART**2 / 2 for other in kept
        ):
            kept.append(point)
    return np.array(kept[len(known) :]).reshape(-1, x.shape[1])


def _pose(x: Array) -> tuple[Array, Array]:
    """Return rotations (k, 3, 3) and positions (k, 3) of real points x (k, 8): R v = e v e* / e^2, p = h e* / e^2."""
    e0, e, h0, h = x[:, :1], x[:, 1:4], x[:, 4:5], x[:, 5:]
    square = (x[:, :4] ** 2).sum(1)[:, None]
    P = (e0 * h - h0 * e - np.cross(h, e)) / square
    skew = np.cross(np.eye(3)[None], e[:, None, :])  # row i is the unit vector i times e; its transpose turns by e
    outer = e[:, :, None] * e[:, None, :]
    R = (e0**2 - (e**2).sum(1)[:, None])[..., None] * np.eye(3) + 2 * outer + 2 * e0[..., None] * skew
    return R / square[..., None], P
