"""Cached properties and read-only dictionaries for immutable objects."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

__all__ = ["FrozenDict", "cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:
    import functools
    from contextlib import nullcontext

    class cached_property(functools.cached_property):
        """Compute the value without the lock that `functools.cached_property` shares before Python 3.12.

        If a process forks while another thread holds the lock, the lock is never released in the child.
        """

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self.lock = nullcontext()


Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A read-only `dict`; `dict(frozen)` returns a mutable copy."""

    __slots__ = ()

    def _unchangeable(self, *arguments: object, **keywords: object) -> NoReturn:
        raise TypeError("this mapping is read-only: make a copy with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _unchangeable
    clear = pop = popitem = setdefault = update = _unchangeable

    def __copy__(self) -> FrozenDict[Key, Value]:
        return self

    def __reduce__(self) -> tuple[type[FrozenDict[Key, Value]], tuple[dict[Key, Value]]]:
        return type(self), (dict(self),)
