"""Numeric kinematics of a robot with geometric errors, over arrays of positions.

The pose of the target in the measuring frame is B 0T(q) E: placement of frame 0, pose of the end frame, placement of
the target. An error of a frame acts like a joint about or along its axis, so that its effect is a column of a
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

_ROUNDS = 30  #: maximum number of Newton steps on the loops
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


@dataclass(frozen=True)
class _Screws:
    """Axes about and along which errors of frames and joints move the links beyond them."""

    frames: Array  #: frame of each screw: those of the errors, then those of the joints
    places: list[int]  #: number of each error among all parameters
    sources: Array  #: pose with the axis, among those of the frames and those after alpha and d
    axes: Array  #: 0: x, 1: y, 2: z
    angular: Array
    linear: Array

    @classmethod
    def of(
        cls, robot: Robot, parameters: Sequence[ErrorParameter], joints: Sequence[int], tree: NumericTree
    ) -> _Screws:
        places = [n for n, p in enumerate(parameters) if p.kind in _AXES]
        rows = []
        for p in (parameters[n] for n in places):
            kind = robot.frame(p.frame).joint_type
            own = p.kind == kind.variable
            angular = float(kind.angular) if own else float(p.kind in _TURNS)
            linear = float(kind.linear) if own else float(p.kind not in _TURNS)
            before = p.kind in ("gamma", "b")
            source = robot.frame(p.frame).ant if before else p.frame + (p.kind not in ("theta", "r")) * (robot.NF + 1)
            rows.append((p.frame, source, _AXES[p.kind], angular, linear))
        rows += [(j, j, 2, a, v) for j, a, v in zip(joints, tree.angular.tolist(), tree.linear.tolist(), strict=True)]
        frames, sources, axes, angular_, linear_ = np.array(rows, dtype=float).reshape(-1, 5).T
        return cls(frames.astype(int), places, sources.astype(int), axes.astype(int), angular_, linear_)

    def at(self, poses: Array, middle: Array) -> tuple[Array, Array]:
        """Return the axes and points on them in frame 0, (m, screws, 3)."""
        chosen = np.concatenate([poses, middle], axis=1)[:, self.sources]
        return np.moveaxis(chosen[:, np.arange(len(self.axes)), :3, self.axes], 0, 1), chosen[..., :3, 3]

    def twists(self, axes: Array, origins: Array, points: Array) -> Array:
        """Return the twists of points (m, 3) per unit of each screw, (m, 6, screws)."""
        return np.swapaxes(axis_twists(axes, points[:, None] - origins, self.angular, self.linear), 1, 2)


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
        self._screws = _Screws.of(robot, self.parameters, joints, self.tree)
        on_path = {*path(robot, 0, end)[1]}
        self._to_end = np.array([float(j in on_path) for j in self._screws.frames])
        sides = [
            ({*path(robot, 0, robot.frame(loop.cut).ant)[1], loop.cut}, {*path(robot, 0, loop.fixed)[1]})
            for loop in self._loops
        ]
        #: effect of each screw on the gap of each loop: 1 on the side of the cut joint, -1 on the other
        self._signs = [
            np.array([float(j in near) - float(j in far) for j in self._screws.frames]) for near, far in sides
        ]
        self._known_loads: tuple[Array, Array] | None = None

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

    def _sensor_loads(self, sensors: Array) -> Array:
        """Return the torques of gravity on the joints of an arm, where its sensors are at these positions.

        The last result is stored: an estimation needs the same torques in each step.
        """
        known = self._known_loads
        if known is None or known[0].shape != sensors.shape or not np.array_equal(known[0], sensors):
            self._known_loads = known = (sensors.copy(), self._loads(self._spread(sensors))[:, self.sensor_columns])
        return known[1]

    def _loads(self, q: Array) -> Array:
        """Return the torques that gravity exerts on the joints of a tree, (m, joints)."""
        poses = self.tree.poses(self.at_zero, q)
        torques = np.zeros_like(q)
        for i, (mass, *first) in enumerate(self.masses, 1):
            moment = np.cross(poses[:, i, :3, :3] @ np.array(first), self.gravity)
            joints = [j for j in path(self.robot, 0, i)[1] if j in self.tree.joints]
            twists = self.tree.twists(poses, poses[:, i, :3, 3], joints)
            columns = [self.tree.joints.index(j) for j in joints]
            torques[:, columns] += mass * self.gravity @ twists[:, :3] + (moment[:, None] @ twists[:, 3:])[:, 0]
        return torques

    def joint_positions(self, x: Array, sensors: Array) -> Array:
        """Return the positions of the joints with sensors, (m, sensors): gear ratios and compliance included."""
        ratio, compliance = self._of_kind("ratio", x), self._of_kind("compliance", x)
        q = np.array(sensors, dtype=float)
        for k, j in enumerate(self.sensors):
            q[:, k] *= 1 + ratio.get(j, 0.0)
        if compliance:
            q += self._sensor_loads(sensors) * np.array([compliance.get(j, 0.0) for j in self.sensors])
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

    def _parted(self, columns: Array) -> tuple[Array, Array]:
        """Return the columns (..., errors) and (..., joints) of the screws."""
        places, count = self._screws.places, len(self._screws.places)
        found = np.zeros((*columns.shape[:-1], len(self.parameters)))
        found[..., places] = columns[..., :count]
        return found, columns[..., count:]

    def _gaps(self, poses: Array, middle: Array) -> tuple[Array, Array, Array]:
        """Return gap of each loop in its fixed frame and its derivatives by joints and by errors of frames."""
        axes, origins = self._screws.at(poses, middle)
        gaps, slopes = [np.zeros((len(poses), 0))], [np.zeros((len(poses), 0, len(self._screws.frames)))]
        for loop, signs in zip(self._loops, self._signs, strict=True):
            A, B = poses[:, loop.fixed], poses[:, loop.cut]
            turn = np.swapaxes(A[:, :3, :3], -1, -2)
            shift = (turn @ (B[:, :3, 3] - A[:, :3, 3])[..., None])[..., 0]
            gaps.append(np.concatenate([shift, rotation_vector(turn @ B[:, :3, :3])], axis=-1))
            twists = self._screws.twists(axes, origins, B[:, :3, 3]) * signs
            slopes.append(np.concatenate([turn @ twists[:, :3], turn @ twists[:, 3:]], axis=1))
        by_error, by_joint = self._parted(np.concatenate(slopes, axis=1))
        return np.concatenate(gaps, axis=1), by_joint, by_error

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
        twists = self._screws.twists(*self._screws.at(poses, middle), points) * self._to_end
        by_error, by_joint = self._parted(twists)
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
        for n, p in enumerate(self.parameters):
            if p.kind in ("ratio", "compliance"):
                k = self.sensors.index(p.frame)
                found[:, k, n] = sensors[:, k] if p.kind == "ratio" else self._sensor_loads(sensors)[:, k]
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
