"""Calls of public functions as data: a call runs in this process or in a worker, and prints itself as Python.

A command compiles to one call whose arguments may be calls themselves: `rs.identify(rs.load("arm.yaml"), [..])`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import robosym as rs
from robosym.algebra.once import cached_property
from robosym.errors import InputError

__all__ = ["Call", "Presented", "program_lines", "python_text", "without_defaults"]


class Call:
    """`name(*arguments, **keywords)`: a public name below `robosym`, or a method of what another call gives."""

    of: Call | None = None  #: whose method it is
    word: str = ""  #: what an error names where that result has no such method: the option that wants it
    resolve: Callable[[], Callable[..., Any]] | None = None  #: where the function is found, if not below `robosym`
    hidden: Mapping[str, object] = MappingProxyType({})  #: keywords that are passed and not printed

    def __init__(self, name: str, /, *arguments: object, **keywords: object) -> None:
        self.name, self.arguments, self.keywords = name, arguments, keywords

    def found_by(self, resolve: Callable[[], Callable[..., Any]] | None) -> Call:
        """The same, of a function that is found in another way."""
        self.resolve = resolve
        return self

    def known(self, value: object) -> Call:
        """The same, whose value is there already."""
        self.__dict__["value"] = value
        return self

    def then(self, name: str, /, *arguments: object, **keywords: object) -> Call:
        """A method of the result."""
        made = Call(name, *arguments, **keywords)
        made.of = self
        return made

    def part(self, name: str) -> Call:
        """A part of the result that is no method."""
        made = Attribute(name)
        made.of = self
        return made

    @cached_property
    def value(self) -> Any:
        """What the call gives; run once."""
        function = self._function()
        given = [_value(argument) for argument in self.arguments]
        keywords = {name: _value(argument) for name, argument in self.keywords.items()}
        return function(*given, **keywords, **self.hidden)

    def _function(self) -> Callable[..., Any]:
        if self.of is None:
            found: Callable[..., Any] = self.resolve() if self.resolve else attrgetter(self.name)(rs)
            return found
        try:
            found = attrgetter(self.name)(self.of.value)
        except AttributeError:
            raise InputError(f"{self.word}: the result for this robot has no {self.name}", code="E405") from None
        return found

    def _inside(self) -> Iterator[Call]:
        """This call and those among its arguments, each as often as it is named."""
        yield self
        if self.of is not None:
            yield from self.of._inside()
        for argument in (*self.arguments, *self.keywords.values()):
            yield from _calls(argument)

    def python(self, names: Mapping[Call, str]) -> str:
        if self in names:
            return names[self]
        head = "rs" if self.of is None else self.of.python(names)
        given = [python_text(argument, names) for argument in self.arguments]
        given += [f"{name}={python_text(argument, names)}" for name, argument in self.keywords.items()]
        method = "" if self.name == "__call__" else f".{self.name}"
        return f"{head}{method}({', '.join(given)})"


class Attribute(Call):
    """A part of a result that is no method."""

    @cached_property
    def value(self) -> Any:
        return self._function()

    def python(self, names: Mapping[Call, str]) -> str:
        assert self.of is not None
        return f"{self.of.python(names)}.{self.name}"


class Presented(Call):
    """A call whose result is shown in another form; the Python that prints is that of the call."""

    def __init__(self, of: Call, show: Callable[[Call], object]) -> None:
        super().__init__("")
        self.of, self.show = of, show

    @cached_property
    def value(self) -> Any:
        return self.show(self.of) if self.of is not None else None

    def python(self, names: Mapping[Call, str]) -> str:
        return "" if self.of is None else self.of.python(names)


def _calls(value: object) -> Iterator[Call]:
    if isinstance(value, Call):
        yield from value._inside()
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _calls(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _calls(one)


def _value(argument: object) -> object:
    """An argument with the values of the calls in it."""
    if isinstance(argument, Call):
        return argument.value
    if isinstance(argument, dict):
        return {key: _value(one) for key, one in argument.items()}
    if isinstance(argument, list | tuple):
        return type(argument)(map(_value, argument))
    return argument


def without_defaults(function: Callable[..., Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that differ from what the function takes by itself."""
    own = signature(function).parameters
    plain = (str, int, float, tuple, type(None))
    return {
        name: value
        for name, value in keywords.items()
        if not (name in own and isinstance(value, plain) and own[name].default == value)
    }


# ------------------------------------------------------------------------------------------------------ as Python


def program_lines(call: Call, robot: Call | None = None) -> tuple[list[str], str]:
    """Lines that come before, and the expression; a robot that is named several times gets a variable."""
    if robot is None or Counter(call._inside())[robot] < 2:
        return [], call.python({})
    return [f"robot = {robot.python({})}"], call.python({robot: "robot"})


def python_text(value: object, names: Mapping[Call, str] | None = None) -> str:
    """A value as Python writes it."""
    names = names or {}
    if isinstance(value, Call):
        return value.python(names)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{python_text(k)}: {python_text(v, names)}' for k, v in value.items())}}}"
    if isinstance(value, tuple):
        return f"({', '.join(python_text(one, names) for one in value)}{',' if len(value) == 1 else ''})"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(python_text(one, names) for one in value)}]"
    return repr(value)
