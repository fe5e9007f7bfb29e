"""Trajectories that are linear in their coefficients: Fourier series and splines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array, numbers
from robosym.algebra.once import cached_property
from robosym.errors import counted
from robosym.simulation.motions import State
from robosym.simulation.planning.timed_motion import TimedMotion

__all__ = ["Basis", "Fourier", "Spline", "Trajectory"]


@dataclass(frozen=True, eq=False)
class Trajectory(TimedMotion):
    """Periodic joint trajectory that starts and ends at rest.

    Attributes
    ----------
    name : str
        Name of the robot.
    joints : tuple of str
        Joint names, in the order of q.
    basis : Basis
        Functions of time.
    coefficients : ndarray, shape (functions, joints)
        Coefficients of the functions.
    condition : float
        Condition number of the regressor W along the motion.
    criterion : str
        Criterion of the optimization.
    columns : tuple of str
        Parameters of the columns of W.
    limits : mapping of str to (ndarray, ndarray)
        Lower and upper limits per group.
    peaks : mapping of str to (ndarray, ndarray)
        Exact minimum and maximum of q, qd and qdd.
    left_out : tuple of str
        Parameters that no motion can identify.
    tried : tuple of float
        Condition numbers of the results from all starting points.

    Examples
    --------
    >>> import robosym as rs
    >>> limits = {"velocity": 2, "acceleration": 10}
    >>> motion = rs.exciting_trajectory(rs.load("planar2r"), limits, period=5, harmonics=3, starts=1)
    >>> motion.joints
    ('t1', 't2')
    """

    name: str
    joints: tuple[str, ...]
    basis: Basis
    coefficients: Array
    condition: float
    criterion: str
    columns: tuple[str, ...]
    limits: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    peaks: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    tried: tuple[float, ...] = ()

    @property
    def period(self) -> float:
        """Period in s."""
        return self.basis.period

    def at(self, t: ArrayLike) -> State:
        """Evaluate the trajectory.

        Parameters
        ----------
        t : float or array_like
            Times in s; the motion repeats after its period.

        Returns
        -------
        State
            Named tuple (q, qd, qdd); each has the shape of `t` with one more axis for the joints, in rad or m, and s.
        """
        times = numbers("t", t)
        within = np.mod(times.ravel(), self.period)
        parts = (self.basis.matrix(within, order) @ self.coefficients for order in range(3))
        return State(*(part.reshape(*times.shape, -1) for part in parts))

    @property
    def _title(self) -> str:  # type: ignore[override]
        return f"Exciting motion of {self.name}"

    def _sentence(self) -> str:
        return (
            f"{counted(len(self.joints), 'joint')}, {self.period:g} s, condition number {self.condition:.4g} for "
            f"{len(self.columns)} parameters ({self.criterion})"
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
    """Functions of time whose linear combinations are motions; one column of coefficients per joint."""

    period: float  #: in s

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of functions."""

    @abstractmethod
    def matrix(self, t: Array, order: int = 0) -> Array:
        """Return the functions, or their derivatives of an order, as columns, at times of the first period."""

    @abstractmethod
    def constant(self) -> Array:
        """Return the coefficients of the constant function 1."""

    @abstractmethod
    def peaks(self, coefficients: Array, order: int) -> tuple[Array, Array]:
        """Return the exact minimum and maximum per joint of a derivative over all times."""

    @abstractmethod
    def share(self, points: int) -> float:
        """Return a fraction of a limit for evenly spaced points.

        If the values at this number of points stay within the fraction, the motion stays within the limit, or very
        close to it, between the points.
        """

    @abstractmethod
    def rests(self) -> Array:
        """Return rows over the coefficients that are zero if the motion is closed and starts and ends at rest."""

    def times(self, points: int) -> Array:
        """Return evenly spaced times of one period, without its end."""
        return np.arange(float(points)) * (self.period / points)


@dataclass(frozen=True)
class Fourier(Basis):
    """Constant, sines and cosines of the first harmonics, scaled to equal velocities."""

    harmonics: int = 7

    @property
    def count(self) -> int:
        return 2 * self.harmonics + 1

    @property
    def _speeds(self) -> Array:
        return 2 * np.pi / self.period * np.arange(1.0, self.harmonics + 1)

    def matrix(self, t: Array, order: int = 0) -> Array:
        speeds = self._speeds
        angle = np.multiply.outer(t, speeds) + order * np.pi / 2  # each derivative adds a quarter period
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
        """Return a strict bound, by the theorem of Ehlich and Zeller on trigonometric polynomials."""
        return float(np.cos(np.pi * self.harmonics / points))

    def peaks(self, coefficients: Array, order: int) -> tuple[Array, Array]:
        """Return extrema at the roots of the derivative, a polynomial in exp(i w t)."""
        n = self.harmonics
        turn = (1j ** (order + 1)) * self._speeds**order
        low, high = [], []
        for column in coefficients.T:
            # a sin - b cos is the real part of (-ia - b) e^(iwt); the derivative is multiplied by e^(inwt)
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
    """B-splines over equal pieces; position, velocity and acceleration are periodic."""

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
        """Evaluate all functions of a degree by the recursion of Cox and de Boor, or their derivatives."""
        knots = self._knots
        if degree == 0:
            inside = (knots[:-1] <= t[:, None]) & (t[:, None] < knots[1:])
            last = np.flatnonzero(np.diff(knots))[-1]
            inside[t >= self.period, :] = False
            inside[t >= self.period, last] = True  # the last piece includes the end
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
        """Return an estimate that treats the curve between points as a parabola; `peaks` is exact."""
        return 1 - (np.pi * self.pieces / points) ** 2 / 8

    def peaks(self, coefficients: Array, order: int) -> tuple[Array, Array]:
        """Return extrema at the ends of each piece and at the roots of its derivative."""
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
