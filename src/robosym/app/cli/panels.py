"""Help texts: the commands by menu, and the arguments and options of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from robosym.app.menus import COMMANDS, MENUS, Command
from robosym.app.menus.option_values import TRUTH_KINDS, opposite

__all__ = ["command_help", "list_of_commands"]

PURPOSE = "Symbolic models of robots: describe one, generate its models, write them as code."
HELP = ("--help", "", "", "Show this message and exit.")


def list_of_commands() -> None:
    """All commands by menu."""
    console = Console(highlight=False)
    _head(console, "robosym [OPTIONS] COMMAND [ARGUMENTS]", PURPOSE)
    width = max(len(command.word) for command in COMMANDS.values())
    _panel(console, "Options", [("--version", "Print the version."), (HELP[0], HELP[-1])], width)
    for menu in MENUS:
        rows = [(command.word, command.sentence) for command in COMMANDS.values() if command.menu == menu]
        _panel(console, menu, rows, width)


def command_help(command: Command, file: Any = None) -> None:
    """The arguments and options of a command."""
    console = Console(highlight=False, file=file)
    words = " ".join(argument.name.upper() for argument in command.arguments)
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
