"""A leg whose driven joint carries a rod between a universal joint and the platform, from vectors (RUS, PUS, RUU ..).

The first axis Z of the universal joint keeps its direction: it is parallel to that of a driven revolute joint, or the
joint slides. With r from the universal joint to the point on the platform, f its length across Z and h along it, the
leg is computed in the frame of the universal joint's cross (eta, zeta, Z): r = f eta + h Z. The rod turns with
rates alpha about Z and beta about zeta, so no angle is needed. Its kinetic energy contains three moments of inertia,

    T = (Iaa alpha^2 + 2 Iab alpha beta + Ibb beta^2) / 2,    f' = beta h,  h' = -beta f.

The mass of the rod and its first moment along r are replaced by masses at its ends, which belong to the driven link and
the platform (GS VI).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate
from robosym.algebra.once import cached_property
from robosym.coordinates.leg_chain import LegChain
from robosym.coordinates.platform_motion import PlatformMotion
from robosym.coordinates.vector_leg import (
    VectorLeg,
    congruent,
    frames_to_point,
    friction,
    right_angle,
    root,
    straight_angle,
    turn_of,
)
from robosym.mechanism import INERTIA, Frame, Robot
from robosym.mechanism.numeric_tree import frames_along
from robosym.spatial import Mat3, Scalar, Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Rod", "is_rod"]

_O = Vec3(0, 0, 0)


def is_rod(robot: Robot, chain: LegChain) -> bool:
    """Return whether a leg is of this kind, without wrenches on its links."""
    frames = frames_to_point(robot, chain)
    if frames is None:
        return False
    first, second, third, hub = frames
    if not hub.is_joint or not (second.joint_type.only_turns and third.joint_type.only_turns):
        return False
    if (first.mu, second.mu, third.mu) != (1, 0, 0):
        return False
    if not (first.joint_type.only_slides or (first.joint_type.only_turns and straight_angle(second.alpha))):
        return False
    meets = third.b.is_zero and third.d.is_zero and third.r.is_zero and right_angle(third.alpha)
    across = hub.b.is_zero and (hub.r.is_zero or right_angle(hub.alpha))
    long = not hub.d.is_zero or not hub.r.is_zero
    turns = first.joint_type.only_slides or not (
        second.d.is_zero and (second.r.is_zero or straight_angle(second.alpha))
    )
    return bool(meets and across and long and turns)


@dataclass(frozen=True)
class RodMotion:
    """Motion of the rod: rates and accelerations of the motor, about Z and about zeta, and of the universal joint."""

    rate: Scalar
    alpha: Scalar
    beta: Scalar
    square: tuple[Scalar, Scalar, Scalar]  #: alpha^2, beta^2 and 2 alpha beta
    stretch: Scalar  #: negative acceleration of the point along column that is due to velocities


class Rod(VectorLeg):
    """One leg over the graph of a motion, in the branch of given joint values.

    Vectors of three in the frame of the cross have components along eta, zeta and Z.
    """

    def __init__(
        self, motion: PlatformMotion, chain: LegChain, joints: Mapping[str, float], values: Mapping[str, float]
    ) -> None:
        """Create the leg; `joints` is a position in the branch, `values` are those of the geometric parameters."""
        super().__init__(motion, chain)
        robot = motion.robot
        frames = [robot.frame(j) for j in chain.numbers[:4]]
        self.slides = frames[0].joint_type.only_slides
        self.motor = chain.core[0]
        T1, T2, T3, T4 = (self._at_zero(frame, j) for frame, j in zip(frames, chain.numbers[:4], strict=True))
        side, turn = self._branch(frames, {**values, **joints})
        D = T1.A @ T2.A if self.slides else T1.A  # its z axis is Z
        base = T1.P + T1.A @ T2.P if self.slides else T1.P
        u = D.T @ (self.arm + motion.P - base)
        self.D = D
        p = T4.P
        squared = p.x * p.x + p.y * p.y
        self.long = L = p.x if p.y.is_zero else root(squared)
        self.squared = squared
        if self.slides:
            r, lever, ways = self._carried(u, T2.A.rows[2], squared, side)
        else:
            r, lever, ways = self._swung(u, T2.P, squared, side)
        self.h = r.z
        self.f2 = squared - r.z * r.z
        self.f = root(self.f2)
        self.over = 1 / self.f
        self.c, self.s = r.x * self.over, r.y * self.over  # eta in D
        self.over = self._guarded(self.over, self.f2, squared)
        self.r, self.lever, self.over_lever = r, lever, self._guarded(1 / lever, self.tau2, squared)
        self.column = D @ r
        self.way, self.inwards = ways(self)  # of the universal joint by the motor: velocity, and centripetal
        self._bodies(T2, T3, Vec3(p.x, p.y, p.z), turn)
        self._sa, self._ca = self.h / L, self.f / L

    def _branch(self, frames: list[Frame], values: Mapping[str, float]) -> tuple[int, int]:
        """Return the signs of the two roots: the side of the driven link, and zeta relative to the axis of the rod."""
        first, second, third, hub = frames_along(frames, values)
        r = hub[:3, 3] - second[:3, 3]
        Z = second[:3, 2] if self.slides else first[:3, 2]
        turn = third[:3, 2] @ np.cross(Z, r)
        elbow = np.cross(first[:3, 2], second[:3, 3] - first[:3, 3])
        length = evaluate([frames[1].d], values)[0] if self._one_sided(frames[1]) else 1.0
        side = first[:3, 2] @ r if self.slides else elbow @ r * length
        return (1 if side > 0 else -1), (1 if turn > 0 else -1)

    @staticmethod
    def _one_sided(second: Frame) -> bool:
        """Return whether the driven link is along x1 and `l` is its d, of any sign."""
        return second.gamma.is_zero and (second.r.is_zero or straight_angle(second.alpha))

    # ------------------------------------------------------------------- geometry

    def _swung(self, u: Vec3, elbow: Vec3, squared: Any, side: int) -> tuple[Vec3, Any, Any]:
        """Solve a driven revolute joint: with x along the link, x . u and y . u = tau from |u - reach x| = L."""
        x, y = elbow.x, elbow.y
        self.reach = reach = x if y.is_zero else root(x * x + y * y)
        self.toward = (x / reach, y / reach) if not y.is_zero else (self.graph.one, self.graph.zero)
        h = u.z - elbow.z
        flat = u.x * u.x + u.y * u.y
        along = (flat + h * h + (reach * reach - squared)) / (2 * reach)
        self.tau2 = flat - along * along
        tau = root(self.tau2) * side
        over = 1 / flat
        cx, sx = (u.x * along + u.y * tau) * over, (u.y * along - u.x * tau) * over
        self.x1 = cx, sx
        r = Vec3(u.x - reach * cx, u.y - reach * sx, h)

        def ways(rod: Rod) -> tuple[Vec3, Vec3]:
            m, n = (along - reach) * rod.over * reach, tau * rod.over * reach
            return Vec3(n, m, 0), Vec3(-m, n, 0)

        return r, reach * tau, ways

    def _carried(self, u: Vec3, d: Vec3, squared: Any, side: int) -> tuple[Vec3, Any, Any]:
        """Solve a driven prismatic joint along d: d . r = tau from |u - q d| = L."""
        self.d = d
        along = d.dot(u)
        self.tau2 = squared - u.dot(u) + along * along
        tau = root(self.tau2) * side
        self.slid = along - tau
        r = u - d * self.slid

        def ways(rod: Rod) -> tuple[Vec3, Vec3]:
            return rod._cross(d), _O

        return r, tau, ways

    # --------------------------------------------------------------------- bodies

    def _bodies(self, T2: Transform, T3: Transform, p: Vec3, turn: int) -> None:
        """Inertia in the axes of the rod, (a, zeta, a x zeta), less the masses at its ends."""
        first, second, third = self.links
        L, self.turn = self.long, turn
        a = Vec3(p.x / L, p.y / L, 0)
        axes = Mat3((a, Vec3(0, 0, turn), Vec3(a.y * turn, -(a.x * turn), 0)))
        rod = RigidInertia(*(third[name] for name in INERTIA)).moved(Transform(axes, _O))
        zero = self.graph.zero
        end = rod.MX * L
        self._mass = zero + rod.MX / L
        self.J = tuple(zero + x for x in (rod.XX, rod.XY, rod.XZ, rod.YY - end, rod.YZ, rod.ZZ - end))
        self.beside = zero + rod.MY, zero + rod.MZ
        # the cross, whose axes eta, zeta and Z are fixed in its link
        zeta = T3.A.z_axis * turn
        self.upright = 1 if self.slides or float(T2.A.rows[2].z.number) > 0 else -1  # z of the cross against Z
        Z = Vec3(0, 0, self.upright)
        eta = zeta.cross(Z)
        moment = Vec3(second["MX"], second["MY"], second["MZ"])
        self.of_cross = zero + eta.dot(moment), zero + zeta.dot(moment)
        self.about_Z = zero + second["ZZ"]
        self._axes = eta, T2.A, T3.A, a  # of the cross in link 2, of links 2 and 3 at zero, of the rod in link 3
        elbow = third["M"] - self._mass + second["M"]
        if self.slides:
            self.weight = Vec3(first["M"] + elbow, 0, 0)
            self.inert = first["M"] + elbow + first["IA"]
        else:
            cx, sx = self.toward
            along, side = first["MX"] * cx + first["MY"] * sx, first["MY"] * cx - first["MX"] * sx
            self.weight = Vec3(along + elbow * self.reach, side, 0)
            self.inert = first["ZZ"] + first["IA"] + elbow * self.reach * self.reach

    @property
    def _end_mass(self) -> Expr:
        mass: Expr = self._mass
        return mass

    # ----------------------------------------------------------------- kinematics

    @cached_property
    def swing(self) -> RodMotion:
        v, way = self._here(self.motion.velocity(self.arm)), self.way
        rate = (self.f * v.x + self.h * v.z) * self.over_lever
        alpha, beta = (v.y - way.y * rate) * self.over, (way.z * rate - v.z) * self.over
        aa, bb, ab = alpha * alpha, beta * beta, 2 * (alpha * beta)
        stretch = self.f2 * aa + self.squared * bb
        if not self.slides:
            stretch = stretch - self.f * self.inwards.x * (rate * rate)
        return RodMotion(rate, alpha, beta, (aa, bb, ab), stretch)

    @property
    def drift(self) -> Any:
        w = self.motion.w
        turning = self.column.dot(w.cross(w.cross(self.arm)))
        return -((self.swing.stretch + turning) * self.over_lever)

    # ------------------------------------------------------------------- dynamics

    @cached_property
    def _inertia_of_rates(self) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
        """Iaa, Iab, Ibb of the rod; half the derivative of Iaa and that of Iab with respect to its elevation."""
        aa, az, ab, zz, zb, bb = self.J
        tilt = (aa - bb) * self._sa + (2 * ab) * self._ca
        return (
            bb + self._sa * tilt,
            az * self._sa + zb * self._ca,
            zz,
            self._ca * tilt - ab,
            az * self._ca - zb * self._sa,
        )

    @cached_property
    def _moment(self) -> Vec3:
        """The rod's first moment across it, in the frame of the cross."""
        zeta, third = self.beside
        return Vec3(-(self._sa * third), zeta, self._ca * third)

    @cached_property
    def places(self) -> dict[int, Scalar]:
        eta, T2, T3, a = self._axes
        first: Any = self.slid if self.slides else turn_of(self.toward, self.x1)
        c, s = self.c, self.s  # of eta, in link 2 at zero
        if not self.slides:
            here = T2.T @ Vec3(first.c * c + first.s * s, first.c * s - first.s * c, 0)
            c, s = here.x, here.y
        lean = T3.T @ Vec3(self._ca * eta.x, self._ca * eta.y, self._sa * self.upright)
        turns = turn_of((eta.x, eta.y), (c, s)), turn_of((a.x, a.y), (lean.x, lean.y))
        return dict(zip(self.joints, (first, *turns), strict=True))

    def _joints(self, rate: Scalar, alpha: Scalar, beta: Scalar) -> dict[int, Scalar]:
        """Return rates or accelerations of the joints from those of the motor and the rod."""
        second = alpha if self.slides else alpha - rate
        return dict(zip(self.joints, (rate, second * self.upright, beta * self.turn), strict=True))

    @property
    def joint_rates(self) -> dict[int, Scalar]:
        return self._joints(self.swing.rate, self.swing.alpha, self.swing.beta)

    @property
    def joint_accelerations(self) -> dict[int, Scalar]:
        return self._joints(*self._gains[:3])

    @cached_property
    def _gains(self) -> tuple[Any, Any, Any, Vec3]:
        """Accelerations of the motor, about Z and about zeta, and of the universal joint."""
        swing, way, a = self.swing, self.way, self._here(self.motion.acceleration(self.arm))
        (_, bb, ab), rate = swing.square, swing.rate
        gained = (self.f * a.x + self.h * a.z + swing.stretch) * self.over_lever
        carried = way * gained if self.slides else way * gained + self.inwards * (rate * rate)
        alpha = (a.y - carried.y - ab * self.h) * self.over
        beta = (carried.z - a.z - bb * self.h) * self.over
        return gained, alpha, beta, carried

    def _load_of(self, efforts: Mapping[int, Scalar]) -> tuple[Vec3, Scalar]:
        motor, second, third = (efforts[j] for j in self.joints)
        about_Z = second * self.upright
        across = Vec3(0, about_Z * self.over, -(third * self.over * self.turn))
        effort = motor - self.way.dot(across)
        back = Vec3(-(self.s * across.y), self.c * across.y, across.z)
        return self.D @ back, effort if self.slides else effort - about_Z

    def _own_load(self) -> tuple[Vec3, Scalar]:
        motion, swing, way = self.motion, self.swing, self.way
        (aa, bb, ab), rate = swing.square, swing.rate
        gained, alpha, beta, carried = self._gains
        g = self.D.T @ motion.gravity
        apparent = carried - self._cross(g)
        Iaa, Iab, Ibb, tilting, crossing = self._inertia_of_rates
        s, (cross_x, cross_y) = self._moment, self.of_cross
        first, second, third = self.links
        along = 0 if self.slides else 1  # how much of the motor's rate the second joint takes back
        two = second["IA"] * (alpha - gained * along) + friction(second, swing.alpha - rate * along, self.upright)
        about_Z = (Iaa + self.about_Z) * alpha + Iab * beta - tilting * ab - crossing * bb + two
        about_Z = about_Z + (s.x + cross_x) * apparent.y - (s.y + cross_y) * apparent.x
        about_zeta = Iab * alpha + (Ibb + third["IA"]) * beta + tilting * aa + friction(third, swing.beta, self.turn)
        about_zeta = about_zeta + s.z * apparent.x - s.x * apparent.z
        across = Vec3(0, about_Z * self.over, -(about_zeta * self.over))
        # the acceleration of the first moments, which the driven link has to give
        moved = Vec3(
            beta * s.z - alpha * (s.y + cross_y) - (aa + bb) * s.x - aa * cross_x,
            alpha * (s.x + cross_x) + ab * s.z - aa * (s.y + cross_y),
            -(beta * s.x) - bb * s.z,
        )
        effort = self.inert * gained + way.dot(moved - across) - two * along + friction(first, rate)
        effort = effort - self._weight(g)
        back = Vec3(-(self.s * across.y), self.c * across.y, across.z)
        return self.D @ back, effort

    def _weight(self, g: Vec3) -> Any:
        """Return the effect of gravity, in the axes of frame D, on the driven link and the masses on it."""
        if self.slides:
            return self.weight.x * self.d.dot(g)
        cx, sx = self.x1
        return self.weight.x * (cx * g.y - sx * g.x) - self.weight.y * (cx * g.x + sx * g.y)

    @cached_property
    def inertia(self) -> Mat3:
        Iaa, Iab, Ibb, *_ = self._inertia_of_rates
        s, way, (cross_x, cross_y) = self._moment, self.way, self.of_cross
        _, second, third = self.links
        along = 0 if self.slides else 1
        qa = way.y * (s.x + cross_x) - way.x * (s.y + cross_y) - second["IA"] * along
        qb = way.x * s.z - way.z * s.x
        own = Mat3.of(
            self.inert + second["IA"] * along, qa, qb,
            qa, Iaa + self.about_Z + second["IA"], Iab,
            qb, Iab, Ibb + third["IA"],
        )  # fmt: skip
        motor = self.column * self.over_lever
        zeta, Z = self.D @ Vec3(-self.s, self.c, 0), self.D.z_axis
        rates = Mat3((motor, (zeta - motor * way.y) * self.over, (motor * way.z - Z) * self.over))
        return congruent(own, rates)
