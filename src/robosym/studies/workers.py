"""Work in pieces: in this process, on all cores of this machine or on a Dask cluster, with progress reports.

Worker processes receive numbered pieces and may die without losing work. A cluster is either a running one, given by
its address, or a local one that is created.
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

from robosym.algebra.arrays import one_thread
from robosym.errors import InputError, Pass

__all__ = ["Progress", "WorkerDied", "client_of", "cores", "here", "on_cluster", "on_cores", "reporting"]

Part = TypeVar("Part")
Result = TypeVar("Result")

_ATTEMPTS = 3  #: number of workers that a piece may kill before it is abandoned
#: hint for a dead worker, by start method
_SPAWNED = {
    "fork": "",
    "spawn": "; a script that uses several processes must do so below `if __name__ == '__main__':`",
}
_MOST_WORKERS = 60  #: Windows can wait for at most 63 handles


class WorkerDied(Exception):
    """A piece of work terminated all processes that tried it."""


def cores() -> int:
    """Return the number of processors available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return min(os.cpu_count() or 1, _MOST_WORKERS)


def start_method() -> str:
    """Return how worker processes start: "fork" if that is safe, else "spawn"."""
    # libraries of macOS such as Accelerate do not support forking a process with threads
    return "fork" if "fork" in mp.get_all_start_methods() and sys.platform != "darwin" else "spawn"


def here(work: Callable[[Part], Result], pieces: Iterable[Part]) -> Iterator[tuple[Part, Result]]:
    """Run the pieces in this process, one after the other."""
    for piece in pieces:
        yield piece, work(piece)


def on_cores(
    work: Callable[[Part], Result], pieces: Iterable[Part], workers: int
) -> Iterator[tuple[Part, Result | WorkerDied]]:
    """Yield (piece, result) as `workers` processes finish them; the result is WorkerDied if all attempts failed.

    Exceptions of `work` are raised here. With fork, workers share the memory of this process, including compiled
    models, and only piece numbers and results are sent; otherwise `work` must be picklable.
    """
    waiting = deque((piece, 0) for piece in pieces)
    crew: dict[Connection, _Worker[Part]] = {}
    method = start_method()
    context: Any = mp.get_context(method)
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
                        yield (
                            piece,
                            WorkerDied(f"worker processes died {_ATTEMPTS} times at piece {piece}{_SPAWNED[method]}"),
                        )
                    continue
                worker.task = None
                if failed:
                    raise result
                yield piece, result
    finally:
        for worker in crew.values():
            worker.stop()


class _Worker(Generic[Part]):
    """Process with the pipe to it."""

    def __init__(self, context: Any, work: Callable[[Part], object], others: list[Connection]) -> None:
        self.task: tuple[Part, int] | None = None  #: current piece and the number of workers that it killed
        self.connection, theirs = context.Pipe()
        # a forked worker closes its copies of other pipes, so that it notices the end of this process
        foreign = [self.connection, *others] if context.get_start_method() == "fork" else []
        self._process = context.Process(target=_serve, args=(theirs, work, foreign), daemon=True)
        try:
            with warnings.catch_warnings():  # no lock that a worker needs is held here
                warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
                self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(
                f"function: expected a function that can be pickled for another process: {error}"
            ) from None
        theirs.close()

    def give(self, task: tuple[Part, int]) -> None:
        self.task = task
        try:
            self.connection.send(task[0])
        except OSError:  # the worker is dead; receiving reports it
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
    """Process pieces until the connection closes."""
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
        except Exception as error:  # the result cannot be pickled
            connection.send((True, InputError(f"the result cannot be pickled: {error}")))


_PATIENCE = 20  #: timeout for a connection to a cluster, in s


@contextmanager
def client_of(cluster: object, workers: int) -> Iterator[Any]:
    """Return a client of the cluster at an address, the given client, or a client of a local cluster."""
    distributed = _dask()
    if isinstance(cluster, distributed.Client):
        yield cluster
    elif isinstance(cluster, str):
        try:
            client = distributed.Client(cluster, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(f"cluster: cannot connect to {cluster!r}: {error}") from None
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
        raise InputError("cluster: Dask is not installed: run pip install robosym[studies]") from None


def on_cluster(
    work: Callable[[Part], Result], pieces: Iterable[Part], client: Any
) -> Iterator[tuple[Part, Result | WorkerDied]]:
    """Yield (piece, result) as they finish; pieces of a dead worker are computed by others.

    The result is WorkerDied if a piece terminated several workers.
    """
    # a task is computed again after all its workers died; scattered data would be lost
    sent = client.submit(_identity, work, pure=False)
    waiting = {client.submit(_run, sent, piece, pure=False): piece for piece in pieces}
    try:
        for future in _dask().as_completed(list(waiting), loop=client.loop):
            piece = waiting.pop(future)
            try:
                result = future.result()
            except _dask().KilledWorker:
                result = WorkerDied(f"several workers died at piece {piece}")
            except (CancelledError, OSError) as error:
                hint = ("pass ", Pass("path"), " to continue an interrupted study")
                raise InputError(f"the connection to the cluster was lost ({error})", hint=hint) from None
            yield piece, result
            future.release()
    finally:
        client.cancel(list(waiting), force=True)


def _identity(work: Callable[[Part], Result]) -> Callable[[Part], Result]:
    return work


def _run(work: Callable[[Part], Result], piece: Part) -> Result:
    return work(piece)


#: True for a bar, False for none, None for a bar in a terminal, or a function of (done, total)
Progress = Union[bool, None, Callable[[int, int], None]]


@contextmanager
def reporting(what: str, total: int, progress: Progress = None) -> Iterator[Callable[[int], None]]:
    """Yield a function that reports the number of finished pieces among `total`."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise InputError(f"progress: expected True, False or a function of (done, total), found {progress!r}")
    if callable(progress):
        report = progress
        yield lambda done: report(done, total)
    elif progress or (progress is None and sys.stderr.isatty()):
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)
    else:
        yield lambda done: None
