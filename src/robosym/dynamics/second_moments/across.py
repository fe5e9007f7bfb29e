"""Links whose axes lie across, or anyhow to, a first axis that stands still: their inertia in closed form.

A link behind joint 1 and parallel axes has two rates, q1 about the fixed axis and W, the sum of the rates of the
parallel joints. Its kinetic energy is I q1^2 / 2 + b q1 W + ZZ W^2 / 2, where I and b depend on the sum t of the angles
alone, and Lagrange's equations give the torques about both axes at once: no product with the rates of the link remains.

With the moments turned by t, a link at alpha and d from axis 1 has, of mass that is regrouped along its own axis,

    I = sin^2 Sxx + cos^2 ZZ + 2 (d MX - sin cos (Syz + r MY))
    b = cos ZZ + cos d MX - sin (Syz + r MY)
"""

from __future__ import annotations

from dataclasses import dataclass

from robosym.algebra.generic import is_exactly
from robosym.dynamics.second_moments.frames import parallel_axes
from robosym.dynamics.second_moments.phases import ConstantTurn
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SecondMoments
from robosym.tree.bodies import Tree

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
