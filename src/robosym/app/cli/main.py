"""The command line, with one command per public function: `robosym inverse-dynamics rx90 -o rx90_dyn.c`."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from io import TextIOWrapper
from typing import Any

import robosym as rs
from robosym.app.menus import COMMANDS, Command
from robosym.app.menus.calls import named
from robosym.errors import (
    PYTHON,
    Action,
    Diagnostic,
    Error,
    FrameWarning,
    GiveValue,
    InputError,
    PathPart,
    RobotWarning,
    TimeLimitReached,
    closest,
)
from robosym.safe_text import shell_line

__all__ = ["OptionWords", "main"]

_WRONG_USE = 2  #: exit code of a line that cannot be parsed; an error of a robot or a file is 1
_INTERRUPTED = 130  #: exit code after Ctrl C, as in shells
_TIME_LIMIT = 124  #: exit code of a command that reached its time limit, as of the program `timeout`


def main(line: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return the exit code.

    An error is reported as one line on standard error.
    """
    words = sys.argv[1:] if line is None else list(line)
    for stream in (sys.stdout, sys.stderr) if os.name == "nt" else ():  # a code page of Windows lacks θ
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", RobotWarning)
            warnings.showwarning = lambda message, kind, *_: _remark(message, kind, words)
            code = _run(words)
            sys.stdout.flush()  # a failure to write at exit could not be reported
            return code
    except Error as error:
        print(f"robosym: {_worded(error, words)}", file=sys.stderr)
        return _TIME_LIMIT if isinstance(error, TimeLimitReached) else 1
    except KeyboardInterrupt:  # files are written atomically: there is nothing to clean up
        print("robosym: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:  # `robosym show rx90 | head`
        _forget_output()
        return 0
    except OSError as error:  # `robosym show rx90 > file` on a full disk
        _forget_output()
        print(
            f"robosym: {error.filename or 'standard output'}: {(error.strerror or str(error)).lower()}", file=sys.stderr
        )
        return 1


def _remark(message: Warning | str, kind: type[Warning], words: Sequence[str]) -> None:
    sort = "note" if issubclass(kind, FrameWarning) else "warning"
    print(f"robosym: {sort}: {_worded(message, words)}", file=sys.stderr)


def _forget_output() -> None:
    """Redirect standard output to the null device; otherwise Python would try to flush it again at exit."""
    with suppress(OSError, ValueError):  # a replaced stream has no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _worded(message: object, words: Sequence[str]) -> str:
    """Return a message with the options of the typed command, and with its code if that is not the usual one."""
    found = [command for command in COMMANDS.values() if words and command.word == words[0]]
    if not isinstance(message, Diagnostic) or not found:
        return str(message)
    code = "" if message.code == message.usual else f" [{message.code}]"
    return f"{message.text(OptionWords(found[0]))}{code}"


def _run(words: Sequence[str]) -> int:
    if not words or words[0] in ("--help", "-h"):
        from robosym.app.cli.parser import list_of_commands

        list_of_commands()
        return 0 if words else _WRONG_USE
    if words[0] == "--version":
        print(f"robosym {rs.__version__}")
        return 0
    by_word = {command.word: command for command in COMMANDS.values()}
    if words[0] not in by_word:
        near = closest(words[0], by_word)
        print(f"robosym: unknown command {words[0]!r}{near}; see `robosym --help`", file=sys.stderr)
        return _WRONG_USE
    _perform(by_word[words[0]], words[1:])
    return 0


def _perform(command: Command, words: Sequence[str]) -> None:
    from robosym.app.cli.delivery import DELIVERIES, progress
    from robosym.app.cli.parser import Parser

    values = Parser(command).values(words)
    _keep_inputs(command, values)
    line = shell_line(["robosym", command.word, *words])
    what = " ".join([command.word, *(str(values[argument.name]) for argument in command.arguments)])
    waiting = nullcontext(lambda _: None) if command.gives == "nothing" else progress(what)  # it prints by itself
    limit = command.time_limit(values)
    with nullcontext() if limit is None else rs.time_limit(limit):
        with waiting as report, _writing(command, line):
            outcome = command.run(values, report)
        gives = "numbers" if values.get("at") else command.gives
        try:
            DELIVERIES[gives](outcome, {**values, "line": line, "extensions": command.extensions})
        except Error as error:  # one without the name of an option concerns the file
            raise error if error.path or not values.get("output") else named(error, "output") from None


def _writing(command: Command, line: str) -> AbstractContextManager[None]:
    """Put the command line into the header of files that a command writes while it runs."""
    if command.gives != "files":
        return nullcontext()
    from robosym.languages.header import made_by

    return made_by(line)


def _keep_inputs(command: Command, values: Mapping[str, Any]) -> None:
    """Raise an error if the command would overwrite a file that it reads."""
    read = [values[a.name] for a in command.arguments if a.name in ("robot", "file")]
    for written in filter(None, (values.get("output"), values.get("write"))):
        for path in read:
            if os.path.exists(path) and os.path.realpath(path) == os.path.realpath(written):
                raise InputError(f"{written} is read: expected another file to write to")


class OptionWords:
    """Name options instead of Python arguments: --frame for `frame=`, --fixed t3=0 for `fixed={'t3': 0}`."""

    def __init__(self, command: Command) -> None:
        self.options = command.options_by_name()
        self.arguments = {argument.name for argument in command.arguments}

    def knows(self, part: PathPart) -> bool:
        return part.number is None and (part.name in self.options or part.name in self.arguments)

    def place(self, part: PathPart) -> str:
        if not self.knows(part):
            return str(part)
        return self.options[part.name].word if part.name in self.options else part.name.upper()

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


if __name__ == "__main__":
    raise SystemExit(main())
