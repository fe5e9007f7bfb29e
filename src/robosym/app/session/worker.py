"""The worker process of the page: it receives a function and its arguments, and reports progress and the result.

Requests arrive as pickles on standard input, and answers go to standard output; both ends belong to this program. When
the page ends, for whatever reason, standard input closes and the process exits.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from time import monotonic
from typing import IO, Any

from robosym.errors import Error
from robosym.formats.draft_problems import collected_warnings

__all__ = ["ANSWER", "send", "serve"]

#: ("progress", number, (text, share)), ("done", number, (value, remarks)), ("failed", number, (words, trace))
ANSWER = tuple[str, int, Any]
_PAUSE = 0.05  #: minimum number of seconds between progress messages


def serve() -> None:
    """Answer requests until standard input closes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answers
    if os.environ.get("ROBOSYM_QUIET") and hasattr(os, "nice"):
        os.nice(10)
    lock = threading.Lock()

    def answer(kind: str, number: int, value: Any) -> None:
        with lock:
            send((kind, number, value), answers)

    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        number, function, arguments = pickle.loads(requests.get())  # here, since only one thread may import
        _perform(number, function, arguments, answer)


def send(message: tuple[Any, ...], stream: IO[bytes]) -> None:
    """Write a message as bytes in a pickle: whoever reads them need not import anything."""
    pickle.dump(pickle.dumps(message, pickle.HIGHEST_PROTOCOL), stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    """Read requests in a thread, so that the end of the page stops the computation at once."""
    while True:
        try:
            requests.put(pickle.load(sys.stdin.buffer))
        except Exception:  # the page has ended; the pipe may report this in many ways
            os._exit(0)


def _perform(number: int, function: str, arguments: tuple[Any, ...], answer: Callable[[str, int, Any], None]) -> None:
    last = 0.0

    def progress(text: str) -> None:
        nonlocal last
        if monotonic() - last >= _PAUSE:
            last = monotonic()
            answer("progress", number, (str(text), getattr(text, "share", None)))

    try:
        with collected_warnings() as remarks:
            module, _, name = function.partition(":")
            value = getattr(import_module(module), name)(*arguments, progress=progress)
        answer("done", number, (value, remarks))
    except Error as error:
        answer("failed", number, (error, ""))
    except (Exception, RecursionError) as error:  # an internal error: report it, and keep the page running
        answer("failed", number, (f"{type(error).__name__}: {error}", traceback.format_exc()))
