"""Runs every benchmark, one after the other; or those named on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOT_BENCHMARKS = {"run", "table", "pinocchio_cpp"}


def main() -> None:
    folder = Path(__file__).parent
    wanted = sys.argv[1:] or sorted(p.stem for p in folder.glob("*.py") if p.stem not in NOT_BENCHMARKS)
    failed = [name for name in wanted if subprocess.run([sys.executable, str(folder / f"{name}.py")]).returncode]
    if failed:
        raise SystemExit(f"did not run to the end: {', '.join(failed)}")


if __name__ == "__main__":
    main()
