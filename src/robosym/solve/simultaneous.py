"""Loops that only close together: Newton's method on all their equations, from many starts or from a known mode.

A spherical joint is three axes that meet; two sets of angles give the same position of its links. Modes that differ
from a known mode only in these angles follow from it without a search.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, Equations, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns, ranks
from robosym.algebra.tolerances import RANK, ROUNDING, SAME, ZERO
from robosym.chains.chain import JointChain
from robosym.chains.numeric_chain import NumericChain, wrapped
from robosym.coordinates.gaps import Gaps, Geometry
from robosym.coordinates.loops import Loop, loop_chain
from robosym.errors import ModeWarning, Pass
from robosym.mechanism import Robot

__all__ = ["SimultaneousLoops", "SphericalJoint", "balls_of"]

_STARTS, _BATCHES = 200, 20
_MET = 4  #: the search ends if every mode has been found this often, counted over all angles of its spherical joints
_MANY = 300  #: modes, beyond which the search ends too: angles that stand for the same positions of links, mostly
_DAMPING = Damping(first=1e-3, less=10, more=10, least=1e-14, most=2e3)


@dataclass(frozen=True)
class SimultaneousLoops:
    """Several loops with common unknowns."""

    gaps: Gaps  #: gaps of all loops of the robot
    chains: tuple[JointChain, ...]
    rows: tuple[int, ...]  #: the gaps of these loops
    unknown: tuple[str, ...]
    lengths: frozenset[str]
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, robot: Robot, loops: Iterable[Loop], known: set[str]) -> SimultaneousLoops:
        gaps, chosen = Gaps(robot), tuple(loops)
        chains = tuple(loop_chain(robot, loop) for loop in chosen)
        rows = tuple(6 * gaps.loops.index(loop) + row for loop in chosen for row in range(6))
        joints = {joint.name: joint for chain in chains for joint in chain.joints}
        unknown = tuple(name for name in joints if name not in known)
        parameters = dict.fromkeys(name for chain in chains for name in chain.parameters)
        lengths = frozenset(name for name, joint in joints.items() if joint.prismatic)
        return cls(gaps, chains, rows, unknown, lengths, tuple(parameters))

    def explain(self) -> str:
        return f"{len(self.chains)} loops give {' '.join(self.unknown)} together, by Newton's method from many starts."

    def solve(
        self, known: Mapping[str, float], parameters: Mapping[str, float], near: Mapping[str, float] | None,
        tolerance: float, reference: Mapping[str, float],
    ) -> tuple[list[tuple[dict[str, float], float]], dict[str, float]]:  # fmt: skip
        """Return the unknown joints and closure errors of all modes found, and the idle joints.

        The search starts around `near`. If the angles of spherical joints give too many rows for one mode, only the
        rows nearest to `near` or to the `reference` are returned. Joints that the loops leave free, such as the spin of
        a rod between two spherical joints, are idle: they have their values in `near` or the `reference`, or 0.
        """
        chains = [NumericChain.of(chain, parameters, "snaP", self.unknown) for chain in self.chains]
        length = max(chain.length for chain in chains)
        rng = random_arrays("loops solved at once")
        size = np.where(self.slides, 1.5 * length, np.pi)
        goal = ROUNDING * max(1.0, length)
        equations = partial(self.equations, self.gaps.geometry(parameters), known)
        modes = _Modes(chains, self.unknown, self.slides, equations, tolerance)
        ended = False
        for batch in range(_BATCHES):
            x = rng.uniform(-1, 1, (_STARTS, len(self.unknown))) * size
            if near is not None and not batch:
                x[:50] = [near.get(name, 0.0) for name in self.unknown]
                x[1:50] += rng.normal(size=(49, len(self.unknown))) * 0.05 * size
            x, left = levenberg_marquardt(equations, x, _DAMPING, goal, rounds=60)
            apart = np.abs(left).max(axis=1)
            idle = () if batch else self._idle(equations, x[apart <= modes.closed], length)
            if idle:
                rest = replace(self, unknown=tuple(name for name in self.unknown if name not in idle))
                still = {name: (near or reference).get(name, 0.0) for name in idle}
                found, more = rest.solve({**known, **still}, parameters, near, tolerance, reference)
                return [({**values, **still}, error) for values, error in found], {**still, **more}
            modes.take(x, apart)
            if batch and (modes.met.min() >= _MET if len(modes.x) else batch >= _BATCHES // 4):
                ended = True  # a mode that is still missing would have to be met far less often than all others
                break
            if len(modes.x) > _MANY:
                break
        rows, errors, every = modes.all(np.array([(near or reference).get(name, 0.0) for name in self.unknown]))
        if not (ended and every):
            self._warn(len(rows))
        return [
            (dict(zip(self.unknown, map(float, row), strict=True)), float(e))
            for row, e in zip(rows, errors, strict=True)
        ], {}

    def _idle(self, equations: Equations, x: Array, length: float) -> tuple[str, ...]:
        """Return as many joints as the loops leave free in the most regular closed position."""
        if not len(x):
            return ()
        _, slopes = equations(x, x)
        slopes = slopes * np.where(self.slides, length, 1.0)
        regular = int(ranks(np.linalg.svd(slopes, compute_uv=False)).argmax())
        kept, _ = independent_columns(slopes[regular], RANK)
        return tuple(name for column, name in reversed([*enumerate(self.unknown)]) if column not in kept)

    @property
    def slides(self) -> Array:
        return np.array([name in self.lengths for name in self.unknown])

    def _warn(self, modes: int) -> None:
        warnings.warn(
            ModeWarning(
                f"{modes} assembly modes were found, and there are more (universal and spherical joints have several "
                "angles for one position of their links)",
                hint=(Pass("near"), " gives those nearest to a position, `near` follows one"),
            ),
            stacklevel=4,
        )

    def equations(self, geometry: Geometry, known: Mapping[str, float], x: Array, _: Array) -> tuple[Array, Array]:
        """Return the gaps (M, 6 loops) and their derivatives (M, 6 loops, unknowns)."""
        names, rows = self.gaps.names, list(self.rows)
        q = np.tile([known.get(name, 0.0) for name in names], (len(x), 1))
        columns = [names.index(name) for name in self.unknown]
        q[:, columns] = x
        gap, slope = self.gaps.linearized(geometry, q)
        return gap[:, rows], slope[:, rows][:, :, columns]


class _Modes:
    """The modes that were found, and how often; modes that differ only in angles of spherical joints count once."""

    def __init__(
        self, chains: Sequence[NumericChain], unknown: Sequence[str], slides: Array, equations: Equations,
        tolerance: float,
    ) -> None:  # fmt: skip
        self._chains, self._unknown, self._slides, self._equations = chains, unknown, slides, equations
        self._length = max(chain.length for chain in chains)
        self.closed = tolerance * max(1.0, self._length)
        self._balls: list[SphericalJoint] | None = None  #: None until a mode shows which of them can be turned over
        self.x = np.zeros((0, len(unknown)))
        self.met = np.zeros(0, int)

    def take(self, x: Array, errors: Array) -> None:
        """Add the results from some starts that close the loops."""
        good = errors <= self.closed
        if not good.any():
            return
        if self._balls is None:
            self._balls = [
                ball
                for ball in balls_of(self._chains, self._unknown)
                if np.nan_to_num(self._errors(ball.other(x[good]))).max() <= self.closed
            ]
        x = x[good]
        for ball in self._balls:
            over = ball.is_over(x)
            x[over] = ball.other(x[over])
        for row, error in zip(wrapped(x, self._slides), errors[good].tolist(), strict=True):
            mode = self._place(row, error)
            if mode is None:
                mode = len(self.x)
                self.x = np.vstack([self.x, row])
                self.met = np.append(self.met, 0)
            self.met[mode] += 1

    def _errors(self, x: Array) -> Array:
        gap, _ = self._equations(x, x)
        return np.asarray(np.abs(gap).max(axis=1))

    def _place(self, x: Array, error: float) -> int | None:
        """Return the index of this mode."""
        if not len(self.x):
            return None
        apart = np.where(self._slides, (self.x - x) / self._length, np.sin((self.x - x) / 2))
        far = np.abs(apart).max(axis=1)
        nearest = int(far.argmin())
        return nearest if far[nearest] <= SAME + 5 * np.sqrt(error / max(1.0, self._length)) else None

    def all(self, to: Array) -> tuple[Array, Array, bool]:
        """Return the modes in all angles of their spherical joints, with errors and whether they are complete.

        If there are too many, those closest to `to` are returned.
        """
        found, every = self.x, True
        for ball in self._balls or ():
            other = ball.other(found)
            regular = np.isfinite(other).all(axis=1)
            if len(found) + regular.sum() <= _MANY and every:
                found = np.concatenate([found, other[regular]])
                continue
            found, every = found[: len(self.x)], False
        if not every:
            for ball in self._balls or ():
                other = ball.other(found)
                nearer = ball.distance(other, to) < ball.distance(found, to)
                found = np.where(nearer[:, None], other, found)
        found = wrapped(found, self._slides)
        return found, self._errors(found) if len(found) else np.zeros(0), every


# -------------------------------------------------------------------------- spherical joints


@dataclass(frozen=True)
class SphericalJoint:
    """Three consecutive joints about axes through one point: indices among the unknowns, signs, constant rotations."""

    places: tuple[int, int, int]
    signs: tuple[float, float, float]
    first: Array  #: rotation from the first axis to the second
    second: Array

    def other(self, x: Array) -> Array:
        """Return the same positions (m, unknowns) with the alternative angles of the spherical joint.

        They are not finite if the first and the last axis are aligned.
        """
        a, b, c = self.places
        middle = self.signs[1] * x[:, b]
        turned = 2 * self._about - middle
        here, there = self._between(middle), self._between(turned)
        found = x.copy()
        found[:, a] += self.signs[0] * (_before(here) - _before(there))
        found[:, b] = self.signs[1] * turned
        found[:, c] += self.signs[2] * (_behind(here) - _behind(there))
        in_line = np.hypot(here[:, 0, 2], here[:, 1, 2]) < ZERO
        found[in_line] = np.nan
        return found

    @property
    def _about(self) -> float:
        """Return `about`: the cosine of the angle between the outer axes is a constant plus r cos(middle - about)."""
        across, along = self.first[2], self.second[:, 2]
        return float(
            np.arctan2(across[1] * along[0] - across[0] * along[1], across[0] * along[0] + across[1] * along[1])
        )

    def is_over(self, x: Array) -> Array:
        """Return which positions (m, unknowns) use the second of the two equivalent sets of angles."""
        off = np.sin(self.signs[1] * x[:, self.places[1]] - self._about)
        return np.asarray((off < 0) & np.isfinite(self.other(x)).all(axis=1))

    def distance(self, x: Array, to: Array) -> Array:
        """Return the distance of the three angles from others, modulo full turns."""
        places = list(self.places)
        return np.asarray(np.nan_to_num(np.abs(np.sin((x[:, places] - to[places]) / 2)).max(axis=1), nan=np.inf))

    def _between(self, angle: Array) -> Array:
        c, s, zero = np.cos(angle), np.sin(angle), np.zeros_like(angle)
        turn = np.stack([c, -s, zero, s, c, zero, zero, zero, zero + 1], axis=-1).reshape(-1, 3, 3)
        return np.asarray(self.first @ turn @ self.second)


def _before(M: Array) -> Array:
    """Return the first angle of a rotation about z, x and z."""
    return np.asarray(np.arctan2(M[:, 0, 2], -M[:, 1, 2]))


def _behind(M: Array) -> Array:
    """Return the last angle of a rotation about z, x and z."""
    return np.asarray(np.arctan2(M[:, 2, 0], M[:, 2, 1]))


def balls_of(chains: Sequence[NumericChain], unknown: Sequence[str]) -> list[SphericalJoint]:
    """Return the distinct spherical joints of chains whose three angles are unknown."""
    found: dict[frozenset[str], SphericalJoint] = {}
    for chain in chains:
        for place in range(len(chain.joints) - 2):
            joints = chain.joints[place : place + 3]
            names = [joint.name for joint in joints]
            if any(joint.prismatic or joint.name not in unknown for joint in joints) or frozenset(names) in found:
                continue
            one, other = chain.behind[place], chain.behind[place + 1]
            if _meet(one, other, chain.length):
                a, b, c = (unknown.index(name) for name in names)
                signs = (float(joints[0].sign), float(joints[1].sign), float(joints[2].sign))
                found[frozenset(names)] = SphericalJoint((a, b, c), signs, one[:3, :3], other[:3, :3])
    return list(found.values())


def _meet(one: Array, other: Array, length: float) -> bool:
    """Return whether three z axes with these transforms between them meet in a point and are not aligned."""
    behind = _height(one, length)
    before = _height(np.linalg.inv(other), length)
    if behind is None or before is None:
        return False
    # on the middle axis: where the first meets it, and where the last does
    return abs(_on_second(one, behind) - _on_second(np.linalg.inv(other), before)) < ZERO * length


def _height(T: Array, length: float) -> float | None:
    """Return where the z axis of the second frame meets z of the first; None if it does not."""
    z, P = T[:3, 2], T[:3, 3]
    normal = np.cross([0.0, 0.0, 1.0], z)
    size = float(np.linalg.norm(normal))
    if size < ZERO or abs(normal @ P) > ZERO * length * size:
        return None
    along = -float(P[:2] @ z[:2]) / float(z[:2] @ z[:2])
    return float(P[2] + along * z[2])


def _on_second(T: Array, height: float) -> float:
    """Return the coordinate of the same point along z of the second frame."""
    return float((np.linalg.inv(T) @ [0.0, 0.0, height, 1.0])[2])
