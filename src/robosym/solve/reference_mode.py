"""Order of assembly modes: first that of the reference position, or the one nearest to a position.

The mode of the reference position is followed to other known joints with the loops closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME
from robosym.coordinates.closing import Closing, reference_position
from robosym.coordinates.gaps import Gaps
from robosym.coordinates.loops import parallelograms
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places

__all__ = ["FollowedReference", "ModeOrder"]

_NONE: Mapping[str, float] = {}
_HALVINGS = 13  #: maximum number of halvings of a step, close to the end of the mode
_CROSSED = 1e-6  #: radians between links that stay parallel while the parallelogram is one


class FollowedReference:
    """Tree joints in the assembly mode of the reference position, from known joints."""

    def __init__(self, robot: Robot, known: Sequence[str]) -> None:
        self.robot = robot
        self._known = known
        self._closing = Closing(robot)
        self._tree = [robot.variable(j) for j in robot.tree_joints]
        self._start: tuple[tuple[tuple[str, float], ...], dict[str, float] | None] | None = None

    def __call__(
        self, known: Array, parameters: Mapping[str, float], idle: Mapping[str, float] = _NONE
    ) -> Array | None:
        """Return the tree joints (n,) for known joints; None without a reference, or if its mode does not reach them.

        Joints in `idle` take the given values.
        """
        start = self._reference(parameters)
        if start is None:
            return None
        wanted = dict(zip(self._known, map(float, known), strict=True)) | dict(idle)
        found, arrived = self._closing.lead(start, wanted, halvings=_HALVINGS)
        return np.array([found[name] for name in self._tree]) if arrived else None

    def reference(self, parameters: Mapping[str, float]) -> Array:
        """Return the closed tree joints of the reference position, or those described if they do not close."""
        found = self._reference(parameters) or self.robot.position
        return np.array([found.get(name, 0.0) for name in self._tree])

    def _reference(self, parameters: Mapping[str, float]) -> dict[str, float] | None:
        """Return all joints of the reference position, closed up to rounding."""
        key = tuple(parameters.items())
        if self._start is None or self._start[0] != key:
            found: dict[str, float] | None = None
            if self.robot.position:
                lengths = dict.fromkeys(self._closing.gaps.parameters, 1.0) | dict(parameters)
                with suppress(InputError):  # another geometry than that of the reference position
                    found = reference_position(self._closing, self.robot.position, lengths)
            self._start = key, found
        return self._start[1]


# -------------------------------------------------------------------------- the order of modes


class ModeOrder:
    """Orders of solutions (k, tree joints) of one robot."""

    def __init__(self, robot: Robot) -> None:
        self.joints = tuple(robot.variable(j) for j in robot.tree_joints)
        self._turning = np.array([robot.frame(j).joint_type.turns for j in robot.tree_joints], dtype=bool)
        shapes = parallelograms(robot, frame_places(robot, Graph())[0])
        self._gaps = Gaps(robot, shapes) if shapes else None

    def turned(self, q: Array, near: Array) -> Array:
        """Return the solutions with each angle shifted by full turns to be closest to that of `near`."""
        return np.asarray(q - 2 * np.pi * np.round((q - near) / (2 * np.pi)) * self._turning)

    def from_near(self, q: Array, near: Array) -> Array:
        """Return the indices sorted by distance from `near`."""
        return np.argsort(np.abs(self.turned(q, near) - near).max(axis=1), kind="stable")

    def usual(self, q: Array, parameters: Mapping[str, float]) -> Array:
        """Return the indices, those with the fewest crossed parallelograms first."""
        return np.argsort(self.crossed(q, parameters), kind="stable")

    def crossed(self, q: Array, parameters: Mapping[str, float]) -> Array:
        """Return twice the number of crossed parallelograms of each solution."""
        if not len(q) or self._gaps is None:
            return np.zeros(len(q), dtype=int)
        still = np.zeros((len(q), len(self._gaps.joints) - len(self.joints)))
        gap, _ = self._gaps.linearized(self._gaps.geometry(parameters), np.hstack([q, still]))
        return np.asarray((np.abs(gap[:, 6 * len(self._gaps.loops) :]) > _CROSSED).sum(axis=1))

    def place(self, one: Array, q: Array) -> int | None:
        """Return the index of this solution in q, with angles modulo full turns."""
        length = max(1.0, float(np.abs(one).max()))
        apart = np.abs(self.turned(q, one) - one) / np.where(self._turning, 1.0, length)
        far = apart.max(axis=1, initial=0.0)
        return int(far.argmin()) if len(q) and far.min() < SAME else None
