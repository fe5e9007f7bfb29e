"""Work that is not saved is kept on this computer: over a reload, a restart and a sudden end of the program.

Every change is written at once, whole or not at all, to a file of its own; what cannot be stored is no reason to stop
working. Several programs may use one folder: each file carries a revision, and a program writes over a file only where
the revision is the one that it knows.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robosym.errors import Error
from robosym.files import read_bytes, write_text

__all__ = ["ChangedElsewhere", "Keeping"]

_KEY = re.compile(r"[0-9a-f]{12}")
_FORGOTTEN = 14 * 24 * 3600  #: seconds after which a robot that was saved is no longer kept open
_MOST = 200  #: files
_LONGEST = 50_000_000  #: bytes of a kept file: more is not ours


class ChangedElsewhere(Exception):
    """Another program has written the file since this one read or wrote it."""


class Keeping:
    """Files of open robots in one folder, a file each, named by the key."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "open").mkdir(exist_ok=True, mode=0o700)
            self._forget()
        except OSError:
            self.folder = None

    def keep(self, key: str, content: dict[str, Any], revision: str = "") -> str:
        """Write what is open under a key; gives its new revision, or "" where it cannot be stored.

        `revision` is the one that this program knows; `ChangedElsewhere` is raised where the file has another one.
        """
        path = self._path(key)
        if path is None:
            return ""
        there = _read(path)
        if there is not None and there.get("revision", "") != revision:
            raise ChangedElsewhere
        new = secrets.token_hex(8)
        try:
            write_text(path, json.dumps({**content, "when": time.time(), "revision": new}))
        except Error:
            return ""
        return new

    def kept(self, key: str) -> dict[str, Any] | None:
        """What was open under a key."""
        path = self._path(key)
        return None if path is None else _read(path)

    def drop(self, key: str) -> None:
        """Keep it no longer."""
        path = self._path(key)
        if path is not None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def every(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All that is kept, the latest first."""
        if self.folder is None:
            return
        found = []
        for path in (self.folder / "open").glob("*.json"):
            if _KEY.fullmatch(path.stem):
                content = _read(path)
                if content is not None:
                    found.append((path.stem, content))
        yield from sorted(found, key=lambda pair: -pair[1]["when"])

    def token(self, fresh: str) -> str:
        """The token of the address, the same after a restart, so that an open window goes on; its owner's alone."""
        if self.folder is None:
            return fresh
        path = self.folder / "token"
        try:
            kept = read_bytes(path, 1000).decode("ascii").strip()
            if path.stat().st_mode & 0o077 == 0 and re.fullmatch(r"[\w-]{20,100}", kept):
                return kept
        except (Error, OSError, ValueError):
            pass
        try:
            path.unlink(missing_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
                stream.write(fresh)
        except OSError:
            pass
        return fresh

    def _path(self, key: str) -> Path | None:
        if self.folder is None or not _KEY.fullmatch(key):
            return None
        return self.folder / "open" / f"{key}.json"

    def _forget(self) -> None:
        """Robots without unsaved work are forgotten after a while."""
        now = time.time()
        for number, (key, content) in enumerate(list(self.every())):
            old = now - content["when"] > _FORGOTTEN
            if (old or number >= _MOST) and not content.get("unsaved"):
                self.drop(key)


def _read(path: Path) -> dict[str, Any] | None:
    """The content of a file; None where it is damaged or was never there."""
    try:
        content = json.loads(read_bytes(path, _LONGEST))
    except (Error, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not isinstance(content.get("draft"), dict):
        return None
    when = content.get("when")
    if isinstance(when, bool) or not isinstance(when, (int, float)) or not math.isfinite(when):
        content["when"] = 0.0
    return content
