"""Whether something is zero for every value of its symbols: one test, and the package's random numbers.

What is zero only after a simplification that nobody would find is seen from its value at a point in general position;
where symbols depend on each other (the entries of a rotation, the joints of a closed loop), `samples.Samples` holds
points that respect it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from robosym.algebra import Expr, Number, evaluate, symbols
from robosym.algebra.tolerances import ZERO

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "generic_values", "is_exactly", "negligible", "random_arrays", "random_numbers", "vanishes",
]  # fmt: skip

#: Where each stream of random numbers starts: the points at which things are decided are the same each time.
_SEEDS = {
    "blocks of a log": 0,
    "closed positions of loops": 1,
    "common factors of polynomials": 1,
    "comparison of formulations": 0,
    "comparison of models": 1,
    "dependent joints": 6,
    "energy functions": 0,
    "exciting motions": 0,
    "forms of a model": 0,
    "general equations": 0,
    "general method, perturbations": 100,
    "general method, trial poses": 1,
    "general method, unknowns": 0,
    "general method, virtual joints": 7,
    "known joints": 15,
    "loops solved at once": 2,
    "loops solved by stages": 4,
    "matrix equations": 5,
    "modes that meet": 9,
    "poses of a chain": 20,
    "poses of a platform": 31,
    "positions of a parallel robot": 3,
    "postures of a picture": 8,
    "position of a Jacobian": 1,
    "residues": 0,
    "rounding errors": 0,
    "samples of studies": 0,
    "self-tests of bundles": 0,
    "singular poses": 11,
    "starts of a search": 12,
    "trials of machine code": 14,
    "usual sizes": 3,
}


def random_numbers(purpose: str, number: int = 0) -> random.Random:
    """Random numbers for a purpose, one after the other; `number` tells repetitions apart."""
    return random.Random(_SEEDS[purpose] + number)


def random_arrays(purpose: str, number: int = 0) -> np.random.Generator:
    """Arrays of random numbers for a purpose; `number` tells repetitions apart."""
    from numpy.random import default_rng  # NumPy is loaded where arrays are needed only

    return default_rng(_SEEDS[purpose] + number)


def generic_values(names: Iterable[str], seed: int = 0) -> dict[str, float]:
    """A value in general position for each symbol, the same one at each call."""
    return {name: random.Random(f"{seed} {name}").uniform(0.3, 1.3) for name in names}


def is_exactly(value: object, number: int) -> bool:
    """That number as it stands, of a number or an expression; a float that happens to be near it is not."""
    if isinstance(value, Expr):
        return value.is_number and value.number == number
    return bool(value == number)


def negligible(value: Any, scale: Any = 1.0) -> bool:
    """Whether a value at a point in general position, or all of those at several points, mean zero."""
    small = abs(value) <= ZERO * scale
    return small if isinstance(small, bool) else bool(small.all())


def vanishes(*values: Expr | Number) -> bool:
    """Whether all the values (numbers or expressions) are zero for any value of their symbols."""
    for value in values:
        if isinstance(value, Expr) and not value.is_number:
            (number,) = evaluate([value], generic_values(symbols([value])))
        else:
            number = float(value.number) if isinstance(value, Expr) else float(value)
        if not negligible(number):
            return False
    return True
