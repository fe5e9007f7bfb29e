"""Files that a user hands over, a log or a motion: kept on this computer, each in a folder of its own."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from robosym.app.session.equivalents import HANDED_OVER
from robosym.app.session.state_folder import state_folder

__all__ = ["place_for", "safe_name"]

_FORGOTTEN = 14 * 24 * 3600  #: seconds after which a file that nobody asked for goes
_MOST_BYTES = 2_000_000_000  #: of all of them; the oldest go first


def safe_name(name: str) -> str:
    """The last part of a file's name without anything that a file system could take for more."""
    return re.sub(r"[^\w.+ -]", "_", Path(name.replace("\\", "/")).name).lstrip(".")[:120] or "file"


def place_for(name: str) -> Path:
    """Where a file that is handed over is to be written: under its own name, in a folder of its own."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=folder)) / safe_name(name)


@cache
def _temporary() -> Path:
    """Where nothing can be kept, files go with the program."""
    folder = tempfile.mkdtemp(prefix=HANDED_OVER)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _folder() -> Path:
    try:
        folder = state_folder() / f"{HANDED_OVER}kept"
    except (OSError, RuntimeError):
        return _temporary()
    _tidy(folder)
    return folder


def _tidy(folder: Path) -> None:
    """Files that are old, or too many, go."""
    found = []
    with suppress(OSError):
        for one in folder.iterdir():
            inside = [(path.stat().st_mtime, path.stat().st_size) for path in one.iterdir()] if one.is_dir() else []
            found.append(
                (max([when for when, _ in inside], default=one.stat().st_mtime), sum(s for _, s in inside), one)
            )
    total, now = 0, time.time()
    for when, size, one in sorted(found, reverse=True):
        total += size
        if now - when > _FORGOTTEN or total > _MOST_BYTES:
            shutil.rmtree(one, ignore_errors=True)
