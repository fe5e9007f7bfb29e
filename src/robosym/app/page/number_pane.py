"""Numbers of the symbols of a robot, typed once for all commands that compute with numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from robosym.app.page.widgets import block, button, emptied, number_field, read_number, text
from robosym.app.session import Session
from robosym.drawing.example_values import example_values
from robosym.errors import InputError

__all__ = ["NumberPane"]


class NumberPane:
    """A fold with a field per symbol that a command needs as a number; `changed` is called after each change."""

    def __init__(self, session: Session, command: str, changed: Callable[[], Any]) -> None:
        self.session, self.command, self.changed = session, command, changed
        self.numbers = session.results.numbers
        self.symbols = session.results.symbols(command)
        self._box = block("bare")
        if self.symbols:
            self._draw()

    @property
    def missing(self) -> list[str]:
        """The symbols without a number."""
        return [name for name in self.symbols if name not in self.numbers]

    def _draw(self) -> None:
        with emptied(self._box), block("more-opt", "details", open=True if self.missing else None):
            with block("", "summary"):
                text("Numbers of symbols", "m")
                self._count = text("", "mut xs")
            with block("in-more"):
                text(
                    "Not part of the tables: used wherever a result needs numbers, and in the picture", "mut xs", "div"
                )
                with block("row"):
                    button("Example numbers", self._fill, kind="s", title="A plausible number for each that is missing")
                    button("Clear", self._clear, kind="ghost s")
                with block("numbers"):
                    for name in self.symbols:
                        number_field(name, str(self.numbers.get(name, "")), "", partial(self._typed, name), "r", True)
        self._show_count()

    def _show_count(self) -> None:
        self._count.set_text(f"{len(self.symbols) - len(self.missing)} of {len(self.symbols)}")

    def _typed(self, name: str, words: str) -> None:
        value = read_number(words)
        if words.strip() and value is None:
            raise InputError(f"{name}: expected a number, found {words[:40]!r}")
        if value is None:
            self.numbers.pop(name, None)
        else:
            self.numbers[name] = words.strip().replace(",", ".")
            self._show(name, value)
        self._show_count()
        self._finish()

    def _show(self, name: str, value: float) -> None:
        """Use a number in the picture too, if the symbol is drawn."""
        if name in {symbol.name for symbol in self.session.posture.symbols}:
            self.session.posture.settle(name, value)

    def _fill(self) -> None:
        shown = {symbol.name: symbol.value for symbol in self.session.posture.symbols}
        found = example_values(self.session.robot) | shown
        self.numbers.update({name: f"{found[name]:.6g}" for name in self.missing})
        self._draw()
        self._finish()

    def _clear(self) -> None:
        for name in self.symbols:
            self.numbers.pop(name, None)
        self._draw()
        self._finish()

    def _finish(self) -> None:
        self.session.store()
        self.changed()
