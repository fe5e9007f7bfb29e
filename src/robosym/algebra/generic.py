"""Whether an expression of the geometry is zero for every value of its symbols, decided at a random point."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from robosym.algebra import Expr, evaluate, symbols

__all__ = ["generic_values", "vanishes"]

_SMALL = 1e-9


def generic_values(names: Iterable[str], seed: int = 0) -> dict[str, float]:
    """A value in general position for each symbol, the same one at each call."""
    return {name: random.Random(f"{seed} {name}").uniform(0.3, 1.3) for name in names}


def vanishes(*values: Any) -> bool:
    """Whether all the values (numbers or expressions) are zero for any value of their symbols."""
    for value in values:
        if isinstance(value, Expr) and not value.is_number:
            (number,) = evaluate([value], generic_values(symbols([value])))
        else:
            number = float(value.number) if isinstance(value, Expr) else float(value)
        if abs(number) > _SMALL:
            return False
    return True
