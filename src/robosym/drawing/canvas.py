"""Figures of polygons, lines, rasters and texts, written as SVG, PNG or HTML."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.errors import FormatError
from robosym.files import write_bytes, write_text

__all__ = ["Area", "Canvas", "Caption", "Path2D", "Raster"]

_FINE = 2  #: pixels of a PNG per unit of the figure
_OVER = 2  #: samples per pixel and direction
_TEXT = "#1f2430"


_GROUND = {False: "#ffffff", True: "#151922"}
#: colors of dark figures in place of those of light ones
_DARK = {
    _TEXT: "#e9ecf2", "#aab1bd": "#566073", "#e6e9ee": "#262d39", "#6b7484": "#98a1b0", "#ffffff": "#151922",
    "#eceef2": "#2a313d", "#3b518b": "#8ea6ea", "#d1495b": "#f0788a", "#21908d": "#4fc3bf", "#7a4fa3": "#b48be0",
    "#5c6b3c": "#a3b57b", "#8c564b": "#c39184",
}  # fmt: skip
_SCHEMES = (
    "body{margin:2em;background:#fff}.dark{display:none}@media(prefers-color-scheme:dark){body{background:#151922}"
    ".light{display:none}.dark{display:block}}"
)


class Area(NamedTuple):
    """Filled polygon."""

    points: Array  #: shape (n, 2)
    fill: str
    line: str = ""


class Path2D(NamedTuple):
    """Polyline."""

    points: Array  #: shape (n, 2)
    color: str
    width: float = 1.0


class Raster(NamedTuple):
    """Colors of equal cells in a box, row by row from the top; transparent where alpha is 0."""

    box: tuple[float, float, float, float]  #: left, top, width, height
    colors: NDArray[np.uint8]  #: shape (rows, columns, 4)


class Caption(NamedTuple):
    """Text at a point; `anchor` is start, middle or end."""

    at: tuple[float, float]
    text: str
    size: float = 12
    anchor: str = "start"
    upright: bool = False  #: rotated by 90 degrees, read from below
    color: str = _TEXT


Mark = Union[Area, Path2D, Raster, Caption]


@dataclass
class Canvas:
    """Figure of a size in pixels, with marks in the order in which they are painted."""

    title: str
    width: float
    height: float
    marks: list[Mark] = field(default_factory=list)

    def write(self, path: str | Path, dark: bool = False) -> Path:
        """Write the figure as .svg, .png or .html; a page follows the color scheme of the browser."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix == ".svg":
            write_text(path, self.svg(dark))
        elif suffix in (".html", ".htm"):
            head = f"<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>{escape(self.title)}</title>"
            both = f"<div class='light'>{self.svg()}</div><div class='dark'>{self.svg(True)}</div>"
            write_text(path, f"{head}<style>{_SCHEMES}</style><body>{both}</body></html>\n")
        elif suffix == ".png":
            write_bytes(path, self.png(dark))
        else:
            raise FormatError(f"expected .svg, .png or .html, found {path.suffix or 'no extension'}", str(path))
        return path

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(self, dark: bool = False) -> str:
        """Return the figure as SVG, on request for a dark background."""
        marks = [_darkened(mark) for mark in self.marks] if dark else self.marks
        w, h = self.width, self.height
        head = (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{w:g}' height='{h:g}' viewBox='0 0 {w:g} {h:g}' "
            f"font-family='system-ui,sans-serif'><title>{escape(self.title)}</title>"
        )
        ground = _GROUND[dark]
        return "\n".join([head, f"<rect width='{w:g}' height='{h:g}' fill='{ground}'/>", *map(_svg, marks), "</svg>\n"])

    def png(self, dark: bool = False) -> bytes:
        """Return the figure as PNG, on request for a dark background."""
        from PIL import Image, ImageDraw, ImageFont

        k = _FINE * _OVER
        image = Image.new("RGB", (round(self.width * k), round(self.height * k)), _GROUND[dark])
        draw = ImageDraw.Draw(image)
        for mark in map(_darkened, self.marks) if dark else self.marks:
            if isinstance(mark, Area):
                draw.polygon([tuple(p) for p in mark.points * k], fill=mark.fill, outline=mark.line or mark.fill)
            elif isinstance(mark, Path2D):
                draw.line([tuple(p) for p in mark.points * k], fill=mark.color, width=max(1, round(mark.width * k)))
            elif isinstance(mark, Raster):
                left, top, wide, high = (round(x * k) for x in mark.box)
                cells = Image.fromarray(mark.colors, "RGBA").resize((wide, high), Image.Resampling.NEAREST)
                image.paste(cells, (left, top), cells)
            else:
                font = ImageFont.load_default(size=mark.size * k)
                anchor = {"start": "ls", "middle": "ms", "end": "rs"}[mark.anchor]
                if not mark.upright:
                    draw.text((mark.at[0] * k, mark.at[1] * k), mark.text, fill=mark.color, font=font, anchor=anchor)
                    continue
                wide, high = round(font.getlength(mark.text)) + 4, round(1.5 * mark.size * k)
                label = Image.new("L", (wide, high), 0)
                ImageDraw.Draw(label).text((wide / 2, 0.75 * high), mark.text, fill=255, font=font, anchor="ms")
                turned = label.rotate(90, expand=True)
                place = (round(mark.at[0] * k - 0.75 * high), round(mark.at[1] * k - wide / 2))
                image.paste(Image.new("RGB", turned.size, mark.color), place, turned)
        file = io.BytesIO()
        size = (round(self.width * _FINE), round(self.height * _FINE))
        image.resize(size, Image.Resampling.BOX).save(file, "PNG")
        return file.getvalue()


def _darkened(mark: Mark) -> Mark:
    """Return a mark with the colors of a dark figure; rasters keep theirs."""
    if isinstance(mark, Area):
        return mark._replace(fill=_DARK.get(mark.fill, mark.fill), line=_DARK.get(mark.line, mark.line))
    if isinstance(mark, (Path2D, Caption)):
        return mark._replace(color=_DARK.get(mark.color, mark.color))
    return mark


def _points(points: Sequence[Sequence[float]] | Array) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _svg(mark: Mark) -> str:
    if isinstance(mark, Area):
        line = f" stroke='{mark.line}' stroke-width='.5' stroke-linejoin='round'" if mark.line else ""
        return f"<polygon points='{_points(mark.points)}' fill='{mark.fill}'{line}/>"
    if isinstance(mark, Path2D):
        style = f"fill='none' stroke='{mark.color}' stroke-width='{mark.width:g}'"
        return f"<polyline points='{_points(mark.points)}' {style}/>"
    if isinstance(mark, Raster):
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(mark.colors, "RGBA").save(file, "PNG")
        data = base64.b64encode(file.getvalue()).decode()
        left, top, wide, high = mark.box
        return (
            f"<image x='{left:g}' y='{top:g}' width='{wide:g}' height='{high:g}' preserveAspectRatio='none' "
            f"style='image-rendering:pixelated' href='data:image/png;base64,{data}'/>"
        )
    x, y = mark.at
    turn = f" transform='rotate(-90 {x:.1f} {y:.1f})'" if mark.upright else ""
    anchor = "middle" if mark.upright else mark.anchor
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{mark.size:g}' text-anchor='{anchor}' fill='{mark.color}'{turn}>"
        f"{escape(mark.text)}</text>"
    )
