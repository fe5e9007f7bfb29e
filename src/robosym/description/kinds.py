"""Public functions that take several kinds of description, each kind registered by the room that knows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["dispatched", "take_over"]

Function = TypeVar("Function", bound=Callable[..., Any])
_HANDLERS: dict[Any, dict[type, Callable[..., Any]]] = {}


def dispatched(function: Function) -> Function:
    """A function of a `Robot`, its first argument, that other rooms may take over for other kinds of description."""
    handlers: dict[type, Callable[..., Any]] = {}

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        subject = args[0] if args else options.get("robot")
        return handlers.get(type(subject), function)(*args, **options)

    _HANDLERS[call] = handlers
    return call  # type: ignore[return-value]


def take_over(function: Callable[..., Any], kind: type) -> Callable[[Function], Function]:
    """A decorator: what `function` does with descriptions of this kind."""

    def register(handler: Function) -> Function:
        _HANDLERS[function][kind] = handler
        return handler

    return register
