"""Long work in processes of their own: progress, cancelling, a time limit; listed as stopped after a restart."""

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

from robosym.errors import Error, InputError
from robosym.files import read_text, write_text

__all__ = ["Cancelled", "Failed", "Jobs", "PageJob"]

State = Literal["waiting", "running", "done", "failed", "cancelled", "stopped"]
#: the current folder is no place to import from: a file numpy.py there would be taken for NumPy
_START = "import sys; sys.path[:] = [p for p in sys.path if p]; from robosym.app.session.worker import serve; serve()"
_SPARE = 1  #: processes that wait for work
_TIMES = 200  #: works that a process does before another takes its place: what it has loaded is let go
_LISTED = 10  #: jobs that are remembered after their end
_NOTED_AFTER = 0.5  #: seconds: what is done sooner is not written to the disk


class Failed(Error):
    """Work that could not be done; `trace` is for a report where the mistake is ours."""

    def __init__(self, message: str | Error, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class Cancelled(Error):
    """Work that was ended on the way."""


@dataclass(eq=False)
class PageJob:
    """What is done, for whom, and how far it is."""

    number: int
    title: str
    call: tuple[str, tuple[object, ...]] = ("", ())  #: `module:function` and its arguments
    again: Callable[[], Mapping[str, Any]] | None = None  #: gives plain data by which it can be asked again
    key: str = ""  #: of what a process has at hand once it has done this
    quiet: bool = False  #: whether nobody waits for it
    state: State = "waiting"
    said: str = ""
    share: float | None = None  #: of the work that is done, where that is known
    begun: float = field(default_factory=time)
    ended: float | None = None
    remarks: list[str] = field(default_factory=list)
    error: str = ""
    future: Future[Any] = field(default_factory=Future, repr=False)

    @property
    def seconds(self) -> float:
        return (self.ended or time()) - self.begun

    @property
    def is_over(self) -> bool:
        return self.state not in ("waiting", "running")


class _Worker:
    """A process, and the job that it has; a quiet one gives way to whatever else wants the processor."""

    def __init__(
        self, heard: Callable[[_Worker, str, int, Any], None], ended: Callable[[_Worker], None], quiet: bool = False
    ) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **({"ROBOSYM_QUIET": "1"} if quiet else {})}
        self.quiet = quiet
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.job: PageJob | None = None
        self.times = 0
        self.known: set[str] = set()  #: keys of what it has at hand
        self._heard, self._ended = heard, ended
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, number: int, function: str, arguments: tuple[object, ...]) -> None:
        assert self.process.stdin is not None
        self.times += 1
        with suppress(OSError):  # it has died: its listener says so
            pickle.dump((number, function, arguments), self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while True:
            try:
                kind, number, value = pickle.load(self.process.stdout)
            except Exception:  # it was killed, or died
                break
            self._heard(self, kind, number, value)
        self.process.wait()
        self._ended(self)


class Jobs:
    """All work of a page. Its methods may be called from any thread; `changed` is called from threads of its own."""

    def __init__(self, file: Path | None = None, at_once: int = 2) -> None:
        """`file` remembers what is under way, so that after a restart it is listed as stopped."""
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
        """Have a process ready before it is needed."""
        with self._lock:
            if not self._closed and len(self._free()) < _SPARE:
                self._new().ask(0, "robosym.app.session.generation:warm", ())

    def start(
        self, title: str, function: str, *arguments: object, again: Callable[[], Mapping[str, Any]] | None = None,
        key: str = "", quiet: bool = False, limit: float | None = None,
    ) -> PageJob:  # fmt: skip
        """Do `module:function` with the arguments in a process; of several that are free, the one that knows `key`.

        A quiet job is one that nobody waits for: it has a process of its own and never delays another. A job that
        takes longer than `limit` seconds fails.
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
        """End a job at once; one that is over is taken off the list."""
        with self._lock:
            job = self._jobs.get(number)
            if job is not None and job.is_over:
                del self._jobs[number]
        if job is not None:
            self._stop(job, Cancelled(f"{job.title}: cancelled"))
            self.warm()

    def listed(self) -> list[PageJob]:
        """In the order in which they were asked for."""
        with self._lock:
            return list(self._jobs.values())

    def close(self) -> None:
        """End all of it; what is under way stays remembered as such."""
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, []
            waiting = [job for job in self._jobs.values() if not job.is_over]
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.wait()
        for job in waiting:
            job.future.set_exception(Cancelled(f"{job.title}: the page is closing"))

    # --------------------------------------------------------------- processes

    def _stop(self, job: PageJob, error: Error) -> None:
        """End a job that is not over, with its process."""
        with self._lock:
            if self._closed:
                return
            if not job.is_over:
                for worker in [worker for worker in self._workers if worker.job is job]:
                    worker.job = None
                    self._drop(worker)
                self._end(job, "cancelled" if isinstance(error, Cancelled) else "failed", error)
                self._go_on()
        self._note()
        self.changed(job)

    def _free(self, quiet: bool = False) -> list[_Worker]:
        return [worker for worker in self._workers if worker.job is None and worker.quiet is quiet]

    def _new(self, quiet: bool = False) -> _Worker:
        worker = _Worker(self._heard, self._died, quiet)
        self._workers.append(worker)
        return worker

    def _drop(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
        worker.process.kill()

    def _go_on(self) -> None:
        """Give work to processes, as far as so many may work at once."""
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

    def _heard(self, worker: _Worker, kind: str, number: int, value: Any) -> None:
        with self._lock:
            job = worker.job
            if job is None or job.number != number:
                return
            if kind == "told":
                job.said, job.share = value
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
        """A process ended by itself: out of memory, or a crash of a library."""
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
        if job.again is None:  # code, values, counts: nobody looks for them in a list, and they may be large
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
                job.future.set_exception(Cancelled(job.error))
                job.future.exception()
                self._jobs[job.number] = job
        except (Error, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            # damaged: no more is known of what was under way
            return


def _later(seconds: float, action: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
