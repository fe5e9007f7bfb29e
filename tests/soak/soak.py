"""The soak test: robots by seed, up to a number or a time; run with `make soak`.

    python -m soak.soak [--robots N] [--minutes M] [--from SEED] [--jobs J] [--anew]

Progress is stored in build/soak.json, so that the next run continues after the last seed; with several jobs, each a
process for every J-th seed, also in build/soak-K-J.json. Every failure is shrunk to a file in build/soak/ that contains
its seed; once fixed, it is moved to tests/soak/kept/, where a test checks it permanently.
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
class SoakResults:
    """Results of all runs."""

    next_seed: int = 0
    robots: int = 0
    checks: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    worst: float = 0.0  #: largest difference that no condition amplifies
    worst_name: str = ""
    magnified: int = 0  #: findings above the bar that are explained by their condition
    worst_condition: float = 1.0
    rejected: dict[str, int] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  #: by seed
    seconds: float = 0.0

    @staticmethod
    def read(path: Path) -> SoakResults:
        return SoakResults(**json.loads(path.read_text())) if path.exists() else SoakResults()

    def write(self, path: Path) -> None:
        from robosym.files import write_text

        BUILD.mkdir(exist_ok=True)
        write_text(path, json.dumps(asdict(self), indent=1))

    def add(self, other: SoakResults) -> None:
        """Add the results of another process."""
        self.next_seed = max(self.next_seed, other.next_seed)
        self.robots, self.checks = self.robots + other.robots, self.checks + other.checks
        self.magnified, self.seconds = self.magnified + other.magnified, self.seconds + other.seconds
        self.worst, self.worst_name = max((self.worst, self.worst_name), (other.worst, other.worst_name))
        self.worst_condition = max(self.worst_condition, other.worst_condition)
        self.kinds = dict(Counter(self.kinds) + Counter(other.kinds))
        self.rejected = dict(Counter(self.rejected) + Counter(other.rejected))
        self.failures |= other.failures

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        rejected = "".join(f"\n  rejected {count} times: {what}" for what, count in self.rejected.items())
        failed = "".join(f"\n  FAILED seed {seed}: {what}" for seed, what in self.failures.items())
        return (
            f"{self.robots} robots (seeds 0 to {self.next_seed - 1}: {kinds}), {self.checks} checks, "
            f"{self.seconds:.0f} s\n  worst disagreement {self.worst:.1e} ({self.worst_name}), bar 1e-11\n"
            f"  {self.magnified} above it by a condition of up to {self.worst_condition:.1e}"
            f"{rejected}{failed}\n  {len(self.failures)} failures"
        )


def run_one(seed: int, results: SoakResults, shrink_for: float) -> None:
    from soak.findings import BAR
    from soak.kept_cases import StoredCase, check, shrunk
    from soak.robots import drawn

    start = time.perf_counter()
    robot = drawn(seed)
    failure = None
    try:
        for found in check(robot.robot, robot.values, seed):
            results.checks += 1
            if found.failed:
                failure = failure or str(found)
            elif "rejected" in found.name:
                words = found.name.split(":")[0] + ": " + found.name.rpartition(": ")[2][:60]
                results.rejected[words] = results.rejected.get(words, 0) + 1
            elif found.gap > BAR:
                results.magnified += 1
                results.worst_condition = max(results.worst_condition, found.condition)
            elif found.gap > results.worst:
                results.worst, results.worst_name = found.gap, f"{found.name}, seed {seed}"
    except Exception as error:  # the soak test must continue
        failure = f"{type(error).__name__}: {error}"
    results.robots += 1
    results.kinds = dict(Counter(results.kinds) + Counter([robot.kind]))
    results.next_seed = seed + 1
    if failure:
        results.failures[str(seed)] = f"{robot.kind}: {failure}"[:400]
        print(f"seed {seed}, {robot.kind}: {failure}", flush=True)
        case = StoredCase(robot.robot.dumps("yaml"), robot.values, seed, failure)
        path = (shrunk(case, shrink_for) if shrink_for and case.fails() else case).write(FAILURES)
        print(f"  kept in {path}", flush=True)
    results.seconds += time.perf_counter() - start


def main() -> int:
    options = argparse.ArgumentParser(description="Random robots of every kind through every model.")
    options.add_argument("--robots", type=int, default=10**9, help="maximum number of robots")
    options.add_argument("--minutes", type=float, default=5.0, help="duration, in minutes")
    options.add_argument("--from", dest="first", type=int, help="first seed; default: continue after the last run")
    options.add_argument("--anew", action="store_true", help="discard earlier results")
    options.add_argument("--shrink", type=float, default=60.0, help="time for shrinking a failing robot, in seconds")
    options.add_argument("--jobs", type=int, default=1, help="number of processes")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    whole = SoakResults() if chosen.anew else SoakResults.read(BUILD / "soak.json")
    for path in BUILD.glob("soak-*-*.json"):  # of an interrupted run
        whole.add(SoakResults() if chosen.anew else SoakResults.read(path))
        whole.write(BUILD / "soak.json")  # this run may be interrupted, too
        path.unlink()
    first = whole.next_seed if chosen.first is None else chosen.first
    print(f"seeds from {first} on", flush=True)
    before, children = len(whole.failures), []
    parts = [BUILD / f"soak-{k}-{chosen.jobs}.json" for k in range(chosen.jobs)]
    for k, path in enumerate(parts):
        SoakResults(next_seed=first + k).write(path)
        children.append(os.fork())
        if not children[-1]:
            _run(path, chosen, chosen.jobs)
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    for path in parts:
        whole.add(SoakResults.read(path))
        path.unlink()
    whole.write(BUILD / "soak.json")
    print(whole)
    return int(len(whole.failures) > before)


def _run(path: Path, chosen: argparse.Namespace, step: int) -> None:
    """Run every step-th seed after the stored one."""
    results = SoakResults.read(path)
    until, noted = time.monotonic() + 60 * chosen.minutes, time.monotonic()
    for seed in range(results.next_seed, results.next_seed + chosen.robots, step):
        run_one(seed, results, chosen.shrink)
        if time.monotonic() > noted + 20:
            results.write(path)
            noted = time.monotonic()
        if time.monotonic() > until:
            break
    results.write(path)


if __name__ == "__main__":
    sys.exit(main())
