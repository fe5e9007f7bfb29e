"""What can go wrong in what a user gives, in words that say where and what was expected."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "Error", "ExpressionError", "FormatError", "FrameWarning", "InputError", "ModeWarning", "RobotError",
    "RobotWarning", "closest",
]  # fmt: skip


class Error(Exception):
    """Base of every error that robosym raises for what a user gave."""


class ExpressionError(Error):
    """An expression that cannot be read or has no value; `column` counts from 1 where it is known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


class RobotError(Error):
    """A description that is not a robot: names the frame and the field where they are known."""

    def __init__(self, message: str, frame: int | None = None, field: str | None = None) -> None:
        place = "".join(f"{part}: " for part in (frame and f"frame {frame}", field) if part)
        super().__init__(place + message)
        self.frame = frame
        self.field = field


class FormatError(Error):
    """A file or text that cannot be read: names the file, the line and the column where they are known."""

    def __init__(
        self, message: str, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column


class InputError(Error):
    """Arguments that do not fit a model or a function: wrong shape, missing or unknown names."""


class ModeWarning(UserWarning):
    """Something was decided in one of several modes of a robot with loops: a reference position would settle it."""


class RobotWarning(UserWarning):
    """What is odd in a description and may be a mistake: a body that cannot be, an angle that is no radian."""


class FrameWarning(RobotWarning):
    """A frame was not given, and the end of the arm was chosen among several candidates."""


def closest(word: object, known: Iterable[str]) -> str:
    """`" (did you mean 'theta'?)"` or nothing: the tail of a message about an unknown word."""
    spelled = {name.lower(): name for name in reversed(list(known))}  # of two spellings, the first
    matches = get_close_matches(str(word).lower(), spelled, n=1)
    return f" (did you mean '{spelled[matches[0]]}'?)" if matches else ""
