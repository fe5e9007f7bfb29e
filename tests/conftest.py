"""What holds for all tests: machine code is made anew in every run; nothing is kept from one to the next.

Within a run the workers share it. LLVM's code generator makes it at its lowest level, in a third of the time, except in
tests/runtime (`full_effort`). Bytecode is kept in build/ where Python may write none: each process would compile
thousands of files. NumPy computes in one thread: with a thread for each core in each worker, they wait for each
other with the processor busy (ten times as long for a fit of a log). Tests that take many seconds are marked `long`:
`make soak` runs them, `make test` does not.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers have it from the process that starts them
    os.environ["ROBOSYM_CACHE"] = tempfile.mkdtemp(prefix="robosym-tests-")
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "bytecode")

from robosym.runtime import engine

engine.effort = 0


@pytest.fixture
def full_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code as users get it."""
    monkeypatch.setattr(engine, "effort", 2)


def pytest_collection_finish() -> None:
    """Thousands of tests live to the end: they are not searched for garbage again and again.

    The rest is searched seldom: once JAX is imported, each search collects its arrays too, and takes longer than ours.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)


def pytest_unconfigure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["ROBOSYM_CACHE"], ignore_errors=True)
