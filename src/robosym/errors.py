"""What can go wrong in what a user gives, as data: where, what was expected, what was found, and what to do.

An error is composed as `place: message: hint`. The place and the arguments of a hint are data, so that each surface
names them in its own words: Python says `frame=`, the command line `--frame`, the page marks the cell. A sentence that
begins with its place (`"frame 3: theta: expected .., found .."`) is taken apart here, where it is raised; nothing else
reads the text of an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol, TypeVar, Union

__all__ = [
    "CODES", "PYTHON", "Action", "Complaint", "Error", "ExpressionError", "FormatError", "FrameWarning", "GiveValue",
    "Hint", "InputError", "ModeWarning", "Pass", "PathPart", "RobotError", "RobotWarning", "Words", "closest",
    "explain",
]  # fmt: skip


# ------------------------------------------------------------------------------------------- places and actions


@dataclass(frozen=True)
class PathPart:
    """A step of the way to what is wrong: frame 3, the field theta, the second entry of gravity, an argument."""

    name: str
    number: int | None = None  #: of a frame, a link, a leg ..; it follows the name
    entry: int | None = None  #: of a list, from 1; in brackets

    def __str__(self) -> str:
        number = "" if self.number is None else f" {self.number}"
        return f"{self.name}{number}" + ("" if self.entry is None else f"[{self.entry}]")


@dataclass(frozen=True)
class Pass:
    """Something to do: pass an argument, with this value where one is certain."""

    argument: str
    value: object = None


@dataclass(frozen=True)
class GiveValue:
    """Something to do: give a number to a symbol of the robot."""

    symbol: str


Action = Union[Pass, GiveValue]
Hint = Union[str, Sequence[Union[str, Action]]]


class Words(Protocol):
    """How a surface names arguments."""

    def place(self, part: PathPart) -> str:
        """The first part of a place, which may be an argument."""

    def action(self, action: Action) -> str:
        """What to do."""


class _Python:
    def place(self, part: PathPart) -> str:
        return str(part)

    def action(self, action: Action) -> str:
        if isinstance(action, GiveValue):
            return f"pass parameters={{{action.symbol!r}: ...}} or use robot.with_values"
        if isinstance(action.value, Mapping):
            entries = ", ".join(f"{key!r}: {'...' if v is None else repr(v)}" for key, v in action.value.items())
            return f"{action.argument}={{{entries}}}"
        return f"{action.argument}={'' if action.value is None else repr(action.value)}"


PYTHON = _Python()

# ------------------------------------------------------------------------------------------------------- problems

_PART = re.compile(r"(?:(frame|link|joint|wrench|leg|module) (\d{1,9})|(\w+)(?:\[(\d{1,9})\])?): ")
_EXPECTED = re.compile(r"expected (.+?)(?:, found (.+?))?(?:$|[:;] | \()", re.DOTALL)
_MEANT = re.compile(r" \(did you mean '(.+?)'\?\)")
_P = TypeVar("_P", bound="Complaint")


def _taken_apart(text: str) -> tuple[tuple[PathPart, ...], str]:
    """The place that a sentence begins with, and the rest."""
    parts = []
    while found := _PART.match(text):
        what, number, name, entry = found.groups()
        parts.append(PathPart(what, int(number)) if what else PathPart(name, None, int(entry) if entry else None))
        text = text[found.end() :]
    return tuple(parts), text


class Complaint(Exception):
    """What errors and warnings have in common.

    Parameters
    ----------
    message : str or Complaint
        What is wrong, after its place; or a problem that is told again, with more of its place.
    path : sequence of PathPart
        What stands before the place of the message.
    expected, found : str
        Where the message does not say them as "expected .., found ..".
    hint : str or sequence of str and Action
        What to do.
    code : str
        A key of `CODES`; that of the class where it is not given.

    Attributes
    ----------
    path : tuple of PathPart
        Where it is in a description, or the argument: module, leg, frame, field.
    statement : str
        What is wrong, without place and hint.
    expected, found, hint, code
        As above.
    meant : str
        The word that was probably meant in the place of an unknown one.
    """

    usual = "E401"  #: the code of a class
    path: tuple[PathPart, ...]
    statement: str
    expected: str
    found: str
    code: str

    def __init__(
        self, message: str | Complaint = "", *, path: Sequence[PathPart] = (), expected: str = "", found: str = "",
        hint: Hint = (), code: str = "",
    ) -> None:  # fmt: skip
        if isinstance(message, Complaint):
            own, self.statement = message.path, message.statement
            expected, found = expected or message.expected, found or message.found
            hint, code = hint or message.hint, code or message.code
        else:
            own, self.statement = _taken_apart(message)
        self.path = (*path, *own)
        said, meant = _EXPECTED.search(self.statement), _MEANT.search(self.statement)
        self.expected = expected or (said[1] if said else "")
        self.found = found or ((said[2] or "") if said else "")
        self.meant = meant[1] if meant else ""
        self.hint: tuple[str | Action, ...] = (hint,) if isinstance(hint, str) else tuple(hint)
        self.code = code or self.usual
        super().__init__(self.told(PYTHON))

    @property
    def where(self) -> str:
        """What stands before the path: the place in a file."""
        return ""

    def told(self, words: Words) -> str:
        """The whole text in the words of a surface."""
        first, rest = self.path[:1], self.path[1:]
        steps = [self.where, *map(words.place, first), *map(str, rest)]
        text = ": ".join(filter(None, [*steps, self.statement]))
        hint = "".join(part if isinstance(part, str) else words.action(part) for part in self.hint)
        mark = "; " if ": " in self.statement else ": "
        return f"{text}{mark}{hint}" if hint else text

    @property
    def message(self) -> str:
        """The text in the words of Python, without the place in a file."""
        return self.args[0].removeprefix(f"{self.where}: ") if self.where else str(self)

    def within(self: _P, *parts: PathPart) -> _P:
        """The same problem, inside of these parts."""
        made = copy(self)
        made.path = (*parts, *self.path)
        made.args = (made.told(PYTHON),)
        return made


class Error(Complaint):
    """Base of every error that robosym raises for what a user gave."""


class ExpressionError(Error):
    """An expression that cannot be read or has no value; `column` counts from 1 where it is known."""

    usual = "E101"

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


class RobotError(Error):
    """A description that is not a robot: names the frame and the field where they are known."""

    usual = "E201"

    def __init__(
        self, message: str | Complaint, frame: int | None = None, field: str | None = None, *, found: str = "",
        code: str = "",
    ) -> None:  # fmt: skip
        place, _ = _taken_apart("".join(f"{part}: " for part in (frame and f"frame {frame}", field) if part))
        super().__init__(message, path=place, found=found, code=code)
        self.frame = frame
        told_again = isinstance(message, Complaint) and message.path
        self.field = field or (str(told_again[0]) if told_again else None)


class _InFile(Complaint):
    """Names the file, the line and the column where they are known."""

    def __init__(
        self, message: str | Complaint = "", file: str | None = None, line: int | None = None,
        column: int | None = None, *, hint: Hint = (), code: str = "",
    ) -> None:  # fmt: skip
        self.file = file
        self.line = line
        self.column = column
        super().__init__(message, hint=hint, code=code)

    @property
    def where(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class FormatError(_InFile, Error):
    """A file or text that cannot be read: names the file, the line and the column where they are known."""

    usual = "E301"


class InputError(Error):
    """Arguments that do not fit a model or a function: wrong shape, missing or unknown names."""

    usual = "E401"


class ModeWarning(Complaint, UserWarning):
    """Something was decided in one of several modes of a robot with loops: a reference position would settle it."""

    usual = "E409"


class RobotWarning(_InFile, UserWarning):
    """What is odd in a description and may be a mistake: a body that cannot be, an angle that is no radian."""

    usual = "E202"


class FrameWarning(RobotWarning):
    """A frame was not given, and the end of the arm was chosen among several candidates."""

    usual = "E406"


def closest(word: object, known: Iterable[str]) -> str:
    """`" (did you mean 'theta'?)"` or nothing: the tail of a message about an unknown word."""
    spelled = {name.lower(): name for name in reversed(list(known))}  # of two spellings, the first
    matches = get_close_matches(str(word).lower(), spelled, n=1)
    return f" (did you mean '{spelled[matches[0]]}'?)" if matches else ""


# ---------------------------------------------------------------------------------------------------- explanations

#: what each code means and what to do, as `robosym explain` and the page of the documentation show it
CODES = {
    "E101": "The expression cannot be read or has no value. Entries are numbers, names and the operations + - * / ** "
    "with sin, cos, sqrt and their like: `L1 + 0.5*cos(Pi/3)`. The number is written Pi, decimals have a point.",
    "E201": "The description is not a robot: its frames, links and joints do not fit together. The message names the "
    "frame and the field.",
    "E202": "Something in the description is odd and may be a mistake. The robot is used as it is given.",
    "E203": "An angle is larger than a whole turn. Angles are in radians: write `90deg` in YAML, or Pi/2.",
    "E204": "The antecedent of a frame must come before it in the table: frame j stands on a frame from 0 (the base) "
    "to j - 1. In a chain it is j - 1.",
    "E205": "A joint moves by a variable, a name alone or plus a constant: theta of a revolute joint, r of a prismatic "
    "one. Write the name of a variable such as t3, or make the frame fixed (sigma: 2).",
    "E206": "Two joints have the same variable. Give each joint a name of its own; joints that move together are "
    "described by `couplings` or `follows`.",
    "E301": "The file cannot be read or written as this format. The message names the line and the column.",
    "E302": "The description has a key that the format does not have. Check its spelling.",
    "E401": "An argument or option does not fit the function or the robot. The message names it, with what was "
    "expected and what was found.",
    "E402": "The value of an argument or option is none of those that are known.",
    "E403": "The value of an option cannot be read: it is no number, no list of numbers, or not written as expected. "
    "Lists have commas between: 1,2,3. Numbers may be expressions, Pi/2, and angles have units, 90deg.",
    "E404": "A symbol of the robot or of the model has no value, and numbers are wanted. Give it one: "
    "`robot.with_values` in Python, `--set NAME=NUMBER` on the command line, the tables of the page.",
    "E405": "The function does not exist for robots of this kind, or does not take this option for them.",
    "E406": "The robot has several ends, so that the frame that is meant must be named. `robosym show` lists frames "
    "and their names.",
    "E407": "The pose does not determine all joints. Give more of it, or fix the joints that remain.",
    "E408": "Something that the command needs was not given.",
    "E409": "The same links can be assembled in several ways, and the model holds in one of them. Give values of "
    "joints of the assembly that is meant: `position` in the description, or `reference`.",
}  # fmt: skip


def explain(code: str) -> str:
    """Return what the code of an error means and what to do."""
    known = code.strip().upper()
    if known not in CODES:
        raise InputError(f"code: expected one of {', '.join(CODES)}, found {code!r}", code="E402")
    return f"{known}: {CODES[known]}"
