"""Read files up to a size limit, and write files atomically."""

from __future__ import annotations

import csv
import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from robosym.errors import FormatError

__all__ = [
    "MAX_BYTES", "TEMPORARY_SUFFIX", "cells", "decode", "file_stamp", "read_bytes", "read_text", "write_bytes",
    "write_files", "write_text", "write_texts",
]  # fmt: skip

MAX_BYTES = 8_000_000  #: a description of 1,000 links has about 300,000; a larger file is probably not a description
TEMPORARY_SUFFIX = ".tmp"  #: suffix of temporary files, which remain only if a process is killed while it writes
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  #: seconds between attempts to replace a file on Windows
_EXPECTED = "expected text in UTF-8 or Latin-1"


def decode(data: bytes, file: str | None = None) -> str:
    """Decode bytes as UTF-8, with or without a byte order mark, or else as Latin-1, and normalize line breaks."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(f"{_EXPECTED}, found UTF-16", file)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise FormatError(f"{_EXPECTED}, found a zero byte (UTF-16, or not a text file)", file, line)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: str | Path, most: int = MAX_BYTES) -> str:
    """Return the text of a regular file of at most `most` bytes."""
    return decode(read_bytes(path, most), str(path))


def cells(text: str, file: str | None = None, delimiter: str = ",") -> list[list[str]]:
    """Split a text into rows of cells at a delimiter."""
    rows = csv.reader(text.split("\n"), delimiter=delimiter)
    try:
        return list(rows)
    except csv.Error as error:
        message = f"expected a table with {delimiter!r} between its cells: {error}"
        raise FormatError(message, file, rows.line_num) from None


def read_bytes(path: str | Path, most: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file of at most `most` bytes."""
    file = str(path)
    try:
        with open(path, "rb", opener=_at_once) as stream:
            # checked after opening, so that the file cannot be replaced in between; a device is not read
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise FormatError("expected a regular file", file)
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        directory = isinstance(error, PermissionError) and os.path.isdir(path)  # error of Windows for a directory
        raise FormatError(_why(IsADirectoryError() if directory else error), file) from None
    if len(data) > most:
        raise FormatError(f"the file is longer than {most} bytes, the size limit", file)
    return data


def _at_once(path: str, flags: int) -> int:
    """Open a file without blocking, also a pipe that no process writes to."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8 atomically: after an error the old file is unchanged."""
    write_bytes(path, _encoded(path, text))


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write several text files; all temporary files are complete before the first one is moved to its target."""
    write_files(texts)


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files, texts or bytes, as `write_texts` does."""
    _write({path: part if isinstance(part, bytes) else _encoded(path, part) for path, part in contents.items()})


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically: after an error the old file is unchanged."""
    _write({path: data})


def _encoded(path: str | Path, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"the character {text[error.start]!r} cannot be written", str(path)) from None


def _write(files: Mapping[str | Path, bytes] | Mapping[Path, bytes]) -> None:
    ready: list[tuple[str, Path]] = []  # temporary file, target
    file = ""
    try:
        for path, data in files.items():
            file = str(path)
            target, mode = _target(file)
            temporary, stream = _temporary(target)
            ready.append((temporary, target))
            with stream:
                stream.write(data)
            if mode is not None:
                os.chmod(temporary, mode)
        while ready:
            _replace(*ready[0])
            ready.pop(0)
    except (OSError, ValueError) as error:
        raise FormatError(_why(error), file) from None
    finally:
        for temporary, _ in ready:
            with suppress(OSError):
                os.unlink(temporary)


def _replace(temporary: str, target: Path) -> None:
    """Move a file to its target; on Windows, which cannot replace an open file, retry for about a second."""
    for pause in _PAUSES if os.name == "nt" else ():
        try:
            return os.replace(temporary, target)
        except PermissionError:  # a reader, a virus scanner or an indexer has the target open
            time.sleep(pause)
    os.replace(temporary, target)


def _temporary(target: Path) -> tuple[str, BinaryIO]:
    """Create a file in the directory of the target.

    The operating system applies the umask. The process cannot read the umask without changing it for all threads.
    """
    while True:
        path = target.parent / f".{target.name[:50]}.{os.urandom(4).hex()}{TEMPORARY_SUFFIX}"
        with suppress(FileExistsError):
            return str(path), open(path, "xb")


def _target(file: str) -> tuple[Path, int | None]:
    """Return the target of a path with symbolic links resolved, and the mode of the file that it replaces."""
    target = Path(os.path.realpath(file))
    if not target.parent.exists():
        raise FormatError(f"directory not found: {target.parent}", file)
    if not target.exists():
        return target, None
    found = target.stat().st_mode
    if not stat.S_ISREG(found):  # os.replace would turn a device or a pipe into a file
        kind = "a directory" if stat.S_ISDIR(found) else "a device or a pipe"
        raise FormatError(f"expected a file, found {kind}", file)
    return target, stat.S_IMODE(found)


def _why(error: OSError | ValueError) -> str:
    """Return the message of the operating system without its error number."""
    if isinstance(error, FileNotFoundError):
        return "file not found"
    if isinstance(error, IsADirectoryError):
        return "expected a file, found a directory"
    return (getattr(error, "strerror", None) or str(error)).lower()


def file_stamp(path: str | Path) -> str:
    """Return a text that differs after every change of a file; "" if the file does not exist."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"
