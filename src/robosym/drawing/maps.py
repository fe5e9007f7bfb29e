"""Maps of a quantity over two coordinates, and surfaces: with axes, units, legends and round ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import TINY
from robosym.drawing.axes import FRAME, GRID, MapAxis, axes, tick_labels, ticks
from robosym.drawing.canvas import Area, Canvas, Caption, Mark, Path2D, Raster

__all__ = ["colors_of", "maps", "surface"]

_STOPS = np.array([
    [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
    [170, 220, 50], [253, 231, 37],
], dtype=float)  # fmt: skip
_EMPTY = (236, 238, 242)  #: color of places without a value


def colors_of(values: Array, low: float, high: float) -> NDArray[np.uint8]:
    """Return colors (.., 4) of values between two ends; places without a value are gray."""
    span = high - low or 1.0
    at = np.clip((np.nan_to_num(values, nan=low) - low) / span, 0, 1) * (len(_STOPS) - 1)
    below = np.minimum(at.astype(int), len(_STOPS) - 2)
    mixed = _STOPS[below] + (at - below)[..., None] * (_STOPS[below + 1] - _STOPS[below])
    mixed = np.where(np.isfinite(values)[..., None], mixed, _EMPTY)
    return np.concatenate([mixed, np.full((*values.shape, 1), 255.0)], axis=-1).round().astype(np.uint8)


def _scale(left: float, top: float, high: float, low: float, most: float, label: str, gaps: bool) -> Iterator[Mark]:
    """Draw the legend of colors."""
    shades = colors_of(np.linspace(most, low, 128)[:, None], low, most)
    yield Raster((left, top, 14, high), shades)
    levels = ticks(low, most, 6)
    for value, text in zip(levels, tick_labels(levels), strict=True):
        at = top + high * (1 - (value - low) / ((most - low) or 1.0))
        yield Path2D(np.array([[left + 14, at], [left + 18, at]]), FRAME)
        yield Caption((left + 22, at + 4), text, 11)
    yield Caption((left, top - 10), label, 12)
    if not gaps:
        return
    yield Area(np.array([[left, top + high + 12], [left + 14, top + high + 12], [left + 14, top + high + 24],
                         [left, top + high + 24]]), "#eceef2", FRAME)  # fmt: skip
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
    canvas = Canvas(title, 70 + across * step[0] + 125, 66 + down * step[1])
    canvas.marks.append(Caption((24, 26), title, 15))
    finite = np.concatenate([values[np.isfinite(values)] for values in panels.values()] or [np.zeros(1)])
    low, most = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    for k, (name, values) in enumerate(panels.items()):
        box = (70 + (k % across) * step[0], 56 + (k // across) * step[1], wide, high)
        canvas.marks.append(Raster(box, colors_of(values.T[::-1], low, most)))
        for line in lines[k] if k < len(lines) else ():
            shares = (line - [x.ends[0], y.ends[0]]) / spans
            canvas.marks.append(Path2D(np.array(box[:2]) + shares * [wide, -high] + [0, high], "#ffffff", 1.6))
        canvas.marks += axes(box, x, y)
        canvas.marks.append(Caption((box[0] + wide, box[1] - 8), name, 12, "end"))
    gaps = not all(np.isfinite(values).all() for values in panels.values())
    canvas.marks += _scale(50 + across * step[0], 56, min(high, 300.0), low, most, label, gaps)
    return canvas


def surface(
    title: str, vertices: Array, faces: NDArray[np.int_], edges: Sequence[MapAxis], azimuth: float = -55.0,
    elevation: float = 24.0,
) -> Canvas:  # fmt: skip
    """Return a shaded view of a surface of triangles or quadrangles inside a box with labeled edges."""
    a, e = np.radians([azimuth, elevation])
    right = np.array([-np.sin(a), np.cos(a), 0])
    toward = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
    up = np.cross(toward, right)
    low, high = (np.array([pick(axis.values) for axis in edges]) for pick in (np.min, np.max))
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
                    canvas.marks.append(Path2D(onto(corners[[one, other]]), FRAME if behind == 2 else GRID, 0.9))
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
    canvas.marks += _edge_labels(edges, low, high, toward, onto, middle)
    return canvas


def _edge_labels(
    edges: Sequence[MapAxis], low: Array, high: Array, toward: Array, onto: object, middle: Array
) -> Iterator[Mark]:
    """Label the edges of the box at its lower outline."""
    assert callable(onto)
    for k, axis in enumerate(edges):
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
        levels = ticks(float(low[k]), float(high[k]), 4)
        for value, text in zip(levels, tick_labels(levels), strict=True):
            place = edge.copy()
            place[k] = value
            at = onto(place[None])[0]
            yield Path2D(np.array([at, at + 4 * outward]), "#6b7484")
            x, y = at + 16 * outward
            yield Caption((x, y + 4), text, 11, "middle")
        x, y = ends.mean(axis=0) + 44 * outward
        yield Caption((x, y + 4), axis.label, 12, "middle")
