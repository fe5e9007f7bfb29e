"""Scene as PNG: solids with depth, light and antialiasing; lines and names by Pillow."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from robosym.drawing.convex import cast
from robosym.drawing.marks import Dot, Label, Mark, Stroke
from robosym.drawing.parts import Array, Theme, rgb, shade
from robosym.drawing.view import SceneView, grid_lines, shadows

__all__ = ["png_bytes"]

_FINE = 2  #: samples per pixel and direction, for antialiasing


def png_bytes(
    seen: SceneView, theme: Theme, marks: Sequence[Mark], select: int | None, grid: bool, ground: bool, scale: float
) -> bytes:
    """Return the picture as a PNG file with `scale` pixels per pixel of the SVG."""
    fine = scale * _FINE
    size = round(seen.view.width * fine), round(seen.view.height * fine)
    behind = _ground(theme, size) if ground else np.zeros((size[1], size[0], 4))
    image = Image.fromarray(behind.astype(np.uint8), "RGBA")
    if grid and seen.scene.floor is not None and seen.view.toward @ np.array(seen.scene.up) > 0:
        _floor(seen, theme, image, fine)
    image.alpha_composite(Image.fromarray(_solids(seen, theme, select, fine, size), "RGBA"))
    draw = ImageDraw.Draw(image, "RGBA")
    for mark in marks:
        _mark(draw, mark, theme, fine)
    final = (round(seen.view.width * scale), round(seen.view.height * scale))
    file = io.BytesIO()
    image.resize(final, Image.Resampling.BOX if _FINE * scale % 1 == 0 else Image.Resampling.LANCZOS).save(file, "PNG")
    return file.getvalue()


def _ground(theme: Theme, size: tuple[int, int]) -> Array:
    above, below = (rgb(color) for color in theme.ground)
    share = np.linspace(0, 1, size[1])[:, None]
    rows = np.hstack([above + share * (below - above), np.full((size[1], 1), 255.0)])
    return np.asarray(np.repeat(rows[:, None], size[0], axis=1))


def _floor(seen: SceneView, theme: Theme, image: Image.Image, fine: float) -> None:
    draw = ImageDraw.Draw(image, "RGBA")
    for a, b in grid_lines(seen):
        draw.line([tuple(a * fine), tuple(b * fine)], fill=f"#{theme.grid}", width=max(1, round(fine)))
    mask = Image.new("L", image.size, 0)
    paint = ImageDraw.Draw(mask)
    for outline in shadows(seen):
        paint.polygon([tuple(point * fine) for point in outline], fill=round(255 * theme.shadow))
    image.paste(Image.new("RGBA", image.size, "#161B25"), (0, 0), mask)


def _solids(seen: SceneView, theme: Theme, select: int | None, fine: float, size: tuple[int, int]) -> Array:
    """Return the colors of the front surface at every sample, shape (height, width, 4)."""
    width, height = size
    nearest = np.full((height, width), -np.inf)
    colors = np.zeros((height, width, 4))
    for body in seen.bodies:
        low, high = (bound * fine for bound in body.bounds)
        x0, x1 = max(0, math.floor(low[0] + width / 2)), min(width, math.ceil(high[0] + width / 2) + 1)
        y0, y1 = max(0, math.floor(height / 2 - high[1])), min(height, math.ceil(height / 2 - low[1]) + 1)
        if x0 >= x1 or y0 >= y1:
            continue
        columns, rows = np.meshgrid(np.arange(x0, x1), np.arange(y0, y1))
        x, y = (columns.ravel() + 0.5 - width / 2) / fine, (height / 2 - rows.ravel() - 0.5) / fine
        depth, normals = cast(body, x, y)
        depth = depth.reshape(rows.shape)
        window = nearest[y0:y1, x0:x1]
        front = depth > window
        shaded = shade(theme.color(body.solid, select), normals).reshape(*rows.shape, 3)
        colors[y0:y1, x0:x1][front] = np.concatenate([shaded, np.full((*rows.shape, 1), 255.0)], axis=-1)[front]
        window[front] = depth[front]
    return colors.astype(np.uint8)


# --------------------------------------------------------------------- marks


def _mark(draw: ImageDraw.ImageDraw, mark: Mark, theme: Theme, fine: float) -> None:
    if isinstance(mark, Stroke):
        _stroke(draw, mark, fine)
    elif isinstance(mark, Dot):
        (x, y), r = (fine * np.array(mark.at)), fine * mark.radius
        box = [x - r, y - r, x + r, y + r]
        draw.ellipse(box, fill=f"#{theme.ground[0]}", outline=f"#{mark.color}", width=max(1, round(1.4 * fine)))
        s = 1.7 * fine if mark.toward else 0.64 * r
        if mark.toward:
            draw.ellipse([x - s, y - s, x + s, y + s], fill=f"#{mark.color}")
        else:
            for a, b in (((x - s, y - s), (x + s, y + s)), ((x - s, y + s), (x + s, y - s))):
                draw.line([a, b], fill=f"#{mark.color}", width=max(1, round(fine)))
    else:
        _label(draw, mark, theme, fine)


def _stroke(draw: ImageDraw.ImageDraw, mark: Stroke, fine: float) -> None:
    a, b = fine * np.array(mark.start), fine * np.array(mark.end)
    length = float(np.linalg.norm(b - a))
    if length < 1:
        return
    along = (b - a) / length
    color = (*(int(c) for c in rgb(mark.color)), round(255 * mark.opacity))
    width = max(1, round(mark.width * fine))
    if mark.arrow:
        head = min(fine * (3.2 + 2.4 * mark.width), 0.8 * length)
        base, side = b - head * along, 0.38 * head * np.array([-along[1], along[0]])
        draw.polygon([tuple(b), tuple(base + side), tuple(base - side)], fill=color)
        b, length = base, length - head
    if not mark.dashes:
        draw.line([tuple(a), tuple(b)], fill=color, width=width)
        return
    at, place = 0.0, 0
    while at < length:
        end = min(length, at + fine * mark.dashes[place % len(mark.dashes)])
        if place % 2 == 0:
            draw.line([tuple(a + at * along), tuple(a + end * along)], fill=color, width=width)
        at, place = end, place + 1


def _label(draw: ImageDraw.ImageDraw, mark: Label, theme: Theme, fine: float) -> None:
    font, small = (ImageFont.load_default(size=s * mark.size * fine) for s in (1.0, 0.72))
    wide, narrow = font.getlength(mark.text), small.getlength(mark.index)
    x, y = fine * mark.at[0] - (wide + narrow) / 2, fine * (mark.at[1] + 0.34 * mark.size)
    for at, text, letters in (((x, y), mark.text, font), ((x + wide, y + 3 * fine), mark.index, small)):
        if text:
            draw.text(
                at, text, font=letters, anchor="ls", fill=f"#{mark.color}", stroke_width=round(1.2 * fine),
                stroke_fill=f"#{theme.ground[0]}",
            )  # fmt: skip
