"""Numerical decisions about the loop equations: independent joints and rows, zeros, pivots.

From closed positions, `choose` determines which joints are independent, which rows are used, which entries are zero and
which may be pivots (`LoopChoice.sizes`, used by the linear solver). If the positions belong to one mode, reached from a
reference position, the decisions hold in that mode. Without a reference, random positions may belong to several modes;
those in which the motors determine the motion are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.count import count
from robosym.algebra.generic import random_numbers
from robosym.algebra.linear.regular import Sizes
from robosym.algebra.samples import Array, evaluate_arrays
from robosym.algebra.subspaces import rank
from robosym.algebra.tolerances import RANK, ZERO
from robosym.coordinates.closing import Closing
from robosym.errors import InputError

__all__ = ["LoopChoice", "Positions", "choose"]

#: Closed positions to decide at: values of the parameters, the joints of the tree and the cut joints.
Positions = Callable[[Closing], Iterable[Mapping[str, float]]]
_SHARE = 0.02  #: smallest regularity of the chosen rows in every position, relative to that of all rows


@dataclass(frozen=True)
class LoopChoice:
    """Independent joints and rows of the loop equations, and the positions at which they were chosen."""

    active: tuple[int, ...]  #: independent: they determine the motion of all others
    passive: tuple[int, ...]
    rows: tuple[int, ...]  #: one row per passive joint, regular in every sampled position
    solved: tuple[int, ...]  #: the same, or all rows that count where no such choice serves every position
    positions: tuple[Mapping[str, float], ...]
    one_mode: bool
    trusted: bool
    remark: str = ""  #: remark, if the intended mode is ambiguous
    others: tuple[Mapping[str, float], ...] = ()  #: other positions in which the decisions must hold

    @property
    def sizes(self) -> Sizes:
        """Magnitudes of entries in these positions, which decide whether an entry is zero or too small as a pivot.

        If the positions are not trusted, zeros are decided in positions that need not be closed, and hold in every
        mode.
        """
        if self.trusted:
            watched: dict[Expr, None] | None = {} if self.one_mode else None
            return Sizes(self.positions, self.one_mode, others=self.others, divisors=watched)
        rng = random_numbers("usual sizes")
        spread = [{name: rng.uniform(-1.5, 1.5) for name in self.positions[0]} for _ in range(4)]
        return Sizes(spread, pivots=False, divisors={})

    @property
    def sample(self) -> Mapping[str, float]:
        """The first of the positions: the reference position, or the most regular one."""
        return self.positions[0]


def choose(
    name: str, rows: Sequence[Mapping[int, Expr]], motors: Sequence[int], joints: Sequence[int],
    positions: Sequence[Mapping[str, float]], one_mode: bool = False, trusted: bool = True,
    others: Sequence[Mapping[str, float]] = (),
) -> LoopChoice:  # fmt: skip
    """Choose the independent joints, motors first, and the simplest rows that determine the other joints.

    A row is {joint: coefficient}; `name` is the name of the robot for error messages. With `one_mode`, all positions
    can be reached from the first one. If the positions are not `trusted`, the robot may work in another mode, so that
    all rows are used and no entry is treated as zero or as a pivot. The decisions must also hold in the `others` with
    the same degrees of freedom.
    """
    offered = [k for k, row in enumerate(rows) if any(not e.is_zero for e in row.values())]
    order = [*(j for j in joints if j in motors), *(j for j in joints if j not in motors)]
    tables = _tables([rows[k] for k in offered], order, positions)
    free = [len(order) - rank(table) for table in tables]
    if others and len(motors) not in free:  # a mode that the motors determine is worth a wider search
        positions, others = [*positions, *others], ()
        tables = _tables([rows[k] for k in offered], order, positions)
        free = [len(order) - rank(table) for table in tables]
    used = list(range(len(tables))) if one_mode else _agreeing(tables, free, len(motors))
    freedom = free[used[0]]
    if freedom == 0:
        raise InputError(f"{name}: the loops leave no degree of freedom: none of its joints can move")
    tables = [tables[k] for k in used]
    active = _independent(tables, len(motors), freedom)
    columns = [c for c in range(len(order)) if c not in active]
    if not one_mode:  # the most regular position first
        best = sorted(range(len(used)), key=lambda k: -_regularity(tables[k][:, columns]))
        used, tables = [used[k] for k in best], [tables[k] for k in best]
    beside = [] if not others else _tables([rows[k] for k in offered], order, others)
    alike = [k for k, table in enumerate(beside) if rank(table[:, columns]) == len(columns) == rank(table)]
    kept, solved = _rows([rows[k] for k in offered], [t[:, columns] for t in tables], len(columns), one_mode)
    failing = any(rank(beside[k][np.ix_(solved, columns)]) < len(columns) for k in alike)
    if (failing or not trusted) and len(offered) > len(kept):
        solved = list(range(len(offered)))
    chosen = {order[c] for c in active}
    return LoopChoice(
        tuple(j for j in joints if j in chosen), tuple(j for j in joints if j not in chosen),
        tuple(offered[k] for k in kept), tuple(offered[k] for k in solved),
        tuple(positions[k] for k in used), one_mode, trusted, "" if one_mode else _remark(name, free, freedom),
        tuple(others[k] for k in alike),
    )  # fmt: skip


def _agreeing(tables: Sequence[Array], free: Sequence[int], motors: int) -> list[int]:
    """Return the positions with the same degrees of freedom, preferably those that the motors determine."""
    fits = [k for k, f in enumerate(free) if f == motors and _determined(tables[k], motors)]
    common = Counter(free).most_common(1)[0][0]
    return fits or [k for k, f in enumerate(free) if f == common]


def _remark(name: str, free: Sequence[int], taken: int) -> str:
    if len(set(free)) == 1:
        return ""
    found = ", ".join(str(f) for f in sorted(set(free)))
    return (
        f"{name}: its loops leave {found} degrees of freedom, depending on how they are assembled; taken are "
        f"positions with {taken}"
    )


def _determined(table: Array, motors: int) -> bool:
    """Return whether the first columns determine the others."""
    return rank(table[:, motors:]) == int(table.shape[1]) - motors


def _independent(tables: Sequence[Array], motors: int, freedom: int) -> list[int]:
    """Choose one column per degree of freedom: independent motors in their order, then other joints.

    The other joints are chosen to maximize the regularity in the worst position.
    """
    motions = [np.linalg.svd(table)[2][table.shape[1] - freedom :].T for table in tables]

    def regularity(columns: Sequence[int]) -> float:
        """Return the smallest norm of the rates of these joints over all motions of norm 1."""
        return min(float(np.linalg.svd(basis[list(columns)], compute_uv=False)[-1]) for basis in motions)

    found: list[int] = []
    for column in range(motors):
        if len(found) < freedom and regularity([*found, column]) > RANK:
            found.append(column)
    while len(found) < freedom:
        others = [c for c in range(motors, tables[0].shape[1]) if c not in found]
        found.append(max(others, key=lambda c: regularity([*found, c])))
    return found


def _rows(
    rows: Sequence[Mapping[int, Expr]], tables: Sequence[Array], wanted: int, one_mode: bool
) -> tuple[list[int], list[int]]:
    """Return the simplest independent rows, followed by all nonzero rows if the simplest may fail somewhere."""
    counting = [k for k in range(len(rows)) if any(np.abs(t[k]).max(initial=0.0) > ZERO for t in tables)]
    simplest = sorted(counting, key=lambda k: (count(rows[k].values()).total, k))
    steadiest = sorted(counting, key=lambda k: -min(float(np.linalg.norm(t[k])) for t in tables))
    best: list[int] = []
    for order in (simplest, steadiest, simplest[::-1]):
        kept: list[int] = []
        for k in order:
            if len(kept) < wanted and all(rank(t[[*kept, k]]) == len(kept) + 1 for t in tables):
                kept.append(k)
        if len(kept) == wanted:
            best = best or sorted(kept)
            if len(counting) == wanted or _serve(kept, tables, one_mode):
                return sorted(kept), counting if one_mode else sorted(kept)
    if not best:  # no rows are independent in every position: those of the first
        for k in simplest:
            if len(best) < wanted and rank(tables[0][[*best, k]]) == len(best) + 1:
                best.append(k)
    return sorted(best), counting


def _serve(kept: Sequence[int], tables: Sequence[Array], one_mode: bool) -> bool:
    """Return whether the rows are regular in every position, without a singularity between the positions."""
    shares = [_least(t[list(kept)]) >= _SHARE * _least(t) for t in tables]
    signs = {float(np.sign(np.linalg.det(t[list(kept)]))) for t in tables}
    return bool(all(shares)) and (len(signs) == 1 or not one_mode)


def _tables(
    rows: Sequence[Mapping[int, Expr]], joints: Sequence[int], positions: Sequence[Mapping[str, float]]
) -> list[Array]:
    """Return numeric matrices (rows, joints), one per position."""
    places = [(r, c) for r, row in enumerate(rows) for c, j in enumerate(joints) if j in row]
    tables = np.zeros((len(positions), len(rows), len(joints)))
    if places:
        symbols = {name: np.array([values[name] for values in positions]) for name in positions[0]}
        entries = evaluate_arrays([rows[r][joints[c]] for r, c in places], symbols)
        for (r, c), entry in zip(places, entries, strict=True):
            tables[:, r, c] = entry
    return list(tables)


def _singular_values(table: Array) -> Array:
    return np.asarray(np.linalg.svd(table, compute_uv=False)) if table.size else np.zeros(0)


def _least(table: Array) -> float:
    """Return the smallest singular value."""
    return float(_singular_values(table)[-1]) if table.size else 1.0


def _regularity(table: Array) -> float:
    """Return the ratio of the smallest to the largest singular value."""
    return _least(table) / max(float(_singular_values(table).max(initial=0.0)), ZERO) if table.size else 1.0
