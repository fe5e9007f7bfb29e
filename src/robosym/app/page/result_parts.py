"""Results that are no models: words and code of a solution, a text, a table; each in the element that is open."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from robosym.app.page.code_pane import CodePane
from robosym.app.page.components import CodeText
from robosym.app.page.widgets import block, copy_button, icon, table, tabs, text
from robosym.app.session.shown import Shown

__all__ = ["draw_solution", "draw_table", "draw_text", "search_field"]

_MOST_ROWS = 2000  #: of a table


def draw_solution(shown: Shown, code: CodePane) -> None:
    """A solution in words, and its code where it has some."""
    with block("panes" if shown.languages else "panes one"):
        with block("", "section"):
            with block("tabs"):
                tabs({"words": "In words"}, "words", lambda key: None)
            CodeText().classes("plain").show(shown.text, "text")
        if shown.languages:
            code.draw()
            code.fill()


def draw_text(words: str, language: str) -> None:
    """A text that is searched and copied."""
    with block("panes one"), block("", "section"):
        with block("tabs"):
            tabs({"text": "Result"}, "text", lambda key: None)
            with block("end"):
                search_field()
                copy_button("() => robosym.copyPart('.code')", title="Copy the text")
        CodeText().classes("plain").show(words, language)


def draw_table(heads: Sequence[str], rows: list[list[str]], kinds: list[str], remarks: list[str]) -> None:
    """A table with remarks below it; `kinds` are the classes of its columns."""
    with block("nt"):
        plain = [kind.replace("mono", "").replace("wr", "") for kind in kinds]
        with table([(head, kind, "") for head, kind in zip(heads, plain, strict=True)]):
            for row in rows[:_MOST_ROWS]:
                with block("", "tr"):
                    for cell, kind in zip(row, kinds, strict=True):
                        text(cell, f"{kind}{' z' if cell == '0' else ''}", "td")
        for remark in remarks:
            text(remark, "sec sm", "p", "padding:10px 16px 0")


def search_field() -> None:
    """The search of equations and code."""
    with block("finder", "label"):
        icon("search")
        made = ui.element("input").props("placeholder=Search spellcheck=false type=text")
        made.props["aria-label"] = "Search equations and code"
        made.on("input", js_handler="(e) => robosym.find(e.target.value.trim(), 0, e.target)")
        made.on("keydown.enter", js_handler="(e) => robosym.find(e.target.value.trim(), e.shiftKey ? -1 : 1, e.target)")
        text("", "n-hits")
