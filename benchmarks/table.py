"""Print measured figures with their targets and the machine, and record them for `benchmarks/run.py`."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["FIGURES", "Row", "machine", "note", "print_machine", "print_table", "spread_of"]

#: environment variable with the file to which figures are written, one per line
FIGURES = "ROBOSYM_FIGURES"

#: packages whose versions affect the figures
_PACKAGES = (
    "numpy",
    "llvmlite",
    "sympy",
    "pin",
    "casadi",
    "jax",
    "mujoco",
    "eaik",
    "ssik",
    "roboticstoolbox-python",
    "figaroh",
)


@dataclass(frozen=True)
class Row:
    """A figure and its bar: an upper limit, or a lower limit with `at_least=True`."""

    what: str
    measured: float
    bar: float
    at_least: bool = False
    spread: tuple[float, float] | None = None  #: range of most runs
    key: str = ""  #: name of the figure in the documentation if `what` contains measured numbers

    @property
    def passes(self) -> bool:
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar


def spread_of(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of the middle 80 % of the values."""
    tenths = statistics.quantiles(values, n=10)
    return tenths[0], tenths[-1]


def note(what: str, measured: float, key: str = "", table: str = "") -> None:
    """Record a figure without a bar, for the documentation."""
    _record(
        {
            "table": table,
            "key": key or what.strip(),
            "what": what.strip(),
            "value": float(measured),
            "unit": _unit(what),
        }
    )


def _record(figure: dict[str, object]) -> None:
    path = os.environ.get(FIGURES)
    if path:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(figure, ensure_ascii=False) + "\n")


def _unit(text: str) -> str:
    """Return the last unit that occurs in the text of a row; "" for counts and ratios."""
    names = {"microseconds": "us", "nanoseconds": "ns", "seconds": "s", "milliseconds": "ms", "µs": "us"}
    words = r"ns|us|µs|ms|s|MB|GB|microseconds|nanoseconds|milliseconds|seconds"
    found = re.findall(rf"(?<![\w'’])(?:{words})\b|%", text)  # the s of a genitive is not a unit
    return names.get(found[-1], found[-1]) if found else ""


def machine() -> str:
    """Return the processor and the versions of Python and packages."""
    return _described().replace("; ", ", ")


@cache
def print_machine() -> None:
    """Print the processor, its load, and versions, once per process."""
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    print(f"{_described()}; {load}\n")


def _described() -> str:
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    found = [f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}; {', '.join(found)}"


def print_table(title: str, rows: list[Row]) -> None:
    print_machine()
    table = Table(
        "what", "measured", "most runs", "bar", "", title=title, title_justify="left", box=None, pad_edge=False
    )
    for row in rows:
        _record(
            {
                "table": title, "key": row.key or row.what.strip(), "what": row.what.strip(),
                "value": float(row.measured),
                "unit": _unit(f"{title}, {row.what}"), "bar": float(row.bar), "at_least": row.at_least,
                "spread": None if row.spread is None else list(map(float, row.spread)), "passes": bool(row.passes),
            }
        )  # fmt: skip
        sign = ">=" if row.at_least else "<="
        verdict = "ok" if row.passes else "MISSES THE BAR"
        between = "" if row.spread is None else f"{row.spread[0]:.3g} to {row.spread[1]:.3g}"
        table.add_row(escape(row.what), f"{row.measured:.4g}", between, f"{sign} {row.bar:g}", verdict)
    Console(width=120).print(table)
