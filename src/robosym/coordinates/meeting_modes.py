"""Modes that meet the mode of a position in a branch point, found by following loops with one DoF.

At a dead center of a linkage with equal parts (such as the legs of a Sarrus linkage), each part may fold to either side
when the motion continues. These are different modes of the same motion: a decision for one of them must hold in the
others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import TIGHTLY
from robosym.coordinates.closing import Closing, joint_units
from robosym.coordinates.gaps import Gaps, Geometry, Slopes, unit
from robosym.errors import InputError

__all__ = ["meeting_modes"]

_STEP, _STEPS = 0.2, 80  #: step of the joint that moves most, in its unit; number of steps in each direction
_NEAR = 0.5  #: a position in which the least singular value is this part of the largest one seen may be near a meeting
_GRID, _ROUNDS = 4, 10  #: places on each side of the least regular one, and how often they are drawn closer
_NEWTON, _CLOSED = 10, 1e-10
_MEETING = 1e-6  #: the same where modes meet, in parts of the largest one
_SINGULAR = 1e-4  #: the same, where a position is too near to a meeting
_ASIDE, _TRIES = 0.06, 24  #: how far from a meeting other modes are sought, and from how many points
_SAME = 0.2  #: directions that differ less are those of one mode
_MOST = 12  #: modes


def meeting_modes(closing: Closing, start: Mapping[str, float]) -> list[dict[str, float]]:
    """Return the start, and a position of each mode that meets its mode at a dead center.

    Modes with other degrees of freedom and modes with a crossed parallelogram are excluded.
    """
    gaps = Gaps(closing.robot)
    geometry, units = gaps.geometry(start), joint_units(closing, start)
    origin = gaps.position(start)[0]
    found: list[list[tuple[list[int], Array]]] = []
    for columns in _groups(gaps, geometry, origin):
        curve = _Curve(gaps, geometry, units, origin, columns)
        if curve.freedom == 1:
            found.append([(columns, q[columns]) for q in curve.modes()])
    modes: list[dict[str, float]] = []
    for choice in product(*found):
        q = origin.copy()
        for columns, values in choice:
            q[columns] = values
        named = dict(start) | gaps.named(q)
        if not modes or _is_assembled(closing, named):
            modes.append(named)
        if len(modes) == _MOST:
            break
    return modes


def _is_assembled(closing: Closing, values: Mapping[str, float]) -> bool:
    try:
        closing.check(values)
    except InputError:
        return False
    return True


def _groups(gaps: Gaps, geometry: Geometry, q: Array) -> Iterator[list[int]]:
    """Return the columns of the joints of loops that share joints or couplings."""
    slope = gaps.linearized(geometry, q[None])[1][0]
    linked = [set(np.flatnonzero(np.abs(row) > TIGHTLY).tolist()) for row in slope]
    for loop in gaps.loops:
        linked.append({gaps.joints.index(j) for j in (*loop.round, loop.cut) if j in gaps.joints})
    groups: list[set[int]] = []
    for some in linked:
        touching = [group for group in groups if group & some]
        groups = [group for group in groups if not group & some] + [set().union(some, *touching)]
    yield from (sorted(group) for group in groups if group)


@dataclass
class _Curve:
    """The motion of some loops with all other joints at rest; every function takes many positions (m, joints)."""

    gaps: Gaps
    geometry: Geometry
    units: Array
    origin: Array
    columns: list[int]

    def __post_init__(self) -> None:
        self.rank = int(self._slopes(self.origin[None])[1].ranks()[0])
        self.freedom = len(self.columns) - self.rank

    def _slopes(self, q: Array) -> tuple[Array, Slopes]:
        """Return the gaps and the slopes of these loops."""
        gap, slope = self.gaps.linearized(self.geometry, q)
        return gap, Slopes.of(slope[:, :, self.columns] * self.units[self.columns])

    def _moved(self, q: Array, step: Array) -> Array:
        moved = q.copy()
        moved[:, self.columns] += step * self.units[self.columns]
        return moved

    def _closed(self, q: Array) -> tuple[Array, Array, Array, Slopes]:
        """Return nearby closed positions, success, the smallest counted singular value, and the slopes."""
        rank = np.full(len(q), self.rank)
        for _ in range(_NEWTON):
            gap, slopes = self._slopes(q)
            change = slopes.solved(gap, rank)
            q = self._moved(q, -change)
            size = np.abs(change).max(axis=1, initial=0.0)
            if size.max(initial=0.0) < TIGHTLY:
                break
        return q, size < _CLOSED, slopes.shares[:, self.rank - 1], slopes

    def modes(self) -> list[Array]:
        """Return a position of each mode, that of the origin first."""
        known, meetings = [self.origin], list[Array]()
        for meeting in self._meetings():
            if len(known) < _MOST and not any(self._near(meeting, other, _ASIDE / 4) for other in meetings):
                meetings.append(meeting)
                known += self._branches(meeting)
        return known[:_MOST]

    def _near(self, one: Array, other: Array, distance: float) -> bool:
        apart = np.where(self.units == 1.0, np.angle(np.exp(1j * (one - other))), (one - other) / self.units)
        return bool(np.abs(apart).max() < distance)

    def _meetings(self) -> Iterator[Array]:
        """Return singular positions along the motion, in both directions."""
        q, _, before, slopes = self._closed(np.repeat(self.origin[None], 2, axis=0))
        along, rank = slopes.rows[:, -1] * [[1], [-1]], np.full(2, self.rank)
        highest, falling, going = before.copy(), np.zeros(2, dtype=bool), np.ones(2, dtype=bool)
        for _ in range(_STEPS):
            along = unit(slopes.allowed(along, rank))
            ahead, closed, least, slopes = self._closed(self._moved(q, _STEP * along))
            going &= closed & (np.abs((ahead - q) / self.units).max(axis=1) < 3 * _STEP)
            for k in np.flatnonzero(going & falling & (least > before) & (before < _NEAR * highest)):
                yield from self._refined(q[k], along[k])
            falling, highest = least < before, np.maximum(highest, least)
            along, before, q = ((ahead - q) / self.units)[:, self.columns], least, ahead
            if not going.any() or self._near(q[0], self.origin, _STEP / 2):
                return

    def _refined(self, q: Array, along: Array) -> Iterator[Array]:
        """Return the least regular position within a step of q, if it is singular."""
        middle, width = 0.0, 1.2 * _STEP
        for _ in range(_ROUNDS):
            places = middle + np.linspace(-width, width, 2 * _GRID + 1)
            positions, _, least, _ = self._closed(
                self._moved(np.repeat(q[None], len(places), axis=0), np.outer(places, along))
            )
            best = int(least.argmin())
            middle, width = float(places[best]), width / _GRID
        if least[best] < _MEETING:
            yield positions[best]

    def _branches(self, meeting: Array) -> list[Array]:
        """Return a position on each mode near a meeting of modes."""
        _, slopes = self._slopes(meeting[None])
        kernel = slopes.rows[0, int((slopes.shares > _SINGULAR).sum()) :]
        steps = random_arrays("modes that meet", 0).normal(size=(_TRIES, len(kernel))) @ kernel
        steps = _ASIDE * steps / np.linalg.norm(steps, axis=1, keepdims=True)
        q, closed, least, _ = self._closed(self._moved(np.repeat(meeting[None], _TRIES, axis=0), steps))
        away = ((q - meeting) / self.units)[:, self.columns]
        sizes = np.linalg.norm(away, axis=1)
        good = closed & (sizes > _ASIDE / 4) & (sizes < 4 * _ASIDE) & (least > _SINGULAR)
        found: dict[int, Array] = {}
        for k in np.flatnonzero(good):
            way = away[k] / sizes[k]
            if all(min(np.linalg.norm(way - d), np.linalg.norm(way + d)) > _SAME for d in found.values()):
                found[int(k)] = way
        return [q[k] for k in found]
