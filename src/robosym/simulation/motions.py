"""A motion over time, whatever it is given as: samples, a file of them, or a function of time, as q, qd and qdd.

Everything that has `t` and `q` is samples (a log, a prepared motion, a simulation, a mapping of arrays), a file is a
table of them, and everything that can be called, or has a method `at`, is a function of time. Velocities and
accelerations that samples lack are differences of what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import numbers
from robosym.errors import InputError
from robosym.simulation.motion_columns import MotionColumns

__all__ = ["SampledMotion", "State", "columns_of", "interpolated", "sampled_motion", "state_function"]

Array = NDArray[np.float64]
_SAMPLES = 2000  #: of a motion that is a function of time


class State(NamedTuple):
    """Positions, velocities and accelerations of the joints, the last axis."""

    q: Array
    qd: Array
    qdd: Array


@dataclass(frozen=True, eq=False)
class SampledMotion:
    """Times (samples,), and positions, velocities and accelerations (samples, joints)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array

    def at(self, t: Any) -> State:
        """The state at a time or at several, on straight lines between samples; before and after them it stands."""
        times = np.clip(t, self.t[0], self.t[-1])
        moves = np.asarray(times == t)[..., None]
        q, qd, qdd = (interpolated(self.t, part, times) for part in (self.q, self.qd, self.qdd))
        return State(q, np.where(moves, qd, 0.0), np.where(moves, qdd, 0.0))


def interpolated(times: Array, rows: Array, t: Any) -> Array:
    """Rows (..., samples, size) at other times, on straight lines between samples."""
    samples = len(times)
    if samples == 1:
        return rows[..., 0, :]
    place = np.clip(np.searchsorted(times, t, side="right") - 1, 0, samples - 2)
    part = np.asarray((t - times[place]) / (times[place + 1] - times[place]))[..., None]
    found: Array = (1 - part) * rows[..., place, :] + part * rows[..., place + 1, :]
    return found


def state_function(motion: Any, what: str = "motion") -> Callable[[Any], State]:
    """The motion as a function of time; `what` begins the messages."""
    samples = _samples(motion, what)
    if samples is not None:
        return sampled_motion(samples, what=what).at
    function = getattr(motion, "at", motion)
    if not callable(function):
        raise InputError(f"{what}: expected a motion, a file of one or a function of time, found {motion!r:.200}")
    return _StateFunction(function, what)


@dataclass(frozen=True)
class _StateFunction:
    """A function t -> (q, qd, qdd) of a user; what it gives is checked."""

    function: Callable[[Any], Any]
    what: str

    def __call__(self, t: Any) -> State:
        found = self.function(t)
        if hasattr(found, "qdd"):
            return State(found.q, found.qd, found.qdd)
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise InputError(f"{self.what}: expected q, qd and qdd at each time")
        return State(*found)


def sampled_motion(
    motion: Any, joints: int | None = None, duration: float | None = None, what: str = "motion",
    times: Array | None = None,
) -> SampledMotion:  # fmt: skip
    """The samples of a motion; those of a function of time are at `times`, or even over its `duration`."""
    given = _samples(motion, what)
    if given is None or times is not None:
        function = state_function(motion, what)
        if times is None:
            length = duration if duration is not None else getattr(motion, "period", None)
            if not (isinstance(length, (int, float)) and 0 < length < np.inf):
                raise InputError(f"duration: expected seconds above 0 for a function of time, found {length!r}")
            times = np.linspace(0, length, _SAMPLES)
        rows = [function(float(time)) for time in times]
        given = {name: [row[k] for row in rows] for k, name in enumerate(State._fields)} | {"t": times}
    if given["t"] is None or given["q"] is None:
        raise InputError(f"{what}: expected t and q")
    t = numbers(f"{what}: t", given["t"], (None,))
    if len(t) < 2 or not (np.diff(t) > 0).all():
        raise InputError(f"{what}: expected times that grow, two or more")
    q = numbers(f"{what}: q", given["q"], (len(t), joints))
    qd = numbers(f"{what}: qd", np.gradient(q, t, axis=0) if given["qd"] is None else given["qd"], q.shape)
    qdd = numbers(f"{what}: qdd", np.gradient(qd, t, axis=0) if given["qdd"] is None else given["qdd"], q.shape)
    return SampledMotion(t, q, qd, qdd)


def _samples(motion: Any, what: str) -> dict[str, Any] | None:
    """t, q, qd, qdd of a motion that is samples; None where one is missing."""
    names = ("t", *State._fields)
    if isinstance(motion, (str, Path)):
        motion = columns_of(motion, what=what)
    if isinstance(motion, Mapping):
        return {name: motion.get(name) for name in names}
    if hasattr(motion, "t") and hasattr(motion, "q"):
        return {name: getattr(motion, name, None) for name in names}
    return None


def columns_of(path: str | Path, what: str = "motion") -> dict[str, Array]:
    """A table t, q1 .., qd1 .., qdd1 .. as arrays; the last two may be missing."""
    read = MotionColumns(path, what=what, wanted=("t", *State._fields))
    if "t" not in read.groups:
        raise read.wrong("expected a column t")
    return read.groups
