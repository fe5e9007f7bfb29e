"""Maps of a quantity over two coordinates, curves over one, and surfaces: with axes, units, legends and round ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import TINY
from robosym.drawing.canvas import Area, Canvas, Caption, Mark, Path2D, Raster
from robosym.drawing.charts import ticks

__all__ = ["MapAxis", "colors_of", "curves", "maps", "points", "surface"]

_STOPS = np.array([
    [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
    [170, 220, 50], [253, 231, 37],
], dtype=float)  # fmt: skip
_EMPTY = (236, 238, 242)  #: color of places without a value
_FRAME, _GRID = "#aab1bd", "#e6e9ee"
COLORS = ("#3b518b", "#d1495b", "#21908d", "#edae49", "#7a4fa3", "#5c6b3c")


@dataclass(frozen=True)
class MapAxis:
    """Coordinate of a map: values in ascending order, with name and unit."""

    name: str
    values: Array
    unit: str = ""

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def ends(self) -> tuple[float, float]:
        """Return the outer edges of the first and the last cell."""
        low, high = float(np.min(self.values)), float(np.max(self.values))
        half = (high - low) / (2 * (len(self.values) - 1)) if len(self.values) > 1 else max(abs(low), 1.0) / 2
        return low - half, high + half


def colors_of(values: Array, low: float, high: float) -> NDArray[np.uint8]:
    """Return colors (.., 4) of values between two ends; places without a value are gray."""
    span = high - low or 1.0
    at = np.clip((np.nan_to_num(values, nan=low) - low) / span, 0, 1) * (len(_STOPS) - 1)
    below = np.minimum(at.astype(int), len(_STOPS) - 2)
    mixed = _STOPS[below] + (at - below)[..., None] * (_STOPS[below + 1] - _STOPS[below])
    mixed = np.where(np.isfinite(values)[..., None], mixed, _EMPTY)
    return np.concatenate([mixed, np.full((*values.shape, 1), 255.0)], axis=-1).round().astype(np.uint8)


def _axes(box: tuple[float, float, float, float], x: MapAxis, y: MapAxis) -> Iterator[Mark]:
    """Draw the frame of a panel, its ticks and its labels."""
    left, top, wide, high = box
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high], [left, top]])
    for value in ticks(*x.ends, most=max(2, int(wide / 45))):
        at = left + wide * (value - x.ends[0]) / (x.ends[1] - x.ends[0])
        yield Path2D(np.array([[at, top + high], [at, top + high + 4]]), _FRAME)
        yield Caption((at, top + high + 17), f"{value:g}", 11, "middle")
    for value in ticks(*y.ends, most=max(2, int(high / 35))):
        at = top + high * (1 - (value - y.ends[0]) / (y.ends[1] - y.ends[0]))
        yield Path2D(np.array([[left - 4, at], [left, at]]), _FRAME)
        yield Caption((left - 7, at + 4), f"{value:g}", 11, "end")
    yield Path2D(corners, _FRAME)
    yield Caption((left + wide / 2, top + high + 34), x.label, 12, "middle")
    yield Caption((left - 42, top + high / 2), y.label, 12, upright=True)


def _scale(left: float, top: float, high: float, low: float, most: float, label: str) -> Iterator[Mark]:
    """Draw the legend of colors."""
    shades = colors_of(np.linspace(most, low, 128)[:, None], low, most)
    yield Raster((left, top, 14, high), shades)
    for value in ticks(low, most, 6):
        at = top + high * (1 - (value - low) / ((most - low) or 1.0))
        yield Path2D(np.array([[left + 14, at], [left + 18, at]]), _FRAME)
        yield Caption((left + 22, at + 4), f"{value:g}", 11)
    yield Caption((left, top - 10), label, 12)
    yield Area(np.array([[left, top + high + 12], [left + 14, top + high + 12], [left + 14, top + high + 24],
                         [left, top + high + 24]]), "#eceef2", _FRAME)  # fmt: skip
    yield Caption((left + 20, top + high + 22), "not reached", 11)


def maps(
    title: str, x: MapAxis, y: MapAxis, panels: Mapping[str, Array], label: str, lines: Sequence[Sequence[Array]] = ()
) -> Canvas:
    """Return maps (len(x), len(y)) of a quantity on one scale, side by side with their names.

    `lines` are curves of each panel in coordinates (n, 2), such as the locus of singular poses.
    """
    across = min(len(panels), 3)
    down = -(-len(panels) // across)
    spans = [axis.ends[1] - axis.ends[0] for axis in (x, y)]
    same = x.unit == y.unit and 0.2 < spans[1] / spans[0] < 5  # the same scale on both axes
    size = {1: 430.0, 2: 320.0, 3: 250.0}[across]
    wide, high = size, size * (spans[1] / spans[0] if same else 0.8)
    if high > 1.3 * size:
        wide, high = 1.3 * size * wide / high, 1.3 * size
    step = wide + 80, high + 76
    canvas = Canvas(title, 70 + across * step[0] + 95, 66 + down * step[1])
    canvas.marks.append(Caption((24, 26), title, 15))
    finite = np.concatenate([values[np.isfinite(values)] for values in panels.values()] or [np.zeros(1)])
    low, most = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    for k, (name, values) in enumerate(panels.items()):
        box = (70 + (k % across) * step[0], 56 + (k // across) * step[1], wide, high)
        canvas.marks.append(Raster(box, colors_of(values.T[::-1], low, most)))
        for line in lines[k] if k < len(lines) else ():
            shares = (line - [x.ends[0], y.ends[0]]) / spans
            canvas.marks.append(Path2D(np.array(box[:2]) + shares * [wide, -high] + [0, high], "#ffffff", 1.6))
        canvas.marks += _axes(box, x, y)
        canvas.marks.append(Caption((box[0] + wide, box[1] - 8), name, 12, "end"))
    canvas.marks += _scale(50 + across * step[0], 56, min(high, 300.0), low, most, label)
    return canvas


def curves(title: str, x: MapAxis, named: Mapping[str, Array], label: str, marked: Sequence[float] = ()) -> Canvas:
    """Return curves over one coordinate with a legend; `marked` places get a vertical line."""
    box = (80.0, 50.0, 560.0, 300.0)
    values = np.concatenate([np.ravel(v)[np.isfinite(np.ravel(v))] for v in named.values()] or [np.zeros(1)])
    low, high = (float(min(values.min(), 0)), float(values.max())) if len(values) else (0.0, 1.0)
    y = MapAxis(label, np.array([low, high if high > low else low + 1]))
    bottom, top = y.values[0], y.values[1] + 0.05 * (y.values[1] - y.values[0])
    first, last = float(x.values.min()), float(x.values.max())
    scaled = MapAxis(label, np.array([(3 * bottom + top) / 4, (bottom + 3 * top) / 4]))  # its ends are bottom and top
    across = MapAxis(x.name, np.array([(3 * first + last) / 4, (first + 3 * last) / 4]), x.unit)
    canvas = Canvas(title, 860, 410, [Caption((24, 26), title, 15)])
    left, up, wide, tall = box
    start, end = across.ends
    for value in ticks(*scaled.ends, most=8):
        at = up + tall * (1 - (value - scaled.ends[0]) / (scaled.ends[1] - scaled.ends[0]))
        canvas.marks.append(Path2D(np.array([[left, at], [left + wide, at]]), _GRID))
    for place in marked:
        at = left + wide * (place - start) / (end - start)
        canvas.marks.append(Path2D(np.array([[at, up], [at, up + tall]]), COLORS[1], 1.4))
    for k, (name, curve) in enumerate(named.items()):
        color = COLORS[k % len(COLORS)]
        shares = np.column_stack([(x.values - start) / (end - start),
                                  (curve - scaled.ends[0]) / (scaled.ends[1] - scaled.ends[0])])  # fmt: skip
        points = np.array([left, up + tall]) + shares * [wide, -tall]
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(points).all(axis=1))
        for run in np.split(np.arange(len(points)), np.flatnonzero(np.diff(finite)) + 1):
            if finite[run[0]]:
                canvas.marks.append(Path2D(points[run] if len(run) > 1 else points[[run[0], run[0]]], color, 1.8))
        canvas.marks.append(
            Path2D(np.array([[left + wide + 16, 62 + 20 * k], [left + wide + 38, 62 + 20 * k]]), color, 2.4)
        )
        canvas.marks.append(Caption((left + wide + 44, 66 + 20 * k), name))
    canvas.marks += _axes(box, across, scaled)
    return canvas


def points(title: str, x: MapAxis, y: MapAxis, groups: Mapping[str, Array]) -> Canvas:
    """Return points (n, 2) by group on two axes, with a legend."""
    box = (80.0, 50.0, 560.0, 380.0)
    canvas = Canvas(title, 860, 490, [Caption((24, 26), title, 15)])
    spans = [axis.ends[1] - axis.ends[0] for axis in (x, y)]
    for k, (name, places) in enumerate(groups.items()):
        color = COLORS[k % len(COLORS)]
        shares = (places - [x.ends[0], y.ends[0]]) / spans
        for at in np.array(box[:2]) + shares * [box[2], -box[3]] + [0, box[3]]:
            canvas.marks.append(Area(at + 3.2 * _ROUND, color, "#ffffff"))
        canvas.marks.append(Area(np.array([box[0] + box[2] + 26, 62 + 20 * k]) + 4 * _ROUND, color))
        canvas.marks.append(Caption((box[0] + box[2] + 38, 66 + 20 * k), name))
    canvas.marks += _axes(box, x, y)
    return canvas


_ROUND = np.column_stack([np.cos(np.linspace(0, 2 * np.pi, 13)), np.sin(np.linspace(0, 2 * np.pi, 13))])


def surface(
    title: str, vertices: Array, faces: NDArray[np.int_], axes: Sequence[MapAxis], azimuth: float = -55.0,
    elevation: float = 24.0,
) -> Canvas:  # fmt: skip
    """Return a shaded view of a surface of triangles or quadrangles inside a box with labeled edges."""
    a, e = np.radians([azimuth, elevation])
    right = np.array([-np.sin(a), np.cos(a), 0])
    toward = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
    up = np.cross(toward, right)
    low, high = (np.array([pick(axis.values) for axis in axes]) for pick in (np.min, np.max))
    center, size = (low + high) / 2, float(np.linalg.norm(high - low)) or 1.0
    scale, middle = 430 / size, np.array([330.0, 285.0])

    def onto(places: Array) -> Array:
        rays = (places - center) * scale
        return np.asarray(middle + np.column_stack([rays @ right, -(rays @ up)]))

    canvas = Canvas(title, 660, 560, [Caption((24, 26), title, 15)])
    corners = np.array([[(low, high)[bit][k] for k, bit in enumerate(bits)] for bits in np.ndindex(2, 2, 2)])
    far = np.array([low[k] if toward[k] > 0 else high[k] for k in range(3)])
    for one in range(8):
        for k in range(3):
            other = one ^ (1 << (2 - k))
            if other > one and (corners[[one, other]] == far).any(axis=1).sum() >= 1:
                behind = sum(corners[one][j] == far[j] for j in range(3) if j != k)
                if behind:
                    canvas.marks.append(Path2D(onto(corners[[one, other]]), _FRAME if behind == 2 else _GRID, 0.9))
    if len(faces):
        rings = vertices[faces]
        normals = np.cross(rings[:, 1] - rings[:, 0], rings[:, 2] - rings[:, 0])
        if faces.shape[1] == 4:
            normals = np.cross(rings[:, 2] - rings[:, 0], rings[:, 3] - rings[:, 1])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), TINY)
        facing = normals @ toward > 0
        light = 0.42 + 0.58 * np.clip(normals @ (0.5 * toward + 0.3 * up - 0.35 * right), 0, 1) ** 0.8 * 1.35
        heights = (rings[:, :, 2].mean(axis=1) - low[2]) / ((high - low)[2] or 1.0)
        base = colors_of(0.25 + 0.6 * heights, 0, 1)[:, :3] * np.clip(light, 0, 1)[:, None]
        pixels = onto(vertices)
        for k in np.argsort(rings.mean(axis=1) @ toward):
            if facing[k]:
                color = "#{:02x}{:02x}{:02x}".format(*base[k].astype(int))
                canvas.marks.append(Area(pixels[faces[k]], color, color))
    canvas.marks += _edge_labels(axes, low, high, toward, onto, middle)
    return canvas


def _edge_labels(
    axes: Sequence[MapAxis], low: Array, high: Array, toward: Array, onto: object, middle: Array
) -> Iterator[Mark]:
    """Label the edges of the box at its lower outline."""
    assert callable(onto)
    for k, axis in enumerate(axes):
        edge = np.where(toward > 0, high, low)  # the near corner
        if k < 2:
            edge[2] = low[2]
            edge[k] = low[k]
        else:  # the vertical edge at the left outline
            sides = [np.array([x, y, low[2]]) for x in (low[0], high[0]) for y in (low[1], high[1])]
            edge = min(sides, key=lambda one: onto(one[None])[0, 0])
        stop = edge.copy()
        stop[k] = high[k]
        ends = onto(np.array([edge, stop]))
        yield Path2D(ends, "#6b7484", 1.1)
        outward = ends.mean(axis=0) - middle
        outward = outward / (np.linalg.norm(outward) or 1.0)
        for value in ticks(float(low[k]), float(high[k]), 4):
            place = edge.copy()
            place[k] = value
            at = onto(place[None])[0]
            yield Path2D(np.array([at, at + 4 * outward]), "#6b7484")
            x, y = at + 16 * outward
            yield Caption((x, y + 4), f"{value:g}", 11, "middle")
        x, y = ends.mean(axis=0) + 44 * outward
        yield Caption((x, y + 4), axis.label, 12, "middle")
