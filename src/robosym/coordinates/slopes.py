"""The loops' equations linearized in many positions: what they allow, and the least change that closes the loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.subspaces import ranks
from robosym.algebra.tolerances import TIGHTLY

__all__ = ["Slopes", "unit"]


@dataclass
class Slopes:
    """The singular value decomposition of the slopes (m, gaps, joints), over real or complex numbers."""

    left: Array
    singular: Array
    rows: Array

    @classmethod
    def of(cls, slope: Array) -> Slopes:
        return cls(*np.linalg.svd(slope))

    @property
    def shares(self) -> Array:
        """Singular values in parts of the largest."""
        return np.asarray(self.singular / np.maximum(self.singular[:, :1], TIGHTLY))

    def ranks(self) -> Array:
        return ranks(self.singular)

    def solved(self, gap: Array, rank: Array) -> Array:
        """The least change of the joints that undoes a gap, by the first singular values: a step of Newton's method."""
        known = np.arange(self.singular.shape[1]) < rank[:, None]
        share = np.einsum("mji,mj->mi", self.left.conj()[..., : known.shape[1]], gap)
        share = np.where(known, share / np.maximum(self.singular, TIGHTLY), 0.0)
        return np.asarray(np.einsum("mij,mi->mj", self.rows.conj()[:, : known.shape[1]], share))

    def allowed(self, lead: Array, rank: Array) -> Array:
        """What of a direction the loops allow."""
        share = np.einsum("mij,mj->mi", self.rows, lead)
        share[np.arange(share.shape[1]) < rank[:, None]] = 0.0
        return np.asarray(np.einsum("mij,mi->mj", self.rows.conj(), share))

    def around(self, rank: Array) -> tuple[Array, Array]:
        """The last singular value that counts to the rank, and the first that does not, in parts of the largest."""
        padded = np.pad(self.shares, ((0, 0), (1, 1)))
        padded[:, 0] = 1.0
        least, next_one = (np.take_along_axis(padded, rank[:, None] + k, axis=1)[:, 0] for k in (0, 1))
        return least, next_one

    def regularity(self, rank: Array, motors: Sequence[int]) -> Array:
        """The least share of the loops that counts, or of the motions they leave that these joints see."""
        regular = self.around(rank)[0]
        for r in set(rank.tolist()):
            if 0 < len(motors) <= self.rows.shape[2] - r:
                same = rank == r
                seen = np.linalg.svd(self.rows[same][:, r:, motors], compute_uv=False)[:, -1]
                regular[same] = np.minimum(regular[same], seen)
        return regular

    def take(self, others: Slopes, where: Array) -> None:
        for own, other in ((self.left, others.left), (self.singular, others.singular), (self.rows, others.rows)):
            own[where] = other[where]


def unit(directions: Array) -> Array:
    """Directions whose largest entry is one."""
    return np.asarray(directions / np.maximum(np.abs(directions).max(axis=1, keepdims=True), TIGHTLY))
