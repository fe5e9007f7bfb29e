"""Which of several assembly modes comes first: the one meant by the description, or the one nearest to a position."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME
from robosym.coordinates.gaps import Gaps
from robosym.coordinates.parallelogram import parallelograms
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places

__all__ = ["ModeOrder"]

_CROSSED = 1e-6  #: radians between links that stay parallel while the parallelogram is one


class ModeOrder:
    """Orders of solutions (k, tree joints) of one robot."""

    def __init__(self, robot: Robot) -> None:
        self.joints = tuple(robot.variable(j) for j in robot.tree_joints)
        self._turning = np.array([robot.frame(j).joint_type.turns for j in robot.tree_joints], dtype=bool)
        shapes = parallelograms(robot, frame_places(robot, Graph())[0])
        self._gaps = Gaps(robot, shapes) if shapes else None

    def turned(self, q: Array, near: Array) -> Array:
        """The same solutions with each angle in the turn that is nearest to that of `near`."""
        return np.asarray(q - 2 * np.pi * np.round((q - near) / (2 * np.pi)) * self._turning)

    def from_near(self, q: Array, near: Array) -> Array:
        """Places in the order of the distance from `near`."""
        return np.argsort(np.abs(self.turned(q, near) - near).max(axis=1), kind="stable")

    def usual(self, q: Array, parameters: Mapping[str, float]) -> Array:
        """Places, those with the fewest crossed parallelograms first."""
        return np.argsort(self.crossed(q, parameters), kind="stable")

    def crossed(self, q: Array, parameters: Mapping[str, float]) -> Array:
        """How many parallelograms cross in each solution, twice."""
        if not len(q) or self._gaps is None:
            return np.zeros(len(q), dtype=int)
        still = np.zeros((len(q), len(self._gaps.joints) - len(self.joints)))
        gap, _ = self._gaps.linearised(self._gaps.geometry(parameters), np.hstack([q, still]))
        return np.asarray((np.abs(gap[:, 6 * len(self._gaps.loops) :]) > _CROSSED).sum(axis=1))

    def place(self, one: Array, q: Array) -> int | None:
        """Which of the solutions q this is, an angle being the same after a whole turn."""
        length = max(1.0, float(np.abs(one).max()))
        apart = np.abs(self.turned(q, one) - one) / np.where(self._turning, 1.0, length)
        far = apart.max(axis=1, initial=0.0)
        return int(far.argmin()) if len(q) and far.min() < SAME else None
