"""The command line: the public functions by the guide's menus, `robosym inverse-dynamics rx90 -o rx90_dyn.c`."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import robosym as rs
from robosym.app.cli.wording import OptionWords
from robosym.app.menus import COMMANDS, Command
from robosym.errors import Complaint, Error, FrameWarning, InputError, RobotWarning, closest

__all__ = ["main"]

_WRONG_USE = 2  #: the exit code of a line that cannot be read; what a robot or a file does not allow is 1
_INTERRUPTED = 130  #: the exit code after Ctrl C, as shells have it


def main(line: Sequence[str] | None = None) -> int:
    """Run a line, that of the process if none is given; an error of the user's is one line on standard error."""
    words = sys.argv[1:] if line is None else list(line)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", RobotWarning)
            warnings.showwarning = lambda message, kind, *_: _remark(message, kind, words)
            code = _run(words)
            sys.stdout.flush()  # what waits to be written would fail after the end, where nobody can say so
            return code
    except Error as error:
        print(f"robosym: {_worded(error, words)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # files are written whole or not at all: there is nothing to clean up
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
    """What could not be written goes nowhere, or Python would try it again at its end."""
    with suppress(OSError, ValueError):  # a stream of somebody else's has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _worded(message: object, words: Sequence[str]) -> str:
    """A problem in the words of the command that was typed, with its code where that says more than its class."""
    found = [command for command in COMMANDS.values() if words and command.word == words[0]]
    if not isinstance(message, Complaint) or not found:
        return str(message)
    code = "" if message.code == message.usual else f" [{message.code}]"
    return f"{message.told(OptionWords(found[0]))}{code}"


def _run(words: Sequence[str]) -> int:
    if not words or words[0] in ("--help", "-h"):
        from robosym.app.cli.panels import list_of_commands

        list_of_commands()
        return 0 if words else _WRONG_USE
    if words[0] == "--version":
        print(f"robosym {rs.__version__}")
        return 0
    by_word = {command.word: command for command in COMMANDS.values()}
    if words[0] not in by_word:
        print(f"robosym: no command {words[0]!r}{closest(words[0], by_word)}; see `robosym --help`", file=sys.stderr)
        return _WRONG_USE
    _perform(by_word[words[0]], words[1:])
    return 0


def _perform(command: Command, words: Sequence[str]) -> None:
    from robosym.app.cli.delivery import DELIVERIES, progress
    from robosym.app.cli.parser import Parser

    values = Parser(command).values(words)
    _keep_inputs(command, values)
    line = shlex.join(["robosym", command.word, *words])
    what = " ".join([command.word, *(str(values[argument.name]) for argument in command.arguments)])
    waiting = nullcontext(lambda _: None) if command.gives == "nothing" else progress(what)  # it tells by itself
    with waiting as tell, _writing(command, line):
        outcome = command.run(values, tell)
    gives = "numbers" if values.get("at") else command.gives
    DELIVERIES[gives](outcome, {**values, "line": line, "extensions": command.extensions})


def _writing(command: Command, line: str) -> AbstractContextManager[None]:
    """What a command writes while it runs tells its line, too."""
    if command.gives != "files":
        return nullcontext()
    from robosym.languages.header import made_by

    return made_by(line)


def _keep_inputs(command: Command, values: Mapping[str, Any]) -> None:
    """An error where a file that is read would be written over."""
    read = [values[a.name] for a in command.arguments if a.name in ("robot", "file")]
    for written in filter(None, (values.get("output"), values.get("write"))):
        for path in read:
            if os.path.exists(path) and os.path.realpath(path) == os.path.realpath(written):
                raise InputError(f"{written} is read: expected another file to write to")


if __name__ == "__main__":
    raise SystemExit(main())
