"""The results of a fit to a log: measured and predicted torques of each joint, and the parameters."""

from __future__ import annotations

from functools import partial
from math import log10
from typing import Any

from nicegui.element import Element

from robosym.app.page.components import LinePlot
from robosym.app.page.widgets import block, emptied, on_enter, segments, table, text
from robosym.app.session.logs import FitResults
from robosym.errors import counted
from robosym.experiment.report import FoundParameter

__all__ = ["FitPane"]

_LEAST, _MOST = 0.1, 1000.0  #: ends of the bars, percent
_MARK = 30.0
_TINIEST = 5e-5  #: smallest value that four decimals show
_LEGEND = {
    "measured": "4px solid var(--zero)", "predicted": "2px solid var(--accent)", "residual": "1.5px solid var(--c6)",
}  # fmt: skip
_HEADS = (
    ("Name", "", "width:22%"), ("Value", "num", "width:22%"), ("\u03c3", "num hide-l", "width:18%"),
    ("Deviation, log", "", "width:24%"), ("%", "num", "width:14%"),
)  # fmt: skip


class FitPane:
    """Plots in the middle, parameters on the right."""

    def __init__(self, middle: Element, right: Element) -> None:
        self.middle, self.right = middle, right
        self.found: FitResults | None = None
        self.histogram = self.only_weak = False
        self.chosen = ""

    def show(self, found: FitResults | None) -> None:
        """Show the results of a fit, or an empty pane."""
        self.found = found
        self.middle.clear()
        self.right.clear()
        self.right.set_visibility(found is not None)
        if found is not None:
            self._draw_plots(found)
            self._draw_parameters(found)

    def _draw_plots(self, found: FitResults) -> None:
        with emptied(self.middle):
            with block("lgd"):
                text("Torques", "hide-l", "h2")
                for label, line in _LEGEND.items():
                    with block("sm sec nw", "span"):
                        block(tag="i", style=f"border-top:{line}")
                        text(label)
                block("grow")
                segments({"time": "Over time", "bars": "Histogram"}, "bars" if self.histogram else "time", self._turn)
            with block("plots"):
                for joint in found.joints:
                    with block("card plot"):
                        self._draw_plot(joint)

    def _draw_plot(self, joint: dict[str, Any]) -> None:
        with block("row", style="height:22px;flex:none;margin-bottom:4px"):
            text(f"Joint {joint['joint']}", "b")
            block("grow")
            text("rms", "mut sm")
            text(f"{joint['rms']:.3g} N m".replace("-", "\u2212"), "sm m nw")
            text("rel.", "mut sm", style="margin-left:6px")
            text(f"{joint['relative'] * 100:.1f} %", "sm m nw")
        if self.histogram:
            LinePlot().show({"kind": "histogram", **joint})
        else:
            LinePlot().show({"kind": "fit", **joint})

    def _turn(self, which: str) -> None:
        self.histogram = which == "bars"
        if self.found is not None:
            self._draw_plots(self.found)

    def _draw_parameters(self, found: FitResults) -> None:
        self.right.clear()
        weaker, count = sum(one.weak for one in found.parameters), len(found.parameters)
        with self.right:
            with block("hd"):
                text(counted(count, "parameter"), "b nw")
                text(f"{count - weaker} within 30 %", "chip hide-l")
                block("grow")
                segments({"": "All", "weak": f"Weak {weaker}"}, "weak" if self.only_weak else "", self._choose_weak)
            with block("tb"), table(_HEADS):
                self._rows = {one.name: self._row(one) for one in found.parameters if one.weak or not self.only_weak}
            self._grouped = block("gr")
        grouped = (one.name for one in found.parameters if one.is_grouped)
        self._choose(self.chosen or next(grouped, ""))

    def _choose_weak(self, which: str) -> None:
        self.only_weak = which == "weak"
        if self.found is not None:
            self._draw_parameters(self.found)

    def _row(self, one: FoundParameter) -> Element:
        row = block("wk" if one.weak else "", "tr", tabindex=0)
        with on_enter(row, partial(self._choose, one.name)):
            text(one.name, "", "td")
            text(_fixed(one.value), "num", "td")
            text(_fixed(one.deviation), "num mut hide-l", "td")
            with block("", "td"), block(f"dv{' w' if one.weak else ''}"):
                block(tag="i", style=f"width:{100 * _place(one.error):.1f}%")
                block(tag="s", style=f"left:{100 * _place(_MARK):.1f}%")
            shown = f"{one.error:.1f}" if one.error < 100 else f"{one.error:.0f}" if one.error <= _MOST else "> 1000"
            text(shown, "num", "td")
        return row

    def _choose(self, name: str) -> None:
        assert self.found is not None
        for known, row in self._rows.items():
            row.classes(**({"add": "sel"} if known == name else {"remove": "sel"}))
        self.chosen = name
        one = next((one for one in self.found.parameters if one.name == name), None)
        with emptied(self._grouped):
            if one is None:
                for remark in [*self.found.remarks, *self.found.robot_remarks][:2]:
                    text(remark, "mut sm", "div")
                return
            with block("row"):
                text(one.name, "b")
                text("is grouped from" if one.is_grouped else "is not grouped", "mut sm")
            if one.is_grouped:
                text(one.grouped, "mono", "div")


def _place(error: float) -> float:
    """Return the position of a percentage on a logarithmic bar."""
    return min(max(log10(max(error, _LEAST) / _LEAST) / log10(_MOST / _LEAST), 0.02), 1.0)


def _fixed(value: float) -> str:
    size = abs(value)
    shown = f"{value:.4f}" if _TINIEST <= size < 1e3 or value == 0 else f"{value:.1e}"
    return shown.replace("-", "\u2212")
