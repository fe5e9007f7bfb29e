"""Lengths that are symbols, chosen so that the loops close in the reference position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra.tolerances import CLOSED, RANK
from robosym.coordinates.closing import Closing

__all__ = ["fitted_lengths"]

Array = np.ndarray[Any, np.dtype[Any]]
_STEPS = 12  #: one where the position gives all joints: the gaps are linear in lengths
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
    now = dict(values)

    def gap(changed: Mapping[str, float]) -> Array:
        return np.asarray(gaps.linearised(gaps.geometry(changed), q)[0][0])

    for _ in range(_STEPS):
        here, slope = gaps.linearised(gaps.geometry(now), q)
        if np.abs(here).max() < CLOSED:
            kept = all(now[name] * values[name] >= _SMALLEST * values[name] ** 2 for name in lengths)
            return now if kept else None
        columns = [
            (gap(now | {name: now[name] + _DIFFERENCE}) - gap(now | {name: now[name] - _DIFFERENCE}))
            / (2 * _DIFFERENCE)
            for name in lengths
        ]
        table = np.column_stack([*columns, slope[0][:, loose]])
        step = np.linalg.lstsq(table, -here[0], rcond=RANK)[0]
        now |= {name: now[name] + float(change) for name, change in zip(lengths, step, strict=False)}
        q[0, loose] += step[len(lengths) :]
    return None
