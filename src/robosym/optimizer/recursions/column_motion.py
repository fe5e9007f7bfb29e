"""The motion of a link with the matrix U, from its column along a joint axis, and the wrench that second moments take.

The column of U along the axis of joint j is the same vector seen from link i before it and from link j, because the
motion of the joint leaves points of its axis where they are on link i: U_j z_j = A^T U_i A z_j. Where the axis is a
coordinate axis of frame i (alpha a multiple of Pi/2) this column is known up to a turn, and the angular acceleration
follows from it: the terms `qd x w` of equation 4.3 are never computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from robosym.algebra.generic import is_exactly
from robosym.mechanism.bodies import Body
from robosym.mechanism.motion import products, u_matrix
from robosym.optimizer.recursions.frames import before_joint, behind_joint, in_axes, is_axis, origin_before_joint
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import SecondMoments

__all__ = ["ColumnMotion"]

_UNITS = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)


@dataclass(frozen=True, slots=True)
class ColumnMotion:
    """Of one link, in some axes, with respect to its frame's origin."""

    w: Vec3
    wp: Vec3
    vp: Vec3  #: of the origin, minus gravity
    U: Mat3
    split: Vec3  #: U33 - U22, U11 - U33, U22 - U11

    @classmethod
    def of(cls, w: Vec3, wp: Vec3, vp: Vec3) -> ColumnMotion:
        dv = products(w)
        xx, yy, zz = dv.rows[0].x, dv.rows[1].y, dv.rows[2].z
        return cls(w, wp, vp, u_matrix(dv, wp), Vec3(yy - zz, zz - xx, xx - yy))

    @classmethod
    def from_column(cls, w: Vec3, column: Vec3, wp_z: Scalar, vp: Vec3) -> ColumnMotion:
        """From the column of U along z and the angular acceleration about z."""
        u13, u23, u33 = column
        xx, zz, xy, xz, yz = -(w.x * w.x), -(w.z * w.z), w.x * w.y, w.x * w.z, w.y * w.z
        wp = Vec3(yz - u23, u13 - xz, wp_z)
        u22, fall = xx + zz, zz - xx
        u11 = fall + u33
        U = Mat3.of(u11, xy - wp_z, u13, xy + wp_z, u22, u23, xz - wp.y, yz + wp.x, u33)
        return cls(w, wp, vp, U, Vec3(u33 - u22, fall, u22 - u11))

    def wrench(self, k: SecondMoments) -> tuple[Vec3, Vec3]:
        """Force and moment about the origin that this motion takes: products with entries of U only."""
        (_, u12, u13), (u21, _, u23), (u31, u32, _) = self.U.rows
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
        d1, d2, d3 = self.split
        n = Vec3(
            u32 * yy - u23 * zz + u31 * xy - u21 * xz + d1 * yz,
            u13 * zz - u31 * xx - u32 * xy + d2 * xz + u12 * yz,
            u21 * xx - u12 * yy + d3 * xy + u23 * xz - u13 * yz,
        )
        if all(is_exactly(x, 0) for x in (self.w.x, self.w.y, self.wp.x, self.wp.y)):  # the first link of an arm
            n = Vec3(n.x, n.y, self.wp.z * k.ZZ)  # turns about z alone
        return self.vp * k.M + self.U @ k.MS, n + k.MS.cross(self.vp)

    def at_axis(self, body: Body) -> ColumnMotion:
        """Of the antecedent of a body: in the axes of the joint before it turns, at the axis; rotation as it is."""
        U = in_axes(self.U, partial(behind_joint, body)).T
        vp = behind_joint(body, self.vp + self.U @ origin_before_joint(body))
        return ColumnMotion(self.w, self.wp, vp, U, self._split_behind(body, U))

    def _split_behind(self, body: Body, U: Mat3) -> Vec3:
        """The differences of the diagonal of U in the axes of a joint: known where these are the antecedent's axes."""
        axes = [before_joint(body, unit) for unit in _UNITS]
        if not all(is_axis(axis) for axis in axes):
            xx, yy, zz = U.rows[0].x, U.rows[1].y, U.rows[2].z
            return Vec3(zz - yy, xx - zz, yy - xx)
        x, y, z = ([not is_exactly(part, 0) for part in axis].index(True) for axis in axes)
        known: dict[tuple[int, int], Scalar] = {(2, 1): self.split.x, (0, 2): self.split.y, (1, 0): self.split.z}

        def difference(a: int, b: int) -> Scalar:
            return known[a, b] if (a, b) in known else -known[b, a]

        return Vec3(difference(z, y), difference(x, z), difference(y, x))
