"""Reading and writing files: bounded, decoded, and never half-written."""

from __future__ import annotations

import csv
import os
import stat
import tempfile
from pathlib import Path

from robosym.errors import FormatError

__all__ = ["MAX_BYTES", "cells", "decode", "read_bytes", "read_text", "write_bytes", "write_text"]

MAX_BYTES = 8_000_000  #: a description of 1,000 links takes about 300,000; more is a wrong or damaged file
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


def read_text(path: str | Path) -> str:
    """The text of a regular file of at most `MAX_BYTES`."""
    return decode(read_bytes(path), str(path))


def cells(text: str, file: str | None = None, delimiter: str = ",") -> list[list[str]]:
    """The rows of a table with commas, or another mark, between its cells."""
    rows = csv.reader(text.split("\n"), delimiter=delimiter)
    try:
        return list(rows)
    except csv.Error as error:
        message = f"expected a table with {delimiter!r} between its cells: {error}"
        raise FormatError(message, file, rows.line_num) from None


def read_bytes(path: str | Path) -> bytes:
    """A regular file of at most `MAX_BYTES`."""
    file = str(path)
    try:
        with open(path, "rb") as stream:
            # only after opening: the answer then belongs to the file that is read, and a device is not
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise FormatError("expected a regular file", file)
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        raise FormatError(_why(error), file) from None
    if len(data) > MAX_BYTES:
        raise FormatError(f"the file is longer than {MAX_BYTES} bytes, the most that is read", file)
    return data


def write_text(path: str | Path, text: str) -> None:
    """Write a file in UTF-8 so that it is there whole or, after any error, as it was before."""
    file = str(path)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"the character {text[error.start]!r} cannot be written", file) from None
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file so that it is there whole or, after any error, as it was before."""
    file = str(path)
    temporary: str | None = None
    try:
        target = Path(os.path.realpath(path))  # through a link, the file that it points to is replaced
        if not target.parent.exists():
            raise FormatError(f"no such directory: {target.parent}", file)
        mode = 0o666 & ~_umask()
        if target.exists():
            found = target.stat().st_mode
            if not stat.S_ISREG(found):  # a device or a pipe would be replaced by a file
                kind = "a directory" if stat.S_ISDIR(found) else "a device or a pipe"
                raise FormatError(f"expected a file, found {kind}", file)
            mode = stat.S_IMODE(found)
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:50]}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
        temporary = None
    except (OSError, ValueError) as error:
        raise FormatError(_why(error), file) from None
    finally:
        if temporary is not None:
            os.unlink(temporary)


def _umask() -> int:
    """The process's file mode mask, which can be read only by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _why(error: OSError | ValueError) -> str:
    """The system's words for what is wrong, without its error number."""
    if isinstance(error, FileNotFoundError):
        return "no such file or directory"
    if isinstance(error, IsADirectoryError):
        return "expected a file, found a directory"
    return (getattr(error, "strerror", None) or str(error)).lower()
