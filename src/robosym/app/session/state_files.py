"""Files of the page on this computer: open robots, uploaded files and the token of the address.

Every change of an open robot is written at once and atomically to a file of its own; if storing fails, work continues.
Several processes may share a folder: each file carries a revision, and a process only overwrites a file whose revision
it knows.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from robosym.app.session.requests import HANDED_OVER
from robosym.errors import Error
from robosym.files import read_bytes, write_text

__all__ = ["ChangedElsewhere", "SessionFiles", "place_for", "safe_name", "state_folder"]

_KEY = re.compile(r"[0-9a-f]{12}")
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")  #: names of devices on Windows, with any extension
_FORGOTTEN = 14 * 24 * 3600  #: seconds after which saved robots and unused files are removed
_MOST = 200  #: open robots
_LONGEST = 50_000_000  #: maximum size in bytes of the file of an open robot
_MOST_BYTES = 2_000_000_000  #: maximum total size of uploaded files; the oldest are removed first


def state_folder() -> Path | None:
    """Return the state folder of this user; None if it cannot be created.

    The environment variable ROBOSYM_STATE replaces the default folder.
    """
    try:
        if given := os.environ.get("ROBOSYM_STATE"):
            folder = Path(given)
        elif sys.platform == "win32":
            folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "robosym"
        else:
            folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "robosym"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # the home directory is missing or not writable
        return None
    return folder


class ChangedElsewhere(Exception):
    """Raised if another process has written the file since this one last read or wrote it."""


class SessionFiles:
    """Files of open robots in one folder, one per robot, named by key; without a folder nothing is stored."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is None:
            return
        try:
            (folder / "open").mkdir(parents=True, exist_ok=True, mode=0o700)
            self._forget()
        except OSError:
            self.folder = None

    def store(self, key: str, content: dict[str, Any], revision: str = "") -> str:
        """Write an open robot and return its new revision, or "" if it cannot be stored.

        `revision` is the one that this process knows; `ChangedElsewhere` is raised if the file has another one.
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

    def stored(self, key: str) -> dict[str, Any] | None:
        """Return the content stored under a key."""
        path = self._path(key)
        return None if path is None else _read(path)

    def remove(self, key: str) -> None:
        """Delete the content stored under a key."""
        path = self._path(key)
        if path is not None:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def every(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return everything that is stored, latest first."""
        if self.folder is None:
            return
        paths = [path for path in (self.folder / "open").glob("*.json") if _KEY.fullmatch(path.stem)]
        found = [(path.stem, content) for path in paths if (content := _read(path)) is not None]
        yield from sorted(found, key=lambda pair: -pair[1]["when"])

    def token(self, fresh: str) -> str:
        """Return the token of the address, readable by its owner only.

        It survives a restart, so that open windows continue.
        """
        if self.folder is None:
            return fresh
        path = self.folder / "token"
        try:
            stored = read_bytes(path, 1000).decode("ascii").strip()
            private = os.name == "nt" or path.stat().st_mode & 0o077 == 0  # Windows protects the folder of the user
            if private and re.fullmatch(r"[\w-]{20,100}", stored):
                return stored
        except (Error, OSError, ValueError):
            pass
        with suppress(OSError):
            path.unlink(missing_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
                stream.write(fresh)
        return fresh

    def _path(self, key: str) -> Path | None:
        if self.folder is None or not _KEY.fullmatch(key):
            return None
        return self.folder / "open" / f"{key}.json"

    def _forget(self) -> None:
        """Remove robots without unsaved work after some time."""
        now = time.time()
        for number, (key, content) in enumerate(list(self.every())):
            old = now - content["when"] > _FORGOTTEN
            if (old or number >= _MOST) and not content.get("unsaved"):
                self.remove(key)


def _read(path: Path) -> dict[str, Any] | None:
    """Return the content of a file; None if it is damaged or missing."""
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


# ------------------------------------------------------------------------------------------ files that are handed over


def safe_name(name: str) -> str:
    """Return the last part of a file name without characters that are special to a file system."""
    safe = re.sub(r"[^\w.+ -]", "_", Path(name.replace("\\", "/")).name).lstrip(".")[:120].rstrip(". ") or "file"
    return f"_{safe}" if _DEVICE.match(safe) else safe


def place_for(name: str) -> Path:
    """Return the path for an uploaded file: its own name in a folder of its own."""
    state = state_folder()
    folder = _temporary() if state is None else state / f"{HANDED_OVER}kept"
    if state is not None:
        _tidy(folder)
        folder.mkdir(mode=0o700, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=folder)) / safe_name(name)


@cache
def _temporary() -> Path:
    """Return a temporary folder, deleted at exit, for the case that nothing can be stored."""
    folder = tempfile.mkdtemp(prefix=HANDED_OVER)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _tidy(folder: Path) -> None:
    """Remove old files, and the oldest if there are too many."""
    found = []
    with suppress(OSError):
        for one in folder.iterdir():
            inside = [path.stat() for path in one.iterdir()] if one.is_dir() else []
            when = max([file.st_mtime for file in inside], default=one.stat().st_mtime)
            found.append((when, sum(file.st_size for file in inside), one))
    total, now = 0, time.time()
    for when, size, one in sorted(found, reverse=True):
        total += size
        if now - when > _FORGOTTEN or total > _MOST_BYTES:
            shutil.rmtree(one, ignore_errors=True)
