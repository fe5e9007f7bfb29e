"""Messages of functions in the words of the command line: `frame=` is --frame, `fixed={'t3': 0}` --fixed t3=0."""

from __future__ import annotations

import re

from robosym.app.menus import Command

__all__ = ["in_options"]


def in_options(message: str, command: Command) -> str:
    """The message with arguments of Python as options of the command, as far as it has them."""
    for option in command.options:
        key = re.escape(option.target or option.name)
        if option.stands_for:
            message = re.sub(rf"\b{key}='{re.escape(option.stands_for)}'", option.word, message)
            continue
        message = re.sub(rf"^{key}: ", f"{option.word}: ", message)
        entry = rf"`\1: \2` in the file of {option.word}" if option.kind == "file" else rf"{option.word} \1=\2"
        message = re.sub(rf"\b{key}=\{{'([^']+)': ([^}}]+)\}}", entry, message)
        message = re.sub(rf"\b{key}=['\"]([^'\"]*)['\"]", rf"{option.word} \1", message)
        message = re.sub(rf"\b{key}=(True\b|(?=[\s,;:.)]|$))", option.word, message)
    for argument in command.arguments:
        message = re.sub(rf"\b{re.escape(argument.name)}=(?=[\s,;:.)]|$)", argument.name.upper(), message)
    if any(option.name == "set" for option in command.options):
        message = re.sub(
            r"pass parameters=\{'([^']+)': \.\.\.\} or use robot\.with_values", r"give --set \1=NUMBER", message
        )
        message = re.sub(r"\(?use (Robot|robot)\.with_values\)?", "give it with --set NAME=NUMBER", message)
    return message
