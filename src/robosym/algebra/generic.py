"""Test whether an expression is zero for all values of its symbols, and random numbers of the package.

The value at a generic point decides, which also detects zeros that no simplification would find. If symbols depend on
each other (the entries of a rotation, the joints of a closed loop), `samples.Samples` holds consistent points.
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

#: Seed of each stream of random numbers, so that decisions are reproducible.
_SEEDS = {
    "blocks of a log": 0,
    "book of a robot": 0,
    "bounds of outputs": 0,
    "closed positions of loops": 1,
    "common factors of polynomials": 1,
    "comparison of formulations": 0,
    "comparison of models": 1,
    "dependent joints": 6,
    "energy functions": 0,
    "exciting motions": 0,
    "folds of a calibration": 0,
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
    "positions of contacts": 17,
    "poses of a chain": 20,
    "poses of a platform": 31,
    "positions of a parallel robot": 3,
    "postures of a calibration": 41,
    "postures of a picture": 8,
    "position of a Jacobian": 1,
    "residues": 0,
    "rounding errors": 0,
    "samples of studies": 0,
    "self-tests of bundles": 0,
    "singular poses": 11,
    "special geometry": 13,
    "starts of a search": 12,
    "starts of the closest pose": 21,
    "trials of machine code": 14,
    "usual sizes": 3,
}


def random_numbers(purpose: str, number: int = 0) -> random.Random:
    """Return a stream of random numbers for a purpose; `number` distinguishes repetitions."""
    return random.Random(_SEEDS[purpose] + number)


def random_arrays(purpose: str, number: int = 0) -> np.random.Generator:
    """Return a generator of random arrays for a purpose; `number` distinguishes repetitions."""
    from numpy.random import default_rng  # imported here, because most uses of this module need no arrays

    return default_rng(_SEEDS[purpose] + number)


def generic_values(names: Iterable[str], seed: int = 0) -> dict[str, float]:
    """Return a generic value for each symbol, the same at each call."""
    return {name: random.Random(f"{seed} {name}").uniform(0.3, 1.3) for name in names}


def is_exactly(value: object, number: int) -> bool:
    """Return whether a number or an expression equals `number` exactly, without tolerance."""
    if isinstance(value, Expr):
        return value.is_number and value.number == number
    return bool(value == number)


def negligible(value: Any, scale: Any = 1.0) -> bool:
    """Return whether a value at a generic point, or all values at several points, are zero within tolerance."""
    small = abs(value) <= ZERO * scale
    return small if isinstance(small, bool) else bool(small.all())


def vanishes(*values: Expr | Number) -> bool:
    """Return whether all values (numbers or expressions) are zero for all values of their symbols."""
    for value in values:
        if isinstance(value, Expr) and not value.is_number:
            (number,) = evaluate([value], generic_values(symbols([value])))
        else:
            number = float(value.number) if isinstance(value, Expr) else float(value)
        if not negligible(number):
            return False
    return True
