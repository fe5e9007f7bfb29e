"""The start view: open a file, create a robot, continue unsaved work, or choose a robot of the library."""

from __future__ import annotations

import re
import time
from functools import partial
from pathlib import Path
from typing import Any

from nicegui.element import Element

from robosym.app.page.dialogs import NewRobot
from robosym.app.page.finder import catalogue
from robosym.app.page.fixing import page_text
from robosym.app.page.shell import Shell
from robosym.app.page.uploads import ROBOT_FILES, FileDrop
from robosym.app.page.widgets import block, button, drop_menu, emptied, field, icon, keys, segments, text
from robosym.app.session import Session
from robosym.errors import Error, counted

__all__ = ["start"]

_FIRST = (
    "rx90", "ur5e", "panda", "puma560", "iiwa14", "gen3", "scara", "stanford", "sr400", "gough_stewart", "delta",
    "gantry3p3r",
)  # fmt: skip
_RECENT = 6  #: robots
_CARD = 26  #: maximum length of a title on a card
_KINDS = {"open chain": "Open chain", "tree": "Tree", "closed": "Closed", "parallel": "Parallel", "hybrid": "Hybrid"}


def start(session: Session | None, shell: Shell) -> None:
    """Draw the view."""
    with shell.body, block("start"), block("start-in"):
        text("Open a robot", "title", "h1")
        text("Describe it in tables, see it move, and generate its geometric, kinematic, dynamic and identification "
             "models.", "sec lead", "p")  # fmt: skip
        with block("ways" if shell.sessions.unsaved() else "ways none-kept"):
            drop = _file(shell)
            with block("card way"):
                with block("grow"):
                    text("New robot", "b big", "div")
                    text("Number of links, loops and type", "sec sm", "div")
                button("New", lambda: NewRobot(shell), sign="plus", kind="pri", key="N")
            _unsaved(shell)
        _recent(shell)
        Library(shell)
    with shell.foot, block("status"):
        text("robosym runs on this computer only; nothing leaves it")
        block("grow")
        keys(("O", "open a file"), ("N", "new robot"), ("?", "all keys"))
    shell.on_key("n", lambda: NewRobot(shell), "new robot")
    shell.on_key("o", drop.choose, "open a file")


def _file(shell: Shell) -> FileDrop:
    failed: list[Element] = []

    def opened(path: Path) -> None:
        try:
            shell.open(shell.sessions.open_file(path.name, path.read_bytes()))
        except Error as error:
            failed_with(page_text(error))

    def failed_with(words: str) -> None:
        """Show the error at the drop area until another file is opened."""
        place, _, rest = words.partition(": ")
        failed[0].clear()
        failed[0].set_visibility(True)
        with failed[0]:
            icon("warning")
            with block("grow"):
                text(place[:120], "b", "div")
                text(rest[:400] or words[:400], "sec sm", "div")
            button(sign="cross", kind="ghost ico s", title="Close", on_click=lambda: failed[0].set_visibility(False))

    drop = FileDrop(opened, failed_with, ROBOT_FILES)
    with drop, block("drop"):
        with block("ic"):
            icon("upload")
        with block("grow"):
            text("Drop a file here", "b big", "div")
            text(".par, .yaml, .urdf, .xml (MJCF) or .sdf", "sec sm", "div")
        drop.opens(button("Choose a file"))
        failed.append(block("failed"))
        failed[0].set_visibility(False)
    return drop


def _unsaved(shell: Shell) -> None:
    found = shell.sessions.unsaved()
    if not found:
        return
    with block("card way kept"):
        for one in found[:1]:
            with block("row keptrow"):
                with block("grow", style="min-width:0"):
                    with block("row", style="gap:7px"):
                        block("dot", "i")
                        text(one.name or "no name", "b big el")
                    text(f"Unsaved changes of {_when(one.when)}", "sec sm el", "div")
                button("Continue", lambda key=one.key: shell.open_kept(key))

                def discard(key: str = one.key) -> None:
                    shell.sessions.discard(key)
                    shell.go("start")

                button(sign="bin", kind="ghost ico", title="Discard", on_click=discard)
        if len(found) > 1:

            def discard_all() -> None:
                for one in found:
                    shell.sessions.discard(one.key)
                shell.go("start")

            with block("row"), button(f"and {len(found) - 1} more", kind="ghost s others", after="down"):
                rows = [
                    (one.name or "no name", _when(one.when), partial(shell.open_kept, one.key)) for one in found[1:20]
                ]
                drop_menu([*rows, ("Discard all", f"{len(found)}", discard_all)])


def _recent(shell: Shell) -> None:
    """Draw the robots that were opened last and have no unsaved changes, once each."""
    latest = {one.name: one for one in reversed(shell.sessions.unsaved(False)) if one.name}
    if latest:
        with block("row recent"):
            text("Recent", "lab")
            for one in list(reversed(latest.values()))[:_RECENT]:
                button(one.name, partial(shell.open_kept, one.key), kind="s", title=f"Opened {_when(one.when)}")


def _short(title: str) -> str:
    """Shorten a title so that it fits on a card."""
    ends = [*(match.start() for match in re.finditer(r",? (?:with|of the|of a|and) |, ", title)), len(title)]
    return title[: max((end for end in ends if end <= _CARD), default=len(title))]


def _when(seconds: float) -> str:
    then, now = time.localtime(seconds), time.localtime()
    clock = time.strftime("%H:%M", then)
    if then[:3] == now[:3]:
        return f"today, {clock}"
    return f"{time.strftime('%d %B', then)}, {clock}".lstrip("0")


class Library:
    """The robots of the library as cards with pictures."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.kind, self.typed, self.all = "", "", False
        robots = catalogue()
        counts = {kind: sum(one["structure"] == kind for one in robots.values()) for kind in _KINDS}
        with block("row lib-head"):
            text("Library", tag="h1")
            self.count = text("", "mut")
            block("grow")
            choices = {"": "All"} | {kind: f"{words} {counts[kind]}" for kind, words in _KINDS.items()}
            segments(choices, "", self._kind, label="Kind of robot")
            with block("search find", "label"):
                icon("search")
                field("Find a robot", "", self._find, "Find a robot", "")
        self.cards = block("lib")
        self.more = button("", self._show_all, kind="ghost more-all", after="down")
        self._draw()

    def _kind(self, kind: str) -> None:
        self.kind = kind
        self._draw()

    def _find(self, typed: str) -> None:
        self.typed = typed.strip().lower()
        self._draw()

    def _show_all(self) -> None:
        self.all = True
        self._draw()

    def _draw(self) -> None:
        robots = catalogue()
        order = [*(name for name in _FIRST if name in robots), *(name for name in robots if name not in _FIRST)]
        found = [
            name
            for name in order
            if (not self.kind or robots[name]["structure"] == self.kind)
            and self.typed in f"{name} {robots[name]['title']} {robots[name]['structure']}".lower()
        ]
        shown = found if self.all or self.kind or self.typed else found[: len(_FIRST)]
        self.count.text = counted(len(found), "robot")
        with emptied(self.cards):
            for name in shown:
                self._card(name, robots[name])
            if not found:
                text(f"No robot is called {self.typed[:60]!r}", "mut", "div")
        self.more.clear()
        self.more.set_visibility(len(shown) < len(found))
        with self.more:
            text(f"Show all {len(found)}")
            icon("down")

    def _card(self, name: str, about: dict[str, Any]) -> None:
        with block("card rc", "button").on("click", lambda: self.shell.open_named(name)):
            with block("pic"):
                block(tag="img", src=f"/assets/library/{name}.svg", alt="", loading="lazy")
            with block("tx"):
                text(name, "b el", "div")
                text(_short(about["title"]), "sec sm el", "div", title=about["title"])
                details = counted(about["joints"], "joint"), about["structure"], about["numbers"]
                text(", ".join(details), "mut xs el", "div")
