"""The history of generated results and their options: stored on disk, restored and compared."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import time
from typing import Any

from robosym.app.session.requests import Request
from robosym.app.session.shown import Counts
from robosym.errors import Error, InputError
from robosym.files import read_text, write_text

__all__ = ["Generated", "History"]

_MOST = 400  #: maximum number of entries; the oldest are deleted first
_FILE = re.compile(r"(\d{8})\.json")


@dataclass(frozen=True)
class Generated:
    """One entry of the history."""

    number: int
    when: float  #: seconds since 1970
    name: str  #: name of the robot
    title: str
    request: Request
    line: str
    total: int | None = None  #: operations
    online: int | None = None
    seconds: float = 0.0
    remarks: list[str] = field(default_factory=list)
    label: str = ""  #: name that the user gave it


class History:
    """The entries of a folder, one file per entry, so that a damaged file affects only its own entry."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._entries: dict[int, Generated | None] = {}  #: entries by number; None if the file is damaged
        self._adding: list[threading.Thread] = []

    def entries(self) -> list[Generated]:
        """Return the entries, latest first, including those being added."""
        while self._adding:
            self._adding.pop().join()
        with self._lock:
            return list(reversed(self._read()))

    def entry(self, number: int) -> Generated:
        found = next((one for one in self.entries() if one.number == number), None)
        if found is None:
            raise InputError(f"the history has no entry {number}")
        return found

    def add_soon(self, *entry: Any) -> None:
        """Add an entry in another thread, as `add` does, so that a result does not wait for the disk."""
        adding = threading.Thread(target=self.add, args=entry)
        adding.start()
        self._adding = [one for one in self._adding if one.is_alive()] + [adding]

    def add(
        self, request: Request, name: str, title: str, line: str, seconds: float = 0.0, counts: Counts | None = None
    ) -> Generated:
        """Add an entry; repeating the last request does not add another."""
        with self._lock:
            known = self._read()
            if known and known[-1].request.plain() == request.plain():
                number = known.pop().number
            else:
                number = max(self._entries, default=0) + 1
            one = Generated(
                number, time(), name, title, request, line, counts.total if counts else None,
                counts.online if counts else None, seconds,
            )  # fmt: skip
            self._write(one)
            for old in [*known, one][:-_MOST]:
                self._remove(old.number)
            return one

    def _write(self, one: Generated) -> None:
        self._entries[one.number] = one
        if self._folder is not None:
            with suppress(Error, OSError):  # a full disk must not stop the work
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                data = json.dumps({**vars(one), "request": one.request.plain()})
                write_text(self._folder / f"{one.number:08}.json", data)

    def rename(self, number: int, label: str) -> None:
        """Name an entry."""
        named = replace(self.entry(number), label=label.strip()[:100])
        with self._lock:
            self._write(named)

    def remove(self, number: int) -> None:
        with self._lock:
            self._remove(number)

    def _remove(self, number: int) -> None:
        self._entries.pop(number, None)
        with suppress(OSError):
            if self._folder is not None:
                (self._folder / f"{number:08}.json").unlink(missing_ok=True)

    def _read(self) -> list[Generated]:
        """Return the entries, oldest first, including those added by other processes."""
        if self._folder is not None and self._folder.is_dir():
            for path in sorted(self._folder.glob("*.json")):
                found = _FILE.fullmatch(path.name)
                if found and int(found[1]) not in self._entries:
                    self._entries[int(found[1])] = _entry(path)
        return [one for _, one in sorted(self._entries.items()) if one is not None]


def _entry(path: Path) -> Generated | None:
    """Return the entry of a file, or None if it is damaged."""
    try:
        data: Mapping[str, Any] = json.loads(read_text(path))
        request = Request(**data["request"])
        _ = request.row
        return Generated(**{**data, "request": request})
    except (Error, OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
