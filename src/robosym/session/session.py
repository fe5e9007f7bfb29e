"""One robot that is open, and what is done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.session.document import Document

__all__ = ["Session"]


class Session:
    """One robot that is open: its document, and what was made of it. Windows listen to it."""

    def __init__(self, key: str, document: Document) -> None:
        self.key = key
        self.document = document
        self._listeners: list[Callable[[str], None]] = []

    @property
    def robot(self) -> Any:
        """The robot as it was when its tables were last without errors: a `Robot`, `Parallel` or `Hybrid`."""
        return self.document.robot

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call the listener with a word for what has changed: "document", "posture", "jobs" ..; gives the end of it."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def tell(self, what: str) -> None:
        """Tell every listener that this has changed."""
        for listener in list(self._listeners):
            listener(what)
