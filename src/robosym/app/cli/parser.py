"""A command's line read into values, by what the table says of it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

from robosym.app.cli.panels import command_help
from robosym.app.menus import Command, Option
from robosym.app.menus.option_values import TRUTH, TRUTH_KINDS, opposite, read_value
from robosym.errors import InputError, closest

__all__ = ["Parser"]


def _reader(kind: str) -> Any:
    def read(text: str) -> Any:
        try:
            return read_value(kind, text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _is_answer(option: Option | None, word: str) -> bool:
    return word.lower() in TRUTH or (option is not None and option.kind == "friction" and word == "smooth")


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
        action = "append" if option.repeated else "store"
        self.add_argument(*words, dest=option.name, action=action, type=_reader(option.kind))

    def values(self, line: Sequence[str]) -> dict[str, Any]:
        """By name of argument and option."""
        found, unknown = self.parse_known_args(self._answered(line))
        for word in unknown:
            for option in (
                o for o in self.command.options if o.kind in TRUTH_KINDS and (o.word, word) in pairwise(line)
            ):
                answers = "yes, no or smooth" if option.kind == "friction" else "yes or no"
                self.error(f"{option.word}: expected {answers}, found {word!r}")
            near = closest(word, [option.word for option in self.command.options])
            self.error(f"no such {'option' if word.startswith('-') else 'argument'}: {word}{near}")
        return vars(found)

    def _answered(self, line: Sequence[str]) -> list[str]:
        """The line with an answer in every option that takes yes or no: `--tree` is `--tree=yes`, `--no-tree` no.

        A word behind such an option belongs to it only where it is an answer: `jacobian rx90 --active 6` has link 6.
        """
        asked = {option.word: option for option in self.command.options if option.kind in TRUTH_KINDS}
        negated = {opposite(word): word for word in asked}
        words, found = list(line), list[str]()
        while words:
            word = words.pop(0)
            if word == "--":
                return [*found, word, *words]
            head, equals, _ = word.partition("=")
            following = not equals and bool(words) and _is_answer(asked.get(head), words[0])
            if head in negated and head not in asked:
                if equals or (words and words[0].lower() in TRUTH):
                    self.error(f"{head} takes no value: expected {head}, or {negated[head]} yes or no")
                found.append(f"{negated[head]}=no")
            elif head in asked and not equals:
                found.append(f"{head}={words.pop(0) if following else 'yes'}")
            else:
                found.append(word)
        return found

    def print_help(self, file: Any = None) -> None:
        command_help(self.command, file)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")
