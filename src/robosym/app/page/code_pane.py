"""The code of a result: a tab for each language, fetched when it is first seen, copied and downloaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from robosym.app.page.components import CodeText
from robosym.app.page.widgets import block, button, copy_button, drop_menu, give, icon, tabs, text, zipped
from robosym.app.session.shown import ShownCode
from robosym.errors import Error

if TYPE_CHECKING:
    from robosym.app.page.model_view import ModelView

__all__ = ["CodePane"]

_TABS = ("listing", "c", "python", "matlab")  #: languages that have a tab; the others are under More
_SPOKEN = {"c": "C", "cpp": "C++", "h": "C header", "latex": "LaTeX", "matlab": "MATLAB"}


def spoken(language: str) -> str:
    """The name of a language as people write it."""
    return _SPOKEN.get(language, language.capitalize())


class CodePane:
    """The code of what a view shows; `changed` is called when another text is there."""

    def __init__(self, view: ModelView, changed: Callable[[], None]) -> None:
        self.view, self.shell, self.changed = view, view.shell, changed

    @property
    def language(self) -> str:
        """In which it is shown."""
        languages = self.view.shown.languages if self.view.shown else []
        wanted = self.shell.language
        return wanted if wanted in languages or not languages else "listing" if "listing" in languages else languages[0]

    @property
    def source(self) -> ShownCode | None:
        """The text that is shown, if it is there already."""
        return self.view.shown.sources.get(self.language) if self.view.shown else None

    def draw(self) -> None:
        """Tabs and text, in the element that is open, to be filled."""
        with block("", "section"):
            self._tabs = block("tabs")
            self._code = CodeText()

    def fill(self) -> None:
        """The code of what the view shows; after its equations, whose variables are marked in it."""
        assert self.view.shown is not None
        languages = self.view.shown.languages
        first = [language for language in _TABS if language in languages]
        if self.language not in first:
            first[-1:] = [self.language]
        rest = [language for language in languages if language not in first]
        self._tabs.clear()
        with self._tabs:
            tabs({language: spoken(language) for language in first}, self.language, self._choose)
            if rest:
                with block("", "a").props("tabindex=0 role=button"):
                    text("More")
                    icon("down")
                    drop_menu([(spoken(one), "", partial(self._choose, one)) for one in rest])
            with block("end"):
                copy_button("() => robosym.copyPart('.panes section:last-child .code')", title="Copy the code")
                download = partial(self._give, self.language)
                button(sign="download", kind="ghost s ico", title="Download this file", on_click=download)
        if self.source is not None:
            self._code.show(self.source.text, self.source.language)
        else:
            self.view.do(self._fetch(self.language))

    def _choose(self, language: str) -> None:
        self.shell.language = language
        self.fill()

    async def _fetch(self, language: str) -> None:
        try:
            source = await self._made(language)
        except Error as error:
            if self.view.is_here:
                self._code.show(str(error), "text")
            return
        if self.view.is_here and self.language == language:
            self._code.show(source.text, source.language)
            self.changed()

    async def _made(self, language: str) -> ShownCode:
        request, shown = self.view.request, self.view.shown
        assert request is not None and shown is not None
        if language not in shown.sources:
            job = self.view.results.code(request, shown, language)
            shown.sources[language] = await asyncio.wrap_future(job.future)
        return shown.sources[language]

    # ------------------------------------------------------------------------------------------- downloads

    def downloads(self, archive: str) -> list[tuple[str, str, Callable[[], Any]]]:
        """Entries of a menu: every language, the one that is shown first, and all in an archive of this name."""
        assert self.view.shown is not None
        languages = dict.fromkeys((self.language, *self.view.shown.languages))
        every = [(spoken(language), "", partial(self._give, language)) for language in languages]
        return [*every, ("All languages", ".zip", partial(self._give_all, archive))]

    async def _give(self, language: str) -> None:
        try:
            source = await self._made(language)
        except Error as error:
            self.shell.notify(str(error), "error")
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
            except Error:  # a language that does not have this
                continue
        with self.shell.client:
            give(archive, zipped(files))


def _files(source: ShownCode) -> dict[str, bytes]:
    return {name: body.encode() for name, body in {source.file: source.text, **source.beside}.items()}
