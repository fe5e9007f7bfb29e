"""A table of a draft as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from robosym.errors import InputError

__all__ = ["Grid", "GridColumn"]

_GREEK = {"gamma": "γ", "alpha": "α", "theta": "θ", "sigma": "σ", "mu": "μ", "eta": "η"}


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


@dataclass
class Grid:
    """A table: columns, the label of each row, and how a cell is read and written in the draft."""

    key: str  #: "frames", "leg2.links", "gravity" ..
    title: str
    about: str
    columns: tuple[GridColumn, ...]
    labels: list[str]
    read: Callable[[int, str], str]
    write: Callable[[int, str, str], None]
    chain: str | None = None  #: the key of the chain whose frames its rows are, if they are
    frames: list[int] = field(default_factory=list)  #: the number in its chain of each row's frame
    locked: Callable[[int, str], str] = lambda row, column: ""  #: why a cell cannot be edited, if it cannot
    form: str = ""  #: of links: whether their inertia is shown at the "frame" or at the "centre"

    def column(self, key: str) -> GridColumn:
        for column in self.columns:
            if column.key == key:
                return column
        raise InputError(f"{self.key} has no column {key!r}")
