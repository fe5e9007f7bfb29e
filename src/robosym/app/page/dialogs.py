"""Dialogs of the frame: global search, list of keys, new robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from robosym.app.page.fixing import page_text
from robosym.app.page.widgets import block, button, emptied, field, icon, segments, select, text
from robosym.errors import Error, InputError
from robosym.formats.templates import TEMPLATES

if TYPE_CHECKING:
    from robosym.app.page.shell import Shell

__all__ = ["NewRobot", "Palette", "SearchResult", "list_keys"]

_SHOWN = 12  #: maximum number of search results
_MOST = 200  #: links and loops of a new robot

#: the keys of all views, by section
KEYS: dict[str, tuple[tuple[str, str], ...]] = {
    "Everywhere": (
        ("Ctrl K", "search of everything"), ("Ctrl Z", "undo"), ("Ctrl Shift Z", "redo"), ("Ctrl S", "save"),
        ("Ctrl Enter", "generate"), ("Esc", "cancel or close"), ("F8", "next error"), ("Alt 1 to 7", "menus"),
        ("F6", "next panel"), ("?", "this list"),
    ),
    "Tables": (
        ("Arrows", "move"), ("Enter", "edit, then the next row"), ("Tab", "next cell"), ("Esc", "the old entry again"),
        ("Alt ↑ ↓", "move a frame"), ("Insert", "add a frame"), ("Ctrl Delete", "remove a frame"),
        ("Shift arrows", "select a block"), ("Ctrl A", "select all"),
        ("Ctrl C, V", "copy and paste a block, also of a spreadsheet"),
    ),
    "Sliders": (("Arrows", "1 degree"), ("Shift arrows", "10 degrees"), ("Alt arrows", "0.1 degree")),
    "Solutions": (("1 to 9", "show"), ("Enter", "take")),
    "Start": (("N", "new robot"), ("O", "open a file")),
}  # fmt: skip
_COLUMNS = (("Everywhere", "Start"), ("Tables", "Sliders", "Solutions"))


def _dialog(classes: str, title: str) -> ui.dialog:
    made = ui.dialog().classes(f"veil {classes}").props(f"transition-duration=80 aria-label='{title}'")
    return made.on("hide", made.delete)


@contextmanager
def _sheet(title: str, classes: str) -> Iterator[ui.dialog]:
    """Return a dialog with a title and a close button, to be filled."""
    with _dialog("", title) as dialog, block(f"card sheet {classes}"):
        with block("row sheet-head"):
            text(title, "b", "h1")
            block("grow")
            button(sign="cross", kind="ghost ico", title="Close", on_click=dialog.close)
        yield dialog


def list_keys(shell: Shell) -> None:
    """Show the list of all keys."""
    with shell.client, _sheet("Keys", "keys") as dialog, block("keyboard"):
        for titles in _COLUMNS:
            with block("keycolumn"):
                for title in titles:
                    _key_group(title)
    dialog.open()


def _key_group(title: str) -> None:
    with block("keygroup"):
        text(title, "lab", "div")
        for key, does in KEYS[title]:
            with block("keyrow"):
                text(key, tag="kbd")
                text(does)


@dataclass(frozen=True)
class SearchResult:
    """A search result: its text, its kind, and the action when it is chosen."""

    label: str
    about: str
    sign: str
    action: Callable[[], Any]


class Palette:
    """The global search: type, move with the arrow keys, choose with Enter."""

    def __init__(self, shell: Shell, everything: Sequence[SearchResult]) -> None:
        self.shell = shell
        self.everything = list(everything)
        self.hits: list[SearchResult] = []
        self.at = 0
        with shell.client, _dialog("high", "Search") as self.dialog, block("card sheet palette"):
            with block("row palette-head"):
                icon("search")
                self.field = field("Search", "", self._look, "Search models, variables, actions", "", autofocus=True)
                self.field.on("keydown.down.prevent", lambda: self._move(1))
                self.field.on("keydown.up.prevent", lambda: self._move(-1))
                self.field.on("keydown.enter.prevent", self._take)
                text("Esc", tag="kbd")
            self.list = block("hits", role="listbox", aria_label="Results")
        self._look("")
        self.dialog.open()
        self.dialog.on("show", js_handler=f"() => getHtmlElement({self.field.id}).focus()")

    def _look(self, typed: str) -> None:
        words = typed.lower().split()
        scored = []
        for number, found in enumerate(self.everything):
            label, all_words = found.label.lower(), f"{found.label} {found.about}".lower()
            if all(word in all_words for word in words):
                first = words[0] if words else ""
                rank = 0 if label == typed.lower() else 1 if label.startswith(first) else 2 if first in label else 3
                scored.append((rank, number, found))
        self.hits = [found for _, _, found in sorted(scored, key=lambda one: one[:2])][:_SHOWN]
        self.at = 0
        self._draw(typed)

    def _move(self, step: int) -> None:
        if self.hits:
            self.at = (self.at + step) % len(self.hits)
            self._draw("")

    def _take(self) -> None:
        if self.hits:
            self._chosen(self.hits[self.at])

    def _chosen(self, found: SearchResult) -> None:
        self.dialog.close()
        found.action()

    def _draw(self, typed: str) -> None:
        with emptied(self.list):
            if not self.hits:
                text(f"No match for {typed[:60]!r}", "mut none", "div")
            for number, found in enumerate(self.hits):
                row = block("hit on" if number == self.at else "hit", role="option", aria_selected=number == self.at)
                row.on("click", lambda found=found: self._chosen(found))
                with row:
                    icon(found.sign)
                    text(found.label, "m el")
                    text(found.about, "mut sm el")


class NewRobot:
    """The dialog for a new robot: name, type, number of links, loops or legs, base (guide 5.4.1)."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.asked = {"structure": "simple", "base": "fixed"}
        self.fields: dict[str, Element] = {}
        with shell.client, _sheet("New robot", "new") as self.dialog:
            with _row("Name"):
                self._field("name", "robot")
            with _row("Start from", "A structure with sensible lengths"):
                choices = {"": "Links and joints, below", **{name: name for name in TEMPLATES}}
                select("Start from", choices, "", self._start_from)
            hint = "Loops are cut joints closed by fixed frames; a parallel robot has a platform on legs"
            with _row("Type", hint) as (self.type, _):
                kinds = {"simple": "Chain", "tree": "Tree", "closed": "Closed", "parallel": "Parallel"}
                segments(kinds, "simple", self._structured, "full", "Type")
            with _row("Moving links") as (self.links, self.links_label):
                self._field("links", "6", most=_MOST)
            with _row("Loops") as (self.loops, self.loops_label):
                self._field("loops", "1", most=_MOST)
            self.loops.set_visibility(False)
            with _row("Base") as (self.base, _):
                bases = {"fixed": "Fixed", "mobile": "Mobile", "floating": "Floating"}
                segments(bases, "fixed", lambda kind: self.asked.update(base=kind), "full", "Base")
            self.wrong = text("", "wrong", "div")
            with block("row sheet-foot"):
                text("Then edit lengths, angles and links in the tables", "mut sm")
                block("grow")
                button("Create", self._create, kind="pri", key="↵")
        self.dialog.open()
        self.dialog.on("show", js_handler=f"() => getHtmlElement({self.fields['name'].id}).select()")

    def _field(self, name: str, value: str, most: int = 0) -> None:
        self.asked[name] = value
        one = field(name, value, lambda typed: self.asked.update({name: typed}), classes="field in")
        if most:
            one.props(f"type=number min=1 max={most}")
        self.fields[name] = one.on("keydown.enter.prevent", self._create)

    def _start_from(self, template: str) -> None:
        self.asked["template"] = template
        for row in (self.type, self.links, self.base):
            row.set_visibility(not template)
        self.loops.set_visibility(not template and self.asked["structure"] in ("closed", "parallel"))

    def _structured(self, kind: str) -> None:
        self.asked["structure"] = kind
        self.loops.set_visibility(kind in ("closed", "parallel"))
        self.base.set_visibility(kind != "parallel")
        self.links_label.text = "Joints of a leg" if kind == "parallel" else "Moving links"
        self.loops_label.text = "Legs" if kind == "parallel" else "Loops"
        if kind == "parallel" and self.asked["loops"] == "1":
            self.asked["loops"] = "3"
            self.fields["loops"].props["^value"] = "3"
            self.fields["loops"].update()

    def _create(self) -> None:
        asked = self.asked
        try:
            name, template = asked["name"].strip(), asked.get("template")
            links, loops = (_count(one, asked[one]) for one in ("links", "loops"))
            new = self.shell.sessions.new
            session = new(name, links, loops, asked["structure"], asked["base"], template or "")
        except Error as error:
            labels = {"name": "Name", "links": self.links_label.text, "loops": self.loops_label.text}
            self.wrong.text = page_text(error, {**labels, "legs": "Legs", "joints": self.links_label.text})
            return
        self.dialog.close()
        self.shell.open(session)


@contextmanager
def _row(label: str, hint: str = "") -> Iterator[tuple[Element, TextElement]]:
    """Return a row of the dialog with its label, to be filled."""
    with block("ask") as made:
        with block("ask-l"):
            words = text(label, "lab", "div")
            if hint:
                text(hint, "mut xs", "div")
        yield made, words


def _count(name: str, typed: str) -> int:
    if not typed.strip().isdigit() or not 1 <= int(typed) <= _MOST:
        raise InputError(f"{name}: expected a number from 1 to {_MOST}, found {typed[:20]!r}")
    return int(typed)
