"""Motion of joints as a function of time, with its table and its plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.drawing.charts import Plot
from robosym.errors import InputError
from robosym.simulation.motions import State
from robosym.table_files import write_columns

__all__ = ["TimedMotion"]

Self = TypeVar("Self", bound="TimedMotion")
_WORDS = {"q": "Positions", "qd": "Velocities", "qdd": "Accelerations", "tau": "Torques"}


class TimedMotion(ABC):
    """Positions, velocities and accelerations of joints at any time from zero to the end of a motion."""

    _title = "Motion"
    _rate = 50.0  #: samples per second of a plot

    if TYPE_CHECKING:  # a field of the subclasses, which are dataclasses

        @property
        def joints(self) -> tuple[str, ...]:
            """Joint names, in the order of q."""

    @property
    @abstractmethod
    def period(self) -> float:
        """Duration in s."""

    @abstractmethod
    def at(self, t: ArrayLike) -> State:
        """Evaluate the motion.

        Parameters
        ----------
        t : float or array_like
            Times in s.

        Returns
        -------
        State
            Named tuple (q, qd, qdd); each has the shape of `t` with one more axis for the joints.
        """

    @abstractmethod
    def _sentence(self) -> str: ...

    def _groups(self, t: Array) -> dict[str, Array]:
        """Return the plotted quantities at some times."""
        return self.at(t)._asdict()

    def times(self, rate: float = 100.0) -> Array:
        """Return evenly spaced times from zero to the end, including both.

        Parameters
        ----------
        rate : float
            Samples per second.

        Returns
        -------
        ndarray
            Times in s.
        """
        if not (np.isfinite(rate) and rate > 0):
            raise InputError(f"rate: expected a positive number of samples per second, found {rate!r}")
        return np.linspace(0, self.period, max(2, round(self.period * rate) + 1))

    def write(self: Self, path: str | Path, rate: float = 100.0) -> Self:
        """Write a CSV table with t, then q, qd and qdd of each joint.

        Parameters
        ----------
        path : str or Path
            File to write.
        rate : float
            Samples per second.

        Returns
        -------
        TimedMotion
            The motion itself.
        """
        t = self.times(rate)
        write_columns(path, {"t": t, **self.at(t)._asdict()})
        return self

    def plot(self: Self, path: str | Path) -> Self:
        """Plot the motion over time.

        Parameters
        ----------
        path : str or Path
            File to write (.svg or .html).

        Returns
        -------
        TimedMotion
            The motion itself.
        """
        t = self.times(self._rate)
        panels = {_WORDS[group]: (values, self.joints) for group, values in self._groups(t).items()}
        Plot(f"{self._title}: {self._sentence()}", t, panels).write(path)
        return self
