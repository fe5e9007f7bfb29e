"""The frame of every view: top bar, menus, head, body, foot; the theme, the keys and the way from view to view."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from robosym.app.menus import COMMANDS, MENUS
from robosym.app.menus.suited import command_reason
from robosym.app.page.dialogs import Palette, list_keys
from robosym.app.page.finder import everything, listed, words
from robosym.app.page.job_bar import JobBar
from robosym.app.page.session_view import VIEWS, view_named, view_of
from robosym.app.page.top_bar import draw_top
from robosym.app.page.widgets import block, icon, on_enter, text
from robosym.app.session import Session, Sessions
from robosym.app.session.jobs import PageJob
from robosym.app.session.requests import Request
from robosym.app.session.results import shared_jobs
from robosym.errors import Error

__all__ = ["Shell"]

#: in which a robot can be saved: name, words, extension; the first one holds every robot
_FORMATS = (
    ("yaml", "YAML", ".yaml"), ("par", "SYMORO+", ".par"), ("urdf", "URDF", ".urdf"), ("mjcf", "MJCF", ".xml"),
    ("sdf", "SDF", ".sdf"),
)  # fmt: skip


class Shell:
    """What a view is given beside the session: regions to fill, and ways to speak and to go elsewhere.

    `head`, `body` and `foot` are empty when a view begins; `what` holds what it was asked for, such as the command.
    """

    def __init__(self, sessions: Sessions, session: Session | None) -> None:
        self.sessions = sessions
        self.session = session
        self.client = ui.context.client
        self.view = ""
        self.number = 0  #: of the view that is shown, counted in this window
        self.what: dict[str, str] = {}
        self._keys: dict[str, tuple[str, Callable[[], Any]]] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._leaving: list[Callable[[], Any]] = []
        self._menu = ""  #: the menu that is open
        self._error = -1  #: the entry to correct that was shown last
        self.language = "c"  #: in which code is shown
        with block("app"):
            self._top = block("top", "header")
            self._nav = block("nav", "nav").props("data-panel=menus")
            with block("main", "main"):
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
            self.client.on_delete(session.listen(self._heard))

    # ------------------------------------------------------------------------------------------------ for views

    def go(self, view: str, **what: str) -> None:
        """Show another view of the same robot; the address in the browser follows, so that a reload comes back."""
        self._show(view, **what)
        query = urlencode({**({} if view in ("start", "robot") else {"view": view}), **what})
        path = f"/robot/{self.session.key}" if self.session is not None and view != "start" else "/"
        place = json.dumps({"view": view, **what})
        self.client.run_javascript(f"robosym.place({place}, {json.dumps(path + (f'?{query}' if query else ''))})")

    def open(self, session: Session) -> None:
        """Show another robot."""
        ui.navigate.to(f"/robot/{session.key}")

    def command(self, name: str) -> None:
        """Show the view in which a command of the menus is asked for."""
        self.go(view_of(name), command=name)

    def notify(self, words: str, kind: str = "") -> None:
        """Say something in passing; `kind` is "error" where something must be corrected."""
        with self.client:
            ui.notify(words, classes=f"note {kind}", position="bottom", timeout=6000 if kind else 3000)

    def attempt(self, action: Callable[..., Any], *arguments: object) -> None:
        """Do something; what a user must correct before is said in passing."""
        try:
            action(*arguments)
        except Error as error:
            self.notify(str(error), "error")

    def on_key(self, key: str, action: Callable[[], Any], does: str) -> None:
        """A key of this view, such as "ctrl+enter" or "n": letters act only while no field has the focus."""
        self._keys[key] = (does, action)
        self._tell_keys()

    def on_leave(self, action: Callable[[], Any]) -> None:
        """Do this when another view takes the place of this one, or the window is closed."""
        self._leaving.append(action)

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Call with a word for what has changed in the session, as long as this view is shown."""
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
        with self.body:  # the menu that was clicked is drawn anew, and with it the place where the click happened
            view_named(self.view)(self.session, self)
        self._tell_keys()

    def _leave(self) -> None:
        leaving, self._leaving = self._leaving, []
        for action in leaving:
            action()

    def formats(self) -> Sequence[tuple[str, str, str]]:
        """Formats in which this robot can be saved: name, words, extension."""
        plain = self.session is not None and self.session.document.kind not in ("parallel", "hybrid")
        return _FORMATS if plain else _FORMATS[:1]

    def _draw_nav(self) -> None:
        self._nav.clear()
        with self._nav:
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
            narrow = self._menu == menu and bool(self.what.get("command"))  # a rail shows it again
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
                reason = command_reason(row, self.session.robot) if self.session is not None else ""
                kind = "on" if row.name == chosen else "not" if reason else ""
                one = block(kind, "a").props("tabindex=0 role=link")
                one.props["title"] = f"{row.sentence} ({reason})" if reason else row.sentence
                with on_enter(one, partial(self.command, row.name)):
                    text(words(row.name), "el")

    def _link(
        self, label: str, sign: str, on: bool, action: Callable[[], Any], disabled: bool, folds: bool = False,
        open: bool = False,
    ) -> None:  # fmt: skip
        made = block(" ".join(["on" * on, "dis" * disabled, "open" * open]), "a").props("role=link")
        made.props["title"] = label
        if not disabled:
            made.props["tabindex"] = 0
            on_enter(made, action)
        with made:
            icon(sign)
            text(label)
            if folds:
                icon("down" if open else "right", "ch")

    # ----------------------------------------------------------------------------------------- what the frame does

    def save(self, form: str) -> None:
        """Give the user a file of the robot; what must be corrected before is told."""
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
        """In the format that it came in, YAML where that is not one it can be saved in."""
        if self.session is None:
            return
        suffix = self.session.document.origin.rpartition(".")[2].lower()
        known = {"par": "par", "urdf": "urdf", "sdf": "sdf", "xml": "mjcf", "mjcf": "mjcf"}
        formats = [form for form, _, _ in self.formats()]
        form = known.get(suffix, "yaml")
        self.save(form if form in formats else "yaml")

    def undo(self) -> None:
        """Take back the last change of the tables."""
        if self.session is not None:
            self.session.document.undo()

    def redo(self) -> None:
        """Make it again."""
        if self.session is not None:
            self.session.document.redo()

    def open_kept(self, key: str) -> None:
        """Open a robot that is kept under a key."""
        self.attempt(lambda: self.open(self.sessions.session(key)))

    def open_named(self, name: str) -> None:
        """Open a robot of the library."""
        self.attempt(lambda: self.open(self.sessions.open(name)))

    def next_error(self) -> None:
        """The next entry that must be corrected, in the table where it is."""
        if self.session is None or not self.session.document.problems:
            return
        problems = self.session.document.errors or self.session.document.problems
        self._error = (self._error + 1) % len(problems)
        one = problems[self._error]
        self.show_cell(one.table, one.row, one.column)

    def search(self) -> None:
        """The search of everything."""
        Palette(self, everything(self))

    def show_cell(self, table: str, row: int, column: str) -> None:
        """Lead to a cell of the tables."""
        if self.view != "robot":
            self.go("robot")
        self.client.run_javascript(f"robosym.showCell(...{json.dumps([table, row, column])})")

    def do(self, action: Callable[[], Any]) -> None:
        """Do something with the robot's tables, and show them."""
        self.attempt(action)
        if self.view != "robot":
            self.go("robot")

    def _run_again(self, job: PageJob) -> None:
        """A job that was stopped: its options are put back, and it is asked for again."""
        if job.again is not None:
            self.restore(Request(**job.again()))

    def restore(self, request: Request) -> None:
        """Open the robot of what was asked once, with the options that it had, and ask again."""
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
        """Open a menu and put the focus on its first entry."""
        if menu == "Robot":
            self.go("robot" if self.session is not None else "start")
        elif self.session is not None:
            self._menu = menu
            self._draw_nav()
            self.client.run_javascript("setTimeout(() => document.querySelector('.nav .sub a')?.focus(), 60)")

    def _tell_keys(self) -> None:
        self.client.run_javascript(f"robosym.keys({json.dumps([*self._common_keys(), *self._keys])})")

    def _pressed(self, event: GenericEventArguments) -> None:
        own = self._keys.get(event.args)
        action = own[1] if own is not None else self._common_keys().get(event.args)
        if action is not None:
            with self.client:
                action()

    def _heard(self, what: str) -> None:
        """Something has changed in the session, perhaps through another window."""
        with self.client:
            if what == "document":
                draw_top(self._top, self)
            elif what == "copied":
                self.notify("Another program changed this robot too: your version is now a copy of its own", "error")
            for watcher in list(self._watchers):
                watcher(what)
