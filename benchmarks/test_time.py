"""Measure the time of `make test` without lint, and compare processor time with another commit if one is given.

`python benchmarks/test_time.py 5b6fc10` first runs the tests of that commit in a separate tree.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import Row, print_table

ROOT = Path(__file__).resolve().parent.parent
WALL, SHARE = 420.0, 0.6  #: s on two idle cores; ratio to the processor time of the other commit


def times(tree: Path) -> tuple[float, float]:
    """Return processor time of the tests, including child processes, and wall time, in s."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "pytest"], cwd=tree, env=os.environ | {"PYTHONPATH": str(tree / "src")}, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.monotonic() - start


def earlier(commit: str) -> float:
    """Return the processor time of the tests of another commit, in s."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", folder, commit], cwd=ROOT, check=True)
        try:
            return times(Path(folder))[0]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def main() -> None:
    then = earlier(sys.argv[1]) if len(sys.argv) > 1 else None
    used, wall = times(ROOT)
    rows = [Row("tests, s", wall, WALL, key="wall")]
    if then is not None:
        rows.append(Row(f"processor time, of that at {sys.argv[1]}", used / then, SHARE, key="share"))
    print_table("tests", rows)


if __name__ == "__main__":
    main()
