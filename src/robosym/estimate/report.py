"""A page about an estimate: tables and plots in one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from robosym.estimate.estimate import Estimate

__all__ = ["page"]

Array = NDArray[np.float64]

_WIDTH, _HEIGHT, _POINTS = 900, 180, 1500
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:right}td:first-child{text-align:left}"
    "svg{display:block;margin:.2em 0 1em;background:#fafafa}polyline{fill:none;stroke-width:1.2}"
)
_LINES = (("measured", "#1f77b4"), ("predicted", "#d62728"), ("residual", "#888888"))


def page(found: Estimate) -> str:
    """The text of the page."""
    parts = [
        "<!DOCTYPE html>",
        f"<html lang='en'><head><meta charset='utf-8'><title>{escape(found.regressor.robot.name)}</title>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>Identification of {escape(found.regressor.robot.name)}</h1>",
        f"<p>{escape(repr(found)[1:-1])}</p>",
        *(f"<p>{escape(remark)}</p>" for remark in found.remarks),
        "<h2>Errors</h2>",
        _errors(found),
        "<h2>Parameters</h2>",
        _parameters(found),
    ]
    if found.left_out:
        parts.append(
            "<p>Left out: " + "; ".join(f"{escape(n)} ({escape(w)})" for n, w in found.left_out.items()) + "</p>"
        )
    legend = ", ".join(f"<span style='color:{colour}'>{name}</span>" for name, colour in _LINES)
    for number, motion in enumerate(found.motions, 1):
        parts.append(f"<h2>Motion {number}</h2><p>Torques: {legend}</p>")
        predicted = found.predict(motion)
        for at, j in enumerate(found.regressor.joints):
            tau = motion.tau[:, at]
            parts.append(f"<h3>Joint {j}</h3>")
            parts.append(_plot(motion.t, [tau, predicted[:, at], tau - predicted[:, at]]))
    return "\n".join([*parts, "</body></html>", ""])


def _errors(found: Estimate) -> str:
    joints = "".join(f"<th>joint {j}</th>" for j in found.regressor.joints)
    rows = [f"<tr><th>motion</th><th>in motion</th><th>all samples</th>{joints}</tr>"]
    for number, error in enumerate(found.fits, 1):
        cells = "".join(f"<td>{value:.2%}</td>" for value in (error.moving, error.all, *error.joints))
        rows.append(f"<tr><td>{number}</td>{cells}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _parameters(found: Estimate) -> str:
    """Values, deviations, and bars of two deviations beside the value, on a scale of its own for each."""
    rows = ["<tr><th>parameter</th><th>value</th><th>deviation</th><th>%</th><th>0 to value, two deviations</th></tr>"]
    for name, value, deviation, error in zip(found.names, found.values, found.deviations, found.errors, strict=True):
        reach = abs(value) + 2 * deviation or 1.0
        low, high = (100 + 100 * (value + sign * 2 * deviation) / reach for sign in (-1, 1))
        at = 100 + 100 * value / reach
        bar = (
            "<svg width='200' height='14' style='margin:0'><line x1='100' x2='100' y1='0' y2='14' stroke='#bbb'/>"
            f"<line x1='{max(low, 0):.1f}' x2='{min(high, 200):.1f}' y1='7' y2='7' stroke='#d62728' stroke-width='3'/>"
            f"<circle cx='{at:.1f}' cy='7' r='3' fill='#1f77b4'/></svg>"
        )
        shown = f"{error:.2g}" if np.isfinite(error) else "-"
        rows.append(
            f"<tr><td>{escape(name)}</td><td>{value:.5g}</td><td>{deviation:.2g}</td><td>{shown}</td><td>{bar}</td></tr>"
        )
    return f"<table>{''.join(rows)}</table>"


def _plot(t: Array, lines: Sequence[Array]) -> str:
    every = max(1, len(t) // _POINTS)
    low, high = min(float(line.min()) for line in lines), max(float(line.max()) for line in lines)
    span = high - low or 1.0
    x = _WIDTH * (t[::every] - t[0]) / ((t[-1] - t[0]) or 1.0)
    drawn = []
    for line, (_, colour) in zip(lines, _LINES, strict=True):
        y = _HEIGHT * (high - line[::every]) / span
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        drawn.append(f"<polyline stroke='{colour}' points='{points}'/>")
    scale = (
        f"<text x='4' y='12' font-size='11'>{high:.4g}</text>"
        f"<text x='4' y='{_HEIGHT - 3}' font-size='11'>{low:.4g}</text>"
        f"<text x='{_WIDTH - 4}' y='{_HEIGHT - 3}' font-size='11' text-anchor='end'>{t[-1]:.4g} s</text>"
    )
    return f"<svg width='{_WIDTH}' height='{_HEIGHT}'>{''.join(drawn)}{scale}</svg>"
