"""A dictionary that cannot be changed, for the fields of immutable objects; it can be pickled and copied."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

__all__ = ["FrozenDict"]

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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)
