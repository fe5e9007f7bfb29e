"""Motion of a whole mechanism from that of its motors: passive joints of loops, platform of a parallel robot.

Logs contain the motors. Passive joints follow from the loops in the assembly mode of the description; the platform
follows by direct geometry, starting at the pose of the description.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.algebra.arrays import Array
from robosym.errors import InputError
from robosym.experiment.prepare import Segment
from robosym.mechanism import Robot
from robosym.solve import loop_geometry
from robosym.solve.platform_assembly import PlatformAssembly

__all__ = ["LoopJoints", "PlatformMotions"]


class LoopJoints:
    """Positions of all tree joints from those of the active joints."""

    def __init__(self, robot: Robot, active: Sequence[int]) -> None:
        self._geometry = loop_geometry(robot)
        names = [robot.variable(j) for j in active]
        if set(self._geometry.known) != set(names):
            raise InputError(
                f"{robot.name}: expected positions of all tree joints: the loops are solved from "
                f"{', '.join(self._geometry.known)}, but the motors are {', '.join(names)}"
            )
        self._order = [names.index(name) for name in self._geometry.known]

    def positions(self, q: Array) -> Array:
        """Return the positions, shape (samples, tree joints), in one assembly mode throughout."""
        rows = q[:, self._order]
        try:
            near = self._geometry.usual(rows[0])
        except InputError as error:
            raise InputError(
                f"identify: the loops do not close at the first sample: check the order of the motors ({error})"
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

    def inputs(self, segment: Segment) -> dict[str, Array]:
        """Return the inputs of the models of the robot on the time grid of a segment."""
        pose = self._assembly.pose(np.asarray(segment.q[0]))
        poses = np.empty((len(segment.q), 12))
        for n, q in enumerate(segment.q):
            pose = poses[n] = np.asarray(self._assembly.geometry.near(q, pose), dtype=float)
        self._assembly.check(np.asarray(segment.q), poses)
        R, rates = poses[:, :9].reshape(-1, 3, 3), _slopes(poses, segment.step)
        turning = rates[:, :9].reshape(-1, 3, 3) @ R.transpose(0, 2, 1)  # skew-symmetric up to rounding
        w = (turning[:, [2, 0, 1], [1, 2, 0]] - turning[:, [1, 2, 0], [2, 0, 1]]) / 2
        twist = np.hstack([rates[:, 9:], w])
        return {"pose": poses, "twist": twist, "acceleration": _slopes(twist, segment.step)}


def _slopes(values: Array, step: float) -> Array:
    """Return time derivatives by fourth-order differences; poses are computed and therefore free of noise."""
    found = np.asarray(np.gradient(values, step, axis=0))
    found[2:-2] = (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * step)
    return found
