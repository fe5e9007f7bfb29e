"""Charts over one coordinate: panels over time, curves and points, as SVG, PNG and pages, light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robosym.algebra.arrays import Array
from robosym.drawing.axes import COLORS, Box, MapAxis, axes, grid, legend, onto, rounded_axis
from robosym.drawing.canvas import Area, Canvas, Caption, Mark, Path2D

__all__ = ["Plot", "curves", "envelope", "points", "polylines", "range_of", "share"]

_PAIRS = 700  #: maximum number of (minimum, maximum) pairs per line
_LARGEST = 1.79e308  #: largest axis end whose label does not round to infinity
_PANEL_WIDTH, _PANEL_HEIGHT, _LEFT, _TOP, _GAP, _RIGHT = 640.0, 150.0, 78.0, 60.0, 34.0, 130.0
_ROUND = np.column_stack([np.cos(np.linspace(0, 2 * np.pi, 13)), np.sin(np.linspace(0, 2 * np.pi, 13))])


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


def _lines(box: Box, x: MapAxis, y: MapAxis, pairs: Iterable[tuple[float, float]], color: str) -> list[Mark]:
    """Return a curve as lines, interrupted at points that are not finite."""
    places = np.array(list(pairs)).reshape(-1, 2)
    finite = np.isfinite(places).all(axis=1)
    found: list[Mark] = []
    for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(finite)) + 1):
        if len(run) and finite[run[0]]:
            chosen = run if len(run) > 1 else np.repeat(run, 2)  # a single point becomes a line
            found.append(Path2D(onto(box, x, y, places[chosen]), color, 1.6))
    return found


@dataclass(frozen=True, eq=False)
class Plot:
    """Panels below each other: {quantity: (values of shape (samples, curves), names of the curves)}."""

    title: str
    t: Array
    panels: Mapping[str, tuple[Array, Sequence[str]]]
    units: Mapping[str, str] = field(default_factory=dict)  #: units by quantity
    over: tuple[str, str] = ("time", "s")  #: name and unit of the coordinate

    def canvas(self) -> Canvas:
        """Return the figure."""
        step = _PANEL_HEIGHT + _GAP
        height = _TOP + len(self.panels) * step + 20
        canvas = Canvas(self.title, _LEFT + _PANEL_WIDTH + _RIGHT, height, [Caption((24, 28), self.title, 15)])
        ends = range_of(self.t)
        x = MapAxis(self.over[0], np.array(ends), self.over[1], exact=True)
        for number, (title, (values, names)) in enumerate(self.panels.items()):
            box = (_LEFT, _TOP + number * step, _PANEL_WIDTH, _PANEL_HEIGHT)
            y = rounded_axis(title, values.ravel(), self.units.get(title, ""))
            canvas.marks += grid(box, y)
            for k, curve in enumerate(values.T):
                canvas.marks += _lines(box, x, y, envelope(self.t, curve), COLORS[k % len(COLORS)])
            canvas.marks += axes(box, x, y, (number == len(self.panels) - 1, False))
            canvas.marks.append(Caption((_LEFT, box[1] - 7), y.label, 12))
            canvas.marks += legend(_LEFT + _PANEL_WIDTH + 14, box[1], names)
        return canvas

    def svg(self, dark: bool = False) -> str:
        """Return the plot as SVG, on request for a dark background."""
        return self.canvas().svg(dark)

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, path: str | Path, dark: bool = False) -> Path:
        """Write the plot as .svg, .png, or .html page."""
        return self.canvas().write(path, dark)


def curves(title: str, x: MapAxis, named: Mapping[str, Array], label: str, marked: Sequence[float] = ()) -> Canvas:
    """Return curves over one coordinate with a legend; `marked` places get a vertical line."""
    box = (84.0, 50.0, 560.0, 300.0)
    y = rounded_axis(label, (value for curve in named.values() for value in np.ravel(curve)), most=8, zero=True)
    across = MapAxis(x.name, np.array(range_of(x.values)), x.unit, exact=True)
    canvas = Canvas(title, 860, 410, [Caption((24, 26), title, 15), *grid(box, y)])
    low, high = y.ends
    for place in marked:
        canvas.marks.append(Path2D(onto(box, across, y, np.array([[place, low], [place, high]])), COLORS[1], 1.4))
    for k, curve in enumerate(named.values()):
        canvas.marks += _lines(box, across, y, zip(x.values, np.ravel(curve), strict=True), COLORS[k % len(COLORS)])
    canvas.marks += [*legend(box[0] + box[2] + 16, box[1], list(named)), *axes(box, across, y)]
    return canvas


def points(title: str, x: MapAxis, y: MapAxis, groups: Mapping[str, Array]) -> Canvas:
    """Return points (n, 2) by group on two axes, with a legend."""
    box = (84.0, 50.0, 560.0, 380.0)
    across, upward = (rounded_axis(axis.name, np.ravel(axis.values), axis.unit, 8) for axis in (x, y))
    canvas = Canvas(title, 860, 490, [Caption((24, 26), title, 15)])
    for k, places in enumerate(groups.values()):
        for at in onto(box, across, upward, places):
            canvas.marks.append(Area(at + 3.2 * _ROUND, COLORS[k % len(COLORS)], "#ffffff"))
    canvas.marks += [*legend(box[0] + box[2] + 20, box[1], list(groups)), *axes(box, across, upward)]
    return canvas
