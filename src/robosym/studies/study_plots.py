"""Plots of a study: maps and curves over a grid, the reach of an arm, and the Pareto front of two criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.algebra.tolerances import ZERO
from robosym.drawing.axes import MapAxis
from robosym.drawing.canvas import Canvas
from robosym.drawing.charts import curves, points
from robosym.drawing.maps import maps
from robosym.errors import InputError, closest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robosym.studies.study import Study

__all__ = ["pareto_front", "plotted_study"]

_MOST = 20_000  #: points of a plot


def pareto_front(values: Array, largest: Sequence[bool]) -> NDArray[np.int_]:
    """Return the rows that no other row equals or exceeds in every criterion, sorted by the first one.

    Larger values of a criterion are better if `largest` is True, else smaller ones. Rows that are not finite
    are left out.
    """
    signed = np.where(largest, -1.0, 1.0) * values  # smaller is better
    rows = np.flatnonzero(np.isfinite(signed).all(axis=1))
    order = rows[np.lexsort(signed[rows].T[::-1])]
    front: list[int] = []
    for row in order:
        if not front or not (signed[front] <= signed[row]).all(axis=1).any():
            front.append(int(row))
    return np.array(front, dtype=int)


def plotted_study(study: Study, names: Sequence[str] = (), largest: Sequence[str] = ()) -> Canvas:
    """Return the plot of a study; two `names` show one criterion over the other with their Pareto front."""
    if study.robots:
        raise InputError("plot: expected a study of one robot, found several")
    named = dict(study.values) if isinstance(study.values, dict) else {"value": study.values}
    flat = {name: np.asarray(v, dtype=float) for name, v in named.items() if np.asarray(v).dtype.kind in "biuf"}
    columns = _columns(flat, study.done.ndim)
    for name in (*names, *largest):
        if name not in columns:
            raise InputError(f"plot: unknown value {name!r}{closest(name, columns)}")
    if len(names) == 2:
        pairs = np.column_stack([columns[name].ravel() for name in names])
        front = pareto_front(pairs, [name in largest for name in names])
        rest = np.setdiff1d(np.flatnonzero(np.isfinite(pairs).all(axis=1)), front)[:_MOST]
        first, second = (MapAxis(name, pairs[np.isfinite(pairs).all(axis=1), k]) for k, name in enumerate(names))
        return points(
            f"{names[1]} over {names[0]}", first, second, {"samples": pairs[rest], "Pareto front": pairs[front]}
        )
    wide = [MapAxis(name, values) for name, values in study.axes.items() if len(values) > 1]
    if list(columns) == ["value 1", "value 2", "value 3"]:
        return _reach(columns)
    chosen = {name: columns[name] for name in (names or columns)}
    if len(wide) == 1:
        over = {name: values.ravel() for name, values in chosen.items()}
        return curves(", ".join(chosen), wide[0], over, next(iter(chosen)) if len(chosen) == 1 else "value")
    if len(wide) == 2:
        name, values = next(iter(chosen.items()))
        return maps(name, wide[0], wide[1], {"": values.reshape([len(axis.values) for axis in wide])}, name)
    raise InputError(
        f"plot: expected a grid over one or two columns, positions, or two names of values, found {len(wide)} columns"
    )


def _columns(named: dict[str, Array], axes: int) -> dict[str, Array]:
    """Return one array per number of a sample."""
    found: dict[str, Array] = {}
    for name, values in named.items():
        parts = values.reshape(*values.shape[:axes], -1)
        count = parts.shape[-1]
        found |= {name if count == 1 else f"{name} {k + 1}": parts[..., k] for k in range(count)}
    return found


def _reach(columns: dict[str, Array]) -> Canvas:
    """Return positions of an arm seen from the side: height over the distance from the first axis, and from above."""
    x, y, z = (values.ravel()[:_MOST] for values in columns.values())
    if np.ptp(z) < ZERO * max(np.ptp(x), np.ptp(y), ZERO):  # planar
        return points("reach", MapAxis("x", x, "m"), MapAxis("y", y, "m"), {"positions": np.column_stack([x, y])})
    r = np.hypot(x, y)
    return points("reach", MapAxis("distance from the first axis", r, "m"), MapAxis("z", z, "m"),
                  {"positions": np.column_stack([r, z])})  # fmt: skip
