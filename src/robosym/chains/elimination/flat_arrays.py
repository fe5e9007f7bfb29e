"""Flat arrays of numbers, parts of which are views: what arrays of C are."""

from __future__ import annotations

from array import array
from typing import TypeAlias

__all__ = ["Doubles", "Integers", "doubles", "integers"]

Doubles: TypeAlias = "memoryview[float]"
Integers: TypeAlias = "memoryview[int]"


def doubles(size: int) -> Doubles:
    """An array of zeros."""
    return memoryview(array("d", bytes(8 * size))).cast("B").cast("d")


def integers(size: int) -> Integers:
    """An array of zeros."""
    return memoryview(array("i", bytes(4 * size))).cast("B").cast("i")
