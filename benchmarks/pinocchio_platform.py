"""Compare a Gough-Stewart robot with Pinocchio's C++, which models it by legs, a free platform and constraints.

Pinocchio receives positions, velocities and accelerations of all joints; robosym starts from the platform only.
`pinocchio_cpp` lists the requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from pinocchio_cpp import Race, raced

import robosym as rs
from robosym.algebra import evaluate
from robosym.algebra.samples import evaluate_arrays
from robosym.coordinates.legs import Legs
from robosym.coordinates.platform_motion import ACCELERATION, POSE, TWIST
from robosym.mechanism import Frame, Link
from robosym.spatial.numeric import frame_matrices, rigid

__all__ = ["Motions", "platform_race"]

Array = NDArray[np.float64]
_TEN = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")


class Motions:
    """Random motions of the platform: poses (n, 12), twists and accelerations (n, 6)."""

    def __init__(self, count: int) -> None:
        rng = np.random.default_rng(0)
        turns, shifts = rng.normal(size=(2, count, 3))
        home = np.array([0.1, 0.2, 0.75])
        self.turns = [rigid(0.2 * w, home + 0.03 * p) for w, p in zip(turns, shifts, strict=True)]
        self.pose = np.array([np.concatenate([T[:3, :3].ravel(), T[:3, 3]]) for T in self.turns])
        self.twist, self.acceleration = rng.normal(size=(2, count, 6))


def inertia_text(link: Link, values: Mapping[str, float]) -> list[float]:
    """Return mass, center of mass and the inertia tensor about it, as text."""
    xx, xy, xz, yy, yz, zz, mx, my, mz, m = (values.get(str(getattr(link, name).name), 0.0) for name in _TEN)
    com = np.array([mx, my, mz]) / m
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (com @ com * np.eye(3) - np.outer(com, com))
    return [m, *com, *(tensor[i] for i in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))]


def _place(frame: Frame) -> list[float]:
    """Return the placement of a frame in its parent, with its joint at zero."""
    entries = {name: getattr(frame, name) for name in ("gamma", "b", "alpha", "d")}
    T = frame_matrices(*(np.asarray(evaluate([e], {})[0]) for e in entries.values()), np.asarray(0.0), np.asarray(0.0))
    return [*T[:3, :3].ravel(), *T[:3, 3]]


def model_text(robot: rs.Robot, values: Mapping[str, float]) -> str:
    """Return the robot in the format of pinocchio_platform.cpp."""
    lines = [[0.0, 0.0, values["G3"]]]
    for leg in robot.legs:
        for j in leg[:3]:
            lines.append([*_place(robot.frame(j)), *inertia_text(robot.link(j), values), 0.0])
    lines.append(inertia_text(robot.platform, values))
    lines += [_place(place)[9:] for place in robot.places]
    return "\n".join(" ".join(repr(float(x)) for x in line) for line in lines) + "\n"


def joint_motion(robot: rs.Robot, motions: Motions) -> Array:
    """Return q, v and a of the tree: the legs, and the platform as a free body in its own axes."""
    legs = Legs(robot, ("pose", "twist", "acceleration"), ("parameters",), vectors=False)
    roots = []
    for part in ("solved", "joint_rates", "joint_accelerations"):
        for leg in legs.legs:
            for j in leg.joints:
                value = leg.solved[robot.variable(j)] if part == "solved" else getattr(leg, part)[j]
                roots.append(value.angle if hasattr(value, "angle") else value)
    names = (*POSE, *TWIST, *ACCELERATION)
    columns = np.concatenate([motions.pose, motions.twist, motions.acceleration], axis=1).T
    table = np.column_stack(evaluate_arrays(roots, dict(zip(names, columns, strict=True))))
    states = []
    for k, T in enumerate(motions.turns):
        R, (v, w), (vp, wp) = T[:3, :3], motions.twist[k].reshape(2, 3), motions.acceleration[k].reshape(2, 3)
        own, turn = R.T @ v, R.T @ w
        q, qd, qdd = table[k].reshape(3, 18)
        gained = R.T @ vp - np.cross(turn, own)
        states.append([*q, *T[:3, 3], *_quaternion(R), *qd, *own, *turn, *qdd, *gained, *(R.T @ wp)])
    return np.array(states)


def _quaternion(R: Array) -> Array:
    """Return x, y, z, w of a rotation by less than half a turn."""
    w = np.sqrt(1 + np.trace(R)) / 2
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 4 * w * w]) / (4 * w)


def platform_race(robot: rs.Robot, values: Mapping[str, float], motions: Motions, ours: Callable[[], Array]) -> Race:
    """Compare inverse dynamics; `robot` has numeric geometry and symbolic inertia."""
    return raced("pinocchio_platform", [], model_text(robot, values), joint_motion(robot, motions), ours)
