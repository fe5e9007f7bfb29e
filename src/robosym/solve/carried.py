"""The mode of the reference position at other known joints: the loops are kept closed on the way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED
from robosym.coordinates.closing import Closing
from robosym.coordinates.component import joint_units, reference_position
from robosym.errors import InputError
from robosym.mechanism import Robot

__all__ = ["CarriedReference"]

_FAR = 0.2  #: radians, or parts of the robot's size: a step that moves a joint further may jump to another mode
_TRIALS = 400
_NONE: Mapping[str, float] = {}
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
