"""Public functions that take several kinds of description, each kind served by the room that knows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar

from robosym.errors import InputError

__all__ = ["dispatched", "every_kind", "hand_over", "own_function"]

Function = TypeVar("Function", bound=Callable[..., Any])
#: of each kind beside `Robot`: the modules, by name, whose function of the same name takes it
_HOMES: dict[type, Mapping[str, str]] = {}


def dispatched(function: Function) -> Function:
    """A function of a `Robot`, its first argument, that other rooms may take over for other kinds of description."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        subject = args[0] if args else options.get("robot")
        homes = _HOMES.get(type(subject))
        if homes is None:
            return function(*args, **options)
        home = homes.get(function.__name__)
        if home is None:
            kind = type(subject).__name__
            other = "its robot, in joints" if kind == "Driven" else "the robot with loops of to_closed()"
            raise InputError(f"{function.__name__} does not take a {kind}: pass {other}")
        own = getattr(import_module(home), function.__name__)
        try:
            signature(own).bind(*args, **options)
        except TypeError as error:
            takes = ", ".join(signature(own).parameters)
            raise InputError(f"{function.__name__} of a {type(subject).__name__} takes {takes}: {error}") from None
        return own(*args, **options)

    return call  # type: ignore[return-value]


def every_kind(function: Function) -> Function:
    """A function that takes every kind of description itself."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    return call  # type: ignore[return-value]


def hand_over(kind: type, homes: Mapping[str, str]) -> None:
    """From now on these functions, by name, are those of the modules given where the description is of this kind."""
    _HOMES[kind] = homes


def own_function(kind: type, name: str) -> Callable[..., Any] | None:
    """The function of this name for a kind of description beside `Robot`; None where there is none."""
    home = _HOMES.get(kind, {}).get(name)
    return None if home is None else getattr(import_module(home), name)
