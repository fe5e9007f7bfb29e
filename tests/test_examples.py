"""Test that the examples and the demo run without errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from long_cases import quick_and_long

FOLDER = Path(__file__).parent.parent / "examples"
#: tests/test_docs.py runs the exercises and compares their output
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if path.stem != "10_exercises")
#: slow; tests/test_docs.py runs similar examples of the pages on parallel robots and simulation
LONG = [FOLDER / "07_a_parallel_robot.py", FOLDER / "09_simulate_and_control.py"]


@pytest.mark.parametrize("example", quick_and_long(EXAMPLES, long=LONG), ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "error", str(example)], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()
    assert list(tmp_path.iterdir()) == []
