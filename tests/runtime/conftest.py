"""Compile at full optimization; limit garbage collection to objects that a test creates."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def _full_effort(full_effort: None) -> None:
    pass


@pytest.fixture
def few_objects() -> None:
    """Exclude existing objects from garbage collection."""
    gc.freeze()
