"""The bar above every view: the robot that is open, others, search, undo, theme, saving."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from robosym.app.page.dialogs import NewRobot
from robosym.app.page.icons import BRAND
from robosym.app.page.widgets import block, button, drop_menu, icon, menu_entries, text

if TYPE_CHECKING:
    from robosym.app.page.shell import Shell

__all__ = ["draw_top"]


def draw_top(bar: Element, shell: Shell) -> None:
    """Draw the bar anew."""
    bar.clear()
    document = shell.session.document if shell.session is not None else None
    with bar:
        with block("brand", "a").props("href=/ title=Start"):
            ui.html(BRAND, sanitize=False, tag="span").classes("bare")
            text("robosym")
        if document is None:
            text("No robot open", "mut", style="padding-left:10px")
        else:
            with block("pick", "button").props('type=button title="Open another robot"'):
                text(document.name or "no name", "b el")
                text(document.title, "mut hide-t el")
                icon("down")
                _others_menu(shell)
            if document.unsaved:
                stored = shell.session is not None and shell.session.is_stored
                with block("row mut sm nw unsaved", "span"):
                    block("dot", "i")
                    text("Unsaved, kept on this computer" if stored else "Unsaved", "hide-t")
        block("grow")
        with block("search", "button").props('type=button title="Search of everything"').on("click", shell.search):
            icon("search")
            with block("grow el", "span", style="text-align:left"):
                text("Search")
                text(" models, variables, actions", "hide-t")
            text("Ctrl K", tag="kbd")
        block("grow")
        undo, redo = document is not None and document.can_undo, document is not None and document.can_redo
        button(sign="undo", kind="ghost ico", title="Undo (Ctrl Z)", on_click=shell.undo, enabled=undo)
        button(sign="redo", kind="ghost ico", title="Redo (Ctrl Shift Z)", on_click=shell.redo, enabled=redo)
        for theme, sign, words in (("dark", "moon", "Dark theme"), ("light", "sun", "Light theme")):
            one = button(sign=sign, kind=f"ghost ico theme-{theme}", title=words)
            one.on("click", js_handler=f"() => robosym.theme('{theme}')")
        if document is not None:
            with button("Save as", sign="download", after="down", title="Save as (Ctrl S)"):
                drop_menu([(label, about, partial(shell.save, form)) for form, label, about in shell.formats()])


def _others_menu(shell: Shell) -> None:
    """Other robots; looked up when the menu opens, since each is a file."""
    menu = ui.menu().classes("menu").props("transition-duration=0")

    def fill() -> None:
        menu.clear()
        own = shell.session.key if shell.session is not None else ""
        entries: list[tuple[str, str, Callable[[], Any] | None]] = [
            (one.name or "no name", "unsaved", partial(shell.open_kept, one.key))
            for one in shell.sessions.unsaved()[:6]
            if one.key != own
        ]
        entries += [
            ("New robot", "", partial(NewRobot, shell)),
            ("Library and files", "start", partial(ui.navigate.to, "/")),
            ("Another window", "", partial(ui.navigate.to, "/", new_tab=True)),
        ]
        with menu:
            menu_entries(menu, entries)

    menu.on("before-show", fill)
