"""Work on all cores of this machine: processes that take numbered pieces of it, and may die without taking it along."""

from __future__ import annotations

import multiprocessing as mp
import os
import pickle
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from robosym.errors import InputError

__all__ = ["WorkerDied", "cores", "here", "on_cores", "one_thread"]

Part = TypeVar("Part")

_ATTEMPTS = 3  #: a piece that kills so many workers is given up


class WorkerDied(Exception):
    """A piece of work ended the processes that tried it."""


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: several processes, each with threads for all cores, would wait for each other."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # type: ignore[no-untyped-call]
        yield


def here(work: Callable[[Part], Any], pieces: Iterable[Part]) -> Iterator[tuple[Part, Any]]:
    """Each piece in this process, one after the other."""
    for piece in pieces:
        yield piece, work(piece)


def on_cores(work: Callable[[Part], Any], pieces: Iterable[Part], workers: int) -> Iterator[tuple[Part, Any]]:
    """(piece, result) as they are done by `workers` processes; the result is WorkerDied where nothing else helps.

    An exception of `work` is raised here. Where the system can fork, workers share what this process holds, compiled
    models included, and nothing but numbers and results is sent; elsewhere `work` must be such that it can be pickled.
    """
    waiting = deque((piece, 0) for piece in pieces)
    crew: dict[Connection, _Worker[Part]] = {}
    context: Any = mp.get_context("fork" if "fork" in mp.get_all_start_methods() else "spawn")
    try:
        while waiting or any(worker.task for worker in crew.values()):
            while waiting and len(crew) < workers:
                worker: _Worker[Part] = _Worker(context, work, list(crew))
                crew[worker.connection] = worker
            for worker in crew.values():
                if waiting and worker.task is None:
                    worker.give(waiting.popleft())
            for connection in wait([connection for connection, worker in crew.items() if worker.task]):
                worker = crew[connection]  # type: ignore[index]
                assert worker.task is not None
                piece, attempt = worker.task
                try:
                    failed, result = worker.connection.recv()
                except (EOFError, OSError):
                    del crew[worker.connection]
                    worker.stop()
                    if attempt + 1 < _ATTEMPTS:
                        waiting.append((piece, attempt + 1))
                    else:
                        yield piece, WorkerDied(f"a worker died {_ATTEMPTS} times at piece {piece}")
                    continue
                worker.task = None
                if failed:
                    raise result
                yield piece, result
    finally:
        for worker in crew.values():
            worker.stop()


class _Worker(Generic[Part]):
    """A process and the pipe to it."""

    def __init__(self, context: Any, work: Callable[[Part], Any], others: list[Connection]) -> None:
        self.task: tuple[Part, int] | None = None  #: the piece that it works on, and how many died of it
        self.connection, theirs = context.Pipe()
        # a forked worker holds copies of all pipes: it closes those of the others, to see when this process is gone
        foreign = [self.connection, *others] if context.get_start_method() == "fork" else []
        self._process = context.Process(target=_serve, args=(theirs, work, foreign), daemon=True)
        try:
            with warnings.catch_warnings():  # no lock is held here that a worker would need
                warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
                self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(f"the function cannot be sent to another process: {error}") from None
        theirs.close()

    def give(self, task: tuple[Part, int]) -> None:
        self.task = task
        try:
            self.connection.send(task[0])
        except OSError:  # it is gone: receiving will tell
            return

    def stop(self) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join()


def _serve(connection: Connection, work: Callable[[Any], Any], foreign: list[Connection]) -> None:
    for other in foreign:
        other.close()
    with one_thread():
        _answer(connection, work)


def _answer(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Piece after piece, until the other side is gone."""
    while True:
        try:
            piece = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            answer: tuple[bool, Any] = (False, work(piece))
        except Exception as error:
            answer = (True, error)
        try:
            connection.send(answer)
        except (BrokenPipeError, ConnectionError):
            return
        except Exception as error:  # the answer cannot be pickled
            connection.send((True, InputError(f"a result cannot be sent back: {error}")))
