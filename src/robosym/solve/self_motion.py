"""The self-motion of a redundant arm: curves of joint positions with the same pose, and their parts within limits.

Between the points of a curve, a cubic through the points and their tangents is the first approximation; Newton's
method then moves every result to the curve, so that it is exact at any distance between the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import LIMIT, SINGULAR
from robosym.errors import InputError, Pass
from robosym.solve.choice_of_solutions import near_position
from robosym.solve.curve_tracer import CurveEvents, CurveTracer, TracedCurve

__all__ = ["CurvePoint", "FeasibleInterval", "SelfMotion", "SelfMotionCurve", "twist_jacobian"]

_TURN = 2 * np.pi
_PARTS = 4  #: number of places between two points at which a cubic is evaluated
_ENDLESS = 1e6  #: the period of a sliding joint, in units of the robot's length
_SECANTS = 30  #: maximum number of secant steps to a root; the search ends earlier at `_ROOT`
_ROOT = 1e-13
_BESIDE, _DIFFERENCE = 1e-3, 1e-6  #: steps of differences along a curve
_GOLDEN = 0.5 * (np.sqrt(5) - 1)
_REFINED = 48  #: evaluations of a criterion around its best sample


class CurvePoint(NamedTuple):
    """A point of a self-motion."""

    curve: int
    s: float  #: the distance along the curve
    q: Array  #: joint positions
    value: float  #: the parameter, distance or criterion that the point was searched by


class _Run(NamedTuple):
    """A part of a curve within the limits."""

    curve: int
    start: float
    end: float
    names: tuple[str, str]  #: the limits at its ends
    points: tuple[Array, Array]  #: its ends


@dataclass(frozen=True)
class FeasibleInterval:
    """A part of a curve on which every joint is within its limits."""

    start: float  #: distance along the curve
    end: float  #: larger than `start`; beyond the length of a closed curve if the interval contains its first point
    q: Array = field(repr=False)  #: the joint positions at both ends (2, joints)
    bounds: tuple[str, str]  #: reason of each end: "t4 lower", "t4 upper", "" of a whole curve, or "singular"
    parameter_of: Callable[[Array], Array] = field(repr=False)  #: the redundancy parameter of positions (m, joints)

    @property
    def length(self) -> float:
        """The length of the interval along the curve."""
        return self.end - self.start

    @cached_property
    def redundancy(self) -> tuple[float, float]:
        """The redundancy parameter at both ends."""
        first, last = self.parameter_of(self.q).tolist()
        return first, last


@dataclass(frozen=True, eq=False)
class SelfMotionCurve:
    """A curve of joint positions with the same pose, parametrized by the distance s along it."""

    motion: SelfMotion = field(repr=False)
    number: int
    traced: TracedCurve = field(repr=False)

    @property
    def closed(self) -> bool:
        """Whether the curve returns to its first point; if not, it ends in singular positions."""
        return self.traced.closed

    @cached_property
    def distances(self) -> Array:
        """The distances of the points along the curve."""
        first = sum(len(curve.points) for curve in self.motion.traced[: self.number])
        return np.asarray(self.motion.distances[first : first + len(self.traced.points)])

    @property
    def length(self) -> float:
        """The length of the curve, in rad (and units of the robot's length)."""
        return float(self.distances[-1])

    @property
    def points(self) -> Array:
        """Exact points of the curve (m, joints), without jumps by full turns."""
        return np.asarray(self.traced.points * self.motion.tracer.units)

    @property
    def redundancy(self) -> Array:
        """The redundancy parameter at the points."""
        return self.motion.parameter_of(self.points)

    def at(self, s: ArrayLike) -> Array:
        """Return exact joint positions (..., joints) at distances along the curve, within limits where possible."""
        places = np.asarray(s, dtype=float)
        points, _ = self._exact(places.ravel())
        rows = self.motion.wound(points * self.motion.tracer.units)
        return np.asarray(rows.reshape(*places.shape, -1))

    @cached_property
    def intervals(self) -> tuple[FeasibleInterval, ...]:
        """The parts of the curve within the limits, with exact ends; the whole curve if there are no limits."""
        return self.motion.feasible[self.number]

    @cached_property
    def folds(self) -> tuple[CurvePoint, ...]:
        """The points at which the redundancy parameter has an extremum, where two branches meet."""
        psi = np.unwrap(self.motion.parameter_of(self._dense[1] * self.motion.tracer.units))
        rate = np.gradient(psi, self._dense[0])
        spots = np.flatnonzero(np.sign(rate[:-1]) * np.sign(rate[1:]) < 0)
        if not len(spots):
            return ()
        s = self._dense[0]

        def slope(places: Array) -> Array:
            points, tangents = self._exact(places)
            return self.motion.parameter_rate(points, tangents)

        low, high = s[np.maximum(spots - 1, 0)], s[np.minimum(spots + 2, len(s) - 1)]
        places = np.unique(np.round(_roots(slope, low, high), 9))
        q = self.at(places)
        values = self.motion.parameter_of(q)
        return tuple(
            CurvePoint(self.number, float(p), row, float(v)) for p, row, v in zip(places, q, values, strict=True)
        )

    @cached_property
    def singular_points(self) -> tuple[CurvePoint, ...]:
        """The points at which the arm is singular: the smallest singular value of its Jacobian vanishes."""
        s, points = self._dense
        sizes = self.motion.least_singular_value(points)
        around = range(1, len(s) - 1)
        found = []
        for k in [k for k in around if sizes[k] <= sizes[k - 1] and sizes[k] <= sizes[k + 1]]:
            place, size = _golden(lambda x: -self._size_at(x), s[k - 1], s[k + 1])
            if -size <= SINGULAR:
                found.append(CurvePoint(self.number, place, self.at(place), -size))
        if not self.closed:
            ends = [0.0, self.length]
            found += [CurvePoint(self.number, end, self.at(end), float(self._size_at(end))) for end in ends]
        return tuple(found)

    def _size_at(self, s: float) -> float:
        return float(self.motion.least_singular_value(self._exact(np.array([s]))[0])[0])

    # ---------------------------------------------------------------- numbers

    @cached_property
    def _dense(self) -> tuple[Array, Array]:
        """Distances and points of the cubics, several between each pair of points."""
        points, tangents, _ = self.traced
        h = np.diff(self.distances)[:, None]
        u = (np.arange(_PARTS) / _PARTS)[:, None, None]
        rows = _cubic(u, points[:-1], points[1:], h * tangents[:-1], h * tangents[1:])
        s = (self.distances[:-1] + u[..., 0] * h[:, 0]).T.ravel()
        flat = np.swapaxes(rows, 0, 1).reshape(-1, points.shape[1])
        return np.append(s, self.length), np.concatenate([flat, points[-1:]])

    def _near(self, s: Array) -> Array:
        """Return the points of the cubics at distances along the curve."""
        points, tangents, closed = self.traced
        turns = np.zeros((len(s), 1))
        if closed:
            turns = np.floor(s / self.length)[:, None]
            s = s - turns[:, 0] * self.length
        place = np.clip(np.searchsorted(self.distances, s, "right") - 1, 0, len(points) - 2)
        h = (self.distances[place + 1] - self.distances[place])[:, None]
        u = (s[:, None] - self.distances[place][:, None]) / h
        rows = _cubic(u, points[place], points[place + 1], h * tangents[place], h * tangents[place + 1])
        return np.asarray(rows + turns * (points[-1] - points[0]))

    def _exact(self, s: Array) -> tuple[Array, Array]:
        """Return exact points, and unit tangents in the direction of the curve."""
        near = self._near(s)
        points, tangents, good = self.motion.tracer.polished(self.motion.pose, near)
        points[~good] = near[~good]
        step = _BESIDE * self.length
        ahead = self._near(s + step) - self._near(s - step)
        return points, tangents * np.where((tangents * ahead).sum(axis=1) < 0, -1.0, 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class SelfMotion(Sequence[SelfMotionCurve]):
    """All joint positions of a redundant arm with one pose, returned by `self_motion`: a sequence of curves."""

    joints: tuple[str, ...]
    parameter: str  #: the name of the redundancy parameter
    pose: Array = field(repr=False)
    limits: Array | None = field(repr=False)  #: the lower and the upper limit of each joint (n, 2)
    tracer: CurveTracer = field(repr=False)
    parameter_of: Callable[[Array], Array] = field(repr=False)  #: the redundancy parameter of positions (m, joints)
    traced: tuple[TracedCurve, ...] = field(repr=False)
    complete: bool | None = None  #: False if curves may be missing

    @cached_property
    def curves(self) -> tuple[SelfMotionCurve, ...]:
        """The curves."""
        return tuple(SelfMotionCurve(self, number, curve) for number, curve in enumerate(self.traced))

    @overload
    def __getitem__(self, place: int) -> SelfMotionCurve: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[SelfMotionCurve, ...]: ...
    def __getitem__(self, place: int | slice) -> SelfMotionCurve | tuple[SelfMotionCurve, ...]:
        return self.curves[place]

    def __len__(self) -> int:
        return len(self.traced)

    def __repr__(self) -> str:
        text = f"<SelfMotion: {len(self)} curves of {', '.join(self.joints)}"
        return text + (f", {len(self.intervals)} intervals within limits>" if self.limits is not None else ">")

    @property
    def intervals(self) -> tuple[tuple[SelfMotionCurve, FeasibleInterval], ...]:
        """Every interval within the limits, with its curve."""
        return tuple((curve, interval) for curve in self for interval in curve.intervals)

    def sample(self, count: int) -> Array:
        """Return about `count` exact joint positions within the limits, spread evenly over all intervals."""
        if not isinstance(count, int) or count < 1:
            raise InputError(f"count: expected a positive number of samples, found {count!r}")
        parts = self.intervals
        total = sum(interval.length for _, interval in parts)
        rows = [np.zeros((0, len(self.joints)))]
        for curve, interval in parts:
            number = max(1, round(count * interval.length / total)) if total > 0 else 1
            places = interval.start + interval.length * (np.arange(number) + 0.5) / number
            rows.append(curve.at(places))
        return np.concatenate(rows)

    def nearest(self, q: ArrayLike) -> tuple[CurvePoint, ...]:
        """Return the point of every interval that is nearest to a position, the nearest of all first.

        `value` is the distance. Angles are shifted by full turns to be as near as the limits allow.
        """
        wanted = near_position(q, self.joints) / self.tracer.units

        def apart(points: Array) -> Array:
            return self.wound(points * self.tracer.units, wanted * self.tracer.units) / self.tracer.units - wanted

        def slope(curve: SelfMotionCurve) -> Callable[[Array], Array]:
            def along(s: Array) -> Array:
                points, tangents = curve._exact(s)
                return np.asarray((apart(points) * tangents).sum(axis=1))

            return along

        def size(points: Array) -> Array:
            return np.asarray((apart(points) ** 2).sum(axis=1))

        found = []
        for curve, interval in self.intervals:
            s, rows = _within(curve, interval)
            place = int(np.argmin(size(rows)))
            low, high = s[max(place - 1, 0)], s[min(place + 1, len(s) - 1)]
            best = _roots(slope(curve), [low], [high])
            ends = np.array([best[0], low, high])
            points, _ = curve._exact(ends)
            k = int(np.argmin(size(points)))
            row = points[k] * self.tracer.units
            wound = self.wound(row[None], wanted * self.tracer.units)[0]
            found.append(CurvePoint(curve.number, float(ends[k]), wound, float(np.sqrt(size(points[k : k + 1])[0]))))
        return tuple(sorted(found, key=lambda point: point.value))

    def best(
        self, criterion: Literal["limits", "manipulability"] | Callable[[Array], float] = "limits"
    ) -> CurvePoint | None:
        """Return the point within the limits with the largest value of a criterion; None if there is no point.

        `"limits"` is the smallest distance of a joint from its limits, 1 in the middle of all ranges and 0 at a limit;
        `"manipulability"` is sqrt(det(J J^T)). A function takes the joint positions and returns a number.
        """
        value = self._criterion(criterion)
        best: CurvePoint | None = None
        for curve, interval in self.intervals:
            s, rows = _within(curve, interval)
            sizes = np.array([value(row) for row in self.wound(rows * self.tracer.units)])
            order = np.argsort(-sizes)[:3]
            for k in order.tolist():
                place, most = _golden(partial(_at_place, value, curve), s[max(k - 1, 0)], s[min(k + 1, len(s) - 1)])
                if best is None or most > best.value:
                    best = CurvePoint(curve.number, place, curve.at(place), float(most))
        return best

    def _criterion(self, criterion: object) -> Callable[[Array], float]:
        if callable(criterion):
            return criterion
        if criterion == "limits":
            if self.limits is None:
                raise InputError("criterion: the distance from limits needs limits", hint=[Pass("limits", "robot")])
            low, high = self.limits.T
            bounded = np.isfinite(low) & np.isfinite(high)
            middle, half = (low + high)[bounded] / 2, (high - low)[bounded] / 2
            return lambda q: float((1 - np.abs(q[bounded] - middle) / half).min(initial=1.0))
        if criterion == "manipulability":
            return self.manipulability
        raise InputError(f"criterion: expected 'limits', 'manipulability' or a function, found {criterion!r}")

    def manipulability(self, q: Array) -> float:
        """Return sqrt(det(J J^T)) of the Jacobian at a joint position, in rad and m."""
        T, derivatives = self.tracer.chain.jacobian(np.atleast_2d(q))
        J = twist_jacobian(T, derivatives, self.tracer.chain.columns)[0]
        return float(np.sqrt(max(np.linalg.det(J @ J.T), 0.0)))

    def least_singular_value(self, points: Array) -> Array:
        """Return the smallest singular value of the Jacobian at points of curves, in units of the robot's length."""
        chain = self.tracer.chain
        T, derivatives = chain.jacobian(points * self.tracer.units)
        J = twist_jacobian(T, derivatives, chain.columns)
        J[:, : 3 * (3 in chain.columns)] /= chain.length
        return np.asarray(np.linalg.svd(J * self.tracer.units, compute_uv=False).min(axis=1))

    # ---------------------------------------------------------------- limits

    @cached_property
    def distances(self) -> Array:
        """The distances of the points of all curves along their curve."""
        points = np.concatenate([curve.points for curve in self.traced])
        steps = np.diff(points, axis=0)
        whole = np.concatenate([[0.0], np.cumsum(np.sqrt((steps * steps).sum(axis=1)))])
        sizes = [len(curve.points) for curve in self.traced]
        starts = np.cumsum([0, *sizes[:-1]])
        return np.asarray(whole - np.repeat(whole[starts], sizes))

    @cached_property
    def feasible(self) -> list[tuple[FeasibleInterval, ...]]:
        """The intervals of each curve within the limits."""
        limits = self.passable
        if not self.traced:
            return []
        if np.isfinite(limits).any():
            events = self.tracer.events(self.pose, self.traced, self.distances, limits, self.period)
        else:
            none = np.zeros((0, len(self.joints)))
            events = [CurveEvents([], [], none, [1]) for _ in self.traced]
        parts = [part for curve, found in zip(self.curves, events, strict=True) for part in self._runs(curve, found)]
        if not parts:
            return [() for _ in self.traced]
        q = self.wound(np.array([point for part in parts for point in part.points]) * self.tracer.units)
        result: list[list[FeasibleInterval]] = [[] for _ in self.traced]
        for part, rows in zip(parts, q.reshape(len(parts), 2, -1), strict=True):
            result[part.curve].append(FeasibleInterval(part.start, part.end, rows, part.names, self.parameter_of))
        return [tuple(intervals) for intervals in result]

    def _runs(self, curve: SelfMotionCurve, found: CurveEvents) -> Iterator[_Run]:
        """Yield the parts of a curve within the limits, neighboring ones joined."""
        s = [0.0, *found.s, curve.length]
        last = len(s) - 1
        points = curve.traced.points

        def names(start: int, stop: int) -> tuple[str, str]:
            end = "" if curve.closed else "singular"
            sides = [found.which[k - 1] if 0 < k < last else None for k in (start, stop)]
            one, other = (f"{self.joints[at[0]]} {'upper' if at[1] else 'lower'}" if at else end for at in sides)
            return one, other

        def point(k: int) -> Array:
            chosen: Array = points[0] if k == 0 else points[-1] if k == last else found.points[k - 1]
            return chosen

        runs: list[list[int]] = []
        for k, inside in enumerate(found.inside):
            if inside and runs and runs[-1][1] == k:
                runs[-1][1] = k + 1
            elif inside:
                runs.append([k, k + 1])
        if curve.closed and len(runs) > 1 and runs[0][0] == 0 and runs[-1][1] == last:
            start, stop = runs.pop()[0], runs.pop(0)[1]
            ends = point(start), point(stop)
            yield _Run(curve.number, s[start], s[stop] + curve.length, names(start, stop), ends)
        for start, stop in runs:
            yield _Run(curve.number, s[start], s[stop], names(start, stop), (point(start), point(stop)))

    @cached_property
    def turning(self) -> Array:
        """Whether each joint is revolute."""
        return np.asarray(~self.tracer.chain.prismatic)

    @cached_property
    def period(self) -> Array:
        """Shift after which each joint is in the same position, in units of the curves: a full turn, or inf."""
        return np.where(self.turning, _TURN, _ENDLESS)

    @cached_property
    def passable(self) -> Array:
        """The limits that a joint may pass (2, joints), in units of the curves; inf without a limit.

        An angle whose range is a full turn or more is always within its limits, for some number of turns.
        """
        if self.limits is None:
            return np.full((2, len(self.joints)), np.inf)
        low, high = (self.limits / self.tracer.units[:, None]).T
        free = self.turning & ~(high - low < _TURN)
        return np.where(free | ~np.isfinite([low, high]), np.inf, [low, high])

    def margin(self, points: Array) -> Array:
        """Return the distances of joints at points of curves from their limits; negative beyond, inf without limits.

        An angle may be shifted by full turns.
        """
        low, high = self.passable
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(low) & self.turning, (low + high) / 2, 0.0)
            points = points - np.where(self.turning, _TURN * np.round((points - middle) / _TURN), 0.0)
            above = np.where(np.isfinite(low), points - low, np.inf)
            below = np.where(np.isfinite(high), high - points, np.inf)
        return np.asarray(np.minimum(above, below))

    def wound(self, q: Array, near: Array | None = None) -> Array:
        """Return positions (m, joints) with angles shifted by full turns to be within the limits, and near to some.

        Without `near`, angles are in (-pi, pi] where this is within the limits.
        """
        turn = self.turning * _TURN
        start = np.zeros(q.shape[1]) if near is None else near
        q = q - turn * np.ceil((q - start) / _TURN - 0.5)
        if self.limits is not None:
            low, high = self.limits.T
            with np.errstate(invalid="ignore"):
                q = q + turn * np.where(q < low - LIMIT, np.ceil((low - LIMIT - q) / _TURN), 0.0)
                q = q - turn * np.where(q > high + LIMIT, np.ceil((q - high - LIMIT) / _TURN), 0.0)
        return np.asarray(q)

    def parameter_rate(self, points: Array, tangents: Array) -> Array:
        """Return the derivative of the redundancy parameter along the curve."""
        step, units = _DIFFERENCE, self.tracer.units
        ahead, behind = (self.parameter_of((points + sign * step * tangents) * units) for sign in (1, -1))
        change = ahead - behind
        return np.asarray((change - _TURN * np.round(change / _TURN)) / (2 * step))


def _cubic(u: Array, p: Array, q: Array, a: Array, b: Array) -> Array:
    """Return the cubic from p to q with the derivatives a and b, at u from 0 to 1."""
    v = 1 - u
    return np.asarray(p + u * u * (3 - 2 * u) * (q - p) + u * v * (v * a - u * b))


def _within(curve: SelfMotionCurve, interval: FeasibleInterval) -> tuple[Array, Array]:
    """Return distances and points on the cubics of an interval, with its ends."""
    s = curve._dense[0]
    s = np.concatenate([s, s[1:] + curve.length]) if curve.closed else s
    inner = s[(s > interval.start) & (s < interval.end)]
    places = np.concatenate([[interval.start], inner, [interval.end]])
    return places, curve._near(places)


def _at_place(value: Callable[[Array], float], curve: SelfMotionCurve, s: float) -> float:
    return float(value(curve.at(s)))


def _roots(function: Callable[[Array], Array], low: ArrayLike, high: ArrayLike) -> Array:
    """Return roots between bounds with different signs, by the Illinois method; otherwise the better bound."""
    a, b = np.array(low, dtype=float), np.array(high, dtype=float)
    fa, fb = function(a), function(b)
    same = np.sign(fa) * np.sign(fb) > 0
    for _ in range(_SECANTS):
        with np.errstate(all="ignore"):
            c = np.where(fa == fb, (a + b) / 2, (a * fb - b * fa) / (fb - fa))
        fc = function(c)
        crossed = np.sign(fc) * np.sign(fb) < 0
        a, fa = np.where(crossed, b, a), np.where(crossed, fb, fa / 2)
        b, fb = c, fc
        if np.abs(fb[~same]).max(initial=0.0) <= _ROOT:
            break
    ends = function(np.array(low, dtype=float)), function(np.array(high, dtype=float))
    better = np.where(np.abs(ends[0]) <= np.abs(ends[1]), low, high)
    return np.asarray(np.where(same, better, b))


def _golden(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return the location of a maximum of a function between bounds, and its value, by golden-section search."""
    a, b = float(low), float(high)
    c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    fc, fd = function(c), function(d)
    for _ in range(_REFINED):
        if fc >= fd:
            b, d, fd = d, c, fc
            c = b - _GOLDEN * (b - a)
            fc = function(c)
        else:
            a, c, fc = c, d, fd
            d = a + _GOLDEN * (b - a)
            fd = function(d)
    tried = [(low, function(float(low))), (high, function(float(high))), (c, fc), (d, fd)]
    place, value = max(tried, key=lambda pair: pair[1])
    return float(place), float(value)


def twist_jacobian(T: Array, derivatives: Array, columns: Sequence[int]) -> Array:
    """Return the Jacobian (m, conditions, joints) from the derivatives of poses (m, joints, 4, 4)."""
    rows = []
    if 3 in columns:
        rows.append(np.swapaxes(derivatives[:, :, :3, 3], 1, 2))
    axes = [column for column in columns if column < 3]
    if len(axes) == 3:
        W = derivatives[:, :, :3, :3] @ np.swapaxes(T[:, None, :3, :3], 2, 3)
        rows.append(np.stack([W[:, :, 2, 1], W[:, :, 0, 2], W[:, :, 1, 0]], axis=1))
    elif axes:
        change = derivatives[:, :, :3, axes[0]]
        axis = T[:, :3, axes[0]]
        edges = np.linalg.svd(axis[:, :, None])[0][:, :, 1:]
        rows.append(np.einsum("mjk,mke->mej", change, edges))
    return np.concatenate(rows, axis=1)
