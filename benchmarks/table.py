"""Prints what was measured beside its bar, and on what machine."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Row", "print_machine", "print_table", "spread_of"]

#: packages whose versions bear on what is measured
_PACKAGES = ("numpy", "llvmlite", "pin", "casadi", "jax", "mujoco")


@dataclass(frozen=True)
class Row:
    """A figure; it passes at or below its bar (`at_least=False`), or at or above it."""

    what: str
    measured: float
    bar: float
    at_least: bool = False
    spread: tuple[float, float] | None = None  #: between which most of the runs lie

    @property
    def passes(self) -> bool:
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar


def spread_of(values: Sequence[float]) -> tuple[float, float]:
    """Between which eight of ten values lie."""
    tenths = statistics.quantiles(values, n=10)
    return tenths[0], tenths[-1]


@cache
def print_machine() -> None:
    """The processor, how busy it is, and versions; once."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    found = [f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    print(f"{processor}, {os.cpu_count()} cores, {platform.system()}, {load}; {', '.join(found)}\n")


def print_table(title: str, rows: list[Row]) -> None:
    print_machine()
    table = Table(
        "what", "measured", "most runs", "bar", "", title=title, title_justify="left", box=None, pad_edge=False
    )
    for row in rows:
        sign = ">=" if row.at_least else "<="
        verdict = "ok" if row.passes else "FALLS SHORT"
        between = "" if row.spread is None else f"{row.spread[0]:.3g} to {row.spread[1]:.3g}"
        table.add_row(escape(row.what), f"{row.measured:.4g}", between, f"{sign} {row.bar:g}", verdict)
    Console(width=120).print(table)
