"""Checks of the models of a book against numbers that do not come from them.

The pose of each frame is a product of six elementary matrices per frame, computed with NumPy. Velocities, the kinetic
and potential energy of all links and the power of the motors follow from it by differences in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from robosym.algebra import evaluate
from robosym.algebra.arrays import Array
from robosym.mechanism import INERTIA, Robot

__all__ = ["CheckedNumber", "energy_at", "frame_poses", "power_of", "slope"]

_STEP = 2e-3  #: step of time in s; differences of fourth order
_WEIGHTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}


@dataclass(frozen=True)
class CheckedNumber:
    """A number of a model, and the same number from elsewhere."""

    state: str
    quantity: str
    unit: str
    model: float
    other: float

    @property
    def difference(self) -> float:
        return abs(self.model - self.other)


def slope(f: Callable[[float], Array | float], t: float = 0.0) -> Array:
    """Return the derivative of a function at a multiple of the step, by differences of fourth order."""
    return np.asarray(
        sum(weight * np.asarray(f(round(t / _STEP + k) * _STEP)) for k, weight in _WEIGHTS.items()) / _STEP
    )


def _turn(axis: int, angle: float) -> Array:
    T = np.eye(4)
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    T[a, a] = T[b, b] = np.cos(angle)
    T[b, a], T[a, b] = np.sin(angle), -np.sin(angle)
    return T


def _shift(axis: int, length: float) -> Array:
    T = np.eye(4)
    T[axis, 3] = length
    return T


def frame_poses(robot: Robot, joints: dict[str, float]) -> Array:
    """Return the poses (frames + 1, 4, 4) of all frames in frame 0, by elementary matrices."""
    poses = [np.eye(4)]
    for frame in robot.frames:
        gamma, b, alpha, d, theta, r = evaluate(
            [frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r], joints
        )
        steps = (_turn(2, gamma), _shift(2, b), _turn(0, alpha), _shift(0, d), _turn(2, theta), _shift(2, r))
        poses.append(np.linalg.multi_dot([poses[frame.ant], *steps]))
    return np.array(poses)


def energy_at(robot: Robot, path: Callable[[float], dict[str, float]], t: float) -> float:
    """Return the energy of all links and rotors at a time of a motion, from poses before and after."""
    poses = frame_poses(robot, path(t))
    rates = slope(lambda time: frame_poses(robot, path(time)), t)
    gravity = np.array(evaluate(list(robot.gravity), {}))
    total = 0.0
    for j, link in enumerate(robot.links, 1):
        XX, XY, XZ, YY, YZ, ZZ, *first, M = evaluate([getattr(link, name) for name in INERTIA], {})
        J, MS = np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]]), np.array(first)
        A, V = poses[j, :3, :3], poses[j, :3, :3].T @ rates[j, :3, 3]
        spin = A.T @ rates[j, :3, :3]
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        total += (w @ J @ w + M * V @ V + 2 * MS @ np.cross(V, w)) / 2
        total -= gravity @ (M * poses[j, :3, 3] + A @ MS)
        IA = evaluate([link.IA], {})[0]
        if IA:
            name = robot.variable(j)
            total += IA * float(slope(lambda time, name=name: path(time)[name], t)) ** 2 / 2  # type: ignore[misc]
    return float(total)


def power_of(robot: Robot, path: Callable[[float], dict[str, float]]) -> float:
    """Return the power that the motors deliver at time 0: change of energy and friction."""
    change = float(slope(lambda t: energy_at(robot, path, t)))
    lost = 0.0
    for j, name in _moving(robot):
        rate = float(slope(lambda t, name=name: path(t)[name]))  # type: ignore[misc]
        FV, FS = evaluate([robot.links[j - 1].FV, robot.links[j - 1].FS], {})
        lost += FV * rate**2 + FS * abs(rate)
    return change + lost


def _moving(robot: Robot) -> Iterator[tuple[int, str]]:
    yield from ((j, robot.variable(j)) for j in robot.tree_joints)
