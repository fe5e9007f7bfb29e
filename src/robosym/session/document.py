"""One robot being edited."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import robosym as rs
from robosym.errors import FormatError
from robosym.files import MAX_BYTES, decode

__all__ = ["Document"]

_FORMATS = {
    ".par": "par",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".urdf": "urdf",
    ".xml": None,
    ".mjcf": "mjcf",
    ".sdf": "sdf",
}


class Document:
    """A robot and where it came from."""

    def __init__(self, robot: Any, origin: str) -> None:
        self.robot = robot
        self.origin = origin

    @classmethod
    def load(cls, name_or_path: str) -> Document:
        """A robot of the library, or of a file on this computer."""
        return cls(rs.load(name_or_path), name_or_path)

    @classmethod
    def read(cls, file: str, data: bytes) -> Document:
        """A robot from the contents of a file; only the last part of its name is used."""
        name = PurePath(file.replace("\\", "/")).name
        suffix = PurePath(name).suffix.lower()
        if suffix not in _FORMATS:
            raise FormatError(
                f"expected a file with the extension {', '.join(_FORMATS)}, found {suffix or 'none'!r}", name
            )
        if len(data) > MAX_BYTES:
            raise FormatError(f"the file is longer than {MAX_BYTES} bytes, the most that is read", name)
        return cls(rs.loads(decode(data, name), _FORMATS[suffix], PurePath(name).stem), name)
