"""Marking of slow or redundant test cases, which run in `make soak` instead of `make test`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def quick_and_long(given: Iterable[Any], *, long: str | Iterable[Any]) -> list[Any]:
    """Return the cases for `parametrize`; those in `long` (also as one text) are marked and must exist."""
    given, slow = list(given), long.split() if isinstance(long, str) else list(long)
    assert all(case in given for case in slow), f"no such cases: {[case for case in slow if case not in given]}"

    def marked(case: Any) -> Any:
        return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)

    return [marked(case) if case in slow else case for case in given]


def each_once(*given: Sequence[Any]) -> list[Any]:
    """Return combinations for `parametrize`: each value occurs once, the other combinations are long."""
    count = max(map(len, given))
    quick = {tuple(values[n % len(values)] for values in given) for n in range(count)}
    combined = list(product(*given))
    return quick_and_long(combined, long=[case for case in combined if case not in quick])
