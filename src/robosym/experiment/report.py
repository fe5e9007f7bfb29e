"""HTML report of an estimate, in one file without dependencies.

Measured torques are a wide gray line, predicted torques a thin line on top, and residuals are below on their own
scale, so that a good fit is still visible. Bars show the relative standard deviations of parameters on a logarithmic
scale, hollow above 30 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.drawing.charts import envelope, polylines, range_of, share
from robosym.errors import Error
from robosym.parameters import base_parameters
from robosym.parameters.linear_forms import row_text
from robosym.safe_text import markup

if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate

__all__ = ["WEAK", "FoundParameter", "JointFit", "found_parameters", "histogram", "intervals", "joint_fits", "page"]


_LEFT, _WIDE, _HIGH, _BELOW = 44, 440, 130, 40  #: margin, width and heights of a plot and of its residual, in pixels
WEAK = 30.0  #: relative std. dev. in percent above which a parameter is shown as weak
_ANY = 1e9  #: any larger error in percent is as large
_LOW, _TOP = 0.1, 1000.0  #: ends of the bars, in percent
STYLE = """
:root{--bg:#F5F6F8;--surface:#FFF;--sunken:#FAFBFC;--line:#E5E8ED;--text:#161B25;--text2:#465063;--text3:#636E81;
--accent:#4653D8;--soft:#DDE1FC;--gray:#A9B1BE;--residual:#D55E00;--shade:#8A94A41F}
@media(prefers-color-scheme:dark){:root{--bg:#0E1117;--surface:#151922;--sunken:#191E28;--line:#262D39;--text:#E9ECF2;
--text2:#B6BECC;--text3:#8D97A9;--accent:#95A0FF;--soft:#2A3163;--gray:#667185;--residual:#FF9A57;--shade:#8D97A91F}}
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


@dataclass(frozen=True)
class JointFit:
    """Torques of one joint along a motion, in N m or N: arrays (samples,)."""

    joint: int
    measured: Array
    predicted: Array
    moving: NDArray[np.bool_]
    relative: float  #: norm of the residual relative to the torques, in motion

    @property
    def residual(self) -> Array:
        """Difference between measured and predicted torques."""
        return self.measured - self.predicted

    @property
    def rms(self) -> float:
        """Root mean square of the residual in motion."""
        return float(np.sqrt(np.mean(self.residual[self.moving] ** 2))) if self.moving.any() else 0.0

    def curves(self, t: Array, points: int, bins: int) -> dict[str, Any]:
        """Return the torques and the residual over time `t` (samples,), thinned for a plot, as plain data.

        `still` lists the intervals at rest; `bars` and `normal` describe the histogram of the residual in motion.
        """
        left = self.residual
        centers, *heights = histogram(left[self.moving] if self.moving.any() else left, bins)
        bars, normal = (np.column_stack([centers, height]).tolist() for height in heights)
        lines = {"measured": self.measured, "predicted": self.predicted, "residual": left}
        return {name: _rounded(envelope(t, values, points)) for name, values in lines.items()} | {
            "joint": self.joint, "rms": self.rms, "relative": self.relative, "bars": bars, "normal": normal,
            "reach": float(np.abs(left).max()) or 1.0, "still": intervals(t, ~self.moving),
        }  # fmt: skip


def _rounded(line: Iterable[Sequence[float]]) -> list[list[float]]:
    return [[round(a, 6), float(f"{b:.6g}")] for a, b in line]


def joint_fits(found: Estimate, number: int = 0) -> Iterator[JointFit]:
    """Yield the measured and the predicted torques of each joint along a motion, counted from 0."""
    motion = found.motions[number]
    predicted = found.predict(motion)
    relative = found.fits[number].joints if number < len(found.fits) else [0.0] * predicted.shape[1]
    for at, joint in enumerate(found.regressor.joints, found.regressor.on_base):
        yield JointFit(int(joint), motion.tau[:, at], predicted[:, at], motion.moving[:, at], float(relative[at]))


@dataclass(frozen=True)
class FoundParameter:
    """An identified value; `error` is its relative standard deviation in percent."""

    name: str
    value: float
    deviation: float
    error: float
    weak: bool
    grouped: str = ""  #: the standard parameters that it groups

    @property
    def is_grouped(self) -> bool:
        """Whether the value groups several standard parameters."""
        return self.grouped not in ("", self.name)


def found_parameters(found: Estimate) -> list[FoundParameter]:
    """Return the identified parameters with their grouping in symbols instead of the numbers of the robot."""
    try:
        base = base_parameters(found.regressor.robot.symbolic())
        grouping = {name: row_text(row) for name, row in base.coefficients.items()}
    except (Error, AttributeError):
        grouping = {}
    rows = zip(found.names, found.values, found.deviations, found.errors, strict=True)
    return [
        FoundParameter(name, float(value), float(deviation), float(min(error, _ANY)), not error <= WEAK,
                       grouping.get(name, ""))
        for name, value, deviation, error in rows
    ]  # fmt: skip


def page(found: Estimate) -> str:
    """Return the HTML text of the report."""
    name = markup(found.regressor.robot.name)
    parts = [
        "<!DOCTYPE html>",
        f"<html lang='en'><head><meta charset='utf-8'><title>{name}: identification</title>",
        "<meta name='viewport' content='width=device-width'>",
        f"<style>{STYLE}</style></head><body><header><h1>Identification of {name}</h1>",
        f"<p>{markup(repr(found)[1:-1])}</p>{_facts(found)}</header><main>",
    ]
    if found.remarks:
        parts.append("<h2>Remarks</h2>" + "".join(f"<p>{markup(remark)}</p>" for remark in found.remarks))
    if found.fits:
        parts += ["<h2>Errors</h2>", f"<div class='card'>{_errors(found)}</div>"]
    for number, motion in enumerate(found.motions, 1):
        if not len(motion):
            continue
        title = "Torques" if len(found.motions) == 1 else f"Torques of motion {number}"
        parts.append(f"<h2>{title}</h2>{_LEGEND}<div class='cards'>")
        for one in joint_fits(found, number - 1):
            head = f"<h3>Joint {one.joint}<span>rms {one.rms:.3g} N m, {one.relative:.1%} in motion</span></h3>"
            plot = _plot(motion.t, one.measured, one.predicted, one.residual, ~one.moving)
            parts.append(f"<div class='card'>{head}{plot}</div>")
        parts.append("</div>")
    parts += ["<h2>Parameters</h2>", f"<div class='card'>{_parameters(found)}</div>"]
    if found.left_out:
        rows = "; ".join(f"<code>{markup(n)}</code> ({markup(w)})" for n, w in found.left_out.items())
        parts.append(f"<h2>Left out</h2><p>{rows}</p>")
    return "\n".join([*parts, "</main></body></html>", ""])


_LEGEND = (
    "<div class='legend'><span><i style='border-top:5px solid var(--gray)'></i>measured</span>"
    "<span><i style='border-top:2px solid var(--accent)'></i>predicted</span>"
    "<span><i style='border-top:1px solid var(--residual)'></i>residual, on its own scale</span>"
    "<span><i style='border-top:12px solid var(--shade)'></i>stationary, not fitted</span></div>"
)


def number_text(value: float, digits: int = 5) -> str:
    """Return a number with a typographic minus sign."""
    return f"{value:.{digits}g}".replace("-", "\u2212")


def _facts(found: Estimate) -> str:
    good = int(np.sum(found.errors <= WEAK))
    facts = [
        (f"{len(found.names)}", "parameters"),
        (f"{good}", "with std. dev. below 30 %"),
        (f"{sum(len(motion) for motion in found.motions)}", "samples"),
        (number_text(found.condition, 4), "condition of W"),
    ]
    if found.fits:
        facts.insert(0, (f"{max(error.moving for error in found.fits):.2%}", "largest error in motion"))
    cells = "".join(f"<div class='fact'><b>{value}</b><span>{what}</span></div>" for value, what in facts)
    return f"<div class='facts'>{cells}</div>"


def _errors(found: Estimate) -> str:
    joints = "".join(f"<th>{row}</th>" for row in found.regressor.rows[: found.regressor.on_base])
    joints += "".join(f"<th>joint {j}</th>" for j in found.regressor.joints)
    rows = [f"<tr><th>motion</th><th>in motion</th><th>all samples</th>{joints}</tr>"]
    for number, error in enumerate(found.fits, 1):
        cells = "".join(f"<td>{value:.2%}</td>" for value in (error.moving, error.all, *error.joints))
        rows.append(f"<tr><td>{number}</td>{cells}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _parameters(found: Estimate) -> str:
    """Return the table of values and standard deviations, with bars."""
    head = "<tr><th>name</th><th>value</th><th>std. dev.</th><th>0.1 to 1000 %</th><th>%</th></tr>"
    rows = []
    for name, value, deviation, error in zip(found.names, found.values, found.deviations, found.errors, strict=True):
        shown = f"{error:.1f}" if error < 100 else f"{error:.0f}" if error <= _TOP else "> 1000"
        weak = not error <= WEAK
        rows.append(
            f"<tr{' class=weak' if weak else ''}><td>{markup(name)}</td><td>{number_text(value)}</td>"
            f"<td>{number_text(deviation, 3)}</td><td>{_bar(error, weak)}</td><td>{shown}</td></tr>"
        )
    some = max(1, -(-len(rows) // 3))
    tables = (f"<table>{head}{''.join(rows[at : at + some])}</table>" for at in range(0, len(rows), some))
    return f"<div class='columns'>{''.join(tables)}</div>"


def _bar(error: float, weak: bool) -> str:
    width = 80 * float(np.clip(np.log10(max(error, _LOW) / _LOW) / np.log10(_TOP / _LOW), 0.02, 1))
    mark = 80 * np.log10(WEAK / _LOW) / np.log10(_TOP / _LOW)
    fill = "fill='none' stroke='var(--text3)'" if weak else "fill='var(--accent)'"
    return (
        "<svg viewBox='0 0 82 10' style='width:82px;display:inline-block'>"
        f"<rect x='.5' y='1.5' width='{width:.1f}' height='7' rx='2' {fill}/>"
        f"<line x1='{mark:.1f}' x2='{mark:.1f}' y1='0' y2='10' stroke='var(--gray)'/></svg>"
    )


def _plot(t: Array, tau: Array, predicted: Array, left: Array, still: NDArray[np.bool_]) -> str:
    """Return the plot of one joint: torques over time, and the residual below."""
    start, end = range_of(t)
    low, high = range_of([*tau, *predicted])
    reach = max(map(abs, range_of([0.0, *left])))
    marks = ticks(low, high)
    top, middle = 8, _HIGH + 16 + _BELOW / 2
    height = _HIGH + _BELOW + 40

    def x(time: float) -> float:
        return _LEFT + (_WIDE - _LEFT) * share(time, start, end)

    def y(value: float) -> float:
        return top + (_HIGH - top) * share(value, high, low)

    drawn = [
        f"<rect x='{x(a):.1f}' y='{top}' width='{max(x(b) - x(a), 0.5):.1f}' height='{_HIGH - top}' "
        "fill='var(--shade)'/>"
        for a, b in intervals(t, still)
    ]
    for tick in marks:
        drawn.append(f"<line x1='{_LEFT}' x2='{_WIDE}' y1='{y(tick):.1f}' y2='{y(tick):.1f}' stroke='var(--line)'/>")
        drawn.append(f"<text x='{_LEFT - 6}' y='{y(tick) + 4:.1f}' text-anchor='end'>{number_text(tick, 4)}</text>")
    for time in ticks(start, end, 5):
        drawn.append(f"<text x='{x(time):.1f}' y='{height - 4}' text-anchor='middle'>{number_text(time, 4)}</text>")
    drawn.append(f"<text x='{_LEFT - 6}' y='{height - 4}' text-anchor='end'>s</text>")
    drawn.append(f"<text x='{_LEFT - 6}' y='{middle + 4}' text-anchor='end'>\u00b1{number_text(reach, 2)}</text>")
    for values, color, width in ((tau, "--gray", 3.5), (predicted, "--accent", 1.3)):
        drawn.append(_line([(x(a), y(b)) for a, b in envelope(t, values)], color, width))
    residual = [(x(a), middle - _BELOW / 2 * b / reach) for a, b in envelope(t, left)]
    drawn.append(_line(residual, "--residual", 0.8))
    return f"<svg viewBox='0 0 {_WIDE} {height}' role='img'>{''.join(drawn)}</svg>"


def _line(points: Sequence[tuple[float, float]], color: str, width: float) -> str:
    style = f"fill='none' stroke='var({color})' stroke-width='{width}' stroke-linejoin='round'"
    return "".join(polylines(points, style))


def intervals(t: Array, holds: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return the intervals of time in which `holds` is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    last = len(t) - 1
    return [(float(t[a]), float(t[min(b, last)])) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def histogram(values: Array, bins: int) -> tuple[Array, NDArray[np.int64], Array]:
    """Return the centers and counts of the bins, and the counts of a normal distribution of the same spread."""
    counts, edges = np.histogram(values, bins=bins)
    centers = (edges[:-1] + edges[1:]) / 2
    deviation, step = float(np.std(values)) or 1.0, float(edges[1] - edges[0])
    bell = np.exp(-(((centers - np.mean(values)) / deviation) ** 2) / 2)
    return centers, counts, len(values) * step / (deviation * np.sqrt(2 * np.pi)) * bell


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Return round numbers between two ends."""
    rough = (high - low) / count
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(next(power * k for k in (1, 2, 5, 10) if power * k >= rough))
    return [float(k * step) for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
