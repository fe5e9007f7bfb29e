"""Parts of which every view is built: texts, signs, buttons, fields, tables, menus, panels that are empty."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from robosym.app.page.icons import ICONS

__all__ = [
    "block", "button", "copy_button", "drop_menu", "empty", "failure", "field", "fill", "give", "icon", "keys",
    "menu_entries", "number_field", "on_enter", "read_number", "segments", "select", "spelled", "switch", "table",
    "tabs", "text", "toggle_button", "turn", "zipped",
]  # fmt: skip

_VALUE = "(e) => emit(e.target.value)"
#: When a field is left: what was typed into it, if anything.
_TYPED = (
    "(e) => { const typed = e.target.dataset.typed; delete e.target.dataset.typed; typed === undefined || emit(typed) }"
)


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
            turn(one, other == key, "aria-checked")
        return on_choose(key)  # what takes a while is awaited by whoever calls

    with made:
        for key, words in choices.items():
            one = text(words, "on" if key == chosen else "", "button").props("type=button role=radio")
            one.props["aria-checked"] = str(key == chosen).lower()
            one.on("click", partial(choose, key))
            drawn[key] = one
    return made


def turn(element: Element, on: bool, state: str = "aria-pressed") -> None:
    """Show that an element is on or off, to eyes and to screen readers."""
    element.classes(**({"add": "on"} if on else {"remove": "on"}))
    element.props[state] = str(on).lower()
    element.update()


def _turns(element: Element, on: bool, state: str, on_change: Callable[[bool], Any]) -> Element:
    """Let a click turn an element on and off."""
    element.props[state] = str(on).lower()

    def change() -> Any:
        now = element.props[state] != "true"
        turn(element, now, state)
        return on_change(now)

    return element.on("click", change)


def switch(on: bool, on_change: Callable[[bool], Any], label: str, enabled: bool = True) -> Element:
    """On or off."""
    made = ui.element("button").classes(f"sw {'on' if on else ''} {'' if enabled else 'dis'}")
    made.props("type=button role=switch")
    made.props["aria-label"] = label
    if enabled:
        return _turns(made, on, "aria-checked", on_change)
    made.props["aria-checked"] = str(on).lower()
    made.props["disabled"] = True
    return made


def toggle_button(label: str, on: bool, on_change: Callable[[bool], Any], sign: str = "", kind: str = "") -> Element:
    """A button that stays pressed."""
    made = button("" if kind == "ico" else label, sign=sign, kind=f"ghost {kind} {'on' if on else ''}", title=label)
    return _turns(made, on, "aria-pressed", on_change)


def on_enter(element: Element, action: Callable[[], Any]) -> Element:
    """Let a click and the key Enter do the same."""
    return element.on("click", action).on("keydown.enter", action)


def tabs(choices: Mapping[str, str], chosen: str, on_choose: Callable[[str], Any]) -> None:
    """Tabs of which one is chosen."""
    for key, label in choices.items():
        made = text(label, "on" if key == chosen else "", "a").props("tabindex=0 role=tab")
        made.props["aria-selected"] = str(key == chosen).lower()
        on_enter(made, partial(on_choose, key))


# ----------------------------------------------------------------------------------------------------------- fields


def field(
    label: str, value: object, on_change: Callable[[str], Any], hint: str = "", classes: str = "field",
    event: str = "input",
) -> Element:  # fmt: skip
    """A field for a text; `on_change` hears of each letter, or with the event "change" of the whole."""
    made = ui.element("input").classes(classes).props("spellcheck=false autocomplete=off")
    made.props["aria-label"] = label
    if hint:
        made.props["placeholder"] = hint
    made.props["^value"] = str(value)
    return made.on(event, lambda e: on_change(str(e.args)), js_handler=_VALUE)


def select(label: str, choices: Mapping[str, str], chosen: str, on_choose: Callable[[str], Any]) -> Element:
    """A list of choices of which one holds."""
    made = ui.element("select").classes("field sel")
    made.props["aria-label"] = label
    with made:
        for key, words in choices.items():
            one = text(words, tag="option")
            one.props["value"] = key
            if key == chosen:
                one.props["selected"] = True
    return made.on("change", lambda e: on_choose(str(e.args)), js_handler=_VALUE)


def number_field(
    label: str, value: str, unit: str, on_change: Callable[[str], Any], classes: str = "", inside: bool = False
) -> Element:
    """A field for a number with its unit; with `inside` its name stands in it. Gives the input."""
    with block(f"field typed {classes}", "label"):
        if inside:
            text(label, "mut el").props["title"] = label
        made = ui.element("input").props("type=text inputmode=decimal spellcheck=false autocomplete=off")
        made.props["^value"] = value
        made.props["aria-label"] = label
        # what is being typed is kept apart: a value that arrives meanwhile, of a robot that still moves, is not to win
        made.on("input", js_handler="(e) => { e.target.dataset.typed = e.target.value }")
        made.on("blur", lambda event: on_change(str(event.args)), js_handler=_TYPED)
        made.on("keydown.enter", js_handler="(e) => e.target.blur()")
        if unit:
            text(unit, "u")
    return made


def fill(field: Element, words: str) -> None:
    """Put a text into a field, also where the user has typed another; not while that is being typed."""
    field.props["^value"] = words
    field.update()
    ui.run_javascript(
        f"{{const e = getHtmlElement({field.id}); if (e) e.value = e.dataset.typed ?? {json.dumps(words)}}}"
    )


def spelled(number: float, digits: int) -> str:
    """A number as it is shown: a true minus, no minus before zero."""
    found = f"{number:.{digits}f}"
    return found.replace("-", "" if not found.strip("-0.") else "\N{MINUS SIGN}")


def read_number(words: str) -> float | None:
    """A number as it is typed, with a point or a comma; None where it is none."""
    try:
        value = float(words.strip().replace("\N{MINUS SIGN}", "-").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# ---------------------------------------------------------------------------------------------- tables, menus, panels


def table(heads: Sequence[tuple[str, str, str]]) -> Element:
    """A table: heads with classes and style. Gives its body, to be filled with rows."""
    with block("", "table"):
        with block("", "thead"), block("", "tr"):
            for head, classes, style in heads:
                text(head, classes, "th", style)
        return block("", "tbody")


def copy_button(js: str, label: str = "", title: str = "", kind: str = "ghost s") -> Element:
    """A button that copies: `js` is what a click does in the browser."""
    made = button(label, sign="copy", kind=kind if label else f"{kind} ico", title=title)
    return made.on("click", js_handler=js)


def give(name: str, data: bytes | str) -> None:
    """Let the browser download a file."""
    ui.download.content(data, name)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive of files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


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


def failure(line: str, error: Exception, words: str = "") -> Element:
    """A panel that says why there is nothing in it; the trace of a mistake of ours is for a report."""
    with block("unmade") as made:
        icon("warning")
        text(line, "b", "div")
        text(words or str(error), "sec", "div")
        trace = getattr(error, "trace", "")
        if trace:
            text(trace, "mono xs", "div")
    return made
