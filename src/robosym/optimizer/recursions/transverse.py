"""Inertia of links after a fixed first axis and parallel axes at any angle to it, in closed form.

A link after joint 1 and parallel axes has two velocities, q1 about the fixed axis and W, the sum of the velocities of
the parallel joints. Its kinetic energy is I q1^2 / 2 + b q1 W + ZZ W^2 / 2, where I and b depend only on the sum t of
the angles. Lagrange's equations give the torques about both axes without products with the link's angular velocity.

With moments rotated by t and mass regrouped along its own axis, a link at alpha and d from axis 1 has

    I = sin^2 Sxx + cos^2 ZZ + 2 (d MX - sin cos (Syz + r MY))
    b = cos ZZ + cos d MX - sin (Syz + r MY)

If there are several parallel axes, first moments also need the acceleration of the link's origin. It gives the torque
about the link's own axis; the effect of the force on first moments on earlier joints is known in the axes before the
parallel joints rotate, where the angular velocity of the link has two components.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from robosym.algebra.generic import is_exactly
from robosym.mechanism.bodies import Tree
from robosym.optimizer.recursions.frames import behind_joint, origin_before_joint, parallel_axes
from robosym.optimizer.recursions.phases import ConstantTurn
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.inertia import SecondMoments
from robosym.spatial.vectors import Screw

__all__ = ["TransverseLink", "along_first_axis", "transverse_link"]


@dataclass(frozen=True, slots=True)
class TransverseLink:
    """A link after a fixed axis and parallel axes at an angle to it."""

    first: int  #: joint with the fixed axis
    joints: tuple[int, ...]  #: parallel joints after it, up to that of this link

    def torques(self, tree: Tree, k: SecondMoments, turn: ConstantTurn, whole: bool) -> tuple[Scalar, Scalar]:
        """Return the torques about the parallel axes and the first axis; `turn` is by the sum of the angles.

        `k` has no mass on its axis. If not `whole`, only second moments are used.
        """
        inner, own = tree.body(self.first), tree.body(self.joints[0])
        q1, a1 = inner.qd, inner.qdd
        W, a = (_sum([getattr(tree.body(j), rate) for j in self.joints]) for rate in ("qd", "qdd"))
        x = own.screws[1]
        c, s, d = x.c, x.s, x.shift
        (xx, xy, xz), (_, _, yz), _ = (k.shifted(own.screws[0].shift) if whole else k).S.rows
        mx, my, _ = k.MS if whole else Vec3(0, 0, 0)
        # s^2 Sxx and s^2 Sxy, rotated; the factor s^2 is offline
        square = s * s
        stays, turned_xx, turned_xy = turn.moments(square * xx, square * xy, square * k.D, square * k.ZZ)
        # the part that rotates like a vector, and its derivative
        line, slope = turn.vector(d * mx - s * c * yz, d * my + s * c * xz)
        b, b_slope = turn.vector(c * (d * mx) - s * yz, c * (d * my) + s * xz)
        b = c * k.ZZ + b
        inertia, half_slope = (c * c * k.ZZ + stays + turned_xx) + 2 * line, -slope - turned_xy
        outer = b * a1 + k.ZZ * a - half_slope * (q1 * q1)
        first = inertia * a1 + half_slope * (2 * q1 * W) + b * a - b_slope * (W * W)
        if whole:
            weight = s * tree.base.vp.z
            outer = outer + turn.vector(mx * weight, my * weight)[0]
        return outer, first

    def torques_of_first_moments(
        self, tree: Tree, MS: Vec3, vp: Vec3, turned: Callable[[Scalar], ConstantTurn]
    ) -> dict[int, Scalar]:
        """Return torques of the parallel joints and the first; `vp` is the acceleration of the origin in link axes."""
        inner, own = tree.body(self.first), tree.body(self.joints[0])
        angles = {j: tree.body(j).theta for j in self.joints}
        W, a = (_sum([getattr(tree.body(j), rate) for j in self.joints]) for rate in ("qd", "qdd"))
        c, s = own.screws[1].c, own.screws[1].s
        wy, wz, az = s * inner.qd, c * inner.qd + W, c * inner.qdd + a
        x, y = turned(_sum([angles[j] for j in self.joints])).vector(MS.x, MS.y)
        # force and point of application in the axes before the parallel joints rotate
        U = Mat3.of(-(wy * wy) - wz * wz, -az, 0, az, -(wz * wz), 0, -(s * inner.qdd), wy * (wz + W), 0)
        force = U @ Vec3(x, y, 0)
        place = behind_joint(own, origin_before_joint(own))
        about = MS.x * vp.y - MS.y * vp.x
        torques = dict.fromkeys(self.joints, about)
        for n, (j, following) in enumerate(pairwise(self.joints), 1):
            angle, d = _sum([angles[j] for j in self.joints[:n]]), tree.body(following).screws[1].shift
            along, normal = turned(_sum([angles[j] for j in self.joints[n:]])).vector(MS.x, MS.y)
            lever = Screw("z", cos(angle), sin(angle), 0).out(Vec3(d, 0, 0))
            place = place + lever + Vec3(0, 0, tree.body(j).screws[0].shift + tree.body(following).screws[2].shift)
            taken = d * (az * along - wz * wz * normal) + lever.y * (wy * wy) * x
            for before in self.joints[:n]:
                torques[before] = torques[before] + taken
        place = place + Vec3(0, 0, tree.body(self.joints[-1]).screws[0].shift)
        axis = Vec3(0, s, c)
        torques[self.first] = axis.dot(place.cross(force)) + c * about - s * (x * vp.z)
        return torques


def _sum(parts: list[Scalar]) -> Scalar:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def transverse_link(tree: Tree, j: int) -> TransverseLink | None:
    """Return link j as a `TransverseLink`, or None if it is not one."""
    joints = [j]
    while joints[0] and tree.body(joints[0]).joint.only_turns:
        body = tree.body(joints[0])
        inner = tree.body(body.ant) if body.ant else None
        if inner is None or not inner.joint.only_turns:
            return None
        if inner.ant == 0:
            still = all(is_exactly(part, 0) for part in (*tree.base.w, *tree.base.wp))
            return TransverseLink(body.ant, tuple(joints)) if still and tree.bodies[0] is None else None
        if not parallel_axes(tree, body):
            return None
        joints.insert(0, body.ant)
    return None


def along_first_axis(tree: Tree, place: TransverseLink) -> bool:
    """Return whether the base accelerates along the first axis only: gravity on an upright arm."""
    axis = tree.body(place.first)
    straight = all(is_exactly(screw.s, 0) and is_exactly(screw.c, 1) for screw in axis.screws[1:])
    return straight and is_exactly(tree.base.vp.x, 0) and is_exactly(tree.base.vp.y, 0)
