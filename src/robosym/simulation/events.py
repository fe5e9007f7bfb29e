"""Events: where a function of time and state passes zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from robosym.errors import InputError

if TYPE_CHECKING:
    from robosym.simulation.run import Simulation

__all__ = ["Crossings"]

_BISECTIONS = 60


class Crossings:
    """{name: function (t, q, qd) -> number}; its attributes `direction` (1, -1 or 0) and `terminal` are heeded."""

    def __init__(self, events: Mapping[str, Callable[..., float]]) -> None:
        for name, function in events.items():
            if not callable(function):
                raise InputError(f"events: {name}: expected a function (t, q, qd) -> number, found {function!r}")
        self.events = events

    def applied(self, run: Simulation) -> Simulation:
        """The run with the times of the events, cut at the first that is terminal."""
        if run.q.ndim != 2:
            raise InputError("events: expected one trajectory, found several")
        found = {name: self._times(name, function, run) for name, function in self.events.items()}
        ends = [times[0] for name, times in found.items() if len(times) and getattr(self.events[name], "terminal", 0)]
        if ends:
            run = run.until(min(ends))
            found = {name: times[times <= min(ends)] for name, times in found.items()}
        return replace(run, events=found)

    def _times(self, name: str, function: Callable[..., Any], run: Simulation) -> Any:
        def value(t: float, q: Any, qd: Any) -> float:
            try:
                result = float(function(t, q, qd))
            except (TypeError, ValueError) as error:
                raise InputError(f"events: {name}: expected a number: {error}") from None
            if np.isnan(result):
                raise InputError(f"events: {name}: not a number at t = {t:g} s")
            return result

        values = np.array([value(t, q, qd) for t, q, qd in zip(run.t, run.q, run.qd, strict=True)])
        direction = getattr(function, "direction", 0)
        times = []
        for k in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0):
            if direction * (values[k + 1] - values[k]) >= 0:
                low, high = run.t[k], run.t[k + 1]
                for _ in range(_BISECTIONS):
                    middle = (low + high) / 2
                    same = np.sign(value(middle, *run.at(middle))) == np.sign(values[k])
                    low, high = (middle, high) if same else (low, middle)
                times.append((low + high) / 2)
        times += [t for t, v, before in zip(run.t[1:], values[1:], values[:-1], strict=True) if v == 0 != before]
        return np.array(sorted(times))
