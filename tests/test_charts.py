"""Charts show the given values: lines are read back with the labels of the axes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from robosym.drawing.charts import Line, Plot, chart
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
    runs = re.findall(r"<polyline[^>]*points='([^']*)'", svg)
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
    labels = re.findall(r"<text x='-6' y='([-\d.]+)' text-anchor='end'>([^<]+)<", svg)
    drawn = points(svg)
    return drawn, read_back(drawn[:, 1], [(float(y) - 4, float(text)) for y, text in labels])


def drawn_by_chart(values: Array, t: Array = T) -> tuple[Array, Array]:
    svg = chart(t, [Line("q1", values)])
    high, low = re.findall(r"<text x='4' y='\d+' font-size='11'>([^<]+)<", svg)
    drawn = points(svg)
    return drawn, read_back(drawn[:, 1], [(0.0, float(high)), (180.0, float(low))])


@pytest.mark.parametrize("draw", [drawn_by_plot, drawn_by_chart])
@pytest.mark.parametrize("name", SERIES)
def test_lines_agree_with_the_axis(draw, name: str) -> None:  # type: ignore[no-untyped-def]
    values = SERIES[name]
    drawn, read = draw(values)
    assert len(drawn) == 30
    scale = 1e300 if name in ("all floats", "largest constant") else 1.0  # the range overflows
    size = max(np.ptp(values / scale), np.abs(values / scale).max(), 1e-3 * (not values.any()))
    if name == "all but constant" and draw is drawn_by_chart:
        size = np.ptp(values)  # its axis has enough digits
    np.testing.assert_allclose(read / scale, values / scale, atol=0.02 * size)


@pytest.mark.parametrize("draw", [drawn_by_plot, drawn_by_chart])
@pytest.mark.parametrize("name", BROKEN)
def test_values_that_are_not_finite_leave_a_gap(draw, name: str) -> None:  # type: ignore[no-untyped-def]
    values = BROKEN[name]
    drawn, read = draw(values)
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


@pytest.mark.parametrize("draw", [drawn_by_plot, drawn_by_chart])
def test_many_samples_keep_peaks_and_gaps(draw) -> None:  # type: ignore[no-untyped-def]
    t = np.linspace(0.0, 2.0, 20_001)
    values = np.sin(t)
    values[7003], values[12001], values[15000] = 5.0, -4.0, np.nan
    drawn, read = draw(values, t)
    assert len(drawn) < 3000
    np.testing.assert_allclose([read.max(), read.min()], [5.0, -4.0], atol=0.05)
    svg = chart(t, [Line("q1", values)])
    assert svg.count("<polyline") == 2


def test_empty_chart() -> None:
    none = np.zeros(0)
    assert not len(points(Plot("a", none, {"q": (np.zeros((0, 1)), ("q1",))}).svg()))
    assert not len(points(chart(none, [Line("q1", none)]))) and not len(points(chart(none, [])))
    assert len(points(chart(np.zeros(1), [Line("q1", np.zeros(1))]))) == 2
    for values in (np.full(30, np.nan), np.full(30, np.inf)):
        assert not len(points(Plot("a", T, {"q": (values[:, None], ("q1",))}).svg()))
