"""All robots that are open in one program: one session each, whatever windows show it; and what is kept of them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robosym.app.session.document import Document
from robosym.app.session.keeping import Keeping
from robosym.app.session.session import Session
from robosym.app.session.state_folder import state_folder
from robosym.errors import Error, InputError

__all__ = ["Desk", "UnsavedWork"]

_HELD = 24  #: sessions in memory


@dataclass(frozen=True)
class UnsavedWork:
    """Unsaved work that can be continued."""

    key: str
    name: str
    when: float  #: seconds since 1970


class Desk:
    """The sessions of one program by their keys. Without a folder nothing outlives the program."""

    def __init__(self, folder: Path | None = None, *, keep: bool = True) -> None:
        self.keeping = Keeping((folder or _usual()) if keep else None)
        self.sessions: dict[str, Session] = {}

    def open(self, name_or_path: str) -> Session:
        """A robot of the library by its name, or one of a file on this computer."""
        return self._place(Document.load(name_or_path))

    def open_file(self, file: str, data: bytes) -> Session:
        """A robot from the contents of a file that was chosen or dropped; its name tells the format."""
        return self._place(Document.read(file, data))

    def new(self, name: str, links: int, loops: int = 0, structure: str = "simple", base: str = "fixed") -> Session:
        """A new robot: simple, tree, closed (with `loops`), or parallel (`loops` legs of `links` joints each)."""
        if structure == "parallel":
            return self._place(Document.new_parallel(name, loops, links))
        return self._place(Document.new(name, links, loops, structure, base))

    def session(self, key: str) -> Session:
        """The session of a key, from what is kept where the program was started anew."""
        held = self.sessions.get(key) or next((one for one in self.sessions.values() if one.key == key), None)
        if held is not None:
            return held
        content = self.keeping.kept(key)
        if content is None:
            raise InputError("this robot is no longer open")
        revision = str(content.get("revision", ""))
        return self._hold(Session(key, _restored(content), self.keeping, _fields(content), revision))

    def unsaved(self) -> list[UnsavedWork]:
        """Work that is not in a file, the latest first."""
        found = []
        for key, content in self.keeping.every():
            if content.get("unsaved"):
                name = content["draft"].get("name", "")
                found.append(UnsavedWork(key, str(name)[:100], content["when"]))
        return found

    def discard(self, key: str) -> None:
        """Forget a robot with its unsaved work."""
        self.sessions.pop(key, None)
        self.keeping.drop(key)

    def _place(self, document: Document) -> Session:
        session = self._hold(Session(secrets.token_hex(6), document, self.keeping))
        session.keep()
        return session

    def _hold(self, session: Session) -> Session:
        """Hold it by its key; of many, those that no window shows are on the disk only."""
        self.sessions[session.key] = session
        idle = [key for key, one in self.sessions.items() if one.is_kept and not one.is_shown and one is not session]
        for key in idle[: max(0, len(self.sessions) - _HELD)]:
            del self.sessions[key]
        return session


def _usual() -> Path | None:
    try:
        return state_folder()
    except (OSError, RuntimeError):  # no home, or none that can be written to
        return None


def _fields(content: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What stood in the fields of each command; what is damaged is left out."""
    found = content.get("fields")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _restored(content: Mapping[str, Any]) -> Document:
    try:
        return Document.restored(content)
    except (Error, LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"what was kept of this robot cannot be read: {error}") from None
