"""Marks above the solids: joint axes, frames, names, open loops; placed so that names do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Union

import numpy as np

from robosym.drawing.parts import Array, FramePoint, Theme, placed
from robosym.drawing.scene import Scene
from robosym.drawing.view import SceneView
from robosym.mechanism.end_frame import clear_end

__all__ = ["Dot", "Label", "Mark", "Stroke", "ellipsoid_marks", "marked_frames", "marks", "named_joints"]

_ARROW = 0.15  #: length of frame axes, relative to the reach
_MANY = 14  #: maximum number of frames that are labeled individually
_FONT = 13.0
_BETTER = 1e-6  #: minimum difference between two costs
_SHORT = 9.0  #: length in pixels below which an arrow is drawn as a dot
_ELLIPSOID = 0.22  #: largest half axis of an ellipsoid, relative to the reach
_AROUND = 48  #: lines of an ellipse
_SAME = 1e-4  #: distance of coincident frames, relative to the reach


@dataclass(frozen=True)
class Stroke:
    """Line in the picture, in pixels."""

    start: tuple[float, float]
    end: tuple[float, float]
    color: str
    width: float = 1.2
    dashes: tuple[float, ...] = ()
    arrow: bool = False
    opacity: float = 1.0


@dataclass(frozen=True)
class Label:
    """Text centered at a point, with a subscript."""

    at: tuple[float, float]
    text: str
    index: str
    color: str
    size: float = _FONT
    bold: bool = False

    @property
    def extent(self) -> tuple[float, float]:
        """Approximate half width and half height."""
        width = 0.56 * self.size * len(self.text) + 0.42 * self.size * len(self.index)
        return width / 2 + 1.5, 0.58 * self.size


@dataclass(frozen=True)
class Dot:
    """Axis along the line of sight: a dot in a circle towards the viewer, a cross away from the viewer."""

    at: tuple[float, float]
    color: str
    toward: bool
    radius: float = 4.5


Mark = Union[Stroke, Dot, Label]


@dataclass
class _Layout:
    """Occupied places of the picture."""

    width: float
    height: float
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    points: list[Array] = field(default_factory=list)
    covered: Array = field(default_factory=lambda: np.zeros((1, 1), dtype=bool))  #: cells covered by solids

    def place(self, anchor: Array, outward: Array, label: Label) -> Label:
        """Return the label near its anchor, preferably outward, where it covers least."""
        w, h = label.extent
        angle = math.atan2(outward[1], outward[0])
        best, least = anchor, math.inf
        for distance in (3.0, 9.0, 17.0, 27.0, 40.0):
            for turn in (0, 0.5, -0.5, 1.0, -1.0, 1.6, -1.6, 2.3, -2.3, math.pi):
                c, s = math.cos(angle + turn), math.sin(angle + turn)
                at = anchor + np.array([c * (distance + w), s * (distance + h)])
                cost = self._cost(at, w, h) + 0.35 * distance + 2.2 * abs(turn)
                if cost < least - _BETTER:
                    best, least = at, cost
        self.boxes.append((float(best[0]) - w, float(best[1]) - h, float(best[0]) + w, float(best[1]) + h))
        return Label((float(best[0]), float(best[1])), label.text, label.index, label.color, label.size, label.bold)

    def _cost(self, at: Array, w: float, h: float) -> float:
        x0, y0, x1, y1 = at[0] - w, at[1] - h, at[0] + w, at[1] + h
        over = sum(
            max(0.0, min(x1, b[2]) - max(x0, b[0])) * max(0.0, min(y1, b[3]) - max(y0, b[1])) for b in self.boxes
        )
        inside = sum(x0 - 2 < p[0] < x1 + 2 and y0 - 2 < p[1] < y1 + 2 for p in self.points)
        outside = max(0.0, 4 - x0) + max(0.0, 4 - y0) + max(0.0, x1 + 4 - self.width) + max(0.0, y1 + 4 - self.height)
        return float(1.5 * over + 6.0 * inside + 40 * outside + 9.0 * self._hidden(x0, y0, x1, y1))

    def _hidden(self, x0: float, y0: float, x1: float, y1: float) -> float:
        """Return the fraction of a box that covers solids."""
        rows, columns = self.covered.shape
        step = self.width / columns
        part = self.covered[max(0, int(y0 / step)) : int(y1 / step) + 1, max(0, int(x0 / step)) : int(x1 / step) + 1]
        return float(part.mean()) if part.size and rows > 1 else 0.0


def marks(seen: SceneView, theme: Theme, frames: bool, axes: bool, names: bool, select: int | None) -> list[Mark]:
    """Return lines first, then labels."""
    layout = _Layout(seen.view.width, seen.view.height, covered=seen.covered)
    wanted: list[tuple[Array, Array, Label]] = []
    lines: list[Mark] = []
    if axes:
        lines += _axes(seen, theme, select)
    lines += _gaps(seen, theme)
    if frames:
        for mark, label in _frames(seen, theme, select):
            lines.append(mark)
            start, end = (np.array(p) for p in ((mark.start, mark.end) if isinstance(mark, Stroke) else 2 * (mark.at,)))
            layout.points += [start + t * (end - start) for t in np.linspace(0.15, 1, 8)]
            if names:
                wanted.append((end, end - start if isinstance(mark, Stroke) else np.array([0.7, 0.7]), label))
    if names:
        wanted += list(_names(seen, theme, frames))
    lines += _corner(seen, theme, wanted)
    return [*lines, *(layout.place(anchor, outward, label) for anchor, outward, label in wanted)]


def _axes(seen: SceneView, theme: Theme, select: int | None) -> Iterator[Stroke]:
    for line in seen.scene.axes:
        a, b = (seen.view.pixels(placed(spot, seen.scene.poses)) for spot in (line.start, line.end))
        chosen = line.joint == select
        color = theme.chosen if chosen else theme.z
        yield Stroke(_pair(a), _pair(b), color, 1.2, (9.0, 3.0, 2.0, 3.0), opacity=1.0 if chosen else 0.55)


def _gaps(seen: SceneView, theme: Theme) -> Iterator[Stroke]:
    for cut, fixed in seen.scene.gaps:
        a, b = (seen.view.pixels(seen.scene.poses[j][:3, 3]) for j in (cut, fixed))
        yield Stroke(_pair(a), _pair(b), theme.error, 2.0, (4.0, 3.0))


def _frames(seen: SceneView, theme: Theme, select: int | None) -> Iterator[tuple[Stroke | Dot, Label]]:
    """Yield arrows along x and z of each frame; coincident frames are drawn and labeled once."""
    scene = seen.scene
    groups: dict[tuple[Any, ...], list[int]] = {}
    for j in marked_frames(scene):
        T = scene.poses[j]
        for column, letter in ((0, "x"), (2, "z")):
            key = (letter, *np.round(T[:3, 3] / (_SAME * scene.reach)).astype(int), *np.round(T[:3, column], 3) + 0.0)
            groups.setdefault(key, []).append(j)
    for (letter, *_), numbers in groups.items():
        T = scene.poses[numbers[0]]
        column = "xyz".index(letter)
        a, b = (seen.view.pixels(T[:3, 3] + s * scene.reach * _ARROW * T[:3, column]) for s in (0.0, 1.0))
        color = theme.x if letter == "x" else theme.z
        bold = select in numbers
        index = ",".join(map(str, numbers)) if len(numbers) < 4 else f"{numbers[0]}..{numbers[-1]}"
        label = Label((0, 0), letter, index, color)
        if np.linalg.norm(b - a) < _SHORT:
            yield Dot(_pair(a), color, bool(seen.view.toward @ T[:3, column] > 0)), label
        else:
            yield Stroke(_pair(a), _pair(b), color, 2.2 if bold else 1.5, arrow=True), label


def marked_frames(scene: Scene) -> list[int]:
    """Return the drawn frames: all, or those of a platform or the end of the arm if there are many."""
    if scene.robot.NF <= _MANY:
        return list(range(1, scene.robot.NF + 1))
    plates = {solid.link for solid in scene.solids if solid.kind == "plate" and solid.link}
    return sorted(plates) or [clear_end(scene.robot) or scene.robot.NL]


def named_joints(scene: Scene, frames: bool) -> Iterator[tuple[str, FramePoint]]:
    """Yield joints with names of their own, and the motor variables if frames are not labeled."""
    robot = scene.robot
    many = robot.NF > _MANY or not frames
    for line in scene.axes:
        own = robot.joint(line.joint).name
        if own or (many and robot.frame(line.joint).mu):
            a, b = (np.array(spot.at) for spot in (line.start, line.end))
            x, y, z = a if line.slides else (a + b) / 2
            yield own or line.name, FramePoint(line.start.frame, (float(x), float(y), float(z)))


def _names(seen: SceneView, theme: Theme, frames: bool) -> Iterator[tuple[Array, Array, Label]]:
    """Yield names of joints, and of fixed frames."""
    scene, robot = seen.scene, seen.scene.robot
    for text, spot in named_joints(scene, frames):
        at = seen.view.pixels(placed(spot, scene.poses))
        outward = np.array([1.0, 0.1]) if at[0] >= seen.view.width / 2 else np.array([-1.0, 0.1])
        yield at + 10 * outward, outward, Label((0, 0), text, "", theme.quiet, 11.5)
    for frame in scene.frames:
        j = frame["frame"]
        if frame["names"] and (j == 0 or j > robot.NJ or not robot.frame(j).is_joint) and robot.NF <= 2 * _MANY:
            at = seen.view.pixels(scene.poses[j][:3, 3])
            yield at, np.array([0.3, 1.0]), Label((0, 0), frame["names"][0], "", theme.quiet, 11.5)


def _corner(seen: SceneView, theme: Theme, wanted: list[tuple[Array, Array, Label]]) -> Iterator[Stroke]:
    """Yield the axes of frame 0, in the corner of the picture."""
    origin = np.array([42.0, seen.view.height - 40.0])
    for column, (letter, color) in enumerate((("x", theme.x), ("y", theme.y), ("z", theme.z))):
        direction = seen.view.turn[:2, column] * np.array([1, -1])
        tip = origin + 26 * direction
        yield Stroke(_pair(origin), _pair(tip), color, 1.5, arrow=bool(np.linalg.norm(direction) > 0.2))
        wanted.append((tip, direction, Label((0, 0), letter, "0", color, 11.5)))


def _pair(point: Iterable[float]) -> tuple[float, float]:
    x, y = point
    return float(x), float(y)


def ellipsoid_marks(seen: SceneView, theme: Theme, center: Array, half_axes: Array) -> Iterator[Stroke]:
    """Yield the half axes of an ellipsoid and its sections through pairs of them; the largest has a fixed length."""
    largest = float(np.linalg.norm(half_axes, axis=0).max(initial=0.0))
    if not largest:
        return
    sized = half_axes * (_ELLIPSOID * seen.scene.reach / largest)
    angles = np.linspace(0, 2 * np.pi, _AROUND + 1)
    count = sized.shape[1]
    for one in range(count):
        for other in range(one + 1, count):
            ring = center + np.outer(np.cos(angles), sized[:, one]) + np.outer(np.sin(angles), sized[:, other])
            places = [(float(x), float(y)) for x, y in seen.view.pixels(ring)]
            for start, end in pairwise(places):
                yield Stroke(start, end, theme.chosen, 1.3, opacity=0.85)
    (middle,) = seen.view.pixels(center[None])
    for k in range(count):
        (tip,) = seen.view.pixels((center + sized[:, k])[None])
        yield Stroke(
            (float(middle[0]), float(middle[1])), (float(tip[0]), float(tip[1])), theme.chosen, 1.6, arrow=True
        )
