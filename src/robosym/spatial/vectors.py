"""Vectors, rotations, transformations and screws in three dimensions, of floats or expressions.

These classes use only `+ - *`, sine and cosine, so that an algorithm written with them runs on numbers (as a reference
in tests) and on the expression graph (to generate a model). The graph simplifies products with 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from robosym.algebra import Expr
from robosym.algebra.generic import vanishes
from robosym.algebra.matrix import Scalar

__all__ = [
    "KnownAngle", "Mat3", "Scalar", "Screw", "Transform", "Vec3", "cos", "parallel", "rotation_of", "sign", "sin",
]  # fmt: skip

Component = Any  #: component of a vector: a `Scalar`, or another number type of an algorithm, such as a polynomial


def sin(angle: Component) -> Component:
    if isinstance(angle, KnownAngle):
        return angle.s
    return angle.graph.function("sin", angle) if isinstance(angle, Expr) else math.sin(angle)


def cos(angle: Component) -> Component:
    if isinstance(angle, KnownAngle):
        return angle.c
    return angle.graph.function("cos", angle) if isinstance(angle, Expr) else math.cos(angle)


def sign(value: Component) -> Component:
    """Return -1, 0 or 1."""
    return value.graph.function("sign", value) if isinstance(value, Expr) else (value > 0) - (value < 0)


@dataclass(slots=True, unsafe_hash=True)
class Vec3:
    """A vector, with components in a frame that the user of the vector chooses."""

    x: Component
    y: Component
    z: Component

    def __iter__(self) -> Iterator[Component]:
        return iter((self.x, self.y, self.z))

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, scalar: Component) -> Vec3:
        return Vec3(self.x * scalar, self.y * scalar, self.z * scalar)

    def map(self, function: Callable[[Component], Component]) -> Vec3:
        """Apply a function to each component."""
        return Vec3(function(self.x), function(self.y), function(self.z))

    def dot(self, other: Vec3) -> Component:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


@dataclass(slots=True, unsafe_hash=True)
class Mat3:
    """A 3 x 3 matrix, stored as three rows."""

    rows: tuple[Vec3, Vec3, Vec3]

    @classmethod
    def of(cls, *entries: Component) -> Mat3:
        """Create a matrix from nine entries, row by row."""
        a, b, c, d, e, f, g, h, i = entries
        return cls((Vec3(a, b, c), Vec3(d, e, f), Vec3(g, h, i)))

    @classmethod
    def identity(cls) -> Mat3:
        return cls.of(1, 0, 0, 0, 1, 0, 0, 0, 1)

    @property
    def T(self) -> Mat3:
        x, y, z = self.rows
        return Mat3((Vec3(x.x, y.x, z.x), Vec3(x.y, y.y, z.y), Vec3(x.z, y.z, z.z)))

    def map(self, function: Callable[[Component], Component]) -> Mat3:
        """Apply a function to each entry."""
        x, y, z = self.rows
        return Mat3((x.map(function), y.map(function), z.map(function)))

    @property
    def z_axis(self) -> Vec3:
        """Last column; for an orientation, the direction of its z axis."""
        return Vec3(*(row.z for row in self.rows))

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    def __matmul__(self, other: Vec3 | Mat3) -> Vec3 | Mat3:
        if isinstance(other, Vec3):
            x, y, z = self.rows
            return Vec3(x.dot(other), y.dot(other), z.dot(other))
        x, y, z = (self @ column for column in other.T.rows)
        return Mat3((x, y, z)).T

    def __iter__(self) -> Iterator[Component]:
        x, y, z = self.rows
        return iter((x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z))


@dataclass(frozen=True, slots=True)
class Transform:
    """Transformation iTj: orientation `A` of frame j and position `P` of its origin, both in frame i."""

    A: Mat3
    P: Vec3

    @classmethod
    def of(cls, *entries: Component) -> Transform:
        """Create a transformation from twelve entries, row by row: sx, nx, ax, Px, sy, and so on."""
        x, y, z = entries[0:4], entries[4:8], entries[8:12]
        return cls(Mat3.of(*x[:3], *y[:3], *z[:3]), Vec3(x[3], y[3], z[3]))

    @classmethod
    def from_columns(cls, s: Vec3, n: Vec3, a: Vec3, P: Vec3) -> Transform:
        return cls(Mat3((s, n, a)).T, P)

    @classmethod
    def identity(cls) -> Transform:
        return cls.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)

    @classmethod
    def shift(cls, P: Vec3) -> Transform:
        """Return a translation."""
        return cls(Mat3.identity(), P)

    @classmethod
    def screw_x(cls, angle: Component, length: Component) -> Transform:
        """Return Rot(x, angle) Trans(x, length)."""
        c, s = cos(angle), sin(angle)
        return cls.of(1, 0, 0, length, 0, c, -s, 0, 0, s, c, 0)

    @classmethod
    def screw_z(cls, angle: Component, length: Component) -> Transform:
        """Return Rot(z, angle) Trans(z, length)."""
        c, s = cos(angle), sin(angle)
        return cls.of(c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, length)

    @property
    def rows(self) -> tuple[tuple[Component, ...], ...]:
        """First three rows of the homogeneous matrix; the last row is 0 0 0 1."""
        return tuple((*row, p) for row, p in zip(self.A.rows, self.P, strict=True))

    def __matmul__(self, other: Transform) -> Transform:
        """Return iTk = iTj jTk."""
        return Transform(self.A @ other.A, self.A @ other.P + self.P)

    def inverse(self) -> Transform:
        """Return jTi."""
        A = self.A.T
        return Transform(A, -(A @ self.P))

    def map(self, function: Callable[[Component], Component]) -> Transform:
        """Apply a function to each entry."""
        return Transform(self.A.map(function), self.P.map(function))


def parallel(a: Vec3, b: Vec3) -> bool:
    """Return whether two vectors are parallel, or one of them is zero."""
    return vanishes(*a.cross(b))


@dataclass(frozen=True, slots=True)
class KnownAngle:
    """An angle given by its cosine and sine; `+` and `-` add and subtract angles."""

    c: Component
    s: Component

    def __add__(self, other: KnownAngle | Expr | float) -> KnownAngle:
        o = turned(other)
        return KnownAngle(self.c * o.c - self.s * o.s, self.s * o.c + self.c * o.s)

    __radd__ = __add__

    def __neg__(self) -> KnownAngle:
        return KnownAngle(self.c, -self.s)

    def __sub__(self, other: KnownAngle | Expr | float) -> KnownAngle:
        return self + (-other)

    @property
    def angle(self) -> Component:
        """Angle in rad, from -pi to pi."""
        graph = (self.s if isinstance(self.s, Expr) else self.c).graph
        return graph.function("atan2", graph.zero + self.s, graph.zero + self.c)


def turned(angle: KnownAngle | Expr | float) -> KnownAngle:
    """Return cosine and sine of an angle as a `KnownAngle`."""
    return angle if isinstance(angle, KnownAngle) else KnownAngle(cos(angle), sin(angle))


def rotation_of(quaternion: Sequence[Component]) -> Mat3:
    """Return the rotation matrix of a quaternion (w, x, y, z), which need not be normalized."""
    w, x, y, z = quaternion
    s = 2 / (w * w + x * x + y * y + z * z)
    return Mat3.of(
        1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Screw:
    """A rotation (cosine `c`, sine `s`) about the axis z or x, and a translation along it (guide 1.3).

    Transforming a tensor by one screw at a time needs fewer operations than products of full matrices: a rotation by a
    multiple of pi/2 is free, and a translation along one axis changes few entries.
    """

    axis: str  #: "z" or "x"
    c: Scalar
    s: Scalar
    shift: Scalar

    @property
    def order(self) -> tuple[int, int, int]:
        """Indices of the components in cyclic order, with the axis of the screw last."""
        return (0, 1, 2) if self.axis == "z" else (1, 2, 0)

    def out(self, v: Vec3) -> Vec3:
        """Transform a vector from the frame after the screw to the frame before it."""
        return self._turn(v, self.s)

    def back(self, v: Vec3) -> Vec3:
        """Transform a vector from the frame before the screw to the frame after it."""
        return self._turn(v, -self.s)

    def _turn(self, v: Vec3, s: Scalar) -> Vec3:
        parts = list(v)
        x, y, _ = self.order
        parts[x], parts[y] = self.c * parts[x] - s * parts[y], s * parts[x] + self.c * parts[y]
        return Vec3(*parts)
