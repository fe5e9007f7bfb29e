"""Cache of machine code: in this process, in pickles, and in a folder of the user.

A key is a digest of everything the code depends on, so entries are never stale. A folder is only used if nobody but the
user can write to it, since its contents will be executed; damaged entries are rebuilt.

ROBOSYM_CACHE is the path of the folder, or "off". By default it is the platform's cache folder; without a home
directory nothing is cached. The folder may contain other files: only files with the suffix of an entry are read or
deleted.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from robosym.errors import FormatError
from robosym.files import read_bytes, write_bytes

__all__ = ["admit", "folder", "read", "sealed", "write"]

_HEAD = b"robosym machine code 2\n"
_DIGEST = 32  #: bytes of the checksum after the header
_MOST = 512  #: maximum number of entries; the oldest are deleted
_MAX_BYTES = 1_000_000_000  #: maximum size of an entry; machine code of 1,000 links takes about 4,000,000
_SUFFIX = ".robosym-code"  #: file name suffix of an entry

#: code received in pickles, by key; loaded on demand
_admitted: dict[str, bytes] = {}


def admit(codes: Mapping[str, bytes]) -> None:
    """Add sealed code from a pickle; the oldest entries are dropped."""
    for key, data in codes.items():
        code = _opened(data)
        if code is not None:
            _admitted.pop(key, None)
            _admitted[key] = code
    while len(_admitted) > _MOST:
        del _admitted[next(iter(_admitted))]


def folder() -> Path | None:
    """Return the cache folder, or None if nothing is cached on disk."""
    setting = os.environ.get("ROBOSYM_CACHE")
    if setting is not None:
        return None if setting.strip().lower() in ("", "0", "no", "off") else Path(setting)
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA")
            return Path(base, "robosym", "code") if base else None
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "robosym"
        given = os.environ.get("XDG_CACHE_HOME")
        return Path(given or Path.home() / ".cache", "robosym")
    except RuntimeError:  # home directory unknown
        return None


def _ours(place: Path) -> bool:
    """Return whether only this user can write to the folder."""
    if not hasattr(os, "geteuid"):
        return True  # Windows: the cache folder belongs to the user
    found = place.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def read(key: str) -> bytes | None:
    """Return the code of a key, or None."""
    if key in _admitted:
        return _admitted[key]
    place = folder()
    if place is None:
        return None
    try:
        if not _ours(place):
            return None
        return _opened(read_bytes(_entry(place, key), _MAX_BYTES))
    except (OSError, ValueError, FormatError):
        return None


def write(key: str, code: bytes) -> None:
    """Store code under a key, atomically; errors of the file system are ignored."""
    place = folder()
    if place is None:
        return
    with suppress(OSError, ValueError, FormatError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _ours(place):
            write_bytes(_entry(place, key), sealed(code))
            _prune(place)


def _entry(place: Path, key: str) -> Path:
    return place / f"{key}{_SUFFIX}"


def sealed(code: bytes) -> bytes:
    """Return code with a header and a checksum."""
    return _HEAD + hashlib.sha256(code).digest() + code


def _opened(data: bytes) -> bytes | None:
    code = data[len(_HEAD) + _DIGEST :]
    return code if data == sealed(code) else None


def _prune(place: Path) -> None:
    with os.scandir(place) as entries:
        ours = [entry for entry in entries if entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False)]
        found = sorted((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in ours)
    for _, path in found[: max(0, len(found) - _MOST)]:
        with suppress(OSError):
            os.unlink(path)
