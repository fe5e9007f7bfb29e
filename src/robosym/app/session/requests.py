"""What was asked: a command of the menus, the robot, and the values of its arguments and options as they were given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import robosym as rs
from robosym.app.menus import COMMANDS, Command, Option
from robosym.app.menus.typed_values import read_value
from robosym.errors import InputError

__all__ = ["Request", "entries", "typed"]


@dataclass(frozen=True)
class Request:
    """Plain data: it goes through a pipe, into a file and back."""

    command: str  #: a name of `COMMANDS`
    robot: str = ""  #: as it is typed: a name of the library or a file
    values: Mapping[str, Any] = field(default_factory=dict)  #: by name of argument and option; what is not given is out
    text: str = ""  #: YAML of the robot, where it is not (yet) what `robot` names

    @property
    def row(self) -> Command:
        if self.command not in COMMANDS:
            raise InputError(f"no command {self.command!r}")
        return COMMANDS[self.command]

    @property
    def key(self) -> str:
        """The same of two requests that ask the same."""
        return sha256(json.dumps(asdict(self), sort_keys=True, default=str).encode()).hexdigest()[:20]

    def subject(self) -> Any:
        """The robot itself, or what `load` is given."""
        return rs.loads(self.text, format="yaml") if self.text else self.robot

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
        return Request(self.command, self.robot, {n: v for n, v in changed.items() if v is not None}, self.text)


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
    if option.kind in ("texts", "values", "known"):
        return entries(option, given) if isinstance(given, str) else list(given)
    if option.kind == "flag":
        return bool(given)
    try:
        return read_value(option.kind, str(given))
    except InputError as error:
        raise InputError(f"{getattr(option, 'word', option.name)}: {error}") from None
