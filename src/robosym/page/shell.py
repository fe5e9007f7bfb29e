"""The frame of every view: top bar, menus, head, body, foot; the theme, the keys and the way from view to view."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from robosym.menus import COMMANDS, MENUS
from robosym.page.icons import BRAND
from robosym.page.views import VIEWS, view_named, view_of
from robosym.page.widgets import block, button, empty, icon, text
from robosym.session import Desk, Session

__all__ = ["Shell", "words"]

_HIDDEN = ("list", "show", "new", "convert", "app")  #: what the start and the tables do by themselves


def words(name: str) -> str:
    """The name of a command as a title."""
    return name.replace("_", " ").capitalize()


class Shell:
    """What a view is given beside the session: regions to fill, and ways to speak and to go elsewhere.

    `head`, `body` and `foot` are empty when a view begins; `what` holds what it was asked for, such as the command.
    """

    def __init__(self, desk: Desk, session: Session | None) -> None:
        self.desk = desk
        self.session = session
        self.client = ui.context.client
        self.view = ""
        self.what: dict[str, str] = {}
        self._keys: dict[str, tuple[str, Callable[[], Any]]] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._menu = ""  #: the menu that is open
        with block("app"):
            self._top = block("top", "header")
            self._nav = block("nav", "nav")
            with block("main", "main"):
                self.head = block("head")
                self.body = block("body")
            self.foot = block("foot", "footer")
        ui.on("key", self._pressed)
        ui.on("back", lambda event: self._show(**event.args))
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

    def on_key(self, key: str, action: Callable[[], Any], does: str) -> None:
        """A key of this view, such as "ctrl+enter" or "n": letters act only while no field has the focus."""
        self._keys[key] = (does, action)
        self._tell_keys()

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Call with a word for what has changed in the session, as long as this view is shown."""
        self._watchers.append(watcher)

    # ------------------------------------------------------------------------------------------------ the frame

    def _show(self, view: str = "robot", **what: str) -> None:
        self.view, self.what = view if view in VIEWS else "robot", what
        self._keys, self._watchers = {}, []
        command = COMMANDS.get(what.get("command", ""))
        self._menu = command.menu if command is not None else ("Robot" if view in ("start", "robot") else self._menu)
        for region in (self.head, self.body, self.foot):
            region.clear()
        self.head.set_visibility(view != "start")
        self._draw_top()
        self._draw_nav()
        try:
            view_named(self.view)(self.session, self)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("robosym.page"):
                raise
            with self.body:
                empty("warning", "This view is not there")
        self._tell_keys()

    def _draw_top(self) -> None:
        self._top.clear()
        with self._top:
            with block("brand", "a").props("href=/ title=Start"):
                ui.html(BRAND, sanitize=False, tag="span").classes("bare")
                text("robosym")
            if self.session is None:
                text("No robot open", "mut", style="padding-left:10px")
            else:
                robot = self.session.robot
                with block("pick", "button").on("click", lambda: self.go("robot")):
                    text(robot.name, "b")
                    text(robot.title, "mut hide-t el")
            block("grow")
            block("grow")
            button(sign="moon", kind="ghost ico theme-dark", title="Dark theme").on(
                "click", js_handler="() => robosym.theme('dark')"
            )
            button(sign="sun", kind="ghost ico theme-light", title="Light theme").on(
                "click", js_handler="() => robosym.theme('light')"
            )

    def _draw_nav(self) -> None:
        self._nav.clear()
        with self._nav:
            for menu in MENUS:
                self._draw_menu(menu)
            block("sp")
            self._link("History", "history", self.view == "history", lambda: self.go("history"), self.session is None)
            self._link("Help and keys", "help", False, lambda: None, False)

    def _draw_menu(self, menu: str) -> None:
        rows = [row for row in COMMANDS.values() if row.menu == menu and row.name not in _HIDDEN]
        chosen = self.what.get("command", "")
        is_here = menu == "Robot" and self.view in ("start", "robot")

        def opened() -> None:
            if menu == "Robot" and self._menu != menu:
                self.go("robot" if self.session else "start")
                return
            self._menu = "" if self._menu == menu else menu
            self._draw_nav()

        folded = self.session is None or self._menu != menu
        self._link(
            menu, menu.lower(), is_here, opened, self.session is None and menu != "Robot", bool(rows), not folded
        )
        if folded or not rows:
            return
        with block("sub"):
            for row in rows:
                one = block("on" if row.name == chosen else "", "a").props("tabindex=0 role=link")
                one.props["title"] = row.sentence
                one.on("click", lambda name=row.name: self.command(name))
                one.on("keydown.enter", lambda name=row.name: self.command(name))
                with one:
                    text(words(row.name), "el")

    def _link(
        self, label: str, sign: str, on: bool, action: Callable[[], Any], disabled: bool, folds: bool = False,
        open: bool = False,
    ) -> None:  # fmt: skip
        made = block(" ".join(["on" * on, "dis" * disabled, "open" * open]), "a").props("role=link")
        made.props["title"] = label
        if not disabled:
            made.props["tabindex"] = 0
            made.on("click", action)
            made.on("keydown.enter", action)
        with made:
            icon(sign)
            text(label)
            if folds:
                icon("down" if open else "right", "ch")

    # -------------------------------------------------------------------------------------------- keys and news

    def _tell_keys(self) -> None:
        self.client.run_javascript(f"robosym.keys({json.dumps(list(self._keys))})")

    def _pressed(self, event: GenericEventArguments) -> None:
        found = self._keys.get(event.args)
        if found is not None:
            found[1]()

    def _heard(self, what: str) -> None:
        """Something has changed in the session, perhaps through another window."""
        with self.client:
            if what == "document":
                self._draw_top()
            for watcher in list(self._watchers):
                watcher(what)
