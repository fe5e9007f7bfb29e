"""The words of the command line for places and hints of errors: `frame=` is --frame, `fixed={'t3': 0}` --fixed t3=0."""

from __future__ import annotations

from collections.abc import Mapping

from robosym.app.menus import Command
from robosym.errors import PYTHON, Action, GiveValue, PathPart

__all__ = ["OptionWords"]


class OptionWords:
    """Arguments of Python as options and arguments of a command, as far as it has them."""

    def __init__(self, command: Command) -> None:
        self.options = {option.target or option.name: option for option in command.options}
        self.arguments = {argument.name for argument in command.arguments}

    def place(self, part: PathPart) -> str:
        option = self.options.get(part.name)
        return option.word if option is not None and part.number is None else str(part)

    def action(self, action: Action) -> str:
        if isinstance(action, GiveValue):
            return f"give --set {action.symbol}=NUMBER" if "set" in self.options else PYTHON.action(action)
        option, value = self.options.get(action.argument), action.value
        if option is None:
            return action.argument.upper() if action.argument in self.arguments else PYTHON.action(action)
        if isinstance(value, Mapping):
            (name, entry), *_ = value.items()
            entry = "..." if entry is None else entry
            return f"`{name}: {entry}` in the file of {option.word}" if option.kind == "file" else (
                f"{option.word} {name}={entry}"
            )  # fmt: skip
        if value is False:
            return f"{option.word} no"
        is_flag = value is None or value is True or (option.stands_for and value == option.stands_for)
        return option.word if is_flag else f"{option.word} {value}"
