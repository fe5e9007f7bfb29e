"""HTML report of a calibration, in one file: residuals before and after, parameters, and a histogram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from robosym.algebra.arrays import Array
from robosym.experiment.report import STYLE, histogram, number_text, ticks
from robosym.safe_text import markup

if TYPE_CHECKING:
    from robosym.experiment.calibration import Calibration

__all__ = ["calibration_page"]

_WIDE, _HIGH, _LEFT, _BOTTOM = 640, 200, 70, 34
_BINS = 24
_SMALLEST = 1e-6  #: share of the largest error at which the logarithmic axis begins
_FACTORS = {"m": (1e3, "mm"), "rad": (180 / np.pi, "deg"), "1": (1e3, "1e-3")}


def calibration_page(found: Calibration) -> str:
    """Return the HTML text of the report."""
    name = markup(found.fit.setting.given.name)
    parts = [
        "<!DOCTYPE html>",
        f"<html lang='en'><head><meta charset='utf-8'><title>{name}: calibration</title>",
        "<meta name='viewport' content='width=device-width'>",
        f"<style>{STYLE}</style></head><body><header><h1>Calibration of {name}</h1>",
        f"<p>{markup(repr(found)[1:-1])}</p>{_facts(found)}</header><main>",
    ]
    for unit in dict.fromkeys(found.fit.units):
        columns = [u == unit for u in found.fit.units]
        factor, shown = _FACTORS[unit]
        before, after = (
            np.linalg.norm(fit.residuals[:, columns], axis=1) * factor for fit in (found.before, found.fit)
        )
        what = {"m": "Position", "rad": "Rotation", "1": "Image"}[unit]
        parts.append(f"<h2>{what} error of each posture</h2>{_LEGEND}<div class='cards'>")
        parts.append(
            f"<div class='card'><h3>nominal and calibrated<span>{shown}</span></h3>{_bars(before, after, shown)}</div>"
        )
        rest = (found.fit.residuals[:, columns] * factor).ravel()
        parts.append(
            f"<div class='card'><h3>residuals after<span>{shown}</span></h3>{_histogram(rest, shown)}</div></div>"
        )
    parts += ["<h2>Parameters</h2>", f"<div class='card'>{_parameters(found)}</div>"]
    if found.left_out:
        rows = "; ".join(f"<code>{markup(n)}</code> ({markup(w)})" for n, w in found.left_out.items())
        parts.append(f"<h2>Left out</h2><p>{rows}</p>")
    return "\n".join([*parts, "</main></body></html>", ""])


_LEGEND = (
    "<div class='legend'><span><i style='border-top:9px solid var(--gray)'></i>nominal</span>"
    "<span><i style='border-top:9px solid var(--accent)'></i>calibrated</span></div>"
)


def _facts(found: Calibration) -> str:
    before, after = found.before.rms(), found.fit.rms()
    facts = [(f"{len(found.names)}", "parameters"), (f"{len(found.data)}", "postures")]
    for unit, value in after.items():
        factor, shown = _FACTORS[unit]
        facts.append((f"{value * factor:.3g} {shown}", f"rms residual, nominal {before[unit] * factor:.3g} {shown}"))
    facts.append((f"{found.fit.condition:.3g}", "condition of the Jacobian"))
    cells = "".join(f"<div class='fact'><b>{value}</b><span>{what}</span></div>" for value, what in facts)
    return f"<div class='facts'>{cells}</div>"


def _bars(before: Array, after: Array, unit: str) -> str:
    """Return bars of the errors of each posture on a logarithmic axis, before and after the calibration."""
    top = float(max(before.max(), after.max())) or 1.0
    low = max(float(min(before.min(), after.min())), top * _SMALLEST) / 2
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(top))) + 1)
    first, last = float(decades[0]), float(decades[-1])

    def y(value: float) -> float:
        share = (np.log10(max(value, 10.0**first)) - first) / max(last - first, 1.0)
        return float(_HIGH - (_HIGH - 8) * share)

    drawn = _axis([(y(10.0**d), number_text(10.0**d, 3)) for d in decades], unit)
    step = (_WIDE - _LEFT) / len(before)
    for values, color, part in ((before, "--gray", 0.84), (after, "--accent", 0.5)):
        for k, value in enumerate(values):
            x = _LEFT + step * (k + 0.5 - part / 2)
            drawn.append(_rectangle(x, y(value), step * part, color))
    marks = [k for k in ticks(1, len(before), 8) if k == int(k) and 1 <= k <= len(before)]
    drawn += [
        f"<text x='{_LEFT + step * (k - 0.5):.1f}' y='{_HIGH + 15}' text-anchor='middle'>{int(k)}</text>" for k in marks
    ]
    return _svg(drawn, "posture")


def _histogram(values: Array, unit: str) -> str:
    centers, counts, bell = histogram(values, _BINS)
    top = float(max(counts.max(), bell.max()))
    low, high = float(values.min()), float(values.max())
    width = (_WIDE - _LEFT) / len(centers)
    drawn = _axis([(_HIGH - (_HIGH - 8) * t / top, number_text(t, 3)) for t in ticks(0, top, 4)], "")
    for k, count in enumerate(counts):
        tall = (_HIGH - 8) * count / top
        drawn.append(_rectangle(_LEFT + k * width + 1, _HIGH - tall, width - 2, "--accent"))
    points = " ".join(
        f"{_LEFT + (k + 0.5) * width:.1f},{_HIGH - (_HIGH - 8) * value / top:.1f}" for k, value in enumerate(bell)
    )
    drawn.append(f"<polyline points='{points}' fill='none' stroke='var(--residual)' stroke-width='1.5'/>")
    for value in ticks(low, high, 5) if high > low else []:
        x = _LEFT + (_WIDE - _LEFT) * (value - low) / (high - low)
        drawn.append(f"<text x='{x:.1f}' y='{_HIGH + 15}' text-anchor='middle'>{number_text(value, 3)}</text>")
    return _svg(drawn, f"residual in {unit}, and the normal distribution of the same width")


def _rectangle(x: float, y: float, width: float, color: str) -> str:
    """Return a bar from the horizontal axis up to y."""
    return f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.2f}' height='{_HIGH - y:.1f}' fill='var({color})'/>"


def _axis(marks: Sequence[tuple[float, str]], unit: str) -> list[str]:
    drawn = []
    for y, text in marks:
        drawn.append(f"<line x1='{_LEFT}' x2='{_WIDE}' y1='{y:.1f}' y2='{y:.1f}' stroke='var(--line)'/>")
        drawn.append(f"<text x='{_LEFT - 6}' y='{y + 4:.1f}' text-anchor='end'>{text} {unit}</text>")
    return drawn


def _svg(drawn: Sequence[str], label: str) -> str:
    text = f"<text x='{(_LEFT + _WIDE) / 2}' y='{_HIGH + 31}' text-anchor='middle'>{markup(label)}</text>"
    return f"<svg viewBox='0 0 {_WIDE} {_HIGH + _BOTTOM}' role='img'>{''.join(drawn)}{text}</svg>"


def _parameters(found: Calibration) -> str:
    head = "<tr><th>name</th><th>value</th><th>std. dev.</th><th>unit</th><th>value / std. dev.</th></tr>"
    rows = []
    for name, unit, meaning, value, deviation, ratio in found.rows():
        weak = " class=weak" if ratio < 2 else ""
        rows.append(
            f"<tr{weak} title='{markup(meaning)}'><td>{markup(name)}</td><td>{number_text(value)}</td>"
            f"<td>{number_text(deviation, 3)}</td><td>{markup(unit)}</td><td>{number_text(ratio, 3)}</td></tr>"
        )
    some = max(1, -(-len(rows) // 3))
    tables = (f"<table>{head}{''.join(rows[at : at + some])}</table>" for at in range(0, len(rows), some))
    return f"<div class='columns'>{''.join(tables)}</div>"
