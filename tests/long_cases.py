"""Cases of one test of which some take many seconds: those run in `make soak`, the others in `make test`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def quick_and_long(names: Iterable[str], *, long: str) -> list[Any]:
    """The names for `parametrize`; those in `long`, words, are marked. A word that is no case is a mistake."""
    names, slow = list(names), set(long.split())
    assert slow <= set(names), f"no such cases: {slow - set(names)}"
    return [pytest.param(name, marks=pytest.mark.long) if name in slow else name for name in names]
