"""Long computations in separate processes, with progress, cancellation and a time limit.

A restart lists the jobs that were running as stopped.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import time
from typing import Any, Literal

from robosym.app.session.worker import send
from robosym.errors import Error, InputError, RobotWarning
from robosym.files import read_text, write_text

__all__ = ["IMPORTS", "Canceled", "Failed", "Jobs", "PageJob"]

#: held while a thread of the page imports modules of robosym, or unpickles their objects: Python breaks a deadlock
#: between two threads that import by an error
IMPORTS = threading.RLock()

State = Literal["waiting", "running", "done", "failed", "canceled", "stopped"]
#: the current folder is no place to import from: a file numpy.py there would be taken for NumPy
_START = "import sys; sys.path[:] = [p for p in sys.path if p]; from robosym.app.session.worker import serve; serve()"
_SPARE = 1  #: number of idle processes
_TIMES = 200  #: jobs after which a process is replaced, to release memory
_LISTED = 10  #: number of finished jobs that stay listed
_NOTED_AFTER = 0.5  #: seconds; shorter jobs are not recorded on disk


class Failed(Error):
    """A job that failed; `trace` is the traceback of an internal error, for a report."""

    def __init__(self, message: str | Error, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class Canceled(Error):
    """A job that was canceled."""


@dataclass(eq=False)
class PageJob:
    """A job: its computation, its robot and its progress."""

    number: int
    title: str
    call: tuple[str, tuple[object, ...]] = ("", ())  #: `module:function` and its arguments
    again: Callable[[], Mapping[str, Any]] | None = None  #: returns plain data that repeats the request
    key: str = ""  #: key of the result that the process caches
    quiet: bool = False  #: whether it is a background job
    state: State = "waiting"
    progress: str = ""
    share: float | None = None  #: fraction of the work that is done, if known
    begun: float = field(default_factory=time)
    ended: float | None = None
    remarks: list[RobotWarning] = field(default_factory=list)
    error: str = ""
    future: Future[Any] = field(default_factory=Future, repr=False)

    @property
    def seconds(self) -> float:
        return (self.ended or time()) - self.begun

    @property
    def is_over(self) -> bool:
        return self.state not in ("waiting", "running")


class _Worker:
    """A process and its job; a background process runs at low priority."""

    def __init__(
        self, answered: Callable[[_Worker, str, int, Any], None], ended: Callable[[_Worker], None], quiet: bool = False
    ) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **({"ROBOSYM_QUIET": "1"} if quiet else {})}
        self.quiet = quiet
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.job: PageJob | None = None
        self.times = 0
        self.known: set[str] = set()  #: keys of the cached results
        self._answered, self._ended = answered, ended
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, number: int, function: str, arguments: tuple[object, ...]) -> None:
        assert self.process.stdin is not None
        self.times += 1
        with suppress(OSError):  # it has ended; its listener reports this
            send((number, function, arguments), self.process.stdin)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while True:
            try:
                data = pickle.load(self.process.stdout)
                with IMPORTS:
                    kind, number, value = pickle.loads(data)
            except Exception:  # it was killed, or died
                break
            self._answered(self, kind, number, value)
        self.process.wait()
        self._ended(self)


class Jobs:
    """All jobs of the page. Methods may be called from any thread; `changed` is called from internal threads."""

    def __init__(self, file: Path | None = None, at_once: int = 2) -> None:
        """Create the list of jobs; `file` stores the running ones, so that a restart lists them as stopped."""
        self.changed: Callable[[PageJob], None] = lambda job: None
        self._file, self._at_once = file, at_once
        self._lock = threading.RLock()
        self._jobs: dict[int, PageJob] = {}
        self._workers: list[_Worker] = []
        self._number = 0
        self._closed = False
        self._remember_stopped()

    # ------------------------------------------------------------------ asked

    def warm(self) -> None:
        """Start a process before it is needed."""
        with self._lock:
            if not self._closed and len(self._free()) < _SPARE:
                self._new().ask(0, "robosym.app.session.generation:warm", ())

    def start(
        self, title: str, function: str, *arguments: object, again: Callable[[], Mapping[str, Any]] | None = None,
        key: str = "", quiet: bool = False, limit: float | None = None,
    ) -> PageJob:  # fmt: skip
        """Run `module:function` with the arguments in a process, preferably one that has already worked on `key`.

        A quiet job runs in a background process of its own and never delays other jobs. A job that takes longer than
        `limit` seconds fails.
        """
        with self._lock:
            if self._closed:
                raise InputError("the page is closing")
            self._number += 1
            job = PageJob(self._number, title, (function, arguments), again, key, quiet)
            self._jobs[job.number] = job
            self._forget()
            self._go_on()
        if again is not None:
            _later(_NOTED_AFTER, self._note)
        if limit is not None:
            _later(limit, partial(self._stop, job, Failed(f"{title}: not done after {limit:g} s, its time limit")))
        return job

    def cancel(self, number: int) -> None:
        """Cancel a running job, or remove a finished one from the list."""
        with self._lock:
            job = self._jobs.get(number)
            if job is not None and job.is_over:
                del self._jobs[number]
        if job is not None:
            self._stop(job, Canceled(f"{job.title}: canceled"))
            self.warm()

    def listed(self) -> list[PageJob]:
        """Return the jobs in the order of their requests."""
        with self._lock:
            return list(self._jobs.values())

    def close(self) -> None:
        """Stop all processes; running jobs stay recorded as such."""
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, []
            waiting = [job for job in self._jobs.values() if not job.is_over]
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.wait()
        for job in waiting:
            job.future.set_exception(Canceled(f"{job.title}: the page is closing"))

    # --------------------------------------------------------------- processes

    def _stop(self, job: PageJob, error: Error) -> None:
        """Stop an unfinished job and its process."""
        with self._lock:
            if self._closed:
                return
            if not job.is_over:
                for worker in [worker for worker in self._workers if worker.job is job]:
                    worker.job = None
                    self._drop(worker)
                self._end(job, "canceled" if isinstance(error, Canceled) else "failed", error)
                self._go_on()
        self._note()
        self.changed(job)

    def _free(self, quiet: bool = False) -> list[_Worker]:
        return [worker for worker in self._workers if worker.job is None and worker.quiet is quiet]

    def _new(self, quiet: bool = False) -> _Worker:
        worker = _Worker(self._answered, self._died, quiet)
        self._workers.append(worker)
        return worker

    def _drop(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
        worker.process.kill()

    def _go_on(self) -> None:
        """Assign waiting jobs to processes, up to the maximum number of concurrent jobs."""
        for quiet, most in ((False, self._at_once), (True, 1)):
            waiting = [job for job in self._jobs.values() if job.state == "waiting" and job.quiet is quiet]
            busy = sum(worker.job is not None for worker in self._workers if worker.quiet is quiet)
            for job in waiting[: max(0, most - busy)]:
                free = self._free(quiet)
                worker = next((w for w in free if job.key in w.known), free[0] if free else None) or self._new(quiet)
                worker.job = job
                worker.known.add(job.key)
                job.state, job.begun = "running", time()
                worker.ask(job.number, *job.call)
                job.call = ("", ())

    def _answered(self, worker: _Worker, kind: str, number: int, value: Any) -> None:
        with self._lock:
            job = worker.job
            if job is None or job.number != number:
                return
            if kind == "progress":
                job.progress, job.share = value
            else:
                worker.job = None
                if worker.times >= _TIMES or len(self._free(worker.quiet)) > _SPARE + 1:
                    self._drop(worker)
                if kind == "done":
                    result, job.remarks = value
                    self._end(job, "done", None, result)
                else:
                    self._end(job, "failed", Failed(*value))
                self._go_on()
        if job.is_over:
            self._note()
        self.changed(job)

    def _died(self, worker: _Worker) -> None:
        """Handle a process that ended by itself, out of memory or by a crash of a library."""
        with self._lock:
            job = worker.job
            if worker in self._workers:
                self._workers.remove(worker)
        if job is not None:
            self._stop(job, Failed(f"{job.title}: its process ended ({worker.process.returncode})"))

    def _end(self, job: PageJob, state: State, error: Error | None, result: object = None) -> None:
        job.state, job.ended = state, time()
        job.error = "" if error is None else str(error)
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)
        if job.again is None:  # code, values and counts may be large and are not listed
            self._jobs.pop(job.number, None)

    def _forget(self) -> None:
        over = [job.number for job in self._jobs.values() if job.is_over and job.state != "stopped"]
        for number in over[:-_LISTED]:
            del self._jobs[number]

    # ------------------------------------------------------------------ on disk

    def _note(self) -> None:
        if self._file is None or self._closed:
            return
        with self._lock:
            listed = [
                {"title": job.title, "again": dict(job.again()), "begun": job.begun}
                for job in self._jobs.values()
                if job.again is not None and (not job.is_over or job.state == "stopped")
            ]
            with suppress(Error):  # a full disk must not stop the work
                if listed or self._file.exists():
                    write_text(self._file, json.dumps(listed))

    def _remember_stopped(self) -> None:
        if self._file is None or not self._file.exists():
            return
        try:
            for entry in json.loads(read_text(self._file)):
                self._number += 1
                job = PageJob(self._number, str(entry["title"]), again=partial(dict, entry["again"]), state="stopped")
                dict(entry["again"])
                job.begun = job.ended = float(entry["begun"])
                job.error = "stopped when the program ended"
                job.future.set_exception(Canceled(job.error))
                job.future.exception()
                self._jobs[job.number] = job
        except (Error, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            # damaged: the running jobs are unknown
            return


def _later(seconds: float, action: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
