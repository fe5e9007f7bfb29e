"""The operation counts of a model at each level of the optimizer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui.element import Element

from robosym.app.menus import Option
from robosym.app.page.widgets import block, text
from robosym.app.session.jobs import PageJob
from robosym.app.session.requests import Request
from robosym.app.session.shown import CommandResult, Counts
from robosym.errors import Error

if TYPE_CHECKING:
    from robosym.app.page.model_view import ModelView

__all__ = ["LevelPane"]

_COUNTED = 4000  #: maximum number of operations for counting the other levels automatically
_LATER = 0.3  #: seconds in which the processor is left to the browser
_LEVELS = {"": "Plain", "1": "Level 1", "2": "Level 2", "max": "Max"}


class LevelPane:
    """The operation counts of the model of a view; `choose` generates the model at another level."""

    def __init__(self, view: ModelView, place: Element, choose: Callable[[str, str], Any]) -> None:
        self.view, self.place, self.choose = view, place, choose
        self.levels: dict[str, Counts] = {}
        self._plain = ""  #: the key of the request without a level
        self._counting: PageJob | None = None

    def stop(self) -> None:
        """Stop counting."""
        if self._counting is not None and not self._counting.is_over:
            self.view.results.jobs.cancel(self._counting.number)

    def show(self, request: Request, shown: CommandResult) -> None:
        """Show the counts, and count the other levels one after the other while the page is visible."""
        plain = request.with_values(optimize=None, level=None, goal=None, budget=None).key
        if plain != self._plain:
            self._plain, self.levels = plain, {}
        self._draw(request, shown)
        counts = shown.counts
        if counts is not None and counts.total <= _COUNTED and self.view.command.name != "optimize":
            self.view.do(self._count(request, shown))

    async def _count(self, request: Request, shown: CommandResult) -> None:
        await asyncio.sleep(_LATER)
        for level in _LEVELS:
            if level in self.levels or not self.view.is_here or self.view.request is not request:
                continue
            self._counting = self.view.results.quick(
                f"Operations at level {level}", "level_counts", request, shown.kept, level, quiet=True
            )
            try:
                counts = await asyncio.wrap_future(self._counting.future)
            except Error:
                return
            if self.view.is_here and self.view.request is request:
                self.levels[level] = counts
                self._draw(request, shown)

    def _draw(self, request: Request, shown: CommandResult) -> None:
        self.place.clear()
        counts = shown.counts
        if counts is None:
            return
        with self.place:
            with block("row"):
                text("Operations", tag="h2")
                block("grow")
                text(str(counts.total), "total-n")
            text(f"{counts.additions} additions, {counts.multiplications} products", "sec sm", "div")
            text(f"{counts.functions} functions not counted; {counts.online} online", "mut sm", "div")
            option = next((option for option in self.view.command.options if option.use == "function"), None)
            if option is not None:
                self._draw_levels(option, request, counts)

    def _draw_levels(self, option: Option, request: Request, counts: Counts) -> None:
        chosen = str(request.values.get(option.name, option.default or ""))
        chosen = "max" if chosen == "3" else chosen
        self.levels[chosen] = counts
        most = max(1, *(one.total for one in self.levels.values()))
        for level, label in _LEVELS.items():
            level = "0" if level == "" and option.default is not None else level
            here = self.levels.get(level)
            title = f"Generate at {label.lower()}" if level != chosen else "This is shown"
            made = block(f"lv{' on' * (level == chosen)}", "button", title=title)
            with made.on("click", partial(self.choose, option.name, level)):
                text(label)
                with block("t", "span"):
                    if here is not None:
                        online, once = (100 * count / most for count in (here.online, here.total - here.online))
                        block(tag="i", style=f"width:{online:.1f}%")
                        block(tag="u", style=f"left:{online:.1f}%;width:{once:.1f}%")
                text(str(here.total) if here is not None else "\u2013", "num" if here else "num wait")
        with block("keyl"):
            for kind, words in (("", "online"), ("l", "once per set of parameters")):
                with block(tag="span"):
                    block(kind, "i")
                    text(words)
