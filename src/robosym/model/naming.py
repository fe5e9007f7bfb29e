"""Names of the variables that an algorithm computes, their order, and the layout of output groups."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Union

from robosym.algebra import Expr
from robosym.spatial import Mat3, Vec3

__all__ = ["Definitions", "Layout", "entry_name", "flat", "shape"]

#: The names of an output group: a vector's, or a matrix's row by row.
Layout = Union[tuple[str, ...], tuple[tuple[str, ...], ...]]


class Definitions(Mapping[str, Expr]):
    """Named variables in the order in which an algorithm defined them; a redefinition replaces the value.

    Most names belong to components of vectors and matrices, and most users need the outputs only. The names of
    components are therefore created on demand, which saves an eighth of the time and memory of a large model.
    """

    __slots__ = ("_given", "_noted", "_spelled")

    def __init__(self) -> None:
        self._given: dict[str, Expr] = {}  # by complete name
        self._noted: list[Any] = []  # prefix, index, value, prefix, ...; the index is None if the prefix is the name
        self._spelled: dict[str, Expr] = {}

    def define(self, name: str, value: Expr) -> None:
        self._given[name] = value
        self._noted += (name, None, value)

    def note(self, prefix: str, j: int, value: Vec3 | Mat3) -> None:
        """Name the components of a vector X1j X2j X3j, or of a matrix X11j .. X33j."""
        self._noted += (prefix, j, value)

    def copy(self) -> Definitions:
        new = Definitions()
        new._given, new._noted, new._spelled = self._given.copy(), self._noted.copy(), self._spelled.copy()
        return new

    def _all(self) -> dict[str, Expr]:
        noted = self._noted
        if not noted:
            return self._spelled
        names, triples = self._spelled.copy(), iter(noted)
        for prefix, j, value in zip(triples, triples, triples, strict=True):
            if j is None:
                names[prefix] = value
            elif isinstance(value, Vec3):
                names[f"{prefix}1{j}"], names[f"{prefix}2{j}"], names[f"{prefix}3{j}"] = value
            else:
                for i, row in enumerate(value.rows, 1):
                    names[f"{prefix}{i}1{j}"], names[f"{prefix}{i}2{j}"], names[f"{prefix}{i}3{j}"] = row
        self._spelled, self._noted = names, []  # in this order, because another thread may read them
        return names

    def __getitem__(self, name: str) -> Expr:
        found = self._given.get(name)
        return self._all()[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def keys(self) -> KeysView[str]:
        return self._all().keys()

    def values(self) -> ValuesView[Expr]:
        return self._all().values()

    def items(self) -> ItemsView[str, Expr]:
        return self._all().items()


def entry_name(letter: str, *indices: int | str) -> str:
    """Return A12 for A(1,2) of the guide, B112 for B(1,1,2), A1_12 if an index has two digits, CW1_2 for a name."""
    parts = [str(index) for index in indices]
    return letter + ("_" if max(map(len, parts)) > 1 else "").join(parts)


def flat(layout: Layout) -> Iterator[str]:
    """Yield the names of a group, a matrix row by row."""
    for entry in layout:
        if isinstance(entry, str):
            yield entry
        else:
            yield from entry


def shape(layout: Layout) -> tuple[int, ...]:
    """Return (n,) for a vector group and (rows, columns) for a matrix group."""
    first = layout[0] if layout else ""
    return (len(layout),) if isinstance(first, str) else (len(layout), len(first))
