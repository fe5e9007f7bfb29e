"""The layout of an output group: the names of a vector, or of a matrix row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

__all__ = ["Layout", "flat", "shape"]

#: The names of an output group: a vector's, or a matrix's row by row.
Layout = Union[tuple[str, ...], tuple[tuple[str, ...], ...]]


def flat(layout: Layout) -> Iterator[str]:
    """The names of a group one after the other, a matrix row by row."""
    for entry in layout:
        if isinstance(entry, str):
            yield entry
        else:
            yield from entry


def shape(layout: Layout) -> tuple[int, ...]:
    """(n,) of a vector group, (rows, columns) of a matrix group."""
    first = layout[0] if layout else ""
    return (len(layout),) if isinstance(first, str) else (len(layout), len(first))
