"""Where emitted code comes from: the tool, the description, and the command that made it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module

from robosym.mechanism import Robot
from robosym.safe_text import comment

__all__ = ["OWNER", "made_by", "provenance"]

OWNER = "This text belongs to whoever generated it."
_COMMAND: ContextVar[str] = ContextVar("command", default="")


@contextmanager
def made_by(command: str) -> Iterator[None]:
    """What is emitted here says that this command line made it."""
    token = _COMMAND.set(command)
    try:
        yield
    finally:
        _COMMAND.reset(token)


def provenance(robot: Robot | None) -> list[str]:
    """Lines for a comment."""
    version = import_module("robosym").__version__  # not by name: type checkers would see a circle
    command = _COMMAND.get()
    lines = [f"Written by robosym {version}, {f'command: {command}' if command else 'called from Python'}"]
    if robot is not None and robot.origin:
        lines.append(f"Described by {robot.origin}")
    return [*(comment(line)[:300] for line in lines), OWNER]
