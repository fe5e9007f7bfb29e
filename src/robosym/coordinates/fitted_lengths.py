"""Lengths that are symbols, chosen so that the loops close in the reference position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED
from robosym.coordinates.closing import Closing

__all__ = ["fitted_lengths"]

_STEPS = 24  #: one where the position gives all joints: the gaps are linear in lengths
_DAMPING = Damping(first=1e-6, less=1, more=10, least=1e-6, most=1e4)  #: lengths that close the loops as well stay
_DIFFERENCE = 1e-5  #: by which a length is changed to see what it does
_SMALLEST = 0.05  #: of what a length was, that it may become


def fitted_lengths(
    closing: Closing, position: Mapping[str, float], values: Mapping[str, float], lengths: Sequence[str]
) -> dict[str, float] | None:
    """Values of the parameters, the `lengths` among them moved as little as may be until the position closes the loops.

    Joints that the position does not give move too. None where the loops do not close with lengths of the same sign.
    """
    gaps = closing.gaps
    loose = [column for column, name in enumerate(gaps.names) if name not in position]
    q = np.array([[position.get(name, 0.0) for name in gaps.names]])

    def at(x: Array) -> tuple[Array, Array]:
        q[0, loose] = x[len(lengths) :]
        return gaps.linearised(gaps.geometry({**values, **dict(zip(lengths, x.tolist(), strict=False))}), q)

    def equations(x: Array, _: Array) -> tuple[Array, Array]:
        steps = _DIFFERENCE * np.eye(len(x[0]))[: len(lengths)]
        columns = [(at(x[0] + step)[0] - at(x[0] - step)[0]) / (2 * _DIFFERENCE) for step in steps]
        gap, slope = at(x[0])
        return gap, np.concatenate([*(column[..., None] for column in columns), slope[..., loose]], axis=2)

    start = np.array([[*(values[name] for name in lengths), *q[0, loose]]])
    (x,), (left,) = levenberg_marquardt(equations, start, _DAMPING, CLOSED, _STEPS)
    now = dict(zip(lengths, x.tolist(), strict=False))
    kept = all(now[name] * values[name] >= _SMALLEST * values[name] ** 2 for name in lengths)
    return {**values, **now} if kept and np.abs(left).max() < CLOSED else None
