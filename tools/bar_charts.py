"""Draw the bar charts of the comparison page from `benchmarks/figures.json`; `tools/figures.py` writes them.

Bars have a logarithmic scale; an end of a bar that is beyond 1 says that the other program takes longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

Figures = dict[tuple[str, str], float]

_LEFT, _RIGHT, _ROW, _TOP = 270, 70, 30, 58
_WIDTH = 760
_INK, _SOFT, _GRID, _OURS, _THEIRS = "#161b25", "#5d6778", "#dfe3ea", "#4653d8", "#9aa4b5"


@dataclass(frozen=True)
class Chart:
    """A chart: its title, the quantity of its axis, and its bars as label, benchmark and key."""

    title: str
    axis: str
    bars: tuple[tuple[str, str, str], ...]
    ratio: bool = True  #: whether values are ratios to robosym, which gets a bar of length 1


CHARTS = {
    "comparison_dynamics": Chart(
        "Inverse dynamics of the RX90, 2,000 states, one core", "time over that of robosym",
        (("robosym's C, gcc -O3", "peers", "our own C by gcc -O3"),
         ("CasADi's C, gcc -O3", "peers", "CasADi's C by gcc -O3"),
         ("Pinocchio, C++", "batch_inverse_dynamics", "numbers"),
         ("MuJoCo, from Python", "peers", "MuJoCo's mj_inverse from Python"),
         ("JAX on the CPU", "peers", "JAX on the CPU")),
    ),
    "comparison_inverse_kinematics": Chart(
        "Inverse kinematics of the UR5e, one pose from Python", "time over that of robosym",
        (("EAIK, all solutions", "inverse_geometry_peers", "ur5e EAIK"),
         ("ssik, all solutions", "inverse_geometry_peers", "ur5e ssik"),
         ("roboticstoolbox, one solution", "inverse_geometry_peers", "ur5e roboticstoolbox")),
    ),
    "comparison_base_parameters": Chart(
        "Base parameters from a URDF, one core", "time over that of robosym",
        (("figaroh, UR5e", "base_parameters_peers", "ur5e"),
         ("figaroh, Puma 560", "base_parameters_peers", "puma560"),
         ("figaroh, Panda", "base_parameters_peers", "panda")),
    ),
    "comparison_identification": Chart(
        "Largest error of an identified parameter, noisy positions", "in standard deviations that the method reports",
        (("least squares", "identify", "least squares, largest error, std. dev."),
         ("DIDIM", "identify", "DIDIM, closed loop simulated"),
         ("instrumental variables", "identify", "instruments, closed loop simulated")),
        ratio=False,
    ),
    "comparison_operations": Chart(
        "Inverse dynamics of the RX90, numbers in the model", "operations per evaluation",
        (("SymPy and cse", "sympy_cse", "cse"), ("robosym", "sympy_cse", "robosym"),
         ("robosym, level max", "sympy_cse", "robosym max")),
        ratio=False,
    ),
}  # fmt: skip


def _text(x: float, y: float, words: str, anchor: str = "start", size: int = 14, ink: str = _INK) -> str:
    weight = ' font-weight="600"' if size == 16 else ""
    look = f'font-size="{size}" text-anchor="{anchor}" fill="{ink}"{weight}'
    return f'<text x="{x:g}" y="{y:g}" {look}>{escape(words)}</text>'


def drawn(chart: Chart, known: Figures) -> str:
    """Return a chart as SVG."""
    bars = [(label, known[script, key]) for label, script, key in chart.bars]
    if chart.ratio:
        bars.insert(0, ("robosym", 1.0))
    values = [value for _, value in bars]
    low = math.floor(math.log10(min(values)) - 1e-9) if chart.ratio else 0.0
    high = math.log10(max(values)) if chart.ratio else max(values)
    span = (_WIDTH - _LEFT - _RIGHT) / ((high - low) or 1.0)
    height = _TOP + _ROW * len(bars) + 44

    def at(value: float) -> float:
        return _LEFT + span * ((math.log10(value) if chart.ratio else value) - low)

    only_ours = not any(label.startswith("robosym") for label, _ in bars)
    ticks = [10.0**k for k in range(int(low), math.floor(high) + 1)] if chart.ratio else _round_ticks(max(values))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="Inter, sans-serif" '
        f'role="img" aria-label="{escape(chart.title)}: {escape(chart.axis)}">',
        _text(16, 28, chart.title, size=16),
    ]
    for tick in ticks:
        x, bottom = at(tick), height - 40
        out.append(f'<line x1="{x:g}" y1="{_TOP - 10}" x2="{x:g}" y2="{bottom}" stroke="{_GRID}"/>')
        out.append(_text(x, bottom + 16, f"{tick:g}", "middle", 12, _SOFT))
    for row, (label, value) in enumerate(bars):
        y = _TOP + _ROW * row
        ink = _OURS if label.startswith("robosym") or only_ours else _THEIRS
        width = max(2.0, at(value) - _LEFT)
        out.append(_text(_LEFT - 10, y + 14, label, "end"))
        out.append(f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="18" rx="3" fill="{ink}"/>')
        shown = f"{value:.2g}" if value < 99.5 or not chart.ratio else f"{float(f'{value:.2g}'):.0f}"
        out.append(_text(_LEFT + width + 8, y + 14, shown if chart.ratio else _short(value), size=13))
    out.append(_text(_WIDTH - _RIGHT, height - 8, chart.axis, "end", 12, _SOFT))
    return "\n".join([*out, "</svg>"]) + "\n"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _round_ticks(largest: float) -> list[float]:
    """Return ticks from 0 at multiples of 1, 2 or 5 times a power of ten."""
    unit = 10 ** math.floor(math.log10(largest))
    step = next(unit * f for f in (0.2, 0.5, 1, 2) if largest / (unit * f) <= 6)
    return [step * k for k in range(int(largest / step) + 1)]


def charts(known: Figures) -> dict[str, str]:
    """Return all charts whose figures have been measured, by file name."""
    return {
        f"{name}.svg": drawn(chart, known)
        for name, chart in CHARTS.items()
        if all((script, key) in known for _, script, key in chart.bars)
    }
