"""The soak: robots by their seeds until a count or a time is reached; run with `make soak`.

    python -m soak.soak [--robots N] [--minutes M] [--from SEED] [--jobs J] [--anew]

What was run is noted in build/soak.json, so that the next run goes on behind the last seed; with several jobs, each
a process that takes every J-th seed, also in build/soak-K-J.json. Every failure is shrunk to
a file in build/soak/ that names its seed; once mended it is moved to tests/soak/kept/, where a test checks it for ever.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

os.environ.setdefault("ROBOSYM_CACHE", "off")
BUILD = Path(__file__).parents[2] / "build"
FAILURES = BUILD / "soak"


@dataclass
class Tally:
    """What was run so far, over all runs."""

    next_seed: int = 0
    robots: int = 0
    checks: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    worst: float = 0.0  #: of the disagreements that no condition magnifies
    worst_name: str = ""
    magnified: int = 0  #: findings above the bar that their condition explains
    worst_condition: float = 1.0
    refused: dict[str, int] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  #: by seed
    seconds: float = 0.0

    @staticmethod
    def read(path: Path) -> Tally:
        return Tally(**json.loads(path.read_text())) if path.exists() else Tally()

    def write(self, path: Path) -> None:
        from robosym.files import write_text

        BUILD.mkdir(exist_ok=True)
        write_text(path, json.dumps(asdict(self), indent=1))

    def add(self, other: Tally) -> None:
        """What another process ran."""
        self.next_seed = max(self.next_seed, other.next_seed)
        self.robots, self.checks = self.robots + other.robots, self.checks + other.checks
        self.magnified, self.seconds = self.magnified + other.magnified, self.seconds + other.seconds
        self.worst, self.worst_name = max((self.worst, self.worst_name), (other.worst, other.worst_name))
        self.worst_condition = max(self.worst_condition, other.worst_condition)
        self.kinds = dict(Counter(self.kinds) + Counter(other.kinds))
        self.refused = dict(Counter(self.refused) + Counter(other.refused))
        self.failures |= other.failures

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        refused = "".join(f"\n  refused {count} times: {what}" for what, count in self.refused.items())
        failed = "".join(f"\n  FAILED seed {seed}: {what}" for seed, what in self.failures.items())
        return (
            f"{self.robots} robots (seeds 0 to {self.next_seed - 1}: {kinds}), {self.checks} checks, "
            f"{self.seconds:.0f} s\n  worst disagreement {self.worst:.1e} ({self.worst_name}), bar 1e-11\n"
            f"  {self.magnified} above it by a condition of up to {self.worst_condition:.1e}"
            f"{refused}{failed}\n  {len(self.failures)} failures"
        )


def run_one(seed: int, tally: Tally, shrink_for: float) -> None:
    from soak.findings import BAR
    from soak.kept_cases import Kept, check, shrunk
    from soak.robots import drawn

    start = time.perf_counter()
    robot = drawn(seed)
    failure = None
    try:
        for found in check(robot.robot, robot.values, seed):
            tally.checks += 1
            if found.failed:
                failure = failure or str(found)
            elif "refused" in found.name:
                words = found.name.split(":")[0] + ": " + found.name.rpartition(": ")[2][:60]
                tally.refused[words] = tally.refused.get(words, 0) + 1
            elif found.gap > BAR:
                tally.magnified += 1
                tally.worst_condition = max(tally.worst_condition, found.condition)
            elif found.gap > tally.worst:
                tally.worst, tally.worst_name = found.gap, f"{found.name}, seed {seed}"
    except Exception as error:  # a soak goes on whatever happens
        failure = f"{type(error).__name__}: {error}"
    tally.robots += 1
    tally.kinds = dict(Counter(tally.kinds) + Counter([robot.kind]))
    tally.next_seed = seed + 1
    if failure:
        tally.failures[str(seed)] = f"{robot.kind}: {failure}"[:400]
        print(f"seed {seed}, {robot.kind}: {failure}", flush=True)
        case = Kept(robot.robot.dumps("yaml"), robot.values, seed, failure)
        path = (shrunk(case, shrink_for) if shrink_for and case.fails() else case).write(FAILURES)
        print(f"  kept in {path}", flush=True)
    tally.seconds += time.perf_counter() - start


def main() -> int:
    options = argparse.ArgumentParser(description="Random robots of every kind through every model.")
    options.add_argument("--robots", type=int, default=10**9, help="stop after so many")
    options.add_argument("--minutes", type=float, default=5.0, help="stop after so long")
    options.add_argument("--from", dest="first", type=int, help="the first seed; else behind the last run")
    options.add_argument("--anew", action="store_true", help="forget what was run")
    options.add_argument("--shrink", type=float, default=60.0, help="seconds to make a failing robot smaller")
    options.add_argument("--jobs", type=int, default=1, help="so many processes")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    whole = Tally() if chosen.anew else Tally.read(BUILD / "soak.json")
    for path in BUILD.glob("soak-*-*.json"):  # of a run that was ended
        whole.add(Tally() if chosen.anew else Tally.read(path))
        whole.write(BUILD / "soak.json")  # this one may be ended, too
        path.unlink()
    first = whole.next_seed if chosen.first is None else chosen.first
    print(f"seeds from {first} on", flush=True)
    before, children = len(whole.failures), []
    parts = [BUILD / f"soak-{k}-{chosen.jobs}.json" for k in range(chosen.jobs)]
    for k, path in enumerate(parts):
        Tally(next_seed=first + k).write(path)
        children.append(os.fork())
        if not children[-1]:
            _run(path, chosen, chosen.jobs)
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    for path in parts:
        whole.add(Tally.read(path))
        path.unlink()
    whole.write(BUILD / "soak.json")
    print(whole)
    return int(len(whole.failures) > before)


def _run(path: Path, chosen: argparse.Namespace, step: int) -> None:
    """Every step-th seed from that of the notes on."""
    tally = Tally.read(path)
    until, noted = time.monotonic() + 60 * chosen.minutes, time.monotonic()
    for seed in range(tally.next_seed, tally.next_seed + chosen.robots, step):
        run_one(seed, tally, chosen.shrink)
        if time.monotonic() > noted + 20:
            tally.write(path)
            noted = time.monotonic()
        if time.monotonic() > until:
            break
    tally.write(path)


if __name__ == "__main__":
    sys.exit(main())
