"""Columns of Jacobian matrices from poses: equations 2.21, 2.25 and 2.26 of the guide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.count import count
from robosym.mechanism import Robot
from robosym.mechanism.compose import pose
from robosym.mechanism.path import Define, path, unnamed
from robosym.spatial import Transform, Vec3

__all__ = ["Poses", "meeting", "moving_joints", "simplest_frames"]


class Poses:
    """Transformations between frames of one robot, each worked out once."""

    def __init__(self, robot: Robot, value: Callable[[Expr], Any], define: Define = unnamed) -> None:
        self.robot = robot
        self._value = value
        self._define = define
        self._known: dict[tuple[int, int], Transform] = {}

    def __call__(self, i: int, j: int) -> Transform:
        """iTj."""
        known = self._known.get((i, j))
        if known is None:
            known = self._known[i, j] = pose(self.robot, i, j, self._value, self._define)
        return known

    def column(self, i: int, j: int, k: int) -> tuple[Vec3, Vec3]:
        """Column k of iJn,j: velocity of a body at the origin of frame j for a unit rate of joint k, in frame i.

        The linear part is a_k x L_k,j as far as the joint turns and a_k as far as it slides. The product is taken in
        the frame where the ways between i, j and k meet, so that no rotation is applied and undone.
        """
        joint = self.robot.frame(k).joint_type
        axis, swept = self(i, k).A @ Vec3(0, 0, 1), Vec3(0, 0, 0)
        if joint.turns:
            m = meeting(self.robot, i, j, k)
            swept = self(i, m).A @ (self(m, k).A @ Vec3(0, 0, 1)).cross(self(m, j).P - self(m, k).P)
        return joint.along(axis, swept), axis * joint.angular

    def shift(self, i: int, j: int, n: int) -> Vec3:
        """iL_j,n: from the origin of frame j to that of frame n, in frame i (iA_j jP_n)."""
        return self(i, j).A @ self(j, n).P


def meeting(robot: Robot, *frames: int) -> int:
    """The frame that lies on every way between three frames: the lowest of their common antecedents in pairs."""

    def common(i: int, j: int) -> int:
        while i != j:
            i, j = (robot.frame(i).ant, j) if i > j else (i, robot.frame(j).ant)
        return i

    i, j, k = (max(frame, 0) for frame in frames)
    return max(common(i, j), common(i, k), common(j, k))


def moving_joints(robot: Robot, frames: list[int]) -> tuple[int, ...]:
    """Those of the frames that move with respect to their antecedent."""
    return tuple(k for k in frames if robot.frame(k).is_joint)


def simplest_frames(poses: Poses, link: int, i: int | None, j: int | None, one: Expr) -> tuple[int, int]:
    """The projection and intermediate frames, where not given those of the iJr,j with the fewest operations.

    The middle of the arm comes first and stays where nothing is simpler (2.4.4); frames far from it are not tried
    for the projection, which would only add rotations.
    """
    if i is not None and j is not None:
        return i, j
    way = [0, *path(poses.robot, 0, link)[1]]
    joints = moving_joints(poses.robot, way[1:])
    middle = len(way) // 2
    near = sorted(way, key=lambda k: abs(way.index(k) - middle))

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        entries = [one * e for k in joints for part in poses.column(*pair, k) for e in part]
        return count(entries).total, sum(not e.is_zero for e in entries)

    pairs = [(a, b) for a in ([i] if i is not None else near[:3]) for b in ([j] if j is not None else near)]
    return min(pairs, key=cost)
