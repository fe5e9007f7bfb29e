"""Preparation of logs: filtered positions with derivatives, filtered torques, and detection of stationary samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array, numbers
from robosym.algebra.once import FrozenDict
from robosym.control.drives import Drive
from robosym.errors import InputError, counted
from robosym.experiment.filters import between, derivatives, low_pass, thinned
from robosym.experiment.log import Log

__all__ = ["Motion", "Segment", "prepare"]

_SHORT = 1e-12  #: tolerance relative to a step, so that rounding does not lose the last sample
_EVEN = 1e-3  #: tolerance relative to a step of evenly spaced time stamps
_JUMP = 0.5  #: smallest jump between two samples, in rad or m, that is not a motion
_STRANGE = 0.2  #: relative difference from the derivative of the position above which a velocity is not used
_SAME = 1e-9  #: tolerance of equal times, in s
_GAP = 6.0  #: a gap is longer than this multiple of the median step and than a quarter of the cutoff period


@dataclass(frozen=True, eq=False)
class Segment:
    """Part of a motion without gaps, on a time grid finer than the samples, with the filter from grid to samples.

    Quantities computed from the motion, such as columns of a regressor, pass the same filter as the torques.
    """

    q: Array
    qd: Array
    qdd: Array
    step: float = 1.0
    cut: float | None = None  #: cutoff frequency in Hz; None if the samples are the grid
    kept: slice = field(default_factory=lambda: slice(None))
    tau: Array | None = None  #: torques on the grid, filtered for the grid only
    base: Mapping[str, Array] = field(default_factory=dict)  #: motion of the base on the grid, by input group

    def slopes(self, values: Array) -> Array:
        """Return time derivatives of values on the grid, at the samples."""
        if self.cut is None:
            return np.asarray(np.gradient(values, self.step, axis=0))
        return derivatives(values, self.step, self.cut, (1,))[0][self.kept]

    def sampled(self, values: Array) -> Array:
        """Return filtered values on the grid (time along axis 0) at the samples."""
        return values if self.cut is None else thinned(values, self.step, self.cut, self.kept)


@dataclass(frozen=True, eq=False)
class Motion:
    """Prepared motion: one row per sample, one column per joint.

    `Motion(t, q, qd, qdd, tau)` creates a motion that needs no filter, such as a simulated one; `prepare` creates one
    from a log.

    Attributes
    ----------
    t : ndarray, shape (n,)
        Times in s.
    q, qd, qdd : ndarray, shape (n, joints)
        Positions, velocities and accelerations, in rad or m.
    tau : ndarray, shape (n, joints)
        Torques in N m or forces in N. With a force plate under a floating base, six columns precede them: moment and
        force on the base, in frame 0 at its origin.
    base : mapping of str to ndarray, shape (n, size)
        Measured motion of a moving base: "base_velocity" (6, in frame 0: angular, then linear), "base_acceleration"
        (6, the same), "base_orientation" (4, quaternion w, x, y, z).
    moves : ndarray of bool, shape (n, joints), or None
        False where a joint is stationary.
    drive : Drive or None
        Drive that converted the log.
    remarks : tuple of str
        How the log was processed, apart from filtering.
    rest : float
        Speed below which a joint is stationary.
    joint_names : tuple of str
        Names of the joints in the log, if any.

    Examples
    --------
    >>> import robosym as rs
    >>> import numpy as np
    >>> arm = rs.load("planar2r")
    >>> t = np.arange(0, 10, 0.005)
    >>> q = np.sin(np.outer(t, [1.3, 2.1])) + np.sin(np.outer(t, [2.9, 3.7]))
    >>> qd = np.gradient(q, t, axis=0)
    >>> qdd = np.gradient(qd, t, axis=0)
    >>> tau = rs.inverse_dynamics(arm).compile()(q=q, qd=qd, qdd=qdd)
    >>> motion = rs.Motion(t, q, qd, qdd, tau)
    >>> motion.q.shape
    (2000, 2)
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    moves: NDArray[np.bool_] | None = None
    drive: Drive | None = None
    segments: tuple[Segment, ...] = ()
    remarks: tuple[str, ...] = ()
    radians: bool = False  #: the log confirms that large angles are in rad
    rest: float = 0.0
    joint_names: tuple[str, ...] = ()
    base: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("t", "q", "qd", "qdd", "tau"):
            shape = (None,) if name == "t" else (len(self.t), None)
            object.__setattr__(self, name, numbers(f"motion: {name}", getattr(self, name), shape))
        base = {group: numbers(f"motion: {group}", value, (len(self.t), None)) for group, value in self.base.items()}
        object.__setattr__(self, "base", FrozenDict(base))
        if self.moves is None:
            object.__setattr__(self, "moves", np.ones(self.tau.shape, dtype=bool))
        if not self.segments:
            step = float(np.mean(np.diff(self.t))) if len(self.t) > 1 else 1.0
            object.__setattr__(
                self, "segments", (Segment(self.q, self.qd, self.qdd, step=step, tau=self.tau, base=base),)
            )

    @property
    def joints(self) -> int:
        """Number of joints."""
        return int(self.tau.shape[1])

    @property
    def moving(self) -> NDArray[np.bool_]:
        """`moves`, or True everywhere if it is None."""
        return np.ones(self.tau.shape, dtype=bool) if self.moves is None else self.moves

    def grids(self) -> list[tuple[Segment, Array]]:
        """Return the segments with the times of their grids.

        Returns
        -------
        list of (Segment, ndarray)
            Segments, each with its times in s.
        """
        found, first = [], 0
        for segment in self.segments:
            start, _, _ = segment.kept.indices(len(segment.q))
            times = self.t[first] + segment.step * (np.arange(len(segment.q)) - start)
            found.append((segment, self.t if segment.cut is None else times))
            first += len(range(*segment.kept.indices(len(segment.q))))
        return found

    def along(self, segments: Sequence[Segment]) -> Motion:
        """Return the same samples with other segments: another motion at the same times.

        Parameters
        ----------
        segments : sequence of Segment
            Segments on the same grids.

        Returns
        -------
        Motion
            Copy with these segments.
        """
        moves = np.concatenate([np.abs(s.qd[s.kept]) >= self.rest for s in segments])
        moves = moves if moves.shape == self.tau.shape else self.moving
        return replace(self, segments=tuple(segments), moves=moves)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'sample')} of {counted(self.joints, 'joint')}"
        return f"<Motion: {size}, {self.moving.mean():.0%} in motion>"


def prepare(
    log: Log,
    cut: float = 10.0,
    rate: float | None = None,
    rest: float = 0.02,
    drive: Drive | None = None,
    between_rests: float | None = None,
    delay: float = 0.0,
) -> Motion:
    """Filter a log and return the motion with derivatives and torques.

    The filters have zero phase (Butterworth, order 4, forward and backward). Torques are filtered at `cut`, or at a
    fifth of `rate` if that is lower; regressors pass the same filter. Logged velocities are used if they are less
    noisy than the derivatives of the positions and do not lag behind them. Gaps are left out.

    Parameters
    ----------
    log : Log
        Log of a motion.
    cut : float
        Cutoff frequency of the filters in Hz.
    rate : float, optional
        Rate of the samples in Hz. Default: ten times the cutoff frequency, at most the rate of the log.
    rest : float
        Speed in rad/s or m/s below which a joint is stationary.
    drive : Drive, optional
        Transmission between motors and joints, if the log contains motor quantities.
    between_rests : float, optional
        Time in s before and after a slow sample within which samples count as stationary too. Default: one sample.
    delay : float
        Time in s by which the torques are recorded later than the positions (`Estimate.delay` estimates it).

    Returns
    -------
    Motion
        Filtered motion at `rate`.

    Raises
    ------
    InputError
        If an option is invalid, or no part of the log is long enough for the filter.

    Examples
    --------
    >>> import robosym as rs
    >>> import numpy as np
    >>> t = np.arange(0, 8, 0.005)
    >>> q = np.sin(np.outer(t, [1.3, 2.1]))
    >>> motion = rs.prepare(rs.Log(t=t, q=q, tau=0 * q), cut=10, rate=50)
    >>> motion.q.shape
    (395, 2)
    """
    if not isinstance(log, Log):
        raise InputError(f"prepare: expected a Log, found {type(log).__name__}")
    for name, value in {"cut": cut, "rest": rest, **({} if rate is None else {"rate": rate})}.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
            least = "nonnegative" if name == "rest" else "positive"
            raise InputError(f"prepare: {name}: expected a {least} number, found {value!r}")
        if value == 0 and name != "rest":
            raise InputError(f"prepare: {name}: expected a positive number, found 0")
    whole, remarks = _at_different_times(_Part(*_joint_side(log, drive)))
    usual = float(np.median(np.diff(whole.t)))
    q, jumps, notes = _without_jumps(whole.q, np.diff(whole.t) <= _GAP * usual)
    whole, remarks = replace(whole, q=q), [*remarks, *log.remarks, *notes]
    if delay:
        if not abs(delay) < (whole.t[-1] - whole.t[0]) / 4:
            raise InputError(f"prepare: delay: expected a time shorter than the log, found {delay!r}")
        whole = replace(whole, tau=between(whole.t + delay, whole.t, whole.tau))
    if cut >= 0.5 / usual:
        raise InputError(
            f"prepare: cut: expected less than half the rate of the log, {0.5 / usual:.6g} Hz, found {cut:g}"
        )
    rate = min(10 * cut, 1 / usual) if rate is None else rate
    if rate > 1.001 / usual:
        raise InputError(f"prepare: rate: expected at most the rate of the log, {1 / usual:.6g} Hz, found {rate:g}")
    margin = 1 / rate if between_rests is None else between_rests
    parts, notes = whole.without_gaps(usual, cut, jumps)
    motions = [part.samples(usual, cut, rate, rest, margin, drive) for part in parts]
    return _joined(motions, [*remarks, *notes], log, drive, rest)


def _at_different_times(part: _Part) -> tuple[_Part, list[str]]:
    """Remove samples with the same time as the previous one; return the rest and remarks."""
    kept = np.concatenate([[True], np.diff(part.t) != 0])
    if kept.sum() < 20:
        raise InputError(f"prepare: expected at least 20 samples at different times, found {kept.sum()}")
    if kept.all():
        return part, []
    return part.some(kept), [f"{counted(int((~kept).sum()), 'sample')} with the same time as the previous one left out"]


def _joined(motions: list[Motion], remarks: list[str], log: Log, drive: Drive | None, rest: float) -> Motion:
    """Join the parts of a log into one motion."""
    whole = {
        name: np.concatenate([getattr(motion, name) for motion in motions])
        for name in ("t", "q", "qd", "qdd", "tau", "moves")
    }
    for j in np.flatnonzero(~whole["moves"].any(axis=0)):
        remarks.append(f"joint {j + 1} never moves faster than rest = {rest:g}")
    remarks += dict.fromkeys(remark for motion in motions for remark in motion.remarks)
    t, q, qd, qdd, tau, moves = whole.values()
    return Motion(
        t, q, qd, qdd, tau, moves,
        drive=drive, segments=tuple(segment for motion in motions for segment in motion.segments),
        remarks=tuple(remarks), radians=log.degrees is not None, rest=rest, joint_names=log.joint_names or (),
    )  # fmt: skip


def _without_jumps(q: Array, follows: NDArray[np.bool_]) -> tuple[Array, list[int], list[str]]:
    """Unwrap angles after full turns; return positions, indices of other jumps, and remarks.

    `follows` is False where a gap in time explains a difference.
    """
    steps = np.diff(q, axis=0)
    usual = np.quantile(np.abs(steps), 0.99, axis=0)
    sudden = (np.abs(steps) > np.maximum(_JUMP, 30 * usual)) & follows[:, None]
    if not sudden.any():
        return q, [], []
    turns = np.round(steps / (2 * np.pi))
    turned = sudden & (turns != 0) & (np.abs(steps - 2 * np.pi * turns) < np.maximum(0.1, 3 * usual))
    carried = np.concatenate([np.zeros((1, q.shape[1])), np.cumsum(np.where(turned, turns, 0.0), axis=0)])
    remarks = []
    if turned.any():
        names = ", ".join(f"q{j + 1}" for j in np.flatnonzero(turned.any(axis=0)))
        remarks.append(f"{names}: angles unwrapped after full turns")
    places = np.flatnonzero((sudden & ~turned).any(axis=1)) + 1
    for n in places[:3]:
        j = int(np.argmax(np.abs(steps[n - 1])))
        remarks.append(f"q{j + 1} jumps by {steps[n - 1, j]:.3g} at sample {n}: the log is split there")
    return q - 2 * np.pi * carried, places.tolist(), remarks


def _joint_side(log: Log, drive: Drive | None) -> tuple[Array, Array, Array | None, Array]:
    """Return times, positions, velocities and torques of the joints."""
    if log.effort_name == "current" and (drive is None or drive.gain is None):
        raise InputError("prepare: drive: expected a Drive with a gain, because the log contains currents")
    if log.effort_name == "tau" and drive is not None and drive.gain is not None:
        raise InputError("prepare: drive: expected a Drive without gain, because the log contains torques")
    if drive is None:
        return log.t, log.q, log.qd, log.effort
    velocity = None if log.qd is None else drive.joint_positions(log.qd)
    return log.t, drive.joint_positions(log.q), velocity, drive.joint_torques(log.effort)


@dataclass(frozen=True)
class _Part:
    """Logged samples without a gap."""

    t: Array
    q: Array
    qd: Array | None
    tau: Array

    def some(self, which: slice | NDArray[np.bool_]) -> _Part:
        """Return some of the samples."""
        return _Part(self.t[which], self.q[which], None if self.qd is None else self.qd[which], self.tau[which])

    def without_gaps(self, usual: float, cut: float, jumps: list[int]) -> tuple[list[_Part], list[str]]:
        """Return the parts between gaps and jumps that are long enough for the filter, and remarks."""
        gaps = np.flatnonzero(np.diff(self.t) > max(_GAP * usual, 0.25 / cut)) + 1
        count = "one gap" if len(gaps) == 1 else f"{len(gaps)} gaps"
        remarks = [f"{count} in time: the parts between gaps are filtered separately"] if len(gaps) else []
        parts = []
        for first, last in pairwise([0, *sorted({*gaps.tolist(), *jumps}), len(self.t)]):
            if last - first < 20 or (last - first) * usual < 3 / cut:
                remarks.append(f"samples {first} to {last - 1} are too few for the filter and are left out")
            else:
                parts.append(self.some(slice(first, last)))
        if not parts:
            raise InputError(
                f"prepare: expected {3 / cut:.3g} s without gaps (three periods of {cut:g} Hz), found shorter "
                "parts only"
            )
        return parts, remarks

    def samples(self, usual: float, cut: float, rate: float, rest: float, margin: float, drive: Drive | None) -> Motion:
        """Filter, differentiate and resample the part."""
        even = self.evenly(usual)
        remarks: list[str] = []
        step = (even.t[-1] - even.t[0]) / (len(even.t) - 1)
        q, qd, qdd = derivatives(even.q, step, cut)
        if even.qd is not None:
            measured = derivatives(even.qd, step, cut, (0, 1))
            trusted, remarks = _velocities(even, step, cut, qd, qdd, measured[0])
            qd, qdd = (np.where(trusted, own, found) for own, found in zip(measured, (qd, qdd), strict=True))
        narrow = min(cut, rate / 5)  # avoids aliasing
        tau = low_pass(even.tau, step, narrow)
        # grid of the regressors: fine enough for products of signals, no finer than the log
        times = max(1, round(min(1 / step, max(5 * rate, 10 * cut)) / rate))
        fine = 1 / (rate * times)
        grid = even.t[0] + fine * np.arange(int((even.t[-1] - even.t[0]) / fine * (1 + _SHORT)) + 1)
        onto = _onto(grid, even.t)
        torques = even.tau if fine < 1.5 * step else low_pass(even.tau, step, 0.4 / fine)
        segment = Segment(onto(q), onto(qd), onto(qdd), step=fine, cut=narrow, tau=onto(torques))
        speeds = segment.qd
        if drive is not None:  # a motor can be stationary while its two joints move
            coupled = drive.couplings(speeds.shape[1])
            own = {k: segment.qd @ row for k, row in coupled.items()}
            speeds = speeds.copy()
            for k, row in coupled.items():
                for j in np.flatnonzero(row):
                    speeds[:, j] = np.where(np.abs(own[k]) < np.abs(speeds[:, j]), own[k], speeds[:, j])
        moves = _throughout(np.abs(speeds) >= rest, round(margin / fine))
        edge = min(int(np.ceil(0.5 / (cut * fine))), len(grid) // 8)  # the filter is inaccurate near the ends
        kept = slice(edge, len(grid) - edge, times)
        return Motion(
            grid[kept], segment.q[kept], segment.qd[kept], segment.qdd[kept], onto(tau)[kept], moves[kept],
            segments=(replace(segment, kept=kept),), remarks=tuple(remarks),
        )  # fmt: skip

    def evenly(self, usual: float) -> _Part:
        """Return the samples at evenly spaced times."""
        count = round((self.t[-1] - self.t[0]) / usual) + 1
        times = np.linspace(self.t[0], self.t[-1], count)
        if count == len(self.t) and np.abs(times - self.t).max() < _EVEN * usual:
            return replace(self, t=times)
        velocity = None if self.qd is None else between(times, self.t, self.qd)
        return _Part(times, between(times, self.t, self.q), velocity, between(times, self.t, self.tau))


def _velocities(
    part: _Part, step: float, cut: float, qd: Array, qdd: Array, measured: Array
) -> tuple[NDArray[np.bool_], list[str]]:
    """Return the joints whose measured velocities are better than derivatives of their positions, and remarks.

    A velocity is used if its noise is lower below the cutoff frequency and it does not lag behind the position.
    """
    assert part.qd is not None
    noise_q, noise_qd = (_noise(signal) for signal in (part.q, part.qd))
    trusted = noise_qd < noise_q * 2 * np.pi * cut / np.sqrt(3)
    strange, late = [], []
    off = measured - qd
    for j in range(qd.shape[1]):
        speed, push = float(np.linalg.norm(qd[:, j])), float(np.linalg.norm(qdd[:, j]))
        if not speed or not push:
            trusted[j] = False
            continue
        if np.linalg.norm(off[:, j]) > _STRANGE * speed:
            strange.append(f"qd{j + 1}")
            trusted[j] = False
        elif abs(float(off[:, j] @ qdd[:, j])) / push**2 > step / 4:
            late.append(f"qd{j + 1}")
            trusted[j] = False
    remarks = [f"{', '.join(strange)}: inconsistent with the positions, whose derivatives are used"] if strange else []
    remarks += [f"{', '.join(late)}: lag behind the positions, whose derivatives are used"] if late else []
    return trusted, remarks


def _noise(signal: Array) -> Array:
    """Return the standard deviation of white noise per column; third differences remove a smooth motion."""
    return np.asarray(np.std(np.diff(signal, 3, axis=0), axis=0) / np.sqrt(20))


def _onto(grid: Array, times: Array) -> Callable[[Array], Array]:
    """Return a function that resamples values at `times` on `grid`."""
    every = round(float(grid[1] - grid[0]) / float(times[1] - times[0]))
    if every and len(times[::every]) >= len(grid) and np.abs(times[::every][: len(grid)] - grid).max() < _SAME:
        return lambda values: np.ascontiguousarray(values[::every][: len(grid)])
    return lambda values: between(grid, times, values)


def _throughout(holds: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return where a condition holds and also `reach` samples before and after."""
    broken = np.cumsum(np.concatenate([np.zeros((1, holds.shape[1]), int), ~holds]), axis=0)
    n = len(holds)
    last = np.minimum(np.arange(n) + reach + 1, n)
    first = np.maximum(np.arange(n) - reach, 0)
    return np.asarray(broken[last] == broken[first])
