"""Measure how much of the source a task runs: files per task, size of the source, and start-up time.

A file counts if one of its functions runs between the text of a description and the result. The first count includes
all files; the second leaves out reading the text (`formats`) and the general tools (`algebra`). `--names` prints the
files. Lines of source exclude blank lines and lines with only a comment.
"""

from __future__ import annotations

import importlib
import pkgutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from table import Row, print_table

import robosym as rs

_REPEATS = 5
_HELP = "import sys; sys.argv = ['robosym', '--help']; from robosym.app.cli.main import main; main()"
_IMPORT = "import time; start = time.perf_counter(); import robosym; print(time.perf_counter() - start)"


def files_passed(job: Callable[[], object]) -> set[str]:
    """Return the modules of robosym whose functions run in `job`."""
    for module in pkgutil.walk_packages(rs.__path__, "robosym."):  # imports do not count
        importlib.import_module(module.name)
    passed: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("robosym."):
            passed.add(name.removeprefix("robosym."))

    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(None)
    return passed


def code_lines() -> int:
    """Return the number of lines that are neither blank nor only a comment."""
    texts = [path.read_text(encoding="utf-8") for path in Path(rs.__file__).parent.rglob("*.py")]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _printed(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def import_seconds() -> float:
    """Return the time of `import robosym` in a new interpreter."""
    return statistics.median(float(_printed(_IMPORT)) for _ in range(_REPEATS))


def help_seconds() -> float:
    """Return the time of `robosym --help`, including the start of the interpreter."""
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        _printed(_HELP)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    jobs: list[tuple[str, float, Callable[[], object]]] = [
        ("inverse_geometry(rx90)", 16, lambda: rs.inverse_geometry(rs.load("rx90"))),
        ("inverse_dynamics(sr400)", 24, lambda: rs.inverse_dynamics(rs.load("sr400"))),
        ("base_parameters(sr400, numeric)", 22, lambda: rs.base_parameters(rs.load("sr400"), method="numeric")),
    ]
    rows = []
    for name, bar, job in jobs:
        passed = sorted(files_passed(job))
        subject = [file for file in passed if file.split(".")[0] not in ("algebra", "formats")]
        rows += [
            Row(f"files passed by {name}", len(passed), bar),
            Row("  without formats and algebra", len(subject), bar),
        ]
        if "--names" in sys.argv:
            print(f"{name}: {' '.join(passed)}")
    rows += [
        Row("thousand lines of src", code_lines() / 1000, 16),
        Row("s to import robosym", import_seconds(), 0.25),
        Row("s for robosym --help", help_seconds(), 0.5),
    ]
    print_table("Packages", rows)


if __name__ == "__main__":
    main()
