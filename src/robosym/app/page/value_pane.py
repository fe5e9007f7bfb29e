"""Evaluation of a model: fields for the inputs, values of the outputs, and a plot over one input."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from robosym.app.page.components import LinePlot, ValueTable
from robosym.app.page.widgets import block, button, field, read_number, select, text
from robosym.app.session.shown import CommandResult

if TYPE_CHECKING:
    from robosym.app.page.model_view import ModelView

__all__ = ["ValuePane"]

_POINTS = 201  #: number of points of a plot
_START = {"q": 0.0, "qd": 0.0, "qdd": 0.0, "tau": 0.0, "wrench": 0.0, "gravity": 9.81}  #: any other input is 1


class ValuePane:
    """The values of the model of a view."""

    def __init__(self, view: ModelView) -> None:
        self.view = view
        self.numbers: dict[str, float] = {}  #: values of the inputs, as typed
        self._over = ""  #: the input of the plot
        self._range = [0.0, 0.0]
        self._plotted: list[str] = []

    def draw(self, shown: CommandResult) -> None:
        """Draw the table in the current element."""
        do = self.view.do
        self._table = ValueTable(lambda *given: do(self._evaluate(*given)), lambda *given: do(self._plot_over(*given)))
        self._box = block("")
        self._over = ""
        start = {name: _START.get(group.name, 1.0) for group in shown.inputs for name in group.names}
        self._table.show(shown.inputs, shown.outputs, {**start, **self.numbers})

    def zero(self) -> None:
        """Set all inputs to zero."""
        self._table.set(dict.fromkeys(self._names("inputs"), 0.0))

    def random(self) -> None:
        """Set all inputs to random numbers."""
        draw = Random()
        self._table.set({name: round(draw.uniform(-1, 1), 3) for name in self._names("inputs")})

    def watch(self) -> None:
        """Show the values of this model beside the picture of the robot."""
        request, shown = self.view.request, self.view.shown
        if request is not None and shown is not None and shown.kept is not None:
            self.view.results.watched[request.command] = shown.kept
            self.view.shell.notify(f"{shown.title}: in Values beside the picture of the robot")

    def _names(self, side: str) -> list[str]:
        return [name for group in getattr(self.view.shown, side) for name in group.names]

    async def _evaluate(self, values: dict[str, float], over: str) -> None:
        self.numbers.update(values)
        found = await self._values(values)
        if found is not None and self.view.tab == "values":
            self._table.answer({name: column[0] for name, column in found.items()})
            if over:
                await self._plot()

    async def _values(self, *asked: object) -> dict[str, list[float]] | None:
        """Return every output at the given inputs, or over a range of one input."""
        request, shown, view = self.view.request, self.view.shown, self.view
        assert request is not None and shown is not None
        found: dict[str, list[float]] | None
        found = await view.value_of(view.results.quick("Values", "evaluated", request, shown.kept, *asked))
        return found

    async def _plot_over(self, name: str, values: dict[str, float]) -> None:
        self._over = name
        self.numbers.update(values)
        self._box.clear()
        if not name:
            return
        outputs, do = self._names("outputs"), self.view.do
        self._range = [-3.1416, 3.1416] if name.startswith(("t", "q")) else [-1.0, 1.0]
        self._plotted = outputs[:6] if len(outputs) <= 12 else outputs[:1]
        every = {"": "All outputs" if len(outputs) <= 6 else "First six"} if len(outputs) <= 12 else {}
        with self._box, block("vplot"):
            with block("row", style="height:28px;flex:none"):
                choices = {**every, **{output: output for output in outputs}}
                chosen = next(iter(choices))
                made = select("Output", choices, chosen, lambda one: do(self._choose(one, outputs)))
                made.style("width:150px;height:26px")
                text(f"over {name} from", "sec sm nw")
                for at in (0, 1):
                    if at:
                        text("to", "sec sm")
                    label, ends = ("To" if at else "From"), partial(self._set_end, at)
                    field(label, f"{self._range[at]:g}", ends, "", "field rng", "change", inputmode="decimal")
                block("grow")
                close = lambda: do(self._plot_over("", {}))  # noqa: E731
                button(sign="cross", kind="ghost s ico", title="Close the plot", on_click=close)
            self._line_plot = LinePlot()
        await self._plot()

    async def _choose(self, name: str, outputs: list[str]) -> None:
        self._plotted = [name] if name else outputs[:6]
        await self._plot()

    async def _set_end(self, at: int, typed: str) -> None:
        value = read_number(typed)
        if value is None:
            self.view.shell.notify(f"expected a number, found {typed[:40]!r}", "error")
            return
        self._range[at] = value
        await self._plot()

    async def _plot(self) -> None:
        over, (low, high) = self._over, self._range
        points = [low + (high - low) * k / (_POINTS - 1) for k in range(_POINTS)]
        found = await self._values(dict(self.numbers), over, points)
        if found is None or not self._over:
            return
        series = [{"name": n, "points": list(map(list, zip(points, found[n], strict=True)))} for n in self._plotted]
        self._line_plot.show({"x": over, "series": series, "at": self.numbers.get(over)})
