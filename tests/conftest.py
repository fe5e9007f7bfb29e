"""Configuration of all tests: machine code is generated in every run, and nothing is stored between runs.

Within a run, the workers share machine code. LLVM generates it at its lowest level, in a third of the time, except in
tests/runtime (`full_effort`). Bytecode is stored in build/ where Python must not write it: each process would compile
thousands of files. NumPy uses one thread: with one thread per core in each worker, they block each other (a fit of a
log takes ten times as long). Slow tests are marked `long`: `make soak` runs them, `make test` does not.
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

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit it
    os.environ["ROBOSYM_CACHE"] = tempfile.mkdtemp(prefix="robosym-tests-")
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "bytecode")

from robosym import Robot, formats
from robosym.runtime import engine

engine.effort = 0
#: rare garbage collection, because JAX adds a slow callback to each collection
gc.set_threshold(500_000, 10, 10)
_read = formats.load
_of_library = cache(_read)


@wraps(_read)
def _load(name_or_path: Any, **options: Any) -> Robot:
    """Load library robots once: they are immutable and cache reference positions and closed forms."""
    is_shared = not any(options.values()) and isinstance(name_or_path, str) and name_or_path in formats.library()
    return _of_library(name_or_path) if is_shared else _read(name_or_path, **options)


formats.load = _load


@pytest.fixture
def full_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generate machine code as for users."""
    monkeypatch.setattr(engine, "effort", 2)


def pytest_collection_finish() -> None:
    """Exclude the collected tests, which live until the end, from garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["ROBOSYM_CACHE"], ignore_errors=True)
        temporary = Path(__file__).parents[1] / f"build/bytecode/{tempfile.gettempdir()}"
        shutil.rmtree(temporary, ignore_errors=True)  # bytecode of deleted files
