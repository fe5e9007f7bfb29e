"""Requests and results of one robot: requests from the fields of a page, recent results, the history."""

from __future__ import annotations

import pickle
import re
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

from robosym.app.menus import COMMANDS, Argument, Option
from robosym.app.session.document import Document
from robosym.app.session.history import History
from robosym.app.session.jobs import Jobs, PageJob
from robosym.app.session.requests import Request, typed
from robosym.app.session.shown import CommandResult
from robosym.app.session.state_files import state_folder
from robosym.drawing.example_values import geometric_symbols, model_symbols
from robosym.errors import InputError
from robosym.files import file_stamp

__all__ = ["Results", "shared_jobs"]

_HERE = "robosym.app.session.generation"
_LAST = 8  #: number of cached results


def shared_jobs() -> tuple[Jobs, History]:
    """Return the jobs and the history of this process, which all open robots share."""
    return _in_folder(state_folder())


@cache
def _in_folder(folder: Path | None) -> tuple[Jobs, History]:
    return (Jobs(), History(None)) if folder is None else (Jobs(folder / "jobs.json"), History(folder / "history"))


class Results:
    """The robot of a document as the menu commands receive it, and the results of the commands."""

    def __init__(self, document: Document, fields: dict[str, dict[str, Any]]) -> None:
        self.document = document
        self.jobs, self.history = shared_jobs()
        self.kept: dict[str, dict[str, Any]] = {}  #: contents of a view, for windows that return to it
        self.fields = fields  #: contents of the fields of each command
        self.watched: dict[str, bytes] = {}  #: pickled models whose values are shown beside the picture
        self._last: OrderedDict[str, CommandResult] = OrderedDict()
        self._data: tuple[Any, bytes] = (None, b"")  #: the robot and its pickled data

    # ---------------------------------------------------------------------- numbers

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers that replace symbols of the robot, as typed; they never enter the tables."""
        return self.fields.setdefault("symbols", {})

    def symbols(self, command: str) -> list[str]:
        """Return the symbols of the robot that must be numbers for a command."""
        robot, which = self.document.robot, COMMANDS[command].numbers
        wanted = geometric_symbols(robot) if which == "geometry" else model_symbols(robot) if which else ()
        given = {str(word).partition("=")[0].strip() for word in self._set(command)}
        return [name for name in wanted if name not in given]

    def _set(self, command: str) -> list[str]:
        """Return the entries of the field for values of the robot."""
        option = next((option for option in COMMANDS[command].options if option.name == "set"), None)
        return [] if option is None else typed(option, self.fields.get(command, {}).get("set")) or []

    # --------------------------------------------------------------------- requests

    def subject(self) -> tuple[str, bytes, str]:
        """Return the name of the robot, its data if the name is not sufficient, and the time stamp of its file."""
        robot, origin = self.document.robot, self.document.origin
        if self.document.is_origin:
            return origin, b"", file_stamp(origin)
        if self._data[0] is not robot:
            self._data = robot, pickle.dumps(robot, protocol=pickle.HIGHEST_PROTOCOL)
        name = re.sub(r"[^\w.-]", "_", Path(origin.replace("\\", "/")).stem or robot.name) or "robot"
        return f"{name}.yaml", self._data[1], ""

    def is_current(self, request: Request) -> bool:
        """Whether a request concerns the robot as it is now, which may have been saved over its file since."""
        same = (request.robot, request.data, request.stamp) == self.subject()
        return same or (bool(request.data) and request.load() == self.document.robot)

    def unsaved_file(self, request: Request) -> str:
        """Return the file that a request names though it does not describe the robot yet; "" if it does."""
        return "" if request.is_named or self.document.is_origin else request.robot

    def asked(self, command: str, values: Mapping[str, Any]) -> Request:
        """Return the request of a command for the robot as it is now."""
        word, data, stamp = self.subject()
        return Request(command, word, values, data=data, stamp=stamp)

    def request(self, command: str, fields: Mapping[str, Any]) -> Request:
        """Return the request from the contents of the fields; an error names the invalid field."""
        row = COMMANDS[command]
        values: dict[str, Any] = {}
        parts: list[Argument | Option] = [*row.arguments, *row.options]
        for part in parts:
            if part.name in ("robot", "output") and part.name not in fields:
                continue
            value = typed(part, fields.get(part.name))
            if value is not None and value is not False and value != getattr(part, "default", None):
                values[part.name] = str(value) if isinstance(value, Path) else value
        for argument in row.arguments:
            if argument.name not in values and argument.name not in ("robot", "output") and not argument.optional:
                expected = f"{argument.help[0].lower()}{argument.help[1:]}"
                raise InputError(f"{argument.name}: expected {expected}", code="E408")
        known = [f"{name}={self.numbers[name]}" for name in self.symbols(command) if name in self.numbers]
        if known:
            values["set"] = [*values.get("set", []), *known]
        return self.asked(command, values)

    # ------------------------------------------------------------------------- jobs

    def start(self, request: Request, language: str = "c") -> PageJob:
        """Start a job; its result is added to the history."""
        name = self.document.robot.name
        title = f"{request.row.word.replace('-', ' ').capitalize()} of {name}"
        level = request.values.get("optimize")
        title += f", optimize {level}" if level else ""
        limit = request.row.time_limit(request.values)
        job = self.jobs.start(
            title, f"{_HERE}:generate", request, language, again=request.plain, key=request.key, limit=limit
        )
        job.future.add_done_callback(lambda future: self._remember(request, name, future))
        return job

    def _remember(self, request: Request, name: str, future: Future[CommandResult]) -> None:
        if future.exception() is not None:
            return
        shown = future.result()
        self._last[request.key] = shown
        while len(self._last) > _LAST:
            self._last.popitem(last=False)
        self.history.add_soon(request, name, shown.title, shown.same.line, shown.seconds, shown.counts)

    def restore(self, request: Request) -> None:
        """Fill the fields of a command from a request."""
        self.fields[request.command] = dict(request.values)

    def last(self, request: Request) -> CommandResult | None:
        """Return the recent result of the same request, if there is one."""
        return self._last.get(request.key)

    def quick(self, title: str, function: str, request: Request, *arguments: object, quiet: bool = False) -> PageJob:
        """Call a function of `generation` with a request and further arguments, without adding to the history."""
        return self.jobs.start(title, f"{_HERE}:{function}", request, *arguments, key=request.key, quiet=quiet)
