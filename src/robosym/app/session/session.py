"""One robot that is open, and what is done with it: every action is one call."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from robosym.algebra.once import cached_property
from robosym.app.session.document import Document
from robosym.app.session.keeping import ChangedElsewhere, Keeping

if TYPE_CHECKING:  # what makes models and pictures is loaded when it is first used: tables are there at once
    from robosym.app.session.making import Making
    from robosym.app.session.stance import Stance
    from robosym.mechanism import Robot

__all__ = ["Session"]

Fields = dict[str, dict[str, Any]]


class Session:
    """One robot that is open: its document, and what was made of it. Windows listen to it."""

    def __init__(
        self, key: str, document: Document, keeping: Keeping | None = None, fields: Fields | None = None,
        revision: str = "",
    ) -> None:  # fmt: skip
        self.key = key
        self.document = document
        self.keeping = keeping or Keeping(None)
        self.fields: Fields = fields or {}  #: what stands in the fields of each command
        self._revision = revision  #: of the file in which it is stored, as this program knows it
        self.is_kept = False  #: whether what is not saved is on the disk
        self.selected: int | None = None  #: the number of the frame that is lit in table and picture
        self._listeners: list[Callable[[str], None]] = []
        self._stance: Stance | None = None

    @property
    def robot(self) -> Robot:
        """The robot as it was when its tables were last without errors."""
        return self.document.robot

    @property
    def stance(self) -> Stance:
        """How the robot stands, the same in every window; an error where it has no position that can be drawn."""
        from robosym.app.session.stance import Stance

        if self._stance is None:
            self._stance = Stance(self.robot, tell=self.tell)
        elif self._stance.robot is not self.robot:
            self._stance = self._stance.again(self.robot)
        return self._stance

    # ------------------------------------------------------------------------------------------------- the tables

    def edit(self, table: str, row: int, column: str, text: str) -> None:
        """Type a text into a cell."""
        self._changed(lambda: self.document.edit(table, row, column, text))

    def paste(self, table: str, row: int, column: str, block: list[list[str]]) -> None:
        """Type a block of texts, from a cell on to the right and below."""
        self._changed(lambda: self.document.paste(table, row, column, block))

    def add_frame(self, chain: str = "", after: int | None = None) -> int:
        """Add a frame behind another, or at the end; gives its number, which is then selected."""
        number = self.document.add_frame(chain, after)
        self.selected = number if not chain else self.selected
        self._changed(lambda: None)
        return number

    def remove_frame(self, j: int, chain: str = "") -> None:
        """Remove a frame; a loop goes with either of its frames."""
        self.document.remove_frame(j, chain)
        self.selected = None
        self._changed(lambda: None)

    def move_frame(self, j: int, step: int, chain: str = "") -> int:
        """Move a frame up (-1) or down (1); gives its new number, which is then selected."""
        number = self.document.move_frame(j, step, chain)
        self.selected = number if not chain else self.selected
        self._changed(lambda: None)
        return number

    def add_loop(self) -> None:
        """Add the two frames of a loop."""
        self._changed(self.document.add_loop)

    def add_leg(self) -> None:
        """Add a leg like the last one."""
        self._changed(self.document.add_leg)

    def remove_leg(self, number: int) -> None:
        """Remove a leg."""
        self._changed(lambda: self.document.remove_leg(number))

    def set_base(self, kind: str) -> None:
        """Make the base fixed, mobile or floating."""
        self._changed(lambda: self.document.set_base(kind))

    def rename(self, name: str | None = None, title: str | None = None) -> None:
        """Give another name or title."""
        self._changed(lambda: self.document.rename(name, title))

    def undo(self) -> None:
        """Take back the last change."""
        self._changed(self.document.undo)

    def redo(self) -> None:
        """Make it again."""
        self._changed(self.document.redo)

    def show_links(self, table: str, form: str) -> None:
        """Show the inertia of links at the "frame" or at the "centre" of mass."""
        self.document.show_links(table, form)
        self.tell("document")

    def select(self, j: int | None) -> None:
        """Light up a frame, in table and picture."""
        if j != self.selected:
            self.selected = j
            self.tell("selection")

    def save(self, form: str) -> tuple[str, str]:
        """Name and text of a file in a format ("yaml", "par", "urdf" ..); the work counts as saved then."""
        text = self.document.text(form)
        self.document.mark_saved()
        self._changed(lambda: None)
        return self.document.file_name(form), text

    @cached_property
    def making(self) -> Making:
        """What is generated of the robot: requests, jobs, history."""
        from robosym.app.session.making import Making

        return Making(self)

    # -------------------------------------------------------------------------------------------------------- news

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call the listener with a word for what has changed: "document", "selection", "posture" ..; gives its end."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    @property
    def is_shown(self) -> bool:
        """Whether anyone listens: a window shows it."""
        return bool(self._listeners)

    def tell(self, what: str) -> None:
        """Tell every listener that this has changed."""
        for listener in list(self._listeners):
            listener(what)

    def keep(self) -> None:
        """Write what is open, and what was asked of it, to the disk.

        Where another program has changed the same robot, this one goes on as a copy under a key of its own.
        """
        content = {**self.document.content(), "fields": self.fields}
        try:
            self._revision = self.keeping.keep(self.key, content, self._revision)
        except ChangedElsewhere:
            self.key = secrets.token_hex(6)
            self._revision = self.keeping.keep(self.key, content)
            self.tell("copied")
        self.is_kept = bool(self._revision)

    def _changed(self, change: Callable[[], Any]) -> None:
        change()
        self.keep()
        self.tell("document")
