"""What is generated of one robot: requests from the fields of a page, the jobs that serve them, and what they gave."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import robosym as rs
from robosym.app.menus import COMMANDS, Argument, Option
from robosym.app.session.history import History
from robosym.app.session.jobs import Jobs, PageJob
from robosym.app.session.requests import Request, typed
from robosym.app.session.state_folder import state_folder
from robosym.errors import Error, InputError

if TYPE_CHECKING:  # what makes models is loaded when something is made: the page is there before
    from robosym.app.session.results import Shown

__all__ = ["Making", "shared_jobs"]

_HERE = "robosym.app.session.results"
_LAST = 8  #: results that a window comes back to at once
_shared: dict[Path | None, tuple[Jobs, History]] = {}
_lock = Lock()


def shared_jobs() -> tuple[Jobs, History]:
    """The jobs and the history of this program, whatever robots are open."""
    try:
        folder: Path | None = state_folder()
    except (OSError, RuntimeError):  # no home, or none that can be written to
        folder = None
    with _lock:
        if folder not in _shared:
            file, past = (None, None) if folder is None else (folder / "jobs.json", folder / "history")
            _shared[folder] = Jobs(file), History(past)
        return _shared[folder]


class Making:
    """Of one session: its robot as the menus' commands are told it."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.jobs, self.history = shared_jobs()
        self._last: OrderedDict[str, Shown] = OrderedDict()
        self._told: tuple[Any, str, str] | None = None  #: the robot, what is typed for it, its text
        self.kept: dict[str, dict[str, Any]] = {}  #: what a view shows, for a window that comes back
        self.fields: dict[str, dict[str, Any]] = session.fields  #: what stands in the fields of each command

    # --------------------------------------------------------------------- requests

    def told(self) -> tuple[str, str]:
        """What is typed for the robot, and its text where that is not enough: it was changed, or came by itself."""
        robot, origin = self.session.robot, str(self.session.document.origin)
        if self._told is None or self._told[0] is not robot:
            self._told = (robot, *_told(robot, origin))
        return self._told[1:]

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
        word, text = self.told()
        return Request(command, word, values, text)

    # ------------------------------------------------------------------------- jobs

    def start(self, request: Request, language: str = "c") -> PageJob:
        """Generate; what comes of it is in the history when it is there."""
        title = f"{request.row.word.replace('-', ' ').capitalize()} of {self.session.robot.name}"
        level = request.values.get("optimize")
        title += f", optimize {level}" if level else ""
        job = self.jobs.start(title, f"{_HERE}:generate", request, language, again=asdict(request), key=request.key)
        name = self.session.robot.name
        job.future.add_done_callback(lambda future: self._keep(request, name, future))
        return job

    def _keep(self, request: Request, name: str, future: Any) -> None:
        if future.exception() is not None:
            return
        shown: Shown = future.result()
        self._last[request.key] = shown
        while len(self._last) > _LAST:
            self._last.popitem(last=False)
        self.history.add(request, name, shown.title, shown.line, shown.seconds, shown.counts)

    def again(self, request: Request) -> PageJob:
        """Generate what the history has, to be looked at; the history stays as it is."""
        return self.jobs.start("Compare", f"{_HERE}:generate", request, "listing", key=request.key)

    def restore(self, request: Request) -> None:
        """Fill the fields of a command as they were for a request."""
        self.fields[request.command] = dict(request.values)

    def last(self, request: Request) -> Shown | None:
        """What was generated for the same request, if that is not long ago."""
        return self._last.get(request.key)

    def code(self, request: Request, shown: Shown, language: str) -> PageJob:
        return self._quick("Code", "code", request, shown.kept, language)

    def counts(self, request: Request, shown: Shown, level: str) -> PageJob:
        title = f"Operations at level {level}"
        return self.jobs.start(title, f"{_HERE}:level_counts", request, shown.kept, level, key=request.key, quiet=True)

    def base_count(self) -> PageJob:
        """How many base parameters the robot has."""
        word, text = self.told()
        request = Request("base_parameters", word, {}, text)
        return self.jobs.start("Base parameters", f"{_HERE}:base_count", request, quiet=True)

    def evaluated(self, request: Request, shown: Shown, values: Mapping[str, float]) -> PageJob:
        return self._quick("Values", "evaluated", request, shown.kept, dict(values))

    def swept(
        self, request: Request, shown: Shown, values: Mapping[str, float], over: str, points: Sequence[float]
    ) -> PageJob:
        return self._quick("Plot", "swept", request, shown.kept, dict(values), over, list(points))

    def _quick(self, title: str, function: str, request: Request, *arguments: Any) -> PageJob:
        return self.jobs.start(title, f"{_HERE}:{function}", request, *arguments, key=request.key)


def _told(robot: rs.Robot, origin: str) -> tuple[str, str]:
    try:
        if rs.load(origin) == robot:
            return origin, ""
    except Error:
        pass
    name = re.sub(r"[^\w.-]", "_", Path(origin.replace("\\", "/")).stem or robot.name) or "robot"
    return f"{name}.yaml", robot.dumps("yaml")
