"""Reading and writing files: bounded, decoded, and never half-written."""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from robosym.errors import FormatError

__all__ = [
    "MAX_BYTES", "TEMPORARY_SUFFIX", "cells", "decode", "read_bytes", "read_text", "write_bytes", "write_text",
    "write_texts",
]  # fmt: skip

MAX_BYTES = 8_000_000  #: a description of 1,000 links takes about 300,000; more is a wrong or damaged file
TEMPORARY_SUFFIX = ".tmp"  #: of a file beside its place; one that stays there was left by a process that was killed
_EXPECTED = "expected text in UTF-8 or Latin-1"


def decode(data: bytes, file: str | None = None) -> str:
    """Bytes as text: UTF-8, with or without a byte order mark, else Latin-1; line ends become a plain newline."""
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
    """The text of a regular file of at most so many bytes."""
    return decode(read_bytes(path, most), str(path))


def cells(text: str, file: str | None = None, delimiter: str = ",") -> list[list[str]]:
    """The rows of a table with commas, or another mark, between its cells."""
    rows = csv.reader(text.split("\n"), delimiter=delimiter)
    try:
        return list(rows)
    except csv.Error as error:
        message = f"expected a table with {delimiter!r} between its cells: {error}"
        raise FormatError(message, file, rows.line_num) from None


def read_bytes(path: str | Path, most: int = MAX_BYTES) -> bytes:
    """A regular file of at most so many bytes."""
    file = str(path)
    try:
        with open(path, "rb", opener=_at_once) as stream:
            # only after opening: the answer then belongs to the file that is read, and a device is not
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise FormatError("expected a regular file", file)
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        raise FormatError(_why(error), file) from None
    if len(data) > most:
        raise FormatError(f"the file is longer than {most} bytes, the most that is read", file)
    return data


def _at_once(path: str, flags: int) -> int:
    """Opens a file; a pipe as well, for which nobody writes yet and others would wait."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_text(path: str | Path, text: str) -> None:
    """Write a file in UTF-8 so that it is there whole or, after any error, as it was before."""
    write_bytes(path, _encoded(path, text))


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write files that belong together: all are there before the first of them takes the place of an old one."""
    _write({path: _encoded(path, text) for path, text in texts.items()})


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file so that it is there whole or, after any error, as it was before."""
    _write({path: data})


def _encoded(path: str | Path, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"the character {text[error.start]!r} cannot be written", str(path)) from None


def _write(files: Mapping[str | Path, bytes] | Mapping[Path, bytes]) -> None:
    ready: list[tuple[str, Path]] = []  # what lies beside its place, and the place
    file = ""
    try:
        for path, data in files.items():
            file = str(path)
            target, mode = _place(file)
            temporary, stream = _beside(target)
            ready.append((temporary, target))
            with stream:
                stream.write(data)
            if mode is not None:
                os.chmod(temporary, mode)
        while ready:
            os.replace(*ready[0])
            ready.pop(0)
    except (OSError, ValueError) as error:
        raise FormatError(_why(error), file) from None
    finally:
        for temporary, _ in ready:
            with suppress(OSError):
                os.unlink(temporary)


def _beside(target: Path) -> tuple[str, BinaryIO]:
    """A new file beside a place, with the mode of any new file: the system applies the mask of the process, which this
    process could read only by setting it, for all its threads."""
    while True:
        path = target.parent / f".{target.name[:50]}.{os.urandom(4).hex()}{TEMPORARY_SUFFIX}"
        with suppress(FileExistsError):
            return str(path), open(path, "xb")


def _place(file: str) -> tuple[Path, int | None]:
    """Where a file goes, through links, and the mode of the file that it replaces, if there is one."""
    target = Path(os.path.realpath(file))
    if not target.parent.exists():
        raise FormatError(f"no such directory: {target.parent}", file)
    if not target.exists():
        return target, None
    found = target.stat().st_mode
    if not stat.S_ISREG(found):  # a device or a pipe would be replaced by a file
        kind = "a directory" if stat.S_ISDIR(found) else "a device or a pipe"
        raise FormatError(f"expected a file, found {kind}", file)
    return target, stat.S_IMODE(found)


def _why(error: OSError | ValueError) -> str:
    """The system's words for what is wrong, without its error number."""
    if isinstance(error, FileNotFoundError):
        return "no such file or directory"
    if isinstance(error, IsADirectoryError):
        return "expected a file, found a directory"
    return (getattr(error, "strerror", None) or str(error)).lower()
