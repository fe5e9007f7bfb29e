"""Work on a Dask cluster: one that is running, by its address, or one of this machine, made for the purpose."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from robosym.errors import InputError
from robosym.studies.local import WorkerDied

__all__ = ["client_of", "on_cluster"]

Part = TypeVar("Part")

_PATIENCE = 20  #: seconds to find a cluster


@contextmanager
def client_of(cluster: Any, workers: int) -> Iterator[Any]:
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
        quiet: dict[str, Any] = {"dashboard_address": None, "silence_logs": 50}
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


def on_cluster(work: Callable[[Part], Any], pieces: Iterable[Part], client: Any) -> Iterator[tuple[Part, Any]]:
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
                raise InputError(
                    f"the cluster was lost on the way ({error}); with path= a study goes on later"
                ) from None
            yield piece, result
            future.release()
    finally:
        client.cancel(list(waiting), force=True)


def _held(work: Callable[[Part], Any]) -> Callable[[Part], Any]:
    return work


def _run(work: Callable[[Part], Any], piece: Part) -> Any:
    return work(piece)
