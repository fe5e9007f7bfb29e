"""Transformation of a wrench from a link to the base, with few operations.

Rotations about parallel axes are not applied one by one: the wrench stays in the frame where the last axis began, and
only the sums of angles and translations are accumulated. The component along the axis, which is the effort of a
joint, is updated at each translation, the other two only when the direction of the axis changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.mechanism import JointType, Robot
from robosym.mechanism.path import rotated
from robosym.spatial import Scalar, Vec3, cos, sin

__all__ = ["Step", "along_joints", "path_to_base"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Rotation about z (cosine `c`, sine `s`), then origin at `p`, whose moment is already in the z component."""

    c: Scalar
    s: Any
    p: Vec3

    def apply(self, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
        c, s, p = self.c, self.s, self.p
        f, n = rotated("z", c, s, f), rotated("z", c, s, n)
        return f, Vec3(n.x + (p.y * f.z - p.z * f.y), n.y + (p.z * f.x - p.x * f.z), n.z)


@dataclass(frozen=True, slots=True)
class Shift:
    """Translation by d along a rotated axis perpendicular to z; only n.z is updated."""

    d: Any
    c: Scalar
    s: Any

    def apply(self, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
        return f, Vec3(n.x, n.y, n.z + self.d * (self.s * f.x + self.c * f.y))


@dataclass(frozen=True, slots=True)
class Tilt:
    """Rotation about x by alpha, then translation by d along it."""

    c: Scalar
    s: Any
    d: Any

    def apply(self, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
        c, s, d = self.c, self.s, self.d
        f, n = rotated("x", c, s, f), rotated("x", c, s, n)
        return f, Vec3(n.x, n.y - d * f.z, n.z + d * f.y)


@dataclass(frozen=True, slots=True)
class JointStep:
    """Joint j, whose effort is the z component of the moment or of the force."""

    joint: int
    kind: JointType


Step = Turn | Shift | Tilt | JointStep


def path_to_base(robot: Robot, link: int, value: Callable[[Expr], Scalar]) -> list[Step]:
    """Return the transformation steps of a wrench on a link, in its frame, to the last joint before the base."""
    steps: list[Step] = []
    angle: Any = 0
    p = Vec3(0, 0, 0)
    j, length = link, 0
    while j:
        frame = robot.frame(j)
        if frame.is_joint:
            steps.append(JointStep(j, frame.joint_type))
            length = len(steps)
        theta, r = frame.screw(value)
        alpha, d = value(frame.alpha), value(frame.d)
        angle, p = theta + angle, _turned(p, theta) + Vec3(0, 0, r)
        c, s = cos(alpha), sin(alpha)
        if is_exactly(s, 0) and is_exactly(c, 1):
            if not is_exactly(d, 0):
                steps.append(Shift(d, cos(angle), sin(angle)))
                p = p + Vec3(d, 0, 0)
        else:
            steps += [Turn(cos(angle), sin(angle), p), Tilt(c, s, d)]
            angle, p = 0, Vec3(0, 0, 0)
        gamma, b = value(frame.gamma), value(frame.b)
        angle, p = angle + gamma, _turned(p, gamma) + Vec3(0, 0, b)
        j = frame.ant
    return steps[:length]


def along_joints(steps: list[Step], f: Vec3, n: Vec3) -> Iterator[tuple[int, Any]]:
    """Return (joint, torque or force along it) for each joint on the path of a wrench."""
    for step in steps:
        if isinstance(step, JointStep):
            yield step.joint, step.kind.along(f.z, n.z)
        else:
            f, n = step.apply(f, n)


def _turned(p: Vec3, angle: Any) -> Vec3:
    if is_exactly(p.x, 0) and is_exactly(p.y, 0):
        return p
    return rotated("z", cos(angle), sin(angle), p)
