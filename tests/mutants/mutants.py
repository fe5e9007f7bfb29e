"""Mutation testing: a sample of faults, each in a separate process, with the tests that execute its line.

    python -m mutants.mutants [--sample N] [--seed WORD] [--package NAME] [--part K/N] [--again]

The faults are inserted into copies of the tree under build/mutants/, never into the tree itself. A fault is detected if
a test fails, cannot be collected, or takes much longer than without it. A fault that no test detects needs a new test,
or a line in answered.txt that explains why it makes no difference.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import gc
import importlib.abc
import importlib.machinery
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from mutants.changes import Mutant, mutants, places
from mutants.noticed import USUAL, Noticed, measure

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "mutants"
ANSWERED = Path(__file__).parent / "answered.txt"
PACKAGES = ("mechanism", "chains", "coordinates", "solve", "kinematics", "dynamics", "parameters", "optimizer",
         "simulation", "control", "experiment", "studies", "app/menus", "formats")  # fmt: skip
TESTS = ("mechanism", "chains", "coordinates", "solve", "kinematics", "dynamics", "parameters", "optimizer", "golden",
         "simulation", "control", "experiment", "studies", "app/menus", "app/cli", "formats")  # fmt: skip
BAR = 0.9
FIRST, MORE, ALL = 3.0, 20.0, 200.0  #: duration of the tests in s: first stage, and later stages if no test fails
_PATIENCE, _START = 4.0, 30.0  #: time limit of a fault: factor, and s for the start
_HEAVY = ("numpy", "pytest", "hypothesis", "sympy", "pinocchio", "mujoco", "llvmlite.binding", "scipy.optimize")
_OPTIONS = ["-q", "-o", "addopts=", "-m", "not long", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
NOTICED, PASSED, WRONG = "noticed", "passed", "wrong"


def sample(seed: str, count: int, packages: Sequence[str] = PACKAGES) -> list[Mutant]:
    """Draw the same number of faults from every package by a seed, at most one per line.

    A change elsewhere in a package does not change the other faults.
    """
    found = []
    for at, package in enumerate(packages):
        files = sorted((ROOT / "src" / "robosym" / package).rglob("*.py"))
        known = [(path, *place) for path in files for place in _numbered(path)]
        known.sort(key=lambda place: sha256(f"{seed} {place[0].relative_to(ROOT)} {place[-1]}".encode()).digest())
        wanted = count // len(packages) + (at < count % len(packages))
        lines: set[tuple[Path, int]] = set()
        for path, number, line, _ in known:
            if len(lines) < wanted and (path, line) not in lines:
                lines.add((path, line))
                found += mutants(path, {number})
    return found


@cache
def _numbered(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Return number, line, and text of each place; the text ends with a count to distinguish equal lines."""
    lines, seen, found = path.read_text(encoding="utf-8").splitlines(), Counter[str](), []
    for number, place in enumerate(places(path)):
        line = place.statement.lineno
        text = lines[line - 1].strip()
        seen[text] += 1
        found.append((number, line, f"{text} {seen[text]}"))
    return tuple(found)


class Copy:
    """A copy of sources and tests, in which one file at a time has a fault.

    On the fast path, everything is imported once, and a forked process replaces the code of the functions of the
    file. On the slow path, a process imports everything again: this also covers constants, defaults of arguments,
    objects that tests create at import, and functions that are compiled from their text.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder
        shutil.rmtree(folder, ignore_errors=True)
        unwanted = shutil.ignore_patterns("__pycache__")
        for name in ("src", "tests", "benchmarks", "examples", "docs", "tools"):
            shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
        for path in (*ROOT.glob("*.*"), ROOT / "Makefile", ROOT / "LICENSE"):
            if path.is_file():
                shutil.copy(path, folder)
        compileall.compile_dir(str(folder / "src"), quiet=2)
        for name in _HEAVY:  # once, before forking
            __import__(name)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = str(folder / "src")
        sys.path[:0] = [str(folder / "src"), str(folder / "tests")]
        self._anew = _Anew(folder)

    def load(self, tests: Iterable[str]) -> None:
        """Import the package and the tests."""
        import pytest

        keep = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        pytest.main([*_OPTIONS, "--collect-only", *tests], plugins=[self])
        os.dup2(keep, 1)
        gc.unfreeze()  # frozen objects would not be found when code is replaced

    def pytest_collection_finish(self, session: Any) -> None:
        self.known = {item.nodeid for item in session.items}

    def quick(self, mutant: Mutant, tests: Sequence[str], seconds: float) -> str:
        code = compile(mutant.tree(), str(self.root / mutant.path.relative_to(ROOT)), "exec")
        return _split(partial(_with_code, code), tests, seconds)

    def whole(self, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> str:
        return self._anew.ask((mutant, tests, seconds))


class _Anew:
    """A process that has not imported the package, and forks others that do."""

    def __init__(self, root: Path) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        if not os.fork():
            self._pipe.close()  # so that the parent's exit is detected
            while True:
                try:
                    mutant, tests, seconds = theirs.recv()
                except EOFError:
                    os._exit(0)
                theirs.send(self._outcome(root, mutant, tests, seconds))
        theirs.close()

    def ask(self, question: tuple[Mutant | None, Sequence[str], float]) -> str:
        self._pipe.send(question)
        return str(self._pipe.recv())

    def _outcome(self, root: Path, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> str:
        if mutant is None:
            return _split(lambda: None, tests, seconds)
        path = root / mutant.path.relative_to(ROOT)
        text, changed = path.read_text(encoding="utf-8"), ast.unparse(mutant.tree())
        try:
            path.write_text(changed, encoding="utf-8")
            return _split(lambda: sys.meta_path.insert(0, _Changed(path, changed)), tests, seconds)
        finally:
            path.write_text(text, encoding="utf-8")


def _split(change: Callable[[], object], tests: Sequence[str], seconds: float) -> str:
    """Apply a change in a forked process, run the tests, and return the outcome."""
    child = os.fork()
    if not child:
        code = 4
        try:
            limit = int(_PATIENCE * seconds + _START)
            used = time.process_time()
            resource.setrlimit(resource.RLIMIT_CPU, (int(used) + limit, int(used) + limit))
            signal.alarm(30 * limit)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            change()
            import pytest

            code = int(pytest.main([*_OPTIONS, "-x", *tests]))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return NOTICED  # time limit exceeded, or a crash
    code = os.waitstatus_to_exitcode(status)
    return PASSED if code == 0 else NOTICED if code in (1, 2, 3) else WRONG


def _with_code(code: CodeType) -> None:
    """Replace the code of all functions of a file by that of the changed file, and clear caches."""
    new: dict[tuple[str, int], CodeType] = {}

    def gather(outer: CodeType) -> None:
        for inner in outer.co_consts:
            if isinstance(inner, CodeType):
                new[inner.co_qualname, inner.co_firstlineno] = inner
                gather(inner)

    gather(code)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == code.co_filename:
            changed = new.get((thing.__code__.co_qualname, thing.__code__.co_firstlineno))
            if changed is not None and changed != thing.__code__:
                thing.__code__ = changed
        elif hasattr(type(thing), "cache_clear"):
            thing.cache_clear()


class _Changed(importlib.abc.MetaPathFinder):
    """Import hook that loads the changed code of a file, ignoring cached bytecode."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = str(path), text

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith("robosym"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin != self.path:
            return None
        code = compile(self.text, self.path, "exec")

        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                return code

        spec.loader = Loader(fullname, self.path)
        return spec


def judged(mutant: Mutant, noticed: Noticed, copy: Copy, stages: int = 3) -> str:
    """Return the outcome of tests that execute the line: a few on the fast path, then more on the slow path."""
    outcome, met = "not executed by a test", set[str]()
    lines = mutant.first, mutant.last
    if not noticed.of(mutant.path, *lines, FIRST, copy.known):  # executed at import, or never
        lines = 1, len(mutant.path.read_text(encoding="utf-8").splitlines())
    ways = ((copy.quick, FIRST), (copy.whole, MORE), (copy.whole, ALL))
    for way, budget in ways[: 1 if mutant.key in answered() else stages]:
        tests = noticed.of(mutant.path, *lines, budget, copy.known - met)
        if not tests:
            break
        if way == copy.whole:  # the fast path does not cover a whole file: repeat its tests on the slow path
            met.update(tests)
        seconds = sum(noticed.seconds.get(test, USUAL) for test in tests)
        outcome = way(mutant, tests, seconds)
        if outcome == WRONG and copy.whole(None, tests, seconds) == PASSED:
            outcome = NOTICED  # the tests can be collected without the fault
        if outcome == NOTICED:
            break
    return outcome


def answered() -> dict[str, str]:
    """Return the reasons why undetected faults make no difference, by key."""
    found = {}
    for line in ANSWERED.read_text(encoding="utf-8").splitlines():
        key, mark, reason = line.partition("  # ")
        if mark:
            found[key] = reason
    return found


class Report:
    """Counts per package and undetected faults; results are {place and key: (package, outcome)}."""

    def __init__(self, results: dict[str, list[str]]) -> None:
        self.results, answers = results, answered()
        self.answers = {name for name in results if name.split("  ", 1)[1] in answers}

    def __str__(self) -> str:
        packages: dict[str, Counter[str]] = {}
        left = []
        for name, (package, outcome) in self.results.items():
            kind = outcome if outcome == NOTICED else "answered" if name in self.answers else "left"
            packages.setdefault(package, Counter())[kind] += 1
            if kind == "left":
                left.append(f"  {name}  ({outcome})")
        total: Counter[str] = sum(packages.values(), Counter())
        count = total.total()
        lines = [
            f"{package:<15} {c.total():4} faults, {c[NOTICED]:4} noticed, {c['answered']:3} make no difference, "
            f"{c['left']:3} left"
            for package, c in packages.items()
        ]
        share = total[NOTICED] / max(1, count - total["answered"])
        return "\n".join([
            *lines, *left,
            f"{count} faults: {total[NOTICED]} noticed ({100 * total[NOTICED] / max(1, count):.1f} % of all), "
            f"{total['answered']} make no difference, {total['left']} left; "
            f"{100 * share:.1f} % of those that make a difference are noticed, bar {100 * BAR:.0f} %",
        ])  # fmt: skip

    @property
    def passes(self) -> bool:
        counted = [
            outcome for name, (_, outcome) in self.results.items() if outcome == NOTICED or name not in self.answers
        ]
        return counted.count(NOTICED) >= BAR * len(counted)


def main() -> int:
    options = argparse.ArgumentParser(description="Mutation testing of the algorithms.")
    options.add_argument("--sample", type=int, default=374, help="number of faults, divided equally among packages")
    options.add_argument("--seed", default="0", help="seed of the sample")
    options.add_argument("--package", action="append", help="check only this package; may be repeated")
    options.add_argument("--measure", action="store_true", help="first measure which tests execute which lines")
    options.add_argument("--more", nargs="+", default=(), metavar="TESTS", help="first measure these new tests")
    options.add_argument("--quick", action="store_true", help="run fewer tests per fault; another run continues")
    options.add_argument("--again", action="store_true", help="discard earlier results")
    options.add_argument("--part", default="1/1", help="k/n: process every n-th fault")
    chosen = options.parse_args()
    os.environ["ROBOSYM_CACHE"] = "off"
    if chosen.measure or not (chosen.more or list(FOLDER.glob("*.coverage"))):
        measure(ROOT, FOLDER, PACKAGES, [f"tests/{folder}" for folder in TESTS])
    if chosen.more:
        measure(ROOT, FOLDER, PACKAGES, chosen.more, f"more-{time.time():.0f}")
    noticed = Noticed(ROOT, FOLDER)
    part, parts = map(int, chosen.part.split("/"))
    notes = FOLDER / f"judged-{chosen.seed}-{part}.json"
    results: dict[str, list[str]] = {}
    for path in FOLDER.glob(f"judged-{chosen.seed}-*.json") if not chosen.again else ():
        for name, found in json.loads(path.read_text()).items():
            if results.get(name, ["", PASSED])[1] != NOTICED:  # other parts may have run fewer tests
                results[name] = found
    copy = Copy(FOLDER / f"tree-{part}")
    copy.load(f"tests/{folder}" for folder in TESTS)
    drawn = sample(chosen.seed, chosen.sample, chosen.package or PACKAGES)
    names = {f"{m.path.relative_to(ROOT / 'src' / 'robosym')}:{m.first}  {m.key}": m for m in drawn}
    for name, mutant in list(names.items())[part - 1 :: parts]:
        if results.get(name, ["", PASSED])[1] == NOTICED:
            continue
        start = time.monotonic()
        outcome = judged(mutant, noticed, copy, 2 if chosen.quick else 3)
        results[name] = [name.split("/")[0], outcome]
        notes.write_text(json.dumps(results, indent=1))
        if outcome != NOTICED:
            print(f"{name}  {outcome}, {time.monotonic() - start:.0f} s", flush=True)
    report = Report({name: results[name] for name in names if name in results})
    print(report)
    return int(not report.passes)


if __name__ == "__main__":
    sys.exit(main())
