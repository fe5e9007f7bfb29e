"""A leg of a universal joint, a driven prismatic joint and a ball, from vectors: no angle, no Jacobian to invert.

Everything is worked out in the frame of the second joint (frame 2 of the leg): -y2 points along the leg, z2 is the axis
of the second joint, and z1 = s2 x2 + c2 y2 that of the first. With u from the base to the ball, L its length:
w = (-v.z / L, k w.x, v.x / L) from the velocity v of the ball, k = c2 / s2, and the columns 1 and 3 of U follow from
its acceleration without the angular one. Link 2 and 3 turn together: their second moments S about the universal joint
have S33 = 0, what is left of it being a part of ZZ1; the mass of link 3 stands at the ball and belongs to the platform
(GS VI).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from robosym.algebra import Expr, evaluate, numeric_value
from robosym.description import WRENCH, Parallel
from robosym.parallel.leg_chain import LegChain
from robosym.parallel.platform_motion import PlatformMotion
from robosym.parallel.vector_leg import VectorLeg, congruent, friction, root
from robosym.spatial import Mat3, Vec3
from robosym.tree.frame import frame_transform

__all__ = ["Strut", "is_strut", "usual_branch"]

_RIGHT = 1.5707963267948966


def is_strut(robot: Parallel, chain: LegChain) -> bool:
    """Whether a leg is of this kind, in the frames of GS table I, without wrenches on its links."""
    tree = robot.tree
    if not chain.ball or chain.core != chain.numbers[:3]:
        return False
    first, second, third = (tree.frame(j) for j in chain.core)
    hub = tree.frame(chain.numbers[3])
    if not (first.joint_type.only_turns and second.joint_type.only_turns and third.joint_type.only_slides):
        return False
    if (first.mu, second.mu, third.mu) != (0, 0, 1):
        return False
    zeros = (
        second.gamma,
        second.b,
        second.d,
        second.r,
        third.gamma,
        third.b,
        third.d,
        third.theta,
        hub.b,
        hub.d,
        hub.r,
    )
    if not all(value.is_zero for value in zeros):
        return False
    if any(numeric_value(frame.alpha) != _RIGHT for frame in (second, third)):
        return False
    links = [tree.link(j) for j in chain.core]
    return all(getattr(link, name).is_zero for link in links for name in WRENCH)


def usual_branch(robot: Parallel, chain: LegChain, joints: Mapping[str, float]) -> bool:
    """Whether joints in numbers are of the branch that is treated here."""
    _, second, third = (robot.tree.frame(j) for j in chain.core)
    theta, r = evaluate([second.theta, third.r], joints)
    return bool(math.sin(theta) > 0 and r > 0)


@dataclass(frozen=True)
class Moments:
    """Second moments of links 2 and 3 about the universal joint but for the length of the leg, S33 left out."""

    xx: Any
    yy: Any
    xy: Any
    xz: Any
    yz: Any
    turn: Any  #: inertia about the first axis: ZZ1 and what S33 would be


class Strut(VectorLeg):
    """One leg over the graph of a motion; the mode with sin(theta 2) > 0 and a positive length."""

    def __init__(self, motion: PlatformMotion, chain: LegChain) -> None:
        super().__init__(motion, chain)
        tree, value, graph = motion.robot.tree, motion.work.value, self.graph
        first = tree.frame(chain.core[0])

        def at_zero(entry: Expr) -> Expr:
            return graph.zero if entry is first.theta else value(entry)

        base = frame_transform(first, at_zero, chain.core[0])
        u = self.arm + motion.P - base.P
        across, height, along = base.A.T @ u  # in the frame of the first joint at theta1 = 0
        flat = across * across + height * height
        self.length = root(flat + along * along)
        self.over = 1 / self.length
        over_flat = 1 / root(flat)
        c1, s1 = across * over_flat, height * over_flat
        c2, s2 = -(along * self.over), root(flat) * self.over
        self.k = -(along * over_flat)
        self.stretch = self.length * over_flat  # 1 / s2
        X, Y, z1 = base.A.T.rows
        self.x1 = X * c1 + Y * s1
        self.z = X * s1 - Y * c1  # z2 = -y1
        self.x = self.x1 * c2 + z1 * s2
        self.a = u * self.over  # a3 = -y2
        self.motor, self.column = chain.core[2], self.a
        self.lever = self.over_lever = graph.one

    # ----------------------------------------------------------------- kinematics

    def _here(self, v: Vec3) -> Vec3:
        """A vector of frame 0 in the leg's frame."""
        return Vec3(self.x.dot(v), -self.a.dot(v), self.z.dot(v))

    @property
    def drift(self) -> Any:
        """row . V' where the motor has no acceleration: what the swinging leg and the turning platform ask for."""
        motion = self.motion
        v = self._here(motion.velocity(self.arm))
        swing = (v.x * v.x + v.z * v.z) * self.over
        return -(swing + self.a.dot(motion.w.cross(motion.w.cross(self.arm))))

    # ------------------------------------------------------------------- dynamics

    @cached_property
    def first_moment(self) -> Vec3:
        """Of link 3 about the ball, in the leg's frame."""
        third = self.links[2]
        return Vec3(third["MX"], -third["MZ"], third["MY"])

    @cached_property
    def moments(self) -> Moments:
        first, second, third = self.links
        xx, yy, zz = second["XX"] + third["XX"], second["YY"] + third["ZZ"], second["ZZ"] + third["YY"]
        half = (xx + yy - zz) / 2  # S33, a part of ZZ1
        return Moments(
            yy - half, xx - half, third["XZ"] - second["XY"], -(second["XZ"] + third["XY"]), third["YZ"] - second["YZ"],
            first["ZZ"] + half,
        )  # fmt: skip

    @cached_property
    def about_base(self) -> tuple[Any, Any, Any]:
        """S22, S12 and S23 with link 3 where it stands."""
        m, s, L = self.moments, self.first_moment, self.length
        return m.yy - L * (2 * s.y), m.xy - L * s.x, m.yz - L * s.z

    @cached_property
    def load(self) -> tuple[Vec3, Any]:
        """What the motion of the leg takes: force across it at the ball, in frame 0, and along it, from its motor."""
        motion = self.motion
        v = self._here(motion.velocity(self.arm))
        a = self._here(motion.felt(self.arm))  # of the ball, minus gravity
        g = self._here(motion.gravity)
        speed = -v.y
        wx, wz = -(v.z * self.over), v.x * self.over
        # products of w, with w.y = k w.x: xx = -w.x w.x and so on, as in `products`, and the doubled ones
        xx, zz = -(wx * wx), -(wz * wz)
        xy = -(self.k * xx)
        yy = -(self.k * xy)
        twice = 2 * wx
        xz2 = twice * wz
        yz2 = self.k * xz2
        cx, cz = wz * (2 * speed) - g.x, -(twice * speed) - g.z
        u12, u32 = (cx - a.x) * self.over, (cz - a.z) * self.over
        u22 = xx + zz
        swing = u32 - yz2  # s2 q1''
        u13 = self.k * swing
        u31 = xz2 - u13
        u21, u23 = 2 * xy - u12, -swing
        rise = a.y + self.length * u22  # what the ball's acceleration leaves along the leg
        m, s = self.moments, self.first_moment
        syy, sxy, syz = self.about_base
        second = self.links[1]
        still = Vec3(second["MX"], second["MY"], second["MZ"]).cross(-g)
        carried = s.cross(Vec3(cx, rise, cz))
        # N.x + k N.y of the second moments, with k w.x = w.y put in
        upright = u31 * (sxy - self.k * m.xx) + u32 * (syy - self.k * sxy)
        upright = upright + (yy - zz + self.k * u12) * syz + (self.k * zz - xy + u12) * m.xz
        nz = u21 * m.xx + (xx - yy) * sxy + u23 * m.xz - u12 * syy - u13 * syz
        N = still + carried
        link, drive = self.links[0], self.links[2]
        weight = link["MY"] * self.x1.dot(motion.gravity) + link["MX"] * g.z  # g.z = -g.y1
        one = self.stretch * swing * (m.turn + link["IA"]) + weight + friction(link, wx * self.stretch)
        two = N.z + nz + second["IA"] * (xy - u12) + friction(second, wz)
        across = (upright + N.x + self.k * N.y + self.stretch * one) * -self.over
        along = -(u21 * s.x + u22 * s.y + u23 * s.z)
        along = along - drive["IA"] * (rise + g.y) + friction(drive, speed)
        return self.x * (two * self.over) + self.z * across, along

    @cached_property
    def inertia(self) -> Mat3:
        """The mass matrix of the leg at the ball, in frame 0 (GS 34, 36), from its kinetic energy."""
        m, s, k, over = self.moments, self.first_moment, self.k, self.over
        syy, sxy, syz = self.about_base
        squared = over * over
        turn = (m.turn + self.links[0]["IA"]) * (self.stretch * self.stretch)
        zz = (syy + k * (k * m.xx - 2 * sxy) + turn) * squared
        xx = (m.xx + syy + self.links[1]["IA"]) * squared
        xz = (m.xz + k * syz) * squared
        xy, yz, yy = s.x * over, s.z * over, self.links[2]["IA"]
        own = Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        back = Mat3((self.x, -self.a, self.z))  # rows: the axes of the leg's frame
        return congruent(own, back)

    @property
    def mass(self) -> Any:
        """Of link 3, at the ball."""
        return self.links[2]["M"]
