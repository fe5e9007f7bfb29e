"""Prints what was measured beside its bar."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Row", "print_table"]


@dataclass(frozen=True)
class Row:
    """A figure; it passes at or below its bar (`at_least=False`), or at or above it."""

    what: str
    measured: float
    bar: float
    at_least: bool = False

    @property
    def passes(self) -> bool:
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar


def print_table(title: str, rows: list[Row]) -> None:
    table = Table("what", "measured", "bar", "", title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        sign = ">=" if row.at_least else "<="
        verdict = "ok" if row.passes else "FALLS SHORT"
        table.add_row(escape(row.what), f"{row.measured:.4g}", f"{sign} {row.bar:g}", verdict)
    Console(width=110).print(table)
