"""The motion of a whole mechanism from that of its motors: passive joints of loops, the platform of a parallel robot.

Motors are what logs have. Passive joints follow from the loops in the assembly mode of the description, the platform by
direct geometry from where the description has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.algebra.arrays import Array
from robosym.errors import InputError
from robosym.experiment.prepare import Stretch
from robosym.mechanism import Robot
from robosym.solve import loop_geometry
from robosym.solve.platform_assembly import PlatformAssembly

__all__ = ["LoopJoints", "PlatformMotions"]


class LoopJoints:
    """Positions of all joints of the tree from those of the active ones."""

    def __init__(self, robot: Robot, active: Sequence[int]) -> None:
        self._geometry = loop_geometry(robot)
        names = [robot.variable(j) for j in active]
        if set(self._geometry.known) != set(names):
            raise InputError(
                f"{robot.name}: expected positions of all joints of the tree: its loops are solved from "
                f"{', '.join(self._geometry.known)}, and its motors are {', '.join(names)}"
            )
        self._order = [names.index(name) for name in self._geometry.known]

    def positions(self, q: Array) -> Array:
        """(samples, tree joints); one assembly mode throughout."""
        rows = q[:, self._order]
        try:
            near = self._geometry.usual(rows[0])
        except InputError as error:
            raise InputError(
                f"identify: the loops cannot be closed where the log begins: are the motors in order? {error}"
            ) from None
        follow = self._geometry.compile()
        found = np.empty((len(q), len(near)))
        for n, row in enumerate(rows):
            near = found[n] = follow(row, near)
        return found


class PlatformMotions:
    """Pose, twist and acceleration of a platform from the motion of its motors."""

    def __init__(self, robot: Robot) -> None:
        self._assembly = PlatformAssembly(robot)

    def inputs(self, stretch: Stretch) -> dict[str, Array]:
        """What the models of the robot take, on the grid of a stretch."""
        pose = self._assembly.pose(np.asarray(stretch.q[0]))
        poses = np.empty((len(stretch.q), 12))
        for n, q in enumerate(stretch.q):
            pose = poses[n] = np.asarray(self._assembly.geometry.near(q, pose), dtype=float)
        self._assembly.check(np.asarray(stretch.q), poses)
        R, rates = poses[:, :9].reshape(-1, 3, 3), _slopes(poses, stretch.step)
        turning = rates[:, :9].reshape(-1, 3, 3) @ R.transpose(0, 2, 1)  # skew but for rounding
        w = (turning[:, [2, 0, 1], [1, 2, 0]] - turning[:, [1, 2, 0], [2, 0, 1]]) / 2
        twist = np.hstack([rates[:, 9:], w])
        return {"pose": poses, "twist": twist, "acceleration": _slopes(twist, stretch.step)}


def _slopes(values: Array, step: float) -> Array:
    """Derivatives by time: differences of the fourth order, of poses that went through no measurement of their own."""
    found = np.asarray(np.gradient(values, step, axis=0))
    found[2:-2] = (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * step)
    return found
