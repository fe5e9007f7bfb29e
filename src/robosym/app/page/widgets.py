"""Elements shared by all views: texts, icons, buttons, fields, tables, menus and empty panels."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

__all__ = [
    "ASSETS", "Entries", "block", "button", "copy_button", "drop_menu", "emptied", "empty", "failure", "field", "fill",
    "give", "icon", "keys", "label_of", "number_field", "on_enter", "pane_tabs", "read_number", "segments", "select",
    "spelled", "switch", "table", "tabs", "text", "toggle_button", "turn", "zipped",
]  # fmt: skip

ASSETS = Path(__file__).parent / "assets"
ICONS: Mapping[str, str] = json.loads(
    (ASSETS / "icons.json").read_text(encoding="utf-8")
)  #: 16 by 16 units, one stroke
E = TypeVar("E", bound=Element)
Entries = Sequence[tuple[str, str, Callable[[], Any] | None]]
_VALUE = "(e) => emit(e.target.value)"
#: Called when a field loses the focus, with the typed text if there is any.
_TYPED = (
    "(e) => { const typed = e.target.dataset.typed; delete e.target.dataset.typed; typed === undefined || emit(typed) }"
)


def block(classes: str = "", tag: str = "div", style: str = "", **attributes: Any) -> Element:
    """Create a plain element, to be filled with `with`; attributes are HTML attributes, such as `aria_label`."""
    return _with(ui.element(tag), classes, style, attributes)


def text(content: str, classes: str = "", tag: str = "span", style: str = "", **attributes: Any) -> TextElement:
    """Create a text; its contents are escaped."""
    return _with(TextElement(tag=tag, text=content), classes, style, attributes)


def _with(made: E, classes: str, style: str, attributes: Mapping[str, Any]) -> E:
    """Set classes, style and HTML attributes of an element; attributes that are None are left out."""
    made.classes(_ours(classes)).style(style)
    if made.tag == "button":
        made.props["type"] = "button"
    for name, value in attributes.items():
        if value is not None:
            is_state = name.startswith("aria_") and isinstance(value, bool)
            made.props[name.replace("_", "-")] = str(value).lower() if is_state else value
    return made


def label_of(name: str) -> str:
    """Return the label of an argument or option."""
    return {"i": "Seen from frame", "j": "Of frame"}.get(name, name.replace("_", " ").capitalize())


def emptied(place: Element) -> Element:
    """Remove the contents of an element and return it, to be filled again with `with`."""
    place.clear()
    return place


def _ours(classes: str) -> str:
    """Rename the CSS classes of text sizes: Quasar hides elements with classes sm and xs on most screens."""
    return " ".join({"sm": "t12", "xs": "t11"}.get(word, word) for word in classes.split())


def icon(name: str, classes: str = "") -> Element:
    """Create an icon of `ICONS`."""
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
    """Create a button of `kind` pri, ghost, s or ico, with icons around its label and a keyboard shortcut."""
    named = None if label else title  # a label is the accessible name, and the title then describes the button
    made = block(f"btn {kind}", "button", title=title or None, aria_label=named, disabled=None if enabled else True)
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
    """Show keys and their actions in the foot of the page."""
    for number, (key, what) in enumerate(pairs):
        with block("sk" if number == 0 else "sk hide-t", "span"):
            text(key, tag="kbd")
            text(what)


def segments(
    choices: Mapping[str, str], chosen: str, on_choose: Callable[[str], Any], classes: str = "", label: str = ""
) -> Element:
    """Create a segmented control: one choice is selected, arrow keys move between them."""
    made = block(f"seg {classes}", role="radiogroup", aria_label=label or None)
    drawn: dict[str, Element] = {}

    def choose(key: str) -> Any:
        for other, one in drawn.items():
            turn(one, other == key, "aria-checked")
        return on_choose(key)  # the caller awaits a coroutine

    with made:
        for key, words in choices.items():
            drawn[key] = text(words, "on" * (key == chosen), "button", role="radio", aria_checked=key == chosen)
            drawn[key].on("click", partial(choose, key))
    return made


def turn(element: Element, on: bool, state: str = "aria-pressed") -> None:
    """Set the pressed state of an element, also for screen readers."""
    element.classes(**({"add": "on"} if on else {"remove": "on"}))
    element.props[state] = str(on).lower()
    element.update()


def _turns(element: Element, on: bool, state: str, on_change: Callable[[bool], Any]) -> Element:
    """Let a click toggle an element."""
    element.props[state] = str(on).lower()

    def change() -> Any:
        now = element.props[state] != "true"
        turn(element, now, state)
        return on_change(now)

    return element.on("click", change)


def switch(on: bool, on_change: Callable[[bool], Any], label: str, enabled: bool = True) -> Element:
    """Create a switch."""
    kind = f"sw {'on' * on} {'dis' * (not enabled)}"
    made = block(kind, "button", role="switch", aria_label=label, disabled=None if enabled else True)
    return _turns(made, on, "aria-checked", on_change)


def toggle_button(label: str, on: bool, on_change: Callable[[bool], Any], sign: str = "", kind: str = "") -> Element:
    """Create a button that stays pressed."""
    made = button("" if kind == "ico" else label, sign=sign, kind=f"ghost {kind} {'on' if on else ''}", title=label)
    return _turns(made, on, "aria-pressed", on_change)


def on_enter(element: Element, action: Callable[[], Any]) -> Element:
    """Let the key Enter act like a click."""
    return element.on("click", action).on("keydown.enter", action)


def tabs(choices: Mapping[str, str], chosen: str, on_choose: Callable[[str], Any]) -> None:
    """Create tabs and select one."""
    with block("bare", role="tablist"):
        for key, label in choices.items():
            made = text(label, "on" * (key == chosen), "a", tabindex=0, role="tab", aria_selected=key == chosen)
            on_enter(made, partial(on_choose, key))


def pane_tabs(panes: Mapping[str, str]) -> None:
    """Create tabs that a narrow window shows in place of columns; the keys are the attributes `data_pane` of panes."""
    with block("tabs panetabs", role="tablist"):
        for key, label in panes.items():
            one = text(label, "", "a", tabindex=0, role="tab", data_pane_tab=key)
            for event in ("click", "keydown.enter"):
                one.on(event, js_handler="(e) => robosym.pane(e.currentTarget.dataset.paneTab)")
    ui.run_javascript(f"robosym.pane({next(iter(panes))!r})")


# ----------------------------------------------------------------------------------------------------------- fields


def field(
    label: str, value: object, on_change: Callable[[str], Any], hint: str = "", classes: str = "field",
    event: str = "input", **attributes: Any,
) -> Element:  # fmt: skip
    """Create a text field; `on_change` is called at each keystroke, or with event "change" when editing ends."""
    made = block(
        classes, "input", spellcheck="false", autocomplete="off", aria_label=label, placeholder=hint or None,
        **attributes,
    )  # fmt: skip
    made.props["^value"] = str(value)
    return made.on(event, lambda e: on_change(str(e.args)), js_handler=_VALUE)


def select(label: str, choices: Mapping[str, str], chosen: str, on_choose: Callable[[str], Any]) -> Element:
    """Create a drop-down list."""
    with block("field sel", "select", aria_label=label) as made:
        for key, words in choices.items():
            text(words, tag="option", value=key, selected=True if key == chosen else None)
    return made.on("change", lambda e: on_choose(str(e.args)), js_handler=_VALUE)


def number_field(
    label: str, value: str, unit: str, on_change: Callable[[str], Any], classes: str = "", inside: bool = False
) -> Element:
    """Create a number field with its unit and return its input; with `inside` the label is inside the field."""
    with block(f"field typed {classes}", "label"):
        if inside:
            text(label, "mut el", title=label)
        made = block(tag="input", inputmode="decimal", spellcheck="false", autocomplete="off", aria_label=label)
        made.props["^value"] = value
        # a value that arrives from a moving robot must not replace text that is being typed
        made.on("input", js_handler="(e) => { e.target.dataset.typed = e.target.value }")
        made.on("blur", lambda event: on_change(str(event.args)), js_handler=_TYPED)
        made.on("keydown.enter", js_handler="(e) => e.target.blur()")
        if unit:
            text(unit, "u")
    return made


def fill(field: Element, words: str) -> None:
    """Set the text of a field, replacing the user's text unless it is being edited."""
    field.props["^value"] = words
    field.update()
    ui.run_javascript(
        f"{{const e = getHtmlElement({field.id}); if (e) e.value = e.dataset.typed ?? {json.dumps(words)}}}"
    )


def spelled(number: float, digits: int) -> str:
    """Format a number for display, with a true minus sign and without negative zero."""
    found = f"{number:.{digits}f}"
    return found.replace("-", "" if not found.strip("-0.") else "\N{MINUS SIGN}")


def read_number(words: str) -> float | None:
    """Parse a number with a decimal point or comma; return None if it is invalid."""
    try:
        value = float(words.strip().replace("\N{MINUS SIGN}", "-").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# ---------------------------------------------------------------------------------------------- tables, menus, panels


def table(heads: Sequence[tuple[str, str, str]]) -> Element:
    """Create a table with headings, classes and style, and return its body, to be filled with rows."""
    with block("", "table"):
        with block("", "thead"), block("", "tr"):
            for head, classes, style in heads:
                text(head, classes, "th", style)
        return block("", "tbody")


def copy_button(js: str, label: str = "", title: str = "", kind: str = "ghost s") -> Element:
    """Create a copy button; `js` is the JavaScript that runs at a click."""
    made = button(label, sign="copy", kind=kind if label else f"{kind} ico", title=title)
    return made.on("click", js_handler=js)


def give(name: str, data: bytes | str) -> None:
    """Download a file in the browser."""
    ui.download.content(data, name)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive of files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def drop_menu(entries: Entries | Callable[[], Entries]) -> None:
    """Create a menu below the current element from (label, remark, action); action None disables an entry.

    The entries are created when the menu opens; arrow keys move between them.
    """
    menu = ui.menu().classes("menu").props("transition-duration=0")

    def fill() -> None:
        with emptied(menu):
            for label, remark, action in entries() if callable(entries) else entries:
                row = block("entry", "button", role="menuitem", disabled=True if action is None else None)
                row.on("keydown.down.prevent", js_handler="(e) => e.currentTarget.nextElementSibling?.focus()")
                row.on("keydown.up.prevent", js_handler="(e) => e.currentTarget.previousElementSibling?.focus()")
                with row:
                    text(label)
                    text(remark, "mut")
                if action is not None:
                    row.on("click", lambda action=action: (menu.close(), action())[1])

    menu.on("before-show", fill)


def empty(
    sign: str, line: str, remark: str = "", label: str = "", on_click: Callable[[], Any] | None = None
) -> Element:
    """Draw an empty panel: an icon, a line of explanation, and a button that fills it."""
    with block("empty") as made:
        icon(sign)
        text(line, "b", "div")
        if remark:
            text(remark, "mut sm", "div")
        if label:
            button(label, on_click, kind="pri")
    return made


def failure(line: str, error: Exception, words: str = "") -> Element:
    """Draw a panel that explains why there is no result; the traceback of an internal error is for a report."""
    with block("unmade") as made:
        icon("warning")
        text(line, "b", "div")
        text(words or str(error), "sec", "div")
        trace = getattr(error, "trace", "")
        if trace:
            text(trace, "mono xs", "div")
    return made
