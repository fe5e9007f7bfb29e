"""A motion that was found: where it is at any time, as a table, as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import numbers
from robosym.drawing.charts import Line, chart, page
from robosym.errors import InputError
from robosym.experiment.bases import Basis
from robosym.files import write_text
from robosym.simulation.motions import State
from robosym.table_files import write_columns

__all__ = ["Trajectory"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion of the joints that repeats itself after a period, at rest at its beginning and its end."""

    name: str  #: of the robot
    joints: tuple[str, ...]  #: names, in the order of q
    basis: Basis
    coefficients: Array  #: a column a joint
    condition: float  #: of the regressor W along the motion
    criterion: str
    columns: tuple[str, ...]  #: the parameters that are the columns of W
    limits: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)  #: lower and upper, by group
    peaks: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)  #: least and greatest values, exactly
    left_out: tuple[str, ...] = ()  #: parameters that no motion tells from the others
    tried: tuple[float, ...] = ()  #: conditions that other starts led to

    @property
    def period(self) -> float:
        return self.basis.period

    def at(self, t: Any) -> State:
        """Where the joints are at a time or at several, in seconds; the motion goes on after its period."""
        times = numbers("t", t)
        within = np.mod(times.ravel(), self.period)
        parts = (self.basis.matrix(within, order) @ self.coefficients for order in range(3))
        return State(*(part.reshape(*times.shape, -1) for part in parts))

    def times(self, rate: float = 100.0) -> Array:
        """Even times of one period at so many a second, the end included."""
        if not (np.isfinite(rate) and rate > 0):
            raise InputError(f"rate: expected samples a second, found {rate!r}")
        return np.linspace(0, self.period, max(2, round(self.period * rate) + 1))

    def write(self, path: str | Path, rate: float = 100.0) -> Trajectory:
        """A table in CSV: t, then q, qd and qdd of each joint. Gives the trajectory."""
        t = self.times(rate)
        write_columns(path, {"t": t, **self.at(t)._asdict()})
        return self

    def plot(self, path: str | Path) -> Trajectory:
        """A page (.html) of positions, velocities and accelerations over time. Gives the trajectory."""
        t = self.times(50.0)
        parts = [f"<p>{self._sentence()}</p>"]
        for group, words in (("q", "Positions"), ("qd", "Velocities"), ("qdd", "Accelerations")):
            values = getattr(self.at(t), group)
            parts.append(f"<h2>{words}</h2>")
            lines = [Line(name, values[:, k]) for k, name in enumerate(self.joints)]
            parts.append(chart(t, lines))
        write_text(path, page(f"Exciting motion of {self.name}", parts))
        return self

    def _sentence(self) -> str:
        return (
            f"{len(self.joints)} joints, {self.period:g} s, condition {self.condition:.4g} of {len(self.columns)} "
            f"parameters ({self.criterion})"
        )

    def __repr__(self) -> str:
        return f"<Trajectory of {self.name}: {self._sentence()}>"

    def __str__(self) -> str:
        width = max(map(len, self.joints))
        lines = [f"{self.name}: {self._sentence()}", ""]
        lines.append(f"{'joint':<{max(width, 5)}}  {'position':^19}  {'velocity':>8}  {'acceleration':>12}")
        for k, name in enumerate(self.joints):
            low, high = (self.peaks["q"][side][k] for side in (0, 1))
            fastest, sharpest = (max(abs(side[k]) for side in self.peaks[group]) for group in ("qd", "qdd"))
            lines.append(f"{name:<{max(width, 5)}}  {low:8.4f} .. {high:7.4f}  {fastest:8.4f}  {sharpest:12.4f}")
        return "\n".join(lines)
