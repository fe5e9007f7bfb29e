"""Errors in the terms of the page: the field that an error concerns, and buttons for unambiguous fixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui.element import Element

from robosym.app.menus import Command, Option
from robosym.app.menus.option_values import REPEATED
from robosym.app.page.widgets import button, failure, label_of
from robosym.errors import Action, Diagnostic, Error, GiveValue, PathPart

__all__ = ["Fix", "PageWords", "SuggestedFixes", "draw_failure", "page_text"]


class PageWords:
    """Vocabulary of the page: labels of fields instead of arguments."""

    def __init__(self, labels: Mapping[str, str] | None = None) -> None:
        self.labels = labels or {}

    def knows(self, part: PathPart) -> bool:
        """Return whether the part names a field."""
        return part.number is None and part.name in self.labels

    def place(self, part: PathPart) -> str:
        """Return the label of a field if the part names one."""
        return self.labels[part.name] if self.knows(part) else str(part)

    def action(self, action: Action) -> str:
        """Return the text of a suggested action, with the labels of the fields."""
        if isinstance(action, GiveValue):
            return f"give {action.symbol} a value in the tables of the robot"
        label, value = self.labels.get(action.argument, label_of(action.argument)), self.value(action)
        entries = ", ".join(map(str, value)) if isinstance(value, list) else value
        return f'"{label}"' if value is None or value is True else f'"{label}" {entries}'

    def value(self, action: Action) -> Any:
        """Return the content of the field after the action, or None if it is unknown."""
        return None


def page_text(error: Diagnostic, labels: Mapping[str, str] | None = None) -> str:
    """Return the text of an error in the words of the page; `labels` are those of the fields, by argument."""
    return error.text(PageWords(labels))


@dataclass(frozen=True)
class Fix:
    """A button: its label, the field that it changes, and the new content of the field."""

    label: str
    name: str
    value: Any
    is_complete: bool = True  #: whether the field needs no further input


class SuggestedFixes(PageWords):
    """The fixes of an error of a command whose options have the values `fields`."""

    def __init__(self, command: Command, fields: dict[str, Any], error: Error) -> None:
        self.fields, self.error = fields, error
        self.options = command.options_by_name()
        labels = {name: option.label or label_of(option.name) for name, option in self.options.items()}
        super().__init__({argument.name: label_of(argument.name) for argument in command.arguments} | labels)

    @property
    def text(self) -> str:
        """The error in the words of the page."""
        return self.error.text(self)

    def value(self, action: Action) -> Any:
        """Return the content of the field after the action, or None if it is unknown."""
        option = None if isinstance(action, GiveValue) else self.options.get(action.argument)
        return None if option is None or isinstance(action, GiveValue) else _content(option, action.value, None)

    @property
    def name(self) -> str:
        """The option whose field must be corrected, or "" if that is not certain."""
        parts = [self.options[part.name].name for part in self.error.path[:1] if part.name in self.options]
        return parts[0] if parts else self._holder

    @property
    def _holder(self) -> str:
        """The only field that contains the unknown word."""
        if not self.error.unknown:
            return ""
        word = re.compile(rf"(?<!\w){re.escape(self.error.unknown)}(?!\w)")
        found = [name for name, value in self.fields.items() if word.search(str(value))]
        return found[0] if len(found) == 1 else ""

    def fixes(self) -> Iterator[Fix]:
        """Yield the fixes, the most likely first."""
        name, meant = self._holder, self.error.meant
        if name:
            given, unknown = self.fields[name], self.error.unknown
            several = given if isinstance(given, list) else [given]
            right = [str(text).replace(unknown, meant) for text in several]
            yield Fix(f"Use {meant}", name, right if isinstance(given, list) else right[0])
        for action in self.error.hint:
            if isinstance(action, GiveValue):
                if "set" in self.options:
                    entries = _content(self.options["set"], {action.symbol: ""}, self.fields.get("set"))
                    yield Fix(f"Give {action.symbol} a value", "set", entries, False)
            elif not isinstance(action, str) and action.argument in self.options:
                option = self.options[action.argument]
                value = _content(option, action.value, self.fields.get(option.name))
                if value is not None:
                    yield Fix(f"Set {self.action(action)}", option.name, value)


def draw_failure(line: str, fixing: SuggestedFixes, redo: Callable[[Fix], Any], text: str = "") -> Element:
    """Draw why there is no result, with one button per fix; `redo` is called when a fix has changed its field.

    `text` replaces the text of the error.
    """
    with failure(line, fixing.error, text or fixing.text) as made:
        for fix in fixing.fixes():
            button(fix.label, partial(_apply, fixing.fields, fix, redo), kind="pri")
    return made


def _apply(fields: dict[str, Any], fix: Fix, redo: Callable[[Fix], Any]) -> Any:
    fields[fix.name] = fix.value
    return redo(fix)


def _content(option: Option, value: object, given: Any) -> Any:
    """Return the contents of the field of an option for a value of Python, or None if the value is unknown."""
    if isinstance(value, Mapping):
        if any(entry is None for entry in value.values()) or option.kind not in REPEATED:
            return None
        before = [given] if isinstance(given, str) and given else list(given or [])
        return [*before, *(f"{key}={entry}" for key, entry in value.items())]
    if option.kind == "flag":
        return True if value is True or (option.stands_for and value == option.stands_for) else None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return None if value is None else str(value)
