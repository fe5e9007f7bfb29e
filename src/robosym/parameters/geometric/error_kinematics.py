"""Numeric kinematics of a robot with geometric errors, over arrays of positions.

The pose of the target in the measuring frame is B 0T(q) E: placement of frame 0, pose of the end frame, placement of
the target. A error of a frame acts like a joint about or along its axis, so that its effect is a column of a
Jacobian matrix. The passive joints of a closed robot follow from its loops, which close for every value of
the errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.subspaces import ranks
from robosym.algebra.tolerances import RANK, TIGHTLY, TINY
from robosym.coordinates.loops import loops_of
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import NumericTree
from robosym.mechanism.path import path
from robosym.parameters.geometric.error_parameters import ErrorParameter
from robosym.spatial.numeric import axis_twists, rigid, rotation_vector, screws

__all__ = ["ErrorKinematics", "PoseColumns"]

_ROUNDS = 30  #: of Newton's method on the loops
_AXES = {"gamma": 2, "b": 2, "alpha": 0, "d": 0, "beta": 1, "e": 1, "theta": 2, "r": 2}
_TURNS = {"gamma", "alpha", "beta", "theta"}


@dataclass(frozen=True)
class PoseColumns:
    """Poses of the robot with errors at m positions, and the effect of the errors."""

    end: Array  #: pose of the target in the measuring frame, (m, 4, 4)
    joints: Array  #: all joints of tree and cuts, (m, joints)
    columns: Array  #: twist of the target (linear, angular) in the measuring frame per unit of each error, (m, 6, n)
    joint_columns: Array  #: the same per unit of each sensor, (m, 6, sensors)
    passive_columns: Array  #: rates of the passive joints per unit of each error, (m, passive, n)
    open: Array  #: rate at which errors open the loops, whatever the passive joints do, (m, gaps, n)
    overdriven: Array  #: rate at which the sensors open the loops, (m, gaps, sensors)
    idle: Array  #: twist of the target by passive joints that the loops leave free, (m, 6, passive)
    gap: Array  #: largest gap of the loops, (m,)


class ErrorKinematics:
    """Pose of a target on frame `end` as a function of sensor positions and errors."""

    def __init__(
        self, robot: Robot, end: int, parameters: Sequence[ErrorParameter], values: Mapping[str, float],
        base: Array | None = None, tool: Array | None = None,
    ) -> None:  # fmt: skip
        self.robot, self.end, self.parameters = robot, end, tuple(parameters)
        cut = (k for k, _ in robot.loops if robot.frame(k).is_joint)
        self.tree = NumericTree(robot, (*robot.tree_joints, *cut))
        self.at_zero = self.tree.at_zero(dict(values))
        self.base = np.eye(4) if base is None else base
        self.tool = np.eye(4) if tool is None else tool
        self.gravity = np.zeros(3)
        self.masses = np.zeros((0, 4))
        joints = self.tree.joints
        #: joints with a sensor: all of a tree, the motors of a closed robot
        self.sensors = tuple(j for j in joints if j <= robot.NL and (robot.frame(j).mu or not robot.loops))
        self.sensor_columns = [joints.index(j) for j in self.sensors]
        self.passive_columns = [k for k, j in enumerate(joints) if j not in self.sensors]
        self._loops = loops_of(robot)
        self._on_path = {0, *path(robot, 0, end)[1]}
        self._sides = [
            ({*path(robot, 0, robot.frame(loop.cut).ant)[1], loop.cut}, {*path(robot, 0, loop.fixed)[1]})
            for loop in self._loops
        ]

    # ------------------------------------------------------------------------------------------------ geometry

    def _of_kind(self, kind: str, x: Array) -> dict[int, float]:
        return {p.frame: float(v) for p, v in zip(self.parameters, x, strict=True) if p.kind == kind}

    def _placement(self, kind: str, x: Array) -> Array:
        six = np.zeros(6)
        for p, v in zip(self.parameters, x, strict=True):
            if p.kind == kind:
                six[p.axis] = v
        nominal = self.base if kind == "base" else self.tool
        made = rigid(six[3:], np.zeros(3)) @ nominal
        made[:3, 3] = nominal[:3, 3] + six[:3]
        return made

    def placements(self, x: Array) -> tuple[Array, Array]:
        """Return base and tool placement with errors x."""
        return self._placement("base", x), self._placement("tool", x)

    def loads(self, q: Array, x: Array | None = None) -> Array:
        """Return the torques that gravity exerts on the joints of a tree, (m, joints)."""
        poses = self.tree.poses(self.at_zero, q)
        torques = np.zeros_like(q)
        for i, (mass, *first) in enumerate(self.masses, 1):
            force = mass * self.gravity
            moment = np.cross(poses[:, i, :3, :3] @ np.array(first), self.gravity)
            for j in (j for j in path(self.robot, 0, i)[1] if j in self.tree.joints):
                column = self.tree.joints.index(j)
                twist = self.tree.twists(poses, poses[:, i, :3, 3], [j])[..., 0]
                torques[:, column] += twist[:, :3] @ force + (twist[:, 3:] * moment).sum(axis=-1)
        return torques

    def joint_positions(self, x: Array, sensors: Array) -> Array:
        """Return the positions of the joints with sensors, (m, sensors): gear ratios and compliance included."""
        ratio, compliance = self._of_kind("ratio", x), self._of_kind("compliance", x)
        q = np.array(sensors, dtype=float)
        for k, j in enumerate(self.sensors):
            q[:, k] *= 1 + ratio.get(j, 0.0)
        if compliance:
            loads = self.loads(self._spread(sensors))[:, self.sensor_columns]
            q += loads * np.array([compliance.get(j, 0.0) for j in self.sensors])
        return q

    def _spread(self, sensors: Array) -> Array:
        q = np.zeros((len(sensors), len(self.tree.joints)))
        q[:, self.sensor_columns] = sensors
        return q

    def _steps(self, x: Array) -> tuple[Array, Array, Array, Array]:
        """Return the fixed part of each frame before and after beta and e, and its theta and r at zero."""
        gamma, b, alpha, d, theta, r = self.at_zero.copy()
        beta, e = np.zeros_like(gamma), np.zeros_like(gamma)
        found = {"gamma": gamma, "b": b, "alpha": alpha, "d": d, "theta": theta, "r": r, "beta": beta, "e": e}
        for p, v in zip(self.parameters, x, strict=True):
            if p.kind not in found:
                continue
            found[p.kind][p.frame - 1] += v
            kind = self.robot.frame(p.frame).joint_type
            if p.kind == "theta" and kind.variable == "theta" and kind.slides:  # an offset of a helical joint
                r[p.frame - 1] += v * float(kind.linear)
        first = screws(2, gamma, b) @ screws(0, alpha, d)
        return first, first @ screws(1, beta, e), theta, r

    def poses(self, x: Array, q: Array) -> tuple[Array, Array]:
        """Return the poses of all frames, (m, frames + 1, 4, 4), and those after alpha and d, in frame 0."""
        first, second, theta, r = self._steps(x)
        tree, count = self.tree, len(q)
        theta, r = np.repeat(theta[:, None], count, axis=1), np.repeat(r[:, None], count, axis=1)
        moving = [j - 1 for j in tree.joints]
        theta[moving] += (q * tree.angular).T
        r[moving] += (q * tree.linear).T
        last = screws(2, theta, r)
        poses, middle = np.empty((count, self.robot.NF + 1, 4, 4)), np.empty((count, self.robot.NF + 1, 4, 4))
        poses[:, 0] = middle[:, 0] = np.eye(4)
        for j, frame in enumerate(self.robot.frames, 1):
            middle[:, j] = poses[:, frame.ant] @ first[j - 1]
            poses[:, j] = poses[:, frame.ant] @ second[j - 1] @ last[j - 1]
        return poses, middle

    # ------------------------------------------------------------------------------------------------ columns

    def _twist(self, p: ErrorParameter, poses: Array, middle: Array, points: Array) -> Array:
        """Return the twist of points (m, 3) in frame 0 per unit of a error of a frame, (m, 6)."""
        j = p.frame
        kind = self.robot.frame(j).joint_type
        if p.kind in ("gamma", "b"):
            frame = poses[:, self.robot.frame(j).ant]
        else:
            frame = poses[:, j] if p.kind in ("theta", "r") else middle[:, j]
        angular, linear = float(p.kind in _TURNS), float(p.kind not in _TURNS)
        if p.kind == kind.variable:
            angular, linear = float(kind.angular), float(kind.linear)
        return self._about(frame, _AXES[p.kind], angular, linear, points)

    @staticmethod
    def _about(frame: Array, axis: int, angular: float, linear: float, points: Array) -> Array:
        sizes = np.full(len(points), angular), np.full(len(points), linear)
        return axis_twists(frame[..., :3, axis], points - frame[..., :3, 3], *sizes)

    def _joint_twist(self, column: int, poses: Array, points: Array) -> Array:
        j = self.tree.joints[column]
        sizes = float(self.tree.angular[column]), float(self.tree.linear[column])
        return self._about(poses[:, j], 2, *sizes, points)

    def _gaps(self, poses: Array, middle: Array) -> tuple[Array, Array, Array]:
        """Return gap of each loop in its fixed frame and its derivatives by joints and by errors of frames."""
        gaps, by_joint, by_error = [], [], []
        for loop, (near, far) in zip(self._loops, self._sides, strict=True):
            A, B = poses[:, loop.fixed], poses[:, loop.cut]
            turn = np.swapaxes(A[:, :3, :3], -1, -2)
            shift = (turn @ (B[:, :3, 3] - A[:, :3, 3])[..., None])[..., 0]
            gaps.append(np.concatenate([shift, rotation_vector(turn @ B[:, :3, :3])], axis=-1))
            points = B[:, :3, 3]

            def seen(frame: int, twist: Array, near: set[int] = near, far: set[int] = far, turn: Array = turn) -> Array:
                sign = (frame in near) - (frame in far)
                return sign * (turn[:, None] @ twist.reshape(-1, 2, 3, 1))[..., 0].reshape(-1, 6)

            none = np.zeros((len(poses), 6))
            by_joint.append([
                seen(j, self._joint_twist(c, poses, points)) if j in near ^ far else none
                for c, j in enumerate(self.tree.joints)
            ])  # fmt: skip
            by_error.append([
                seen(p.frame, self._twist(p, poses, middle, points))
                if p.kind in _AXES and p.frame in near ^ far else none for p in self.parameters
            ])  # fmt: skip
        if not gaps:
            count = len(poses)
            return (
                np.zeros((count, 0)),
                np.zeros((count, 0, len(self.tree.joints))),
                np.zeros((count, 0, len(self.parameters))),
            )
        stacked = [np.concatenate([np.stack(loop, axis=-1) for loop in part], axis=1) for part in (by_joint, by_error)]
        return np.concatenate(gaps, axis=1), stacked[0], stacked[1]

    def close(self, x: Array, sensors: Array, passive: Array) -> tuple[Array, Array]:
        """Return all joints (m, joints) with the loops closed from these passive joints, and the largest gaps (m,)."""
        q = self._spread(self.joint_positions(x, sensors))
        if not self._loops:
            return q, np.zeros(len(q))
        q[:, self.passive_columns] = passive
        largest = np.full(len(q), np.inf)
        for _ in range(_ROUNDS):
            poses, middle = self.poses(x, q)
            gap, slope, _ = self._gaps(poses, middle)
            largest = np.abs(gap).max(axis=1)
            if (largest < TIGHTLY).all():
                break
            q[:, self.passive_columns] -= (_inverse(slope[..., self.passive_columns]) @ gap[..., None])[..., 0]
        return q, largest

    def at(self, x: Array, sensors: Array, passive: Array | None = None) -> PoseColumns:
        """Return poses and columns at sensor positions (m, sensors), with loops closed from the passive joints."""
        guess = np.zeros((len(sensors), len(self.passive_columns))) if passive is None else passive
        q, gap = self.close(x, sensors, guess)
        poses, middle = self.poses(x, q)
        base, tool = self.placements(x)
        end = poses[:, self.end] @ tool
        points, count = end[:, :3, 3], len(q)
        by_error = np.zeros((count, 6, len(self.parameters)))
        by_joint = np.zeros((count, 6, len(self.tree.joints)))
        for c, j in enumerate(self.tree.joints):
            if j in self._on_path:
                by_joint[..., c] = self._joint_twist(c, poses, points)
        for n, p in enumerate(self.parameters):
            if p.kind in _AXES and p.frame in self._on_path:
                by_error[..., n] = self._twist(p, poses, middle, points)
        self._add_tool(x, by_error, poses[:, self.end])
        motions = self._motions(x, sensors)  # rates of the joints with sensors
        slopes = np.zeros((count, len(self.passive_columns), len(self.parameters)))
        opened, overdriven = np.zeros((count, 0, len(self.parameters))), np.zeros((count, 0, len(self.sensors)))
        idle = np.zeros((count, 6, 0))
        by_sensor = by_joint[..., self.sensor_columns]
        if self._loops:
            _, slope, opening = self._gaps(poses, middle)
            opening = opening + slope[..., self.sensor_columns] @ motions
            inverse = _inverse(slope[..., self.passive_columns])
            slopes = -inverse @ opening
            opened = opening + slope[..., self.passive_columns] @ slopes
            follow = -inverse @ slope[..., self.sensor_columns]
            overdriven = slope[..., self.sensor_columns] + slope[..., self.passive_columns] @ follow
            free = np.eye(len(self.passive_columns)) - inverse @ slope[..., self.passive_columns]
            idle = by_joint[..., self.passive_columns] @ free
            by_error = by_error + by_joint[..., self.passive_columns] @ slopes
            by_sensor = by_sensor + by_joint[..., self.passive_columns] @ follow
        by_error = by_error + by_joint[..., self.sensor_columns] @ motions
        turned = np.kron(np.eye(2), base[:3, :3])
        columns = turned @ by_error
        measured = base @ end
        self._add_base(x, columns, measured[:, :3, 3] - base[:3, 3])
        return PoseColumns(measured, q, columns, turned @ by_sensor, slopes, opened, overdriven, idle, gap)

    def _motions(self, x: Array, sensors: Array) -> Array:
        """Return the rates of the joints with sensors per unit of each gear ratio and compliance, (m, sensors, n)."""
        found = np.zeros((len(sensors), len(self.sensors), len(self.parameters)))
        loads = None
        for n, p in enumerate(self.parameters):
            if p.kind not in ("ratio", "compliance"):
                continue
            k = self.sensors.index(p.frame)
            if p.kind == "ratio":
                found[:, k, n] = sensors[:, k]
                continue
            loads = self.loads(self._spread(sensors))[:, self.sensor_columns] if loads is None else loads
            found[:, k, n] = loads[:, k]
        return found

    def _add_tool(self, x: Array, columns: Array, frames: Array) -> None:
        """Fill the columns of the placement of the tool, along and about the axes of the end frame."""
        slopes = _turning(self._vector("tool", x))
        for n, p in enumerate(self.parameters):
            if p.kind == "tool":
                if p.axis < 3:
                    columns[:, :3, n] = frames[:, :3, p.axis]
                else:
                    columns[:, 3:, n] = frames[:, :3, :3] @ slopes[:, p.axis - 3]

    def _add_base(self, x: Array, columns: Array, arms: Array) -> None:
        """Fill the columns of the placement of the base, along and about the axes of the measuring frame."""
        slopes = _turning(self._vector("base", x))
        for n, p in enumerate(self.parameters):
            if p.kind == "base":
                if p.axis < 3:
                    columns[:, p.axis, n] = 1.0
                else:
                    columns[:, :3, n] = np.cross(slopes[:, p.axis - 3], arms)
                    columns[:, 3:, n] = slopes[:, p.axis - 3]

    def _vector(self, kind: str, x: Array) -> Array:
        turn = np.zeros(3)
        for p, v in zip(self.parameters, x, strict=True):
            if p.kind == kind and p.axis > 2:
                turn[p.axis - 3] = v
        return turn


def _turning(turn: Array) -> Array:
    """Return the matrix from rates of a rotation vector to the angular velocity."""
    angle = float(np.linalg.norm(turn))
    if angle < RANK:
        return np.eye(3) + _hat(turn) / 2
    W = _hat(turn / angle)
    return np.asarray(np.eye(3) + (1 - np.cos(angle)) / angle * W + (1 - np.sin(angle) / angle) * W @ W)


def _hat(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def _inverse(slopes: Array) -> Array:
    """Return the pseudoinverses of the slopes of the loops, which may not depend on all passive joints."""
    left, singular, right = np.linalg.svd(slopes, full_matrices=False)
    kept = np.arange(singular.shape[1]) < ranks(singular)[:, None]
    over = np.where(kept, 1 / np.maximum(singular, TINY), 0.0)
    return np.asarray(np.swapaxes(right, -1, -2) @ (over[..., None] * np.swapaxes(left, -1, -2)))
