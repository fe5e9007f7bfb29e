"""Calls of public functions as data, which run in this process or in a worker and print themselves as Python.

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
from robosym.errors import Error, FormatError, InputError, PathPart

__all__ = ["Call", "Presented", "named", "program_lines", "python_text", "without_defaults"]

_NO_FRAME = "E411"


class Call:
    """The call `name(*arguments, **keywords)` of a public name of `robosym` or of a method of another call's result."""

    of: Call | None = None  #: the call whose result has the method
    option: str = ""  #: the option or argument that asks for this call, which its errors name
    resolve: Callable[[], Callable[..., Any]] | None = None  #: returns the function if it is not a public name
    hidden: Mapping[str, object] = MappingProxyType({})  #: keywords that are passed and not printed

    def __init__(self, name: str, /, *arguments: object, **keywords: object) -> None:
        self.name, self.arguments = name, arguments
        self._keywords = {name: value for name, value in keywords.items() if value is not None}

    @cached_property
    def keywords(self) -> Mapping[str, object]:
        """Keyword arguments; those that are None or the default of a function are left out."""
        return self._keywords if self.of is not None else without_defaults(self._function(), self._keywords)

    def found_by(self, resolve: Callable[[], Callable[..., Any]] | None) -> Call:
        """Set how the function is found, and return the call."""
        self.resolve = resolve
        return self

    def asked_by(self, option: str) -> Call:
        """Set the option or argument that errors name, and return the call."""
        self.option = option
        return self

    def known(self, value: object) -> Call:
        """Set the value of a call that need not run, and return the call."""
        self.__dict__["value"] = value
        return self

    def then(self, name: str, /, *arguments: object, **keywords: object) -> Call:
        """Return the call of a method of the result."""
        made = Call(name, *arguments, **keywords)
        made.of = self
        return made

    def part(self, name: str) -> Call:
        """Return an attribute of the result."""
        made = Attribute(name)
        made.of = self
        return made

    @cached_property
    def value(self) -> Any:
        """Result of the call, which runs once."""
        function = self._function()
        given = [_value(argument) for argument in self.arguments]
        keywords = {name: _named_value(name, argument) for name, argument in self.keywords.items()}
        try:
            return function(*given, **keywords, **self.hidden)
        except Error as error:
            raise named(error, self._asked_for(error, keywords)) from None

    def _function(self) -> Callable[..., Any]:
        if self.of is None:
            found: Callable[..., Any] = self.resolve() if self.resolve else attrgetter(self.name)(rs)
            return found
        try:
            found = attrgetter(self.name)(self.of.value)
        except AttributeError:
            message = f"the result for this robot has no {self.name}"
            asked = (PathPart(self.option),) if self.option else ()
            raise InputError(message, path=asked, code="E405") from None
        return found

    def _asked_for(self, error: Error, keywords: Mapping[str, object]) -> str:
        """Return the option of an error of the call: that of a method, of the file that is read, or of a frame."""
        option = self.option if self.of is not None else ""
        found = error.file if isinstance(error, FormatError) else error.found if error.code == _NO_FRAME else ""
        if found:
            holders = [name for name, given in keywords.items() if str(given) == found]
            option = holders[0] if holders else self.option
        return option

    def _inside(self) -> Iterator[Call]:
        """Yield this call and the calls among its arguments, each as often as it occurs."""
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
    """An attribute of the result of a call."""

    @cached_property
    def value(self) -> Any:
        return self._function()

    def python(self, names: Mapping[Call, str]) -> str:
        assert self.of is not None
        return f"{self.of.python(names)}.{self.name}"


class Presented(Call):
    """A call whose result is shown in another form; its Python text is that of the call."""

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


def named(error: Error, option: str) -> Error:
    """Return an error that names the option or argument that caused it."""
    return error.within(PathPart(option)) if option and error.path[:1] != (PathPart(option),) else error


def _named_value(name: str, argument: object) -> object:
    """Return the value of an argument; an error of a call in it names the argument."""
    try:
        return _value(argument)
    except Error as error:
        raise named(error, name) from None


def _value(argument: object) -> object:
    """Return an argument with the calls in it replaced by their results."""
    if isinstance(argument, Call):
        return argument.value
    if isinstance(argument, dict):
        return {key: _value(one) for key, one in argument.items()}
    if isinstance(argument, list | tuple):
        return type(argument)(map(_value, argument))
    return argument


def without_defaults(function: Callable[..., Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords whose values differ from the defaults of the function."""
    own = signature(function).parameters
    plain = (str, int, float, tuple, type(None))
    return {
        name: value
        for name, value in keywords.items()
        if not (name in own and isinstance(value, plain) and own[name].default == value)
    }


# ------------------------------------------------------------------------------------------------------ as Python


def program_lines(call: Call, robot: Call | None = None) -> tuple[list[str], str]:
    """Return the preceding lines and the expression; a robot that occurs several times gets a variable."""
    if robot is None or Counter(call._inside())[robot] < 2:
        return [], call.python({})
    return [f"robot = {robot.python({})}"], call.python({robot: "robot"})


def python_text(value: object, names: Mapping[Call, str] | None = None) -> str:
    """Return a value as Python source text."""
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
