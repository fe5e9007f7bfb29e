"""A control law with its gains, as fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from robosym.app.menus.option_values import LAWS, law_gains
from robosym.app.page.widgets import block, emptied, field, label_of, select, text

__all__ = ["LawFields"]


class LawFields:
    """A menu of control laws, and a field for each gain of the chosen law: a number, or one per joint."""

    def __init__(self, given: str, changed: Callable[[str], Any]) -> None:
        self.changed = changed
        self.law, _, entries = given.partition(":")
        self.law = self.law.replace("-", "_")
        self.gains = dict(entry.partition("=")[::2] for entry in entries.split(",") if "=" in entry)
        laws = {"": "None: constant torques", **{law: law.replace("_", " ").capitalize() for law in LAWS}}
        if self.law not in laws:
            laws[self.law] = given
        select("Controller", laws, self.law, self._choose)
        self._box = block("gains")
        self._draw()

    def _draw(self) -> None:
        with emptied(self._box):
            for option in law_gains(self.law):
                with block("r", title=f"{option.text()} One number, or one per joint separated by spaces."):
                    text(label_of(option.name), "grow")
                    shown = self.gains.get(option.name, "").replace("/", " ")
                    hint = str(option.default or "a symbol")
                    field(label_of(option.name), shown, partial(self._type, option.name), hint)

    def _choose(self, law: str) -> None:
        self.law, self.gains = law, {}
        self._draw()
        self.changed(law)

    def _type(self, gain: str, typed: str) -> None:
        self.gains[gain] = "/".join(typed.replace("/", " ").split())
        entries = ",".join(f"{name}={value}" for name, value in self.gains.items() if value)
        self.changed(f"{self.law}:{entries}" if entries else self.law)
