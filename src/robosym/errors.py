"""Errors for invalid user input, as data: location, expected value, found value and hint.

The text of an error is `location: message: hint`. The location and the arguments of a hint are data, so that each
interface names them in its own terms: Python writes `frame=`, the command line `--frame`, and the page marks the cell.
A message that starts with its location (`"frame 3: theta: expected .., found .."`, `"--add-frame: expected .."`) is
parsed here when the error is created; no other module parses the text of an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol, TypeVar, Union

__all__ = [
    "CODES", "PYTHON", "Action", "Diagnostic", "Error", "ExpressionError", "FormatError", "FrameWarning", "GiveValue",
    "Hint", "InputError", "ModeWarning", "Pass", "PathPart", "RobotError", "RobotWarning", "TimeLimitReached", "Words",
    "closest", "counted", "explain", "missing_keys", "missing_values",
]  # fmt: skip


# ----------------------------------------------------------------------------------------- locations and actions


@dataclass(frozen=True)
class PathPart:
    """One part of a location: frame 3, the field theta, the second entry of gravity, or an argument."""

    name: str
    number: int | None = None  #: number of a frame, link or leg, printed after the name
    entry: int | None = None  #: index in a list, counted from 1 and printed in brackets

    def __str__(self) -> str:
        number = "" if self.number is None else f" {self.number}"
        return f"{self.name}{number}" + ("" if self.entry is None else f"[{self.entry}]")


@dataclass(frozen=True)
class Pass:
    """Suggested action: pass an argument, with this value if only one value is possible."""

    argument: str
    value: object = None


@dataclass(frozen=True)
class GiveValue:
    """Suggested action: assign a number to a symbol of the robot."""

    symbol: str


Action = Union[Pass, GiveValue]
Hint = Union[str, Sequence[Union[str, Action]]]


class Words(Protocol):
    """Vocabulary of an interface: how it names arguments and actions."""

    def place(self, part: PathPart) -> str:
        """Return the text of the first part of a location, which may be an argument."""

    def knows(self, part: PathPart) -> bool:
        """Return whether the interface has a name of its own for a part of a location."""

    def action(self, action: Action) -> str:
        """Return the text of a suggested action."""


class _Python:
    def place(self, part: PathPart) -> str:
        return str(part)

    def knows(self, part: PathPart) -> bool:
        return False

    def action(self, action: Action) -> str:
        if isinstance(action, GiveValue):
            return f"use robot.with_values({{{action.symbol!r}: ...}})"
        if isinstance(action.value, Mapping):
            entries = ", ".join(f"{key!r}: {'...' if v is None else repr(v)}" for key, v in action.value.items())
            return f"{action.argument}={{{entries}}}"
        return f"{action.argument}={'' if action.value is None else repr(action.value)}"


PYTHON = _Python()

# ------------------------------------------------------------------------------------------------------- problems

_PART = re.compile(r"(?:(frame|link|joint|wrench|leg|module) (\d{1,9})|(?:--([a-z][a-z-]*)|(\w+))(?:\[(\d{1,9})\])?): ")
_EXPECTED = re.compile(r"expected (.+?)(?:, found (.+?))?(?:$|[:;] | \()", re.DOTALL)
_MEANT = re.compile(r" \(did you mean '(.+?)'\?\)")
_P = TypeVar("_P", bound="Diagnostic")


def _split_location(text: str) -> tuple[tuple[PathPart, ...], str]:
    """Split a message into the location that it starts with and the rest."""
    parts = []
    while found := _PART.match(text):
        what, number, option, argument, entry = found.groups()
        name = argument or (option or "").replace("-", "_")
        parts.append(PathPart(what, int(number)) if what else PathPart(name, None, int(entry) if entry else None))
        text = text[found.end() :]
    return tuple(parts), text


def _suggestion(text: str) -> tuple[str, str]:
    """Return the unknown word and the suggested one, or two empty texts, in linear time."""
    suggestion = _MEANT.search(text)
    unknown = re.split(r"[\s']", text[: suggestion.start()].removesuffix("'"))[-1] if suggestion else ""
    return (unknown, suggestion[1]) if suggestion and unknown else ("", "")


class Diagnostic(Exception):
    """Base class of errors and warnings.

    Parameters
    ----------
    message : str or Diagnostic
        Description of the problem, optionally after its location; or an existing problem to extend with a location.
    path : sequence of PathPart
        Location that precedes the location in the message.
    expected, found : str
        Expected and found value, if the message does not contain "expected .., found ..".
    hint : str or sequence of str and Action
        How to solve the problem.
    code : str
        Key of `CODES`. The default is the code of the class.

    Attributes
    ----------
    path : tuple of PathPart
        Location in a description (module, leg, frame, field), or the argument.
    statement : str
        Description of the problem without location and hint.
    expected, found, hint, code
        As above.
    unknown, meant : str
        Unknown word and the word suggested in its place, or "".
    """

    usual = "E401"  #: default code of the class
    path: tuple[PathPart, ...]
    statement: str
    expected: str
    found: str
    code: str

    def __init__(
        self, message: str | Diagnostic = "", *, path: Sequence[PathPart] = (), expected: str = "", found: str = "",
        hint: Hint = (), code: str = "",
    ) -> None:  # fmt: skip
        if isinstance(message, Diagnostic):
            own, self.statement = message.path, message.statement
            expected, found = expected or message.expected, found or message.found
            hint, code = hint or message.hint, code or message.code
        else:
            own, self.statement = _split_location(message)
        self.path = (*path, *own)
        values = _EXPECTED.search(self.statement)
        self.expected = expected or (values[1] if values else "")
        self.found = found or ((values[2] or "") if values else "")
        self.unknown, self.meant = _suggestion(self.statement)
        self.hint: tuple[str | Action, ...] = (hint,) if isinstance(hint, str) else tuple(hint)
        self.code = code or self.usual
        super().__init__(self.text(PYTHON))

    @property
    def where(self) -> str:
        """Position in a file, as `file:line:column`, or ""."""
        return ""

    def text(self, words: Words) -> str:
        """Return the complete text in the vocabulary of an interface.

        Names of functions before an argument that the interface knows are left out: `prepare: cut: ..` becomes
        `--cut: ..` on the command line.

        Parameters
        ----------
        words : Words
            Vocabulary of the interface, for example `PYTHON`.

        Returns
        -------
        str
            Location, message and hint on one line.
        """
        known = next((at for at, part in enumerate(self.path) if words.knows(part)), 0)
        path = self.path[known:] if all(part.number is None for part in self.path[:known]) else self.path
        option = [words.place(part) for part in path[:1] if words.knows(part)]  # it precedes the file that it names
        rest = [words.place(part) if at == 0 else str(part) for at, part in enumerate(path)][len(option) :]
        steps = [*option, self.where, *rest]
        text = ": ".join(filter(None, [*steps, self.statement]))
        hint = "".join(part if isinstance(part, str) else words.action(part) for part in self.hint)
        mark = "; " if ": " in self.statement else ": "
        return f"{text}{mark}{hint}" if hint else text

    @property
    def message(self) -> str:
        """Text in the vocabulary of Python, without the position in a file."""
        return self.args[0].removeprefix(f"{self.where}: ") if self.where else str(self)

    def within(self: _P, *parts: PathPart) -> _P:
        """Return a copy with a longer location.

        Parameters
        ----------
        *parts : PathPart
            Parts to put in front of the location, outermost first.

        Returns
        -------
        Diagnostic
            A problem of the same class.
        """
        made = copy(self)
        made.path = (*parts, *self.path)
        made.args = (made.text(PYTHON),)
        return made


class Error(Diagnostic):
    """Base class of all errors that robosym raises for invalid input."""


class ExpressionError(Error):
    """Raised for an expression that cannot be parsed or has no value.

    `column` is the position in the expression, counted from 1, or None.
    """

    usual = "E101"

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


class RobotError(Error):
    """Raised for an invalid robot description.

    `frame` is the number of the frame and `field` the name of the entry; each is None if unknown.
    """

    usual = "E201"

    def __init__(
        self, message: str | Diagnostic, frame: int | None = None, field: str | None = None, *, found: str = "",
        code: str = "",
    ) -> None:  # fmt: skip
        place, _ = _split_location("".join(f"{part}: " for part in (frame and f"frame {frame}", field) if part))
        super().__init__(message, path=place, found=found, code=code)
        self.frame = frame
        inner_path = isinstance(message, Diagnostic) and message.path
        self.field = field or (str(inner_path[0]) if inner_path else None)


class _InFile(Diagnostic):
    """A problem in a file, with the line and the column if they are known."""

    def __init__(
        self, message: str | Diagnostic = "", file: str | None = None, line: int | None = None,
        column: int | None = None, *, hint: Hint = (), code: str = "",
    ) -> None:  # fmt: skip
        self.file = file
        self.line = line
        self.column = column
        super().__init__(message, hint=hint, code=code)

    @property
    def where(self) -> str:
        """Position in a file, as `file:line:column`, or ""."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class FormatError(_InFile, Error):
    """Raised for a file or text that cannot be read or written.

    `file`, `line` and `column` are the position, counted from 1; each is None if unknown.
    """

    usual = "E301"


class InputError(Error):
    """Raised for invalid arguments of a function or model: wrong shape, missing or unknown names."""

    usual = "E401"


def missing_keys(keys: Sequence[str]) -> str:
    """Return the message for keys that a description lacks: `missing keys frames, gravity`."""
    return f"missing {'key' if len(keys) == 1 else 'keys'} {', '.join(keys)}"


def missing_values(names: Sequence[str], place: str = "parameters: ") -> InputError:
    """Return the error for symbols without values; it lists at most eight of them."""
    few = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return InputError(f"{place}expected values for {few}, found none", hint=[GiveValue(names[0])], code="E404")


class TimeLimitReached(Error):
    """Raised when a call does not end within its time limit."""

    usual = "E410"


class ModeWarning(Diagnostic, UserWarning):
    """Warns that a result holds in one of several assembly modes; a reference position selects the mode."""

    usual = "E409"


class RobotWarning(_InFile, UserWarning):
    """Warns about a probable mistake in a description, such as an inconsistent inertia or an angle in degrees."""

    usual = "E202"


class FrameWarning(RobotWarning):
    """Warns that no frame was given and the end frame was chosen among several candidates."""

    usual = "E406"


def closest(word: object, known: Iterable[str]) -> str:
    """Return `" (did you mean 'theta'?)"` for the known word that is most similar to `word`, or ""."""
    spelled = {name.lower(): name for name in reversed(list(known))}  # of two spellings, the first one wins
    matches = get_close_matches(str(word).lower(), spelled, n=1)
    return f" (did you mean '{spelled[matches[0]]}'?)" if matches else ""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, `1 joint` or `2 joints`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# ---------------------------------------------------------------------------------------------------- explanations

#: explanation of each code, shown by `robosym explain` and in docs/errors.md
CODES = {
    "E101": "The expression cannot be parsed or has no value. Entries consist of numbers, names, the operators + - * / "
    "** and functions such as sin, cos and sqrt: `L1 + 0.5*cos(Pi/3)`. Write pi as Pi, and use a decimal point.",
    "E201": "The description is not a valid robot: its frames, links and joints are inconsistent. The message names "
    "the frame and the field.",
    "E202": "The description probably contains a mistake. The robot is used as described.",
    "E203": "An angle is larger than one turn. Angles are in radians: write `90deg` in YAML, or Pi/2.",
    "E204": "The antecedent of a frame must precede it in the table: frame j follows a frame from 0 (the base) "
    "to j - 1. In a serial chain it is j - 1.",
    "E205": "A joint needs a variable: theta of a revolute joint or r of a prismatic joint must be a name, optionally "
    "plus a constant. Write a name such as t3, or make the frame fixed (sigma: 2).",
    "E206": "Two joints have the same variable. Give each joint a different name; use `couplings` or `follows` for "
    "joints that move together.",
    "E301": "The file cannot be read or written in this format. The message names the line and the column.",
    "E302": "The description contains an unknown key. Check its spelling.",
    "E401": "An argument or option is not valid for the function or the robot. The message names it, the expected "
    "value and the value found.",
    "E402": "The value of an argument or option is not one of the known values.",
    "E403": "The value of an option cannot be parsed. Separate the entries of a list by commas: 1,2,3. Numbers may be "
    "expressions, Pi/2, and angles may have a unit, 90deg.",
    "E404": "A symbol of the robot or of the model needs a number. Set it with `robot.with_values` in Python, "
    "`--set NAME=NUMBER` on the command line, or in the tables of the page.",
    "E405": "The function does not support this kind of robot, or does not support this option for it.",
    "E406": "The robot has several end frames: name one of them. `robosym show` lists the frames and their names.",
    "E407": "The pose does not determine all joints. Specify more of the pose, or fix the remaining joints.",
    "E408": "The command requires an argument or option that was not given.",
    "E409": "The links can be assembled in several ways (assembly modes), and the model is valid in one of them. Give "
    "joint values of the intended mode: `position` in the description, or `reference`.",
    "E410": "The call did not end within its time limit. Nothing was written. Allow more time, or request less.",
    "E411": "The robot has no such frame. `robosym show` lists the frames and their names.",
}  # fmt: skip


def explain(code: str) -> str:
    """Return the explanation of an error code and how to solve the problem.

    Parameters
    ----------
    code
        Code such as E206, which is printed in brackets after a message.
    """
    known = code.strip().upper()
    if known not in CODES:
        raise InputError(f"code: expected one of {', '.join(CODES)}, found {code!r}", code="E402")
    return f"{known}: {CODES[known]}"
