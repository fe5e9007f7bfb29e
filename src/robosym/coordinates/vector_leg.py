"""Interface of legs that are computed by vectors and constrain a point of the platform along one direction.

A motor pushes the point along `column`, a vector in frame 0; the leg supplies the forces across it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from robosym.algebra import Expr, numeric_value
from robosym.algebra.once import cached_property
from robosym.algebra.tolerances import ROUNDING
from robosym.coordinates.leg_chain import LegChain
from robosym.coordinates.platform_motion import PlatformMotion
from robosym.coordinates.reference import in_numbers
from robosym.errors import InputError
from robosym.mechanism import INERTIA, WRENCH, Frame, Robot
from robosym.mechanism.motion import frame_transform
from robosym.spatial import Mat3, Scalar, Transform, Vec3, sign
from robosym.spatial.vectors import KnownAngle

__all__ = ["VectorLeg", "congruent", "frames_to_point", "friction", "right_angle", "root", "straight_angle", "turn_of"]

_SINGULAR = 1e-13  #: the square of the sine of an angle: beyond, rounding would leave less than nine digits


class VectorLeg:
    """A leg over the graph of a motion; all vectors in frame 0 unless said otherwise."""

    motor: int  #: the joint that is driven
    column: Vec3  #: along it a push of the motor acts on the point
    lever: Scalar  #: effort of the motor for a unit of the push: q' = column . v / lever
    over_lever: Scalar
    D: Mat3  #: its z axis is the first axis Z of the cross
    c: Any  #: with s, the direction of the cross across Z, in D
    s: Any
    efforts: Mapping[int, Scalar] | None = None  #: of the joints, provided by the tree of the links (`bear`)

    def __init__(self, motion: PlatformMotion, chain: LegChain) -> None:
        self.motion, self.chain, self.leg = motion, chain, chain.leg
        self.joints = chain.core
        self.graph = motion.work.graph
        self.arm = motion.station(chain.leg)  #: from the platform's origin to the point
        robot, value = motion.robot, motion.work.value
        self.links: list[dict[str, Any]] = [
            {name: value(getattr(robot.link(j), name)) for name in (*INERTIA, "IA", "FV", "FS")} for j in chain.core
        ]
        for link, j in zip(self.links, chain.core, strict=True):
            link["more"] = self._further_friction(link["FS"], j)

    def _further_friction(self, FS: Any, j: int) -> Any:
        """Return non-viscous friction as a function of the joint rate, or None if the joint has only FV and FS."""
        more, zero, value = self.motion.robot.joint(j).friction, self.graph.zero, self.motion.work.value
        if more.needs_position:
            raise InputError(f"joint {j}: friction: expected no dependence on the position, in a leg solved by vectors")
        return (lambda rate: more.effort(FS, value, zero, zero + rate)) if more else None

    def _at_zero(self, frame: Frame, j: int) -> Transform:
        """Return the transform of a frame in its antecedent, with its joint at zero."""
        value, zero = self.motion.work.value, self.graph.zero
        moving = getattr(frame, frame.joint_type.variable)
        T = frame_transform(frame, lambda entry: zero if entry is moving else value(entry), j)
        return T.map(lambda entry: zero + entry)

    def _cross(self, v: Vec3) -> Vec3:
        """Transform a vector from D to the frame of the cross."""
        return Vec3(self.c * v.x + self.s * v.y, self.c * v.y - self.s * v.x, v.z)

    def _here(self, v: Vec3) -> Vec3:
        """Transform a vector from frame 0 to the frame of the cross."""
        return self._cross(self.D.T @ v)

    def _guarded(self, over: Any, square: Any, scale: Any) -> Any:
        """Return the reciprocal of a length that vanishes at singular poses of the leg, NaN there.

        It is singular if the square of the length is negligible relative to `scale`. Symbolic geometry is not checked.
        """
        if not self._numeric:
            return over
        return over / root(self.graph.function("sign", square - _SINGULAR * scale))

    @cached_property
    def _numeric(self) -> bool:
        return in_numbers(self.chain.robot)

    @cached_property
    def row(self) -> tuple[Vec3, Vec3]:
        """The row of J_p^-1 (GS 13)."""
        force = self.column * self.over_lever
        return force, self.arm.cross(force)

    @cached_property
    def push(self) -> tuple[Vec3, Vec3]:
        """Force and moment on the platform, at its origin, per unit of motor effort."""
        return self.column, self.arm.cross(self.column)

    @property
    def free(self) -> bool:
        """Whether the platform can rotate about the point."""
        return len(self.chain.wrist) == 3

    @cached_property
    def load(self) -> tuple[Vec3, Scalar]:
        """Load due to the motion: a force at the point that the motor does not supply, and an effort of the motor."""
        return self._own_load() if self.efforts is None else self._load_of(self.efforts)

    def bear(self, efforts: Mapping[int, Scalar]) -> None:
        """Compute the load from joint efforts, which the tree of links provides on a moving base."""
        self.efforts = efforts

    def _own_load(self) -> tuple[Vec3, Scalar]:
        """Return the load on a stationary base."""
        raise NotImplementedError

    def _load_of(self, efforts: Mapping[int, Scalar]) -> tuple[Vec3, Scalar]:
        """Return the load from efforts of the joints, including drives and friction."""
        raise NotImplementedError

    @cached_property
    def places(self) -> dict[int, Scalar]:
        """Positions of the joints, as angles and lengths of their frames."""
        raise NotImplementedError

    @property
    def joint_rates(self) -> dict[int, Scalar]:
        raise NotImplementedError

    @property
    def joint_accelerations(self) -> dict[int, Scalar]:
        raise NotImplementedError

    def value(self, entry: Expr) -> Any:
        """Return an entry of the description at the current joints."""
        return self._held[entry]

    @cached_property
    def _held(self) -> dict[Expr, Any]:
        robot = self.motion.robot
        return {getattr(robot.frame(j), robot.frame(j).joint_type.variable): place for j, place in self.places.items()}

    @property
    def inertia(self) -> Mat3:
        """The mass matrix of the leg at the point (GS 34, 36)."""
        raise NotImplementedError

    @property
    def drift(self) -> Scalar:
        """Product row . V' if the acceleration of the motor is zero: terms of the velocities of leg and platform."""
        raise NotImplementedError

    @property
    def mass(self) -> Expr:
        """The mass at the point that is assigned to the platform; zero on a moving base."""
        return self._end_mass if self.motion.base is None else self.graph.zero

    @property
    def _end_mass(self) -> Expr:
        raise NotImplementedError


def frames_to_point(robot: Robot, chain: LegChain) -> tuple[Frame, Frame, Frame, Frame] | None:
    """Return the frames of three joints and of the point that they hold; None for other legs, or with wrenches."""
    if not chain.to_point or len(chain.core) != 3 or chain.core != chain.numbers[:3]:
        return None
    if any(not getattr(robot.link(j), name).is_zero for j in chain.core for name in WRENCH):
        return None
    first, second, third, hub = (robot.frame(j) for j in chain.numbers[:4])
    return first, second, third, hub


def right_angle(angle: Expr) -> bool:
    """Return whether an angle is numerically +-90 degrees."""
    value = numeric_value(angle)
    return value is not None and abs(value % math.pi - math.pi / 2) < ROUNDING


def straight_angle(angle: Expr) -> bool:
    """Return whether an angle is numerically 0 or Pi."""
    value = numeric_value(angle)
    return value is not None and abs(math.sin(value)) < ROUNDING


def turn_of(before: tuple[Scalar, Scalar], after: tuple[Scalar, Scalar]) -> KnownAngle:
    """Return the rotation that maps one unit vector of the plane to another."""
    (a, b), (c, d) = before, after
    return KnownAngle(a * c + b * d, a * d - b * c)


def root(value: Any) -> Any:
    return value.graph.function("sqrt", value)


def friction(link: dict[str, Any], rate: Any, way: int = 1) -> Any:
    """Return the friction at a joint rate; with `way` -1, rate and effort have the opposite sign."""
    if link["more"] is not None:
        return link["FV"] * rate + link["more"](rate * way) * way
    return link["FV"] * rate + link["FS"] * sign(rate) if not (link["FV"].is_zero and link["FS"].is_zero) else 0


def congruent(own: Mat3, rates: Mat3) -> Mat3:
    """Return the symmetric matrix rates^T own rates."""
    columns, halves = rates.T.rows, (own @ rates).T.rows
    e = [[columns[i].dot(halves[j]) if i <= j else 0 for j in range(3)] for i in range(3)]
    return Mat3.of(*(e[min(i, j)][max(i, j)] for i in range(3) for j in range(3)))
