"""Initial guess of the reference position: given joint values, or joints of the legs at a given pose."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from robosym.algebra import evaluate
from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, EXACTLY, TIGHTLY
from robosym.coordinates.equal_legs import alike, joints_of_leg, seen_from
from robosym.coordinates.many_starts import Search, closed_at
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.elements import length_entries
from robosym.spatial.numeric import displacement, rigid, rotation_vector, screws

__all__ = ["LEAST_SIZE", "first_guess", "moved_from_guess"]

_TRIES = 60  #: random starts of a leg at a pose
_MET = 1e-3  #: meters and radians: a leg that comes as near as this reaches the pose
_FAR = 0.1  #: radians, and parts of the robot's size: a reference farther from its guess is warned about
_PATH = 8  #: poses on the way of a leg to where it has the joints of an equal leg
_POSITION = 3  #: numbers of a pose without an orientation
LEAST_SIZE = 1e-3  #: in meters, for a robot whose platform is at the origin
_ROUNDS = 80  #: maximum number of Newton steps
_DAMPING = Damping(first=1e-6, less=10, more=10, least=1e-16, most=1e8)


def first_guess(robot: Robot) -> dict[str, float]:
    """Return joint values of the closed robot near which its legs are to be closed."""
    names = [robot.variable(j) for j in robot.tree_joints]
    start = dict.fromkeys(names, 0.0) | dict(robot.position)
    if robot.module.reference_pose is not None:
        return _at_pose(robot, robot.module.reference_pose, start)
    for j, (rod, way) in robot.followers.items():
        start[robot.variable(j)] = way * start[robot.variable(rod)]
    return start | {shape.cut: -start[robot.variable(shape.rod)] for shape in robot.module.parallelograms}


def _matrix(pose: tuple[float, ...]) -> Array:
    """Return a pose of 12, 6 or 3 numbers as a matrix with an orthogonal rotation."""
    T = np.eye(4)
    if len(pose) == 12:
        U, _, V = np.linalg.svd(np.reshape(pose[:9], (3, 3)))
        T[:3, :3], T[:3, 3] = U @ V, pose[9:]
        return T
    T[:3, 3] = pose[:3]
    if len(pose) == 6:
        roll, pitch, yaw = pose[3:]
        T = T @ screws(2, yaw, 0.0) @ screws(1, pitch, 0.0) @ screws(0, roll, 0.0)
    return T


def _at_pose(robot: Robot, pose: tuple[float, ...], guess: Mapping[str, float]) -> dict[str, float]:
    """Return the joints of each leg at a pose; equal legs use the same branch unless the guess differs."""
    search, T = Search(robot), _matrix(pose)
    names = search.gaps.names
    draw = random_arrays("poses of a platform")
    far = np.where(search.turning, np.pi, 2 * max(LEAST_SIZE, float(np.abs(T[:3, 3]).max()), _size(robot)))
    table = draw.uniform(-far, far, (_TRIES, len(far)))
    table[0] = [guess.get(name, 0.0) for name in names]
    starts = dict(zip(names, table.T, strict=True))
    found = dict(guess)
    lost = []
    for leg, numbers in enumerate(robot.legs):
        own = [robot.variable(j) for j in numbers if robot.frame(j).is_joint]
        if leg and not any(name in robot.position for name in own):  # take those of an equal first leg
            first = [robot.variable(j) for j in robot.legs[0] if robot.frame(j).is_joint]
            if len(first) == len(own):
                for name, other in zip(own, first, strict=True):
                    starts[name][0] = found[other]
        # a strut or a cable, which a joint before it turns, also closes with a negative length: turned around
        struts = [n for n in own[1:] if n not in robot.position and not search.turning[names.index(n)]]
        joints, gap = search.leg_at(leg, T, {}, starts, passive=1.0, positive=struts)
        if gap <= _MET and not any(name in robot.position for name in own):
            joints = _like_an_equal_leg(search, leg, T, found) or joints
        found |= joints
        if gap > _MET:
            lost.append((leg + 1, gap))
    if lost and len(pose) == _POSITION:
        return _at_position(search, T, found)
    if lost:
        leg, gap = lost[0]
        raise InputError(
            f"{robot.name}: position: pose: leg {leg} does not reach this pose, the gap is {gap:.3g} (m, rad): "
            "expected a pose that the legs allow; x, y, z alone has the orientation computed"
        )
    turning = {name for name, turns in zip(names, search.turning, strict=True) if turns}
    wound = {n: math.remainder(x, 2 * math.pi) if n in turning else x for n, x in found.items()}
    return dict.fromkeys(names, 0.0) | wound


def _like_an_equal_leg(search: Search, leg: int, T: Array, found: Mapping[str, float]) -> dict[str, float] | None:
    """Return the joints of a leg in the branch of an equal leg before it, which is followed to where it has them.

    None if there is no such leg, or if it does not reach a pose on the way.
    """
    robot = search.robot
    first = next((k for k in range(leg) if alike(robot, k, leg)), None)
    if first is None:
        return None
    goal = seen_from(robot, first, leg, T)
    turn = rotation_vector((T[:3, :3].T @ goal[:3, :3])[None])[0]
    names = joints_of_leg(robot, first)
    at = {name: np.array([found.get(name, 0.0)]) for name in search.gaps.names}
    for share in np.linspace(0, 1, _PATH + 1)[1:]:
        pose = rigid(share * turn, T[:3, 3] + share * (goal[:3, 3] - T[:3, 3]))
        pose[:3, :3] = T[:3, :3] @ pose[:3, :3]
        joints, gap = search.leg_at(first, pose, {}, at)
        if gap > _MET:
            return None
        at |= {name: np.array([value]) for name, value in joints.items()}
    return dict(zip(joints_of_leg(robot, leg), (float(at[name][0]) for name in names), strict=True))


def _at_position(search: Search, T: Array, near: Mapping[str, float]) -> dict[str, float]:
    """Return the joints of all legs with the platform at a position, with the smallest rotation."""
    names = search.gaps.names
    draw = random_arrays("poses of a platform")
    table = np.tile([near.get(name, 0.0) for name in names], (_TRIES, 1))
    table[1:] += draw.normal(0, 1, (_TRIES - 1, len(names)))
    geometry = search.gaps.geometry(dict.fromkeys(names, 0.0))
    goals = np.tile(T[:3, 3], (_TRIES, 1))
    equations = closed_at(search, geometry, goals, (0, 1, 2), np.eye(4))
    q, left = levenberg_marquardt(equations, table, _DAMPING, EXACTLY, _ROUNDS, settled=TIGHTLY)
    good = q[np.abs(left).max(axis=1) < CLOSED]
    if not len(good):
        raise InputError(f"{search.robot.name}: position: pose: the legs do not reach {T[:3, 3].tolist()}")
    turned = np.linalg.norm(rotation_vector(search.platform(good, {})[:, :3, :3]), axis=1)
    return dict(zip(names, map(float, good[int(np.argmin(turned.round(6)))]), strict=True))


def _size(robot: Robot) -> float:
    """Return the longest length of the geometry with all joints at zero."""
    entries = length_entries(robot.frames)
    still = {name: 0.0 for name in robot.variables if name}
    return max(map(abs, evaluate(entries, still)), default=1.0) or 1.0


def moved_from_guess(
    robot: Robot, joints: Mapping[str, float], pose: Array
) -> tuple[float, tuple[str, ...]]:  # fmt: skip
    """Return the largest distance of a reference position from the guess, and a remark if it is large."""
    size = _size(robot)
    if robot.module.reference_pose is not None:
        away = displacement(_matrix(robot.module.reference_pose)[None], pose[None])[0]
        if len(robot.module.reference_pose) == _POSITION:
            away[3:] = 0
        far = max(float(np.abs(away[:3]).max()) / size, float(np.abs(away[3:]).max()))
        what = f"the platform is {np.linalg.norm(away[:3]):.3g} m and {np.linalg.norm(away[3:]):.3g} rad away from it"
        remark = f"position: the legs were closed far from the pose that is given: {what}"
        return float(np.abs(away).max()), (remark,) if far > _FAR else ()
    worst, most, far = "", 0.0, 0.0
    for name, value in robot.position.items():
        j = robot.variables.index(name) + 1
        away, unit = abs(joints[name] - value), size
        if robot.frame(j).joint_type.only_turns:
            away, unit = abs(math.remainder(joints[name] - value, 2 * math.pi)), 1.0
        if away / unit > far:
            worst, far = name, away / unit
        most = max(most, float(away))
    if far <= _FAR:
        return most, ()
    remark = (
        f"position: the legs were closed far from the joint values that are given: {worst} = {joints[worst]:.4g} for "
        f"{robot.position[worst]:.4g}; robosym show prints the reference position that the models use"
    )
    return most, (remark,)
