"""UPS legs (universal, driven prismatic and spherical joint), computed by vectors without angles or matrix inversion.

Everything is computed in the frame of the universal joint's cross: Z is its first axis, r = f eta + h Z runs from the
universal joint to the ball, L is its length. The leg rotates at the rates alpha about Z and beta about zeta = Z x eta,
so that the velocity of the ball is f' eta + alpha f zeta + h' Z. Links 2 and 3 rotate together; by Lagrange's
equations, their inertia enters as three numbers that depend only on the slope of the leg. The mass of link 3 is at the
ball and belongs to the platform (GS VI); its first moments move with the ball.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.once import cached_property
from robosym.coordinates.leg_chain import LegChain
from robosym.coordinates.platform_motion import PlatformMotion
from robosym.coordinates.vector_leg import VectorLeg, congruent, frames_to_point, friction, right_angle, root, turn_of
from robosym.mechanism import INERTIA, Robot
from robosym.mechanism.numeric_tree import frames_along
from robosym.spatial import Mat3, Scalar, Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Strut", "is_strut"]

_O = Vec3(0, 0, 0)


def is_strut(robot: Robot, chain: LegChain) -> bool:
    """Return whether a leg is of this kind, without wrenches on its links."""
    frames = frames_to_point(robot, chain)
    if frames is None:
        return False
    first, second, third, hub = frames
    if not (first.joint_type.only_turns and second.joint_type.only_turns and third.joint_type.only_slides):
        return False
    if (first.mu, second.mu, third.mu) != (0, 0, 1):
        return False
    zeros = (second.b, second.d, second.r, third.b, third.d, hub.b, hub.d, hub.r)
    across = right_angle(second.alpha) and right_angle(third.alpha)
    return bool(across and all(value.is_zero for value in zeros))


@dataclass(frozen=True)
class Gains:
    """Accelerations of the leg: of alpha, beta and the motor along the leg."""

    alpha: Scalar
    beta: Scalar
    speed: Scalar
    square: tuple[Scalar, Scalar, Scalar]  #: alpha^2, beta^2 and 2 alpha beta
    point: Vec3  #: the acceleration of the ball, in the frame of the cross


class Strut(VectorLeg):
    """One leg over the graph of a motion, in the branch of given joint values."""

    def __init__(
        self, motion: PlatformMotion, chain: LegChain, joints: Mapping[str, float], values: Mapping[str, float]
    ) -> None:
        """Create the leg; `joints` is a position in the branch, `values` are those of the geometric parameters."""
        super().__init__(motion, chain)
        graph = self.graph
        frames = [motion.robot.frame(j) for j in chain.numbers[:3]]
        self.motor = chain.core[2]
        T1, T2, T3 = (self._at_zero(frame, j) for frame, j in zip(frames, chain.numbers[:3], strict=True))
        first, second, third = frames_along(frames, {**values, **joints})
        r = third[:3, 3] - first[:3, 3]
        side = 1 if third[:3, 2] @ r > 0 else -1
        turn = 1 if second[:3, 2] @ np.cross(first[:3, 2], r) > 0 else -1
        self.side, self.turn = side, turn
        self.D = T1.A
        self.column = self.arm + (motion.P - T1.P)
        u = T1.A.T @ self.column
        flat = u.x * u.x + u.y * u.y
        self.h = u.z
        square = flat + u.z * u.z
        self.f, self.length = root(flat), root(square)
        self.over, self.over_length = 1 / self.f, 1 / self.length
        self.c, self.s = u.x * self.over, u.y * self.over  # eta in D
        self.ca, self.sa = self.f * self.over_length, self.h * self.over_length
        self.over = self._guarded(self.over, flat, square)  # the leg along the first axis of its universal joint
        self.lever, self.over_lever = self.length * side, self.over_length * side
        # inertia in the axes of the leg: a along it, zeta, and a x zeta
        a = T3.A.z_axis * side
        axes = Mat3((a, Vec3(0, 0, turn), Vec3(a.y * turn, -(a.x * turn), 0)))
        links = [RigidInertia(*(link[name] for name in INERTIA)) for link in self.links]
        two = links[1].moved(Transform(axes, _O))
        three = links[2].moved(Transform(axes @ T3.A, _O))
        zero = graph.zero
        self.J = tuple(zero + x + y for x, y in zip((two + three), 6 * [zero], strict=False))
        self.beside = Vec3(*(zero + x for x in three.MS))
        self.of_second = Vec3(*(zero + x for x in two.MS))
        zeta = T2.A.z_axis * turn
        eta = zeta.cross(Vec3(0, 0, 1))
        self.of_cross = zero + eta.dot(links[0].MS), zero + zeta.dot(links[0].MS)
        self.about_Z = self.links[0]["ZZ"] + self.links[0]["IA"]
        self._axes = eta, T2.A, a  # of the cross in link 1, of link 2 on link 1 at zero, of the leg in link 2

    # ----------------------------------------------------------------- kinematics

    def _leaning(self, v: Vec3) -> Vec3:
        """Return a vector along the leg, zeta and the transverse direction in the frame of the cross."""
        return Vec3(self.ca * v.x - self.sa * v.z, v.y, self.sa * v.x + self.ca * v.z)

    @cached_property
    def rates(self) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """alpha, beta, f' and the speed of the motor along the leg."""
        v = self._here(self.motion.velocity(self.arm))
        speed = self.ca * v.x + self.sa * v.z
        return v.y * self.over, (self.sa * v.x - self.ca * v.z) * self.over_length, v.x, speed

    @property
    def drift(self) -> Any:
        motion = self.motion
        alpha, beta, _, _ = self.rates
        swing = (alpha * alpha) * (self.f * self.ca) + (beta * beta) * self.length
        a = self.column * self.over_length
        return -(swing + a.dot(motion.w.cross(motion.w.cross(self.arm)))) * self.side

    # ------------------------------------------------------------------- dynamics

    @cached_property
    def _inertia_of_rates(self) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
        """Iaa, Iab, Ibb; half the derivative of Iaa and that of Iab with respect to the slope of the leg."""
        aa, az, ab, zz, zb, bb = self.J
        tilt = (bb - aa) * self.ca + (2 * ab) * self.sa
        return (
            self.about_Z + aa + self.ca * tilt,
            az * self.sa + zb * self.ca,
            zz + self.links[1]["IA"],
            ab - self.sa * tilt,
            az * self.ca - zb * self.sa,
        )

    @cached_property
    def places(self) -> dict[int, Any]:
        eta, T2, a = self._axes
        lean = T2.T @ Vec3(self.ca * eta.x, self.ca * eta.y, self.sa)  # the leg in link 2 at zero
        turns = turn_of((eta.x, eta.y), (self.c, self.s)), turn_of((a.x, a.y), (lean.x, lean.y))
        return dict(zip(self.joints, (*turns, self.lever), strict=True))

    @property
    def joint_rates(self) -> dict[int, Scalar]:
        alpha, beta, _, speed = self.rates
        return dict(zip(self.joints, (alpha, beta * self.turn, speed * self.side), strict=True))

    @property
    def joint_accelerations(self) -> dict[int, Scalar]:
        gains = self._gains
        return dict(zip(self.joints, (gains.alpha, gains.beta * self.turn, gains.speed * self.side), strict=True))

    @cached_property
    def _gains(self) -> Gains:
        alpha, beta, widening, speed = self.rates
        a = self._here(self.motion.acceleration(self.arm))
        twice = 2 * alpha
        aa, bb, ab = alpha * alpha, beta * beta, twice * beta
        wide = a.x + aa * self.f  # f''
        return Gains(
            (a.y - twice * widening) * self.over,
            (self.sa * wide - self.ca * a.z - 2 * (speed * beta)) * self.over_length,
            self.ca * wide + self.sa * a.z + self.length * bb,
            (aa, bb, ab),
            a,
        )

    def _load_of(self, efforts: Mapping[int, Scalar]) -> tuple[Vec3, Scalar]:
        about_Z, about_zeta, along = (efforts[j] for j in self.joints)
        upward = about_zeta * self.over * self.turn
        y = about_Z * self.over
        return self.D @ Vec3(-(self.s * y), self.c * y, -upward), along + self.sa * upward * self.side

    def _own_load(self) -> tuple[Vec3, Scalar]:
        motion = self.motion
        alpha, beta, _, speed = self.rates
        gains = self._gains
        a, (aa, bb, ab), alpha_p, beta_p = gains.point, gains.square, gains.alpha, gains.beta
        g = self._here(motion.gravity)
        apparent = a - g
        Iaa, Iab, Ibb, tilting, crossing = self._inertia_of_rates
        s, two, (cross_x, cross_y) = self._leaning(self.beside), self._leaning(self.of_second), self.of_cross
        still_x, still_y = two.x + cross_x, two.y + cross_y
        links = self.links
        about_Z = Iaa * alpha_p + Iab * beta_p - tilting * ab - crossing * bb + friction(links[0], alpha)
        about_Z = about_Z + s.x * apparent.y - s.y * apparent.x - (still_x * g.y - still_y * g.x)
        about_zeta = Iab * alpha_p + Ibb * beta_p + tilting * aa + friction(links[1], beta, self.turn)
        about_zeta = about_zeta + s.z * apparent.x - s.x * apparent.z - (two.z * g.x - two.x * g.z)
        upward = about_zeta * self.over
        moved = Vec3(
            beta_p * s.z - alpha_p * s.y - (aa + bb) * s.x,
            alpha_p * s.x + ab * s.z - aa * s.y,
            -(beta_p * s.x) - bb * s.z,
        )
        effort = self.sa * upward + friction(links[2], speed, self.side)
        if not links[2]["IA"].is_zero:
            effort = effort + links[2]["IA"] * gains.speed
        x, y, z = moved.x, moved.y + about_Z * self.over, moved.z - upward
        return self.D @ Vec3(self.c * x - self.s * y, self.s * x + self.c * y, z), effort * self.side

    @cached_property
    def inertia(self) -> Mat3:
        Iaa, Iab, Ibb, *_ = self._inertia_of_rates
        s, t, along = self.beside, self._leaning(self.beside), self.over_length
        ab, az = -(s.z * along), -(s.y * along)
        zz = (Iaa * self.over + 2 * t.x) * self.over
        zb = (s.y * self.sa - Iab * along) * self.over
        bb = (Ibb * along + 2 * s.x) * along
        own = Mat3.of(self.links[2]["IA"], az, ab, az, zz, zb, ab, zb, bb)
        zeta = self.D @ Vec3(-self.s, self.c, 0)
        across = self.D @ Vec3(-(self.sa * self.c), -(self.sa * self.s), self.ca)
        return congruent(own, Mat3((self.column * along, zeta, across)))

    @property
    def _end_mass(self) -> Expr:
        """Mass of link 3, at the spherical joint."""
        mass: Expr = self.links[2]["M"]
        return mass
