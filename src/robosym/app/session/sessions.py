"""All robots that are open in one program: one session each, whatever windows show it; and what is stored of them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robosym.app.session.document import Document
from robosym.app.session.session import Fields, Session
from robosym.app.session.state_files import SessionFiles, state_folder
from robosym.errors import Error, InputError

__all__ = ["Sessions", "UnsavedWork"]

_HELD = 24  #: sessions in memory


@dataclass(frozen=True)
class UnsavedWork:
    """Unsaved work that can be continued."""

    key: str
    name: str
    when: float  #: seconds since 1970


class Sessions:
    """The sessions of one program by their keys. Without a folder nothing outlives the program."""

    def __init__(self, folder: Path | None = None, *, keep: bool = True) -> None:
        self.files = SessionFiles((folder or state_folder()) if keep else None)
        self.held: dict[str, Session] = {}

    def open(self, name_or_path: str) -> Session:
        """A robot of the library by its name, or one of a file on this computer."""
        return self._begin(Document.load(name_or_path))

    def open_file(self, file: str, data: bytes) -> Session:
        """A robot from the contents of a file that was chosen or dropped; its name tells the format."""
        return self._begin(Document.read(file, data))

    def new(self, name: str, links: int, loops: int = 0, structure: str = "simple", base: str = "fixed") -> Session:
        """A new robot: simple, tree, closed (with `loops`), or parallel (`loops` legs of `links` joints each)."""
        if structure == "parallel":
            return self._begin(Document.new_parallel(name, loops, links))
        return self._begin(Document.new(name, links, loops, structure, base))

    def session(self, key: str) -> Session:
        """The session of a key, from what is stored where the program was started anew."""
        held = self.held.get(key) or next((one for one in self.held.values() if one.key == key), None)
        if held is not None:
            return held
        content = self.files.stored(key)
        if content is None:
            raise InputError("this robot is no longer open")
        revision = str(content.get("revision", ""))
        return self._hold(Session(key, _restored(content), self.files, _fields(content), revision))

    def unsaved(self) -> list[UnsavedWork]:
        """Work that is not in a file, the latest first."""
        return [
            UnsavedWork(key, str(content["draft"].get("name", ""))[:100], content["when"])
            for key, content in self.files.every()
            if content.get("unsaved")
        ]

    def discard(self, key: str) -> None:
        """Forget a robot with its unsaved work."""
        self.held.pop(key, None)
        self.files.remove(key)

    def _begin(self, document: Document) -> Session:
        session = self._hold(Session(secrets.token_hex(6), document, self.files))
        session.store()
        return session

    def _hold(self, session: Session) -> Session:
        """Hold it by its key; of many, those that no window shows are on the disk only."""
        self.held[session.key] = session
        idle = [key for key, one in self.held.items() if one.is_stored and not one.is_shown and one is not session]
        for key in idle[: max(0, len(self.held) - _HELD)]:
            del self.held[key]
        return session


def _fields(content: Mapping[str, Any]) -> Fields:
    """What stood in the fields of each command; what is damaged is left out."""
    found = content.get("fields")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _restored(content: Mapping[str, Any]) -> Document:
    try:
        return Document.restored(content)
    except (Error, LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"what was kept of this robot cannot be read: {error}") from None
