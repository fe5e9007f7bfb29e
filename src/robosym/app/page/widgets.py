"""Parts of which every view is built: texts, signs, buttons, segments, switches, menus, panels that are empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from robosym.app.page.icons import ICONS

__all__ = ["block", "button", "drop_menu", "empty", "icon", "keys", "menu_entries", "segments", "switch", "text"]


def block(classes: str = "", tag: str = "div", style: str = "") -> Element:
    """A plain element, to be filled with `with`."""
    return ui.element(tag).classes(_ours(classes)).style(style)


def _ours(classes: str) -> str:
    """The sizes of text by other names: what Quasar calls sm and xs it hides on most screens."""
    return " ".join({"sm": "t12", "xs": "t11"}.get(word, word) for word in classes.split())


def text(content: str, classes: str = "", tag: str = "span", style: str = "") -> TextElement:
    """A text; whatever is in it is shown, never run."""
    return TextElement(tag=tag, text=content).classes(_ours(classes)).style(style)


def icon(name: str, classes: str = "") -> Element:
    """A sign of `ICONS`."""
    drawn = f'<svg class="i {classes}" viewBox="0 0 16 16" aria-hidden="true">{ICONS[name]}</svg>'
    return ui.html(drawn, sanitize=False, tag="span").classes("bare")


def button(
    label: str = "",
    on_click: Callable[..., Any] | None = None,
    *,
    sign: str = "",
    after: str = "",
    kind: str = "",
    title: str = "",
    key: str = "",
    enabled: bool = True,
) -> Element:
    """A button: `kind` of pri, ghost, s, ico; signs before and after its label; a key that does the same."""
    made = ui.element("button").classes(f"btn {kind}").props("type=button")
    if title or not label:
        made.props["title"] = title
        made.props["aria-label"] = title
    if not enabled:
        made.props["disabled"] = True
    if on_click is not None:
        made.on("click", on_click)
    with made:
        if sign:
            icon(sign)
        if label:
            text(label)
        if key:
            text(key, "key", tag="kbd")
        if after:
            icon(after)
    return made


def keys(*pairs: tuple[str, str]) -> None:
    """Keys and what they do, for the foot of the page."""
    for number, (key, what) in enumerate(pairs):
        with block("sk" if number == 0 else "sk hide-t", "span"):
            text(key, tag="kbd")
            text(what)


def segments(
    choices: Mapping[str, str], chosen: str, on_choose: Callable[[str], Any], classes: str = "", label: str = ""
) -> Element:
    """Choices of which one holds; arrows move between them."""
    made = block(f"seg {classes}").props("role=radiogroup")
    if label:
        made.props["aria-label"] = label
    drawn: dict[str, Element] = {}

    def choose(key: str) -> Any:
        for other, one in drawn.items():
            one.classes(**({"add": "on"} if other == key else {"remove": "on"}))
            one.props["aria-checked"] = str(other == key).lower()
            one.update()
        return on_choose(key)  # what takes a while is awaited by whoever calls

    with made:
        for key, words in choices.items():
            one = text(words, "on" if key == chosen else "", "button").props("type=button role=radio")
            one.props["aria-checked"] = str(key == chosen).lower()
            one.on("click", lambda key=key: choose(key))
            drawn[key] = one
    return made


def switch(on: bool, on_change: Callable[[bool], Any], label: str, enabled: bool = True) -> Element:
    """On or off."""
    made = ui.element("button").classes(f"sw {'on' if on else ''} {'' if enabled else 'dis'}")
    made.props("type=button role=switch")
    made.props["aria-checked"] = str(on).lower()
    made.props["aria-label"] = label
    state = [on]

    def turn() -> Any:
        state[0] = not state[0]
        made.classes(**({"add": "on"} if state[0] else {"remove": "on"}))
        made.props["aria-checked"] = str(state[0]).lower()
        made.update()
        return on_change(state[0])

    if enabled:
        made.on("click", turn)
    else:
        made.props["disabled"] = True
    return made


def drop_menu(entries: Sequence[tuple[str, str, Callable[[], Any] | None]]) -> ui.menu:
    """A menu below the element in which it is made: label, remark and what is done; None stands for "not here"."""
    with ui.menu().classes("menu").props("transition-duration=0") as menu:
        menu_entries(menu, entries)
    return menu


def menu_entries(menu: ui.menu, entries: Sequence[tuple[str, str, Callable[[], Any] | None]]) -> None:
    """The rows of a menu, in the element that is open; arrows move between them."""
    for label, remark, action in entries:
        row = ui.element("button").classes("entry").props("type=button role=menuitem")
        row.on("keydown.down.prevent", js_handler="(e) => e.currentTarget.nextElementSibling?.focus()")
        row.on("keydown.up.prevent", js_handler="(e) => e.currentTarget.previousElementSibling?.focus()")
        with row:
            text(label)
            text(remark, "mut")
        if action is None:
            row.props["disabled"] = True
        else:
            row.on("click", lambda action=action: (menu.close(), action())[1])


def empty(
    sign: str, line: str, remark: str = "", label: str = "", on_click: Callable[[], Any] | None = None
) -> Element:
    """A panel with nothing in it: one sign, one line what this is, one button that fills it."""
    with block("empty") as made:
        icon(sign)
        text(line, "b", "div")
        if remark:
            text(remark, "mut sm", "div")
        if label:
            button(label, on_click, kind="pri")
    return made
