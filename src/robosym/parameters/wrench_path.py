"""The way of a wrench from a link to the base, in few operations.

Turns about parallel axes are not carried out one by one: the wrench stays in the frame where the last axis began,
and only the sums of angles and shifts are kept. The component along the axis, the one that a joint feels, is brought
up to date at each shift; the other two when an axis of another direction comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.mechanism import JointType, Robot
from robosym.spatial import Scalar, Vec3, cos, sin

__all__ = ["Step", "along_joints", "path_to_base"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn about z (cosine `c`, sine `s`); the origin is then at `p`, whose moment the z component has already."""

    c: Scalar
    s: Any
    p: Vec3

    def apply(self, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
        c, s, p = self.c, self.s, self.p
        f = Vec3(c * f.x - s * f.y, s * f.x + c * f.y, f.z)
        x = c * n.x - s * n.y + (p.y * f.z - p.z * f.y)
        y = s * n.x + c * n.y + (p.z * f.x - p.x * f.z)
        return f, Vec3(x, y, n.z)


@dataclass(frozen=True, slots=True)
class Shift:
    """A shift by d along an axis across z that the wrench's x axis has turned away from: only n.z is brought up."""

    d: Any
    c: Scalar
    s: Any

    def apply(self, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
        return f, Vec3(n.x, n.y, n.z + self.d * (self.s * f.x + self.c * f.y))


@dataclass(frozen=True, slots=True)
class Tilt:
    """A turn about x by alpha, then a shift by d along it."""

    c: Scalar
    s: Any
    d: Any

    def apply(self, f: Vec3, n: Vec3) -> tuple[Vec3, Vec3]:
        c, s, d = self.c, self.s, self.d
        f = Vec3(f.x, c * f.y - s * f.z, s * f.y + c * f.z)
        return f, Vec3(n.x, c * n.y - s * n.z - d * f.z, s * n.y + c * n.z + d * f.y)


@dataclass(frozen=True, slots=True)
class Feel:
    """Joint j: it feels the z component of the moment or of the force."""

    joint: int
    kind: JointType


Step = Turn | Shift | Tilt | Feel


def path_to_base(robot: Robot, link: int, value: Callable[[Expr], Scalar]) -> list[Step]:
    """What happens to a wrench on a link, in its frame, on the way to the last joint before the base."""
    steps: list[Step] = []
    angle: Any = 0
    p = Vec3(0, 0, 0)
    j, length = link, 0
    while j:
        frame = robot.frame(j)
        if frame.is_joint:
            steps.append(Feel(j, frame.joint_type))
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
    """(joint, torque or force along it) for each joint on the way of a wrench."""
    for step in steps:
        if isinstance(step, Feel):
            yield step.joint, step.kind.along(f.z, n.z)
        else:
            f, n = step.apply(f, n)


def _turned(p: Vec3, angle: Any) -> Vec3:
    if is_exactly(p.x, 0) and is_exactly(p.y, 0):
        return p
    c, s = cos(angle), sin(angle)
    return Vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z)
