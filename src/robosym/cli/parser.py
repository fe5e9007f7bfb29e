"""A command's line read into values, by what the table says of it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from robosym.cli.panels import command_help
from robosym.errors import closest
from robosym.menus import Command, Option

__all__ = ["Parser"]


def _number(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"expected a number, found {text!r}")
    return int(text)


def _frame(text: str) -> int | str:
    """The number of a frame or, where the word is none, its name."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else text


def _numbers(text: str) -> list[int]:
    return [_number(word) for word in text.split(",")]


def _yes_or_no(text: str) -> str:
    if text not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"expected yes or no, found {text!r}")
    return text


#: what a word on the line becomes, by the kind of the value; several texts are given one by one
READ: dict[str, Any] = {
    "robot": str,
    "file": Path,
    "text": str,
    "texts": str,
    "values": str,
    "known": str,
    "pose": str,
    "frame": _frame,
    "number": _number,
    "numbers": _numbers,
    "yes or no": _yes_or_no,
    "friction": str,
}


class Parser(argparse.ArgumentParser):
    """Of one command. Numbers such as -1 (the world) are arguments, since no option looks like one."""

    def __init__(self, command: Command) -> None:
        super().__init__(f"robosym {command.word}", allow_abbrev=False)
        self._negative_number_matcher = re.compile(r"-[\d.][\d.,e-]*")  # a view, -50,20, is no option either
        self.command = command
        for argument in command.arguments:
            count: dict[str, Any] = {"nargs": "?"} if argument.optional else {}
            self.add_argument(argument.name, metavar=argument.name.upper(), type=READ[argument.kind], **count)
        for option in command.options:
            self._add(option)

    def _add(self, option: Option) -> None:
        words = [*filter(None, [option.short]), option.word]
        if option.kind == "flag":
            self.add_argument(*words, dest=option.name, action="store_true")
        else:
            action = "append" if option.kind in ("texts", "values", "known") else "store"
            kind, default = READ[option.kind], option.default
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
