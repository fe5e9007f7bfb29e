"""The fastest motion along a path within limits of velocity, acceleration and torque.

Along a path q(s), velocities are q' s., accelerations q' s.. + q'' s.^2, and torques are a s.. + h(s.^2), where h
contains the torques of the path's curvature, of gravity and of friction. Limits of all three are linear inequalities
(rows) in u = s.. and x = s.^2 for each interval of the path, from which
`reachable` computes the fastest profile. Friction that is not linear in x
is linearized about the last profile until the profile does not change. Limits are also imposed at points inside each
interval. If a limit is still exceeded between them, it is reduced by the excess, and the profile is computed again.
An interval in which the motion changes from one limit to another is divided where it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from heapq import heapify, heapreplace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robosym.algebra.arrays import Array, numbers
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, Pass, counted
from robosym.mechanism import Robot, need_rigid
from robosym.simulation.motion_limits import MotionLimits, motion_limits
from robosym.simulation.motions import State, sampled_motion
from robosym.simulation.planning.joint_efforts import JointEfforts
from robosym.simulation.planning.piecewise import PiecewisePolynomial, spline
from robosym.simulation.planning.timed_motion import TimedMotion

__all__ = ["OptimalMotion", "time_optimal_motion"]

_FINE = 8  #: parts of an interval at least; limits are checked at their ends, and every other end has rows
_PLACES = 1600  #: parts of the whole path at least
_MOST_POINTS = 100_000
_ALL, _FIRST = slice(None), (slice(None), slice(0, 1))
_WITH_ROWS = (slice(None), slice(None, None, 2))
_ROUNDS = 40  #: profiles that are computed at most
_IDLE = 0.99  #: part of a limit below which none is reached, so that an interval is divided
_SHARES = (1.0, 0.98, 0.8)  #: parts of the way to the limits that are tried in a divided interval
_NEAR = 0.99  #: part of a limit above which extrema between the points are computed
_WITHIN = 1e-8  #: part of a limit by which the result may exceed it
_AHEAD = 1.15  #: factor of an excess that is taken off a limit
_FASTER = 1.5  #: growth of that factor per profile, for excesses that a margin reduces little
_FINER = (1, 4, 16)  #: factors of the points that are tried if strong friction prevents a motion
_SETTLED = 1e-9  #: relative change of a profile that is settled
_NO_INERTIA = 1e-12  #: relative coefficient of s.. that counts as zero
_SLOWEST = 1e-10  #: part of the highest squared speed at which the friction at rest is taken
_UNBOUNDED = 1e4  #: squared speed relative to the highest limit, where no joint moves along the path
_WORDS = {"qd": "velocity", "qdd": "acceleration", "tau": "torque"}
_MORE = 1.5  #: factor between the two squares of a speed that give a slope


@dataclass(frozen=True, eq=False, repr=False)
class OptimalMotion(TimedMotion):
    """Motion along a path with constant s.. in each interval, returned by `time_optimal_motion`.

    Attributes
    ----------
    name : str
        Name of the robot.
    joints : tuple of str
        Names of the independent joints, in the order of q.
    s : ndarray, shape (points,)
        Path parameter at the points.
    speed : ndarray, shape (points,)
        Speed s. at each point.
    rate : ndarray, shape (points - 1,)
        Acceleration s.. of each interval.
    t : ndarray, shape (points,)
        Time in s at each point.
    utilization : dict of str to ndarray
        Per limited quantity ("velocity", "acceleration", "torque"), the largest fraction of its limit that each joint
        uses in each interval, shape (points - 1, joints).
    """

    name: str
    joints: tuple[str, ...]
    s: Array
    speed: Array
    rate: Array
    t: Array
    utilization: Mapping[str, Array]
    path: PiecewisePolynomial
    efforts: JointEfforts
    slowest: float  #: speed at which the friction at rest is taken

    @property
    def period(self) -> float:
        """Duration in s."""
        return float(self.t[-1])

    def at(self, t: ArrayLike) -> State:
        """Evaluate the motion.

        Parameters
        ----------
        t : float or array_like
            Times in s; the robot is at rest before the start and after the end.

        Returns
        -------
        State
            Named tuple (q, qd, qdd) of the joints `joints`, in rad or m, and s.
        """
        times = numbers("t", t)
        q, slope, bend, speed, rate = self._along(np.atleast_1d(times).ravel())
        parts = (q, slope * speed, slope * rate + bend * speed**2)
        return State(*(part.reshape(*times.shape, -1) for part in parts))

    def torques(self, t: ArrayLike) -> Array:
        """Return the motor torques at times; at the ends, with the friction of the motion that begins or ends.

        Parameters
        ----------
        t : float or array_like
            Times in s.

        Returns
        -------
        ndarray
            Torques in N m or N, with one more axis than `t`.
        """
        times = numbers("t", t)
        q, slope, bend, speed, rate = self._along(times.ravel())
        order = np.argsort(times.ravel(), kind="stable")
        whole = np.empty((times.size, len(self.efforts.robot.joint_names)))
        whole[order] = self.efforts.all_joints(q[order])
        qd = slope * np.maximum(speed, self.slowest)
        return self.efforts.at(whole, qd, slope * rate + bend * speed**2).reshape(*times.shape, -1)

    @property
    def active(self) -> tuple[str, ...]:
        """The limit that determines each interval, such as "torque of t2"."""
        kinds = list(self.utilization)
        used = np.concatenate([self.utilization[kind] for kind in kinds], axis=1)
        joints = len(self.joints)
        return tuple(f"{kinds[k // joints]} of {self.joints[k % joints]}" for k in used.argmax(axis=1))

    def _along(self, times: Array) -> tuple[Array, Array, Array, Array, Array]:
        inside = np.clip(times, 0.0, self.t[-1])
        moves = (inside == times)[:, None]
        k = np.clip(np.searchsorted(self.t, inside, side="right") - 1, 0, len(self.rate) - 1)
        passed = inside - self.t[k]
        speed = self.speed[k] + self.rate[k] * passed
        place = self.s[k] + (self.speed[k] + self.rate[k] * passed / 2) * passed
        q, slope, bend = self.path.at(np.clip(place, self.s[0], self.s[-1]), 3)
        return q, slope, bend, np.where(moves, speed[:, None], 0.0), np.where(moves, self.rate[k][:, None], 0.0)

    def _groups(self, t: Array) -> dict[str, Array]:
        return self.at(t)._asdict() | ({"tau": self.torques(t)} if "torque" in self.utilization else {})

    @property
    def _title(self) -> str:  # type: ignore[override]
        return f"Fastest motion of {self.name}"

    @property
    def _rate(self) -> float:  # type: ignore[override]
        return 500 / self.period

    def _sentence(self) -> str:
        words = ", ".join(self.utilization)
        joints = counted(len(self.joints), "joint")
        return f"{joints}, {len(self.s)} points, {self.period:.6g} s within limits of {words}"

    def __repr__(self) -> str:
        return f"<OptimalMotion of {self.name}: {self._sentence()}>"

    def __str__(self) -> str:
        kinds = list(self.utilization)
        width = max(5, *map(len, self.joints))
        lines = [f"{self.name}: {self._sentence()}", "", "largest part of each limit that is used"]
        lines.append(f"{'joint':<{width}}" + "".join(f"  {kind:>12}" for kind in kinds))
        for k, name in enumerate(self.joints):
            used = (self.utilization[kind][:, k].max() for kind in kinds)
            lines.append(f"{name:<{width}}" + "".join(f"  {part:12.6f}" for part in used))
        return "\n".join(lines)


@accepts("floating", motors=ALL, platform=ALL, modules=ALL)
def time_optimal_motion(
    robot: Robot,
    path: object,
    limits: Mapping[str, ArrayLike] | str | Path | None = None,
    points: int = 200,
    parameters: Mapping[str, float] | None = None,
) -> OptimalMotion:
    """Compute the fastest motion along a path, from rest to rest, within limits.

    Torques include friction and follow from the inverse dynamic model of the robot. Limits of velocity, acceleration
    and torque hold at 1,600 points of the path or more, at least nine per interval, within a relative error of 1e-8.

    Parameters
    ----------
    robot : Robot
        Robot on a fixed base, or on a floating base that moves freely from rest. Limits of torque require numbers for
        all inertial parameters.
    path : array_like, file or motion
        Positions of the independent joints that the path passes through, shape (positions, joints), at least two; of a
        closed robot these are the active joints, of a platform its motors. Or a .csv file with columns t, q1 .., or a
        motion, whose times are ignored. A cubic spline over the chord length connects the positions.
    limits : mapping or path of a YAML file, optional
        Limits with the keys `velocity`, `acceleration` and `torque`: a number, one per joint, or lower and upper
        limits. Default: the limits in the description.
    points : int
        Number of points of the path, at least the number of positions; one is added per interval in which the motion
        changes from one limit to another. The acceleration along the path is constant between them.
    parameters : mapping of str to float, optional
        Values of symbols of the robot.

    Returns
    -------
    OptimalMotion
        The motion: `at(t)`, `torques(t)`, `period`, `active`, `write`, `plot`.

    Raises
    ------
    InputError
        If an argument is invalid, or the motors cannot hold or move the robot along the path.

    Notes
    -----
    Speeds along the path result from reachability analysis in machine code: one pass backward, one forward. In each
    interval, at least one limit is reached. Jerk is not limited.

    Examples
    --------
    >>> import robosym as rs
    >>> limits = {"velocity": 2, "torque": [20, 5]}
    >>> motion = rs.time_optimal_motion(rs.load("planar2r"), [[0, 0], [1, 0.5], [1.5, -1]], limits)
    >>> motion.joints
    ('t1', 't2')
    """
    if not (isinstance(points, int) and not isinstance(points, bool) and 2 <= points <= _MOST_POINTS):
        raise InputError(f"points: expected a number from 2 to {_MOST_POINTS}, found {points!r}")
    need_rigid(robot, "time_optimal_motion")
    efforts = JointEfforts(robot, parameters)
    permitted = motion_limits(efforts.robot, limits, efforts.joints, needed=("qd",))
    if not (permitted.limits("qdd") or permitted.limits("tau")):
        hint = ("pass ", Pass("limits", {"torque": None}), " or ", Pass("limits", {"acceleration": None}))
        raise InputError("limits: expected limits of torque or acceleration, found none", hint=hint)
    curve = _curve(path, efforts.names)
    for finer in _FINER:
        try:
            return _Search(efforts, curve, permitted, min(finer * points, _MOST_POINTS)).motion(robot.name)
        except _NotFoundError as error:
            reason = error
    raise reason


def _curve(path: object, joints: tuple[str, ...]) -> PiecewisePolynomial:
    """Return the cubic spline through the positions of a path, over the length of the chords."""
    if isinstance(path, (str, Path, Mapping)) or hasattr(path, "q") or hasattr(path, "at") or callable(path):
        rows = sampled_motion(path, what="path").q
    else:
        rows = numbers("path", path)
    if rows.ndim != 2 or rows.shape[1] != len(joints):
        raise InputError(
            f"path: expected positions of {', '.join(joints)} in {len(joints)} columns, found shape {rows.shape}"
        )
    lengths = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    rows = rows[np.concatenate([[True], lengths > 0])]
    if len(rows) < 2:
        raise InputError("path: expected at least two different positions, found fewer")
    knots = np.concatenate([[0.0], np.cumsum(lengths[lengths > 0])])
    return spline(knots, rows)


def _divided(breaks: Array, count: int) -> Array:
    """Return the ends of a number of intervals: the breaks of a path, and evenly spaced points of its pieces."""
    pieces = len(breaks) - 1
    lengths = np.diff(breaks)
    parts = [1] * pieces
    longest = [(-length, k) for k, length in enumerate(lengths.tolist())]
    heapify(longest)
    for _ in range(count - pieces):
        k = longest[0][1]
        parts[k] += 1
        heapreplace(longest, (-float(lengths[k]) / parts[k], k))
    inner = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(breaks[:-1], breaks[1:], parts, strict=True)]
    return np.append(np.concatenate(inner), breaks[-1])


class _NotFoundError(InputError):
    """No profile was found for the linearized friction; one may exist for more points."""


class _Search:
    """The inequalities of a path, and the profile that satisfies them."""

    def __init__(self, efforts: JointEfforts, curve: PiecewisePolynomial, limits: MotionLimits, points: int) -> None:
        self.efforts, self.curve, self.limits = efforts, curve, limits
        self.count = max(points, len(curve.breaks)) - 1
        self.fine = max(_FINE, 2 * -(-_PLACES // (2 * self.count)))
        ends = _divided(curve.breaks, self.count)
        self.h = np.diff(ends)
        self.s = np.append((ends[:-1, None] + self.h[:, None] * np.arange(self.fine) / self.fine).ravel(), ends[-1])
        q, self.slope, bend = curve.at(self.s, 3)
        self.places = self.fine * np.arange(self.count)[:, None] + np.arange(self.fine + 1)  # of each interval
        self.slope_within, self.bend_within = self.slope[self.places], bend[self.places]
        self.part = np.arange(self.fine + 1.0) / self.fine
        with_torque = limits.limits("tau")
        if with_torque:
            efforts.start()
            self.q_within = efforts.all_joints(q)[self.places]
        self.reversals = np.zeros(0, dtype=np.intp)
        self.most = self._squares()
        self.slowest = _SLOWEST * float(self.most.max())
        self.kinds = ["qdd"] * limits.limits("qdd") + ["tau"] * with_torque

    def _squares(self) -> Array:
        """Return the largest squared speed at each point that the velocity limits allow."""
        low, high = self.limits.of("qd")
        with np.errstate(divide="ignore"):
            fastest = np.where(self.slope > 0, high, -low) / np.abs(self.slope)
        squares = fastest.min(axis=1) ** 2
        finite = np.isfinite(squares)
        squares[~finite] = _UNBOUNDED * squares[finite].max()
        squares = np.minimum(squares, _UNBOUNDED * squares.min())
        # a square that is linear between two places with rows stays below the limit in the middle
        over = _AHEAD * np.maximum((squares[:-2:2] + squares[2::2]) / 2 - squares[1:-1:2], 0.0)
        none = np.zeros(1)
        squares[::2] -= np.maximum(np.concatenate([none, over]), np.concatenate([over, none]))
        return np.asarray(np.maximum(squares, 0.0))

    def motion(self, name: str) -> OptimalMotion:
        """Return the fastest motion."""
        squares, rates = self.most[:: self.fine] / 4, np.zeros(self.count)
        margins = {kind: np.zeros((2, self.count, len(self.efforts.names))) for kind in self.kinds}
        linear = "tau" not in self.kinds or self._is_linear()
        if not linear:
            self.reversals = np.flatnonzero((self.slope[1:] * self.slope[:-1] < 0).any(axis=1))
        rows, settled, ahead = None, linear, _AHEAD
        for number in range(_ROUNDS):
            if rows is None or not linear:
                rows = self._rows(squares, rates)
            reduced = self._reduced(rows, margins)
            found, stuck = self._profile(rows, reduced)
            if stuck >= 0 and (linear or number == _ROUNDS - 1):
                raise self._stuck(stuck, linear)
            if stuck >= 0:  # linearized about a speed at which friction exceeds the torques
                squares, rates = squares / 4, rates / 4
                continue
            last, (squares, rates) = squares, found
            used = self._used(squares, rates)
            excess = {kind: np.maximum(used[kind] - 1, 0.0) for kind in self.kinds}
            settled = settled or np.abs(squares - last).max() <= _SETTLED * squares.max()
            if settled and max(float(over.max()) for over in excess.values()) <= _WITHIN:
                break
            if settled or number > _ROUNDS // 4:
                for kind, over in excess.items():
                    margins[kind] += ahead * over
                ahead *= _FASTER
        else:
            raise _NotFoundError(f"path: the limits are not met within {_ROUNDS} steps: pass more points")
        speed = np.sqrt(squares)
        still = np.flatnonzero(speed[1:] + speed[:-1] == 0)
        if still.size:
            raise self._stuck(int(still[0]), True)
        parts = {kind: both.max(axis=0) for kind, both in used.items()}
        places, squares, rates = self._switch(rows, reduced, squares, rates, parts)
        speed = np.sqrt(squares)
        t = np.concatenate([[0.0], np.cumsum(2 * np.diff(places) / (speed[1:] + speed[:-1]))])
        joints, floor = self.efforts.names, float(np.sqrt(self.slowest))
        words = {_WORDS[kind]: part for kind, part in parts.items()}
        return OptimalMotion(name, joints, places, speed, rates, t, words, self.curve, self.efforts, floor)

    def _switch(
        self, rows: _Rows, reduced: Array, squares: Array, rates: Array, parts: dict[str, Array]
    ) -> tuple[Array, Array, Array]:
        """Divide intervals in which no limit is reached: the largest s.., then the smallest one, reach both ends.

        Return the places, squared speeds and s..; the used parts of the limits are replaced in `parts`.
        """
        places = self.s[:: self.fine]
        idle = np.concatenate(list(parts.values()), axis=1).max(axis=1) < _IDLE
        idle[self.reversals // self.fine] = False
        left, inserted = np.flatnonzero(idle), np.zeros(0, dtype=np.intp)
        for share in _SHARES:
            if not left.size:
                break
            k, length, first, second, halves = self._halves(left, share, rows, reduced, squares, rates)
            left = np.setdiff1d(left, k)
            after = k + np.searchsorted(inserted, k)  # places of intervals among those that are divided already
            places = np.insert(places, after + 1, places[after] + length)
            squares = np.insert(squares, after + 1, squares[after] + 2 * first * length)
            rates[after] = first
            rates = np.insert(rates, after + 1, second)
            for kind, part in parts.items():
                part[after] = halves[0][kind]
                parts[kind] = np.insert(part, after + 1, halves[1][kind], axis=0)
            inserted = np.sort(np.append(inserted, k))
        return places, squares, rates

    def _halves(
        self, k: NDArray[np.intp], share: float, rows: _Rows, reduced: Array, squares: Array, rates: Array
    ) -> tuple[NDArray[np.intp], Array, Array, Array, list[dict[str, Array]]]:
        """Return the intervals of k that can be divided, the lengths of their first parts, both s.. and used limits.

        Both s.. are a share of the way from that of the interval to the largest and to the smallest one.
        """
        h, x, last, u, b, c = self.h[k], squares[k], squares[k + 1], rates[k], rows.b[k], reduced[k]
        with np.errstate(divide="ignore", invalid="ignore"):
            most = np.where(rows.side[k] > 0, c - b * x[:, None], np.inf).min(axis=1)
            back = rows.side[k] - 2 * h[:, None] * b  # coefficient of s.. for a given square at the end
            least = np.where(back < 0, (c - b * last[:, None]) / back, -np.inf).max(axis=1)
        chosen = np.isfinite(most) & np.isfinite(least) & (most > u) & (u > least)
        k, h, x, last, u, most, least = (one[chosen] for one in (k, h, x, last, u, most, least))
        first, second = u + share * (most - u), u + share * (least - u)
        length = (last - x - 2 * second * h) / (2 * (first - second))
        within = np.outer(h, self.part)
        early = (within <= length[:, None])[..., None]
        motions = (x[:, None] + 2 * first[:, None] * within, first), (
            last[:, None] - 2 * second[:, None] * (h[:, None] - within), second,
        )  # fmt: skip
        good, halves = (length > 0) & (length < h) & (x + 2 * first * length >= 0), []
        for (square, rate), own in zip(motions, (early, ~early), strict=True):
            values = self._values(np.maximum(square, 0.0), np.broadcast_to(rate[:, None], square.shape), k)
            for used in self._fractions(values).values():
                good &= used.max(axis=(0, 2)) <= 1 + _WITHIN
            of_half = {kind: np.where(own, value, 0.0) for kind, value in values.items()}
            halves.append({kind: used.max(axis=0) for kind, used in self._at_points(of_half).items()})
        halves = [{kind: used[good] for kind, used in half.items()} for half in halves]
        return k[good], length[good], first[good], second[good], halves

    def _torque(self, squares: Array, rates: Array, at: Any = _ALL) -> Array:
        """Return the torques at the points `at` of all intervals for squared speeds and s.. ."""
        speed, slope, bend = np.sqrt(np.maximum(squares, self.slowest)), self.slope_within[at], self.bend_within[at]
        acceleration = slope * rates[..., None] + bend * squares[..., None]
        return self.efforts.at(self.q_within[at], slope * speed[..., None], acceleration)

    def _reversed(self, squares: Array, rates: Array, side: int) -> Array:
        """Return the torques with the friction of a neighboring point where a joint reverses between the two."""
        slope = self.slope_within
        near = np.roll(slope, side, axis=1)
        near[:, 0 if side > 0 else -1] = slope[:, 0 if side > 0 else -1]
        speed = np.sqrt(np.maximum(squares, self.slowest))[..., None]
        rate = np.where(near * slope < 0, near, slope) * speed
        return self.efforts.at(self.q_within, rate, slope * rates[..., None] + self.bend_within * squares[..., None])

    def _is_linear(self) -> bool:
        """Return whether the torques at constant speed are linear in its square, as without friction."""
        x = self.most[self.places[:, :1]]
        still, one, two = (self._torque(k * x, np.zeros_like(x), _FIRST) for k in (0.25, 0.5, 1.0))
        apart = np.abs((two - one) - 2 * (one - still))
        return bool(apart.max() <= _SETTLED * max(1.0, float(np.abs(two).max())))

    def _linearized(self, squares: Array, rates: Array) -> tuple[Array, Array, Array]:
        """Return a, b and c of the torques a s.. + b s.^2 + c at the points of all intervals with inequalities."""
        part = self.part[::2]
        x = np.maximum(squares[: self.count, None] + 2 * np.outer(self.h * rates, part), 0.0)
        x = np.maximum(x, self.slowest)
        zero = np.zeros_like(x)
        one, two = self._torque(x, zero, _WITH_ROWS), self._torque(_MORE * x, zero, _WITH_ROWS)
        inertia = self._torque(x, zero + 1.0, _WITH_ROWS) - one
        slope = (two - one) / ((_MORE - 1) * x)[..., None]
        return inertia, slope, one - slope * x[..., None]

    def _rows(self, squares: Array, rates: Array) -> _Rows:
        """Return the rows of accelerations and torques, then of velocities inside the intervals."""
        more = 2 * np.outer(self.h, self.part[::2])[..., None]
        a: list[Array] = []
        b: list[Array] = []
        c: list[Array] = []
        for kind in self.kinds:
            if kind == "tau":
                inertia, slope, constant = self._linearized(squares, rates)
            else:
                inertia, slope = self.slope_within[_WITH_ROWS], self.bend_within[_WITH_ROWS]
                constant = np.zeros_like(slope)
            whole = inertia + more * slope
            for sign, limit in zip((-1, 1), self.limits.of(kind), strict=True):
                kept = np.isfinite(limit)
                for values, to in ((sign * whole, a), (sign * slope, b), (sign * (limit - constant), c)):
                    to.append(values[..., kept].reshape(self.count, -1))
        inner = self.places[:, 2:-2:2]
        a.append(more[:, 1:-1, 0])
        b.append(np.ones(inner.shape))
        c.append(self.most[inner])
        return _scaled(np.hstack(a), np.hstack(b), np.hstack(c))

    def _reduced(self, rows: _Rows, margins: Mapping[str, Array]) -> Array:
        """Return the right sides of the rows, with limits reduced by margins."""
        less = []
        for kind in self.kinds:
            for limit, margin in zip(self.limits.of(kind), margins[kind], strict=True):
                kept = np.isfinite(limit)
                less += [np.abs(limit[kept]) * margin[:, kept]] * (self.fine // 2 + 1)
        less.append(np.zeros((self.count, self.fine // 2 - 1)))
        return np.ascontiguousarray(rows.c - rows.scale * np.hstack(less))

    def _profile(self, rows: _Rows, c: Array) -> tuple[tuple[Array, Array], int]:
        """Return squared speeds and s.. of the fastest profile for rows with the right sides c.

        The last value is the first interval that allows no motion, or -1.
        """
        most = self.most[:: self.fine]
        ranges = np.stack([np.zeros(len(most)), most], axis=1)
        squares, found = np.empty(self.count + 1), np.empty(self.count)
        given = [x.ctypes.data for x in (self.h, rows.side, rows.b, c)]
        to = [x.ctypes.data for x in (ranges, squares, found)]
        stuck = _machine_code()(self.count, c.shape[1], *given, 0.0, 0.0, *to)
        return (squares, found), stuck

    def _stuck(self, interval: int, definite: bool) -> InputError:
        """Return the error of an interval that the limits do not allow, with the joints that cannot hold the robot."""
        place = f"path: the limits allow no motion at {self.efforts.text(self.q_of(interval))}"
        if "tau" not in self.kinds:
            return InputError(place)
        zero = np.zeros(self.places.shape)
        load = self._torque(zero, zero)[interval]
        low, high = self.limits.of("tau")
        for name, values, least, most in zip(self.efforts.names, load.T, low, high, strict=True):
            if not (least <= values.min() and values.max() <= most):
                worst = values[np.abs(values).argmax()]
                return InputError(
                    f"{place}: holding the robot takes a torque of {worst:.4g} at {name}, expected one from {least:g} "
                    f"to {most:g}"
                )
        if definite:
            return InputError(place)
        hint = (
            "pass ",
            Pass("limits", {"acceleration": None}),
            ", which joints of little inertia need, or ",
            Pass("points"),
        )
        return _NotFoundError(f"{place} with this friction", hint=hint)

    def q_of(self, interval: int) -> Array:
        """Return the positions of the independent joints at the start of an interval."""
        return self.curve.at(np.array(self.s[interval * self.fine]), 1)[0]

    def _used(self, squares: Array, rates: Array) -> dict[str, Array]:
        """Return the used fractions of the lower and upper limits, shape (2, intervals, joints)."""
        x = np.maximum(squares[:-1, None] + 2 * np.outer(self.h * rates, self.part), 0.0)
        u = np.broadcast_to(rates[:, None], x.shape)
        values = self._values(x, u)
        used = self._fractions(values)
        if "tau" in values and self.reversals.size:
            for side in (-1, 1):
                around = self._at_points({"tau": self._reversed(x, u, side)})
                used["tau"] = np.maximum(used["tau"], around["tau"])
        return used

    def _values(self, x: Array, u: Array, at: Any = _ALL) -> dict[str, Array]:
        """Return the limited quantities at the points of the intervals `at` for squared speeds x and s.. u."""
        slope, bend = self.slope_within[at], self.bend_within[at]
        values = {"qd": slope * np.sqrt(x)[..., None]}
        if "qdd" in self.kinds:
            values["qdd"] = slope * u[..., None] + bend * x[..., None]
        if "tau" in self.kinds:
            values["tau"] = self._torque(x, u, at)
        return values

    def _fractions(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Return the used fractions of the lower and upper limits, also between the points (by parabolas)."""
        used = self._at_points(values)
        for kind in self.kinds:  # the largest squares of the speed leave room for the points between
            found = values[kind]
            for own, limit in zip(used[kind], self.limits.of(kind), strict=True):
                near = np.nonzero(own > _NEAR)
                own[near] = np.maximum(own[near], _peak(found[near[0], :, near[1]] / limit[near[1], None]))
        return used

    def _at_points(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Return the used fractions of the lower and upper limits at the points, shape (2, intervals, joints)."""
        limits = {kind: self.limits.of(kind) for kind in values}
        return {
            kind: np.stack([found.min(axis=1) / limits[kind][0], found.max(axis=1) / limits[kind][1]])
            for kind, found in values.items()
        }


def _peak(rows: Array) -> Array:
    """Return the highest vertex of parabolas through every three neighboring values of each row."""
    middle, ahead, behind = rows[:, 1:-1], rows[:, 2:], rows[:, :-2]
    bend, rise = ahead - 2 * middle + behind, (ahead - behind) / 2
    inside = np.abs(rise) < -bend
    return np.asarray((middle - np.where(inside, rise, 0.0) ** 2 / np.where(inside, 2 * bend, 1.0)).max(axis=1))


class _Rows(NamedTuple):
    """Rows a u + b x <= c, divided by |a|: side is the sign of a, or 0 where u does not occur."""

    side: NDArray[np.int32]
    b: Array
    c: Array
    scale: Array  #: 1 / |a|


def _scaled(a: Array, b: Array, c: Array) -> _Rows:
    size = np.abs(a)
    inert = size <= _NO_INERTIA * size.max()
    scale = 1 / np.where(inert, 1.0, size)
    side = np.where(inert, 0.0, np.sign(a)).astype(np.int32)
    return _Rows(side, np.ascontiguousarray(b * scale), c * scale, scale)


@cache
def _machine_code() -> Callable[..., int]:
    from robosym.runtime.plain_llvm import plain_functions  # LLVM takes long to load

    source = files("robosym.simulation.planning").joinpath("reachable.py").read_text("utf-8")
    return plain_functions([source], ["speed_profile"])["speed_profile"]
