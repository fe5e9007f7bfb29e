"""Motions over time in any form (samples, a file, or a function of time) as q, qd and qdd.

Objects with `t` and `q` are samples (a log, a prepared motion, a simulation, a mapping of arrays), a file is a table
of samples, and a callable or an object with a method `at` is a function of time. Missing velocities and accelerations
are finite differences. Inputs of a simulation are tabulated at the times of the integrator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array, numbers
from robosym.errors import InputError
from robosym.simulation.motion_columns import MotionColumns

__all__ = [
    "DrivingValues",
    "SampledMotion",
    "State",
    "columns_of",
    "desired",
    "interpolated",
    "point_to_point",
    "sampled_motion",
    "sampled_source",
    "source_of",
    "state_function",
]

_SAMPLES = 2000  #: number of samples of a function of time


class State(NamedTuple):
    """Positions, velocities and accelerations, with the joints along the last axis."""

    q: Array
    qd: Array
    qdd: Array


@dataclass(frozen=True, eq=False)
class SampledMotion:
    """Times, shape (samples,), and positions, velocities and accelerations, shape (samples, joints)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array

    def at(self, t: ArrayLike) -> State:
        """Return the state at one or several times by linear interpolation; constant outside the samples."""
        times: Array = np.clip(np.asarray(t, dtype=float), self.t[0], self.t[-1])
        moves = np.asarray(times == t)[..., None]
        q, qd, qdd = (interpolated(self.t, part, times) for part in (self.q, self.qd, self.qdd))
        return State(q, np.where(moves, qd, 0.0), np.where(moves, qdd, 0.0))


def point_to_point(stops: ArrayLike, seconds: float, rate: float) -> SampledMotion:
    """Return a motion through positions, shape (points, joints), at rest in each, by quintic polynomials.

    Each part takes `seconds` and has `rate` samples per second, at least two.
    """
    places: Array = np.asarray(stops, dtype=float)
    count = max(2, round(seconds * rate))
    x = np.arange(count)[:, None] / count
    ways = np.diff(places, axis=0)[:, None]
    shapes = (10 * x**3 - 15 * x**4 + 6 * x**5, (30 * x**2 - 60 * x**3 + 30 * x**4) / seconds,
              (60 * x - 180 * x**2 + 120 * x**3) / seconds**2)  # fmt: skip
    q, qd, qdd = ((shape * ways).reshape(-1, places.shape[1]) for shape in shapes)
    still = np.zeros((1, places.shape[1]))
    q = np.vstack([np.repeat(places[:-1], count, axis=0) + q, places[-1:]])
    return SampledMotion(np.arange(len(q)) * seconds / count, q, np.vstack([qd, still]), np.vstack([qdd, still]))


def interpolated(times: Array, rows: Array, t: float | Array) -> Array:
    """Interpolate rows, shape (..., samples, size), linearly at other times."""
    samples = len(times)
    if samples == 1:
        return rows[..., 0, :]
    place = np.clip(np.searchsorted(times, t, side="right") - 1, 0, samples - 2)
    part = np.asarray((t - times[place]) / (times[place + 1] - times[place]))[..., None]
    found: Array = (1 - part) * rows[..., place, :] + part * rows[..., place + 1, :]
    return found


def state_function(motion: object, what: str = "motion") -> Callable[[Any], State]:
    """Return the motion as a function of time; `what` is the location in error messages."""
    samples = _samples(motion, what)
    if samples is not None:
        return sampled_motion(samples, what=what).at
    function = getattr(motion, "at", motion)
    if not callable(function):
        raise InputError(f"{what}: expected a motion, a motion file or a function of time, found {motion!r:.200}")

    def checked(t: ArrayLike) -> State:
        found = function(t)
        if hasattr(found, "qdd"):
            return State(found.q, found.qd, found.qdd)
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise InputError(f"{what}: expected a function that returns q, qd and qdd, found {found!r:.60}")
        return State(*found)

    return checked


def sampled_motion(
    motion: object, joints: int | None = None, duration: float | None = None, what: str = "motion",
    times: Array | None = None,
) -> SampledMotion:  # fmt: skip
    """Return the samples of a motion; a function of time is sampled at `times`, or evenly over its `duration`."""
    given = _samples(motion, what)
    if given is None or times is not None:
        function = state_function(motion, what)
        if times is None:
            length = duration if duration is not None else getattr(motion, "period", None)
            if not (isinstance(length, (int, float)) and 0 < length < np.inf):
                raise InputError(
                    f"duration: expected a positive number of seconds for a function of time, found {length!r}"
                )
            times = np.linspace(0, length, _SAMPLES)
        rows = [function(float(time)) for time in times]
        given = {name: [row[k] for row in rows] for k, name in enumerate(State._fields)} | {"t": times}
    if given["t"] is None or given["q"] is None:
        raise InputError(
            f"{what}: expected t and q, found {', '.join(n for n, x in given.items() if x is not None) or 'neither'}"
        )
    t = numbers(f"{what}: t", given["t"], (None,))
    if len(t) < 2 or not (np.diff(t) > 0).all():
        raise InputError(f"{what}: t: expected at least two increasing times, found {t}")
    q = numbers(f"{what}: q", given["q"], (len(t), joints))
    qd = numbers(f"{what}: qd", np.gradient(q, t, axis=0) if given["qd"] is None else given["qd"], q.shape)
    qdd = numbers(f"{what}: qdd", np.gradient(qd, t, axis=0) if given["qdd"] is None else given["qdd"], q.shape)
    return SampledMotion(t, q, qd, qdd)


def _samples(motion: object, what: str) -> dict[str, object] | None:
    """Return t, q, qd and qdd of a sampled motion, or None for a function of time."""
    names = ("t", *State._fields)
    if isinstance(motion, (str, Path)):
        motion = columns_of(motion, what=what)
    if isinstance(motion, Mapping):
        return {name: motion.get(name) for name in names}
    if hasattr(motion, "t") and hasattr(motion, "q"):
        return {name: getattr(motion, name, None) for name in names}
    return None


def columns_of(path: str | Path, what: str = "motion") -> dict[str, Array]:
    """Return a table t, q1 .., qd1 .., qdd1 .. as arrays; velocities and accelerations are optional."""
    read = MotionColumns(path, what=what, wanted=("t", *State._fields))
    if "t" not in read.groups:
        raise read.wrong("expected a column t")
    return read.groups


class DrivingValues:
    """Values of an input group over time: `at(t)` for one time, `table(times)` for many."""

    def __init__(self, name: str, size: int, at: Callable[..., object] | None, fixed: Array | None = None,
                 sampled: bool = False) -> None:  # fmt: skip
        """Create the values; with `sampled`, the function accepts arrays of times."""
        self.name, self.size, self._at, self.fixed, self.sampled = name, size, at, fixed, sampled

    def at(self, t: float) -> Array:
        """Return the values at one time, shape (size,), or (batch, size) if trajectories differ."""
        if self.fixed is not None:
            return self.fixed
        assert self._at is not None
        return self._checked(self._at(t), t)

    def along(self, times: Array) -> DrivingValues:
        """Return the values tabulated at these times, without the function of the user, which may not be picklable."""
        if self.fixed is not None:
            return self
        table = self.table(times)
        return sampled_source(self.name, times, table[0] if len(table) == 1 else table)

    def table(self, times: Array, one_by_one: bool = False) -> Array:
        """Return the values at many times, shape (blocks, rows, size).

        There is one block if trajectories do not differ, and one row if the values are constant. The function is
        called with all times at once if it accepts arrays, unless `one_by_one`.
        """
        if self.fixed is not None:
            return self.fixed.reshape(-1, 1, self.size)
        rows = None if one_by_one else self._at_once(times)
        if rows is None:
            rows = np.stack([self.at(float(t)) for t in times], axis=-2)
        return rows.reshape(-1, len(times), self.size)

    def _at_once(self, times: Array) -> Array | None:
        """Return the values at all times in one call, or None if the function does not accept arrays."""
        if len(times) == self.size:
            return None  # rows and columns would be ambiguous
        function = self._at
        assert function is not None
        try:
            rows: Array = np.asarray(function(times), dtype=float)
            if self.sampled:
                return rows
            same = rows.shape == (len(times), self.size) and np.array_equal(rows[-1], self.at(float(times[-1])))
        except Exception:  # the function accepts one time only; its own errors appear in that call
            return None
        return rows if same and np.isfinite(rows).all() else None

    def _checked(self, value: object, t: float) -> Array:
        what = f"{self.name} at t = {t:g}"
        found = numbers(what, value)
        found = found.reshape(1) if found.ndim == 0 else found
        return numbers(what, found, (self.size,) if found.ndim < 2 else (None, self.size))


def sampled_source(name: str, times: Array, rows: Array) -> DrivingValues:
    """Return values with one row per time, shape (..., samples, size), interpolated linearly."""
    return DrivingValues(name, rows.shape[-1], partial(interpolated, times, rows), sampled=True)


def source_of(name: str, given: object, symbols: Sequence[str], times: Array, batch: int) -> DrivingValues:
    """Return the values of an input group; an array with one row per entry of `times` is interpolated."""
    size = len(symbols)
    if callable(given):
        return DrivingValues(name, size, given)
    if isinstance(given, Mapping):
        missing = [symbol for symbol in symbols if symbol not in given]
        if missing:
            raise InputError(f"{name}: expected values for {', '.join(missing)}, found none", code="E404")
        given = [given[symbol] for symbol in symbols]
    array = numbers(name, given)
    if array.ndim == 0:
        array = np.full(size, float(array))
    samples = len(times)
    if array.shape in ((size,), (batch, size)) and array.shape != (samples, size):
        return DrivingValues(name, size, None, array)
    if array.shape in ((samples, size), (batch, samples, size)):
        return sampled_source(name, times, array)
    several = f", ({batch}, {size}) or ({batch}, {samples}, {size})" if batch > 1 else ""
    raise InputError(
        f"{name}: expected a function of time or an array of shape ({size},), ({samples}, {size}) with one row per "
        f"sample{several}, found {array.shape}"
    )


def desired(reference: object) -> dict[str, object]:
    """Return {group: function of time} of a desired motion: a mapping of groups, a position, or a motion."""
    if isinstance(reference, Mapping) and "t" not in reference:
        return dict(reference)
    if isinstance(reference, (list, tuple, np.ndarray)):
        return {"q_desired": numbers("reference", reference, (None,))}
    state = state_function(reference, "reference")

    def part(name: str) -> Callable[[ArrayLike], Array]:
        return lambda t: getattr(state(t), name)

    return {f"{name}_desired": part(name) for name in State._fields}
