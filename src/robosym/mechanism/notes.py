"""How an algorithm names what it computes: `note("W", 3, w)` names the components W13, W23, W33."""

from __future__ import annotations

from typing import Protocol, TypeVar

__all__ = ["Note", "no_name"]

Value = TypeVar("Value")


class Note(Protocol):
    """Gives the value of index j its name and passes it on."""

    def __call__(self, prefix: str, j: int, value: Value, /) -> Value: ...


def no_name(prefix: str, j: int, value: Value, /) -> Value:
    """For numbers: nothing to name."""
    return value
