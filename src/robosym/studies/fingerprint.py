"""Digest of everything that a result depends on: code, closures, bound arguments, values.

Two studies with the same digest compute the same results, so that stored results can be reused. A function is
identified by its compiled code, its defaults, the values it closes over, and the global names it uses: functions,
classes and modules of the user by content, those of installed packages by name. An object whose content Python cannot
determine has no digest, and its results are not stored.
"""

from __future__ import annotations

import copyreg
import hashlib
import os
import struct
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra import to_text
from robosym.errors import InputError
from robosym.mechanism import Robot

__all__ = ["fingerprint"]

#: folders of installed code, which is identified by name
_INSTALLED = tuple(
    os.path.realpath(path or "") + os.sep
    for path in (
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        str(Path(__file__).parents[1]),
    )
)


def fingerprint(*values: object) -> str:
    """Return the digest of values as text; raise an error if a value has none."""
    digest = _Digest()
    digest.take((import_module("robosym").__version__, *values))
    return digest.text


class _Digest:
    """Digest of a sequence of values; a repeated value is identified by its number, which ends cycles."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        # stores the object too, because its id is unique only while it exists
        self._known: dict[int, tuple[int, object]] = {}

    @property
    def text(self) -> str:
        return self._hash.hexdigest()

    def take(self, value: object) -> None:
        if value is None or (isinstance(value, (bool, int, complex, str)) and type(value).__module__ == "builtins"):
            self._note(type(value).__name__, repr(value).encode())
        elif type(value) is float:
            self._note("float", struct.pack("<d", value))
        elif isinstance(value, (bytes, bytearray)) and type(value).__module__ == "builtins":
            self._note("bytes", bytes(value))
        elif id(value) in self._known:
            self._note("known", b"%d" % self._known[id(value)][0])
        else:
            self._known[id(value)] = (len(self._known), value)
            self._take_new(value)

    def _note(self, kind: str, data: bytes = b"") -> None:
        self._hash.update(f"{kind} {len(data)}:".encode() + data)

    def _all(self, kind: str, values: Iterable[object]) -> None:
        self._note(kind)
        for value in values:
            self.take(value)
        self._note("end")

    def _take_new(self, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.dtype != object:
            self._note("array", repr((value.dtype.str, value.shape)).encode() + value.tobytes())
        elif isinstance(value, (list, tuple)) and type(value).__module__ == "builtins":
            self._all(type(value).__name__, value)
        elif type(value) is dict:
            self._all("dict", (part for item in value.items() for part in item))
        elif isinstance(value, (set, frozenset)):  # their order differs between processes
            self._all("set", sorted(fingerprint(part) for part in value))
        elif isinstance(value, partial):
            self._all("partial", (value.func, value.args, value.keywords))
        elif isinstance(value, types.MethodType):
            self._all("method", (value.__func__, value.__self__))
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, types.CellType):
            self._all("cell", _contents(value))
        elif isinstance(value, (types.FunctionType, type, types.ModuleType)) and not _installed(value):
            self._own(value)
        elif isinstance(value, types.ModuleType):
            self._note("module", value.__name__.encode())
        elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            self._named(value)
        else:
            self._object(value)

    def _named(self, value: Any) -> None:
        """Add a function or class of an installed package."""
        owner = getattr(value, "__self__", None)
        self._note("name", f"{value.__module__}.{value.__qualname__}".encode())
        # a method of a built-in type, such as [].count
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.take(owner)

    def _own(self, value: Any) -> None:
        """Add a function, class or module of the user."""
        if isinstance(value, types.ModuleType):
            file = getattr(value, "__file__", None)
            self._note("module", Path(file).read_bytes() if file else value.__name__.encode())
        elif isinstance(value, types.FunctionType):
            names = _names(value.__code__)
            used = {name: value.__globals__[name] for name in names if name in value.__globals__}
            parts = (value.__code__, value.__defaults__, value.__kwdefaults__, value.__closure__, used)
            self._all("function", (*parts, *_of_modules(used.values(), names)))
        else:
            own = {name: part for name, part in vars(value).items() if name not in _BOOKKEEPING}
            self._all(
                "class", (value.__qualname__, value.__bases__, {name: _plain(part) for name, part in own.items()})
            )

    def _code(self, code: types.CodeType) -> None:
        self._all("code", (code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars))

    def _object(self, value: Any) -> None:
        """Add any other object by the content that pickle stores."""
        if isinstance(value, Robot):  # identified by its description; files do not contain a transmission
            self._note("robot", value.in_joints().dumps("yaml").encode())
            if value.transmission is not None:
                self._all("transmission", [f"{name} = {to_text(e)}" for name, e in value.transmission.entries()])
            return
        try:
            reducer = copyreg.dispatch_table.get(type(value))
            reduced = reducer(value) if reducer is not None else value.__reduce_ex__(4)
        except Exception:
            what = f"{type(value).__module__}.{type(value).__qualname__}"
            raise InputError(
                f"path: expected values that can be compared with those of an earlier study, found an object of "
                f"{what}, which cannot be pickled: leave out path, or pass the data of the object"
            ) from None
        parts: list[Any] = [reduced] if isinstance(reduced, str) else list(reduced)
        parts[3:5] = [part if part is None else list(part) for part in parts[3:5]]
        self._all("object", (type(value), *parts))


#: attributes of a class that describe its location, not its behavior
_BOOKKEEPING = {"__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__"}


def _plain(part: Any) -> Any:
    """Return the function behind a descriptor of a class."""
    if isinstance(part, (staticmethod, classmethod)):
        return part.__func__
    if isinstance(part, property):
        return (part.fget, part.fset, part.fdel)
    return part


def _contents(cell: types.CellType) -> tuple[object, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # empty cell
        return ()


def _names(code: types.CodeType) -> list[str]:
    """Return the global names that a function and its inner functions may use."""
    inner = [name for const in code.co_consts if isinstance(const, types.CodeType) for name in _names(const)]
    return sorted({*code.co_names, *inner})


def _of_modules(values: Iterable[object], names: Iterable[str]) -> list[tuple[str, object]]:
    """Return the values that code with these names finds in modules of the user.

    `settings.K` may differ from the file of the module, and a function of a module uses further modules.
    """
    wanted, found = set(names), []
    modules = [value for value in values if isinstance(value, types.ModuleType) and not _installed(value)]
    for module in modules:  # the list grows by modules in packages
        for name in sorted(wanted & vars(module).keys()):
            part = vars(module)[name]
            found.append((f"{module.__name__}.{name}", part))
            if isinstance(part, types.ModuleType) and not _installed(part) and part not in modules:
                modules.append(part)
    return found


def _installed(value: Callable[..., Any] | types.ModuleType) -> bool:
    """Return whether a function, class or module belongs to Python, an installed package, or robosym."""
    if isinstance(value, types.FunctionType):
        file: str = value.__code__.co_filename
    else:
        name = value.__name__ if isinstance(value, types.ModuleType) else value.__module__
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if not file:
            return name != "__main__"  # built-in; code typed at the prompt has no file
    return file.startswith("<frozen ") or os.path.realpath(file).startswith(_INSTALLED)
