"""Work in pieces, in this process, on all cores of this machine or on a Dask cluster, and how far it is.

Processes take numbered pieces of the work, and may die without taking it along. A cluster is one that is running, by
its address, or one of this machine, made for the purpose.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import pickle
import sys
import warnings
from asyncio import CancelledError
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar, Union

from robosym.errors import InputError, Pass

__all__ = ["Progress", "WorkerDied", "client_of", "cores", "here", "on_cluster", "on_cores", "one_thread", "telling"]

Part = TypeVar("Part")
Result = TypeVar("Result")

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
    with import_module("threadpoolctl").threadpool_limits(limits=1):
        yield


def here(work: Callable[[Part], Result], pieces: Iterable[Part]) -> Iterator[tuple[Part, Result]]:
    """Each piece in this process, one after the other."""
    for piece in pieces:
        yield piece, work(piece)


def on_cores(
    work: Callable[[Part], Result], pieces: Iterable[Part], workers: int
) -> Iterator[tuple[Part, Result | WorkerDied]]:
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
            ready = wait([connection for connection, worker in crew.items() if worker.task])
            for worker in [worker for connection, worker in crew.items() if connection in ready]:
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

    def __init__(self, context: Any, work: Callable[[Part], object], others: list[Connection]) -> None:
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


def _serve(connection: Connection, work: Callable[[Part], object], foreign: list[Connection]) -> None:
    for other in foreign:
        other.close()
    with one_thread():
        _answer(connection, work)


def _answer(connection: Connection, work: Callable[[Part], object]) -> None:
    """Piece after piece, until the other side is gone."""
    while True:
        try:
            piece = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            answer: tuple[bool, object] = (False, work(piece))
        except Exception as error:
            answer = (True, error)
        try:
            connection.send(answer)
        except (BrokenPipeError, ConnectionError):
            return
        except Exception as error:  # the answer cannot be pickled
            connection.send((True, InputError(f"a result cannot be sent back: {error}")))


_PATIENCE = 20  #: seconds to find a cluster


@contextmanager
def client_of(cluster: object, workers: int) -> Iterator[Any]:
    """A client of the cluster at an address, of a given client, or of a cluster of this machine."""
    distributed = _dask()
    if isinstance(cluster, distributed.Client):
        yield cluster
    elif isinstance(cluster, str):
        try:
            client = distributed.Client(cluster, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(f"cluster: there is none at {cluster!r}: {error}") from None
        with client:
            yield client
    elif cluster is True:
        quiet: dict[str, object] = {"dashboard_address": None, "silence_logs": 50}
        with (
            distributed.LocalCluster(n_workers=workers, threads_per_worker=1, **quiet) as made,
            distributed.Client(made, set_as_default=False) as client,
        ):
            yield client
    else:
        raise InputError(f"cluster: expected an address such as 'tcp://host:8786', or True, found {cluster!r}")


def _dask() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise InputError("a cluster needs Dask: pip install robosym[studies]") from None


def on_cluster(
    work: Callable[[Part], Result], pieces: Iterable[Part], client: Any
) -> Iterator[tuple[Part, Result | WorkerDied]]:
    """(piece, result) as they are done; a worker that dies has its pieces done by others.

    The result is WorkerDied where several workers died of a piece.
    """
    # as a task it is found again where all workers that held it are gone; data that is scattered would be lost
    sent = client.submit(_held, work, pure=False)
    waiting = {client.submit(_run, sent, piece, pure=False): piece for piece in pieces}
    try:
        for future in _dask().as_completed(list(waiting), loop=client.loop):
            piece = waiting.pop(future)
            try:
                result = future.result()
            except _dask().KilledWorker:
                result = WorkerDied(f"several workers died of piece {piece}")
            except (CancelledError, OSError) as error:
                hint = ("with ", Pass("path"), " a study goes on later")
                raise InputError(f"the cluster was lost on the way ({error})", hint=hint) from None
            yield piece, result
            future.release()
    finally:
        client.cancel(list(waiting), force=True)


def _held(work: Callable[[Part], Result]) -> Callable[[Part], Result]:
    return work


def _run(work: Callable[[Part], Result], piece: Part) -> Result:
    return work(piece)


#: True for a bar, False for none, None for a bar where there is a terminal, or a function of (done, total)
Progress = Union[bool, None, Callable[[int, int], None]]


@contextmanager
def telling(what: str, total: int, progress: Progress = None) -> Iterator[Callable[[int], None]]:
    """A function that is told how many of `total` are done."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise InputError(f"progress: expected True, False or a function of (done, total), found {progress!r}")
    if callable(progress):
        tell = progress
        yield lambda done: tell(done, total)
    elif progress or (progress is None and sys.stderr.isatty()):
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)
    else:
        yield lambda done: None
