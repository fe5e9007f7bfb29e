"""Parse the line of a command into values, and print help texts."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from robosym.app.menus import COMMANDS, MENUS, Command, Option
from robosym.app.menus.option_values import TRUTH, TRUTH_KINDS, opposite, read_value
from robosym.errors import InputError, closest

__all__ = ["Parser", "list_of_commands"]

PURPOSE = "Symbolic models of robots: describe one, generate its models, write them as code."
HELP = ("--help", "", "", "Show this message and exit.")


def _reader(kind: str) -> Any:
    def read(text: str) -> Any:
        try:
            if not text.strip():
                raise InputError(f"expected a value, found {text!r}")
            return read_value(kind, text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _is_answer(option: Option | None, word: str) -> bool:
    return word.lower() in TRUTH or (option is not None and option.kind == "friction" and word == "smooth")


class Parser(argparse.ArgumentParser):
    """Parser of one command. Negative numbers such as -1 (the world) are arguments: no option is a number."""

    def __init__(self, command: Command) -> None:
        super().__init__(f"robosym {command.word}", allow_abbrev=False)
        self._negative_number_matcher = re.compile(r"-[\d.][\d.,e-]*")  # a view such as -50,20 is not an option either
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
        """Return the values of a line by name of argument and option."""
        found, unknown = self.parse_known_args(self._answered(line))
        for word in unknown:
            for option in (
                o for o in self.command.options if o.kind in TRUTH_KINDS and (o.word, word) in pairwise(line)
            ):
                answers = "yes, no or smooth" if option.kind == "friction" else "yes or no"
                self.error(f"{option.word}: expected {answers}, found {word!r}")
            near = closest(word, [option.word for option in self.command.options])
            self.error(f"{'unknown option' if word.startswith('-') else 'unexpected argument'} {word!r}{near}")
        return vars(found)

    def _answered(self, line: Sequence[str]) -> list[str]:
        """Return the line with an explicit value for every yes-or-no option: `--tree=yes` for `--tree`.

        A word after such an option is its value only if it is yes or no: in `jacobian rx90 --active 6`, 6 is the link.
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
        _command_help(self.command, file)

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ").replace("the following arguments are required:", "expected", 1)
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def list_of_commands() -> None:
    """Print all commands, grouped by menu."""
    console = Console(highlight=False)
    _head(console, "robosym [OPTIONS] COMMAND [ARGUMENTS]", PURPOSE)
    width = max(len(command.word) for command in COMMANDS.values())
    _panel(console, "Options", [("--version", "Print the version."), (HELP[0], HELP[-1])], width)
    for menu in MENUS:
        rows = [(command.word, command.sentence) for command in COMMANDS.values() if command.menu == menu]
        _panel(console, menu, rows, width)


def _command_help(command: Command, file: Any = None) -> None:
    """Print the arguments and options of a command."""
    console = Console(highlight=False, file=file)
    words = " ".join(f"[{a.name.upper()}]" if a.optional else a.name.upper() for a in command.arguments)
    _head(console, f"robosym {command.word} [OPTIONS] {words}", command.sentence)
    if command.arguments:
        rows = [(argument.name.upper(), argument.help) for argument in command.arguments]
        _panel(console, "Arguments", rows)
    options = [(option.word, option.short, option.stand_in, option.text()) for option in command.options]
    asked = [option.word for option in command.options if option.kind in TRUTH_KINDS]
    example = next((word for word in asked if not word.startswith("--no-")), "")
    answers = f"A yes-or-no option is given as {example}, {opposite(example)} or {example} yes|no."
    _panel(console, "Options", [*options, *([("--no-..", "", "", answers)] if example else []), HELP])


def _head(console: Console, usage: str, text: str) -> None:
    for line in (Text.assemble(("Usage: ", "bold yellow"), (usage.strip(), "bold")), Text(text)):
        console.print(Padding(line, (1, 1, 0, 1)))
    console.print()


def _panel(console: Console, title: str, rows: Iterable[tuple[str, ...]], width: int = 0) -> None:
    table = Table.grid(padding=(0, 2), pad_edge=False)
    for place, row in enumerate(rows):
        if place == 0:
            table.add_column(style="bold cyan", no_wrap=True, min_width=width)
            for middle in range(len(row) - 2):
                table.add_column(style=("bold green", "bold yellow")[middle], no_wrap=True)
            table.add_column()
        table.add_row(*(Text(cell) for cell in row))
    console.print(Panel(table, title=title, title_align="left", border_style="dim", box=box.ROUNDED))
