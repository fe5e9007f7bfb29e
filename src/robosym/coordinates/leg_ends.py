"""The ends of the legs in numbers: how far each is from the platform, and whether its joints are within limits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import LIMIT
from robosym.coordinates.platform_poses import pose_matrices
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import NumericTree, frame_matrix
from robosym.spatial.numeric import displacement

__all__ = ["LegEnds"]


class LegEnds:
    """The legs of a robot; joints are those of all legs, in the order of `robot.tree_joints`."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    @cached_property
    def _legs(self) -> NumericTree:
        return NumericTree(self.robot.leg_tree)

    def gaps(self, poses: Array, joints: Array, values: Mapping[str, float]) -> Array:
        """How far the end of each leg is from the platform (m, legs), in meters and radians."""
        robot, legs = self.robot, self._legs
        frames = legs.poses(legs.at_zero(values), joints)
        T = pose_matrices(poses)
        found = []
        for leg, place in zip(robot.legs, robot.places, strict=True):
            goal = T @ frame_matrix(place, values)
            found.append(np.abs(displacement(goal, frames[:, leg[-1]])).max(axis=1))
        return np.stack(found, axis=1)

    def within_limits(self, joints: Array) -> Array:
        """Whether all joints are within the limits of their positions (m,)."""
        allowed = np.ones(len(joints), dtype=bool)
        for column, j in enumerate(self.robot.tree_joints):
            allowed &= self.joint_within_limits(j, joints[:, column])
        return allowed

    def joint_within_limits(self, j: int, q: Array) -> Array:
        """Whether positions (m,) of a joint are within its limits; an angle may be whole turns away."""
        limits, kind = self.robot.joint(j).limits, self.robot.frame(j).joint_type
        if limits.lower is not None and limits.upper is not None and kind.only_turns:
            q = q + 2 * np.pi * np.ceil((limits.lower - LIMIT - q) / (2 * np.pi))  # the first turn above
        allowed = np.ones(len(q), dtype=bool)
        if limits.lower is not None:
            allowed &= q >= limits.lower - LIMIT
        if limits.upper is not None:
            allowed &= q <= limits.upper + LIMIT
        return allowed
