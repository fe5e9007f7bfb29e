"""A command's line read into values, by what the table says of it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from robosym.cli.panels import command_help
from robosym.errors import InputError, closest
from robosym.menus import Command, Option
from robosym.menus.typed_values import read_value

__all__ = ["Parser"]


def _reader(kind: str) -> Any:
    def read(text: str) -> Any:
        try:
            return read_value(kind, text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


class Parser(argparse.ArgumentParser):
    """Of one command. Numbers such as -1 (the world) are arguments, since no option looks like one."""

    def __init__(self, command: Command) -> None:
        super().__init__(f"robosym {command.word}", allow_abbrev=False)
        self._negative_number_matcher = re.compile(r"-[\d.][\d.,e-]*")  # a view, -50,20, is no option either
        self.command = command
        for argument in command.arguments:
            count: dict[str, Any] = {"nargs": "?"} if argument.optional else {}
            self.add_argument(argument.name, metavar=argument.name.upper(), type=_reader(argument.kind), **count)
        for option in command.options:
            self._add(option)

    def _add(self, option: Option) -> None:
        words = [*filter(None, [option.short]), option.word]
        if option.kind == "flag":
            self.add_argument(*words, dest=option.name, action="store_true")
        else:
            action = "append" if option.kind in ("texts", "values", "known") else "store"
            kind, default = _reader(option.kind), option.default
            self.add_argument(*words, dest=option.name, action=action, type=kind, default=default)

    def values(self, line: Sequence[str]) -> dict[str, Any]:
        """By name of argument and option."""
        found, unknown = self.parse_known_args(line)
        for word in unknown:
            near = closest(word, [option.word for option in self.command.options])
            self.error(f"no such {'option' if word.startswith('-') else 'argument'}: {word}{near}")
        return vars(found)

    def print_help(self, file: Any = None) -> None:
        command_help(self.command, file)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")
