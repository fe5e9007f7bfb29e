"""The guide's names for what an algorithm computes: `note("W", 3, w)` names the components W13, W23, W33."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from robosym.algebra import Expr
from robosym.spatial import Mat3, Vec3

__all__ = ["Note", "by_component", "entry_name", "no_name"]

Value = TypeVar("Value")


class Note(Protocol):
    """Gives the value of index j its name and passes it on."""

    def __call__(self, prefix: str, j: int, value: Value, /) -> Value: ...


def no_name(prefix: str, j: int, value: Value, /) -> Value:
    """For numbers: nothing to name."""
    return value


def by_component(define: Callable[[str, Expr], Expr]) -> Note:
    """Names components: a vector's X1j X2j X3j, a matrix's X11j .. X33j, a scalar's Xj."""

    def note(prefix: str, j: int, value: Any) -> Any:
        if isinstance(value, Vec3):
            return Vec3(*(define(f"{prefix}{i}{j}", component) for i, component in enumerate(value, 1)))
        if isinstance(value, Mat3):
            return Mat3.of(*(define(f"{prefix}{1 + i // 3}{1 + i % 3}{j}", c) for i, c in enumerate(value)))
        return define(f"{prefix}{j}", value)

    return note


def entry_name(letter: str, *indices: int) -> str:
    """A12 for the guide's A(1,2), B112 for B(1,1,2); A1_12 where an index has two digits."""
    parts = [str(index) for index in indices]
    return letter + ("_" if max(indices) > 9 else "").join(parts)
