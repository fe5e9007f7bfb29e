"""Scene as SVG: solids as shaded outlines from back to front, then lines and names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from robosym.drawing.convex import Convex, hull
from robosym.drawing.marks import Dot, Label, Mark, Stroke
from robosym.drawing.parts import Array, Theme, hexadecimal, shade
from robosym.drawing.view import SceneView, grid_lines, shadows
from robosym.safe_text import markup

__all__ = ["painted_order", "svg_text"]

_FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_HEAD_ON = 1e-3  #: an axis with a smaller projection is parallel to the line of sight
_STOPS = (-1.0, -0.9, -0.7, -0.4, 0.0, 0.4, 0.7, 0.9, 1.0)


def svg_text(seen: SceneView, theme: Theme, marks: Sequence[Mark], select: int | None, grid: bool, ground: bool) -> str:
    """Return the picture as SVG; `ground` fills the background."""
    w, h = seen.view.width, seen.view.height
    picture = _Picture(seen, theme, select)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(w)} {_n(h)}" width="{_n(w)}" height="{_n(h)}" '
        f'role="img" font-family="{markup(_FONT)}">',
        f"<title>{markup(seen.scene.title or seen.scene.name)}</title>",
    ]
    body = [*picture.floor(grid), *picture.solids(), *(_mark(mark, theme) for mark in marks)]
    parts.append(f"<defs>{''.join([*picture.gradients, *_ground(theme)])}</defs>")
    if ground:
        parts.append('<rect width="100%" height="100%" fill="url(#ground)"/>')
    return "\n".join([*parts, *body, "</svg>"]) + "\n"


def _ground(theme: Theme) -> Iterator[str]:
    above, below = theme.ground
    yield '<linearGradient id="ground" x1="0" y1="0" x2="0" y2="1">'
    yield f'<stop stop-color="#{above}"/><stop offset="1" stop-color="#{below}"/></linearGradient>'


def _n(value: float) -> str:
    """Return a number rounded to 0.1 pixels."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


class _Picture:
    """Solids of a view as SVG elements."""

    def __init__(self, seen: SceneView, theme: Theme, select: int | None) -> None:
        self.seen, self.theme, self.select = seen, theme, select
        self.middle = np.array([seen.view.width / 2, seen.view.height / 2])
        self.gradients: list[str] = []

    def floor(self, grid: bool) -> Iterator[str]:
        if self.seen.scene.floor is None or not grid or self.seen.view.toward @ np.array(self.seen.scene.up) <= 0:
            return
        yield f'<g stroke="#{self.theme.grid}" stroke-width="1">'
        for a, b in grid_lines(self.seen):
            yield f'<path d="M{_n(a[0])} {_n(a[1])}L{_n(b[0])} {_n(b[1])}"/>'
        yield "</g>"
        yield f'<g fill="#161B25" opacity="{self.theme.shadow}">'
        yield from (f'<path d="{_path(outline)}"/>' for outline in shadows(self.seen))
        yield "</g>"

    def solids(self) -> Iterator[str]:
        bodies = self.seen.bodies
        yield '<g stroke-width="0.7" stroke-linejoin="round">'
        for place in painted_order(self.seen.depths):
            body = bodies[place]
            draw = {"tube": self._tube, "ball": self._ball}.get(body.solid.kind, self._faces)
            yield "".join(draw(body))
        yield "</g>"

    # ------------------------------------------------------------------ one solid

    def _edge(self, color: str) -> str:
        """Return the color of an outline: the darkest shade of the solid."""
        return hexadecimal(shade(color, np.array([0.3, -0.6, -0.7])) * (1 - 0.3 * self.theme.edge))

    def _at(self, points: Array) -> Array:
        return np.asarray(self.middle + points[..., :2] * np.array([1, -1]))

    def _faces(self, body: Convex) -> Iterator[str]:
        """Yield flat faces that face the viewer."""
        color = self.theme.color(body.solid, self.select)
        for normal, ring in zip(body.normals, body.rings, strict=True):
            if normal[2] > 0:
                fill = hexadecimal(shade(color, normal))
                edge = self._edge(color) if body.solid.kind == "box" or len(ring) > 4 else fill
                yield f'<path d="{_path(self._at(ring))}" fill="{fill}" stroke="{edge}"/>'

    def _ball(self, body: Convex) -> Iterator[str]:
        color, (x, y), r = self.theme.color(body.solid, self.select), self._at(body.ends[0]), body.solid.radius
        name = f"g{len(self.gradients)}"
        bright, usual, dim = (
            hexadecimal(shade(color, np.array(n) / np.linalg.norm(n)))
            for n in ((-0.42, 0.68, 0.6), (0.1, 0.1, 1.0), (0.6, -0.75, 0.2))
        )
        self.gradients.append(
            f'<radialGradient id="{name}" cx=".36" cy=".3" r=".75"><stop stop-color="{bright}"/>'
            f'<stop offset=".5" stop-color="{usual}"/><stop offset="1" stop-color="{dim}"/></radialGradient>'
        )
        edge = self._edge(color)
        yield f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="url(#{name})" stroke="{edge}"/>'

    def _tube(self, body: Convex) -> Iterator[str]:
        color, (a, b) = self.theme.color(body.solid, self.select), body.ends
        axis = (b - a) / np.linalg.norm(b - a)
        edge = self._edge(color)
        level = math.hypot(axis[0], axis[1])
        if level > _HEAD_ON:
            across = np.array([-axis[1], axis[0], 0]) / level
            fill = self._gradient(color, a, across, np.cross(across, axis), max(body.solid.radius, body.solid.end))
            yield f'<path d="{_path(self._at(hull(body.corners[:, :2])))}" fill="{fill}" stroke="{edge}"/>'
        cap, ring, r = (1, b, body.solid.end) if axis[2] > 0 else (0, a, body.solid.radius)
        if abs(axis[2]) > 0.02:
            x, y = self._at(ring)
            fill = hexadecimal(shade(color, body.normals[cap]))
            tilt = math.degrees(math.atan2(-axis[1], axis[0]))
            yield (
                f'<ellipse rx="{_n(r * abs(axis[2]))}" ry="{_n(r)}" fill="{fill}" stroke="{edge}" '
                f'transform="translate({_n(x)} {_n(y)})rotate({_n(tilt)})"/>'
            )

    def _gradient(self, color: str, start: Array, across: Array, front: Array, radius: float) -> str:
        """Return the gradient across a tube lit from the side."""
        front = front if front[2] > 0 else -front
        name = f"g{len(self.gradients)}"
        ends = [self._at(start + s * radius * across) for s in (-1, 1)]
        stops = "".join(
            f'<stop offset="{_percent((s + 1) / 2)}" '
            f'stop-color="{hexadecimal(shade(color, s * across + math.sqrt(1 - s * s) * front))}"/>'
            for s in _STOPS
        )
        (x1, y1), (x2, y2) = ends
        self.gradients.append(
            f'<linearGradient id="{name}" gradientUnits="userSpaceOnUse" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" '
            f'y2="{_n(y2)}">{stops}</linearGradient>'
        )
        return f"url(#{name})"


def _percent(share: float) -> str:
    return f"{share:.2f}".rstrip("0").rstrip(".")


def _path(points: Array) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points) + "Z"


def _mark(mark: Mark, theme: Theme) -> str:
    if isinstance(mark, Dot):
        return _dot(mark, theme)
    return _stroke(mark) if isinstance(mark, Stroke) else _label(mark, theme)


def _dot(mark: Dot, theme: Theme) -> str:
    (x, y), r, s = mark.at, mark.radius, 0.64 * mark.radius
    circle = f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="#{theme.ground[0]}" stroke="#{mark.color}"/>'
    if mark.toward:
        inner = f'<circle cx="{_n(x)}" cy="{_n(y)}" r="1.7" fill="#{mark.color}"/>'
    else:
        cross = f"M{_n(x - s)} {_n(y - s)}L{_n(x + s)} {_n(y + s)}M{_n(x - s)} {_n(y + s)}L{_n(x + s)} {_n(y - s)}"
        inner = f'<path d="{cross}" stroke="#{mark.color}"/>'
    return f'<g stroke-width="1.4">{circle}</g>{inner}'


def _stroke(mark: Stroke) -> str:
    (x1, y1), (x2, y2) = mark.start, mark.end
    length = math.hypot(x2 - x1, y2 - y1)
    more = f' stroke-dasharray="{" ".join(map(_n, mark.dashes))}"' if mark.dashes else ""
    more += f' stroke-opacity="{mark.opacity:g}"' if mark.opacity < 1 else ""
    head = ""
    if mark.arrow and length > 1:
        ux, uy, size = (x2 - x1) / length, (y2 - y1) / length, min(3.2 + 2.4 * mark.width, 0.8 * length)
        bx, by = x2 - size * ux, y2 - size * uy
        wx, wy = -0.38 * size * uy, 0.38 * size * ux
        tip = np.array([[x2, y2], [bx + wx, by + wy], [bx - wx, by - wy]])
        head = f'<path d="{_path(tip)}" fill="#{mark.color}"/>'
        x2, y2 = bx, by
    line = f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}"
    return f'<path d="{line}" stroke="#{mark.color}" stroke-width="{mark.width:g}" fill="none"{more}/>{head}'


def _label(mark: Label, theme: Theme) -> str:
    x, y = mark.at
    index = f'<tspan dy="3" font-size="{0.72 * mark.size:.3g}">{markup(mark.index)}</tspan>' if mark.index else ""
    weight = 600 if mark.bold else 500
    return (
        f'<text x="{_n(x)}" y="{_n(y + 0.34 * mark.size)}" text-anchor="middle" font-size="{mark.size:g}" '
        f'font-weight="{weight}" fill="#{mark.color}" stroke="#{theme.ground[0]}" stroke-width="3" '
        f'stroke-linejoin="round" paint-order="stroke" stroke-opacity=".85">{markup(mark.text)}{index}</text>'
    )


def painted_order(depths: Array) -> list[int]:
    """Return the indices of solids from back to front, from their heights (solids, points) towards the viewer.

    Of two overlapping solids, the one in front at most of the common points is painted later; cycles are broken where
    the contradiction is smallest.
    """
    count = len(depths)
    # behind[a, b]: number of points where a is behind b, minus those where it is in front
    behind = np.zeros((count, count))
    there = np.isfinite(depths)
    for a in range(count):
        points = np.flatnonzero(there[a])
        shared = there[:, points]
        with np.errstate(invalid="ignore"):
            behind[a] = np.where(shared, np.sign(depths[:, points] - depths[a, points]), 0).sum(axis=1)
    middle = [float(row[seen].mean()) if seen.any() else 0.0 for row, seen in zip(depths, there, strict=True)]
    left, order = list(range(count)), []
    while left:
        first = min(left, key=lambda a: (float(np.maximum(behind[left, a], 0).sum()), middle[a]))
        order.append(first)
        left.remove(first)
    return order
