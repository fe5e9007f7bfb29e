"""All robots that are open in one program: one session each, whatever windows show it."""

from __future__ import annotations

import secrets

from robosym.errors import InputError
from robosym.session.document import Document
from robosym.session.session import Session

__all__ = ["Desk"]


class Desk:
    """The sessions of one program by their keys."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    def open(self, name_or_path: str) -> Session:
        """A robot of the library by its name, or one of a file on this computer."""
        return self._place(Document.load(name_or_path))

    def open_text(self, file: str, data: bytes) -> Session:
        """A robot from the contents of a file that was chosen or dropped; its name tells the format."""
        return self._place(Document.read(file, data))

    def session(self, key: str) -> Session:
        """The session of a key."""
        if key not in self.sessions:
            raise InputError("this robot is no longer open")
        return self.sessions[key]

    def _place(self, document: Document) -> Session:
        key = secrets.token_hex(6)
        self.sessions[key] = Session(key, document)
        return self.sessions[key]
