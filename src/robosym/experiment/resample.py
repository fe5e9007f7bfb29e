"""Blocks of a few seconds as the units of a log: what an estimate is worth without some of them.

Samples that follow each other have much in common, errors included; blocks have little. Deviations by bootstrap draw as
many blocks as there are, with replacement, many times; cross-validation predicts each block from all the others.
Both need no more of a block than its sums of products (the square of its triangle).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.generic import random_arrays
from robosym.algebra.tolerances import TINY
from robosym.experiment.least_squares import Triangle

__all__ = ["Blocks", "bootstrapped", "cross_validated"]

Array = NDArray[np.float64]
Blocks = list[list[Triangle]]  #: of each block the triangles of all joints


def _products(blocks: Blocks, weights: Sequence[float], kept: Sequence[int]) -> Array:
    """[W y]^T [W y] of each block, joints over their weights, for the columns kept."""
    chosen = [*kept, -1]
    rows = [np.concatenate([part.R[:, chosen] / w for part, w in zip(block, weights, strict=True)]) for block in blocks]
    return np.array([row.T @ row for row in rows])


def _solved(products: Array) -> Array:
    """Values from [W y]^T [W y], columns brought to one size; one matrix or several."""
    sizes = np.sqrt(np.maximum(np.diagonal(products, axis1=-2, axis2=-1)[..., :-1], TINY))
    square = products[..., :-1, :-1] / (sizes[..., :, None] * sizes[..., None, :])
    right = products[..., :-1, -1] / sizes
    count = square.shape[-1]
    ridge = count * np.finfo(float).eps * np.eye(count)  # blocks drawn may leave a parameter without data
    return np.asarray(np.linalg.solve(square + ridge, right[..., None])[..., 0] / sizes)


def cross_validated(blocks: Blocks, weights: Sequence[float], kept: Sequence[int]) -> float:
    """Sum of squares of each block, joints over their weights, as predicted from the others."""
    products = _products(blocks, weights, kept)
    total = products.sum(axis=0)
    score = 0.0
    for own in products:
        values = np.append(-_solved(total - own), 1.0)
        score += max(float(values @ own @ values), 0.0)
    return score


def bootstrapped(blocks: Blocks, weights: Sequence[float], kept: Sequence[int], times: int, seed: int) -> Array:
    """Covariance of the values over as many blocks drawn with replacement, so many times."""
    products = _products(blocks, weights, kept)
    count = len(products)
    draws = random_arrays("blocks of a log", seed).multinomial(count, np.full(count, 1 / count), size=times)
    values = _solved(np.einsum("rb,bij->rij", draws.astype(float), products))
    return np.atleast_2d(np.cov(values, rowvar=False))
