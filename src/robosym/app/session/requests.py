"""A request of a command as data, and the command line and the Python code that reproduce its result."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import robosym as rs
from robosym.app.menus import CODE, COMMANDS, Argument, Command, Option
from robosym.app.menus.calls import named, program_lines, python_text
from robosym.app.menus.option_values import REPEATED, read_value
from robosym.errors import Error, InputError, RobotWarning
from robosym.files import file_stamp
from robosym.formats.draft_problems import collected_warnings
from robosym.safe_text import shell_line

__all__ = ["HANDED_OVER", "Delivery", "Equivalent", "Request", "command_line", "entries", "equivalent", "typed"]


@dataclass(frozen=True)
class Request:
    """Data that is sent to a worker through a pipe, and stored in a file as `plain`."""

    command: str  #: a name of `COMMANDS`
    robot: str = ""  #: text as typed: a name of the library or a file
    values: Mapping[str, Any] = field(default_factory=dict)  #: given values by name of argument or option
    text: str = ""  #: YAML of a robot that `robot` does not name, for requests from a file
    data: bytes = field(default=b"", repr=False)  #: the same robot of an open document, pickled by this process
    stamp: str = field(default="", repr=False)  #: time stamp of the file that `robot` names, which may change

    @property
    def row(self) -> Command:
        if self.command not in COMMANDS:
            raise InputError(f"unknown command {self.command!r}")
        return COMMANDS[self.command]

    @property
    def key(self) -> str:
        """A key that is equal for equal requests."""
        asked = [self.command, self.robot, self.values, self.text, self.stamp]
        return sha256(json.dumps(asked, sort_keys=True, default=str).encode() + self.data).hexdigest()[:20]

    @property
    def is_named(self) -> bool:
        """Whether the name in `robot` is sufficient to load the robot."""
        return not (self.text or self.data)

    def plain(self) -> dict[str, Any]:
        """Return the request as plain data for a file."""
        text = _printed(self.data) if self.data else self.text
        return {"command": self.command, "robot": self.robot, "values": dict(self.values), "text": text}

    def load(self) -> rs.Robot:
        """Load the robot; a file is read again after it has changed."""
        if self.is_named:
            robot, remarks = _loaded(self.robot, file_stamp(self.robot))
            for remark in remarks:
                warnings.warn(remark, stacklevel=2)
            return robot
        return _unpickled(self.data) if self.data else _parsed(self.text)

    def run_values(self) -> dict[str, Any]:
        """Return the values as arguments of `Command.run`; options of `load` need the name of the robot."""
        found = dict(self.values)
        if self.row.takes_robot:
            by_name = self.is_named and (found.get("floating") or found.get("xacro"))
            found["robot"] = self.robot if by_name else self.load()
        return found

    def given(self) -> Iterator[tuple[Option, Any]]:
        """Return the options that were given, in the order of the menu table."""
        for option in self.row.options:
            value = self.values.get(option.name)
            unset = value is None or (value is False and option.kind == "flag")
            if not (unset or value == "" or value == [] or value == option.default):
                yield option, value

    def with_values(self, **values: Any) -> Request:
        """Return the request with other values; None removes a value."""
        changed = {**self.values, **values}
        return replace(self, values={name: value for name, value in changed.items() if value is not None})


@lru_cache(maxsize=8)
def _loaded(name: str, stamp: str) -> tuple[rs.Robot, list[RobotWarning]]:
    with collected_warnings() as remarks:
        robot = rs.load(name)
    return robot, remarks


@lru_cache(maxsize=8)
def _unpickled(data: bytes) -> rs.Robot:
    robot: rs.Robot = pickle.loads(data)  # data of this program: no file holds it
    return robot


@lru_cache(maxsize=8)
def _parsed(text: str) -> rs.Robot:
    return rs.loads(text, format="yaml")


@lru_cache(maxsize=8)
def _printed(data: bytes) -> str:
    return str(_unpickled(data).dumps("yaml"))


def entries(option: Option, text: str) -> list[str]:
    """Split the entries of a repeatable option at line breaks and semicolons, and names also at commas."""
    for mark in "\n;" + option.separator:
        text = text.replace(mark, "\n")
    return [line.strip() for line in text.split("\n") if line.strip()]


def typed(option: Any, given: Any) -> Any:
    """Return the value of an option or argument from the text of its field; None if the field is empty."""
    given = given.strip() if isinstance(given, str) else given
    if given is None or given == "" or given == []:
        return None
    if isinstance(given, bool | int | float):
        return given
    if option.kind in REPEATED:
        return entries(option, given) if isinstance(given, str) else list(given)
    if option.kind == "flag":
        return bool(given)
    try:
        return read_value(option.kind, str(given))
    except InputError as error:
        raise named(error, option.name) from None


HANDED_OVER = "robosym-files-"  #: prefix of the folders of uploaded files

_NOWHERE = ("output", "language")  #: options of every command for the destination of the result


@dataclass(frozen=True)
class Delivery:
    """The destination of a result: a file, its language if the extension does not imply it, and language options."""

    file: str = ""
    language: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


class Equivalent(NamedTuple):
    """The command line and the Python code that give the same result."""

    line: str
    python: str
    imports: tuple[str, ...] = ()  #: imports of functions that are not public names of `robosym`

    @property
    def program(self) -> str:
        """The Python code with its imports."""
        return "\n".join(["import robosym as rs", *self.imports, "", self.python, ""])


def equivalent(request: Request, delivery: Delivery = Delivery(), shown: Request | None = None) -> Equivalent:  # noqa: B008
    """Return the command line and the Python code of a request; `shown` replaces the request in the command line."""
    return Equivalent(command_line(shown or request, delivery), *_python(request, delivery))


def command_line(request: Request, to: Delivery = Delivery()) -> str:  # noqa: B008
    """Return a line such as `robosym inverse-dynamics rx90 --base-parameters -o rx90_dyn.c`."""
    row = request.row
    words = ["robosym", row.word]
    for argument in row.arguments:
        value = request.robot if argument.name == "robot" else request.values.get(argument.name)
        words += [] if value is None or value == "" else [_own_name(argument, value)]
    codes = {option.name for option in CODE}
    for option, value in request.given():
        if option.name not in _NOWHERE and option.name not in codes:
            words += _option_words(option, value)
    for option in CODE:
        if to.options.get(option.name):
            words += _option_words(option, to.options[option.name])
    words += ["-l", to.language] if to.language else []
    words += ["-o", to.file] if to.file else []
    return shell_line(words)


def _option_words(option: Option, value: Any) -> Iterator[str]:
    if value is True and option.kind == "flag":
        yield option.word
        return
    several = value if option.kind in REPEATED and not isinstance(value, str) else [value]
    for entry in several:
        text = ",".join(map(str, entry)) if isinstance(entry, list | tuple) else _own_name(option, entry)
        if text.startswith("-"):  # must not look like an option
            yield f"{option.word}={text}"
        else:
            yield from (option.word, text)


def _own_name(part: Argument | Option, value: Any) -> str:
    """Return the name that the user knows for an uploaded file, which is stored in a folder of the page."""
    is_file = part.kind == "file" or getattr(part, "metavar", "") == "FILE"
    return Path(str(value)).name if is_file and HANDED_OVER in str(value) else str(value)


# ------------------------------------------------------------------------ Python


def _python(request: Request, to: Delivery) -> tuple[str, tuple[str, ...]]:
    """Return Python code for a request, and its imports.

    For example `rs.inverse_dynamics(rs.load("rx90"), base_parameters=True).write("rx90_dyn.c")`. A robot that is used
    several times, or a result that is also saved elsewhere, needs more than one line.
    """
    try:
        made = request.row.compile(_own_files(request), named=request.robot)
        lines, text = program_lines(made.call, made.robot)
    except Error as error:  # fields that are not filled yet
        return f"# {error}", ()
    if made.imports:
        text = text.removeprefix("rs.")
    if made.saves:
        lines.append(f"result = {text}")
        lines += [save.python({made.call: "result"}) for save in made.saves]
        text = "result"
    return "\n".join([*lines, _delivered(request, text, to)]), made.imports


def _own_files(request: Request) -> dict[str, Any]:
    """Return the values with the uploaded files under the names that the user knows."""
    every: list[Argument | Option] = [*request.row.arguments, *request.row.options]
    parts = {part.name: part for part in every}
    given = request.run_values()
    return {name: _own_names(parts[name], value) if name in parts else value for name, value in given.items()}


def _own_names(part: Argument | Option, value: Any) -> Any:
    if isinstance(value, list) and getattr(part, "metavar", "") == "FILE":
        return [_own_name(part, one) for one in value]
    return _own_name(part, value) if part.kind == "file" and value not in (None, "") else value


def _delivered(request: Request, text: str, to: Delivery) -> str:
    gives = "numbers" if request.values.get("at") else request.row.gives
    options = "".join(f", {name}={python_text(value)}" for name, value in to.options.items() if value)
    language = f", {python_text(to.language)}" if to.language else ""
    if gives == "model" or (gives == "solution" and to.file and Path(to.file).suffix not in ("", ".txt")):
        return f"{text}.write({python_text(to.file)}{language}{options})" if to.file else f"print({text})"
    if gives == "drawing":
        return f"{text}.write({python_text(to.file or 'robot.svg')})"
    if gives in ("file", "files"):
        return text
    method = {"solution": "explain()", "robot": 'dumps("yaml")', "description": 'dumps("yaml")'}.get(gives)
    return f'print({text}.{method}, end="")' if method else f"print({text})"
