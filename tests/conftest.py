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
from functools import cache, wraps
from pathlib import Path
from typing import Any

import pytest

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers have it from the process that starts them
    os.environ["ROBOSYM_CACHE"] = tempfile.mkdtemp(prefix="robosym-tests-")
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "bytecode")

from robosym import Robot, formats
from robosym.runtime import engine

engine.effort = 0
#: garbage is searched for seldom: once JAX is imported, each search collects its arrays too, and takes longer than ours
gc.set_threshold(500_000, 10, 10)
_read = formats.load
_of_library = cache(_read)


@wraps(_read)
def _load(name_or_path: Any, **options: Any) -> Robot:
    """Robots of the library are read once: they do not change, and remember reference positions and closed forms."""
    is_shared = not any(options.values()) and isinstance(name_or_path, str) and name_or_path in formats.library()
    return _of_library(name_or_path) if is_shared else _read(name_or_path, **options)


formats.load = _load


@pytest.fixture
def full_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code as users get it."""
    monkeypatch.setattr(engine, "effort", 2)


def pytest_collection_finish() -> None:
    """Thousands of tests live to the end: they are not searched for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["ROBOSYM_CACHE"], ignore_errors=True)
        temporary = Path(__file__).parents[1] / f"build/bytecode/{tempfile.gettempdir()}"
        shutil.rmtree(temporary, ignore_errors=True)  # bytecode of files that are gone
