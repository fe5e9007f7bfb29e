"""One open robot: a document, a posture, jobs and results. Windows listen to it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from robosym.algebra.once import cached_property
from robosym.app.session.document import Document
from robosym.app.session.jobs import Jobs
from robosym.app.session.results import Results, shared_jobs
from robosym.app.session.state_files import ChangedElsewhere, SessionFiles
from robosym.mechanism import Robot

if TYPE_CHECKING:  # what draws is loaded when it is first used: the tables come first
    from robosym.app.session.robot_posture import Posture

__all__ = ["Session"]

Fields = dict[str, dict[str, Any]]


class Session:
    """An open robot: `document` is edited, `posture` moves, `jobs` work, `results` hold what they gave."""

    def __init__(
        self, key: str, document: Document, files: SessionFiles | None = None, fields: Fields | None = None,
        revision: str = "",
    ) -> None:  # fmt: skip
        self.key = key
        self.document = document
        self.fields: Fields = fields or {}  #: what stands in the fields of each command
        self.is_stored = False  #: whether what is not saved is on the disk
        self.selected: int | None = None  #: the number of the frame that is lit in table and picture
        self._files = files or SessionFiles(None)
        self._revision = revision  #: of the file in which it is stored, as this program knows it
        self._listeners: list[Callable[[str], None]] = []
        self._posture: Posture | None = None
        document.on_change = self._changed

    @property
    def robot(self) -> Robot:
        """The robot as it was when its tables were last without errors."""
        return self.document.robot

    @property
    def posture(self) -> Posture:
        """How the robot stands, the same in every window; an error where it has no position that can be drawn."""
        from robosym.app.session.robot_posture import Posture

        if self._posture is None:
            self._posture = Posture(self.robot, tell=self.tell)
        elif self._posture.robot is not self.robot:
            self._posture = self._posture.again(self.robot)
        return self._posture

    @property
    def jobs(self) -> Jobs:
        """The work of this program, whatever robots are open."""
        return shared_jobs()[0]

    @cached_property
    def results(self) -> Results:
        """What was asked and generated of the robot."""
        return Results(self.document, self.fields)

    def select(self, j: int | None) -> None:
        """Light up a frame, in table and picture."""
        if j != self.selected:
            self.selected = j
            self.tell("selection")

    def add_frame(self, chain: str = "", after: int | None = None) -> int:
        """Add a frame behind another, or at the end; gives its number, which is then selected."""
        return self._chosen(self.document.add_frame(chain, after), chain)

    def remove_frame(self, j: int, chain: str = "") -> None:
        """Remove a frame; a loop goes with either of its frames."""
        self.document.remove_frame(j, chain)
        self.select(None)

    def move_frame(self, j: int, step: int, chain: str = "") -> int:
        """Move a frame up (-1) or down (1); gives its new number, which is then selected."""
        return self._chosen(self.document.move_frame(j, step, chain), chain)

    def _chosen(self, number: int, chain: str) -> int:
        if not chain:
            self.select(number)
        return number

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

    def store(self) -> None:
        """Write what is open, and what was asked of it, to the disk.

        Where another program has changed the same robot, this one goes on as a copy under a key of its own.
        """
        content = {**self.document.content(), "fields": self.fields}
        try:
            self._revision = self._files.store(self.key, content, self._revision)
        except ChangedElsewhere:
            self.key = secrets.token_hex(6)
            self._revision = self._files.store(self.key, content)
            self.tell("copied")
        self.is_stored = bool(self._revision)

    def _changed(self) -> None:
        self.store()
        self.tell("document")
