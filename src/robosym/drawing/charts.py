"""Charts over time as SVG, in self-contained pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

from robosym.algebra.arrays import Array
from robosym.errors import FormatError
from robosym.files import write_text
from robosym.safe_text import markup

__all__ = ["COLORS", "Line", "Plot", "chart", "envelope", "page", "polylines", "range_of", "share", "ticks"]

_WIDTH, _HEIGHT = 900, 180
_PAIRS = 700  #: maximum number of (minimum, maximum) pairs per line
_LARGEST = 1.79e308  #: largest axis end whose label does not round to infinity
_SAME = 1e-9  #: relative distance within which an end is a multiple of the step
_DIGITS = 4  #: minimum number of digits of axis labels
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
    "svg{display:block;margin:.2em 0 1em;background:#fafafa}polyline{fill:none;stroke-width:1.2}"
)
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")


class Line(NamedTuple):
    """Line of a chart: one number per time."""

    name: str
    values: Array


def range_of(values: Iterable[float]) -> tuple[float, float]:
    """Return minimum and maximum of the finite values, widened for constants."""
    finite = [value for value in map(float, values) if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if high > low:
        return low, high
    margin = abs(low) / 2 or 1.0
    return max(low - margin, -_LARGEST), min(high + margin, _LARGEST)


def share(value: float, first: float, last: float) -> float:
    """Return the relative position of a value between two ends; halving avoids overflow."""
    return (value / 2 - first / 2) / (last / 2 - first / 2)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two ends: multiples of 1, 2 or 5 times a power of ten."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [low, high] if high > low else [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= most)
    first, last = math.ceil(low / step - _SAME), math.floor(high / step + _SAME)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def envelope(t: Iterable[float], values: Iterable[float], pairs: int = _PAIRS) -> list[tuple[float, float]]:
    """Return the samples, or minimum and maximum of each part if there are too many, so that peaks remain visible."""
    times, numbers = [float(time) for time in t], [float(value) for value in values]
    count = len(times)
    if count <= 2 * pairs:
        return list(zip(times, numbers, strict=True))
    found: list[tuple[float, float]] = []
    for k in range(pairs):
        part = range(k * count // pairs, (k + 1) * count // pairs)
        finite = [place for place in part if math.isfinite(numbers[place])]
        ends = {f(finite, key=numbers.__getitem__) for f in (min, max)} if finite else set()
        ends.update([place for place in part if not math.isfinite(numbers[place])][:1])
        found += [(times[place], numbers[place]) for place in sorted(ends)]
    return found


def polylines(points: Iterable[tuple[float, float]], style: str) -> list[str]:
    """Return points as SVG lines, interrupted at points that are not finite."""
    runs: list[list[str]] = [[]]
    for x, y in points:
        if math.isfinite(x) and math.isfinite(y):
            runs[-1].append(f"{x:.1f},{y:.1f}")
        elif runs[-1]:
            runs.append([])
    runs = [run * 2 if len(run) == 1 else run for run in runs if run]  # a single point becomes a line
    return [f"<polyline {style} points='{' '.join(run)}'/>" for run in runs]


def chart(t: Array, lines: Sequence[Line]) -> str:
    """Return a chart with all lines on one scale and their names below."""
    colors = [COLORS[k % len(COLORS)] for k in range(len(lines))]
    low, high = range_of(value for line in lines for value in line.values)
    start, end = range_of(t)
    parts = []
    for line, color in zip(lines, colors, strict=True):
        points = ((_WIDTH * share(a, start, end), _HEIGHT * share(b, high, low)) for a, b in envelope(t, line.values))
        parts += polylines(points, f"stroke='{color}'")
    last = f"{float(t[-1]):.4g} s" if len(t) else ""
    size = max(abs(low), abs(high))
    digits = min(17, _DIGITS + int(math.log10(size / (high - low)))) if size > high - low else _DIGITS
    parts += [
        f"<text x='4' y='12' font-size='11'>{high:.{digits}g}</text>",
        f"<text x='4' y='{_HEIGHT - 3}' font-size='11'>{low:.{digits}g}</text>",
        f"<text x='{_WIDTH - 4}' y='{_HEIGHT - 3}' font-size='11' text-anchor='end'>{last}</text>",
    ]
    names = (f"<span style='color:{c}'>{markup(line.name)}</span>" for line, c in zip(lines, colors, strict=True))
    legend = ", ".join(names)
    return f"<svg width='{_WIDTH}' height='{_HEIGHT}'>{''.join(parts)}</svg><p>{legend}</p>"


def page(title: str, parts: Iterable[str]) -> str:
    """Return an HTML page."""
    head = f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{markup(title)}</title>"
    return "\n".join(
        [f"{head}<style>{_STYLE}</style></head><body>", f"<h1>{markup(title)}</h1>", *parts, "</body></html>", ""]
    )


_PANEL_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")
_PANEL_WIDTH, _PANEL_HEIGHT, _LEFT, _TOP, _GAP = 880, 150, 70, 58, 40


@dataclass(frozen=True, eq=False)
class Plot:
    """Panels below each other: {title: (values of shape (samples, curves), names)}."""

    title: str
    t: Array
    panels: Mapping[str, tuple[Array, Sequence[str]]]

    def svg(self) -> str:
        """Return the plot as SVG."""
        height = _TOP + len(self.panels) * (_PANEL_HEIGHT + _GAP)
        width = _LEFT + _PANEL_WIDTH + 110
        parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' "
            "font-family='system-ui,sans-serif' font-size='12'>",
            f"<rect width='{width}' height='{height}' fill='white'/>",
            f"<text x='{_LEFT}' y='24' font-size='16'>{escape(self.title)}</text>",
        ]
        for number, (title, (values, names)) in enumerate(self.panels.items()):
            parts.append(f"<g transform='translate({_LEFT},{_TOP + number * (_PANEL_HEIGHT + _GAP)})'>")
            parts += self._panel(title, values, names)
            parts.append("</g>")
        return "\n".join([*parts, "</svg>", ""])

    def _panel(self, title: str, values: Array, names: Sequence[str]) -> list[str]:
        start, end = range_of(self.t)
        low, high = range_of([0.0, *values.ravel()])
        parts = [f"<rect width='{_PANEL_WIDTH}' height='{_PANEL_HEIGHT}' fill='none' stroke='#bbb'/>"]
        for level in ticks(low, high, 5):
            y = _PANEL_HEIGHT * share(level, high, low)
            parts.append(f"<line x2='{_PANEL_WIDTH}' y1='{y:.1f}' y2='{y:.1f}' stroke='#eee'/>")
            parts.append(f"<text x='-6' y='{y + 4:.1f}' text-anchor='end'>{level:g}</text>")
        for time in ticks(start, end, 8):
            at = _PANEL_WIDTH * share(time, start, end)
            parts.append(f"<text x='{at:.1f}' y='{_PANEL_HEIGHT + 15}' text-anchor='middle'>{time:g}</text>")
        for k, (name, curve) in enumerate(zip(names, values.T, strict=True)):
            points = (
                (_PANEL_WIDTH * share(a, start, end), _PANEL_HEIGHT * share(b, high, low))
                for a, b in envelope(self.t, curve)
            )
            color = _PANEL_COLORS[k % len(_PANEL_COLORS)]
            parts += polylines(points, f"fill='none' stroke='{color}' stroke-width='1.3'")
            if k < 10:
                parts.append(f"<text x='{_PANEL_WIDTH + 8}' y='{12 + 14 * k}' fill='{color}'>{escape(name)}</text>")
        return [*parts, f"<text x='4' y='-6' font-weight='bold'>{escape(title)}</text>"]

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, path: str | Path) -> Path:
        """Write the plot as .svg, or as .html page."""
        path = Path(path)
        if path.suffix == ".svg":
            write_text(path, self.svg())
        elif path.suffix in (".html", ".htm"):
            head = f"<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>{escape(self.title)}</title>"
            write_text(path, f"{head}<body>{self.svg()}</body></html>\n")
        else:
            raise FormatError(f"expected .svg or .html, found {path.suffix or 'no extension'}", str(path))
        return path
