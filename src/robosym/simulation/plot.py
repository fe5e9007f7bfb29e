"""Curves over time as a drawing in SVG, which notebooks show and browsers open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robosym.drawing.charts import envelope, polylines, range_of, share
from robosym.errors import FormatError
from robosym.files import write_text

__all__ = ["COLOURS", "Plot"]

Array = NDArray[np.float64]

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 880, 150, 70, 58, 40


@dataclass(frozen=True, eq=False)
class Plot:
    """Panels one below the other: {title: (values (samples, curves), their names)}."""

    title: str
    t: Array
    panels: Mapping[str, tuple[Array, Sequence[str]]]

    def svg(self) -> str:
        height = _TOP + len(self.panels) * (_HEIGHT + _GAP)
        width = _LEFT + _WIDTH + 110
        parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' "
            "font-family='system-ui,sans-serif' font-size='12'>",
            f"<rect width='{width}' height='{height}' fill='white'/>",
            f"<text x='{_LEFT}' y='24' font-size='16'>{escape(self.title)}</text>",
        ]
        for number, (title, (values, names)) in enumerate(self.panels.items()):
            parts.append(f"<g transform='translate({_LEFT},{_TOP + number * (_HEIGHT + _GAP)})'>")
            parts += self._panel(title, values, names)
            parts.append("</g>")
        return "\n".join([*parts, "</svg>", ""])

    def _panel(self, title: str, values: Array, names: Sequence[str]) -> list[str]:
        start, end = range_of(self.t)
        low, high = range_of([0.0, *values.ravel()])
        parts = [f"<rect width='{_WIDTH}' height='{_HEIGHT}' fill='none' stroke='#bbb'/>"]
        for part in range(5):
            level, y = low * (1 - part / 4) + high * (part / 4), _HEIGHT * (1 - part / 4)
            parts.append(f"<line x2='{_WIDTH}' y1='{y:.1f}' y2='{y:.1f}' stroke='#eee'/>")
            parts.append(f"<text x='-6' y='{y + 4:.1f}' text-anchor='end'>{level:.3g}</text>")
            at = _WIDTH * part / 4
            time = start + (end - start) * part / 4
            parts.append(f"<text x='{at}' y='{_HEIGHT + 15}' text-anchor='middle'>{time:.3g}</text>")
        for k, (name, curve) in enumerate(zip(names, values.T, strict=True)):
            points = (
                (_WIDTH * share(a, start, end), _HEIGHT * share(b, high, low)) for a, b in envelope(self.t, curve)
            )
            colour = COLOURS[k % len(COLOURS)]
            parts += polylines(points, f"fill='none' stroke='{colour}' stroke-width='1.3'")
            if k < 10:
                parts.append(f"<text x='{_WIDTH + 8}' y='{12 + 14 * k}' fill='{colour}'>{escape(name)}</text>")
        return [*parts, f"<text x='4' y='-6' font-weight='bold'>{escape(title)}</text>"]

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, path: str | Path) -> Path:
        """As .svg, or as a page .html."""
        path = Path(path)
        if path.suffix == ".svg":
            write_text(path, self.svg())
        elif path.suffix in (".html", ".htm"):
            head = f"<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>{escape(self.title)}</title>"
            write_text(path, f"{head}<body>{self.svg()}</body></html>\n")
        else:
            raise FormatError(f"expected .svg or .html, found {path.suffix or 'no extension'}", str(path))
        return path
