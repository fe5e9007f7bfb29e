"""The page's own parts in the browser: equations, code, values. They are filled when they say that they are ready."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from nicegui.element import Element
from nicegui.elements.echart import EChart
from nicegui.events import GenericEventArguments

from robosym.app.session.equations import SetSection
from robosym.app.session.shown import ShownGroup

__all__ = ["CodeText", "EquationList", "LinePlot", "ValueTable"]


class _Filled(Element):
    """Is filled as soon as the browser has drawn it: large data are no properties, which every change would send."""

    def _fill(self, *arguments: Any) -> None:
        self.client.run_javascript(f"robosym.fill({self.id}, {json.dumps(arguments, allow_nan=False, default=str)})")


class EquationList(_Filled, component="assets/equations.js"):
    """Equations by section, with an outline."""

    def show(self, sections: Sequence[SetSection]) -> None:
        self._fill(
            [
                {
                    "title": section.title, "part": section.part, "matrix": section.matrix, "names": section.names,
                    "said": section.said,
                    "equations": [(e.name, e.text, e.left, e.right, e.short) for e in section.equations],
                }
                for section in sections
            ]
        )  # fmt: skip


class CodeText(_Filled, component="assets/code.js"):
    """A text with numbered lines, highlighted."""

    def show(self, text: str, language: str) -> None:
        self._fill(text, language)


class ValueTable(_Filled, component="assets/values.js"):
    """Fields of inputs, numbers of outputs."""

    def __init__(
        self, on_values: Callable[[dict[str, float], str], Any], on_over: Callable[[str, dict[str, float]], Any]
    ) -> None:
        super().__init__()

        def typed(event: GenericEventArguments) -> Any:
            return on_values(event.args["values"], event.args["over"])

        def over(event: GenericEventArguments) -> Any:
            return on_over(event.args["name"], event.args["values"])

        self.on("values", typed)
        self.on("over", over)

    def show(self, inputs: Sequence[ShownGroup], outputs: Sequence[ShownGroup], values: dict[str, float]) -> None:
        self._fill([asdict(group) for group in inputs], [asdict(group) for group in outputs], values)

    def answer(self, results: dict[str, float]) -> None:
        self.run_method("answer", results)

    def set(self, values: dict[str, float]) -> None:
        self.run_method("set", values)


class LinePlot(_Filled, component="assets/plot.js"):
    """Lines on ECharts, in the colours of the page."""

    library = EChart.component  #: it brings ECharts along

    def show(self, what: dict[str, Any]) -> None:
        self._fill(what)
