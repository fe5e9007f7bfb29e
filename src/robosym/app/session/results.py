"""What was asked and generated of one robot: requests from the fields of a page, recent results, the history."""

from __future__ import annotations

import pickle
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from robosym.app.menus import COMMANDS, Argument, Option
from robosym.app.session.document import Document
from robosym.app.session.history import History
from robosym.app.session.jobs import Jobs, PageJob
from robosym.app.session.requests import Request, typed
from robosym.app.session.shown import Shown
from robosym.app.session.state_files import state_folder
from robosym.errors import InputError

__all__ = ["Results", "shared_jobs"]

_HERE = "robosym.app.session.generation"
_LAST = 8  #: results that a window comes back to at once


def shared_jobs() -> tuple[Jobs, History]:
    """The jobs and the history of this program, whatever robots are open."""
    return _in_folder(state_folder())


@cache
def _in_folder(folder: Path | None) -> tuple[Jobs, History]:
    return (Jobs(), History(None)) if folder is None else (Jobs(folder / "jobs.json"), History(folder / "history"))


class Results:
    """Of one document: its robot as the commands of the menus get it, and what they gave."""

    def __init__(self, document: Document, fields: dict[str, dict[str, Any]]) -> None:
        self.document = document
        self.jobs, self.history = shared_jobs()
        self.kept: dict[str, dict[str, Any]] = {}  #: what a view shows, for a window that comes back
        self.fields = fields  #: what stands in the fields of each command
        self._last: OrderedDict[str, Shown] = OrderedDict()
        self._data: tuple[Any, bytes] = (None, b"")  #: the robot, and what it is as data

    # --------------------------------------------------------------------- requests

    def subject(self) -> tuple[str, bytes]:
        """What is typed for the robot, and the robot as data where its name is not enough."""
        robot, origin = self.document.robot, self.document.origin
        if self.document.is_origin:
            return origin, b""
        if self._data[0] is not robot:
            self._data = robot, pickle.dumps(robot, protocol=pickle.HIGHEST_PROTOCOL)
        name = re.sub(r"[^\w.-]", "_", Path(origin.replace("\\", "/")).stem or robot.name) or "robot"
        return f"{name}.yaml", self._data[1]

    def is_current(self, request: Request) -> bool:
        """Whether a request is of the robot as it is now."""
        return (request.robot, request.data) == self.subject()

    def asked(self, command: str, values: Mapping[str, Any]) -> Request:
        """A command for the robot as it is now."""
        word, data = self.subject()
        return Request(command, word, values, data=data)

    def request(self, command: str, fields: Mapping[str, Any]) -> Request:
        """From what stands in the fields; an error says which of them is wrong."""
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
                raise InputError(f"{argument.name.capitalize()} is missing: {argument.help}")
        return self.asked(command, values)

    # ------------------------------------------------------------------------- jobs

    def start(self, request: Request, language: str = "c") -> PageJob:
        """Generate; what comes of it is in the history when it is there."""
        name = self.document.robot.name
        title = f"{request.row.word.replace('-', ' ').capitalize()} of {name}"
        level = request.values.get("optimize")
        title += f", optimize {level}" if level else ""
        job = self.jobs.start(title, f"{_HERE}:generate", request, language, again=request.plain, key=request.key)
        job.future.add_done_callback(lambda future: self._remember(request, name, future))
        return job

    def _remember(self, request: Request, name: str, future: Future[Shown]) -> None:
        if future.exception() is not None:
            return
        shown = future.result()
        self._last[request.key] = shown
        while len(self._last) > _LAST:
            self._last.popitem(last=False)
        entry = (request, name, shown.title, shown.line, shown.seconds, shown.counts)
        Thread(target=self.history.add, args=entry).start()  # whoever waits for the result does not wait for the disk

    def restore(self, request: Request) -> None:
        """Fill the fields of a command as they were for a request."""
        self.fields[request.command] = dict(request.values)

    def last(self, request: Request) -> Shown | None:
        """What was generated for the same request, if that is not long ago."""
        return self._last.get(request.key)

    def again(self, request: Request) -> PageJob:
        """Generate what the history has, to be looked at; the history stays as it is."""
        return self._quick("Compare", "generate", request, "listing")

    def code(self, request: Request, shown: Shown, language: str) -> PageJob:
        """The same in another language."""
        return self._quick("Code", "code", request, shown.kept, language)

    def counts(self, request: Request, shown: Shown, level: str) -> PageJob:
        """Operations at another level of the optimizer."""
        return self._quick(f"Operations at level {level}", "level_counts", request, shown.kept, level, quiet=True)

    def base_count(self) -> PageJob:
        """How many base parameters the robot has."""
        return self._quick("Base parameters", "base_count", self.asked("base_parameters", {}), quiet=True)

    def evaluated(self, request: Request, shown: Shown, values: Mapping[str, float]) -> PageJob:
        """Every output at values of the inputs."""
        return self._quick("Values", "evaluated", request, shown.kept, dict(values))

    def swept(
        self, request: Request, shown: Shown, values: Mapping[str, float], over: str, points: Sequence[float]
    ) -> PageJob:
        """Every output over values of one input."""
        return self._quick("Plot", "swept", request, shown.kept, dict(values), over, list(points))

    def _quick(self, title: str, function: str, request: Request, *arguments: object, quiet: bool = False) -> PageJob:
        return self.jobs.start(title, f"{_HERE}:{function}", request, *arguments, key=request.key, quiet=quiet)
