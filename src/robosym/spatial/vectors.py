"""Vectors, rotations and transformations in three dimensions, over floats or expressions alike.

Nothing here knows what a scalar is beyond `+ - *` and its sine and cosine, so an algorithm written with these classes
runs on numbers (as a reference in tests) and on the expression graph (to generate a model). Zeros and ones of the
graph vanish by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from robosym.algebra import Expr
from robosym.algebra.generic import vanishes

__all__ = ["Mat3", "Transform", "Vec3", "cos", "parallel", "sign", "sin"]

Scalar = Any  # float or Expr: whatever has + - *


def sin(angle: Scalar) -> Scalar:
    return angle.graph.function("sin", angle) if isinstance(angle, Expr) else math.sin(angle)


def cos(angle: Scalar) -> Scalar:
    return angle.graph.function("cos", angle) if isinstance(angle, Expr) else math.cos(angle)


def sign(value: Scalar) -> Scalar:
    """-1, 0 or 1."""
    return value.graph.function("sign", value) if isinstance(value, Expr) else (value > 0) - (value < 0)


@dataclass(frozen=True, slots=True)
class Vec3:
    """Three components in some frame."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __iter__(self) -> Iterator[Scalar]:
        yield from (self.x, self.y, self.z)

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, scalar: Scalar) -> Vec3:
        return Vec3(self.x * scalar, self.y * scalar, self.z * scalar)

    def dot(self, other: Vec3) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


@dataclass(frozen=True, slots=True)
class Mat3:
    """Three rows."""

    rows: tuple[Vec3, Vec3, Vec3]

    @classmethod
    def of(cls, *entries: Scalar) -> Mat3:
        """From nine entries, row by row."""
        a, b, c, d, e, f, g, h, i = entries
        return cls((Vec3(a, b, c), Vec3(d, e, f), Vec3(g, h, i)))

    @classmethod
    def identity(cls) -> Mat3:
        return cls.of(1, 0, 0, 0, 1, 0, 0, 0, 1)

    @property
    def T(self) -> Mat3:
        x, y, z = self.rows
        return Mat3((Vec3(x.x, y.x, z.x), Vec3(x.y, y.y, z.y), Vec3(x.z, y.z, z.z)))

    @property
    def z_axis(self) -> Vec3:
        """The last column: of an orientation, the direction of its z axis."""
        return Vec3(*(row.z for row in self.rows))

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    def __matmul__(self, other: Vec3 | Mat3) -> Vec3 | Mat3:
        if isinstance(other, Vec3):
            return Vec3(*(row.dot(other) for row in self.rows))
        x, y, z = (self @ column for column in other.T.rows)
        return Mat3((x, y, z)).T

    def __iter__(self) -> Iterator[Scalar]:
        for row in self.rows:
            yield from row


@dataclass(frozen=True, slots=True)
class Transform:
    """iTj: orientation `A` of frame j and position `P` of its origin, both seen in frame i."""

    A: Mat3
    P: Vec3


def parallel(a: Vec3, b: Vec3) -> bool:
    """Whether two vectors have the same direction, or one of them is zero."""
    return vanishes(*a.cross(b))
