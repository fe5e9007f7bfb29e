"""Which of several assembly modes comes first: the one meant by the description, or the one nearest to a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.samples import Array
from robosym.description import Robot
from robosym.errors import InputError
from robosym.loops.following import Following
from robosym.loops.gaps import Gaps
from robosym.loops.parallelogram import parallelograms
from robosym.tree.zero import frame_places

__all__ = ["ModeOrder"]

_CROSSED = 1e-6  #: radians between links that stay parallel while the parallelogram is one


class ModeOrder:
    """Orders of solutions (k, tree joints) of one robot."""

    def __init__(self, robot: Robot, known: Sequence[str]) -> None:
        self.robot = robot
        self.known = tuple(known)
        self.joints = tuple(robot.variable(j) for j in robot.tree_joints)
        self._turning = np.array([robot.frame(j).joint_type.turns for j in robot.tree_joints], dtype=bool)
        shapes = parallelograms(robot, frame_places(robot, Graph())[0])
        self._gaps = Gaps(robot, shapes) if shapes else None
        self._following: dict[tuple[tuple[str, float], ...], Following] = {}

    def turned(self, q: Array, near: Array) -> Array:
        """The same solutions with each angle in the turn that is nearest to that of `near`."""
        return np.asarray(q - 2 * np.pi * np.round((q - near) / (2 * np.pi)) * self._turning)

    def from_near(self, q: Array, near: Array) -> Array:
        """Places in the order of the distance from `near`."""
        return np.argsort(np.abs(self.turned(q, near) - near).max(axis=1), kind="stable")

    def usual(self, q: Array, parameters: Mapping[str, float]) -> Array:
        """Places, that of the reference position first; without one, those with the fewest crossed parallelograms."""
        if len(q) > 1 and self.robot.position:
            reference = np.array([self.robot.position.get(name, 0.0) for name in self.joints])
            return self.from_near(q, self._carried(reference, q[0], parameters))
        if len(q) < 2 or self._gaps is None:
            return np.arange(len(q))
        still = np.zeros((len(q), len(self._gaps.joints) - len(self.joints)))
        gap, _ = self._gaps.linearised(self._gaps.geometry(parameters), np.hstack([q, still]))
        crossed = np.abs(gap[:, 6 * len(self._gaps.loops) :]) > _CROSSED
        return np.argsort(crossed.sum(axis=1), kind="stable")

    def _carried(self, reference: Array, target: Array, parameters: Mapping[str, float]) -> Array:
        """The reference position carried to the known joints of `target`, as it is where its mode does not reach."""
        if any(name not in self.joints for name in self.known):
            return reference
        key = tuple(parameters.items())
        if key not in self._following:
            self._following.clear()
            self._following[key] = Following(self.robot, self.known, parameters)
        try:
            return self._following[key](target[[self.joints.index(name) for name in self.known]], reference)
        except InputError:
            return reference
