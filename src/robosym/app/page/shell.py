"""The frame of every view: top bar, menus, head, body and foot; theme, keys and navigation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from robosym.app.menus import COMMANDS, MENUS
from robosym.app.page.bars import JobBar, draw_top
from robosym.app.page.dialogs import Palette, list_keys
from robosym.app.page.finder import everything, listed, words
from robosym.app.page.fixing import page_text
from robosym.app.page.session_view import VIEWS, view_named, view_of
from robosym.app.page.widgets import block, emptied, icon, on_enter, text
from robosym.app.session import Session, Sessions
from robosym.app.session.jobs import PageJob
from robosym.app.session.requests import Request
from robosym.app.session.results import shared_jobs
from robosym.errors import Error

__all__ = ["Shell"]

#: file formats: name, description, extension; the first one supports every robot
_FORMATS = (
    ("yaml", "YAML", ".yaml"), ("par", "SYMORO+", ".par"), ("urdf", "URDF", ".urdf"), ("mjcf", "MJCF", ".xml"),
    ("sdf", "SDF", ".sdf"),
)  # fmt: skip


class Shell:
    """The frame that a view draws into: its regions, notifications and navigation.

    `head`, `body` and `foot` are empty when a view starts; `what` holds its argument, such as the command.
    """

    def __init__(self, sessions: Sessions, session: Session | None) -> None:
        self.sessions = sessions
        self.session = session
        self.client = ui.context.client
        self.view = ""
        self.number = 0  #: number of the current view, counted in this window
        self.what: dict[str, str] = {}
        self._keys: dict[str, tuple[str, Callable[[], Any]]] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._leaving: list[Callable[[], Any]] = []
        self._menu = ""  #: the menu that is open
        self._error = -1  #: index of the invalid entry that was shown last
        self.language = "c"  #: language of the displayed code
        with block("app"):
            self._top = block("top", "header")
            self._nav = block("nav", "nav", data_panel="menus")
            with block("main"):  # the element around the page is its <main>
                self.head = block("head")
                self.body = block("body")
            with block("foot", "footer"):
                self.foot = block()
                self._jobs = block()
        jobs = shared_jobs()[0]
        jobs.warm()
        JobBar(self._jobs, jobs, self._run_again)
        ui.on("key", self._pressed)
        ui.on("back", lambda event: self._show(**event.args))
        self.client.on_delete(self._leave)
        if session is not None:
            self.client.on_delete(session.listen(self._on_change))

    # ------------------------------------------------------------------------------------------------ for views

    def go(self, view: str, **what: str) -> None:
        """Show another view of the same robot; the address in the browser follows, so that reloading returns to it."""
        self._show(view, **what)
        query = urlencode({**({} if view in ("start", "robot") else {"view": view}), **what})
        path = f"/robot/{self.session.key}" if self.session is not None and view != "start" else "/"
        place = json.dumps({"view": view, **what})
        self.client.run_javascript(f"robosym.place({place}, {json.dumps(path + (f'?{query}' if query else ''))})")

    def open(self, session: Session) -> None:
        """Show another robot."""
        ui.navigate.to(f"/robot/{session.key}")

    def command(self, name: str) -> None:
        """Show the view of a menu command."""
        self.go(view_of(name), command=name)

    def notify(self, words: str, kind: str = "") -> None:
        """Show a notification; `kind` is "error" if something must be corrected."""
        with self.client:
            ui.notify(words, classes=f"note {kind}", position="bottom", timeout=6000 if kind else 3000)

    def attempt(self, action: Callable[..., Any], *arguments: object) -> None:
        """Call a function and show its error as a notification."""
        try:
            action(*arguments)
        except Error as error:
            self.notify(page_text(error), "error")

    def on_key(self, key: str, action: Callable[[], Any], does: str) -> None:
        """Register a key of this view, such as "ctrl+enter" or "n"; letters only act while no field has the focus."""
        self._keys[key] = (does, action)
        self._send_keys()

    def on_leave(self, action: Callable[[], Any]) -> None:
        """Call a function when another view replaces this one or the window is closed."""
        self._leaving.append(action)

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Call a function with the kind of each change in the session while this view is shown."""
        self._watchers.append(watcher)

    # ------------------------------------------------------------------------------------------------ the frame

    def _show(self, view: str = "robot", **what: str) -> None:
        self.view, self.what = view if view in VIEWS else "robot", what
        self.number += 1
        self._leave()
        self._keys, self._watchers = {}, []
        command = COMMANDS.get(what.get("command", ""))
        self._menu = command.menu if command is not None else ("" if view in ("start", "robot") else self._menu)
        for region in (self.head, self.body, self.foot):
            region.clear()
        self.head.set_visibility(view != "start")
        draw_top(self._top, self)
        self._draw_nav()
        with self.body:  # redrawing the menu deletes the element that was clicked
            view_named(self.view)(self.session, self)
        self._send_keys()

    def _leave(self) -> None:
        leaving, self._leaving = self._leaving, []
        for action in leaving:
            action()

    def formats(self) -> Sequence[tuple[str, str, str]]:
        """Return the formats in which this robot can be saved: name, description, extension."""
        plain = self.session is not None and self.session.document.kind not in ("parallel", "hybrid")
        return _FORMATS if plain else _FORMATS[:1]

    def _draw_nav(self) -> None:
        with emptied(self._nav):
            with block("menus"):
                for menu in MENUS:
                    self._draw_menu(menu)
            self._link("History", "history", self.view == "history", lambda: self.go("history"), self.session is None)
            self._link("Help and keys", "help", False, lambda: list_keys(self), False)

    def _draw_menu(self, menu: str) -> None:
        rows = listed(menu)
        chosen = self.what.get("command", "")
        is_here = menu == "Robot" and self.view in ("start", "robot")

        def opened() -> None:
            if menu == "Robot" and self.view not in ("robot", "start"):
                self.go("robot" if self.session else "start")
                return
            narrow = self._menu == menu and bool(self.what.get("command"))  # a collapsed menu expands again
            self._menu = "" if self._menu == menu and not narrow else menu
            self._draw_nav()
            self.client.run_javascript("robosym.menuOpened()")

        folded = self.session is None or self._menu != menu
        self._link(
            menu, menu.lower(), is_here, opened, self.session is None and menu != "Robot", bool(rows), not folded
        )
        if folded or not rows:
            return
        with block("sub"):
            for row in rows:
                reason = row.reason(self.session.robot) if self.session is not None else ""
                kind = "on" if row.name == chosen else "not" if reason else ""
                title = f"{row.sentence} ({reason})" if reason else row.sentence
                one = block(kind, "a", tabindex=0, role="link", title=title, aria_disabled=True if reason else None)
                with on_enter(one, partial(self.command, row.name)):
                    text(words(row.name), "el")

    def _link(
        self, label: str, sign: str, on: bool, action: Callable[[], Any], disabled: bool, folds: bool = False,
        open: bool = False,
    ) -> None:  # fmt: skip
        kind = " ".join(["on" * on, "dis" * disabled, "open" * open])
        made = block(kind, "a", role="link", title=label, tabindex=None if disabled else 0,
                     aria_disabled=True if disabled else None, aria_expanded=open if folds else None)  # fmt: skip
        if not disabled:
            on_enter(made, action)
        with made:
            icon(sign)
            text(label)
            if folds:
                icon("down" if open else "right", "ch")

    # ----------------------------------------------------------------------------------------- actions of the frame

    def save(self, form: str) -> None:
        """Download a file of the robot, or show the error that must be corrected first."""
        if self.session is None:
            return
        document = self.session.document

        def saved() -> None:
            name, words = document.save(form)
            with self.client:
                ui.download(words.encode(), name)
            self.notify(f"Saved as {name}")

        self.attempt(saved)

    def _save(self) -> None:
        """Save in the format of the opened file, or as YAML if that format cannot be written."""
        if self.session is None:
            return
        suffix = self.session.document.origin.rpartition(".")[2].lower()
        known = {"par": "par", "urdf": "urdf", "sdf": "sdf", "xml": "mjcf", "mjcf": "mjcf"}
        formats = [form for form, _, _ in self.formats()]
        form = known.get(suffix, "yaml")
        self.save(form if form in formats else "yaml")

    def undo(self) -> None:
        """Undo the last change of the tables."""
        if self.session is not None:
            self.session.document.undo()

    def redo(self) -> None:
        """Redo the last undone change."""
        if self.session is not None:
            self.session.document.redo()

    def open_kept(self, key: str) -> None:
        """Open the stored robot of a key."""
        self.attempt(lambda: self.open(self.sessions.session(key)))

    def open_named(self, name: str) -> None:
        """Open a robot of the library."""
        self.attempt(lambda: self.open(self.sessions.open(name)))

    def next_error(self) -> None:
        """Show the next entry that must be corrected, in its table."""
        if self.session is None or not self.session.document.problems:
            return
        problems = self.session.document.errors or self.session.document.problems
        self._error = (self._error + 1) % len(problems)
        one = problems[self._error]
        self.show_cell(one.table, one.row, one.column)

    def search(self) -> None:
        """Open the global search."""
        Palette(self, everything(self))

    def show_cell(self, table: str, row: int, column: str) -> None:
        """Show a cell of the tables."""
        if self.view != "robot":
            self.go("robot")
        self.client.run_javascript(f"robosym.showCell(...{json.dumps([table, row, column])})")

    def do(self, action: Callable[..., Any], *arguments: object) -> None:
        """Change the tables of the robot and show them."""
        self.attempt(action, *arguments)
        if self.view != "robot":
            self.go("robot")

    def _run_again(self, job: PageJob) -> None:
        """Restore the options of a stopped job and run it again."""
        if job.again is not None:
            self.restore(Request(**job.again()))

    def restore(self, request: Request) -> None:
        """Open the robot of an earlier request, restore its options and run it again."""
        self.attempt(self._restore, request)

    def _restore(self, request: Request) -> None:
        session, view, command = self.session, view_of(request.command), request.command
        if session is not None and session.robot == request.load():
            session.results.restore(request)
            self.go(view, command=command, run="1")
            return
        text = request.plain()["text"]
        opened = self.sessions.open_file(request.robot, text.encode()) if text else self.sessions.open(request.robot)
        opened.results.restore(request)
        opened.store()
        ui.navigate.to(f"/robot/{opened.key}?view={view}&command={command}&run=1")

    # -------------------------------------------------------------------------------------------- keys and news

    def _common_keys(self) -> dict[str, Callable[[], Any]]:
        common: dict[str, Callable[[], Any]] = {
            "ctrl+k": self.search,
            "ctrl+z": self.undo,
            "ctrl+shift+z": self.redo,
            "ctrl+y": self.redo,
            "ctrl+s": self._save,
            "f8": self.next_error,
            "?": lambda: list_keys(self),
        }
        for number, menu in enumerate(MENUS, 1):
            common[f"alt+{number}"] = partial(self._menu_key, menu)
        return common

    def _menu_key(self, menu: str) -> None:
        """Open a menu and focus its first entry."""
        if menu == "Robot":
            self.go("robot" if self.session is not None else "start")
        elif self.session is not None:
            self._menu = menu
            self._draw_nav()
            self.client.run_javascript("setTimeout(() => document.querySelector('.nav .sub a')?.focus(), 60)")

    def _send_keys(self) -> None:
        self.client.run_javascript(f"robosym.keys({json.dumps([*self._common_keys(), *self._keys])})")

    def _pressed(self, event: GenericEventArguments) -> None:
        own = self._keys.get(event.args)
        action = own[1] if own is not None else self._common_keys().get(event.args)
        if action is not None:
            with self.client:
                action()

    def _on_change(self, what: str) -> None:
        """Update the frame after a change in the session, possibly from another window."""
        with self.client:
            if what == "document":
                draw_top(self._top, self)
            elif what == "copied":
                self.notify("Another program changed this robot: your version is now a separate copy", "error")
            for watcher in list(self._watchers):
                watcher(what)
