"""Motions that are linear in their coefficients, Fourier series and splines, and the one of them that was found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array, numbers
from robosym.algebra.once import cached_property
from robosym.drawing.charts import Line, chart, page
from robosym.errors import InputError
from robosym.files import write_text
from robosym.simulation.motions import State
from robosym.table_files import write_columns

__all__ = ["Basis", "Fourier", "Spline", "Trajectory"]


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

    def at(self, t: ArrayLike) -> State:
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


@dataclass(frozen=True)
class Basis(ABC):
    """Functions of time whose sums are motions: a column of coefficients a joint."""

    period: float  #: seconds, after which the motion begins again

    @property
    @abstractmethod
    def count(self) -> int:
        """How many functions there are; the constant is a sum of them."""

    @abstractmethod
    def matrix(self, t: Array, order: int = 0) -> Array:
        """The functions, or their derivatives of an order, as columns, at times of the first period."""

    @abstractmethod
    def constant(self) -> Array:
        """The coefficients of the function that is 1."""

    @abstractmethod
    def peaks(self, coefficients: Array, order: int) -> tuple[Array, Array]:
        """The least and the greatest value of each joint's derivative of an order over all times, not on a grid."""

    @abstractmethod
    def share(self, points: int) -> float:
        """What holds at so many even points within this share of a limit is near the limit, at most, between them."""

    @abstractmethod
    def rests(self) -> Array:
        """What must be zero for the motion to begin and end at rest and to close: rows over the coefficients."""

    def times(self, points: int) -> Array:
        """Even times of one period, its end left out."""
        return np.arange(float(points)) * (self.period / points)


@dataclass(frozen=True)
class Fourier(Basis):
    """A constant and sines and cosines of the first harmonics, each of the size of its velocity."""

    harmonics: int = 7

    @property
    def count(self) -> int:
        return 2 * self.harmonics + 1

    @property
    def _speeds(self) -> Array:
        return 2 * np.pi / self.period * np.arange(1.0, self.harmonics + 1)

    def matrix(self, t: Array, order: int = 0) -> Array:
        speeds = self._speeds
        angle = np.multiply.outer(t, speeds) + order * np.pi / 2  # each derivative is a quarter of a turn ahead
        size = speeds ** (order - 1)
        constant = np.full((len(t), 1), float(order == 0))
        functions: Array = np.hstack([constant, size * np.sin(angle), -size * np.cos(angle)])
        return functions

    def constant(self) -> Array:
        return np.concatenate([[1.0], np.zeros(2 * self.harmonics)])

    def rests(self) -> Array:
        start = np.zeros(1)
        return np.vstack([self.matrix(start, 1), self.matrix(start, 2)])

    def share(self, points: int) -> float:
        """A theorem of Ehlich and Zeller on trigonometric polynomials: nothing between the points goes beyond."""
        return float(np.cos(np.pi * self.harmonics / points))

    def peaks(self, coefficients: Array, order: int) -> tuple[Array, Array]:
        """At the roots of the slope, a polynomial in exp(i w t); its other roots are times like any other."""
        n = self.harmonics
        turn = (1j ** (order + 1)) * self._speeds**order
        low, high = [], []
        for column in coefficients.T:
            # sum of (a sin - b cos) is the real part of (-ia - b) e^(iwt): the slope, multiplied by e^(inwt)
            waves = turn * (-1j * column[1 : n + 1] - column[n + 1 :])
            slope = np.concatenate([waves[::-1], [0], np.conj(waves)])
            t = self.times(8 * n)
            if np.abs(slope).max() > 0:
                roots = np.roots(slope)
                t = np.concatenate([t, np.angle(roots[roots != 0]) % (2 * np.pi) * self.period / (2 * np.pi)])
            values = self.matrix(t, order) @ column
            low.append(values.min())
            high.append(values.max())
        return np.array(low), np.array(high)


@dataclass(frozen=True)
class Spline(Basis):
    """B-splines of a degree over even pieces; position, velocity and acceleration close at the end of the period."""

    pieces: int = 14
    degree: int = 5

    @property
    def count(self) -> int:
        return self.pieces + self.degree

    @cached_property
    def _knots(self) -> Array:
        inner = np.linspace(0, self.period, self.pieces + 1)
        return np.concatenate([np.zeros(self.degree), inner, np.full(self.degree, self.period)])

    def matrix(self, t: Array, order: int = 0) -> Array:
        return self._functions(np.asarray(t, dtype=float), self.degree, order)

    def _functions(self, t: Array, degree: int, order: int) -> Array:
        """Cox and de Boor's recursion, and that of the derivatives, over all functions of a degree."""
        knots = self._knots
        if degree == 0:
            inside = (knots[:-1] <= t[:, None]) & (t[:, None] < knots[1:])
            last = np.flatnonzero(np.diff(knots))[-1]
            inside[t >= self.period, :] = False
            inside[t >= self.period, last] = True  # the end belongs to the last piece
            return inside.astype(float) if order == 0 else np.zeros(inside.shape)
        below = self._functions(t, degree - 1, max(order - 1, 0))
        spans = knots[degree:] - knots[:-degree]
        inverse = np.divide(1.0, spans, out=np.zeros_like(spans), where=spans > 0)
        functions: Array
        if order:
            functions = degree * (inverse[:-1] * below[:, :-1] - inverse[1:] * below[:, 1:])
        else:
            functions = (t[:, None] - knots[: -degree - 1]) * inverse[:-1] * below[:, :-1]
            functions += (knots[degree + 1 :] - t[:, None]) * inverse[1:] * below[:, 1:]
        return functions

    def constant(self) -> Array:
        return np.ones(self.count)

    def rests(self) -> Array:
        ends = np.array([0.0, self.period])
        places = self.matrix(ends)
        return np.vstack([places[1] - places[0], *(self.matrix(ends, order) for order in (1, 2))])

    def share(self, points: int) -> float:
        """An estimate: the curve between points of one piece is nearly a parabola. `peaks` has the last word."""
        return 1 - (np.pi * self.pieces / points) ** 2 / 8

    def peaks(self, coefficients: Array, order: int) -> tuple[Array, Array]:
        """At the ends of each piece and where the slope of its polynomial is zero."""
        degree = self.degree - order
        nodes = (1 + np.cos(np.pi * np.arange(degree + 1) / max(degree, 1))) / 2 if degree else np.array([0.5])
        span = self.period / self.pieces
        fit = np.linalg.inv(np.vander(nodes, degree + 1))
        times = []
        for piece in range(self.pieces):
            at = span * (piece + np.clip(nodes, 0.0, np.nextafter(1.0, 0.0)))
            for polynomial in (fit @ (self.matrix(at, order) @ coefficients)).T:
                roots = np.roots(np.polyder(polynomial)) if np.abs(polynomial[:-1]).max(initial=0) > 0 else np.zeros(0)
                times.append(span * (piece + np.clip(np.concatenate([roots.real, [0.0, 1.0]]), 0.0, 1.0)))
        values = self.matrix(np.concatenate(times), order) @ coefficients
        return values.min(axis=0), values.max(axis=0)
