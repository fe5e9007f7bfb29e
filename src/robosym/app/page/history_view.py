"""The history of generated results: entries can be restored, or compared in pairs."""

from __future__ import annotations

import asyncio
from datetime import datetime
from html import escape

from nicegui import ui

from robosym.app.page.finder import words
from robosym.app.page.fixing import page_text
from robosym.app.page.session_view import SessionView
from robosym.app.page.shell import Shell
from robosym.app.page.widgets import block, button, emptied, empty, field, icon, segments, table, text
from robosym.app.session import Session
from robosym.app.session.comparing import SideBySide, compared
from robosym.app.session.history import Generated
from robosym.app.session.shown import CommandResult
from robosym.errors import Error
from robosym.languages.aligned_lines import DiffRow, shortened

__all__ = ["HistoryView"]

_MOST_ROWS = 3000  #: maximum number of rows of a comparison
_LISTED = 200  #: entries of the list
_HEADS = (
    ("", "", ""), ("When", "", ""), ("Robot", "", ""), ("Result", "", ""), ("Command line", "", ""),
    ("Operations", "num", ""), ("Online", "num", ""), ("", "", ""),
)  # fmt: skip


class HistoryView(SessionView):
    """The list of entries, or two of them side by side."""

    def __init__(self, session: Session, shell: Shell) -> None:
        super().__init__(session, shell)
        self.history = self.results.history
        self.chosen: list[int] = []
        self.only, self.typed = shell.what.get("command", ""), ""
        with shell.body:
            self._body = block("res", style="flex:1")
        pair = [int(word) for word in shell.what.get("compare", "").split(",") if word.isdigit()]
        if len(pair) == 2:
            self.do(self._compare(*pair))
        else:
            self._list()
        with shell.foot, block("status"):
            text("Stored on this computer, at most 400 entries")
            block("grow")

    # ------------------------------------------------------------------------------------------ the list

    def _list(self) -> None:
        entries, shown = self.history.entries(), self._wanted()
        count = f"{len(shown)} of {len(entries)}" if len(shown) < len(entries) else str(len(entries))
        with self.head("History", count):
            if self.only:
                segments({"": "Everything", self.only: words(self.only)}, self.only, self._choose_only)
            with block("search find", "label"):
                icon("search")
                field("Filter", self.typed, self._filter, "Filter", "")
            self._button = block(style="display:contents")
        self._draw_button()
        self._draw_rows_of(shown)

    def _filter(self, typed: str) -> None:
        self.typed = typed.strip().lower()
        self._draw_rows_of(self._wanted())

    def _wanted(self) -> list[Generated]:
        """Return the entries of the chosen command that contain the typed text."""
        found = [one for one in self.history.entries() if not self.only or one.request.command == self.only]
        return [one for one in found if self.typed in f"{one.label} {one.name} {one.title} {one.line}".lower()]

    def _draw_rows_of(self, shown: list[Generated]) -> None:
        with emptied(self._body):
            if not shown:
                empty("history", "Nothing generated yet", "Every generated result is listed here with its options",
                      "Generate a model", lambda: self.shell.command("inverse_dynamics"))  # fmt: skip
                return
            with block("nt hist", tabindex=0, role="region", aria_label="History"), table(_HEADS):
                for one in shown[:_LISTED]:
                    self._row(one)

    def _choose_only(self, command: str) -> None:
        self.only = command
        self._list()

    def _row(self, one: Generated) -> None:
        row = block("", "tr", tabindex=0)
        row.on("keydown.enter", lambda: self.shell.restore(one.request))
        with row:
            with block("", "td", "width:34px"):
                box = block(tag="input", type="checkbox", aria_label=f"Compare entry {one.number}")
                turned = lambda event: self._turn(one.number, event.args)  # noqa: E731
                box.on("change", turned, js_handler="(e) => emit(e.target.checked)")
            then = datetime.fromtimestamp(one.when).isoformat(" ", "seconds")
            text(_when(one.when), "mut nw", "td", title=then)
            text(one.name, "m nw", "td")
            with block("nw", "td"):
                text(one.title)
                label = lambda words: self.history.rename(one.number, words)  # noqa: E731
                field("Name of this entry", one.label, label, "name it", "entryname", "change")
            text(one.line, "mono el", "td", "max-width:0;width:60%", title=one.line)
            text("" if one.total is None else str(one.total), "num", "td")
            text("" if one.online is None else str(one.online), "num mut", "td")
            with block("nw", "td"):
                button("Restore", lambda: self.shell.restore(one.request), kind="ghost s")
                button(sign="bin", kind="ghost s ico", title="Remove", on_click=lambda: self._remove(one.number))

    def _turn(self, number: int, on: bool) -> None:
        self.chosen = [*(n for n in self.chosen if n != number), *([number] if on else [])][-2:]
        self._draw_button()

    def _draw_button(self) -> None:
        with emptied(self._button):
            ready = len(self.chosen) == 2
            title = "" if ready else "Choose two entries first"
            button("Compare", self._go_compare, kind="pri" if ready else "", enabled=ready, title=title)

    def _go_compare(self) -> None:
        self.shell.go("history", compare=",".join(map(str, sorted(self.chosen))))

    def _remove(self, number: int) -> None:
        self.history.remove(number)
        self.chosen = [n for n in self.chosen if n != number]
        self._list()

    # --------------------------------------------------------------------------------------- two of them

    async def _compare(self, first: int, second: int) -> None:
        try:
            pair = [self.history.entry(first), self.history.entry(second)]
            with self._body:
                waiting = empty("history", "Comparing")
            shown = [await self._made(one) for one in pair]
        except Error as error:
            with self.shell.client:
                self.shell.notify(page_text(error), "error")
                self._list()
            return
        if not self.is_here:
            return
        waiting.delete()
        self._draw_comparison(pair, shown, await asyncio.to_thread(compared, pair, shown))

    def _draw_comparison(self, pair: list[Generated], shown: list[CommandResult], found: SideBySide) -> None:
        self._rows = found.rows
        with self.head("Compare", found.summary):
            choices = {"changes": "Changes", "all": f"All {len(found.rows)}"}
            segments(choices, "changes", self._draw_rows, label="Lines")
            button("Back to the list", lambda: self.shell.go("history"), sign="history", kind="ghost")
        with self._body:
            with block("nt versus", style="flex:none"), block("", "table"):
                with block("", "thead"), block("", "tr"):
                    text("", "", "th", "width:132px")
                    for one, result in zip(pair, shown, strict=True):
                        self._side(one, result)
                    text("", "", "th", "width:132px")
                with block("", "tbody"):
                    for row in [*found.options, *found.counts]:
                        with block("", "tr"):
                            text(row.name, "mut", "td")
                            for side in (row.left, row.right):
                                text(side, "mono el", "td", title=side)
                            text(row.change, "sm nw", "td")
            self._lines = block("diffs more")
        self._draw_rows("changes")

    def _draw_rows(self, which: str) -> None:
        rows = self._rows if which == "all" else shortened(self._rows)
        drawn = "".join(_drawn(row) for row in rows[:_MOST_ROWS]) or "<div class='gap'>Nothing differs</div>"
        if len(rows) > _MOST_ROWS:
            drawn += f"<div class='gap'>{len(rows) - _MOST_ROWS} more lines are not shown</div>"
        with emptied(self._lines):
            ui.html(drawn, sanitize=False)

    async def _made(self, one: Generated) -> CommandResult:
        known = self.results.last(one.request)
        if known is not None:
            return known
        job = self.results.quick("Compare", "generate", one.request, "listing")
        made: CommandResult = await asyncio.wrap_future(job.future)
        return made

    def _side(self, one: Generated, shown: CommandResult) -> None:
        with block("", "th"):
            with block("row"):
                text(f"{one.name}: {shown.title}", "b el")
                text(_when(one.when), "mut sm nw")
                block("grow")
                button("Restore", lambda: self.shell.restore(one.request), kind="s")
            text(one.line, "mono el sec", "div", title=one.line)


_SIGNS = {
    "changed": "\N{NOT EQUAL TO}", "left": "\N{MINUS SIGN}", "right": "+", "both": "\N{PLUS-MINUS SIGN}", "same": "",
}  # fmt: skip


def _drawn(row: DiffRow) -> str:
    if row.kind == "gap":
        return f"<div class='gap'>{escape(row.left)} the same</div>"
    sides = zip((row.left_number, row.right_number), row.pieces(), strict=True)
    cells = [
        f"<i>{number or ''}</i><code>"
        + "".join(f"<b>{escape(words)}</b>" if marked else escape(words) for words, marked in pieces)
        + "</code>"
        for number, pieces in sides
    ]
    return f"<div class='dl k-{row.kind}'>{cells[0]}<u>{_SIGNS[row.kind]}</u>{cells[1]}</div>"


def _when(seconds: float) -> str:
    then, now = datetime.fromtimestamp(seconds), datetime.now()
    if then.date() == now.date():
        return then.strftime("%H:%M")
    return then.strftime("%d %b %H:%M") if then.year == now.year else then.strftime("%d %b %Y")
