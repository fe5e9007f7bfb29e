"""Parts of results: code in several languages, solutions, texts, tables, equivalent command line and Python code."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from robosym.app.page.components import CodeText, StepList
from robosym.app.page.fixing import page_text
from robosym.app.page.widgets import (
    block,
    button,
    copy_button,
    drop_menu,
    emptied,
    give,
    icon,
    table,
    tabs,
    text,
    zipped,
)
from robosym.app.session.requests import Equivalent
from robosym.app.session.shown import CommandResult, ShownCode
from robosym.errors import Error

if TYPE_CHECKING:
    from robosym.app.page.model_view import ModelView

__all__ = [
    "CodePane", "copied", "csv", "draw_other", "draw_solution", "draw_table", "same_lines", "search_field", "size",
]  # fmt: skip

_TABS = ("listing", "c", "python", "matlab")  #: languages that have a tab; the others are under More
_LABELS = {"c": "C", "cpp": "C++", "h": "C header", "latex": "LaTeX", "matlab": "MATLAB"}


def language_label(language: str) -> str:
    """Return the name of a language as people write it."""
    return _LABELS.get(language, language.capitalize())


class CodePane:
    """The code of the result of a view; `changed` is called when the text changes."""

    def __init__(self, view: ModelView, changed: Callable[[], None]) -> None:
        self.view, self.shell, self.changed = view, view.shell, changed

    @property
    def language(self) -> str:
        """The selected language."""
        languages = self.view.shown.languages if self.view.shown else []
        wanted = self.shell.language
        return wanted if wanted in languages or not languages else "listing" if "listing" in languages else languages[0]

    @property
    def source(self) -> ShownCode | None:
        """The shown text, or None while it is being generated."""
        return self.view.shown.sources.get(self.language) if self.view.shown else None

    def draw(self) -> None:
        """Draw tabs and text in the current element."""
        with block("", "section", data_pane="code"):
            self._tabs = block("tabs")
            self._drawn: tuple[str, list[str]] = "", []
            self._code = CodeText()

    def fill(self) -> None:
        """Show the code of the result of the view; the variables of its equations are marked in it."""
        assert self.view.shown is not None
        languages = self.view.shown.languages
        first = [language for language in _TABS if language in languages]
        if self.language not in first:
            first[-1:] = [self.language]
        rest = [language for language in languages if language not in first]
        if self._drawn != (self.language, languages):
            self._drawn = self.language, languages
            self._draw_tabs(first, rest)
        if self.source is not None:
            self._code.show(self.source.text, self.source.language)
        else:
            self.view.do(self._fetch(self.language))

    def _draw_tabs(self, first: list[str], rest: list[str]) -> None:
        with emptied(self._tabs):
            tabs({language: language_label(language) for language in first}, self.language, self._choose)
            if rest:
                with block("", "a", tabindex=0, role="button"):
                    text("More")
                    icon("down")
                    drop_menu([(language_label(one), "", partial(self._choose, one)) for one in rest])
            with block("end"):
                copy_button("() => robosym.copyPart('.panes section:last-child .code')", title="Copy the code")
                download = partial(self._give, self.language)
                button(sign="download", kind="ghost s ico", title="Download this file", on_click=download)

    def _choose(self, language: str) -> None:
        self.shell.language = language
        self.fill()

    async def _fetch(self, language: str) -> None:
        request = self.view.request
        try:
            source = await self._made(language)
        except Error as error:
            if self.view.is_here:
                self._code.show(page_text(error), "text")
            return
        if self.view.is_here and self.language == language and self.view.request is request:
            self._code.show(source.text, source.language)
            self.changed()

    async def _made(self, language: str) -> ShownCode:
        request, shown = self.view.request, self.view.shown
        assert request is not None and shown is not None
        if language not in shown.sources:
            job = self.view.results.quick("Code", "code", request, shown.kept, language)
            shown.sources[language] = await asyncio.wrap_future(job.future)
        return shown.sources[language]

    # ------------------------------------------------------------------------------------------- downloads

    def downloads(self, archive: str) -> list[tuple[str, str, Callable[[], Any]]]:
        """Return the menu entries: the shown language first, the others, and an archive of all languages."""
        assert self.view.shown is not None
        languages = dict.fromkeys((self.language, *self.view.shown.languages))
        every = [(language_label(language), "", partial(self._give, language)) for language in languages]
        return [*every, ("All languages", ".zip", partial(self._give_all, archive))]

    async def _give(self, language: str) -> None:
        try:
            source = await self._made(language)
        except Error as error:
            self.shell.notify(page_text(error), "error")
            return
        with self.shell.client:
            files = _files(source)
            give(*next(iter(files.items()))) if len(files) == 1 else give(f"{source.file}.zip", zipped(files))

    async def _give_all(self, archive: str) -> None:
        assert self.view.shown is not None
        files: dict[str, bytes] = {}
        for language in self.view.shown.languages:
            try:
                files |= _files(await self._made(language))
            except Error:  # the language does not support this result
                continue
        with self.shell.client:
            give(archive, zipped(files))


def _files(source: ShownCode) -> dict[str, bytes]:
    return {name: body.encode() for name, body in {source.file: source.text, **source.beside}.items()}


_MOST_ROWS = 2000  #: maximum number of rows of a table
_PYTHON = re.compile(
    r"(?P<st>\"[^\"]*\")|(?P<k>\b(?:True|False|None|print)\b)|(?P<f>(?<=\.)\w+(?=\())|(?P<n>\b\d[\d.]*\b)"
)
_LINE = re.compile(r"(?P<k>(?<=\s)--?[a-z][\w-]*)")


def draw_solution(shown: CommandResult, code: CodePane) -> None:
    """Draw the explanation of a solution, and its code if it has any."""
    with block("panes" if shown.languages else "panes one"):
        with block("", "section", data_pane="result"):
            with block("tabs"):
                tabs({"words": "Steps" if shown.steps else "Explanation"}, "words", lambda key: None)
            if shown.steps:
                with block("more ig-scroll"):
                    StepList(shown.steps)
            else:
                CodeText().classes("plain").show(shown.text, "text")
        if shown.languages:
            code.draw()
            code.fill()


def draw_text(words: str, language: str) -> None:
    """Draw a text that can be searched and copied."""
    with block("panes one"), block("", "section"):
        with block("tabs"):
            tabs({"text": "Result"}, "text", lambda key: None)
            with block("end"):
                search_field()
                copy_button("() => robosym.copyPart('.code')", title="Copy the text")
        CodeText().classes("plain").show(words, language)


def draw_table(heads: Sequence[str], rows: list[list[str]], kinds: list[str], remarks: list[str]) -> None:
    """Draw a table with remarks below it; `kinds` are the CSS classes of its columns."""
    with block("nt", tabindex=0, role="region", aria_label="Result"):
        plain = [kind.replace("mono", "").replace("wr", "") for kind in kinds]
        with table([(head, kind, "") for head, kind in zip(heads, plain, strict=True)]):
            for row in rows[:_MOST_ROWS]:
                with block("", "tr"):
                    for cell, kind in zip(row, kinds, strict=True):
                        text(cell, f"{kind}{' z' if cell == '0' else ''}", "td")
        for remark in remarks:
            text(remark, "sec sm", "p", "padding:10px 16px 0")


def draw_other(shown: CommandResult, language: str) -> None:
    """Draw a result that is neither a model nor a solution; texts are highlighted for their language."""
    if shown.gives == "numbers":
        rows = [[f"{value:.6g}".replace("-", "\N{MINUS SIGN}") for value in row] for row in shown.rows]
        draw_table(shown.names, rows, ["num"] * len(shown.names), shown.remarks)
    elif shown.cells:
        draw_table(shown.heads, shown.cells, [*["mono"] * (len(shown.heads) - 1), "mono wr"], shown.remarks)
    elif shown.gives == "drawing":
        with block("pic-out"):
            data = base64.b64encode(shown.picture.encode()).decode()
            block(tag="img", alt="Picture of the robot", src=f"data:image/svg+xml;base64,{data}")
    elif shown.gives == "files":
        draw_table(
            ["File", "Size"], [[name, size(len(data))] for name, data in shown.files.items()], ["mono", "num"], []
        )
    else:
        draw_text(shown.text, language)


def csv(shown: CommandResult) -> bytes:
    """Return the numbers of a result as CSV."""
    lines = [",".join(shown.names), *(",".join(map(repr, row)) for row in shown.rows)]
    return ("\n".join(lines) + "\n").encode()


def size(count: int) -> str:
    """Return the size of a file with its unit."""
    return f"{count} bytes" if count < 1000 else f"{count / 1000:.1f} kB"


def search_field() -> None:
    """Draw the search field for equations and code."""
    with block("finder", "label"):
        icon("search")
        made = block(tag="input", placeholder="Search", spellcheck="false", aria_label="Search equations and code")
        made.on("input", js_handler="(e) => robosym.find(e.target.value.trim(), 0, e.target)")
        made.on("keydown.enter", js_handler="(e) => robosym.find(e.target.value.trim(), e.shiftKey ? -1 : 1, e.target)")
        text("", "n-hits")


def same_lines(same: Equivalent, unsaved: str = "") -> None:
    """Draw the command line and the Python code with copy buttons; the Python is copied as a complete program.

    `unsaved` is the file name that both use for a robot that is not saved in a file yet.
    """
    for label, shown, whole in (("Command line", same.line, same.line), ("Python", same.python, same.program)):
        with block("l"):
            text(label, "sm m")
            shown = shown.replace("\n", "; ")
            highlighted = ui.html(_highlighted(shown, label == "Python"), sanitize=False).classes("mono hl")
            highlighted.props["title"] = shown
            copied(whole).props["aria-label"] = f"Copy {label}"
    if unsaved:
        text(f"The robot is not saved: both lines read {unsaved}, the file that Save as writes", "mut xs")


def copied(words: str, kind: str = "ghost s") -> Element:
    """Draw a button that copies a text and confirms it."""
    return copy_button(f"(e) => robosym.copied(e.currentTarget, {json.dumps(words)})", "Copy", kind=kind)


def _highlighted(line: str, is_python: bool) -> str:
    """Return a line as HTML with syntax highlighting."""
    parts, at = [], 0
    for match in (_PYTHON if is_python else _LINE).finditer(line):
        parts += [escape(line[at : match.start()]), f'<span class="{match.lastgroup}">{escape(match[0])}</span>']
        at = match.end()
    return "".join([*parts, escape(line[at:])])
