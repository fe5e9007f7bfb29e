"""Machine code is tested as users get it; what is let go of is searched for among new objects alone."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def _full_effort(full_effort: None) -> None:
    pass


@pytest.fixture
def few_objects() -> None:
    """Collections search what the test makes, and not a million objects that were there before."""
    gc.freeze()
