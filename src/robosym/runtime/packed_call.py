"""Calls of compiled plain functions whose arguments hardly change from call to call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["PackedCall"]


class PackedCall:
    """A call of a plain function whose arguments are in a table: only its address is passed, which takes less time."""

    def __init__(self, function: Callable[..., Any], arguments: Sequence[float]) -> None:
        self.integers = np.zeros(len(arguments), np.int64)
        self.floats = self.integers.view(np.float64)
        for place, value in enumerate(arguments):
            (self.floats if isinstance(value, float) else self.integers)[place] = value
        self.function: Callable[[int], int] = function.packed  # type: ignore[attr-defined]
        self.address = self.integers.ctypes.data
        self._alive = function

    def __call__(self) -> int:
        return self.function(self.address)
