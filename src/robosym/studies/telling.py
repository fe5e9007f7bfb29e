"""How far something is: a bar on a terminal, a function of the caller's, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Union

from robosym.errors import InputError

__all__ = ["Progress", "telling"]

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
