"""A table of a draft as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from robosym.errors import InputError

__all__ = ["Grid", "GridCell", "GridColumn", "GridPlace"]

_GREEK = {"gamma": "γ", "alpha": "α", "theta": "θ", "sigma": "σ", "mu": "μ", "eta": "η"}
_LEFT_OUT = ("limits", "motion", "position")  #: mappings that are left out where they are empty


@dataclass(frozen=True)
class GridColumn:
    """A column: its key, its head (a letter that is set as mathematics where `math`), and what its cells hold."""

    key: str
    kind: str = "expression"  #: expression, angle, integer, number, name, choice
    choices: tuple[tuple[str, str], ...] = ()  #: of a choice: code and word
    usual: str = "0"  #: what an empty cell stands for

    @property
    def head(self) -> str:
        return _GREEK.get(self.key, self.key)

    @property
    def math(self) -> bool:
        return self.key in _GREEK or self.key in ("b", "d", "r", "k")

    def code(self, text: str) -> str:
        """What is typed; the word of a choice stands for its code."""
        return {word: code for code, word in self.choices}.get(text.strip().lower(), text.strip())


@dataclass(frozen=True)
class GridPlace:
    """Where in a draft the text of a cell stands: an entry of a mapping, or one number of a vector in it."""

    owner: dict[str, Any]
    key: str
    index: int | None = None  #: of a vector
    usual: Sequence[str] = "0"  #: what is meant where there is no entry: a text, or the texts of the vector
    stays: bool = False  #: whether what is usual is written, too
    inside: str = ""  #: the mapping of the owner that has the entry, made when it is needed

    def read(self) -> str:
        """The text."""
        value = (self.owner.get(self.inside) or {} if self.inside else self.owner).get(self.key)
        if self.index is None:
            return str(self.usual if value is None else value)
        return str((value or self.usual)[self.index])

    def write(self, text: str) -> None:
        """Another text; what is usual is left out."""
        owner = self.owner.setdefault(self.inside, {}) if self.inside else self.owner
        value: str | list[str] = text.strip()
        usual = value in ("", self.usual)
        if self.index is not None:
            value = list(owner.get(self.key) or self.usual)
            value[self.index] = text.strip() or "0"
            usual = value == list(self.usual)
        if usual and not self.stays:
            owner.pop(self.key, None)
        else:
            owner[self.key] = value
        if not owner and self.inside in _LEFT_OUT:
            del self.owner[self.inside]


class GridCell(NamedTuple):
    """A cell whose text is more than an entry of the draft."""

    read: Callable[[], str]
    write: Callable[[str], None]


@dataclass
class Grid:
    """A table: columns, the label of each row, and where each cell stands in the draft."""

    key: str  #: "frames", "leg2.links", "gravity" ..
    title: str
    about: str
    columns: tuple[GridColumn, ...]
    labels: list[str]
    place: Callable[[int, str], GridPlace | GridCell]  #: of row and column
    chain: str | None = None  #: the key of the chain whose frames its rows are, if they are
    frames: list[int] = field(default_factory=list)  #: the number in its chain of each row's frame
    locked: Callable[[int, str], str] = lambda row, column: ""  #: why a cell cannot be edited, if it cannot
    form: str = ""  #: of links: whether their inertia is shown at the "frame" or at the "centre"

    def read(self, row: int, column: str) -> str:
        """The text of a cell."""
        return self.place(row, column).read()

    def write(self, row: int, column: str, text: str) -> None:
        """Type a text into a cell."""
        self.place(row, column).write(text)

    def column(self, key: str) -> GridColumn:
        for column in self.columns:
            if column.key == key:
                return column
        raise InputError(f"{self.key} has no column {key!r}")
