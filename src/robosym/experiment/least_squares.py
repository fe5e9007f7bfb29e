"""Least squares on compressed data: the triangle R of [W y] holds all that a fit needs of any number of samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import DEPENDENT

__all__ = ["Fit", "Triangle", "compressed", "independent", "joined", "noise", "solve", "weighted"]

_RANK = 1e-10  #: of singular values: columns of a regressor differ much in size
_PERFECT, _LEAST = 1e-9, 1e-12  #: a perfect fit would get an endless weight

Array = NDArray[np.float64]

_TOGETHER = 8  #: triangles that are joined at a time


@dataclass(frozen=True, eq=False)
class Triangle:
    """R of [W y], and how many rows it stands for."""

    R: Array
    rows: int

    def spread(self, places: NDArray[np.int_], width: int) -> Triangle:
        """The same among `width` columns of which it has those at the places; the others are zero."""
        wide = np.zeros((len(self.R), width + 1))
        wide[:, places] = self.R[:, :-1]
        wide[:, -1] = self.R[:, -1]
        return Triangle(wide, self.rows)

    def residual(self, values: Array) -> float:
        """The sum of squares of y - W values."""
        return float(np.sum((self.R[:, -1] - self.R[:, :-1] @ values) ** 2))

    @property
    def size(self) -> float:
        """The sum of squares of y."""
        return float(np.sum(self.R[:, -1] ** 2))


@dataclass(frozen=True, eq=False)
class Fit:
    """Values with their covariance."""

    values: Array
    covariance: Array
    condition: float


def compressed(W: Array, y: Array) -> Triangle:
    """The triangle of [W y]: same residuals for all values."""
    return Triangle(_triangle(np.column_stack([W, y])), len(y))


def joined(parts: Iterable[Triangle]) -> Triangle:
    """The triangle of all rows together; a tree of such steps serves any number of logs."""
    found = list(parts)
    while len(found) > _TOGETHER:
        found = [joined(found[at : at + _TOGETHER]) for at in range(0, len(found), _TOGETHER)]
    return Triangle(_triangle(np.concatenate([part.R for part in found])), sum(part.rows for part in found))


def _triangle(rows: Array) -> Array:
    return np.asarray(np.linalg.qr(rows, mode="r")) if len(rows) else rows


def noise(part: Triangle) -> float:
    """Standard deviation of the residuals of the rows, fitted on their own."""
    if not part.rows:
        return 1.0
    W, y = part.R[:, :-1], part.R[:, -1]
    values, _, rank, _ = np.linalg.lstsq(W, y, rcond=_RANK)
    free = max(part.rows - int(rank), 1)
    deviation = float(np.linalg.norm(y - W @ values) / np.sqrt(free))
    # a perfect fit would get an endless weight
    return max(deviation, _PERFECT * float(np.linalg.norm(y)) / float(np.sqrt(part.rows)), _LEAST)


def weighted(parts: Sequence[Triangle], deviations: Sequence[float]) -> Triangle:
    """Joints together, each over the deviation of its residuals."""
    return joined(Triangle(part.R / s, part.rows) for part, s in zip(parts, deviations, strict=True))


def independent(R: Array) -> list[int]:
    """The columns of W that are independent of those before them."""
    return independent_columns(R[:, :-1], DEPENDENT, shortest=0.0)[0]  # columns of a regressor differ much in size


def solve(data: Triangle, total: bool = False) -> Fit:
    """Ordinary least squares, or `total` ones, in which the columns are taken to be as noisy as y."""
    W, y = data.R[:, :-1], data.R[:, -1]
    count = W.shape[1]
    sizes = np.linalg.norm(W, axis=0)
    scaled = W / sizes
    if total:
        size = float(np.linalg.norm(y)) or 1.0
        v = np.linalg.svd(np.column_stack([scaled, y / size]))[2][-1]
        values = -v[:-1] / v[-1] * size
    else:
        values = np.linalg.lstsq(scaled, y, rcond=None)[0]
    residual = float(np.linalg.norm(y - scaled @ values))
    inverse = np.linalg.pinv(scaled)
    spread = residual**2 / max(data.rows - count, 1)
    covariance = spread * (inverse @ inverse.T) / np.outer(sizes, sizes)
    return Fit(values / sizes, covariance, float(np.linalg.cond(W)))
