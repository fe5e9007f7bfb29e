"""The command line and the Python of what a page shows, ready to be copied: run, they give the same text."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robosym.app.menus import CODE, Argument, Option
from robosym.app.menus.settings import numbers_by_name
from robosym.app.session.requests import Request

__all__ = ["HANDED_OVER", "Delivery", "command_line", "python"]

HANDED_OVER = "robosym-files-"  #: what the folder of files that were handed over to a page is called

_NOWHERE = ("output", "language")  #: options of every command that say where the result goes
_REACHED = {"model"}  #: parts of results that are no methods


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
    several = value if option.kind in ("texts", "values", "known") and not isinstance(value, str) else [value]
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

    A result that is also saved elsewhere takes more than one line.
    """
    found = _Writer(request)
    text = found.expression()
    lines: list[str] = []
    saved = [(option, value) for option, value in request.given() if option.use == "save"]
    if saved:
        lines.append(f"result = {text}")
        text = "result"
        for option, value in saved:
            part = "" if option.target == "itself" else f".{option.target or option.name}"
            lines.append(f"result{part}.write({_quoted(str(value))})")
    lines.append(_delivered(request, text, delivery or Delivery()))
    body = "\n".join(lines)
    return "\n".join([*found.imports, "", body, ""]) if imports else body


def _delivered(request: Request, text: str, to: Delivery) -> str:
    gives = "numbers" if request.values.get("at") else request.row.gives
    options = "".join(f", {name}={_value(value)}" for name, value in (to.options or {}).items() if value)
    language = f", {_quoted(to.language)}" if to.language else ""
    if gives == "model" or (gives == "solution" and to.file and Path(to.file).suffix not in ("", ".txt")):
        return f"{text}.write({_quoted(to.file)}{language}{options})" if to.file else f"print({text})"
    if gives == "solution":
        shown = f'{text}.explain(), end=""'
    elif gives == "numbers":
        shown = f'{text}.text(), end=""'
    elif gives in ("robot", "description"):
        shown = f'{text}.dumps("yaml"), end=""'
    elif gives == "drawing":
        return f"{text}.write({_quoted(to.file or 'robot.svg')})"
    elif gives in ("file", "files"):
        return text
    else:
        shown = text
    return f"print({shown})"


class _Writer:
    """One expression for a request, and what must be imported for it."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.imports = ["import robosym as rs"]

    def expression(self) -> str:
        request, row = self.request, self.request.row
        positional = []
        for argument in row.arguments:
            value = request.values.get(argument.name)
            if argument.name == "robot":
                positional.append(self._robot() if argument.kind == "robot" else _quoted(request.robot))
            elif value is not None and value != "":
                positional.append(_value(_own_name(argument, value) if argument.kind == "file" else value))
        keywords = [
            f"{option.target or option.name}={self._keyword(option, value)}"
            for option, value in request.given()
            if option.use in ("keyword", "platform")
        ]
        text = f"{self._function()}({', '.join([*positional, *keywords])})"
        if row.then:
            text += f".{row.then}" if row.then in _REACHED else f".{row.then}()"
        for option, value in request.given():
            text = self._then(text, option, value)
        return text

    def _function(self) -> str:
        module, colon, name = self.request.row.function.partition(":")
        if colon:
            self.imports.append(f"from {module} import {name}")
            return name
        return f"rs.{self.request.row.function or self.request.row.name}"

    def _robot(self) -> str:
        values = self.request.values
        more = ", floating=True" if values.get("floating") else ""
        if values.get("xacro"):
            given = dict(word.replace(":=", "=", 1).split("=", 1) for word in values["xacro"])
            more += f", arguments={given!r}"
        text = f"rs.load({_quoted(self.request.robot)}{more})"
        if values.get("set"):
            self.imports.append("from robosym.app.menus.settings import settled")
            text = f"settled({text}, {_value(values['set'])})"
        if values.get("add_frame"):
            self.imports.append("from robosym.app.menus.settings import with_frames")
            text = f"with_frames({text}, {_value(values['add_frame'])})"
        if values.get("inputs"):
            text = f"{text}.with_inputs({', '.join(_quoted(word) for word in values['inputs'])})"
        return text

    def _keyword(self, option: Option, value: Any) -> str:
        if option.stands_for:
            return _quoted(option.stands_for)
        if option.kind in ("yes or no", "friction"):
            return {"yes": "True", "no": "False"}.get(str(value), _value(value))
        if option.kind == "pose":
            self.imports.append("from robosym.app.menus.typed_poses import pose_from")
            return f"pose_from({_quoted(str(value))})"
        if option.kind == "values" or (option.kind == "known" and any("=" in word for word in value)):
            named = numbers_by_name(option.word, value)
            return repr({int(name) if name.isdigit() else name: number for name, number in named.items()})
        if option.use == "platform" and option.kind == "text" and not option.choices:
            return f"[{', '.join(str(value).split(','))}]"
        if option.kind == "file":
            return _value(_own_name(option, value))
        if option.metavar == "FILE" and not isinstance(value, str):
            return _value([_own_name(option, one) for one in value])
        return _value(value)

    def _then(self, text: str, option: Option, value: Any) -> str:
        target = option.target or option.name
        if option.use == "method":
            given = "" if value is True else ", ".join(map(_value, value))
            return f"{text}.{target}({given})"
        if option.use == "function":
            level = str(value)
            more = "".join(
                f", {other.name}={given if other.metavar == 'SECONDS' else _value(given)}"
                for other, given in self.request.given()
                if other.use == "with"
            )
            return f"rs.{target}({text}, {level if level.isdigit() else _quoted(level)}{more})"
        if option.use == "evaluate":
            self.imports.append("from robosym.app.menus.evaluation import evaluate")
            return f"evaluate({text}, {_value(value)})"
        return text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return _quoted(str(value)) if isinstance(value, str | Path) else repr(value)
