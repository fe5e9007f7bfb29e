"""Least squares on compressed data: the triangular factor R of [W y] replaces any number of samples.

Consecutive samples have correlated errors; blocks of a few seconds are nearly independent. The bootstrap draws blocks
with replacement many times to estimate standard deviations; cross-validation predicts each block from the others. Both
need only the sums of products of each block, R^T R.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.arrays import Array
from robosym.algebra.generic import random_arrays
from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import DEPENDENT, TINY
from robosym.errors import InputError

__all__ = [
    "Blocks",
    "Factor",
    "Fit",
    "Triangle",
    "bootstrapped",
    "compressed",
    "cross_validated",
    "independent",
    "joined",
    "link_by_link",
    "noise",
    "solve",
    "weighted",
]

_RANK = 1e-10  #: relative tolerance of singular values; the columns of a regressor differ much in size
_PERFECT, _LEAST = 1e-9, 1e-12  #: lower bounds of the noise: a perfect fit would get an infinite weight
_TOGETHER = 8  #: triangles joined at a time


@dataclass(frozen=True, eq=False)
class Triangle:
    """Triangular factor R of [W y], and the number of rows that it replaces."""

    R: Array
    rows: int

    def spread(self, places: NDArray[np.int_], width: int) -> Triangle:
        """Return the triangle with `width` columns, the present ones at `places` and zeros elsewhere."""
        wide = np.zeros((len(self.R), width + 1))
        wide[:, places] = self.R[:, :-1]
        wide[:, -1] = self.R[:, -1]
        return Triangle(wide, self.rows)

    def residual(self, values: Array) -> float:
        """Return the sum of squares of y - W values."""
        return float(np.sum((self.R[:, -1] - self.R[:, :-1] @ values) ** 2))

    @property
    def size(self) -> float:
        """Sum of squares of y."""
        return float(np.sum(self.R[:, -1] ** 2))


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameter values with their covariance, and the condition number of W."""

    values: Array
    covariance: Array
    condition: float


def compressed(W: Array, y: Array) -> Triangle:
    """Return the triangle of [W y], which has the same residuals for all values."""
    return Triangle(_triangle(np.column_stack([W, y])), len(y))


class Factor:
    """Orthonormal factor of W, to which columns are added without factoring W again."""

    def __init__(self, W: Array) -> None:
        self._Q, self._R = np.linalg.qr(W)

    def extended(self, column: Array, y: Array) -> Triangle:
        """Return the triangle of [W column y]."""
        more = np.column_stack([column, y])
        above = self._Q.T @ more
        rest = more - self._Q @ above
        again = self._Q.T @ rest  # the first projection leaves rounding errors of the size of the column
        below = _triangle(rest - self._Q @ again)
        top = np.hstack([self._R, above + again])
        return Triangle(np.vstack([top, np.hstack([np.zeros((len(below), self._R.shape[1])), below])]), len(y))


def joined(parts: Iterable[Triangle]) -> Triangle:
    """Return the triangle of all rows together, joined in a tree so that any number of logs is possible."""
    found = list(parts)
    while len(found) > _TOGETHER:
        found = [joined(found[at : at + _TOGETHER]) for at in range(0, len(found), _TOGETHER)]
    return Triangle(_triangle(np.concatenate([part.R for part in found])), sum(part.rows for part in found))


def _triangle(rows: Array) -> Array:
    return np.asarray(np.linalg.qr(rows, mode="r")) if len(rows) > rows.shape[1] else rows  # few rows stay as they are


def noise(part: Triangle) -> float:
    """Return the standard deviation of the residuals when the rows are fitted separately."""
    if not part.rows:
        return 1.0
    W, y = part.R[:, :-1], part.R[:, -1]
    values, _, rank, _ = np.linalg.lstsq(W, y, rcond=_RANK)
    free = max(part.rows - int(rank), 1)
    deviation = float(np.linalg.norm(y - W @ values) / np.sqrt(free))
    return max(deviation, _PERFECT * float(np.linalg.norm(y)) / float(np.sqrt(part.rows)), _LEAST)


def weighted(parts: Sequence[Triangle], deviations: Sequence[float]) -> Triangle:
    """Join the triangles of the joints, each divided by the standard deviation of its residuals."""
    return joined(Triangle(part.R / s, part.rows) for part, s in zip(parts, deviations, strict=True))


def independent(R: Array) -> list[int]:
    """Return the columns of W that do not depend on earlier ones."""
    return independent_columns(R[:, :-1], DEPENDENT, shortest=0.0)[0]  # columns differ much in size


def identifiable(data: Triangle, width: int, what: str) -> tuple[list[int], Triangle]:
    """Return the independent columns among the first `width`, and their triangle.

    Raises an error if there are too few samples.
    """
    kept = independent(data.R[:, [*range(width), -1]])
    if data.rows <= len(kept) or not kept:
        raise InputError(f"{what}: expected more moving samples than parameters ({len(kept)}), found {data.rows}")
    return kept, Triangle(data.R[:, [*kept, -1]], data.rows)


def solve(data: Triangle, total: bool = False) -> Fit:
    """Solve by ordinary least squares, or by total least squares, which assumes W as noisy as y."""
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


def link_by_link(parts: Sequence[Triangle], kept: Sequence[int]) -> Fit:
    """Fit the columns `kept` from the triangles of the joints, last joint first (guide 3.108).

    Each row of D contains the parameters of the links beyond its joint. Known parameters are subtracted from the
    torques of earlier joints. Parameters that one joint cannot separate are carried to the next one with their
    equations.
    """
    width = parts[0].R.shape[1] - 1
    values, covariance = np.zeros(width), np.zeros((width, width))
    known: list[int] = []
    waiting: list[Triangle] = []
    for at, part in reversed(list(enumerate(parts))):
        waiting.append(part)
        rows = joined(waiting)
        unknown = [k for k in kept if k not in known and np.any(rows.R[:, k])]
        left = Triangle(
            np.column_stack([rows.R[:, unknown], rows.R[:, -1] - rows.R[:, known] @ values[known]]), rows.rows
        )
        apart = independent(left.R)
        if not unknown or (at and len(apart) < len(unknown)):
            continue
        found = [unknown[k] for k in apart]
        stage = Triangle(left.R[:, [*apart, -1]], left.rows)
        fit = solve(stage)
        values[found] = fit.values
        # propagate the covariance of the known parameters
        onto = np.linalg.pinv(stage.R[:, :-1]) @ rows.R[:, known]
        own = covariance[np.ix_(known, known)]
        covariance[np.ix_(found, found)] = fit.covariance + onto @ own @ onto.T
        covariance[np.ix_(found, known)] = -onto @ own
        covariance[np.ix_(known, found)] = covariance[np.ix_(found, known)].T
        known += found
        waiting = []
    whole = np.concatenate([part.R[:, list(kept)] for part in parts])
    chosen = np.ix_(list(kept), list(kept))
    return Fit(values[list(kept)], covariance[chosen], float(np.linalg.cond(whole)))


Blocks = list[list[Triangle]]  #: triangles of all joints, per block


def _products(blocks: Blocks, weights: Sequence[float], kept: Sequence[int]) -> Array:
    """Return [W y]^T [W y] per block for the columns `kept`, each joint divided by its weight."""
    chosen = [*kept, -1]
    rows = [np.concatenate([part.R[:, chosen] / w for part, w in zip(block, weights, strict=True)]) for block in blocks]
    return np.array([row.T @ row for row in rows])


def _solved(products: Array) -> Array:
    """Solve from [W y]^T [W y] with scaled columns; one matrix or several."""
    sizes = np.sqrt(np.maximum(np.diagonal(products, axis1=-2, axis2=-1)[..., :-1], TINY))
    square = products[..., :-1, :-1] / (sizes[..., :, None] * sizes[..., None, :])
    right = products[..., :-1, -1] / sizes
    count = square.shape[-1]
    ridge = count * np.finfo(float).eps * np.eye(count)  # a draw may leave a parameter without data
    return np.asarray(np.linalg.solve(square + ridge, right[..., None])[..., 0] / sizes)


def cross_validated(blocks: Blocks, weights: Sequence[float], kept: Sequence[int]) -> float:
    """Return the weighted sum of squared errors of each block predicted from the others."""
    products = _products(blocks, weights, kept)
    total = products.sum(axis=0)
    score = 0.0
    for own in products:
        values = np.append(-_solved(total - own), 1.0)
        score += max(float(values @ own @ values), 0.0)
    return score


def bootstrapped(blocks: Blocks, weights: Sequence[float], kept: Sequence[int], times: int, seed: int) -> Array:
    """Return the covariance of the values over `times` draws of blocks with replacement."""
    products = _products(blocks, weights, kept)
    count = len(products)
    draws = random_arrays("blocks of a log", seed).multinomial(count, np.full(count, 1 / count), size=times)
    values = _solved(np.einsum("rb,bij->rij", draws.astype(float), products))
    return np.atleast_2d(np.cov(values, rowvar=False))
