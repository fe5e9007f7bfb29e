"""Variable steps by SciPy's solvers of initial value problems."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError
from robosym.simulation.sources import DrivingValues
from robosym.simulation.system import System

__all__ = ["SOLVERS", "Steps", "slope_of", "solved"]

Array = NDArray[np.float64]
#: names here, and what SciPy calls them
SOLVERS = {"dop853": "DOP853", "rk45": "RK45", "rk23": "RK23", "radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}


class Steps(NamedTuple):
    """How a motion is integrated, and the times that are kept."""

    t: Array
    step: float
    total: int  #: steps
    every: int  #: steps from one kept time to the next
    method: str
    tolerance: float  #: of variable steps


def slope_of(system: System, sources: Mapping[str, DrivingValues], number: int) -> Any:
    """(t, y) -> y' of trajectory `number`."""
    compiled = system.flow.compile()
    places = [(group, system.place(group)) for group in system.state]
    driven = [(group, sources[group]) for group in system.driven]

    def slope(t: float, y: Array) -> Array:
        given = {group: y[place] for group, place in places}
        for group, source in driven:
            value = source.at(t)
            given[group] = np.ascontiguousarray(value[number] if value.ndim == 2 else value)
        found: Array = compiled(**given)
        return found

    return slope


def solved(
    system: System, sources: Mapping[str, DrivingValues], start: Array, t: Array, method: str, tolerance: float
) -> Array:
    """The states (batch, samples, size) at the times t."""
    try:
        solve_ivp = import_module("scipy.integrate").solve_ivp
    except ImportError:
        raise InputError(f"method={method!r} needs SciPy: pip install robosym[simulation]") from None
    states = []
    for number, first in enumerate(start):
        slope = slope_of(system, sources, number)
        with np.errstate(all="ignore"):
            found = solve_ivp(
                slope, (0.0, t[-1]), first, method=SOLVERS[method], t_eval=t, rtol=tolerance, atol=tolerance
            )
        if not found.success or found.y.shape[1] != len(t):
            raise InputError(f"{method} stopped at t = {found.t[-1] if len(found.t) else 0:g} s: {found.message}")
        states.append(found.y.T)
    return np.array(states)
