"""Poses and inertias as given in robot files: angles, quaternions, moments about the center of mass."""

from __future__ import annotations

import math
from collections.abc import Sequence

from robosym.formats.xml_source import Element
from robosym.mechanism.screws import part_of_pi
from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.spatial.vectors import rotation_of

__all__ = [
    "about_axis", "central_inertia", "direction", "euler", "exact_angle", "exact_screw_x", "exact_screw_z",
    "roll_pitch_yaw", "roll_pitch_yaw_of", "shifted", "turned",
]  # fmt: skip

_LOCKED = 1e-12  #: cosine of the pitch below which roll and yaw rotate about the same axis
_QUARTER = 1e-15  #: relative tolerance of multiples of 90 degrees

#: an angle rounded to seven decimals, such as 1.5707963, stands for a multiple of Pi/12
_SEVEN_DIGITS = 6e-8
_MOST_DECIMALS = 9
_PARTS = 12
_NO_LENGTH = 1e-10  #: length below which a vector has no direction


def exact_angle(angle: float) -> float:
    """Return the multiple of Pi/12 that an angle of seven decimals represents, or else the angle itself.

    1e-8 is not a rounded zero, and angles with more than nine decimals are not changed.
    """
    part = part_of_pi(angle, _SEVEN_DIGITS) if round(angle, _MOST_DECIMALS) == angle else None
    return angle if part is None or _PARTS % part.denominator else float(part) * math.pi


def direction(element: Element, vector: Sequence[float] | Vec3, what: str = "") -> Vec3:
    """Return the unit vector of an attribute."""
    x, y, z = (float(entry) for entry in vector)
    length = math.hypot(x, y, z)
    if length < _NO_LENGTH:
        element.fail(f"{what}: expected a direction, found 0 0 0".removeprefix(": "))
    return Vec3(x / length, y / length, z / length)


def turned(axis: str, angle: float) -> Mat3:
    """Return the rotation about x, y or z, exact at multiples of 90 degrees."""
    c, s = _cosine(angle), _cosine(angle - math.pi / 2)
    if axis == "x":
        return Mat3.of(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
    if axis == "y":
        return Mat3.of(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
    return Mat3.of(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


def _cosine(angle: float) -> float:
    quarters = angle / (math.pi / 2)
    if abs(quarters - round(quarters)) < _QUARTER * max(1.0, abs(quarters)):
        return (1.0, 0.0, -1.0, 0.0)[round(quarters) % 4]
    return math.cos(angle)


def exact_screw_x(angle: float, length: float) -> Transform:
    """Return Rot(x, angle) Trans(x, length), exact at multiples of 90 degrees."""
    return Transform(turned("x", angle), Vec3(length, 0.0, 0.0))


def exact_screw_z(angle: float, length: float) -> Transform:
    """Return Rot(z, angle) Trans(z, length), exact at multiples of 90 degrees."""
    return Transform(turned("z", angle), Vec3(0.0, 0.0, length))


def roll_pitch_yaw(angles: Sequence[float]) -> Mat3:
    """Return Rot(z, yaw) Rot(y, pitch) Rot(x, roll)."""
    roll, pitch, yaw = angles
    return turned("z", yaw) @ turned("y", pitch) @ turned("x", roll)


def roll_pitch_yaw_of(A: Mat3) -> tuple[float, float, float]:
    """Return the angles of A = Rot(z, yaw) Rot(y, pitch) Rot(x, roll); yaw is 0 at a pitch of 90 degrees."""
    (xx, xy, _), (yx, yy, _), (zx, zy, zz) = A.rows
    pitch = math.atan2(-zx, math.hypot(xx, yx))
    if math.hypot(xx, yx) < _LOCKED:  # roll and yaw rotate about the same axis
        return math.atan2(-zx * xy, yy), pitch, 0.0
    return math.atan2(zy, zz), pitch, math.atan2(yx, xx)


def euler(angles: Sequence[float], sequence: str) -> Mat3:
    """Return the rotation of MJCF's Euler angles: lower case axes rotate with the frame, upper case ones are fixed."""
    A = Mat3.of(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for axis, angle in zip(sequence, angles, strict=True):
        one = turned(axis.lower(), angle)
        A = A @ one if axis.islower() else one @ A
    return A


def about_axis(axis: Sequence[float], angle: float) -> Mat3:
    """Return the rotation about an axis."""
    length = math.sqrt(sum(entry * entry for entry in axis))
    half = angle / 2
    s = math.sin(half) / length
    return rotation_of((math.cos(half), *(entry * s for entry in axis)))


def shifted(A: Mat3, position: Sequence[float]) -> Transform:
    return Transform(A, Vec3(*position))


def central_inertia(mass: float, place: Transform, tensor: Sequence[float]) -> RigidInertia:
    """Return the inertia of a body with center of mass at the origin of `place`; xx, xy, xz, yy, yz, zz in its axes."""
    xx, xy, xz, yy, yz, zz = tensor
    return RigidInertia(xx, xy, xz, yy, yz, zz, M=mass).moved(place)
