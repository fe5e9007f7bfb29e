"""Inertia at the origin of a frame, in three representations that can be converted into each other.

`RigidInertia`: the ten standard parameters of a rigid body.

`SecondMoments`: the same body by the integrals of x x, x y, ... over its mass: Sxx = (YY + ZZ - XX) / 2, Sxy = -XY.
The inertial wrench is linear in the entries of U, a mass on a line has few entries, and p p^T is easy to transform.

`SpatialInertia`: any symmetric 6 x 6 inertia, of a link, a composite body or an articulated body. It maps the
acceleration of the origin and the angular acceleration to the force and the moment at the origin: f = M v + N w,
n = N^T v + J w, with M and J symmetric. For a rigid body M is the mass times the identity matrix and N is minus the
skew matrix of the first moments. All operations preserve these zeros and signs, so that composite bodies (guide 3.97 to
3.100) need no special code, and an articulated body (guide A4-23) has only its 21 entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from robosym.algebra.matrix import Scalar, dot
from robosym.spatial.vectors import Mat3, Screw, Transform, Vec3

__all__ = ["RigidInertia", "SecondMoments", "SpatialInertia", "SpatialVector", "point_mass", "turn_block"]

SpatialVector = tuple[Scalar, ...]  #: force and moment, or linear and angular acceleration: six entries


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """The ten standard parameters of a rigid body at the origin of a frame; the default of each is zero.

    Inertia tensor XX .. ZZ in kg m^2, first moments MX, MY, MZ in kg m, mass M in kg.
    """

    XX: Scalar = 0
    XY: Scalar = 0
    XZ: Scalar = 0
    YY: Scalar = 0
    YZ: Scalar = 0
    ZZ: Scalar = 0
    MX: Scalar = 0
    MY: Scalar = 0
    MZ: Scalar = 0
    M: Scalar = 0

    @property
    def MS(self) -> Vec3:
        return Vec3(self.MX, self.MY, self.MZ)

    @property
    def J(self) -> Mat3:
        return Mat3.of(self.XX, self.XY, self.XZ, self.XY, self.YY, self.YZ, self.XZ, self.YZ, self.ZZ)

    def __iter__(self) -> Iterator[Scalar]:
        yield from (getattr(self, name) for name in self.__slots__)

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(*(a + b for a, b in zip(self, other, strict=True)))

    def __neg__(self) -> RigidInertia:
        return RigidInertia(*(-a for a in self))

    def momentum(self, w: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """Return linear and angular momentum at the origin, which has velocity v: M v + w x MS, J w + MS x v."""
        return v * self.M + w.cross(self.MS), self.J @ w + self.MS.cross(v)

    def moved(self, T: Transform) -> RigidInertia:
        """Return the same body in the frame before T (guide 3.80, errata of table 3.1).

        J_i = A J A^T - (P^ m^ + (P^ m^)^T) + M P^ P^T with m = A MS, and MS_i = m + M P.
        """
        A, P, M = T.A, T.P, self.M
        m = A @ self.MS
        x, y, z = ((A @ self.J) @ A.T).rows
        # P^ m^ + (P^ m^)^T is m P^T + P m^T - 2 (P . m) 1
        px, py, pz, mx, my, mz = P.x, P.y, P.z, m.x, m.y, m.z
        return RigidInertia(
            XX=x.x + 2 * (py * my + pz * mz) + M * (py * py + pz * pz),
            XY=x.y - (px * my + py * mx) - M * (px * py),
            XZ=x.z - (px * mz + pz * mx) - M * (px * pz),
            YY=y.y + 2 * (px * mx + pz * mz) + M * (px * px + pz * pz),
            YZ=y.z - (py * mz + pz * my) - M * (py * pz),
            ZZ=z.z + 2 * (px * mx + py * my) + M * (px * px + py * py),
            MX=mx + M * px,
            MY=my + M * py,
            MZ=mz + M * pz,
            M=M,
        )

    def about(self, point: Vec3) -> RigidInertia:
        """Return the same body at a point of the frame, with the same axes."""
        return self.moved(Transform.shift(-point))

    def numbers(self) -> tuple[float, ...]:
        """Return the ten parameters as floats."""
        return tuple(float(cast(float, value)) for value in self)

    def parted(self) -> tuple[RigidInertia, RigidInertia]:
        """Split the body into a part that rotates about z and a part on the axis (theorem 1)."""
        rest = replace(self, XX=self.XX - self.YY, YY=0, MZ=0, M=0)
        return rest, RigidInertia(XX=self.YY, YY=self.YY, MZ=self.MZ, M=self.M)


@dataclass(frozen=True, slots=True)
class SecondMoments:
    """Second moments, first moments and mass of a body."""

    S: Mat3
    MS: Vec3
    M: Scalar
    ZZ: Scalar  #: Sxx + Syy, the moment of inertia about z, which is often known without an addition
    D: Scalar  #: Sxx - Syy, as above

    @classmethod
    def of(cls, body: RigidInertia) -> SecondMoments:
        sxx = (body.YY + body.ZZ - body.XX) * Fraction(1, 2)
        xy, xz, yz = -body.XY, -body.XZ, -body.YZ
        S = Mat3.of(sxx, xy, xz, xy, body.ZZ - sxx, yz, xz, yz, body.YY - sxx)
        return cls(S, body.MS, body.M, body.ZZ, body.YY - body.XX)

    @classmethod
    def made_of(cls, S: Mat3, MS: Vec3, M: Scalar) -> SecondMoments:
        (xx, _, _), (_, yy, _), _ = S.rows
        return cls(S, MS, M, xx + yy, xx - yy)

    @property
    def rigid(self) -> RigidInertia:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.S.rows
        mx, my, mz = self.MS
        return RigidInertia(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy, mx, my, mz, self.M)

    def __add__(self, other: SecondMoments) -> SecondMoments:
        S = Mat3.of(*(a + b for a, b in zip(self.S, other.S, strict=True)))
        return SecondMoments(S, self.MS + other.MS, self.M + other.M, self.ZZ + other.ZZ, self.D + other.D)

    def turned_about_z(self, c: Scalar, s: Scalar) -> SecondMoments:
        """Rotate the body about z by the angle with cosine `c` and sine `s`."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.S.rows
        turn = s * self.D + c * (2 * xy)
        x, y, z = self.MS
        xx, yy, xy = xx - s * turn, yy + s * turn, c * turn - xy
        xz, yz = c * xz - s * yz, s * xz + c * yz
        MS = Vec3(c * x - s * y, s * x + c * y, z)
        return SecondMoments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, zz), MS, self.M, self.ZZ, xx - yy)

    def shifted(self, r: Scalar) -> SecondMoments:
        """Translate a body with M = MZ = Szz = 0 by `r` along z."""
        (xx, xy, xz), (_, yy, yz), _ = self.S.rows
        xz, yz = xz + r * self.MS.x, yz + r * self.MS.y
        return replace(self, S=Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0))


def turn_block(screw: Screw, old: list[list[Any]], new: list[list[Any]], row: int = 0, column: int = 0) -> None:
    """Write R B R^T of a 3 x 3 block B of `old` into `new`, for a rotation about a coordinate axis.

    The 2 x 2 part across the axis takes four products, or none for a multiple of the identity or a skew matrix.
    """
    x, y, z = screw.order
    c, s = screw.c, screw.s
    i, j, k, p, q, r = row + x, row + y, row + z, column + x, column + y, column + z
    turn = s * (old[i][p] - old[j][q]) + c * (old[i][q] + old[j][p])
    new[i][p], new[i][q] = old[i][p] - s * turn, c * turn - old[j][p]
    new[j][p], new[j][q] = c * turn - old[i][q], old[j][q] + s * turn
    new[i][r], new[j][r] = c * old[i][r] - s * old[j][r], s * old[i][r] + c * old[j][r]
    new[k][p], new[k][q] = c * old[k][p] - s * old[k][q], s * old[k][p] + c * old[k][q]


class SpatialInertia:
    """Symmetric 6 x 6 matrix `entries[a][b]`: indices 0 to 2 are the linear part, 3 to 5 the angular part."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[list[Scalar]]) -> None:
        self.entries = entries

    @classmethod
    def build(cls, entry: Callable[[int, int], Scalar]) -> SpatialInertia:
        """Create a matrix from its entries on and above the diagonal."""
        rows: list[list[Scalar]] = [[0] * 6 for _ in range(6)]
        for a in range(6):
            for b in range(a, 6):
                rows[a][b] = rows[b][a] = entry(a, b)
        return cls(rows)

    @classmethod
    def rigid(cls, body: RigidInertia) -> SpatialInertia:
        """Return the spatial inertia of a rigid body."""
        m, (x, y, z) = body.M, body.MS
        upper = [[m, 0, 0, 0, z, -y], [0, m, 0, -z, 0, x], [0, 0, m, y, -x, 0]]
        tensor = [list(row) for row in body.J.rows]
        return cls.build(lambda a, b: upper[a][b] if a < 3 else tensor[a - 3][b - 3])

    def column(self, a: int) -> tuple[Vec3, Vec3]:
        """Return force and moment for a unit acceleration in one of the six directions."""
        return Vec3(*self.entries[a][:3]), Vec3(*self.entries[a][3:])

    @property
    def body(self) -> RigidInertia:
        """Standard parameters, if the inertia is that of a rigid body."""
        linear, (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.entries, *(row[3:] for row in self.entries[3:])
        return RigidInertia(xx, xy, xz, yy, yz, zz, linear[1][5], linear[2][3], linear[0][4], linear[0][0])

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia.build(lambda a, b: self.entries[a][b] + other.entries[a][b])

    def __matmul__(self, vector: SpatialVector) -> SpatialVector:
        return tuple(dot(row, vector) for row in self.entries)

    def moved(self, *screws: Screw) -> SpatialInertia:
        """Return the same inertia in the frame before the screws, which are applied in order."""
        inertia = self
        for screw in screws:
            inertia = inertia._shifted(screw)._turned(screw)
        return inertia

    def named(self, note: Callable[[str, int, Scalar], Scalar], prefix: str, j: int) -> SpatialInertia:
        """Name the entries X11j .. X66j."""
        return SpatialInertia.build(lambda a, b: note(f"{prefix}{a + 1}{b + 1}", j, self.entries[a][b]))

    def _shifted(self, screw: Screw) -> SpatialInertia:
        """Translate along the axis of the screw: N' = N - M P^, J' = J + P^ N' + (P^ N)^T."""
        x, y, z = screw.order
        length, old = screw.shift, self.entries
        new = [list(row) for row in old]

        def put(a: int, b: int, value: Scalar) -> None:
            new[a][b] = new[b][a] = value

        for a in range(3):
            put(a, 3 + x, old[a][3 + x] - length * old[a][y])
            put(a, 3 + y, old[a][3 + y] + length * old[a][x])
        put(3 + x, 3 + x, old[3 + x][3 + x] - length * (new[y][3 + x] + old[y][3 + x]))
        put(3 + y, 3 + y, old[3 + y][3 + y] + length * (new[x][3 + y] + old[x][3 + y]))
        put(3 + x, 3 + y, old[3 + x][3 + y] + length * (old[x][3 + x] - new[y][3 + y]))
        put(3 + x, 3 + z, old[3 + x][3 + z] - length * old[y][3 + z])
        put(3 + y, 3 + z, old[3 + y][3 + z] + length * old[x][3 + z])
        return SpatialInertia(new)

    def _turned(self, screw: Screw) -> SpatialInertia:
        new = [list(row) for row in self.entries]
        for row, column in ((0, 0), (0, 3), (3, 3)):  # the blocks M, N and J
            turn_block(screw, self.entries, new, row, column)
        return SpatialInertia.build(lambda a, b: new[a][b])


def point_mass(m: Any, x: Any, y: Any, z: Any) -> RigidInertia:
    """Return the standard parameters of a point mass."""
    mx, my, mz = m * x, m * y, m * z
    xx, yy, zz = mx * x, my * y, mz * z
    return RigidInertia(yy + zz, -(mx * y), -(mx * z), xx + zz, -(my * z), xx + yy, mx, my, mz, m)
