"""Numeric kinematics of a robot over arrays of positions: poses of its frames and twists of its joints.

Loop closure, legs, pose searches and drawings use this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from robosym.algebra import evaluate
from robosym.algebra.samples import Array
from robosym.mechanism import GEOMETRY, Frame, Robot
from robosym.spatial.numeric import axis_twists, frame_matrices

__all__ = ["NumericTree", "frame_geometry", "frame_matrix", "frames_along"]


def frame_geometry(frames: Sequence[Frame], values: Mapping[str, float]) -> Array:
    """Return gamma, b, alpha, d, theta, r of frames, shape (6, frames), with values for their symbols."""
    found = np.array(evaluate([getattr(frame, name) for name in GEOMETRY for frame in frames], values)).reshape(6, -1)
    for column, frame in enumerate(frames):
        found[4:, column] = frame.joint_type.placed(*found[4:, column])
    return found


def frame_matrix(frame: Frame, values: Mapping[str, float]) -> Array:
    """Return the transformation from the antecedent of a frame to the frame, shape (4, 4)."""
    return np.asarray(frame_matrices(*frame_geometry([frame], values))[0])


def frames_along(frames: Sequence[Frame], values: Mapping[str, float]) -> list[Array]:
    """Return the transformations from the base of a chain to its frames, each of shape (4, 4)."""
    return list(accumulate(frame_matrices(*frame_geometry(frames, values)), np.matmul))


class NumericTree:
    """Frames of a robot for positions of shape (m, joints), by default of the joints of the tree."""

    def __init__(self, robot: Robot, joints: Sequence[int] | None = None) -> None:
        self.robot = robot
        self.joints = tuple(robot.tree_joints if joints is None else joints)
        self.names = tuple(robot.variable(j) for j in self.joints)
        kinds = [robot.frame(j).joint_type for j in self.joints]
        self.angular, self.linear = np.array([[k.angular, k.linear] for k in kinds], dtype=float).reshape(-1, 2).T

    def position(self, values: Mapping[str, float]) -> Array:
        """Return the joint values among `values`, shape (1, joints)."""
        return np.array([[values[name] for name in self.names]])

    def named(self, q: Array) -> dict[str, float]:
        """Return the values of one position of shape (joints,), by variable."""
        return dict(zip(self.names, map(float, q), strict=True))

    def at_zero(self, values: Mapping[str, float]) -> Array:
        """Return gamma .. r of every frame at zero joint values, shape (6, frames)."""
        return frame_geometry(self.robot.frames, {**values, **dict.fromkeys(self.names, 0.0)})

    def poses(self, at_zero: Array, q: Array) -> Array:
        """Return the poses of all frames in frame 0, frame 0 first, shape (m, frames, 4, 4)."""
        theta, r = np.repeat(at_zero[4:, None], len(q), axis=1).astype(np.result_type(q, float))
        columns = [j - 1 for j in self.joints]
        theta[:, columns] += q * self.angular
        r[:, columns] += q * self.linear
        gamma, b, alpha, d = at_zero[:4]
        steps = frame_matrices(gamma, b, alpha, d, theta, r)
        poses = np.empty((len(q), self.robot.NF + 1, 4, 4), dtype=steps.dtype)
        poses[:, 0] = np.eye(4)
        for j, frame in enumerate(self.robot.frames, 1):
            poses[:, j] = poses[:, frame.ant] @ steps[:, j - 1]
        return poses

    def twists(self, poses: Array, points: Array, joints: Sequence[int]) -> Array:
        """Return the twists, in frame 0, of points of shape (m, 3) per unit joint rate, shape (m, 6, joints)."""
        axes, columns = poses[:, joints], [self.joints.index(j) for j in joints]
        arms = points[:, None] - axes[..., :3, 3]
        return np.swapaxes(axis_twists(axes[..., :3, 2], arms, self.angular[columns], self.linear[columns]), 1, 2)
