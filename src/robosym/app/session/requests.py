"""What was asked: a command of the menus, the robot, and the values of its arguments and options as they were given."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

import robosym as rs
from robosym.app.menus import COMMANDS, Command, Option
from robosym.app.menus.option_values import REPEATED, read_value
from robosym.errors import InputError

__all__ = ["Request", "entries", "typed"]


@dataclass(frozen=True)
class Request:
    """Data that goes through a pipe to a worker, and as `plain` into a file and back."""

    command: str  #: a name of `COMMANDS`
    robot: str = ""  #: as it is typed: a name of the library or a file
    values: Mapping[str, Any] = field(default_factory=dict)  #: by name of argument and option; what is not given is out
    text: str = ""  #: YAML of the robot, where it is not what `robot` names: of a request that was in a file
    data: bytes = field(default=b"", repr=False)  #: the same, the robot of an open document as this program pickled it

    @property
    def row(self) -> Command:
        if self.command not in COMMANDS:
            raise InputError(f"no command {self.command!r}")
        return COMMANDS[self.command]

    @property
    def key(self) -> str:
        """The same of two requests that ask the same."""
        asked = [self.command, self.robot, self.values, self.text]
        return sha256(json.dumps(asked, sort_keys=True, default=str).encode() + self.data).hexdigest()[:20]

    @property
    def is_named(self) -> bool:
        """Whether `robot` alone says which robot it is."""
        return not (self.text or self.data)

    def plain(self) -> dict[str, Any]:
        """What a file keeps of it."""
        text = _printed(self.data) if self.data else self.text
        return {"command": self.command, "robot": self.robot, "values": dict(self.values), "text": text}

    def load(self) -> rs.Robot:
        """The robot."""
        return rs.load(self.robot) if self.is_named else _unpickled(self.data) if self.data else _parsed(self.text)

    def subject(self) -> rs.Robot | str:
        """The robot itself, or what `load` is given."""
        return self.robot if self.is_named else self.load()

    def run_values(self) -> dict[str, Any]:
        """As `Command.run` takes them."""
        found = dict(self.values)
        if any(argument.name == "robot" for argument in self.row.arguments):
            found["robot"] = self.subject()
        return found

    def given(self) -> Iterator[tuple[Option, Any]]:
        """The options that were given, in the order of the table."""
        for option in self.row.options:
            value = self.values.get(option.name)
            unset = value is None or (value is False and option.kind == "flag")
            if not (unset or value == "" or value == [] or value == option.default):
                yield option, value

    def with_values(self, **values: Any) -> Request:
        """The same with other values; None takes one away."""
        changed = {**self.values, **values}
        return replace(self, values={name: value for name, value in changed.items() if value is not None})


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
    """The entries of an option that may be repeated: a line each, or semicolons between; names also commas."""
    marks = "\n;" if option.metavar else "\n;,"
    for mark in marks:
        text = text.replace(mark, "\n")
    return [line.strip() for line in text.split("\n") if line.strip()]


def typed(option: Any, given: Any) -> Any:
    """The value of an option or an argument from what stands in its field; None where that is empty."""
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
        raise InputError(f"{getattr(option, 'word', option.name)}: {error}") from None
