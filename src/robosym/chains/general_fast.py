"""The general method at machine speed: what the kernel gives as it is, the careful way where a joint is free."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robosym.algebra.samples import Array
from robosym.chains.general import prepared
from robosym.chains.general_machine import Prepared
from robosym.chains.numeric_chain import NumericChain, Solver

__all__ = ["GeneralFast"]

_ROTATION = 1e-13  #: how far from a rotation a pose may be that is taken as it is


class GeneralFast:
    """As `FastSolver`, of chains whose whole pose is given."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._kept: tuple[tuple[tuple[str, float], ...], NumericChain, Array, Prepared] | None = None

    def _ready(self, parameters: Mapping[str, float]) -> tuple[NumericChain, Array, Prepared]:
        """Chain, known joints and plans of a set of parameters, kept for the next call."""
        key = tuple(parameters.items())
        kept = self._kept
        if kept is None or kept[0] != key:
            chain = self.solver.numeric(parameters)
            known = np.array([parameters.get(joint.name, 0.0) for joint in chain.joints])
            kept = self._kept = key, chain, known, prepared(chain, known)
        return kept[1:]

    def one(self, T: Array, parameters: Mapping[str, float], tolerance: float) -> tuple[Array, Array] | None:
        """The solutions of a pose (4, 4) and their errors; None where the careful way must look at it."""
        q, errors, _, doubtful = self.many(T[None], parameters, tolerance)
        return None if len(doubtful) else (q, errors)

    def many(
        self, T: Array, parameters: Mapping[str, float], tolerance: float
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """Of poses (m, 4, 4): the solutions of all one below the other, their errors, how many each pose has, and the
        poses (none of whose solutions are among them) that the careful way must look at."""
        chain, known, plans = self._ready(parameters)
        A = T[:, :3, :3]
        exact = (np.abs(np.swapaxes(A, 1, 2) @ A - np.eye(3)) <= _ROTATION).all(axis=(1, 2))
        exact &= (T[:, 3] == (0, 0, 0, 1)).all(axis=1) & np.isfinite(T).all(axis=(1, 2)) & (np.linalg.det(A) > 0)
        if exact.all():
            q, errors, free, counts = plans.solve(T, np.array(tolerance))
        else:
            places = np.flatnonzero(exact)
            found = plans.solve(T[places], np.array(tolerance))
            q, errors, free, counts = (np.zeros((len(T), *part.shape[1:]), part.dtype) for part in found)
            for whole, part in zip((q, errors, free, counts), found, strict=True):
                whole[places] = part
        there = np.arange(q.shape[1]) < counts[:, None]
        doubtful = ~exact | ((free != 0) & there).any(axis=1)
        pose, place = np.nonzero(there & ~doubtful[:, None])
        rows = np.tile(known, (len(pose), 1))
        rows[:, chain.unknown] = q[pose, place, : len(chain.unknown)]
        doubtful[pose[chain.nearly_singular(rows)]] = True
        counts = np.where(doubtful, 0, counts)
        clear = ~doubtful[pose]
        pose, place, rows = pose[clear], place[clear], rows[clear]
        order = np.lexsort([*np.round(rows, 6).T[::-1], pose])  # by the first joint, then the second ..
        return rows[order], errors[pose, place][order], counts, np.flatnonzero(doubtful)
