"""Lines over time as SVG, in pages that need nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from robosym.safe_text import markup

__all__ = ["COLOURS", "Line", "chart", "page"]

_WIDTH, _HEIGHT, _POINTS = 900, 180, 1500
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
    "svg{display:block;margin:.2em 0 1em;background:#fafafa}polyline{fill:none;stroke-width:1.2}"
)
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")


class Line(NamedTuple):
    """What is drawn over time: an array of one number a time."""

    name: str
    values: Any
    colour: str = ""


def chart(t: Any, lines: Sequence[Line]) -> str:
    """The lines in one picture, on one scale, with their names below."""
    every = max(1, len(t) // _POINTS)
    drawn = [line._replace(colour=line.colour or COLOURS[k % len(COLOURS)]) for k, line in enumerate(lines)]
    low, high = (float(end(end(line.values) for line in lines)) for end in (min, max))
    span = (high - low) or 1.0
    length = float(t[-1] - t[0]) or 1.0
    parts = []
    for line in drawn:
        points = " ".join(
            f"{_WIDTH * (a - t[0]) / length:.1f},{_HEIGHT * (high - b) / span:.1f}"
            for a, b in zip(t[::every], line.values[::every], strict=True)
        )
        parts.append(f"<polyline stroke='{line.colour}' points='{points}'/>")
    parts += [
        f"<text x='4' y='12' font-size='11'>{high:.4g}</text>",
        f"<text x='4' y='{_HEIGHT - 3}' font-size='11'>{low:.4g}</text>",
        f"<text x='{_WIDTH - 4}' y='{_HEIGHT - 3}' font-size='11' text-anchor='end'>{float(t[-1]):.4g} s</text>",
    ]
    legend = ", ".join(f"<span style='color:{line.colour}'>{markup(line.name)}</span>" for line in drawn)
    return f"<svg width='{_WIDTH}' height='{_HEIGHT}'>{''.join(parts)}</svg><p>{legend}</p>"


def page(title: str, parts: Iterable[str]) -> str:
    """A page of HTML."""
    head = f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{markup(title)}</title>"
    return "\n".join(
        [f"{head}<style>{_STYLE}</style></head><body>", f"<h1>{markup(title)}</h1>", *parts, "</body></html>", ""]
    )
