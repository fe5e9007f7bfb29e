"""Axes of all charts: round ticks, labels with units, frames, legends and one set of colors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.arrays import Array
from robosym.drawing.canvas import Caption, Mark, Path2D

__all__ = ["COLORS", "FRAME", "GRID", "Box", "MapAxis", "axes", "grid", "joint_units", "legend", "onto", "rounded_axis",
           "tick_labels", "ticks"]  # fmt: skip

#: left, top, width and height of a panel in pixels
Box = tuple[float, float, float, float]
COLORS = ("#3b518b", "#d1495b", "#21908d", "#edae49", "#7a4fa3", "#5c6b3c", "#17a2c8", "#8c564b")
FRAME, GRID = "#aab1bd", "#e6e9ee"
_SAME = 1e-9  #: difference from an integer due to rounding
_HUGE = 1e300  #: beyond, differences of numbers overflow
_FINE = 1e-4  #: smallest step whose ticks are written as decimals
_FLAT = 1e-12  #: a smaller relative range is that of a constant
_HIDDEN = 12  #: curves of a panel that its legend names


@dataclass(frozen=True)
class MapAxis:
    """Coordinate of a map: values in ascending order, with name and unit."""

    name: str
    values: Array
    unit: str = ""
    exact: bool = False  #: whether the first and last value are the ends themselves

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def ends(self) -> tuple[float, float]:
        """Return the outer edges of the first and the last cell."""
        low, high = float(np.min(self.values)), float(np.max(self.values))
        if self.exact:
            return low, high
        half = (high - low) / (2 * (len(self.values) - 1)) if len(self.values) > 1 else max(abs(low), 1.0) / 2
        return low - half, high + half


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two ends: multiples of 1, 2 or 5 times a power of ten."""
    if max(abs(low), abs(high)) > _HUGE:
        return [low, low / 2 + high / 2, high]
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [low]
    step = _step(span, most)
    first, last = math.ceil(low / step - _SAME), math.floor(high / step + _SAME)
    return [k * step for k in range(first, last + 1)]


def _step(span: float, most: int) -> float:
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= most)


def tick_labels(values: Sequence[float]) -> list[str]:
    """Return the texts of ticks, with as many digits as their distance needs."""
    if len(values) < 2:
        return [f"{value:g}" for value in values]
    largest, step = max(map(abs, values)), abs(values[1] - values[0])
    if not math.isfinite(step) or step <= 0:
        return [f"{value:.4g}" for value in values]
    digits = max(math.floor(math.log10(largest)) - math.floor(math.log10(step)) + 1, 2)
    if step >= _FINE and largest < 1e6:
        decimals = max(0, -math.floor(math.log10(step) + _SAME))
        return [f"{0.0 + round(value, decimals):.{decimals}f}" for value in values]
    return ["0" if abs(value) < _SAME * step else f"{value:.{digits}g}" for value in values]


def rounded_axis(name: str, values: Iterable[float], unit: str = "", most: int = 5, zero: bool = False) -> MapAxis:
    """Return an axis whose ends are round numbers around the finite values; with `zero` it contains zero.

    Constant values are in its middle.
    """
    finite = [value for value in map(float, values) if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if max(abs(low), abs(high)) > _HUGE:
        if high == low:
            low, high = min(low, 0.0), max(high, 0.0)
        return MapAxis(name, np.array([low, high]), unit, exact=True)
    if high - low <= _FLAT * max(abs(low), abs(high)):
        margin = abs(low) / 2 or 1.0
        low, high = low - margin, high + margin
    step = _step(high - low, most)
    ends = step * math.floor(low / step + _SAME), step * math.ceil(high / step - _SAME)
    return MapAxis(name, np.array(ends), unit, exact=True)


def onto(box: Box, x: MapAxis, y: MapAxis, points: Array) -> Array:
    """Return the places (n, 2) of points (n, 2) in a panel."""
    left, top, wide, high = box
    shares = np.empty(np.shape(points))
    for k, axis in enumerate((x, y)):
        low, most = axis.ends
        shares[:, k] = (points[:, k] / 2 - low / 2) / (most / 2 - low / 2)
    return np.asarray(np.array([left, top + high]) + shares * [wide, -high])


def axes(box: Box, x: MapAxis, y: MapAxis, labels: tuple[bool, bool] = (True, True)) -> Iterator[Mark]:
    """Draw the frame of a panel, its ticks and, for x and y as chosen by `labels`, its labels."""
    left, top, wide, high = box
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high], [left, top]])
    across = ticks(*x.ends, most=max(2, int(wide / 48)))
    for value, text in zip(across, tick_labels(across), strict=True):
        at = left + wide * (value / 2 - x.ends[0] / 2) / (x.ends[1] / 2 - x.ends[0] / 2)
        yield Path2D(np.array([[at, top + high], [at, top + high + 4]]), FRAME)
        if labels[0]:
            yield Caption((at, top + high + 17), text, 11, "middle")
    upward = ticks(*y.ends, most=max(2, int(high / 30)))
    for value, text in zip(upward, tick_labels(upward), strict=True):
        at = top + high * (1 - (value / 2 - y.ends[0] / 2) / (y.ends[1] / 2 - y.ends[0] / 2))
        yield Path2D(np.array([[left - 4, at], [left, at]]), FRAME)
        yield Caption((left - 7, at + 4), text, 11, "end")
    yield Path2D(corners, FRAME)
    if labels[0]:
        yield Caption((left + wide / 2, top + high + 34), x.label, 12, "middle")
    if labels[1]:
        yield Caption((left - 52, top + high / 2), y.label, 12, upright=True)


def joint_units(slides: Iterable[bool]) -> tuple[str, str, str, str]:
    """Return units of positions, velocities, accelerations and efforts of joints that slide or turn."""
    kinds = sorted(set(slides))
    lengths = [("rad", "m")[kind] for kind in kinds] or ["rad"]
    position, velocity, acceleration = (", ".join(f"{unit}{per}" for unit in lengths) for per in ("", "/s", "/s²"))
    return position, velocity, acceleration, ", ".join(("N m", "N")[kind] for kind in kinds) or "N m"


def grid(box: Box, y: MapAxis) -> Iterator[Mark]:
    """Draw a line across the panel at each tick."""
    left, top, wide, high = box
    for value in ticks(*y.ends, most=max(2, int(high / 30))):
        at = top + high * (1 - (value / 2 - y.ends[0] / 2) / (y.ends[1] / 2 - y.ends[0] / 2))
        yield Path2D(np.array([[left, at], [left + wide, at]]), GRID)


def legend(left: float, top: float, names: Sequence[str]) -> Iterator[Mark]:
    """Draw a short line and the name of each curve, in the order of the colors."""
    for k, name in enumerate(names[:_HIDDEN]):
        at = top + 12 + 17 * k
        yield Path2D(np.array([[left, at], [left + 20, at]]), COLORS[k % len(COLORS)], 2.4)
        yield Caption((left + 26, at + 4), name, 11.5)
    if len(names) > _HIDDEN:
        yield Caption((left, top + 16 + 17 * _HIDDEN), f"and {len(names) - _HIDDEN} more", 11.5)
