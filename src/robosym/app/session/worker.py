"""The process that does the work of a page: it is told a function and its arguments, and says how far it is.

Requests come as pickles on its standard input, answers go to its standard output; both ends are of this program. When
the page ends, in whatever way, its input closes and so does the process.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from time import monotonic
from typing import Any

from robosym.errors import Error, RobotWarning

__all__ = ["ANSWER", "serve"]

#: ("told", number, (text, share)), ("done", number, (value, remarks)), ("failed", number, (words, trace))
ANSWER = tuple[str, int, Any]
_PAUSE = 0.05  #: seconds between two words about progress


def serve() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not come between the answers
    if os.environ.get("ROBOSYM_QUIET") and hasattr(os, "nice"):
        os.nice(10)
    lock = threading.Lock()

    def answer(kind: str, number: int, value: Any) -> None:
        with lock:
            pickle.dump((kind, number, value), answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()

    requests: queue.SimpleQueue[tuple[int, str, tuple[Any, ...]]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        number, function, arguments = requests.get()
        _perform(number, function, arguments, answer)


def _listen(requests: queue.SimpleQueue[tuple[int, str, tuple[Any, ...]]]) -> None:
    """In a thread of its own, so that the end of the page ends the work at once."""
    while True:
        try:
            requests.put(pickle.load(sys.stdin.buffer))
        except Exception:  # the page is gone, whatever the pipe calls it
            os._exit(0)


def _perform(number: int, function: str, arguments: tuple[Any, ...], answer: Callable[[str, int, Any], None]) -> None:
    last = 0.0

    def tell(text: str) -> None:
        nonlocal last
        if monotonic() - last >= _PAUSE:
            last = monotonic()
            answer("told", number, (str(text), getattr(text, "share", None)))

    remarks: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", RobotWarning)
            warnings.showwarning = lambda message, *_: remarks.append(str(message))
            module, _, name = function.partition(":")
            value = getattr(import_module(module), name)(*arguments, tell=tell)
        answer("done", number, (value, remarks))
    except Error as error:
        answer("failed", number, (error, ""))
    except (Exception, RecursionError) as error:  # a mistake of ours: said as such, and the page lives on
        answer("failed", number, (f"{type(error).__name__}: {error}", traceback.format_exc()))
