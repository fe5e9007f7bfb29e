"""Legs that are equal except for where they are attached to base and platform."""

from __future__ import annotations

import numpy as np

from robosym.algebra.samples import Array
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import frame_geometry, frame_matrix, frames_along
from robosym.spatial import Scalar
from robosym.spatial.numeric import rigid_inverse

__all__ = ["alike", "joints_of_leg", "seen_from"]


def joints_of_leg(robot: Robot, leg: int) -> list[str]:
    """Return the variables of the joints of a leg, in order."""
    return [robot.variable(j) for j in robot.legs[leg] if robot.frame(j).is_joint]


def _frames_after(robot: Robot, leg: int) -> list[tuple[Scalar, ...]]:
    """Return the numeric frames of a leg after its first joint, with the joints at zero."""
    first = _first(robot, leg)
    found: list[tuple[Scalar, ...]] = [(robot.frame(first).sigma, robot.frame(first).mu)]
    for j in robot.legs[leg]:
        if j > first:
            frame = robot.frame(j)
            numbers = frame_geometry([frame], _still(robot))[:, 0].tolist()
            found.append((frame.sigma, frame.mu, j in robot.followers, *(round(x, 9) for x in numbers)))
    return found


def alike(robot: Robot, one: int, other: int) -> bool:
    """Return whether two legs differ only in their attachment to base and platform."""
    return _frames_after(robot, one) == _frames_after(robot, other)


def seen_from(robot: Robot, first: int, leg: int, pose: Array) -> Array:
    """Return the pose at which the leg `first` has the joints that the equal leg `leg` has at `pose`."""
    T = _base(robot, first) @ rigid_inverse(_base(robot, leg)) @ pose
    return np.asarray(T @ _place(robot, leg) @ rigid_inverse(_place(robot, first)))


def _first(robot: Robot, leg: int) -> int:
    return next(j for j in robot.legs[leg] if robot.frame(j).is_joint)


def _base(robot: Robot, leg: int) -> Array:
    """Return the pose of the first joint of a leg in frame 0, with the joint at zero."""
    first = _first(robot, leg)
    return frames_along([robot.frame(j) for j in robot.legs[leg] if j <= first], _still(robot))[-1]


def _place(robot: Robot, leg: int) -> Array:
    return frame_matrix(robot.places[leg], _still(robot))


def _still(robot: Robot) -> dict[str, float]:
    return {name: 0.0 for name in robot.variables if name}
