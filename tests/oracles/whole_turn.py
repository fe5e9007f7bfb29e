"""Energies along the whole motion of a closed robot: positions by continuation, energies by Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from oracles.regressor import Array, Regressor
from robosym.coordinates.gaps import Gaps
from robosym.mechanism import Robot
from robosym.parameters import BaseParameters

_STEP, _MOST, _CLOSED = 0.12, 160, 1e-14


class WholeTurn:
    """Motion from the reference position in both directions, through dead centers; random if there are several."""

    def __init__(self, robot: Robot, seed: int = 0) -> None:
        self.robot, self.gaps = robot, Gaps(robot)
        self.geometry = self.gaps.geometry({})
        self.rng = np.random.default_rng(seed)
        start = np.array([robot.position.get(name, 0.0) for name in self.gaps.names])
        for _ in range(30):
            gap, J = self._linearized(start)
            if np.abs(gap).max() < _CLOSED:
                break
            start = start - np.linalg.pinv(J, rcond=1e-7) @ gap
        self.start = start
        self.rank = int(np.linalg.matrix_rank(self._linearized(start)[1], tol=1e-7))
        self.positions = np.array([q for sense in (1, -1) for q in self._followed(sense)])

    def _linearized(self, q: Array) -> tuple[Array, Array]:
        gap, slope = self.gaps.linearized(self.geometry, q[None])
        return gap[0], slope[0]

    def basis(self, q: Array) -> Array:
        return np.linalg.svd(self._linearized(q)[1])[2][self.rank :].T

    def _followed(self, sense: int) -> Iterator[Array]:
        q, along = self.start, sense * self.basis(self.start).sum(axis=1)
        for _ in range(_MOST):
            N = self.basis(q)
            along = N @ (N.T @ along)
            ahead = q + _STEP * along / np.linalg.norm(along)
            for _ in range(12):
                gap, J = self._linearized(ahead)
                if np.abs(gap).max() < _CLOSED:
                    break
                U, s, V = np.linalg.svd(J)
                ahead = ahead - V[: self.rank].T @ (U[:, : self.rank].T @ gap / s[: self.rank])
            if np.abs(self._linearized(ahead)[0]).max() > 1e-11 or np.linalg.norm(ahead - q) > 3 * _STEP:
                return
            along, q = ahead - q, ahead
            yield q
            if np.abs(np.angle(np.exp(1j * (q - self.start)))).max() < _STEP / 2 and np.ptp(q - self.start) > 1:
                return

    def rows(self, positions: Array) -> tuple[list[tuple[int, str]], Array]:
        """Return, for each position, kinetic energy and weight along the motion per unit of each parameter."""
        known = dict.fromkeys(self.robot.parameters, 1.0)
        regressor, rows = Regressor(self.robot, known), []
        n = len(self.robot.tree_joints)
        for q in positions:
            N = self.basis(q)[:n]
            rate, none = N @ self.rng.normal(size=N.shape[1]), np.zeros(n)
            weight = regressor(q[:n], none, none)
            rows += [rate @ (regressor(q[:n], none, rate) - weight) / 2, *(N.T @ weight)]
        return regressor.columns, np.array(rows)

    def rank_and_error(self, base: BaseParameters) -> tuple[int, float]:
        """Return the number of effective parameters along the motion, and the error of the base ones."""
        places = [p.place for p in base.standard.inertial]
        columns, rows = self.rows(self.positions[:: max(len(self.positions) // 80, 1)])
        table = rows[:, [columns.index(place) for place in places]]
        sizes = np.linalg.norm(table, axis=0)
        singular = np.linalg.svd(table[:, sizes > 1e-9] / sizes[sizes > 1e-9], compute_uv=False)
        rank = int((singular > 1e-9 * singular[0]).sum())
        standard = self.rng.normal(size=len(places))
        given = {p.name: float(v) for p, v in zip(base.standard.inertial, standard, strict=True)}
        held = np.array(list(base.values(given).values()))
        kept = rows[:, [columns.index(place) for place in base.places.values()]]
        return rank, float(np.abs(table @ standard - kept @ held).max() / np.abs(table * standard).max())
