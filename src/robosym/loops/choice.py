"""What is decided about the loops' equations by numbers and not by form: the one place where it is.

`choose` takes closed positions and says which rows are kept, in which position they are most regular, and with it
which entries are zero and which may be pivots (`ChosenRows.sizes`, asked by the linear solver). Other positions, such
as those of one assembly mode, make other choices: pass them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate
from robosym.algebra.count import count
from robosym.algebra.generic import RANK, ZERO
from robosym.algebra.linear.solve import Sizes, sizes_at
from robosym.errors import InputError
from robosym.loops.closing import Closing

__all__ = ["ChosenRows", "Positions", "choose"]

Array = np.ndarray[Any, np.dtype[Any]]
#: Closed positions to decide at: values of the parameters, the joints of the tree and the cut joints.
Positions = Callable[[Closing], Iterable[Mapping[str, float]]]


@dataclass(frozen=True)
class ChosenRows:
    """Which of the rows offered are kept, and where that was decided."""

    rows: tuple[int, ...]
    sample: Mapping[str, float]  #: the position in which the rows are most regular

    @property
    def sizes(self) -> Sizes:
        """Of entries in that position: nothing, or too small for a pivot, there means so everywhere."""
        return sizes_at(self.sample)


def choose(
    name: str, rows: Sequence[Mapping[int, Expr]], active: Sequence[int], passive: Sequence[int],
    positions: Sequence[Mapping[str, float]],
) -> ChosenRows:  # fmt: skip
    """As many rows as there are passive joints, independent where the loops are closed, the simplest ones.

    A row is {joint: coefficient}; `name` is the robot's, for the errors where the loops do not bind just the passive
    joints.
    """
    offered = [k for k, row in enumerate(rows) if any(not e.is_zero for e in row.values())]
    tables = [_table([rows[k] for k in offered], (*active, *passive), values) for values in positions]
    n = len(active)
    regular = [(_rank(table[:, n:]), _rank(table), _regularity(table[:, n:])) for table in tables]
    best = max(range(len(tables)), key=lambda k: regular[k])
    table, (passive_rank, rank, _) = tables[best], regular[best]
    freedoms = n + len(passive) - rank
    if freedoms != n:
        raise InputError(
            f"{name}: the loops leave {freedoms} degrees of freedom, but {n} joints are active "
            f"({', '.join(map(str, active))}); {_advice(table, n, freedoms, passive)}"
        )
    if passive_rank != len(passive):
        raise InputError(
            f"{name}: the active joints do not determine the passive ones: {passive_rank} independent equations "
            f"for {len(passive)} passive joints ({', '.join(map(str, passive))})"
        )
    simplest = sorted(range(len(offered)), key=lambda k: (count(rows[offered[k]].values()).total, k))
    kept: list[int] = []
    for k in simplest:
        if len(kept) < len(passive) and _rank(table[[*kept, k], n:]) == len(kept) + 1:
            kept.append(k)
    return ChosenRows(tuple(offered[k] for k in sorted(kept)), positions[best])


def _table(rows: Sequence[Mapping[int, Expr]], joints: Sequence[int], values: Mapping[str, float]) -> Array:
    """Rows over joints, in numbers."""
    places = [(r, c) for r, row in enumerate(rows) for c, j in enumerate(joints) if j in row]
    table = np.zeros((len(rows), len(joints)))
    if places:
        table[tuple(zip(*places, strict=True))] = evaluate([rows[r][joints[c]] for r, c in places], values)
    return table


def _advice(table: Array, n: int, freedoms: int, passive: Sequence[int]) -> str:
    """What to change where the number of active joints is not that of the degrees of freedom."""
    if freedoms < n:
        return f"make {n - freedoms} of them passive (mu = 0)"
    _, _, motions = np.linalg.svd(table[:, n:])
    free = np.abs(motions[n - freedoms :]).max(axis=0) > RANK  # the last ones are those the loops resist least
    moving = ", ".join(str(j) for j, moves in zip(passive, free, strict=True) if moves)
    return (
        f"joints {moving} still move when these are held: make {freedoms - n} of them active (mu = 1), or describe "
        "one spherical joint of a coupler that spins idly between two as a universal joint (two revolute joints)"
    )


def _singular_values(table: Array) -> Array:
    return np.asarray(np.linalg.svd(table, compute_uv=False)) if table.size else np.zeros(0)


def _rank(table: Array) -> int:
    values = _singular_values(table)
    return int((values > RANK * max(values.max(initial=0), ZERO)).sum())


def _regularity(table: Array) -> float:
    """The smallest singular value that counts over the largest."""
    values = _singular_values(table) if table.size else np.ones(1)
    return float(values[: _rank(table) or 1][-1] / max(values[0], ZERO))
