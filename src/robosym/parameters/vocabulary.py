"""What a geometry is made of, and numbers read back as short expressions of it: 1, -D8/D3, 2*D4*cos(g7), ..."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from robosym.algebra import Expr, Graph, Level, evaluate
from robosym.mechanism import GEOMETRY, Robot
from robosym.spatial import cos, sin

__all__ = ["Vocabulary", "geometry_entries", "has_symbols"]

_CLOSE = 1e-7  #: a least-squares solution has this many digits, and other expressions seldom come so near
_DENOMINATOR = 1000  #: of the fractions that are taken for exact
_FACTORS = (Fraction(1), Fraction(2), Fraction(1, 2))


def geometry_entries(robot: Robot, graph: Graph) -> list[Expr]:
    """Lengths, and sines and cosines of angles, of the constant geometry; of couplings ratios and offsets."""
    found: list[Expr] = []
    for frame in robot.frames:
        entries = {name: graph.copy([getattr(frame, name)])[0] for name in GEOMETRY}
        for name, entry in entries.items():
            if name == frame.joint_type.variable:
                continue
            if name in ("gamma", "alpha", "theta"):
                found += [cos(entry), sin(entry)] if entry.level is not Level.NUMBER or not entry.is_zero else []
            else:
                found.append(entry)
        if frame.joint_type.turns and frame.joint_type.slides:
            found.append(graph.number(frame.joint_type.linear))
    for coupling in robot.couplings.values():
        offset = graph.number(coupling.offset)
        found += [cos(offset), sin(offset)] if coupling.offset else []
        for ratio in coupling.ratios.values():  # of the joint, and of its link where axes are parallel
            found += [graph.number(ratio), graph.number(1 + ratio), graph.number(1 - ratio)]
    return found


def has_symbols(entries: Iterable[Expr]) -> bool:
    """Whether other values can be given to some of them."""
    return any(entry.level is not Level.NUMBER for entry in entries)


class Vocabulary:
    """Products and quotients of what the geometry is made of, with their values for some geometries."""

    def __init__(self, graph: Graph, entries: Iterable[Expr], geometries: Sequence[Mapping[str, float]]) -> None:
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
        exact = Fraction(wanted[0]).limit_denominator(_DENOMINATOR)
        return self.graph.number(exact) if np.all(np.abs(wanted - float(exact)) < _CLOSE) else None
