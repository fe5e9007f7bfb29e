"""Numerical curves of a self-motion: a chain in the form of the plain functions that follow them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.chains.numeric_chain import NumericChain
from robosym.solve.general import compiled_plain

__all__ = ["CurveEvents", "CurveTracer", "TracedCurve"]

_MODULES = ("rigid_rows", "curve_tracing", "curve_limits")
_ENTRIES = ("all_curves", "curve_events", "gaps_inside", "points_at_levels", "points_from_starts", "polished_points")
_POINTS = 4096  #: initial capacity for the points of all curves, which grows on demand
_MOST_POINTS = 1 << 18
_EVENTS = 256  #: initial capacity for passages of limits on all curves
_CLOSED = 1  #: how a curve ends
_TURN = 2 * np.pi
_SAME_CURVE = 0.05  #: how far a point of a curve may be from the tangent beside it, in parts of the step


class TracedCurve(NamedTuple):
    """Points of a curve with unit tangents, in rad and in units of the robot's length."""

    points: Array  #: (m, joints), without jumps by full turns
    tangents: Array  #: (m, joints)
    closed: bool  #: whether the last point is the first one, up to full turns


class CurveEvents(NamedTuple):
    """Passages of joints through their limits on a curve."""

    s: list[float]  #: distances along the curve, in order
    which: list[list[int]]  #: the joint, and 0 for its lower or 1 for its upper limit
    points: Array  #: exact points (k, joints)
    inside: list[int]  #: whether the parts between them, and up to the ends of the curve, are within the limits


class CurveTracer:
    """Follows the curves on which the joints of a chain move at a constant pose.

    All joints of the chain are unknown, one more than the conditions of the given columns.
    """

    def __init__(self, chain: NumericChain) -> None:
        self.chain = chain
        self.units = np.where(chain.prismatic, chain.length, 1.0)
        numbers = [len(chain.joints), sum(1 << column for column in chain.columns)]
        self._shape = np.array([*numbers, *chain.prismatic, *chain.signs], np.intc)
        self._constants = np.stack(chain.constants)[:, :3].copy()
        self._constants[:, :, 3] /= chain.length
        self._axes = [column for column in chain.columns if column < 3]

    def prepare(self) -> None:
        """Compile the functions, which all robots share."""
        _functions()

    def _at(self, T: Array) -> tuple[tuple[Array, ...], tuple[int, ...]]:
        """Return the arrays of a pose (4, 4) and their addresses."""
        pose = T[:3].copy()
        pose[:, 3] /= self.chain.length
        edges = np.zeros((2, 3))
        if len(self._axes) == 1:
            axis = pose[:, self._axes[0]]
            edges[0] = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
            edges[0] /= np.linalg.norm(edges[0])
            edges[1] = np.cross(axis, edges[0])
        arrays = self._shape, self._constants, pose, edges
        return arrays, tuple(part.ctypes.data for part in arrays)

    def curves(self, T: Array, seeds: Array, key: int) -> list[TracedCurve]:
        """Return the curves through seeds (k, joints) for the pose; `key` is a joint that distinguishes them."""
        held, given = self._at(T)
        starts = np.ascontiguousarray(seeds / self.units)
        most, found = _POINTS, -1
        while found < 0 and most <= _MOST_POINTS:
            visited = np.zeros(len(starts), np.intc)
            points, tangents = np.empty((most, starts.shape[1])), np.empty((most, starts.shape[1]))
            curves = np.zeros((2 * len(starts) + 2, 2), np.intc)
            arrays = starts, visited, points, tangents, curves
            found = _functions()["all_curves"](
                *given, key, most, len(starts), *(part.ctypes.data for part in arrays)
            )  # fmt: skip
            most *= 8
        del held
        result = _joined(points, tangents, curves[: max(found, 0)].tolist())
        return result if all(curve.closed for curve in result) else self._distinct(result)

    def _distinct(self, curves: list[TracedCurve]) -> list[TracedCurve]:
        """Return the curves without those that contain the middle of an earlier one; their ends may meet."""
        turns = ~self.chain.prismatic * _TURN
        kept: list[TracedCurve] = []
        for curve in curves:
            for middle in (other.points[len(other.points) // 2] for other in kept):
                apart = curve.points - middle
                apart = apart - turns * np.round(apart / _TURN)
                k = int(np.argmin((apart * apart).sum(axis=1)))
                beside = apart[k] - (apart[k] @ curve.tangents[k]) * curve.tangents[k]
                reach = np.linalg.norm(np.diff(curve.points[max(k - 1, 0) : k + 2], axis=0), axis=1).max()
                if np.linalg.norm(apart[k]) <= reach and np.linalg.norm(beside) <= _SAME_CURVE * reach:
                    break
            else:
                kept.append(curve)
        return kept

    def events(
        self, T: Array, curves: Sequence[TracedCurve], distances: Array, limits: Array, periods: Array
    ) -> list[CurveEvents]:
        """Return the passages of joints through limits (2, joints) on each curve; inf is no limit.

        `distances` are the arc lengths of the points of all curves, `periods` the shifts after which each joint is in
        the same position.
        """
        held, given = self._at(T)
        bounds = np.ascontiguousarray(np.where(np.isfinite(limits), limits, 1e300).T)
        places = np.concatenate([curve.points for curve in curves])
        tangents = np.concatenate([curve.tangents for curve in curves])
        sizes = np.array([len(curve.points) for curve in curves], np.intc)
        numbers, most, found, width = np.zeros(len(curves), np.intc), _EVENTS, -1, places.shape[1]
        path = (sizes, places, tangents, distances)
        ends = bounds.ctypes.data, periods.ctypes.data, len(curves), *(part.ctypes.data for part in path)
        while found < 0:
            s, which, points = np.empty(most), np.empty((most, 2), np.intc), np.empty((most, width))
            arrays = s, which, points, numbers
            found = _functions()["curve_events"](*given, *ends, most, *(part.ctypes.data for part in arrays))
            most *= 8
        inside = np.zeros(found + len(curves), np.intc)
        _functions()["gaps_inside"](*given, *ends, *(part.ctypes.data for part in (s, numbers, inside)))
        del held
        result, first = [], 0
        for curve, number in enumerate(numbers.tolist()):
            rows, gaps = slice(first, first + number), slice(first + curve, first + curve + number + 1)
            result.append(CurveEvents(s[rows].tolist(), which[rows].tolist(), points[rows], inside[gaps].tolist()))
            first += number
        return result

    def from_starts(self, T: Array, count: int) -> Array:
        """Return points (k, joints) of curves that Newton's method finds from random configurations."""
        held, given = self._at(T)
        size = np.where(self.chain.prismatic, 1.0, np.pi)
        points = random_arrays("starts of a search").uniform(-1, 1, (count, len(size))) * size
        found = np.zeros(count, np.intc)
        _functions()["points_from_starts"](*given, count, points.ctypes.data, found.ctypes.data)
        del held
        return np.asarray(points[found == 1] * self.units)

    def polished(self, T: Array, q: Array) -> tuple[Array, Array, Array]:
        """Return points (k, joints) projected onto the curves, the tangents, and which of them succeeded."""
        held, given = self._at(T)
        points = np.ascontiguousarray(q, dtype=float).copy()
        tangents, errors = np.empty_like(points), np.empty(len(points))
        arrays = points, tangents, errors
        _functions()["polished_points"](*given, len(points), *(part.ctypes.data for part in arrays))
        del held
        return points, tangents, (errors >= 0) & (errors <= SOLVED)

    def at_levels(self, T: Array, q: Array, joints: Array, levels: Array) -> tuple[Array, Array]:
        """Return points (k, joints) moved along the curves until a joint of each has a value, and which succeeded."""
        held, given = self._at(T)
        points = np.ascontiguousarray(q, dtype=float).copy()
        joints, levels = joints.astype(np.intc), np.ascontiguousarray(levels, dtype=float)
        errors = np.empty(len(points))
        arrays = joints, levels, points, errors
        _functions()["points_at_levels"](*given, len(points), *(part.ctypes.data for part in arrays))
        del held
        return points, (errors >= 0) & (errors <= SOLVED)


def _joined(points: Array, tangents: Array, curves: list[list[int]]) -> list[TracedCurve]:
    """Return the curves; both halves of an open curve are joined."""
    result, start, place = [], 0, 0
    while place < len(curves):
        count, end = curves[place]
        rows = slice(start, start + count)
        start, place = start + count, place + 1
        if end == _CLOSED:
            result.append(TracedCurve(points[rows], tangents[rows], True))
            continue
        back = slice(start, start + curves[place][0]) if place < len(curves) else slice(start, start)
        start, place = back.stop, place + 1
        whole = np.concatenate([points[back][:0:-1], points[rows]])
        along = np.concatenate([-tangents[back][:0:-1], tangents[rows]])
        result.append(TracedCurve(whole, along, False))
    return [curve for curve in result if len(curve.points) > 1]


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """Compile the functions once for all robots."""
    folder = files("robosym.chains.elimination")
    return compiled_plain([folder.joinpath(f"{name}.py").read_text("utf-8") for name in _MODULES], _ENTRIES)
