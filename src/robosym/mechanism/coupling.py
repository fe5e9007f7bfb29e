"""Joints that gears, belts or cables couple: the position of one is a linear function of the positions of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.frozen import FrozenDict
from robosym.algebra.trigonometry import linear_terms
from robosym.errors import RobotError, closest

__all__ = ["Coupling", "check_couplings", "coupling_of"]


@dataclass(frozen=True, slots=True)
class Coupling:
    """q = sum of ratio times the position of a joint, plus `offset`; the joint has no freedom of its own."""

    ratios: Mapping[str, float]  #: by joint variable
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", FrozenDict(self.ratios))

    def value(self, positions: Mapping[str, float]) -> float:
        return sum(ratio * positions[name] for name, ratio in self.ratios.items()) + self.offset


def coupling_of(value: Expr) -> Coupling:
    """`2*t2 + 0.1` as numbers; an error in words where it is not linear."""
    ratios: dict[str, float] = {}
    offset = 0.0
    for base, coefficient in linear_terms(value).items():
        names = list(symbols([base]))
        factor = float(coefficient)
        if not names:
            offset += factor * evaluate([base], {})[0]
        elif base.op == "symbol":
            ratios[names[0]] = ratios.get(names[0], 0.0) + factor
        else:
            raise RobotError(f"expected a linear relation with numbers, such as 2*{names[0]} + 0.1", field="couplings")
    return Coupling(ratios, offset)


def check_couplings(couplings: Mapping[str, Coupling], variables: Sequence[str], motors: Sequence[str]) -> None:
    """An error where a relation names no joint, or leaves open which joint moves which."""
    for name, coupling in couplings.items():
        for other in (name, *coupling.ratios):
            if other not in variables:
                message = f"{other[:40]} is no joint variable{closest(other[:40], variables)}"
                raise RobotError(message, field="couplings")
        for other in coupling.ratios:
            if other in couplings:
                message = f"{name}: {other} is coupled itself: write {name} as a function of joints that move freely"
                raise RobotError(message, field="couplings")
        if not coupling.ratios or not all(map(isfinite, (*coupling.ratios.values(), coupling.offset))):
            raise RobotError(f"{name}: expected a relation with finite numbers to other joints", field="couplings")
        if name in motors:
            message = f"{name}: a coupled joint has no motor of its own (mu = 0): the joints that it follows have"
            raise RobotError(message, field="couplings")
