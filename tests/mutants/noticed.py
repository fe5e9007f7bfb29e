"""Tests that execute a line, and their durations, measured once by coverage and stored in build/mutants/."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path

USUAL = 0.3  #: default duration of a test in s
_MACHINE = {"chains/elimination/": "solve/general.py"}  #: files that run as machine code, and their callers
_TIME = re.compile(r"^([\d.]+)s (?:call|setup)\s+(\S.*)$")


def measure(root: Path, folder: Path, packages: Iterable[str], tests: Iterable[str], name: str = "lines") -> None:
    """Run these tests once with coverage of these packages; measurements under other names are preserved."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "coverage.ini"
    settings.write_text("[run]\ninclude =\n" + "".join(f"    {root}/src/robosym/{package}/*\n" for package in packages))
    watched = [f"--cov-config={settings}", "--cov", "--cov-context=test", "--cov-report="]
    command = [
        sys.executable, "-m", "pytest", "-o", "addopts=", "-q", "-p", "no:cacheprovider", "-m", "not long", *watched,
        "-n2", "--dist=worksteal", "--durations=0", "--durations-min=0", *tests,
    ]  # fmt: skip
    environment = {**os.environ, "COVERAGE_FILE": str(folder / f"{name}.coverage"), "PYTHONPATH": str(root / "src")}
    with open(folder / f"{name}.log", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)


class Noticed:
    """Tests by file and line."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.seconds: dict[str, float] = defaultdict(float)
        for log in folder.glob("*.log"):
            times: defaultdict[str, float] = defaultdict(float)
            for line in log.read_text(encoding="utf-8").splitlines():
                found = _TIME.match(line)
                if found:
                    times[found[2]] += float(found[1])
            self.seconds |= times
        self._passing: dict[tuple[str, int], set[str]] = defaultdict(set)
        for data in folder.glob("*.coverage"):
            self._read(data)

    def _read(self, data: Path) -> None:
        with sqlite3.connect(data) as store:
            contexts = dict(store.execute("select id, context from context"))
            files = dict(store.execute("select id, path from file"))
            for file, context, bits in store.execute("select file_id, context_id, numbits from line_bits"):
                test = contexts[context].split("|")[0]
                if not test:
                    continue
                name = files[file].split("/src/robosym/")[-1]
                for at, byte in enumerate(bits):
                    for bit in range(8):
                        if byte >> bit & 1:
                            self._passing[name, 8 * at + bit].add(test)

    def of(self, path: Path, first: int, last: int, budget: float, there: Collection[str] | None = None) -> list[str]:
        """Return tests that execute one of these lines, up to `budget` s: tests of the package and fast ones first."""
        name = str(path).split("/src/robosym/")[-1]
        package = name.split("/")[0]
        known = {test for line in range(first, last + 1) for test in self._passing.get((name, line), ())}
        for folder, caller in _MACHINE.items():
            if name.startswith(folder):
                known.update(*(tests for (file, _), tests in self._passing.items() if file == caller))
        known = known if there is None else known & set(there)  # measured tests may no longer exist
        seen: Counter[str] = Counter()

        def order(test: str) -> tuple[bool, int, float]:
            file = test.split("::")[0]
            seen[file] += 1
            return file.split("/")[1] != package, seen[file], self.seconds.get(test, USUAL)

        quick = sorted(known, key=lambda test: (self.seconds.get(test, USUAL), test))
        chosen, total = [], 0.0
        for test in sorted(quick, key=order):
            needed = self.seconds.get(test, USUAL) + 0.01
            if not chosen or total + needed <= budget:
                total += needed
                chosen.append(test)
        return chosen
