"""The soak: robots by their seeds until a count or a time is reached; run with `make soak`.

    python -m soak.soak [--robots N] [--minutes M] [--from SEED] [--anew]

What was run is noted in build/soak.json, so that the next run goes on behind the last seed. Every failure is shrunk to
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
NOTES, FAILURES = BUILD / "soak.json", BUILD / "soak"


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
    def read() -> Tally:
        return Tally(**json.loads(NOTES.read_text())) if NOTES.exists() else Tally()

    def write(self) -> None:
        from robosym.files import write_text

        BUILD.mkdir(exist_ok=True)
        write_text(NOTES, json.dumps(asdict(self), indent=1))

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
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    tally = Tally() if chosen.anew else Tally.read()
    first = tally.next_seed if chosen.first is None else chosen.first
    until, noted, before = time.monotonic() + 60 * chosen.minutes, time.monotonic(), len(tally.failures)
    print(f"seeds from {first} on", flush=True)
    for seed in range(first, first + chosen.robots):
        run_one(seed, tally, chosen.shrink)
        if time.monotonic() > noted + 20:
            tally.write()
            noted = time.monotonic()
        if time.monotonic() > until:
            break
    tally.write()
    print(tally)
    return int(len(tally.failures) > before)


if __name__ == "__main__":
    sys.exit(main())
