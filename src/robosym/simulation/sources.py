"""What drives a motion, given as a number, an array or a function of time, as the table that the integrator reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import numbers
from robosym.errors import InputError
from robosym.simulation.motions import State, interpolated, state_function

__all__ = ["DrivingValues", "desired", "sampled_source", "source_of"]

Array = NDArray[np.float64]


class DrivingValues:
    """Values of a group along the motion: `at(t)` for one time, `table(times)` for many."""

    def __init__(self, name: str, size: int, at: Callable[[float], Any] | None, fixed: Array | None = None,
                 sampled: bool = False) -> None:  # fmt: skip
        """`sampled`: the function takes many times at once, whatever it gives."""
        self.name, self.size, self._at, self.fixed, self.sampled = name, size, at, fixed, sampled

    def at(self, t: float) -> Array:
        """(size,), or (batch, size) where trajectories differ."""
        if self.fixed is not None:
            return self.fixed
        assert self._at is not None
        return self._checked(self._at(t), t)

    def along(self, times: Array) -> DrivingValues:
        """The same values at these times, without the function of the user, which may not be picklable."""
        if self.fixed is not None:
            return self
        table = self.table(times)
        return sampled_source(self.name, times, table[0] if len(table) == 1 else table)

    def table(self, times: Array) -> Array:
        """(blocks, rows, size): one block where trajectories do not differ, one row where time does not matter."""
        if self.fixed is not None:
            return self.fixed.reshape(-1, 1, self.size)
        rows = self._at_once(times)
        if rows is None:
            found = [self.at(float(t)) for t in times]
            rows = np.stack(found, axis=-2)
        return rows.reshape(-1, len(times), self.size)

    def _at_once(self, times: Array) -> Array | None:
        """All times in one call, where the function takes arrays."""
        if len(times) == self.size:
            return None  # rows and columns could be taken for each other
        function: Any = self._at
        try:
            rows: Array = np.asarray(function(times), dtype=float)
            if self.sampled:
                return rows
            same = rows.shape == (len(times), self.size) and np.array_equal(rows[-1], self.at(float(times[-1])))
        except Exception:  # a function of one time; its own errors come when it is called with one
            return None
        return rows if same and np.isfinite(rows).all() else None

    def _checked(self, value: Any, t: float) -> Array:
        what = f"{self.name} at t = {t:g}"
        found = numbers(what, value)
        found = found.reshape(1) if found.ndim == 0 else found
        return numbers(what, found, (self.size,) if found.ndim < 2 else (None, self.size))


def sampled_source(name: str, times: Array, rows: Array) -> DrivingValues:
    """Values with one row (..., samples, size) for each time, interpolated between them."""
    return DrivingValues(name, rows.shape[-1], partial(interpolated, times, rows), sampled=True)


def source_of(name: str, given: Any, symbols: Sequence[str], times: Array, batch: int) -> DrivingValues:
    """`times` are those of the samples where an array has one row for each; between them it is interpolated."""
    size = len(symbols)
    if callable(given):
        return DrivingValues(name, size, given)
    if isinstance(given, Mapping):
        missing = [symbol for symbol in symbols if symbol not in given]
        if missing:
            raise InputError(f"{name}: no value is given for {', '.join(missing)}")
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
        f"{name}: expected a function of time or an array of shape ({size},), ({samples}, {size}) with a row for each "
        f"sample{several}; found {array.shape}"
    )


def desired(reference: Any) -> dict[str, Any]:
    """{group: function of time} of a desired motion: a mapping of groups, or a motion over time."""
    if isinstance(reference, Mapping) and "t" not in reference:
        return dict(reference)
    state = state_function(reference, "reference")

    def part(name: str) -> Callable[[Any], Array]:
        return lambda t: getattr(state(t), name)

    return {f"{name}_desired": part(name) for name in State._fields}
