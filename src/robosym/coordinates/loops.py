"""The loops of a robot, those that lie in a plane, and the parallelograms among them (guide 1.4, 2.2.2, 2.6, 4.5.2).

A parallelogram keeps its opposite links parallel: its rates are linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robosym.algebra.generic import vanishes
from robosym.chains.chain import JointChain, chain_between
from robosym.mechanism import Robot
from robosym.mechanism.motion import Place
from robosym.mechanism.path import moving_joints, path
from robosym.spatial import Mat3, Vec3, parallel

__all__ = [
    "Bar",
    "Loop",
    "Parallelogram",
    "Side",
    "loop_chain",
    "loops_of",
    "parallelogram_of",
    "parallelograms",
    "planar_loops",
]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop cut at joint `cut`: the moving joints from its root to each side of the cut."""

    cut: int
    fixed: int  #: the frame that coincides with that of the cut joint
    root: int
    near: tuple[int, ...]  #: on the way from the root to the antecedent of the cut joint
    far: tuple[int, ...]  #: on the way from the root to the fixed frame

    @property
    def round(self) -> tuple[int, ...]:
        """All joints in order around the loop: from the root to the cut, and back."""
        return (*self.near, self.cut, *reversed(self.far))


def loops_of(robot: Robot) -> tuple[Loop, ...]:
    """Return all loops, in the order of the cut joints."""
    found = []
    for cut, fixed in robot.loops:
        up, down = path(robot, robot.frame(cut).ant, fixed)
        first = down[:1] or up[-1:]
        root = robot.frame(first[0]).ant if first else fixed
        found.append(Loop(cut, fixed, root, moving_joints(robot, up[::-1]), moving_joints(robot, down)))
    return tuple(found)


def loop_chain(robot: Robot, loop: Loop) -> JointChain:
    """Return the chain around a loop from the fixed frame k + B to the coinciding frame k of the cut joint."""
    return chain_between(robot, loop.fixed, loop.cut)


_Z = Vec3(0, 0, 1)
_O = Vec3(0, 0, 0)
#: {joint: +1 or -1}: a sum of rates.
Rates = dict[int, int]


@dataclass(frozen=True, slots=True)
class Side:
    """A link of a parallelogram: two joint axes, and the direction from one to the other."""

    link: int
    basis: Mat3  #: columns: along the side, across it, along the axes; in the link's frame


@dataclass(frozen=True, slots=True)
class Bar:
    """A link of a planar loop, in its frame: points on its two joint axes, and the vector between the axes."""

    link: int
    start: Vec3
    end: Vec3
    axis: Vec3  #: axis of the first joint of the loop
    across: Vec3
    turning: Rates  #: about that axis with respect to the root of the loop, by the joints of the tree


@dataclass(frozen=True, slots=True)
class Parallelogram:
    """Two pairs of links that stay parallel, assembled as a parallelogram and not crossed."""

    sides: tuple[Side, Side]
    rods: tuple[Side, Side]
    bars: tuple[Bar, ...]  #: the same four links in order round the loop

    @property
    def pairs(self) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
        return self.sides, self.rods

    @property
    def relations(self) -> tuple[Rates, Rates]:
        """Angular velocities of the first link of each pair relative to the second, which are zero."""
        first, second, third, fourth = (bar.turning for bar in self.bars)
        return _difference(first, third), _difference(second, fourth)


def parallelograms(robot: Robot, places: Mapping[int, Place]) -> list[Parallelogram]:
    """Return the parallelograms among the loops of a robot."""
    found = (parallelogram_of(robot, places, loop) for loop in loops_of(robot))
    return [shape for shape in found if shape is not None]


def parallelogram_of(robot: Robot, places: Mapping[int, Place], loop: Loop) -> Parallelogram | None:
    """Return the parallelogram of a loop: four parallel revolute axes, opposite links of equal length."""
    bars = _bars(robot, places, loop)
    if bars is None or len(bars) != 4:
        return None
    lengths = [bar.across.dot(bar.across) for bar in bars]
    if not vanishes(lengths[0] - lengths[2], lengths[1] - lengths[3]):
        return None
    # along the loop, opposite sides have opposite directions
    return Parallelogram(_pair(bars[0], bars[2]), _pair(bars[1], bars[3]), tuple(bars))


def _difference(one: Rates, other: Rates) -> Rates:
    plus, minus = one.keys() - other.keys(), other.keys() - one.keys()
    return {k: one[k] for k in sorted(plus)} | {k: -other[k] for k in sorted(minus)}


def _pair(one: Bar, other: Bar) -> tuple[Side, Side]:
    length = _length(one.across)
    return Side(one.link, _basis(one, length)), Side(other.link, _basis(other, -length))


def _basis(bar: Bar, length: Any) -> Mat3:
    e = Vec3(*(part / length for part in bar.across))
    return Mat3((e, bar.axis.cross(e), bar.axis)).T


def _length(v: Vec3) -> Any:
    """Return a number whose square is the squared length of a vector; its sign is irrelevant to the caller."""
    parts = [part for part in v if not vanishes(part)]
    if len(parts) == 1:
        return parts[0]
    square = v.dot(v)
    return square.graph.function("sqrt", square)


@dataclass(frozen=True, slots=True)
class LinkAxis:
    """A joint axis as a link sees it: a point on it and its direction, in the link's frame."""

    link: int
    point: Vec3
    axis: Vec3


def planar_loops(robot: Robot, places: Mapping[int, Place]) -> list[list[Bar]]:
    """Return the loops of revolute joints about parallel axes, with their links in order."""
    found = (_bars(robot, places, loop) for loop in loops_of(robot))
    return [bars for bars in found if bars is not None]


def _bars(robot: Robot, places: Mapping[int, Place], loop: Loop) -> list[Bar] | None:
    """Return the links of a loop in order if all its joints are revolute with parallel axes, else None."""
    if any(not robot.frame(j).joint_type.only_turns for j in loop.round):
        return None
    axes = _axes(robot, places, loop)
    ways = [(here, there) for (_, here), (there, _) in zip(axes, [*axes[1:], axes[0]], strict=True)]
    if not all(here.link == there.link and parallel(here.axis, there.axis) for here, there in ways):
        return None
    sense: Rates = {}  # of each axis with respect to the first
    same_way = 1
    for joint, (here, there) in zip(loop.round, ways, strict=True):
        sense[joint] = same_way
        same_way *= 1 if vanishes(*(here.axis - there.axis)) else -1
    bars = []
    for place, (joint, (here, there)) in enumerate(zip(loop.round, ways, strict=True)):
        across = there.point - here.point
        across = across - here.axis * across.dot(here.axis)
        if not vanishes(*across):  # two joints may share an axis
            turning = {k: sense[k] for k in _joints_to(loop, place)}
            bars.append(Bar(here.link, here.point, there.point, here.axis * sense[joint], across, turning))
    return bars


def _joints_to(loop: Loop, place: int) -> tuple[int, ...]:
    """Return the tree joints from the root to the link after joint `place` of the loop."""
    near = len(loop.near)
    return loop.near[: place + 1] if place < near else loop.far[: len(loop.far) + near - place]


def _axes(robot: Robot, places: Mapping[int, Place], loop: Loop) -> list[tuple[LinkAxis, LinkAxis]]:
    """Return the joints around a loop, each as seen from the preceding and the following link."""

    def seen(frame: int, point: Vec3, axis: Vec3) -> LinkAxis:
        """Return the axis as seen from the link that a frame is fixed to."""
        while frame and frame != loop.root and not robot.frame(frame).is_joint:
            T = places[frame].T
            frame, point, axis = places[frame].ant, T.A @ point + T.P, T.A @ axis
        return LinkAxis(frame, point, axis)

    found = []
    for j in loop.round:
        T = places[j].T
        before = seen(places[j].ant, T.P, T.A @ _Z)
        after = seen(loop.fixed, _O, _Z) if j == loop.cut else LinkAxis(j, _O, _Z)
        found.append((after, before) if j in loop.far else (before, after))
    return found
