"""The command line and the Python of what a page shows, ready to be copied: run, they give the same text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robosym.app.menus import CODE, Argument, Option
from robosym.app.menus.calls import program_lines, python_text
from robosym.app.menus.option_values import REPEATED
from robosym.app.session.requests import Request
from robosym.errors import Error

__all__ = ["HANDED_OVER", "Delivery", "command_line", "python"]

HANDED_OVER = "robosym-files-"  #: what the folder of files that were handed over to a page is called

_NOWHERE = ("output", "language")  #: options of every command that say where the result goes


@dataclass(frozen=True)
class Delivery:
    """Where a result goes: a file, in a language where the name does not tell, with options of the language."""

    file: str = ""
    language: str = ""
    options: Mapping[str, Any] | None = None


def command_line(request: Request, delivery: Delivery | None = None) -> str:
    """`robosym inverse-dynamics rx90 --base-parameters -o rx90_dyn.c`."""
    row, to = request.row, delivery or Delivery()
    words = ["robosym", row.word]
    for argument in row.arguments:
        value = request.robot if argument.name == "robot" else request.values.get(argument.name)
        words += [] if value is None or value == "" else [_own_name(argument, value)]
    codes = {option.name for option in CODE}
    for option, value in request.given():
        if option.name not in _NOWHERE and option.name not in codes:
            words += _spoken(option, value)
    for option in CODE:
        if (to.options or {}).get(option.name):
            words += _spoken(option, (to.options or {})[option.name])
    words += ["-l", to.language] if to.language else []
    words += ["-o", to.file] if to.file else []
    return shlex.join(words)


def _spoken(option: Option, value: Any) -> Iterator[str]:
    if value is True and option.kind == "flag":
        yield option.word
        return
    several = value if option.kind in REPEATED and not isinstance(value, str) else [value]
    for entry in several:
        text = ",".join(map(str, entry)) if isinstance(entry, list | tuple) else _own_name(option, entry)
        if text.startswith("-"):  # not to be taken for an option
            yield f"{option.word}={text}"
        else:
            yield from (option.word, text)


def _own_name(part: Argument | Option, value: Any) -> str:
    """A file that was handed over lies in a folder of the page: the user knows it by its name."""
    is_file = part.kind == "file" or getattr(part, "metavar", "") == "FILE"
    return Path(str(value)).name if is_file and HANDED_OVER in str(value) else str(value)


# ------------------------------------------------------------------------ Python


def python(request: Request, delivery: Delivery | None = None, imports: bool = False) -> str:
    """`rs.inverse_dynamics(rs.load("rx90"), base_parameters=True).write("rx90_dyn.c")`; with `imports` a whole program.

    A robot that is named several times and a result that is also saved elsewhere take more than one line.
    """
    try:
        made = request.row.compile(_own_files(request), named=request.robot)
        lines, text = program_lines(made.call, made.robot)
    except Error as error:  # fields that are not filled yet
        return f"# {error}"
    if made.imports:
        text = text.removeprefix("rs.")
    if made.saves:
        lines.append(f"result = {text}")
        lines += [save.python({made.call: "result"}) for save in made.saves]
        text = "result"
    lines.append(_delivered(request, text, delivery or Delivery()))
    body = "\n".join(lines)
    return "\n".join(["import robosym as rs", *made.imports, "", body, ""]) if imports else body


def _own_files(request: Request) -> dict[str, Any]:
    """The values, files under the names by which their user knows them."""
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
    options = "".join(f", {name}={python_text(value)}" for name, value in (to.options or {}).items() if value)
    language = f", {python_text(to.language)}" if to.language else ""
    if gives == "model" or (gives == "solution" and to.file and Path(to.file).suffix not in ("", ".txt")):
        return f"{text}.write({python_text(to.file)}{language}{options})" if to.file else f"print({text})"
    if gives == "drawing":
        return f"{text}.write({python_text(to.file or 'robot.svg')})"
    if gives in ("file", "files"):
        return text
    method = {"solution": "explain()", "robot": 'dumps("yaml")', "description": 'dumps("yaml")'}.get(gives)
    return f'print({text}.{method}, end="")' if method else f"print({text})"
