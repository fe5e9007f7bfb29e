"""Numbers back to expressions of the geometry: 1, -D8/D3, 2*D4*cos(g7), ..."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from robosym.algebra import Expr, Graph, evaluate

__all__ = ["Vocabulary"]

_CLOSE = 1e-7
_FACTORS = (Fraction(1), Fraction(2), Fraction(1, 2))


class Vocabulary:
    """Products and quotients of what the geometry is made of, with their values for some geometries."""

    def __init__(self, graph: Graph, entries: Iterable[Expr], geometries: Sequence[Mapping[str, float]]) -> None:
        """`entries` are lengths and sines and cosines of angles, in `graph`."""
        self.graph = graph
        one = graph.one
        atoms = [e for e in dict.fromkeys(e.node for e in entries) if not e.is_number or e.number not in (0, 1)]
        words = dict.fromkeys(
            [one, *atoms, *(a * b for a, b in product(atoms, atoms)), *(a / b for a, b in product(atoms, atoms)),
             *(1 / a for a in atoms), *(a * a / b for a, b in product(atoms, atoms))]
        )  # fmt: skip
        self.words = [word for word in words if not word.is_zero]
        self.values = np.array([evaluate(self.words, geometry) for geometry in geometries]).T

    def recognise(self, numbers: Sequence[float]) -> Expr | None:
        """The expression that has these values for the geometries, one each; None where there is no short one."""
        wanted = np.array(numbers)
        if np.all(np.abs(wanted) < _CLOSE):
            return self.graph.zero
        for factor in _FACTORS:
            for sign in (1, -1):
                near = np.all(np.abs(sign * float(factor) * self.values - wanted) < _CLOSE, axis=1)
                if near.any():
                    return self.graph.number(sign * factor) * self.words[int(np.argmax(near))]
        exact = Fraction(wanted[0]).limit_denominator(1000)
        return self.graph.number(exact) if np.all(np.abs(wanted - float(exact)) < _CLOSE) else None
