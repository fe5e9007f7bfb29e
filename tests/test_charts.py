"""Charts show the given values: lines are read back with the labels of the axes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from robosym.drawing.axes import rounded_axis, tick_labels, ticks
from robosym.drawing.charts import Plot
from robosym.experiment.report import _plot

Array = np.ndarray
T = np.linspace(0.0, 2.0, 30)
SERIES = {
    "zero": np.zeros(30), "constant": np.full(30, 5.0), "negative constant": np.full(30, -0.02),
    "huge constant": np.full(30, 1e6), "sine": 3 * np.sin(T), "all positive": 4 + np.sin(T), "tiny": 1e-9 * np.cos(T),
    "largest constant": np.full(30, 1.7e308),
    "all floats": 1.7e308 * np.linspace(-1, 1, 30), "all but constant": 1e3 + 1e-4 * np.sin(3 * T),
}  # fmt: skip
BROKEN = {"gap": np.where(T[5] == T, np.nan, np.sin(T)), "to infinity": np.where(T > 1.5, np.inf, T)}


def points(svg: str) -> Array:
    """Return the points of all lines, in order."""
    runs = re.findall(r"<polyline points='([^']*)' fill='none' stroke='#[0-9a-f]*' stroke-width='1.6'", svg)
    runs = runs or re.findall(r"<polyline[^>]*stroke-width='1.3'[^>]*points='([^']*)'", svg)
    return np.array([[float(x) for x in point.split(",")] for run in runs for point in run.split()]).reshape(-1, 2)


def read_back(pixels: Array, labels: list[tuple[float, float]]) -> Array:
    """Return the values at heights of the picture, by the labels (height, value) of the axis."""
    height, value = np.transpose(labels)
    size = np.abs(value).max()
    assert np.ptp(value / size) > 0
    slope, start = np.polyfit(height, value / size, 1)
    return (slope * pixels + start) * size


def drawn_by_plot(values: Array, t: Array = T) -> tuple[Array, Array]:
    svg = Plot("a", t, {"q": (values[:, None], ("q1",))}).svg()
    labels = re.findall(r"<text x='[\d.]+' y='([-\d.]+)' font-size='11' text-anchor='end'[^>]*>([^<]+)<", svg)
    drawn = points(svg)
    return drawn, read_back(drawn[:, 1], [(float(y) - 4, float(text)) for y, text in labels])


@pytest.mark.parametrize("name", SERIES)
def test_lines_agree_with_the_axis(name: str) -> None:
    values = SERIES[name]
    drawn, read = drawn_by_plot(values)
    assert len(drawn) == 30
    scale = 1e300 if name in ("all floats", "largest constant") else 1.0  # the range overflows
    size = max(np.ptp(values / scale), np.abs(values / scale).max(), 1e-3 * (not values.any()))
    if name == "all but constant":
        size = np.ptp(values)  # its axis has enough digits
    np.testing.assert_allclose(read / scale, values / scale, atol=0.02 * size)


@pytest.mark.parametrize("name", BROKEN)
def test_values_that_are_not_finite_leave_a_gap(name: str) -> None:
    values = BROKEN[name]
    drawn, read = drawn_by_plot(values)
    finite = values[np.isfinite(values)]
    assert len(drawn) == len(finite)
    np.testing.assert_allclose(read, finite, atol=0.02 * np.ptp(finite))


@pytest.mark.parametrize("name", ["zero", "constant"])
def test_torques_that_stay_are_drawn_at_their_tick(name: str) -> None:
    values = SERIES[name]
    svg = _plot(T, values, values, 0 * T, np.zeros(30, bool))
    ticks = re.findall(r"y='([-\d.]+)' text-anchor='end'>([^<]+)</text>", svg.split("<polyline")[0])
    labels = [
        (float(y) - 4, float(text.replace("\u2212", "-")))
        for y, text in ticks
        if "s" not in text and "\u00b1" not in text
    ]
    np.testing.assert_allclose(read_back(points(svg)[:30, 1], labels), values, atol=0.05)


def test_many_samples_keep_peaks_and_gaps() -> None:
    t = np.linspace(0.0, 2.0, 20_001)
    values = np.sin(t)
    values[7003], values[12001], values[15000] = 5.0, -4.0, np.nan
    drawn, read = drawn_by_plot(values, t)
    assert len(drawn) < 3000
    np.testing.assert_allclose([read.max(), read.min()], [5.0, -4.0], atol=0.05)


def test_empty_chart() -> None:
    none = np.zeros(0)
    assert not len(points(Plot("a", none, {"q": (np.zeros((0, 1)), ("q1",))}).svg()))
    assert len(points(Plot("a", np.zeros(1), {"q": (np.zeros((1, 1)), ("q1",))}).svg())) == 2
    for values in (np.full(30, np.nan), np.full(30, np.inf)):
        assert not len(points(Plot("a", T, {"q": (values[:, None], ("q1",))}).svg()))


@pytest.mark.parametrize(
    "ends", [(0, 24.4), (-3.2, 0.9), (0.0, 0.0), (5, 5), (1e-7, 3e-7), (12345, 12399), (-1e8, 2e8)]
)
def test_ticks_are_round_numbers(ends: tuple[float, float]) -> None:
    axis = rounded_axis("x", ends)
    levels = ticks(*axis.ends)
    step = levels[1] - levels[0]
    mantissa = step / 10.0 ** np.floor(np.log10(step) + 1e-9)
    assert min(abs(mantissa - round_one) for round_one in (1, 2, 5)) < 1e-6
    assert axis.ends[0] <= ends[0] and ends[1] <= axis.ends[1]
    labels = tick_labels(levels)
    assert len(set(labels)) == len(labels) and max(map(len, labels)) <= 8
    np.testing.assert_allclose([float(label) for label in labels], levels, atol=1e-6 * step)


def test_dark_figures_use_other_colors() -> None:
    plot = Plot("a", T, {"q": (np.sin(T)[:, None], ("q1",))}, {"q": "rad"})
    light, dark = plot.svg(), plot.svg(dark=True)
    assert "q [rad]" in light and "time [s]" in light and "#ffffff" in light and "#ffffff" not in dark
