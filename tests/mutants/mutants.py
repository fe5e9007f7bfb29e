"""The runner: a sample of faults, each in a process of its own, with the tests that pass its line.

    python -m mutants.mutants [--sample N] [--seed WORD] [--room NAME] [--part K/N] [--again]

The faults are put into copies of the tree under build/mutants/, never into the tree itself. A fault is noticed where a
test fails, cannot be collected, or takes far longer than without it. What no test notices is read: the answer is a
test, or a line in answered.txt that says why the fault makes no difference.
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
ROOMS = ("mechanism", "chains", "coordinates", "solve", "kinematics", "dynamics", "parameters", "optimizer",
         "simulation", "control", "experiment", "studies", "app/menus", "formats")  # fmt: skip
TESTS = ("mechanism", "chains", "coordinates", "solve", "kinematics", "dynamics", "parameters", "optimizer", "golden",
         "simulation", "control", "experiment", "studies", "app/menus", "app/cli", "formats")  # fmt: skip
BAR = 0.9
FIRST, MORE, ALL = 3.0, 20.0, 200.0  #: seconds of tests that a fault meets: at first, and where these do not notice it
_PATIENCE, _START = 4.0, 30.0  #: times as long, and seconds for the start, before a fault counts as endless
_HEAVY = ("numpy", "pytest", "hypothesis", "sympy", "pinocchio", "mujoco", "llvmlite.binding", "scipy.optimize")
_OPTIONS = ["-q", "-o", "addopts=", "-m", "not long", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
NOTICED, PASSED, WRONG = "noticed", "passed", "wrong"


def sample(seed: str, count: int, rooms: Sequence[str] = ROOMS) -> list[Mutant]:
    """As many of every room, drawn by a seed; at most one of a line. A change elsewhere in a room leaves them drawn."""
    found = []
    for at, room in enumerate(rooms):
        files = sorted((ROOT / "src" / "robosym" / room).rglob("*.py"))
        known = [(path, *place) for path in files for place in _numbered(path)]
        known.sort(key=lambda place: sha256(f"{seed} {place[0].relative_to(ROOT)} {place[-1]}".encode()).digest())
        wanted = count // len(rooms) + (at < count % len(rooms))
        lines: set[tuple[Path, int]] = set()
        for path, number, line, _ in known:
            if len(lines) < wanted and (path, line) not in lines:
                lines.add((path, line))
                found += mutants(path, {number})
    return found


@cache
def _numbered(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Of each place its number, its line, and the text of the line with a count where there are several of it."""
    lines, seen, found = path.read_text(encoding="utf-8").splitlines(), Counter[str](), []
    for number, place in enumerate(places(path)):
        line = place.statement.lineno
        text = lines[line - 1].strip()
        seen[text] += 1
        found.append((number, line, f"{text} {seen[text]}"))
    return tuple(found)


class Copy:
    """A copy of sources and tests, in which one file at a time has a fault.

    In the quick way everything is imported once, and a process is split off in which the functions of the file have
    other code. In the whole way a process imports all anew: this also reaches constants, defaults of arguments, what
    tests make when they are imported, and functions that are compiled from their text.
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
        for name in _HEAVY:  # once, before the processes split
            __import__(name)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = str(folder / "src")
        sys.path[:0] = [str(folder / "src"), str(folder / "tests")]
        self._anew = _Anew(folder)

    def load(self, tests: Iterable[str]) -> None:
        """Import all that is tested and the tests."""
        import pytest

        keep = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        pytest.main([*_OPTIONS, "--collect-only", *tests], plugins=[self])
        os.dup2(keep, 1)
        gc.unfreeze()  # what tests freeze is not among the objects whose code is changed

    def pytest_collection_finish(self, session: Any) -> None:
        self.known = {item.nodeid for item in session.items}

    def quick(self, mutant: Mutant, tests: Sequence[str], seconds: float) -> str:
        code = compile(mutant.tree(), str(self.root / mutant.path.relative_to(ROOT)), "exec")
        return _split(partial(_with_code, code), tests, seconds)

    def whole(self, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> str:
        return self._anew.ask((mutant, tests, seconds))


class _Anew:
    """A process that has not imported the package, and splits off others that do."""

    def __init__(self, root: Path) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        if not os.fork():
            self._pipe.close()  # so that its end is seen here
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
    """What the tests say in a process of its own, after a change."""
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
        return NOTICED  # endless, or a crash
    code = os.waitstatus_to_exitcode(status)
    return PASSED if code == 0 else NOTICED if code in (1, 2, 3) else WRONG


def _with_code(code: CodeType) -> None:
    """Every function of a file that is alive has the code of the changed file; what was remembered is forgotten."""
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
    """Gives the module of a file its changed code, whatever bytecode is kept of it."""

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
    """What some tests that pass its line say, in the quick way; where they pass it, what others say, anew."""
    said, met = "not passed by a test", set[str]()
    lines = mutant.first, mutant.last
    if not noticed.of(mutant.path, *lines, FIRST, copy.known):  # it runs when the file is imported, or never
        lines = 1, len(mutant.path.read_text(encoding="utf-8").splitlines())
    ways = ((copy.quick, FIRST), (copy.whole, MORE), (copy.whole, ALL))
    for way, budget in ways[: 1 if mutant.key in answered() else stages]:
        tests = noticed.of(mutant.path, *lines, budget, copy.known - met)
        if not tests:
            break
        if way == copy.whole:  # the quick way does not reach all of a file: its tests are met again
            met.update(tests)
        seconds = sum(noticed.seconds.get(test, USUAL) for test in tests)
        said = way(mutant, tests, seconds)
        if said == WRONG and copy.whole(None, tests, seconds) == PASSED:
            said = NOTICED  # these tests are there without the fault
        if said == NOTICED:
            break
    return said


def answered() -> dict[str, str]:
    """Why faults that no test can notice make no difference, by their keys."""
    found = {}
    for line in ANSWERED.read_text(encoding="utf-8").splitlines():
        key, mark, reason = line.partition("  # ")
        if mark:
            found[key] = reason
    return found


class Report:
    """Counts of every room, and the faults that nobody noticed; results are {place and key: (room, what tests say)}."""

    def __init__(self, results: dict[str, list[str]]) -> None:
        self.results, answers = results, answered()
        self.answers = {name for name in results if name.split("  ", 1)[1] in answers}

    def __str__(self) -> str:
        rooms: dict[str, Counter[str]] = {}
        left = []
        for name, (room, said) in self.results.items():
            kind = said if said == NOTICED else "answered" if name in self.answers else "left"
            rooms.setdefault(room, Counter())[kind] += 1
            if kind == "left":
                left.append(f"  {name}  ({said})")
        total: Counter[str] = sum(rooms.values(), Counter())
        count = total.total()
        lines = [
            f"{room:<15} {c.total():4} faults, {c[NOTICED]:4} noticed, {c['answered']:3} make no difference, "
            f"{c['left']:3} left"
            for room, c in rooms.items()
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
        counted = [said for name, (_, said) in self.results.items() if said == NOTICED or name not in self.answers]
        return counted.count(NOTICED) >= BAR * len(counted)


def main() -> int:
    options = argparse.ArgumentParser(description="Faults put into the algorithms: do the tests notice?")
    options.add_argument("--sample", type=int, default=374, help="how many, over all rooms alike")
    options.add_argument("--seed", default="0", help="a word for the sample")
    options.add_argument("--room", action="append", help="only this one; may be repeated")
    options.add_argument("--measure", action="store_true", help="first measure anew which tests pass which lines")
    options.add_argument(
        "--more", nargs="+", default=(), metavar="TESTS", help="first measure these tests, which are new"
    )
    options.add_argument("--quick", action="store_true", help="some tests each: what is left meets more in another run")
    options.add_argument("--again", action="store_true", help="forget what was judged")
    options.add_argument("--part", default="1/1", help="k/n: every n-th of the sample, to share it among processes")
    chosen = options.parse_args()
    os.environ["ROBOSYM_CACHE"] = "off"
    if chosen.measure or not (chosen.more or list(FOLDER.glob("*.coverage"))):
        measure(ROOT, FOLDER, ROOMS, [f"tests/{room}" for room in TESTS])
    if chosen.more:
        measure(ROOT, FOLDER, ROOMS, chosen.more, f"more-{time.time():.0f}")
    noticed = Noticed(ROOT, FOLDER)
    part, parts = map(int, chosen.part.split("/"))
    notes = FOLDER / f"judged-{chosen.seed}-{part}.json"
    results: dict[str, list[str]] = {}
    for path in FOLDER.glob(f"judged-{chosen.seed}-*.json") if not chosen.again else ():
        for name, found in json.loads(path.read_text()).items():
            if results.get(name, ["", PASSED])[1] != NOTICED:  # other parts may know less of it
                results[name] = found
    copy = Copy(FOLDER / f"tree-{part}")
    copy.load(f"tests/{room}" for room in TESTS)
    drawn = sample(chosen.seed, chosen.sample, chosen.room or ROOMS)
    names = {f"{m.path.relative_to(ROOT / 'src' / 'robosym')}:{m.first}  {m.key}": m for m in drawn}
    for name, mutant in list(names.items())[part - 1 :: parts]:
        if results.get(name, ["", PASSED])[1] == NOTICED:
            continue
        start = time.monotonic()
        said = judged(mutant, noticed, copy, 2 if chosen.quick else 3)
        results[name] = [name.split("/")[0], said]
        notes.write_text(json.dumps(results, indent=1))
        if said != NOTICED:
            print(f"{name}  {said}, {time.monotonic() - start:.0f} s", flush=True)
    report = Report({name: results[name] for name in names if name in results})
    print(report)
    return int(not report.passes)


if __name__ == "__main__":
    sys.exit(main())
