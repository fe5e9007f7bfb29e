"""Dialogs of the frame: search of everything, the list of keys, a new robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from robosym.app.page.widgets import block, button, icon, segments, text
from robosym.errors import Error

if TYPE_CHECKING:
    from robosym.app.page.shell import Shell

__all__ = ["Found", "Palette", "ask_new_robot", "list_keys"]

_SHOWN = 12

#: the keys that are everywhere, by place
KEYS: dict[str, tuple[tuple[str, str], ...]] = {
    "Everywhere": (
        ("Ctrl K", "search of everything"), ("Ctrl Z", "undo"), ("Ctrl Shift Z", "redo"), ("Ctrl S", "save"),
        ("Ctrl Enter", "generate"), ("Esc", "cancel or close"), ("F8", "next error"), ("Alt 1 to 7", "menus"),
        ("F6", "next panel"), ("?", "this list"),
    ),
    "Tables": (
        ("Arrows", "move"), ("Enter", "edit, then the next row"), ("Tab", "next cell"), ("Esc", "the old entry again"),
        ("Alt ↑ ↓", "move a frame"), ("Insert", "add a frame"), ("Ctrl Delete", "remove a frame"),
        ("Ctrl V", "paste a block"),
    ),
    "Sliders": (("Arrows", "1 degree"), ("Shift arrows", "10 degrees"), ("Alt arrows", "0.1 degree")),
    "Solutions": (("1 to 9", "show"), ("Enter", "take")),
    "Start": (("N", "new robot"), ("O", "open a file")),
}  # fmt: skip
_COLUMNS = (("Everywhere", "Start"), ("Tables", "Sliders", "Solutions"))


def _dialog(classes: str) -> ui.dialog:
    return ui.dialog().classes(f"veil {classes}").props("transition-duration=80")


def list_keys(shell: Shell) -> None:
    """All keys; those of the view first."""
    with shell.client, _dialog("") as dialog, block("card sheet keys"):
        with block("row sheet-head"):
            text("Keys", "b", "h1")
            block("grow")
            button(sign="cross", kind="ghost ico", title="Close", on_click=dialog.close)
        with block("keyboard"):
            for titles in _COLUMNS:
                with block("keycolumn"):
                    for title in titles:
                        _key_group(title)
    dialog.on("hide", dialog.delete)
    dialog.open()


def _key_group(title: str) -> None:
    with block("keygroup"):
        text(title, "lab", "div")
        for key, does in KEYS[title]:
            with block("keyrow"):
                text(key, tag="kbd")
                text(does)


@dataclass(frozen=True)
class Found:
    """Something that the search can find: its words, what it is, and what is done when it is chosen."""

    label: str
    about: str
    sign: str
    action: Callable[[], Any]


class Palette:
    """The search of everything: type, arrows, Enter."""

    def __init__(self, shell: Shell, everything: Sequence[Found]) -> None:
        self.shell = shell
        self.everything = list(everything)
        self.hits: list[Found] = []
        self.at = 0
        with shell.client, _dialog("high") as self.dialog, block("card sheet palette"):
            with block("row palette-head"):
                icon("search")
                self.field = ui.element("input").props('autofocus placeholder="Search models, variables, actions"')
                self.field.props["aria-label"] = "Search"
                self.field.on("input", lambda e: self._look(str(e.args)), js_handler="(e) => emit(e.target.value)")
                self.field.on("keydown.down.prevent", lambda: self._move(1))
                self.field.on("keydown.up.prevent", lambda: self._move(-1))
                self.field.on("keydown.enter.prevent", self._take)
                text("Esc", tag="kbd")
            self.list = block("hits").props("role=listbox")
        self.dialog.on("hide", self.dialog.delete)
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

    def _chosen(self, found: Found) -> None:
        self.dialog.close()
        found.action()

    def _draw(self, typed: str) -> None:
        self.list.clear()
        with self.list:
            if not self.hits:
                text(f"Nothing is called {typed[:60]!r}", "mut none", "div")
            for number, found in enumerate(self.hits):
                row = block("hit on" if number == self.at else "hit").props("role=option")
                row.on("click", lambda found=found: self._chosen(found))
                with row:
                    icon(found.sign)
                    text(found.label, "m el")
                    text(found.about, "mut sm el")


def ask_new_robot(shell: Shell) -> None:
    """Name, type, number of links, loops or legs, base (guide 5.4.1)."""
    asked: dict[str, Any] = {"structure": "simple", "base": "fixed"}
    fields: dict[str, Element] = {}
    with shell.client, _dialog("") as dialog, block("card sheet new"):
        with block("row sheet-head"):
            text("New robot", "b", "h1")
            block("grow")
            button(sign="cross", kind="ghost ico", title="Close", on_click=dialog.close)

        def row(label: str, hint: str = "") -> Element:
            made = block("ask")
            with made, block("ask-l"):
                text(label, "lab", "div")
                if hint:
                    text(hint, "mut xs", "div")
            return made

        def field(name: str, value: str, numeric: bool = True) -> None:
            asked[name] = value
            one = ui.element("input").classes("field in").props("spellcheck=false autocomplete=off")
            one.props["^value"] = value
            one.props["aria-label"] = name
            if numeric:
                one.props["type"] = "number"
                one.props["min"] = 1
                one.props["max"] = 200
            one.on("input", lambda e: asked.update({name: str(e.args)}), js_handler="(e) => emit(e.target.value)")
            fields[name] = one

        def structured(kind: str) -> None:
            asked["structure"] = kind
            extra.set_visibility(kind in ("closed", "parallel"))
            base.set_visibility(kind != "parallel")
            links_label.text = "Joints of a leg" if kind == "parallel" else "Moving links"
            extra_label.text = "Legs" if kind == "parallel" else "Loops"
            if kind == "parallel" and asked["loops"] == "1":
                asked["loops"] = "3"
                fields["loops"].props["^value"] = "3"
                fields["loops"].update()

        with row("Name"):
            field("name", "robot", numeric=False)
        with row("Type", "Loops are cut joints closed by fixed frames; a parallel robot has a platform on legs"):
            kinds = {"simple": "Chain", "tree": "Tree", "closed": "Closed", "parallel": "Parallel"}
            segments(kinds, "simple", structured, "full", "Type")
        with block("ask"):
            with block("ask-l"):
                links_label = text("Moving links", "lab", "div")
            field("links", "6")
        extra = block("ask")
        with extra:
            with block("ask-l"):
                extra_label = text("Loops", "lab", "div")
            field("loops", "1")
        extra.set_visibility(False)
        base = row("Base")
        with base:
            bases = {"fixed": "Fixed", "mobile": "Mobile", "floating": "Floating"}
            segments(bases, "fixed", lambda kind: asked.update(base=kind), "full", "Base")
        wrong = text("", "wrong", "div")

        def create() -> None:
            try:
                links, loops = _count("links", asked["links"]), _count("loops", asked["loops"])
                session = shell.sessions.new(asked["name"].strip(), links, loops, asked["structure"], asked["base"])
            except Error as error:
                wrong.text = str(error)
                return
            dialog.close()
            shell.open(session)

        with block("row sheet-foot"):
            text("Revolute joints, no lengths, symbols for the links: then edit the tables", "mut sm")
            block("grow")
            button("Create", create, kind="pri", key="↵")
        for one in fields.values():
            one.on("keydown.enter.prevent", create)
    dialog.on("hide", dialog.delete)
    dialog.open()
    dialog.on("show", js_handler=f"() => getHtmlElement({fields['name'].id}).select()")


def _count(name: str, typed: str) -> int:
    from robosym.errors import InputError

    if not typed.strip().isdigit() or not 1 <= int(typed) <= 200:
        raise InputError(f"{name}: expected a number from 1 to 200, found {typed[:20]!r}")
    return int(typed)
