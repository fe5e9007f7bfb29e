"""Run all benchmarks, or those named on the command line, and store their figures.

Figures are stored in `benchmarks/figures.json` with date, machine and commit; other figures are not changed.
`tools/figures.py` then writes them into the documentation. `make bench BENCH='single_call precision'` runs two.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from table import FIGURES, machine

FOLDER = Path(__file__).resolve().parent
KEPT = FOLDER / "figures.json"
NOT_BENCHMARKS = {"run", "table", "pinocchio_cpp", "emitted_c", "poses"}


def main() -> None:
    wanted = sys.argv[1:] or sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in NOT_BENCHMARKS)
    failed = [name for name in wanted if not measured(name)]
    subprocess.run([sys.executable, FOLDER.parent / "tools" / "figures.py"], check=True)
    if failed:
        raise SystemExit(f"did not finish: {', '.join(failed)}")


def measured(name: str) -> bool:
    """Run a benchmark, store its figures, and return whether it ran to its end."""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "figures"
        start, load = time.monotonic(), os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        done = subprocess.run([sys.executable, str(FOLDER / f"{name}.py")], env=os.environ | {FIGURES: str(lines)})
        if done.returncode:
            return False
        found = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()] if lines.exists() else []
    if found:
        keep(name, found, time.monotonic() - start, load)
    return True


def keep(name: str, found: list[dict[str, Any]], seconds: float, load: float) -> None:
    """Store figures with the load average; times of a busy machine should be measured again."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    today = datetime.date.today().isoformat()
    kept[name] = {
        "date": today, "commit": commit(), "machine": machine(), "load": round(load, 1), "seconds": round(seconds),
        "figures": found,
    }  # fmt: skip
    text = json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False) + "\n"
    temporary = KEPT.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(KEPT)


def commit() -> str:
    """Return the measured commit, followed by "changed" if the source differs from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=FOLDER, capture_output=True, text=True, check=False).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "../src")
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + (", changed" if changed else "")


if __name__ == "__main__":
    main()
