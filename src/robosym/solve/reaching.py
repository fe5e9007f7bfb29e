"""Numerical motions of a robot: move joints to values or a frame to a pose while the loops stay closed."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import RANK
from robosym.coordinates.numeric_robot import NumericRobot, Position
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.path import check_frame
from robosym.mechanism.series import closed_form
from robosym.spatial.numeric import displacement

__all__ = ["end_in_joints", "follow_joints", "is_redundant", "lead_frame", "lead_joints", "pose_error", "reach_pose"]

_FARTHEST = 120  #: rad, or times the reach: the longest motion, about twenty turns
_ARRIVED = 1e-10  #: tolerance of a reached pose, relative to the reach and in rad
_ROUNDS, _DAMPINGS = 24, 4  #: maximum numbers of Newton steps towards a pose, and of attempts per step
_LONGEST = 0.25  #: rad, or parts of the reach: the longest of its steps
_BETTER = 1e-4  #: smallest relative improvement of a step; below it, the search ends
_DAMPING, _LEAST, _MOST = 1e-6, 1e-12, 1e3  #: damping of least squares: initial, smallest and largest
_BESIDE, _ASIDE = 3, 0.05  #: positions beside one, and how far in rad or m: the degrees of freedom there
_REACHED = 1e-6  #: relative to the reach: largest error of a pose that counts as reached


def end_in_joints(robot: Robot, numeric: NumericRobot) -> int:
    """Return the end of the arm or the platform, numbered as in joint coordinates."""
    end = check_frame(robot, chosen_frame(robot, None), 1)
    links = closed_form(robot, numeric.robot.position).links
    return next(j for j, link in links.items() if link == end)


def lead_joints(robot: NumericRobot, start: Position, wanted: Position) -> tuple[dict[str, float], bool]:
    """Move joints of a closed robot to the values `wanted` in the assembly mode of `start`.

    Return the final position, and whether the joints have these values. The other motors do not move unless the robot
    has more motors than degrees of freedom.
    """
    numbers = dict(zip(robot.names, robot.robot.tree_joints, strict=True))
    for name, value in wanted.items():
        unit = robot.reach if robot.slides(numbers[name]) else 1.0
        if not abs(value - start[name]) <= _FARTHEST * unit:  # an unbounded goal would take too long
            raise InputError(
                f"{', '.join(wanted)}: too far from the current position for one motion of a robot with loops"
            )
    return robot.closing.lead(start, wanted, () if robot.is_overdriven(start) else robot.movable)


def follow_joints(robot: NumericRobot, start: Position, names: Sequence[str], q: Array) -> list[dict[str, float]]:
    """Return all joint positions at each row of q (samples, names), from `start` on in one assembly mode.

    An error reports the first sample that is not finite or at which the loops cannot close.
    """
    variables = robot.robot.variables
    fixed, here = [variables.index(name) + 1 for name in names], dict(start)
    found = []
    for number, row in enumerate(q, 1):
        goal = here | {name: float(value) for name, value in zip(names, row, strict=True)}
        if not np.isfinite(row).all():
            raise InputError(f"sample {number} of {len(q)}: expected finite numbers, found {row.tolist()}")
        try:
            here = robot.closed(goal, fixed)
        except InputError as error:
            raise InputError(f"sample {number} of {len(q)}: {error}") from None
        found.append(here)
    return found


def lead_frame(
    robot: NumericRobot, start: Position, frame: int, T: Array, seconds: float = math.inf, *,
    given: str = "snaP", turning: float = 1.0,
) -> dict[str, float]:  # fmt: skip
    """Move a frame towards a pose T (4, 4) by damped least squares from `start`, within joint limits.

    `given` selects the columns of the pose; `turning` is the weight of a radian relative to the reach of the robot.
    """
    end = time.monotonic() + seconds
    goal = _Goal(robot, frame, T, given, turning)
    here, damping = dict(start), _DAMPING
    poses = robot.poses(here)
    error = goal.error(poses)
    for _ in range(_ROUNDS):
        size = float(np.linalg.norm(error))
        if size < _ARRIVED or time.monotonic() > end:
            break
        N = robot.rates(here, cut=True)
        A = goal.slope(poses) @ N[: len(robot.names)]
        for _ in range(_DAMPINGS):
            step = N @ np.linalg.solve(A.T @ A + damping * np.eye(A.shape[1]), A.T @ error)
            tried = _stepped(robot, here, step)
            if tried is not None:
                there = robot.poses(tried)
                left = goal.error(there)
                if np.linalg.norm(left) < (1 - _BETTER) * size:
                    here, poses, error, damping = tried, there, left, max(damping / 10, _LEAST)
                    break
            damping = min(damping * 30, _MOST)
        else:
            break
    return here


def reach_pose(
    robot: NumericRobot, start: Position, frame: int, T: Array, seconds: float = math.inf, given: str = "snaP"
) -> dict[str, float] | None:
    """Return the position in which a frame has the given columns of a pose, from `start`; None if not found."""
    joints = lead_frame(robot, start, frame, T, seconds, given=given)
    left = pose_error(robot, joints, frame, T, given)
    return joints if left < _REACHED * max(1.0, robot.reach) else None


def pose_error(robot: NumericRobot, joints: Position, frame: int, T: Array, given: str = "snaP") -> float:
    """Return the largest difference from the given columns of a pose, by forward substitution."""
    columns = ["snaP".index(name) for name in given]
    return float(np.abs(robot.poses(joints)[frame] - T)[:3, columns].max())


def is_redundant(robot: NumericRobot, joints: Position, frame: int, given: str = "snaP") -> bool:
    """Return whether the motors can move while the given columns are constant, not only at singularities."""
    for nearby in (joints, *robot.starts(joints, _BESIDE, _ASIDE)):
        J = _counted(given, robot.poses(nearby)[frame]) @ robot.jacobian(nearby, frame)
        if J.size and int(np.linalg.matrix_rank(J, tol=RANK * np.linalg.norm(J, 2))) == J.shape[1]:
            return False
    return True


def _counted(given: str, pose: Array) -> Array:
    """Return the projection (6, 6) of twists on those that change the given columns of a pose."""
    axes = [pose[:3, "sna".index(name)] for name in given if name != "P"]
    P = np.zeros((6, 6))
    P[:3, :3] = np.eye(3) * ("P" in given)
    if axes:
        P[3:, 3:] = np.eye(3) - (np.outer(axes[0], axes[0]) if len(axes) == 1 else 0.0)
    return P


class _Goal:
    """Error of a pose, and its derivative with respect to the joints; lengths relative to the reach."""

    def __init__(self, robot: NumericRobot, frame: int, T: Array, given: str, turning: float) -> None:
        self.robot, self.frame, self.T, self.given = robot, frame, T, given
        self.weights = np.repeat([1 / robot.reach, turning], 3)
        axes = ["sna".index(name) for name in given if name != "P"]
        self.axis = axes[0] if len(axes) == 1 else None  #: the only one that is given

    def error(self, poses: Array) -> Array:
        here = poses[self.frame]
        left = displacement(here, self.T)
        if self.axis is not None:
            left[3:] = _tilt(here[:3, self.axis], self.T[:3, self.axis])
        return np.asarray(self.weights * (_counted(self.given, here) @ left))

    def slope(self, poses: Array) -> Array:
        J = self.robot.columns(poses, self.frame)
        return np.asarray(self.weights[:, None] * (_counted(self.given, poses[self.frame]) @ J))


def _tilt(start: Array, end: Array) -> Array:
    """Return the shortest rotation vector from one unit vector to another."""
    across, along = np.cross(start, end), float(start @ end)
    sine = float(np.linalg.norm(across))
    if not sine and along < 0:  # opposite: about any axis across
        across = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])
        return np.asarray(math.pi * across / np.linalg.norm(across))
    return np.asarray(across * (math.atan2(sine, along) / sine if sine else 1.0))


def _stepped(robot: NumericRobot, joints: Position, step: Array) -> dict[str, float] | None:
    """Return the joints after a step, within limits and with closed loops; None if the loops stay open."""
    movers = robot.closing.gaps.joints if robot.robot.loops else robot.robot.tree_joints
    scale = np.array([robot.reach if robot.slides(j) else 1.0 for j in movers])
    most = float(np.abs(step / scale).max(initial=0.0))
    step = step * min(1.0, _LONGEST / most) if most else step
    moved = dict(joints)
    for j, change in zip(movers, step, strict=True):
        limits, name = robot.robot.joint(j).limits, robot.robot.variable(j)
        value = moved[name] + float(change)
        low = -math.inf if limits.lower is None else min(limits.lower, moved[name])
        high = math.inf if limits.upper is None else max(limits.upper, moved[name])
        moved[name] = min(high, max(low, value))
    try:
        closed = robot.closed(moved)
    except InputError:
        return None
    return None if robot.robot.loops and robot.jumps(joints, closed) else closed
