"""How far a reader has to walk: the files that work passes through, the size of the source, and the time to start.

A file counts where a function of it runs between the text of a description and the result: first all of them, then
those of the subject, that is without reading the text (`formats`) and without the tools that serve every subject
(`algebra`). `--names` prints them. Lines of source are those that are neither blank nor a comment alone.
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
    """The modules of robosym a function of which runs in the job."""
    for module in pkgutil.walk_packages(rs.__path__, "robosym."):  # what an import runs is not the job's
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
    """Lines of the source, without those that are blank or a comment."""
    texts = [path.read_text(encoding="utf-8") for path in Path(rs.__file__).parent.rglob("*.py")]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _printed(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def import_seconds() -> float:
    """Of `import robosym`, in a fresh interpreter."""
    return statistics.median(float(_printed(_IMPORT)) for _ in range(_REPEATS))


def help_seconds() -> float:
    """Of `robosym --help`, the interpreter's own start included."""
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
    print_table("Rooms", rows)


if __name__ == "__main__":
    main()
