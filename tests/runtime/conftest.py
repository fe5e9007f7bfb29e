"""Machine code is tested as users get it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _full_effort(full_effort: None) -> None:
    pass
