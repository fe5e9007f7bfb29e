"""Positions along the whole motion of closed loops, over the complex numbers, to find relations of a mode.

The closed positions of a mode are the points of a variety. Its real points are separated by dead centers and positions
in which modes meet, and near one position it is hard to distinguish a relation that holds everywhere from one that
nearly holds. Over the complex numbers, a path avoids such isolated positions, and all regular points of a mode are
connected. A relation between analytic functions that holds at these positions holds in
the whole mode, on both sides of every dead center, and a relation that does not hold leaves a clear residual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import RANK, TIGHTLY
from robosym.coordinates.closing import Closing, joint_units
from robosym.coordinates.gaps import Gaps, Geometry, Slopes, unit
from robosym.errors import InputError

__all__ = ["ComplexMotion", "whole_motion"]

_STEP = 0.25  #: largest step of a joint, in rad or relative to the size of the robot
_PATHS = 16  #: from all starts together
_MOVES, _FEWER = 32, 14  #: number of moves per path, for one degree of freedom and for more
_SPARE = 2  #: positions found for each one that is wanted
_CHORDS, _NEWTON = 3, 4
_LIKE_START = 3  #: the gap in parts of that of the start, where numbers of few digits do not close the loops better
_STRAY = 0.5  #: closing the loops moves the joints by no more than this share of a step
_REGULAR = 1e-4  #: the least singular value of the loops in parts of the largest one
_HIGH = 2.2  #: imaginary parts: beyond, sines and cosines differ too much in size
_FAR = 5.0  #: maximum distance of a prismatic joint, relative to the size of the robot
_ACROSS = 0.5  #: imaginary parts of headings, in parts of the real ones
_BACK = 0.2  #: strength of the pull towards the origin for a distant path


@dataclass(frozen=True)
class ComplexMotion:
    """Complex closed positions, and the rates at each that keep the loops closed."""

    q: Array  #: (m, joints), in the order of `Gaps.joints`
    rates: list[Array]  #: in each position, a basis as columns: (joints, degrees of freedom)
    start: Array  #: (m,) the place of the start from which a position was reached


def whole_motion(
    closing: Closing, starts: Sequence[Mapping[str, float]], wanted: int, rng: np.random.Generator, real: bool = False
) -> ComplexMotion:
    """Return closed positions in the modes of the starts, which share a geometry; singular ones raise an error.

    With `real`, joint values are real, and the paths stay in the connected part of the mode that contains the starts.
    """
    robot, gaps = closing.robot, Gaps(closing.robot)
    loops = _Loops(gaps, gaps.geometry(starts[0]), joint_units(closing, starts[0]))
    origin = np.concatenate([gaps.position(start) for start in starts]).astype(complex)
    ranks = loops.at(origin).ranks()
    mobility = len(gaps.joints) - ranks
    if not mobility.any():
        raise InputError(f"{robot.name}: the loops leave no degree of freedom: none of its joints can move")
    start = np.repeat(np.arange(len(starts)), -(-_PATHS // len(starts)))
    paths = _Paths(loops, origin[start], ranks[start], rng, 0.0 if real else _ACROSS)
    moves = _MOVES if mobility.min() < 2 else _FEWER
    found = [paths.move() for _ in range(max(moves, _SPARE * wanted // len(start)))]
    if paths.higher > paths.tried / 2:
        raise InputError(
            f"{robot.name}: the reference position is singular: the loops leave {mobility.min()} degrees of freedom "
            "there, but fewer in the positions around it"
        )
    which = np.concatenate([good for _, good in found])
    q = np.concatenate([ahead for ahead, _ in found])
    if len(q) < wanted // 2:
        raise InputError(f"{robot.name}: the motion of the loops cannot be followed from the reference position")
    chosen = rng.permutation(len(q))[:wanted]
    q, start = q[chosen], start[which[chosen]]
    rows = np.linalg.svd(gaps.linearized(loops.geometry, q)[1])[2].conj()
    return ComplexMotion(q, [row[r:].T for row, r in zip(rows, ranks[start], strict=True)], start)


@dataclass(frozen=True)
class _Loops:
    gaps: Gaps
    geometry: Geometry
    units: Array  #: unit of each joint: a radian, or the size of the robot

    def at(self, q: Array) -> Slopes:
        return Slopes.of(self.gaps.linearized(self.geometry, q)[1] * self.units)

    def closed(self, q: Array, slopes: Slopes, rank: Array) -> tuple[Array, Array, Slopes]:
        """Apply Newton's method with the rank of the mode, starting with nearby slopes; return gaps and slopes."""
        for n in range(_CHORDS + _NEWTON):
            gap, slope = self.gaps.linearized(self.geometry, q)
            if n >= _CHORDS:
                slopes = Slopes.of(slope * self.units)
            change = slopes.solved(gap, rank)
            size = np.abs(change).max(axis=1, initial=0.0, keepdims=True)
            q = q - self.units * change / np.maximum(size, 1.0)
            if n >= _CHORDS and size.max(initial=0.0) < TIGHTLY:
                break
        return q, np.abs(self.gaps.linearized(self.geometry, q)[0]).max(axis=1, initial=0.0), slopes


class _Paths:
    """Positions that move along the degrees of freedom of the loops, each with the rank of the loops in its mode."""

    def __init__(self, loops: _Loops, origin: Array, rank: Array, rng: np.random.Generator, across: float) -> None:
        self.loops, self.origin, self.rank, self.rng, self.across = loops, origin, rank, rng, across
        self.here, self.slopes = origin.copy(), loops.at(origin)
        self.heading = self._headings(len(origin))
        self.size = np.full(len(origin), _STEP)
        gap = np.abs(loops.gaps.linearized(loops.geometry, origin)[0]).max(axis=1, initial=0.0)
        self.closed = np.maximum(TIGHTLY, _LIKE_START * gap)
        self.higher = self.tried = 0  #: positions reached in which the loops have a higher rank, and all of them
        robot = loops.gaps.robot
        self.sliding = np.array([robot.frame(j).joint_type.only_slides for j in loops.gaps.joints], dtype=bool)

    def move(self) -> tuple[Array, Array]:
        """Return the reached positions and the numbers of their paths."""
        units, here = self.loops.units, self.here
        step = self.size[:, None] * unit(self.slopes.allowed(self._lead(), self.rank))
        ahead, left, slopes = self.loops.closed(here + step * units, self.slopes, self.rank)
        closed = left < self.closed
        closed &= np.abs((ahead - here) / units - step).max(axis=1) < _STRAY * self.size
        least, next_one = slopes.around(self.rank)
        self.higher += int((closed & (next_one > RANK)).sum())
        self.tried += int(closed.sum())
        good = closed & (next_one <= RANK) & (least > _REGULAR) & self._within(ahead)
        here[good] = ahead[good]
        self.slopes.take(slopes, good)
        self.size = np.where(good, np.minimum(2 * self.size, _STEP), np.maximum(self.size / 4, _STEP / 64))
        self.heading[~good] = self._headings(int((~good).sum()))
        return ahead[good], np.flatnonzero(good)

    def _headings(self, count: int) -> Array:
        """Return directions that continue the paths, preferably along the real axis."""
        along, across = self.rng.normal(size=(2, count, self.origin.shape[1]))
        return np.asarray(along + 1j * self.across * across)

    def _lead(self) -> Array:
        """Return the heading, directed back if imaginary parts or translations are large."""
        here, units = self.here, self.loops.units
        away = 1j * (here / units).imag + np.where(self.sliding, ((here - self.origin) / units).real, 0.0)
        return np.asarray(self.heading - _BACK * away)

    def _within(self, q: Array) -> Array:
        """Return whether imaginary parts are small and prismatic joints close to the start."""
        units = self.loops.units
        shift = np.abs(((q - self.origin) / units)[:, self.sliding]).max(axis=1, initial=0.0)
        return np.asarray((np.abs((q / units).imag).max(axis=1) < _HIGH) & (shift < _FAR))
