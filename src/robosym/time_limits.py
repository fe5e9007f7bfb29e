"""Time limits for any long call: `with robosym.time_limit(10): model = robosym.lagrange(robot, form="expanded")`."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from robosym.errors import InputError, TimeLimitReached

__all__ = ["time_limit"]

_AGAIN = 0.5  #: seconds until the next interruption, for libraries that ignore the first one
_POLL = 0.02  #: seconds between two looks at whether an interruption was lost


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the time of the calls in a `with` block.

    The calls are interrupted as by Ctrl C: worker processes end, and files are written completely or not at all.

    Parameters
    ----------
    seconds
        Limit in s.

    Returns
    -------
    context manager
        For a `with` statement.

    Raises
    ------
    TimeLimitReached
        If the block is not done after this time.
    InputError
        If the limit is not a positive number, or the block does not run in the main thread.

    Examples
    --------
    >>> import robosym as rs
    >>> with rs.time_limit(60):
    ...     model = rs.inverse_dynamics(rs.load("rx90"))
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InputError(f"time_limit: expected seconds above 0, found {seconds!r}", code="E403")
    if threading.current_thread() is not threading.main_thread():
        raise InputError("time_limit: expected a call in the main thread, found another thread")
    over, lost, done = threading.Event(), threading.Event(), threading.Event()

    def watch() -> None:
        if done.wait(min(seconds, threading.TIMEOUT_MAX)):
            return
        over.set()
        while not done.is_set():
            lost.clear()
            if hasattr(signal, "pthread_kill"):  # this also ends waiting for another process
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            else:
                _thread.interrupt_main()
            again = time.monotonic() + _AGAIN
            while not done.wait(_POLL) and not lost.is_set() and time.monotonic() < again:
                pass

    def ignored(error: sys.UnraisableHookArgs) -> None:  # an interruption in a callback or in `__del__` has no effect
        if over.is_set():
            lost.set()
        else:
            hook(error)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore SIGINT
    hook, sys.unraisablehook = sys.unraisablehook, ignored
    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
        done.set()
        watching.join()  # an interruption that was already sent arrives here
        if over.is_set():  # or all of them were lost
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        done.set()
        if over.is_set():
            raise TimeLimitReached(f"time_limit: the call did not finish within {seconds:g} s") from None
        raise
    finally:
        done.set()
        with suppress(KeyboardInterrupt):  # one more, sent while the first one ended the block
            watching.join()
        sys.unraisablehook = hook
        signal.signal(signal.SIGINT, before)
