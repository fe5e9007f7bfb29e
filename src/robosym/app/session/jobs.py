"""Long work in processes of their own: told how far it is, cancelled at any time, listed as stopped after a restart."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
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
_LISTED = 10  #: jobs that are remembered after their end, and what they gave with them


class Failed(Error):
    """Work that could not be done; `trace` is for a report where the mistake is ours."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class Cancelled(Error):
    """Work that was ended on the way."""


@dataclass(eq=False)
class PageJob:
    """What is done, for whom, and how far it is."""

    number: int
    title: str
    again: Mapping[str, Any] | None = None  #: plain data by which it can be asked again
    state: State = "waiting"
    said: str = ""
    share: float | None = None  #: of the work that is done, where that is known
    begun: float = field(default_factory=time)
    ended: float | None = None
    value: Any = None
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

    def ask(self, number: int, function: str, arguments: tuple[Any, ...]) -> None:
        assert self.process.stdin is not None
        self.times += 1
        with suppress(OSError):  # it has died: its listener says so
            pickle.dump((number, function, arguments), self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()

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
        self._queue: deque[tuple[PageJob, str, tuple[Any, ...], str]] = deque()
        self._quiet: deque[tuple[PageJob, str, tuple[Any, ...], str]] = deque()  #: what nobody waits for
        self._workers: list[_Worker] = []
        self._number = 0
        self._closed = False
        self._remember_stopped()

    # ------------------------------------------------------------------ asked

    def warm(self) -> None:
        """Have a process ready before it is needed."""
        with self._lock:
            if not self._closed and len(self._free()) < _SPARE:
                worker = self._new()
                worker.ask(0, "robosym.app.session.results:warm", ())

    def start(
        self, title: str, function: str, *arguments: Any, again: Mapping[str, Any] | None = None, key: str = "",
        quiet: bool = False,
    ) -> PageJob:  # fmt: skip
        """Do `module:function` with the arguments in a process; of several that are free, the one that knows `key`.

        A quiet job is one that nobody waits for: it has a process of its own and never delays another.
        """
        with self._lock:
            if self._closed:
                raise InputError("the page is closing")
            self._number += 1
            job = PageJob(self._number, title, again)
            self._jobs[job.number] = job
            (self._quiet if quiet else self._queue).append((job, function, arguments, key))
            self._forget()
            self._go_on()
        self._note()
        return job

    def cancel(self, number: int) -> None:
        """End a job at once; one that is over is taken off the list."""
        with self._lock:
            job = self._jobs.get(number)
            if job is None:
                return
            if job.is_over:
                del self._jobs[number]
            else:
                for queue in (self._queue, self._quiet):
                    for entry in [entry for entry in queue if entry[0] is job]:
                        queue.remove(entry)
                for worker in self._workers:
                    if worker.job is job:
                        worker.job = None
                        self._drop(worker)
                self._end(job, "cancelled", Cancelled(f"{job.title}: cancelled"))
                self._go_on()
        self._note()
        self.changed(job)
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
            worker.kill()
        for worker in workers:
            worker.process.wait()
        for job in waiting:
            job.future.set_exception(Cancelled(f"{job.title}: the page is closing"))

    # --------------------------------------------------------------- processes

    def _free(self, quiet: bool = False) -> list[_Worker]:
        return [worker for worker in self._workers if worker.job is None and worker.quiet is quiet]

    def _new(self, quiet: bool = False) -> _Worker:
        worker = _Worker(self._heard, self._died, quiet)
        self._workers.append(worker)
        return worker

    def _drop(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
        worker.kill()

    def _go_on(self) -> None:
        """Give work to processes, as far as so many may work at once."""
        for queue, quiet, most in ((self._queue, False, self._at_once), (self._quiet, True, 1)):
            while queue and sum(w.job is not None for w in self._workers if w.quiet is quiet) < most:
                job, function, arguments, key = queue.popleft()
                free = self._free(quiet)
                worker = next((w for w in free if key in w.known), free[0] if free else None) or self._new(quiet)
                worker.job = job
                worker.known.add(key)
                job.state, job.begun = "running", time()
                worker.ask(job.number, function, arguments)

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
                    job.value, job.remarks = value
                    self._end(job, "done", None)
                else:
                    self._end(job, "failed", Failed(*value))
                self._go_on()
        if job.is_over:
            self._note()
        self.changed(job)

    def _died(self, worker: _Worker) -> None:
        """A process ended by itself: out of memory, or a crash of a library."""
        with self._lock:
            job, worker.job = worker.job, None
            if worker in self._workers:
                self._workers.remove(worker)
            if self._closed or job is None:
                return
            self._end(job, "failed", Failed(f"{job.title}: its process ended ({worker.process.returncode})"))
            self._go_on()
        self._note()
        self.changed(job)

    def _end(self, job: PageJob, state: State, error: Error | None) -> None:
        job.state, job.ended = state, time()
        job.error = "" if error is None else str(error)
        if error is None:
            job.future.set_result(job.value)
        else:
            job.future.set_exception(error)
        job.value = None
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
                {"title": job.title, "again": job.again, "begun": job.begun}
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
            listed = json.loads(read_text(self._file))
            for entry in listed:
                self._number += 1
                job = PageJob(self._number, str(entry["title"]), dict(entry["again"]), "stopped")
                job.begun = job.ended = float(entry["begun"])
                job.error = "stopped when the program ended"
                job.future.set_exception(Cancelled(job.error))
                job.future.exception()
                self._jobs[job.number] = job
        except (Error, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            # damaged: no more is known of what was under way
            return
