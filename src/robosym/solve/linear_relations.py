"""Passive joints that are sums of known ones, as in a parallelogram: t3 = Pi/2 - t2 + t7 (guide 2.2.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from robosym.algebra.generic import generic_values
from robosym.algebra.subspaces import null_space
from robosym.algebra.tolerances import CLOSED
from robosym.coordinates.assembly import assembled_parallelograms
from robosym.coordinates.closing import Closing
from robosym.mechanism import Robot

__all__ = ["linear_relations"]

_SAMPLES = 3  #: positions and lengths at which the relations must be the same
_PARTS = 12  #: constants are looked for among the multiples of this part of Pi
_ROUNDED = 1e-6


def linear_relations(robot: Robot, known: Sequence[str]) -> dict[str, str]:
    """The joints of parallelograms, cut ones included, that are linear in the known ones: by name, as texts.

    The parallelograms are those of the mode that the models take for granted. Rates give the factors, which must be
    1 or -1 at samples in general position, and the samples give the constants, which must be parts of Pi.
    """
    shapes = assembled_parallelograms(robot)
    if not shapes:
        return {}
    closing = Closing(robot, tuple(shapes.values()))
    found = [_at(closing, known, seed) for seed in range(_SAMPLES)]
    first = found[0]
    if first is None or any(other is None for other in found):
        return {}
    same = {name: value for name, value in first.items() if all(o is not None and o.get(name) == value for o in found)}
    return {name: _text(factors, constant) for name, (factors, constant) in same.items()}


def _at(closing: Closing, known: Sequence[str], seed: int) -> dict[str, Any] | None:
    """The relations at one sample: factors by known joint, and the constant in parts of Pi; None where it is open."""
    gaps = closing.gaps
    values, gap = closing.move(generic_values([*gaps.parameters, *gaps.names], seed))
    if gap > CLOSED:
        return None
    _, slope = gaps.linearised(gaps.geometry(values), gaps.position(values))
    free = null_space(slope[0])  # (joints, motions)
    given = [gaps.names.index(name) for name in known if name in gaps.names]
    found = {}
    for column, name in enumerate(gaps.names):
        factors, *_ = np.linalg.lstsq(free[given].T, free[column], rcond=None)
        whole: list[int] = np.round(factors).astype(int).tolist()
        exact = np.abs(free[given].T @ whole - free[column]).max() < _ROUNDED
        if column in given or not exact or max(map(abs, whole), default=0) != 1:
            continue
        turn = values[name] - sum(f * values[gaps.names[k]] for f, k in zip(whole, given, strict=True))
        parts = turn / (math.pi / _PARTS)
        if abs(parts - round(parts)) < _ROUNDED:
            terms = tuple((gaps.names[k], f) for f, k in zip(whole, given, strict=True) if f)
            found[name] = terms, _PARTS - (_PARTS - round(parts)) % (2 * _PARTS)  # within a turn, Pi rather than -Pi
    return found


def _text(terms: Sequence[tuple[str, int]], parts: int) -> str:
    """`Pi/2 - t2 + t7`."""
    share = Fraction(parts, _PARTS)
    pieces = []
    if share:
        above = "Pi" if abs(share.numerator) == 1 else f"{abs(share.numerator)}*Pi"
        pieces.append(("-" if share < 0 else "+", above if share.denominator == 1 else f"{above}/{share.denominator}"))
    pieces += [("-" if factor < 0 else "+", name) for name, factor in terms]
    first = next((place for place, (sign, _) in enumerate(pieces) if sign == "+"), 0)
    (sign, head), *rest = [pieces[first], *pieces[:first], *pieces[first + 1 :]]
    return ("-" if sign == "-" else "") + head + "".join(f" {sign} {name}" for sign, name in rest)
