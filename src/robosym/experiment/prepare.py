"""From a log to a motion: filtered positions with their derivatives, torques, and where each joint moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array, numbers
from robosym.control.drives import Drive
from robosym.errors import InputError
from robosym.experiment.filters import between, derivatives, low_pass, thinned
from robosym.experiment.log import Log

__all__ = ["Motion", "Stretch", "prepare"]

_SHORT = 1e-12  #: of a step: the last sample is not lost to rounding
_EVEN = 1e-3  #: of a step: time stamps that are even but for their digits
_JUMP = 0.5  #: rad or m between two samples, and far more than usual: no motion
_STRANGE = 0.2  #: of its size: a measured velocity so far from the derivative of the position is something else
_SAME = 1e-9  #: seconds: two times are the same


#: a pause so many times longer than the usual step, and than a quarter of the filter's period, is a gap
_GAP = 6.0


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a motion without gaps, on a grid finer than its samples, and the filter from the grid to samples.

    What is computed from the motion (columns of a regressor) goes through the filter that the torques went through.
    """

    q: Array
    qd: Array
    qdd: Array
    step: float = 1.0
    cut: float | None = None  #: None: the samples are the grid
    kept: slice = field(default_factory=lambda: slice(None))
    tau: Array | None = None  #: torques on the grid, through no filter but that of the grid

    def slopes(self, values: Array) -> Array:
        """Derivatives by time of values on the grid, as samples."""
        if self.cut is None:
            return np.asarray(np.gradient(values, self.step, axis=0))
        return derivatives(values, self.step, self.cut, (1,))[0][self.kept]

    def sampled(self, values: Array) -> Array:
        """Values on the grid (time first) as samples."""
        return values if self.cut is None else thinned(values, self.step, self.cut, self.kept)


@dataclass(frozen=True, eq=False)
class Motion:
    """Samples of a motion, a row a time and a column a joint; `moves` is False where a joint is at rest.

    `Motion(t, q, qd, qdd, tau)` takes a motion that needs no filter, such as a simulated one.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    moves: NDArray[np.bool_] | None = None
    drive: Drive | None = None
    stretches: tuple[Stretch, ...] = ()
    remarks: tuple[str, ...] = ()  #: what was done to the log beyond filtering
    radians: bool = False  #: large angles are meant
    rest: float = 0.0  #: a joint is at rest below this speed
    joint_names: tuple[str, ...] = ()  #: in the order of the columns, where the log names its joints

    def __post_init__(self) -> None:
        for name in ("t", "q", "qd", "qdd", "tau"):
            shape = (None,) if name == "t" else (len(self.t), None)
            object.__setattr__(self, name, numbers(f"motion: {name}", getattr(self, name), shape))
        if self.moves is None:
            object.__setattr__(self, "moves", np.ones(self.tau.shape, dtype=bool))
        if not self.stretches:
            step = float(np.mean(np.diff(self.t))) if len(self.t) > 1 else 1.0
            object.__setattr__(self, "stretches", (Stretch(self.q, self.qd, self.qdd, step=step, tau=self.tau),))

    @property
    def joints(self) -> int:
        return int(self.tau.shape[1])

    @property
    def moving(self) -> NDArray[np.bool_]:
        """`moves`; everywhere where it was not told."""
        return np.ones(self.tau.shape, dtype=bool) if self.moves is None else self.moves

    def grids(self) -> list[tuple[Stretch, Array]]:
        """The stretches with the times of their grids."""
        found, first = [], 0
        for stretch in self.stretches:
            start, _, _ = stretch.kept.indices(len(stretch.q))
            times = self.t[first] + stretch.step * (np.arange(len(stretch.q)) - start)
            found.append((stretch, self.t if stretch.cut is None else times))
            first += len(range(*stretch.kept.indices(len(stretch.q))))
        return found

    def along(self, stretches: Sequence[Stretch]) -> Motion:
        """The same samples on other stretches: another motion at the same times."""
        moves = np.concatenate([np.abs(s.qd[s.kept]) >= self.rest for s in stretches])
        moves = moves if moves.shape == self.tau.shape else self.moving
        return replace(self, stretches=tuple(stretches), moves=moves)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<Motion: {len(self)} samples of {self.joints} joints, {self.moving.mean():.0%} in motion>"


def prepare(
    log: Log,
    cut: float = 10.0,
    rate: float | None = None,
    rest: float = 0.02,
    drive: Drive | None = None,
    between_rests: float | None = None,
) -> Motion:
    """The motion of a log: positions without what is above `cut` Hz, their derivatives, and torques, at `rate` Hz.

    Filters have zero phase (Butterworth, order 4, forward and backward). Torques pass a filter at `cut`, or at a fifth
    of the rate where that is less; every column of a regressor passes the same one, and both are then taken at `rate`
    (ten times the cut-off frequency by default, as far as the log goes). A joint whose speed falls below `rest`
    (rad/s, m/s) within one sample, or `between_rests` seconds, is at rest there. Gaps are left out. Velocities of the
    log are used where they are less noisy than the derivatives of its positions and do not lag behind them.
    """
    if not isinstance(log, Log):
        raise InputError(f"prepare: expected a Log, found {type(log).__name__}")
    for name, value in {"cut": cut, "rest": rest, **({} if rate is None else {"rate": rate})}.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
            raise InputError(f"prepare: {name}: expected a positive number, found {value!r}")
        if value == 0 and name != "rest":
            raise InputError(f"prepare: {name}: expected a positive number, found 0")
    whole, remarks = _at_different_times(_Part(*_joint_side(log, drive)))
    usual = float(np.median(np.diff(whole.t)))
    q, jumps, told = _without_jumps(whole.q, np.diff(whole.t) <= _GAP * usual)
    whole, remarks = replace(whole, q=q), [*remarks, *log.remarks, *told]
    if cut >= 0.5 / usual:
        raise InputError(f"prepare: cut: expected less than half the rate of the log, {0.5 / usual:.6g}, found {cut:g}")
    rate = min(10 * cut, 1 / usual) if rate is None else rate
    if rate > 1.001 / usual:
        raise InputError(f"prepare: rate: expected at most that of the log, {1 / usual:.6g} Hz, found {rate:g}")
    margin = 1 / rate if between_rests is None else between_rests
    parts, told = whole.without_gaps(usual, cut, jumps)
    motions = [part.samples(usual, cut, rate, rest, margin, drive) for part in parts]
    return _joined(motions, [*remarks, *told], log, drive, rest)


def _at_different_times(part: _Part) -> tuple[_Part, list[str]]:
    """Without samples that have the time of the one before, and what is to be said."""
    kept = np.concatenate([[True], np.diff(part.t) != 0])
    if kept.sum() < 20:
        raise InputError(f"prepare: expected at least 20 samples at different times, found {kept.sum()}")
    if kept.all():
        return part, []
    return part.some(kept), [f"{(~kept).sum()} samples have the time of the one before and are left out"]


def _joined(motions: list[Motion], remarks: list[str], log: Log, drive: Drive | None, rest: float) -> Motion:
    """The parts of a log as one motion."""
    whole = {
        name: np.concatenate([getattr(motion, name) for motion in motions])
        for name in ("t", "q", "qd", "qdd", "tau", "moves")
    }
    for j in np.flatnonzero(~whole["moves"].any(axis=0)):
        remarks.append(f"joint {j + 1} never moves faster than rest = {rest:g}")
    remarks += dict.fromkeys(remark for motion in motions for remark in motion.remarks)
    return Motion(
        **whole, drive=drive, stretches=tuple(stretch for motion in motions for stretch in motion.stretches),
        remarks=tuple(remarks), radians=log.degrees is not None, rest=rest, joint_names=log.joint_names or (),
    )  # fmt: skip


def _without_jumps(q: Array, follows: NDArray[np.bool_]) -> tuple[Array, list[int], list[str]]:
    """Angles that begin again after a turn go on; where a position jumps otherwise, the log is cut.

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
        remarks.append(f"{names}: angles that begin again after a turn go on")
    places = np.flatnonzero((sudden & ~turned).any(axis=1)) + 1
    for n in places[:3]:
        j = int(np.argmax(np.abs(steps[n - 1])))
        remarks.append(f"q{j + 1} jumps by {steps[n - 1, j]:.3g} at sample {n}: the log is cut there")
    return q - 2 * np.pi * carried, places.tolist(), remarks


def _joint_side(log: Log, drive: Drive | None) -> tuple[Array, Array, Array | None, Array]:
    """Times, positions, velocities and torques of the joints."""
    if log.effort_name == "current" and (drive is None or drive.gain is None):
        raise InputError("prepare: the log has currents: expected a Drive with a gain")
    if log.effort_name == "tau" and drive is not None and drive.gain is not None:
        raise InputError("prepare: the log has torques: expected currents, or a drive without gain")
    if drive is None:
        return log.t, log.q, log.qd, log.effort
    velocity = None if log.qd is None else drive.joint_positions(log.qd)
    return log.t, drive.joint_positions(log.q), velocity, drive.joint_torques(log.effort)


@dataclass(frozen=True)
class _Part:
    """Samples without a gap, as they were logged."""

    t: Array
    q: Array
    qd: Array | None
    tau: Array

    def some(self, which: slice | NDArray[np.bool_]) -> _Part:
        return _Part(self.t[which], self.q[which], None if self.qd is None else self.qd[which], self.tau[which])

    def without_gaps(self, usual: float, cut: float, jumps: list[int]) -> tuple[list[_Part], list[str]]:
        """The parts between gaps and jumps that are long enough for the filter, and what is to be said."""
        gaps = np.flatnonzero(np.diff(self.t) > max(_GAP * usual, 0.25 / cut)) + 1
        count = "one gap" if len(gaps) == 1 else f"{len(gaps)} gaps"
        remarks = [f"{count} in time: the parts between are filtered apart"] if len(gaps) else []
        parts = []
        for first, last in pairwise([0, *sorted({*gaps.tolist(), *jumps}), len(self.t)]):
            if last - first < 20 or (last - first) * usual < 3 / cut:
                remarks.append(f"samples {first} to {last - 1} are too few for the filter and left out")
            else:
                parts.append(self.some(slice(first, last)))
        if not parts:
            raise InputError(
                f"prepare: expected a stretch of {3 / cut:.3g} s (three periods of {cut:g} Hz) without gaps, found none"
            )
        return parts, remarks

    def samples(self, usual: float, cut: float, rate: float, rest: float, margin: float, drive: Drive | None) -> Motion:
        even = self.evenly(usual)
        remarks: list[str] = []
        step = (even.t[-1] - even.t[0]) / (len(even.t) - 1)
        q, qd, qdd = derivatives(even.q, step, cut)
        if even.qd is not None:
            measured = derivatives(even.qd, step, cut, (0, 1))
            trusted, remarks = _velocities(even, step, cut, qd, qdd, measured[0])
            qd, qdd = (np.where(trusted, own, found) for own, found in zip(measured, (qd, qdd), strict=True))
        narrow = min(cut, rate / 5)  # what is left above half the rate after this would appear below it
        tau = low_pass(even.tau, step, narrow)
        # the grid on which regressors are computed: fine enough for their products, no finer than the log
        times = max(1, round(min(1 / step, max(5 * rate, 10 * cut)) / rate))
        fine = 1 / (rate * times)
        grid = even.t[0] + fine * np.arange(int((even.t[-1] - even.t[0]) / fine * (1 + _SHORT)) + 1)
        onto = _onto(grid, even.t)
        torques = even.tau if fine < 1.5 * step else low_pass(even.tau, step, 0.4 / fine)
        stretch = Stretch(onto(q), onto(qd), onto(qdd), step=fine, cut=narrow, tau=onto(torques))
        speeds = stretch.qd
        if drive is not None:  # a motor at rest between two joints that move
            coupled = drive.couplings(speeds.shape[1])
            own = {k: stretch.qd @ row for k, row in coupled.items()}
            speeds = speeds.copy()
            for k, row in coupled.items():
                for j in np.flatnonzero(row):
                    speeds[:, j] = np.where(np.abs(own[k]) < np.abs(speeds[:, j]), own[k], speeds[:, j])
        moves = _throughout(np.abs(speeds) >= rest, round(margin / fine))
        edge = min(int(np.ceil(0.5 / (cut * fine))), len(grid) // 8)  # the filter knows nothing beyond the ends
        kept = slice(edge, len(grid) - edge, times)
        return Motion(
            grid[kept], stretch.q[kept], stretch.qd[kept], stretch.qdd[kept], onto(tau)[kept], moves[kept],
            stretches=(replace(stretch, kept=kept),), remarks=tuple(remarks),
        )  # fmt: skip

    def evenly(self, usual: float) -> _Part:
        """The same at even times."""
        count = round((self.t[-1] - self.t[0]) / usual) + 1
        times = np.linspace(self.t[0], self.t[-1], count)
        if count == len(self.t) and np.abs(times - self.t).max() < _EVEN * usual:
            return replace(self, t=times)
        velocity = None if self.qd is None else between(times, self.t, self.qd)
        return _Part(times, between(times, self.t, self.q), velocity, between(times, self.t, self.tau))


def _velocities(
    part: _Part, step: float, cut: float, qd: Array, qdd: Array, measured: Array
) -> tuple[NDArray[np.bool_], list[str]]:
    """Which joints' measured velocities are better than derivatives of their positions, and what is to be said.

    Those are trusted whose noise is less below the cut-off frequency and that do not lag behind the positions.
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
    remarks = [f"{', '.join(strange)}: not the derivatives of the positions, which are used"] if strange else []
    remarks += [f"{', '.join(late)} lag behind the positions, whose derivatives are used"] if late else []
    return trusted, remarks


def _noise(signal: Array) -> Array:
    """Deviation of white noise in each column: third differences know nothing of a smooth motion."""
    return np.asarray(np.std(np.diff(signal, 3, axis=0), axis=0) / np.sqrt(20))


def _onto(grid: Array, times: Array) -> Callable[[Array], Array]:
    """A function that takes values at the times to the grid."""
    every = round(float(grid[1] - grid[0]) / float(times[1] - times[0]))
    if every and len(times[::every]) >= len(grid) and np.abs(times[::every][: len(grid)] - grid).max() < _SAME:
        return lambda values: np.ascontiguousarray(values[::every][: len(grid)])
    return lambda values: between(grid, times, values)


def _throughout(holds: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Where it holds there and `reach` samples before and after."""
    broken = np.cumsum(np.concatenate([np.zeros((1, holds.shape[1]), int), ~holds]), axis=0)
    n = len(holds)
    last = np.minimum(np.arange(n) + reach + 1, n)
    first = np.maximum(np.arange(n) - reach, 0)
    return np.asarray(broken[last] == broken[first])
