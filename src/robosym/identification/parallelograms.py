"""Loops that lie in a plane, and the parallelograms among them: which links stay parallel (guide 4.5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robosym.identification.generic import parallel, vanishes
from robosym.identification.places import Place
from robosym.robot import PRISMATIC, REVOLUTE, Robot
from robosym.spatial import Mat3, Vec3

__all__ = ["Bar", "Parallelogram", "Side", "parallelograms", "planar_loops"]

_Z = Vec3(0, 0, 1)
_O = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Side:
    """A link of a parallelogram: two joint axes, and the direction from one to the other."""

    link: int
    basis: Mat3  #: columns: along the side, across it, along the axes; in the link's frame


@dataclass(frozen=True, slots=True)
class Bar:
    """A link of a planar loop, in its frame: points on its two joint axes, and the way from one axis to the other."""

    link: int
    start: Vec3
    end: Vec3
    axis: Vec3
    across: Vec3


@dataclass(frozen=True, slots=True)
class Parallelogram:
    """Two pairs of links that stay parallel."""

    sides: tuple[Side, Side]
    rods: tuple[Side, Side]
    bars: tuple[Bar, ...]  #: the same four links in order round the loop

    @property
    def pairs(self) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
        return self.sides, self.rods


def parallelograms(robot: Robot, places: Mapping[int, Place]) -> list[Parallelogram]:
    """The loops of revolute joints about four parallel axes whose opposite links have the same length."""
    found = []
    for bars in planar_loops(robot, places):
        if len(bars) != 4:
            continue
        lengths = [bar.across.dot(bar.across) for bar in bars]
        if vanishes(lengths[0] - lengths[2], lengths[1] - lengths[3]):
            # going round, opposite sides point in opposite directions
            found.append(Parallelogram(_pair(bars[0], bars[2]), _pair(bars[1], bars[3]), tuple(bars)))
    return found


def _pair(one: Bar, other: Bar) -> tuple[Side, Side]:
    length = _length(one.across)
    return Side(one.link, _basis(one, length)), Side(other.link, _basis(other, -length))


def _basis(bar: Bar, length: Any) -> Mat3:
    e = Vec3(*(part / length for part in bar.across))
    return Mat3((e, bar.axis.cross(e), bar.axis)).T


def _length(v: Vec3) -> Any:
    """A number whose square is that of the vector's length; its sign does not matter, as both sides use it."""
    parts = [part for part in v if not vanishes(part)]
    if len(parts) == 1:
        return parts[0]
    square = v.dot(v)
    return square.graph.function("sqrt", square)


@dataclass(frozen=True, slots=True)
class Seen:
    """A joint axis as a link sees it: a point on it and its direction, in the link's frame."""

    link: int
    point: Vec3
    axis: Vec3


def planar_loops(robot: Robot, places: Mapping[int, Place]) -> list[list[Bar]]:
    """The loops of revolute joints about parallel axes, their links in order."""
    found = (_bars(robot, places, k, fixed) for k, fixed in robot.loops)
    return [bars for bars in found if bars is not None]


def _bars(robot: Robot, places: Mapping[int, Place], k: int, fixed: int) -> list[Bar] | None:
    """The links of a loop in order, if all its joints are revolute and their axes parallel."""
    axes = _axes(robot, places, k, fixed)
    if axes is None:
        return None
    bars = []
    same_way = True
    for (_, here), (there, _) in zip(axes, [*axes[1:], axes[0]], strict=True):
        if here.link != there.link or not parallel(here.axis, there.axis):
            return None
        across = there.point - here.point
        across = across - here.axis * across.dot(here.axis)
        if not vanishes(*across):  # two joints may share an axis
            axis = here.axis if same_way else -here.axis
            bars.append(Bar(here.link, here.point, there.point, axis, across))
        same_way = same_way is vanishes(*(here.axis - there.axis))
    return bars


def _axes(robot: Robot, places: Mapping[int, Place], k: int, fixed: int) -> list[tuple[Seen, Seen]] | None:
    """The revolute joints round a loop, each as the link before and the link after it see it; None with others."""
    side, other = _way(places, k), _way(places, fixed)
    root = next(frame for frame in side if frame in other)
    out, back = list(reversed(side[: side.index(root)])), other[: other.index(root)]

    def seen(frame: int, point: Vec3, axis: Vec3) -> Seen:
        """From the link that a frame is fixed on."""
        while frame and frame != root and not robot.frame(frame).is_joint:
            T = places[frame].T
            frame, point, axis = places[frame].ant, T.A @ point + T.P, T.A @ axis
        return Seen(frame, point, axis)

    found = []
    for j in (*out, *back):
        if robot.frame(j).sigma == PRISMATIC:
            return None
        if robot.frame(j).sigma == REVOLUTE:
            T = places[j].T
            before = seen(places[j].ant, T.P, T.A @ _Z)
            after = seen(fixed, _O, _Z) if j == k else Seen(j, _O, _Z)
            found.append((after, before) if j in back else (before, after))
    return found


def _way(places: Mapping[int, Place], j: int) -> list[int]:
    """A frame and its antecedents, the base last."""
    way = [j]
    while way[-1]:
        way.append(places[way[-1]].ant)
    return way
