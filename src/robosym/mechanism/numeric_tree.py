"""The kinematics of a robot in numbers, for many positions at once: poses of its frames and twists of its joints.

Everything that follows a robot in numbers stands on this: gaps of loops, ends of legs, searches for poses, pictures.
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
    """gamma, b, alpha, d, theta, r of frames (6, frames), with values for their symbols; screws turn and advance."""
    found = np.array(evaluate([getattr(frame, name) for name in GEOMETRY for frame in frames], values)).reshape(6, -1)
    for column, frame in enumerate(frames):
        found[4:, column] = frame.joint_type.placed(*found[4:, column])
    return found


def frame_matrix(frame: Frame, values: Mapping[str, float]) -> Array:
    """From the antecedent of a frame to the frame (4, 4)."""
    return np.asarray(frame_matrices(*frame_geometry([frame], values))[0])


def frames_along(frames: Sequence[Frame], values: Mapping[str, float]) -> list[Array]:
    """Frames of a chain (4, 4) from its base."""
    return list(accumulate(frame_matrices(*frame_geometry(frames, values)), np.matmul))


class NumericTree:
    """Frames of a robot over positions (m, joints) of its joints, those of the tree unless others are given."""

    def __init__(self, robot: Robot, joints: Sequence[int] | None = None) -> None:
        self.robot = robot
        self.joints = tuple(robot.tree_joints if joints is None else joints)
        self.names = tuple(robot.variable(j) for j in self.joints)
        kinds = [robot.frame(j).joint_type for j in self.joints]
        self.angular, self.linear = np.array([[k.angular, k.linear] for k in kinds], dtype=float).reshape(-1, 2).T

    def position(self, values: Mapping[str, float]) -> Array:
        """The joints' part of the values: (1, joints)."""
        return np.array([[values[name] for name in self.names]])

    def named(self, q: Array) -> dict[str, float]:
        """The values of one position (joints,)."""
        return dict(zip(self.names, map(float, q), strict=True))

    def at_zero(self, values: Mapping[str, float]) -> Array:
        """The parameters' part of the values: gamma .. r of every frame (6, frames), where the joints stand at zero."""
        return frame_geometry(self.robot.frames, {**values, **dict.fromkeys(self.names, 0.0)})

    def poses(self, at_zero: Array, q: Array) -> Array:
        """Every frame in frame 0, that of frame 0 first: (m, frames, 4, 4)."""
        frames = np.repeat(at_zero[:, None], len(q), axis=1).astype(np.result_type(q, float))
        columns = [j - 1 for j in self.joints]
        frames[4][:, columns] += q * self.angular
        frames[5][:, columns] += q * self.linear
        steps = frame_matrices(*frames)
        poses = np.empty((len(q), self.robot.NF + 1, 4, 4), dtype=frames.dtype)
        poses[:, 0] = np.eye(4)
        for j, frame in enumerate(self.robot.frames, 1):
            poses[:, j] = poses[:, frame.ant] @ steps[:, j - 1]
        return poses

    def twists(self, poses: Array, points: Array, joints: Sequence[int]) -> Array:
        """What a unit rate of each joint does to points (m, 3) that it carries, in frame 0: (m, 6, joints)."""
        axes, columns = poses[:, joints], [self.joints.index(j) for j in joints]
        arms = points[:, None] - axes[..., :3, 3]
        return np.swapaxes(axis_twists(axes[..., :3, 2], arms, self.angular[columns], self.linear[columns]), 1, 2)
