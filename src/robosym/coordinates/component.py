"""Closed positions that are reached from one of them without leaving its mode: where what holds in a mode is decided.

A robot with loops may have several modes of operation: ways to be assembled, and branches in which its platform moves
in another manner. Random closed positions lie in any of them. From a reference position small steps along the motions
that the loops allow, closed again after each, stay in the mode as long as the loops stay as regular as they are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, TIGHTLY
from robosym.coordinates.closing import Closing
from robosym.coordinates.gaps import Slopes, unit
from robosym.errors import InputError

__all__ = ["joint_units", "reached_from", "reference_position"]

_STEP = 0.12  #: of one move: radians, or parts of the robot's size
_STEPS = 12  #: moves
_FAR = 1.0  #: how far a joint goes from where it was in the reference position
_LESS = 0.2  #: the share of the regularity of the reference position that must be left
_STRAY = 0.5  #: closing the loops moves the joints by no more than this share of a step, or another mode was met
_STARTS = 40  #: of the joints that a reference position does not give
_NEARBY = 0.5  #: a complete reference position is closed by no more than this, or it does not describe the robot


def reference_position(
    closing: Closing, given: Mapping[str, float], parameters: Mapping[str, float]
) -> dict[str, float]:
    """The position given, closed: joints that are given stay as near as may be, the others are searched.

    An error where the loops do not close there, or where the position is singular.
    """
    gaps, robot = closing.gaps, closing.robot
    rng = random_arrays("closed positions of loops", 1)
    named = [name in given for name in gaps.names]
    start = np.array([[given.get(name, 0.0) for name in gaps.names]])
    if not all(named):
        start = np.where(named, start, gaps.cut_positions(gaps.geometry(parameters), start))
        more = np.repeat(start, _STARTS, axis=0)
        more[1:, ~np.array(named)] += rng.uniform(-2, 2, (_STARTS - 1, named.count(False)))
        start = more
    held = [j for j, known in zip(gaps.joints, named, strict=True) if known and not all(named)]
    q, left = closing.settle(parameters, start, held)
    if left.min() > CLOSED:
        q, left = closing.settle(parameters, start)
    moved = np.where(left < CLOSED, np.abs(np.where(named, q - start, 0.0)).max(axis=1), np.inf)
    best = int(moved.argmin())
    if not np.isfinite(moved[best]) or (moved[best] > _NEARBY and not gaps.lengths):
        values = dict(parameters) | gaps.named(q[int(left.argmin())])
        far = f"{closing.widest(values)}" if not np.isfinite(moved[best]) else f"the nearest is {moved[best]:.3g} away"
        raise InputError(f"{robot.name}: the reference position does not close the loops: {far}")
    return dict(parameters) | gaps.named(q[best])


def reached_from(
    closing: Closing, start: Mapping[str, float], wanted: int, rng: np.random.Generator, motors: Sequence[int] = ()
) -> list[dict[str, float]]:
    """Closed positions in the mode of `start`, which comes first; an error where `start` is singular."""
    gaps, geometry = closing.gaps, closing.gaps.geometry(start)
    here = np.repeat(gaps.position(start), max(wanted, 8), axis=0)
    units = joint_units(closing, start)
    columns = [gaps.joints.index(j) for j in motors]
    _, slope = gaps.linearised(geometry, here[:1])
    slopes = Slopes.of(slope * units)
    rank = slopes.ranks()
    least, first = _LESS * slopes.regularity(rank, columns)[0], int(rank[0])
    if first == len(gaps.joints):
        raise InputError(f"{closing.robot.name}: the loops leave no freedom: none of its joints can move")
    origin, found = here[0].copy(), [here[0].copy()]
    higher = tried = 0
    direction = rng.normal(size=here.shape)
    for _ in range(_STEPS):
        _, slope = gaps.linearised(geometry, here)
        slopes = Slopes.of(slope * units)
        step = _STEP * unit(slopes.allowed(direction, slopes.ranks()))
        ahead, left = closing.settle(start, here + step * units)
        stray = np.abs((ahead - here) / units - step).max(axis=1)
        _, slope = gaps.linearised(geometry, ahead)
        slopes = Slopes.of(slope * units)
        rank = slopes.ranks()
        closed = (left < TIGHTLY * 10) & (stray < _STRAY * _STEP)
        higher += int((closed & (rank > first)).sum())
        tried += int(closed.sum())
        near = np.abs((ahead - origin) / units).max(axis=1) < _FAR
        good = closed & (rank == first) & (slopes.regularity(rank, columns) >= least) & near
        here[good] = ahead[good]
        direction[~good] = rng.normal(size=(int((~good).sum()), here.shape[1]))
        if tried >= 8 and higher > tried / 2:
            raise InputError(
                f"{closing.robot.name}: the reference position is singular: the loops leave {len(gaps.joints) - first} "
                "degrees of freedom there, but fewer in the positions around it"
            )
    for _ in range(2):  # to rounding: what is zero in the mode is seen to be
        gap, slope = gaps.linearised(geometry, here)
        slopes = Slopes.of(slope)
        here = here - slopes.solved(gap, slopes.ranks())
    found += [q for q in here if np.abs(q - origin).max() > TIGHTLY]
    return [dict(start) | gaps.named(q) for q in found[:wanted]]


def joint_units(closing: Closing, values: Mapping[str, float]) -> Array:
    """What counts as one, of each joint: a radian, or the size of the robot."""
    gaps = closing.gaps
    frames = gaps.geometry(values).frames
    kinds = [closing.robot.frame(j).joint_type for j in gaps.joints]
    screws = [abs(float(kind.linear)) for kind in kinds if kind.turns]  # all lengths may be 0 where axes are in line
    size = max(float(np.abs(frames[[1, 3, 5]]).max(initial=0.0)), *screws, 0.0)
    return np.where([kind.only_slides for kind in kinds], size if size > TIGHTLY else 1.0, 1.0)
