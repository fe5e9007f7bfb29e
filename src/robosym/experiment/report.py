"""A page about an estimate: tables and plots in one HTML file that needs nothing else.

Measured torques are a wide grey line, predicted ones a thin line on top, residuals below on a scale of their own, so
that a good fit is no blank plot. Bars of parameters show relative deviations, logarithmic, hollow beyond 30 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.drawing.charts import envelope, polylines, range_of, share
from robosym.safe_text import markup

if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate

__all__ = ["page"]


_LEFT, _WIDE, _HIGH, _BELOW = 44, 440, 130, 40  #: margin, width and heights of a plot and of its residual, in pixels
_WEAK = 30.0  #: percent: a parameter with a larger deviation is shown as weak
_LOW, _TOP = 0.1, 1000.0  #: ends of the bars, percent
_STYLE = """
:root{--bg:#F5F6F8;--surface:#FFF;--sunken:#FAFBFC;--line:#E5E8ED;--text:#161B25;--text2:#465063;--text3:#636E81;
--accent:#4653D8;--soft:#DDE1FC;--grey:#A9B1BE;--residual:#D55E00;--shade:#8A94A41F}
@media(prefers-color-scheme:dark){:root{--bg:#0E1117;--surface:#151922;--sunken:#191E28;--line:#262D39;--text:#E9ECF2;
--text2:#B6BECC;--text3:#8D97A9;--accent:#95A0FF;--soft:#2A3163;--grey:#667185;--residual:#FF9A57;--shade:#8D97A91F}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:13px/20px Inter,system-ui,sans-serif;
font-variant-numeric:tabular-nums}
header{background:var(--surface);border-bottom:1px solid var(--line);padding:20px 32px}
main{padding:24px 32px 48px;max-width:1480px;margin:auto}
h1{font-size:24px;line-height:32px;margin:0;font-weight:600}
h2{font-size:16px;line-height:24px;margin:32px 0 12px;font-weight:600}
p{margin:4px 0;color:var(--text2)}
.facts{display:flex;flex-wrap:wrap;gap:12px;margin-top:16px}
.fact{border:1px solid var(--line);border-radius:10px;padding:8px 16px;background:var(--sunken)}
.fact b{display:block;font-size:16px;font-weight:600}.fact span{color:var(--text3);font-size:12px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(460px,1fr));gap:16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:12px 16px;overflow-x:auto}
.card h3{font-size:14px;margin:0;font-weight:600;display:flex;justify-content:space-between}
.card h3 span{font-weight:400;color:var(--text2)}
.legend{display:flex;gap:20px;margin-bottom:12px;color:var(--text2)}
.legend i{display:inline-block;width:22px;vertical-align:middle;margin-right:8px}
svg{display:block;width:100%;height:auto}svg text{font-size:11px;fill:var(--text3)}
table{border-collapse:collapse;width:100%}
th{background:var(--sunken);color:var(--text3);font-weight:500;font-size:12px}
td,th{padding:3px 12px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
td:first-child,th:first-child{text-align:left;font-weight:500}tr.weak td{color:var(--text3);font-weight:400}
.columns{columns:440px auto;column-gap:16px}.columns table{break-inside:avoid}
code{font:12px/18px "JetBrains Mono",ui-monospace,monospace}
"""


def page(found: Estimate) -> str:
    """The text of the page."""
    name = markup(found.regressor.robot.name)
    parts = [
        "<!DOCTYPE html>",
        f"<html lang='en'><head><meta charset='utf-8'><title>{name}: identification</title>",
        "<meta name='viewport' content='width=device-width'>",
        f"<style>{_STYLE}</style></head><body><header><h1>Identification of {name}</h1>",
        f"<p>{markup(repr(found)[1:-1])}</p>{_facts(found)}</header><main>",
    ]
    if found.remarks:
        parts.append("<h2>Remarks</h2>" + "".join(f"<p>{markup(remark)}</p>" for remark in found.remarks))
    if found.fits:
        parts += ["<h2>Errors</h2>", f"<div class='card'>{_errors(found)}</div>"]
    for number, motion in enumerate(found.motions, 1):
        if not len(motion):
            continue
        predicted = found.predict(motion)
        title = "Torques" if len(found.motions) == 1 else f"Torques of motion {number}"
        parts.append(f"<h2>{title}</h2>{_LEGEND}<div class='cards'>")
        for at, j in enumerate(found.regressor.joints):
            tau, moves = motion.tau[:, at], motion.moving[:, at]
            left = tau - predicted[:, at]
            rms = float(np.sqrt(np.mean(left[moves] ** 2))) if moves.any() else 0.0
            error = found.fits[number - 1].joints[at] if number <= len(found.fits) else 0.0
            head = f"<h3>Joint {j}<span>rms {rms:.3g} N m, {error:.1%} in motion</span></h3>"
            parts.append(f"<div class='card'>{head}{_plot(motion.t, tau, predicted[:, at], left, ~moves)}</div>")
        parts.append("</div>")
    parts += ["<h2>Parameters</h2>", f"<div class='card'>{_parameters(found)}</div>"]
    if found.left_out:
        rows = "; ".join(f"<code>{markup(n)}</code> ({markup(w)})" for n, w in found.left_out.items())
        parts.append(f"<h2>Left out</h2><p>{rows}</p>")
    return "\n".join([*parts, "</main></body></html>", ""])


_LEGEND = (
    "<div class='legend'><span><i style='border-top:5px solid var(--grey)'></i>measured</span>"
    "<span><i style='border-top:2px solid var(--accent)'></i>predicted</span>"
    "<span><i style='border-top:1px solid var(--residual)'></i>residual, on its own scale</span>"
    "<span><i style='border-top:12px solid var(--shade)'></i>at rest, not fitted</span></div>"
)


def _number(value: float, digits: int = 5) -> str:
    return f"{value:.{digits}g}".replace("-", "\u2212")


def _facts(found: Estimate) -> str:
    good = int(np.sum(found.errors <= _WEAK))
    facts = [
        (f"{len(found.names)}", "parameters"),
        (f"{good}", "within 30 %"),
        (f"{sum(len(motion) for motion in found.motions)}", "samples"),
        (_number(found.condition, 4), "condition of W"),
    ]
    if found.fits:
        facts.insert(0, (f"{max(error.moving for error in found.fits):.2%}", "largest error in motion"))
    cells = "".join(f"<div class='fact'><b>{value}</b><span>{what}</span></div>" for value, what in facts)
    return f"<div class='facts'>{cells}</div>"


def _errors(found: Estimate) -> str:
    joints = "".join(f"<th>joint {j}</th>" for j in found.regressor.joints)
    rows = [f"<tr><th>motion</th><th>in motion</th><th>all samples</th>{joints}</tr>"]
    for number, error in enumerate(found.fits, 1):
        cells = "".join(f"<td>{value:.2%}</td>" for value in (error.moving, error.all, *error.joints))
        rows.append(f"<tr><td>{number}</td>{cells}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _parameters(found: Estimate) -> str:
    """Values and deviations in columns, with bars of relative deviations."""
    head = "<tr><th>name</th><th>value</th><th>deviation</th><th>0.1 to 1000 %</th><th>%</th></tr>"
    rows = []
    for name, value, deviation, error in zip(found.names, found.values, found.deviations, found.errors, strict=True):
        shown = f"{error:.1f}" if error < 100 else f"{error:.0f}" if error <= _TOP else "> 1000"
        weak = not error <= _WEAK
        rows.append(
            f"<tr{' class=weak' if weak else ''}><td>{markup(name)}</td><td>{_number(value)}</td>"
            f"<td>{_number(deviation, 3)}</td><td>{_bar(error, weak)}</td><td>{shown}</td></tr>"
        )
    some = max(1, -(-len(rows) // 3))
    tables = (f"<table>{head}{''.join(rows[at : at + some])}</table>" for at in range(0, len(rows), some))
    return f"<div class='columns'>{''.join(tables)}</div>"


def _bar(error: float, weak: bool) -> str:
    width = 80 * float(np.clip(np.log10(max(error, _LOW) / _LOW) / np.log10(_TOP / _LOW), 0.02, 1))
    mark = 80 * np.log10(_WEAK / _LOW) / np.log10(_TOP / _LOW)
    fill = "fill='none' stroke='var(--text3)'" if weak else "fill='var(--accent)'"
    return (
        "<svg viewBox='0 0 82 10' style='width:82px;display:inline-block'>"
        f"<rect x='.5' y='1.5' width='{width:.1f}' height='7' rx='2' {fill}/>"
        f"<line x1='{mark:.1f}' x2='{mark:.1f}' y1='0' y2='10' stroke='var(--grey)'/></svg>"
    )


def _plot(t: Array, tau: Array, predicted: Array, left: Array, still: NDArray[np.bool_]) -> str:
    """One joint: torques over time, and below the residual."""
    start, end = range_of(t)
    low, high = range_of([*tau, *predicted])
    reach = max(map(abs, range_of([0.0, *left])))
    ticks = _ticks(low, high)
    top, middle = 8, _HIGH + 16 + _BELOW / 2
    height = _HIGH + _BELOW + 40

    def x(time: float) -> float:
        return _LEFT + (_WIDE - _LEFT) * share(time, start, end)

    def y(value: float) -> float:
        return top + (_HIGH - top) * share(value, high, low)

    drawn = [
        f"<rect x='{x(a):.1f}' y='{top}' width='{max(x(b) - x(a), 0.5):.1f}' height='{_HIGH - top}' "
        "fill='var(--shade)'/>"
        for a, b in _stretches(t, still)
    ]
    for tick in ticks:
        drawn.append(f"<line x1='{_LEFT}' x2='{_WIDE}' y1='{y(tick):.1f}' y2='{y(tick):.1f}' stroke='var(--line)'/>")
        drawn.append(f"<text x='{_LEFT - 6}' y='{y(tick) + 4:.1f}' text-anchor='end'>{_number(tick, 4)}</text>")
    for time in _ticks(start, end, 5):
        drawn.append(f"<text x='{x(time):.1f}' y='{height - 4}' text-anchor='middle'>{_number(time, 4)}</text>")
    drawn.append(f"<text x='{_LEFT - 6}' y='{height - 4}' text-anchor='end'>s</text>")
    drawn.append(f"<text x='{_LEFT - 6}' y='{middle + 4}' text-anchor='end'>\u00b1{_number(reach, 2)}</text>")
    for values, colour, width in ((tau, "--grey", 3.5), (predicted, "--accent", 1.3)):
        drawn.append(_line([(x(a), y(b)) for a, b in envelope(t, values)], colour, width))
    residual = [(x(a), middle - _BELOW / 2 * b / reach) for a, b in envelope(t, left)]
    drawn.append(_line(residual, "--residual", 0.8))
    return f"<svg viewBox='0 0 {_WIDE} {height}' role='img'>{''.join(drawn)}</svg>"


def _line(points: Sequence[tuple[float, float]], colour: str, width: float) -> str:
    style = f"fill='none' stroke='var({colour})' stroke-width='{width}' stroke-linejoin='round'"
    return "".join(polylines(points, style))


def _stretches(t: Array, holds: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Where it holds, from time to time."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    last = len(t) - 1
    return [(float(t[a]), float(t[min(b, last)])) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Round numbers between two ends."""
    rough = (high - low) / count
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(next(power * k for k in (1, 2, 5, 10) if power * k >= rough))
    return [float(k * step) for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
