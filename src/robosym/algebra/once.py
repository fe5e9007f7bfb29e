"""Properties that are worked out once, and dictionaries that do not change: the fields of immutable objects."""

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
        """Without the lock that it has before Python 3.12, one for all objects.

        In a process that is forked while another thread holds it, nobody would ever let go of it.
        """

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self.lock = nullcontext()


Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A `dict` without the methods that change one; `dict(frozen)` gives a copy that can be changed."""

    __slots__ = ()

    def _unchangeable(self, *arguments: object, **keywords: object) -> NoReturn:
        raise TypeError("this mapping belongs to an immutable object: make a copy with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _unchangeable
    clear = pop = popitem = setdefault = update = _unchangeable

    def __copy__(self) -> FrozenDict[Key, Value]:
        return self

    def __reduce__(self) -> tuple[type[FrozenDict[Key, Value]], tuple[dict[Key, Value]]]:
        return type(self), (dict(self),)
