"""The fuzzer: numbered inputs for every reader, for a given time; run with `make fuzz`.

    python -m fuzz.fuzz [--inputs N] [--minutes M] [--reader NAME] [--seed WORD] [--jobs J] [--anew]

An input is a valid file with a few changes. It is added to the corpus if its result is new: a different message
(without numbers and quotations) or, for one of 200 inputs, new lines of the package. Progress is stored in
build/fuzz.json, for other seeds in build/fuzz-SEED.json, so that the next run continues. An input that raises an
exception other than ours, or takes longer than SECONDS, is stored in build/fuzz/ and, once fixed, in
tests/fuzz/kept/.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

os.environ.setdefault("ROBOSYM_CACHE", "off")
BUILD = Path(__file__).parents[2] / "build"
FAILURES = BUILD / "fuzz"
SECONDS = 5  #: CPU time limit for an input of at most 20,000 bytes
MEMORY = 4 * 2**30
TRACED = 200  #: one of this number of inputs is traced line by line
GOOD = 0.5  #: fraction of the inputs that start from a valid file
ROUND, TURN = 200, 1.0  #: number of inputs of one reader, or s, before the next reader


class TooSlow(BaseException):
    """Raised at the time limit; not an Exception, so that no handler treats it as an error of the input."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    def late(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def answer(reader: Any, data: bytes) -> tuple[str, str | None]:
    """Return the result of an input without numbers and quotations, and the failure, if any."""
    from robosym.errors import Error

    try:
        with within(SECONDS):
            reader.call(data)
    except Error as error:
        message = str(error)
        if not message.strip():
            return "", "an error without a message"
        return re.sub(r"'[^']*'|\"[^\"]*\"|[\d.]+|\b\w*\d\w*\b", "_", message)[:80], None
    except TooSlow:
        return "slow", f"longer than {SECONDS} s"
    except Exception as error:  # the failures to find
        return type(error).__name__, f"{type(error).__name__}: {error}"[:500]
    return "read", None


class Lines:
    """Lines of the package that inputs reached."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        self.new = 0

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if "robosym" not in frame.f_code.co_filename or "algebra" in frame.f_code.co_filename:
            return None
        if event == "line":
            place = frame.f_code.co_filename, frame.f_lineno
            if place not in self.seen:
                self.seen.add(place)
                self.new += 1
        return self._trace

    @contextmanager
    def watched(self) -> Iterator[None]:
        self.new = 0
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(None)


class Fuzzer:
    def __init__(self, notes: dict[str, Any], seed: str = "") -> None:
        from fuzz.readers import READERS

        self.readers = READERS
        self.notes, self.seed = notes, seed
        self.lines = Lines()
        self.pools: dict[str, list[bytes]] = {}
        self.answers: dict[str, Counter[str]] = {}

    def pool(self, name: str) -> list[bytes]:
        if name not in self.pools:
            kept = [bytes.fromhex(text) for text in self.notes["pools"].get(name, [])]
            self.pools[name] = [*self.readers[name].good, *kept]
            self.answers[name] = Counter()
            for data in self.pools[name]:
                self.answers[name][answer(self.readers[name], data)[0]] += 1
        return self.pools[name]

    def one(self, name: str, number: int) -> None:
        from fuzz.mutations import mutated

        rng, pool = random.Random(f"{self.seed}{name} {number}"), self.pool(name)
        # rejected inputs are rejected again: half of the inputs start from valid ones
        first = rng.choice(self.readers[name].good if rng.random() < GOOD else pool)
        data = mutated(rng, first, [rng.choice(pool)])
        start = time.process_time()
        if number % TRACED:
            message, wrong = answer(self.readers[name], data)
            reached = 0
        else:
            with self.lines.watched():
                message, wrong = answer(self.readers[name], data)
            reached = self.lines.new
        took = time.process_time() - start
        if number % TRACED and took > self.notes["slowest"][0]:
            self.notes["slowest"] = [took, f"{name} {number}"]
        self.notes["answers"]["read" if message == "read" else "rejected" if wrong is None else "wrong"] += 1
        if wrong is not None:
            self.keep(name, number, data, wrong)
        elif (message not in self.answers[name] or reached) and len(pool) < 400:
            pool.append(data)
            self.notes["pools"].setdefault(name, []).append(data.hex())
        self.answers[name][message] += 1
        self.notes["done"][name] = number + 1

    def keep(self, name: str, number: int, data: bytes, wrong: str) -> None:
        key = re.sub(r"\W+", "_", f"{name}_{wrong}")[:60]
        if key in self.notes["failures"]:
            self.notes["failures"][key][0] += 1
            return
        small = self.shrunk(name, data, wrong.split(":")[0])
        FAILURES.mkdir(parents=True, exist_ok=True)
        path = FAILURES / f"{name.replace(' ', '_')}-{hashlib.sha256(small).hexdigest()[:8]}"
        path.write_bytes(small)
        self.notes["failures"][key] = [1, f"{name} {number}: {wrong}", str(path)]
        print(f"{name} {number}: {wrong}\n  {small[:200]!r}\n  kept in {path}", flush=True)

    def shrunk(self, name: str, data: bytes, wrong: str) -> bytes:
        """Remove pieces as long as the same exception is raised; a slow input is unchanged."""
        if "longer" in wrong:
            return data
        size = max(1, len(data) // 2)
        until = time.monotonic() + 10
        while size and time.monotonic() < until:
            at = 0
            while at < len(data) and time.monotonic() < until:
                trial = data[:at] + data[at + size :]
                found = answer(self.readers[name], trial)[1]
                if found is not None and found.split(":")[0] == wrong:
                    data = trial
                else:
                    at += size
            size //= 2
        return data

    def __str__(self) -> str:
        notes = self.notes
        total = sum(notes["done"].values())
        each = ", ".join(f"{name} {count}" for name, count in notes["done"].items())
        failed = "".join(f"\n  FAILED {count} times: {what}" for count, what, _ in notes["failures"].values())
        wide = sum(map(len, self.pools.values()))
        return (
            f"{total} inputs ({each})\n  {dict(notes['answers'])}, slowest {notes['slowest'][0]:.2f} s "
            f"({notes['slowest'][1]}); {wide} inputs in the corpus, {len(self.lines.seen)} lines reached in this run"
            f"{failed}\n  {len(notes['failures'])} kinds of uncontrolled exceptions"
        )


def _notes(path: Path, anew: bool) -> dict[str, Any]:
    if path.exists() and not anew:
        notes = json.loads(path.read_text())
    else:
        notes = {"done": {}, "pools": {}, "answers": {}, "failures": {}, "slowest": [0.0, ""]}
    notes["answers"] = Counter(notes["answers"])
    return notes


def main() -> int:
    options = argparse.ArgumentParser(description="Damaged inputs for every reader.")
    options.add_argument("--inputs", type=int, default=10**9, help="maximum number of inputs in this run")
    options.add_argument("--minutes", type=float, default=3.0, help="duration of this run, in minutes")
    options.add_argument("--reader", action="append", help="test only this reader; may be repeated")
    options.add_argument("--seed", default="", help="seed of the inputs")
    options.add_argument("--anew", action="store_true", help="discard earlier results")
    options.add_argument("--jobs", type=int, default=1, help="number of processes, each with its own seed")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    others = []
    for k in range(1, chosen.jobs):
        others.append(os.fork())
        if not others[-1]:
            others, chosen.seed = [], f"{chosen.seed}{k}"
            break
    code = _run(chosen)
    for child in others:
        code |= os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code


def _run(chosen: argparse.Namespace) -> int:
    from robosym.files import write_text

    BUILD.mkdir(exist_ok=True)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    path = BUILD / (f"fuzz-{chosen.seed}.json" if chosen.seed else "fuzz.json")
    fuzzer = Fuzzer(_notes(path, chosen.anew), chosen.seed)
    before, names = len(fuzzer.notes["failures"]), chosen.reader or list(fuzzer.readers)
    until, noted, count = time.monotonic() + 60 * chosen.minutes, time.monotonic(), 0
    for name in itertools.cycle(names):
        turn = time.process_time() + TURN
        for _ in range(min(ROUND, chosen.inputs - count)):
            fuzzer.one(name, fuzzer.notes["done"].get(name, 0))
            count += 1
            if time.process_time() > turn:
                break
        if time.monotonic() > noted + 20:
            write_text(path, json.dumps(fuzzer.notes))
            noted = time.monotonic()
        if count >= chosen.inputs or time.monotonic() > until:
            break
    write_text(path, json.dumps(fuzzer.notes))
    print(fuzzer)
    return int(len(fuzzer.notes["failures"]) > before)


if __name__ == "__main__":
    sys.exit(main())
