"""Which of several assembly modes comes first: that of the reference position, carried to other known joints with the
loops closed, or the one nearest to a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, SAME
from robosym.coordinates.closing import Closing, joint_units, reference_position
from robosym.coordinates.gaps import Gaps
from robosym.coordinates.loops import parallelograms
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places

__all__ = ["CarriedReference", "ModeOrder"]

_FAR = 0.2  #: radians, or parts of the robot's size: a step that moves a joint further may jump to another mode
_TRIALS = 400
_NONE: Mapping[str, float] = {}
_CROSSED = 1e-6  #: radians between links that stay parallel while the parallelogram is one
_LEAST = 1e-4  #: part of the way: where a step so small leads away the mode ends


class CarriedReference:
    """Tree joints in the mode of the robot's reference position, from known joints."""

    def __init__(self, robot: Robot, known: Sequence[str]) -> None:
        self.robot = robot
        self._closing = Closing(robot)
        names = self._closing.gaps.names
        self._known = [names.index(name) for name in known]
        self._tree = [names.index(robot.variable(j)) for j in robot.tree_joints]
        self._start: tuple[tuple[tuple[str, float], ...], Array | None] | None = None

    def __call__(
        self, known: Array, parameters: Mapping[str, float], idle: Mapping[str, float] = _NONE
    ) -> Array | None:
        """The tree joints (n,) at these known joints; None where there is no reference, or its mode ends on the way.

        Joints that are `idle` go to the values given.
        """
        here = self._reference(parameters)
        if here is None:
            return None
        columns = [*self._known, *(self._closing.gaps.names.index(name) for name in idle)]
        held, target = [self._closing.gaps.joints[column] for column in columns], np.append(known, list(idle.values()))
        units = joint_units(self._closing, dict(parameters) | self._closing.gaps.named(here))
        begin = here[columns].copy()
        done, part = 0.0, 1.0
        for _ in range(_TRIALS):
            trial = here.copy()
            share = min(1.0, done + part)
            trial[columns] = begin + share * (target - begin)
            (found,), (left,) = self._closing.settle(parameters, trial[None], held)
            if left < CLOSED and np.abs((found - here) / units).max() < _FAR:
                here, done, part = found, share, 2 * part
                if done >= 1:
                    return np.asarray(here[self._tree])
            elif part < _LEAST:
                return None
            else:
                part /= 2
        return None

    def reference(self, parameters: Mapping[str, float]) -> Array:
        """The tree joints of the reference position, closed; as the description has them where they do not close."""
        found = self._reference(parameters)
        if found is None:
            return np.array([self.robot.position.get(self.robot.variable(j), 0.0) for j in self.robot.tree_joints])
        return np.asarray(found[self._tree])

    def _reference(self, parameters: Mapping[str, float]) -> Array | None:
        """The reference position closed to rounding, all joints."""
        key = tuple(parameters.items())
        if self._start is None or self._start[0] != key:
            found: Array | None = None
            if self.robot.position:
                lengths = dict.fromkeys(self._closing.gaps.parameters, 1.0) | dict(parameters)
                try:
                    values = reference_position(self._closing, self.robot.position, lengths)
                    found = self._closing.gaps.position(values)[0]
                except InputError:  # another geometry than that of the reference position
                    found = None
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
