"""Open robots, each with its document, posture, jobs and results; windows subscribe to their changes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robosym.algebra.once import cached_property
from robosym.app.session.document import Document
from robosym.app.session.jobs import Jobs
from robosym.app.session.results import Results, shared_jobs
from robosym.app.session.state_files import ChangedElsewhere, SessionFiles, state_folder
from robosym.drawing.example_values import geometric_symbols
from robosym.errors import Error, InputError
from robosym.formats.draft_changes import add_frame, move_frame, remove_frame
from robosym.mechanism import Robot

if TYPE_CHECKING:
    from robosym.drawing.posture import Posture

__all__ = ["Session", "Sessions", "UnsavedWork"]

Fields = dict[str, dict[str, Any]]


class Session:
    """An open robot: `document` holds its tables, `posture` its position, `jobs` and `results` its computations."""

    def __init__(
        self, key: str, document: Document, files: SessionFiles | None = None, fields: Fields | None = None,
        revision: str = "",
    ) -> None:  # fmt: skip
        self.key = key
        self.document = document
        self.fields: Fields = fields or {}  #: contents of the fields of each command
        self.is_stored = False  #: whether unsaved changes are stored on disk
        self.selected: int | None = None  #: number of the frame that is highlighted in table and picture
        self._files = files or SessionFiles(None)
        self._revision = revision  #: latest known revision of its file
        self._listeners: list[Callable[[str], None]] = []
        self._posture: Posture | None = None
        document.on_change = self._changed

    @property
    def robot(self) -> Robot:
        """The robot of the last valid tables."""
        return self.document.robot

    @property
    def posture(self) -> Posture:
        """The position of the robot, shared by all windows; an error is raised if no position can be drawn."""
        from robosym.drawing.posture import Posture

        if self._posture is None:
            self._posture = Posture(self.robot, None, self.numbers, self.notify)
        elif self._posture.robot is not self.robot:
            self._posture = self._posture.again(self.robot)
        return self._posture

    @property
    def numbers(self) -> dict[str, float]:
        """The typed numbers of symbols of the frames."""
        known = geometric_symbols(self.robot)
        return {name: float(x) for name, x in self.results.numbers.items() if name in known}

    @property
    def jobs(self) -> Jobs:
        """The jobs of this process, shared by all open robots."""
        return shared_jobs()[0]

    @cached_property
    def results(self) -> Results:
        """The requests and results of the robot."""
        return Results(self.document, self.fields)

    def select(self, j: int | None) -> None:
        """Highlight a frame in table and picture."""
        if j != self.selected:
            self.selected = j
            self.notify("selection")

    def add_frame(self, chain: str = "", after: int | None = None) -> int:
        """Add a frame behind another one or at the end, select it, and return its number."""
        return self._chosen(self.document.change(add_frame, chain, after), chain)

    def remove_frame(self, j: int, chain: str = "") -> None:
        """Remove a frame; both frames of a loop are removed together."""
        self.document.change(remove_frame, j, chain)
        self.select(None)

    def move_frame(self, j: int, step: int, chain: str = "") -> int:
        """Move a frame up (-1) or down (1), select it, and return its new number."""
        return self._chosen(self.document.change(move_frame, j, step, chain), chain)

    def _chosen(self, number: int, chain: str) -> int:
        if not chain:
            self.select(number)
        return number

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call the listener with the kind of each change: "document", "selection", "posture", ...

        Returns the function that ends the subscription.
        """
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    @property
    def is_shown(self) -> bool:
        """Whether a window shows the session."""
        return bool(self._listeners)

    def notify(self, what: str) -> None:
        """Notify all listeners of a change."""
        for listener in list(self._listeners):
            listener(what)

    def store(self) -> None:
        """Write the robot and its requests to disk.

        If another process has changed the same robot, this session continues as a copy with its own key.
        """
        content = {**self.document.content(), "fields": self.fields}
        try:
            self._revision = self._files.store(self.key, content, self._revision)
        except ChangedElsewhere:
            self.key = secrets.token_hex(6)
            self._revision = self._files.store(self.key, content)
            self.notify("copied")
        self.is_stored = bool(self._revision)

    def _changed(self) -> None:
        self.store()
        self.notify("document")


_HELD = 24  #: sessions in memory


@dataclass(frozen=True)
class UnsavedWork:
    """Unsaved work that can be continued."""

    key: str
    name: str
    when: float  #: seconds since 1970


class Sessions:
    """The sessions of a process by key. Without a folder, nothing is stored."""

    def __init__(self, folder: Path | None = None, *, keep: bool = True) -> None:
        self.files = SessionFiles((folder or state_folder()) if keep else None)
        self.held: dict[str, Session] = {}

    def open(self, name_or_path: str) -> Session:
        """Open a robot of the library by name, or of a local file."""
        return self._begin(Document.load(name_or_path))

    def open_file(self, file: str, data: bytes) -> Session:
        """Open a robot from the contents of a selected or dropped file; the name implies the format."""
        return self._begin(Document.read(file, data))

    def new(
        self, name: str, links: int, loops: int = 0, structure: str = "simple", base: str = "fixed", start: str = ""
    ) -> Session:  # fmt: skip
        """Create a robot: from the template `start`, simple, tree, closed with `loops`, or parallel.

        A parallel robot has `loops` legs of `links` joints each.
        """
        if start:
            return self._begin(Document.of_template(name, start))
        if structure == "parallel":
            return self._begin(Document.new_parallel(name, loops, links))
        return self._begin(Document.new(name, links, loops, structure, base))

    def session(self, key: str) -> Session:
        """Return the session of a key, restored from disk after a restart."""
        held = self.held.get(key) or next((one for one in self.held.values() if one.key == key), None)
        if held is not None:
            return held
        content = self.files.stored(key)
        if content is None:
            raise InputError("this robot is no longer open")
        revision = str(content.get("revision", ""))
        return self._hold(Session(key, _restored(content), self.files, _fields(content), revision))

    def unsaved(self, unsaved: bool = True) -> list[UnsavedWork]:
        """Return the work that is not saved in a file, or the robots without such work, latest first."""
        return [
            UnsavedWork(key, str(content["draft"].get("name", ""))[:100], content["when"])
            for key, content in self.files.every()
            if bool(content.get("unsaved")) is unsaved
        ]

    def discard(self, key: str) -> None:
        """Remove a robot and its unsaved work."""
        self.held.pop(key, None)
        self.files.remove(key)

    def _begin(self, document: Document) -> Session:
        session = self._hold(Session(secrets.token_hex(6), document, self.files))
        session.store()
        return session

    def _hold(self, session: Session) -> Session:
        """Hold the session in memory; of many sessions, those without a window are only stored on disk."""
        self.held[session.key] = session
        idle = [key for key, one in self.held.items() if one.is_stored and not one.is_shown and one is not session]
        for key in idle[: max(0, len(self.held) - _HELD)]:
            del self.held[key]
        return session


def _fields(content: Mapping[str, Any]) -> Fields:
    """Return the contents of the fields of each command; damaged entries are left out."""
    found = content.get("fields")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _restored(content: Mapping[str, Any]) -> Document:
    try:
        return Document.restored(content)
    except (Error, LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the stored robot cannot be read: {error}") from None
