"""Public functions that take several kinds of description, each kind served by the room that knows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar

from robosym.errors import InputError

__all__ = ["BASES", "dispatched", "every_kind", "hand_over", "in_joints", "need_base", "own_function"]

FIXED_BASE = "fixed"
BASES = (FIXED_BASE, "mobile", "floating")  #: kinds of base: each does more than the one before

Function = TypeVar("Function", bound=Callable[..., Any])
#: of each kind beside `Robot`: the modules, by name, whose function of the same name takes it
_HOMES: dict[type, Mapping[str, str]] = {}


def dispatched(base: str) -> Callable[[Function], Function]:
    """A function of a `Robot`, its first argument, that other rooms may take over for other kinds of description.

    `base` is the most that the base of the robot may do, see `need_base`.
    """

    def declared(function: Function) -> Function:
        name = function.__name__

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            subject = args[0] if args else options.get("robot")
            homes = _HOMES.get(type(subject))
            if homes is None:
                need_base(subject, name, base)
                return function(*args, **options)
            home = homes.get(name)
            if home is None:
                kind = type(subject).__name__
                other = "its robot, in joints" if kind == "Driven" else "the robot with loops of to_closed()"
                raise InputError(f"{name} does not take a {kind}: pass {other}")
            own = getattr(import_module(home), name)
            try:
                signature(own).bind(*args, **options)
            except TypeError as error:
                takes = ", ".join(signature(own).parameters)
                raise InputError(f"{name} of a {type(subject).__name__} takes {takes}: {error}") from None
            return own(*args, **options)

        marked: Function = _marked(call, base, takes_driven=True)
        return marked

    return declared


def every_kind(base: str) -> Callable[[Function], Function]:
    """A function that takes every kind of description itself; `base` as of `dispatched`."""
    return lambda function: _marked(_checking_base(function, base), base, takes_driven=True)


def in_joints(base: str) -> Callable[[Function], Function]:
    """A function that takes a robot in its joints, no `Driven`; `base` as of `dispatched`."""
    return lambda function: _marked(_checking_base(function, base), base, takes_driven=False)


def _checking_base(function: Callable[..., Any], base: str) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        need_base(args[0] if args else options.get("robot"), function.__name__, base)
        return function(*args, **options)

    return call


def _marked(call: Any, base: str, takes_driven: bool) -> Any:
    """The function with what it declares, for those who ask: the test of all functions, `rs.load` by name."""
    call.base, call.takes_driven = base, takes_driven
    return call


def need_base(robot: Any, function: str, most: str) -> None:
    """An error for a robot whose base does more than a public function treats.

    `most` is "fixed", "mobile" (the motion of the base is given) or "floating" (it is unknown).
    """
    base = getattr(robot, "base", None)
    kind = getattr(base, "kind", FIXED_BASE)
    if kind in BASES and BASES.index(kind) > BASES.index(most):
        treats = "a fixed base" if most == FIXED_BASE else "a fixed base or a mobile one, whose motion is given"
        raise InputError(
            f"{robot.name} has a {kind} base: {function} treats {treats}. To hold the base at rest, pass "
            "robot.edit({'base.type': 'fixed'})"
        )


def hand_over(kind: type, homes: Mapping[str, str]) -> None:
    """From now on these functions, by name, are those of the modules given where the description is of this kind."""
    _HOMES[kind] = homes


def own_function(kind: type, name: str) -> Callable[..., Any] | None:
    """The function of this name for a kind of description beside `Robot`; None where there is none."""
    home = _HOMES.get(kind, {}).get(name)
    return None if home is None else getattr(import_module(home), name)
