"""Links whose axes lie across, or anyhow to, a first axis that stands still: their inertia in closed form.

A link behind joint 1 and parallel axes has two rates, q1 about the fixed axis and W, the sum of the rates of the
parallel joints. Its kinetic energy is I q1^2 / 2 + b q1 W + ZZ W^2 / 2, where I and b depend on the sum t of the angles
alone, and Lagrange's equations give the torques about both axes at once: no product with the rates of the link remains.

With the moments turned by t, a link at alpha and d from axis 1 has, of mass that is regrouped along its own axis,

    I = sin^2 Sxx + cos^2 ZZ + 2 (d MX - sin cos (Syz + r MY))
    b = cos ZZ + cos d MX - sin (Syz + r MY)

Where there are more parallel axes than one, first moments ask for the acceleration of the link's origin as well. It
gives the torque about the link's own axis; what the force on the first moments does to the joints before that is known
in the axes before the parallel joints turn, where the link has a rate of two parts.
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

__all__ = ["Across", "across", "along_first_axis"]


@dataclass(frozen=True, slots=True)
class Across:
    """A link in such a place."""

    first: int  #: the joint whose axis stands still
    joints: tuple[int, ...]  #: the parallel joints behind it, up to this link's own

    def torques(self, tree: Tree, k: SecondMoments, turn: ConstantTurn, whole: bool) -> tuple[Scalar, Scalar]:
        """Along the parallel axes, and along the first one; `turn` is by the sum of the angles.

        `k` has no mass on its axis. Not `whole`: of the second moments alone, first moments left out.
        """
        inner, own = tree.body(self.first), tree.body(self.joints[0])
        q1, a1 = inner.qd, inner.qdd
        W, a = (_sum([getattr(tree.body(j), rate) for j in self.joints]) for rate in ("qd", "qdd"))
        x = own.screws[1]
        c, s, d = x.c, x.s, x.shift
        (xx, xy, xz), (_, _, yz), _ = (k.shifted(own.screws[0].shift) if whole else k).S.rows
        mx, my, _ = k.MS if whole else Vec3(0, 0, 0)
        # s^2 Sxx and s^2 Sxy, turned; the factor s^2 off line
        square = s * s
        stays, turned_xx, turned_xy = turn.moments(square * xx, square * xy, square * k.D, square * k.ZZ)
        # what turns as a vector does, and its slope
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
        """Of the parallel joints and the first one; `vp` is the acceleration of the link's origin in its own axes."""
        inner, own = tree.body(self.first), tree.body(self.joints[0])
        angles = {j: tree.body(j).theta for j in self.joints}
        W, a = (_sum([getattr(tree.body(j), rate) for j in self.joints]) for rate in ("qd", "qdd"))
        c, s = own.screws[1].c, own.screws[1].s
        wy, wz, az = s * inner.qd, c * inner.qd + W, c * inner.qdd + a
        x, y = turned(_sum([angles[j] for j in self.joints])).vector(MS.x, MS.y)
        # the force, and where it acts, in the axes before the parallel joints turn
        U = Mat3.of(-(wy * wy) - wz * wz, -az, 0, az, -(wz * wz), 0, -(s * inner.qdd), wy * (wz + W), 0)
        force = U @ Vec3(x, y, 0)
        place = behind_joint(own, origin_before_joint(own))
        about = MS.x * vp.y - MS.y * vp.x
        torques = dict.fromkeys(self.joints, about)
        for n, (j, following) in enumerate(pairwise(self.joints), 1):
            angle, d = _sum([angles[j] for j in self.joints[:n]]), tree.body(following).screws[1].shift
            along, across = turned(_sum([angles[j] for j in self.joints[n:]])).vector(MS.x, MS.y)
            lever = Screw("z", cos(angle), sin(angle), 0).out(Vec3(d, 0, 0))
            place = place + lever + Vec3(0, 0, tree.body(j).screws[0].shift + tree.body(following).screws[2].shift)
            taken = d * (az * along - wz * wz * across) + lever.y * (wy * wy) * x
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


def across(tree: Tree, j: int) -> Across | None:
    """Where link j is in such a place."""
    joints = [j]
    while joints[0] and tree.body(joints[0]).joint.only_turns:
        body = tree.body(joints[0])
        inner = tree.body(body.ant) if body.ant else None
        if inner is None or not inner.joint.only_turns:
            return None
        if inner.ant == 0:
            still = all(is_exactly(part, 0) for part in (*tree.base.w, *tree.base.wp))
            return Across(body.ant, tuple(joints)) if still and tree.bodies[0] is None else None
        if not parallel_axes(tree, body):
            return None
        joints.insert(0, body.ant)
    return None


def along_first_axis(tree: Tree, place: Across) -> bool:
    """Whether the base accelerates along the first axis only: gravity on an arm that stands upright."""
    axis = tree.body(place.first)
    straight = all(is_exactly(screw.s, 0) and is_exactly(screw.c, 1) for screw in axis.screws[1:])
    return straight and is_exactly(tree.base.vp.x, 0) and is_exactly(tree.base.vp.y, 0)
