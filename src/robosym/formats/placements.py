"""Poses and inertias as files of robots tell them: angles, quaternions, moments about the centre of mass."""

from __future__ import annotations

import math
from collections.abc import Sequence

from robosym.formats.xml_source import Element
from robosym.mechanism.screws import part_of_pi
from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.spatial.vectors import rotation_of

__all__ = [
    "about_axis", "central_inertia", "direction", "euler", "exact_screw_x", "exact_screw_z", "recognised",
    "roll_pitch_yaw", "shifted", "turned",
]  # fmt: skip

_QUARTER = 1e-15  #: relative: an angle differs from a right one by rounding only

#: an angle that was rounded to seven decimals, 1.5707963, is the multiple of Pi/12 that was meant
_SEVEN_DIGITS = 6e-8
_MOST_DECIMALS = 9
_PARTS = 12
_NO_LENGTH = 1e-10  #: of a vector that is to give a direction


def recognised(angle: float) -> float:
    """The multiple of Pi/12 where an angle is one in seven decimals, else the angle; 1e-8 is no rounded zero.

    An angle with more than nine decimals was not rounded so and is what it is.
    """
    part = part_of_pi(angle, _SEVEN_DIGITS) if round(angle, _MOST_DECIMALS) == angle else None
    return angle if part is None or _PARTS % part.denominator else float(part) * math.pi


def direction(element: Element, vector: Sequence[float] | Vec3, what: str = "") -> Vec3:
    """A vector of an element at length 1."""
    x, y, z = (float(entry) for entry in vector)
    length = math.hypot(x, y, z)
    if length < _NO_LENGTH:
        element.fail(f"{what}: expected a direction, found 0 0 0".removeprefix(": "))
    return Vec3(x / length, y / length, z / length)


def turned(axis: str, angle: float) -> Mat3:
    """Rotation about x, y or z, exact at multiples of a quarter turn."""
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
    """Rot(x, angle) Trans(x, length) in numbers, exact at quarter turns."""
    return Transform(turned("x", angle), Vec3(length, 0.0, 0.0))


def exact_screw_z(angle: float, length: float) -> Transform:
    """Rot(z, angle) Trans(z, length) likewise."""
    return Transform(turned("z", angle), Vec3(0.0, 0.0, length))


def roll_pitch_yaw(angles: Sequence[float]) -> Mat3:
    """Rot(z, yaw) Rot(y, pitch) Rot(x, roll)."""
    roll, pitch, yaw = angles
    return turned("z", yaw) @ turned("y", pitch) @ turned("x", roll)


def euler(angles: Sequence[float], sequence: str) -> Mat3:
    """MJCF's angles about the axes of `sequence`: small letters turn with the frame, capitals stay."""
    A = Mat3.of(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for axis, angle in zip(sequence, angles, strict=True):
        one = turned(axis.lower(), angle)
        A = A @ one if axis.islower() else one @ A
    return A


def about_axis(axis: Sequence[float], angle: float) -> Mat3:
    """Rotation about any axis."""
    length = math.sqrt(sum(entry * entry for entry in axis))
    half = angle / 2
    s = math.sin(half) / length
    return rotation_of((math.cos(half), *(entry * s for entry in axis)))


def shifted(A: Mat3, position: Sequence[float]) -> Transform:
    return Transform(A, Vec3(*position))


def central_inertia(mass: float, place: Transform, tensor: Sequence[float]) -> RigidInertia:
    """Of a body whose centre of mass stands at the origin of `place`; xx, xy, xz, yy, yz, zz in its axes."""
    xx, xy, xz, yy, yz, zz = tensor
    return RigidInertia(xx, xy, xz, yy, yz, zz, M=mass).moved(place)
