"""What the models ask of a leg that is treated by vectors: it holds a point of the platform along one direction.

A motor pushes the point along `column`, a vector of frame 0; everything across it is the leg's own.
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
from robosym.mechanism import INERTIA, Frame
from robosym.mechanism.motion import frame_transform
from robosym.spatial import Mat3, Scalar, Transform, Vec3, sign
from robosym.spatial.vectors import KnownAngle

__all__ = ["VectorLeg", "congruent", "friction", "right_angle", "root", "straight_angle", "turn_of"]

_SINGULAR = 1e-13  #: the square of the sine of an angle: beyond, rounding would leave less than nine digits


class VectorLeg:
    """A leg over the graph of a motion; all vectors in frame 0 unless said otherwise."""

    motor: int  #: the joint that is driven
    column: Vec3  #: along it a push of the motor acts on the point
    lever: Scalar  #: effort of the motor for a unit of the push: q' = column . v / lever
    over_lever: Scalar
    efforts: Mapping[int, Scalar] | None = None  #: of its joints, where the tree of the links gave them (`bear`)

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
        """Of a joint with more than FV and FS, friction but the viscous as a function of its rate."""
        more, zero, value = self.motion.robot.joint(j).friction, self.graph.zero, self.motion.work.value
        if more.needs_position:
            raise InputError(f"joint {j}: friction: expected no position in that of a leg which is treated by vectors")
        return (lambda rate: more.effort(FS, value, zero, zero + rate)) if more else None

    def _at_zero(self, frame: Frame, j: int) -> Transform:
        """A frame on its antecedent where its joint stands at zero."""
        value, zero = self.motion.work.value, self.graph.zero
        moving = getattr(frame, frame.joint_type.variable)
        T = frame_transform(frame, lambda entry: zero if entry is moving else value(entry), j)
        return T.map(lambda entry: zero + entry)

    def _guarded(self, over: Any, square: Any, scale: Any) -> Any:
        """One over a length that vanishes where the leg is singular, and no number there: where its square is nothing
        beside that of another. Of a geometry in symbols it is left as it is."""
        if not self._told:
            return over
        return over / root(self.graph.function("sign", square - _SINGULAR * scale))

    @cached_property
    def _told(self) -> bool:
        return in_numbers(self.chain.robot)

    @cached_property
    def row(self) -> tuple[Vec3, Vec3]:
        """Of J_p^-1 (GS 13)."""
        force = self.column * self.over_lever
        return force, self.arm.cross(force)

    @cached_property
    def push(self) -> tuple[Vec3, Vec3]:
        """What a unit of the motor's push does to the platform, force and moment at its origin."""
        return self.column, self.arm.cross(self.column)

    @property
    def free(self) -> bool:
        """Whether the platform is free to turn about the point."""
        return len(self.chain.wrist) == 3

    @cached_property
    def load(self) -> tuple[Vec3, Scalar]:
        """What the motion takes: a force at the point that is not the motor's matter, and an effort of the motor."""
        return self._own_load() if self.efforts is None else self._load_of(self.efforts)

    def bear(self, efforts: Mapping[int, Scalar]) -> None:
        """Take the load from the efforts of the joints: on a base that moves, the tree of the links knows them."""
        self.efforts = efforts

    def _own_load(self) -> tuple[Vec3, Scalar]:
        """The load on a base at rest."""
        raise NotImplementedError

    def _load_of(self, efforts: Mapping[int, Scalar]) -> tuple[Vec3, Scalar]:
        """The load from efforts of the joints, drives and friction included."""
        raise NotImplementedError

    @cached_property
    def places(self) -> dict[int, Scalar]:
        """Where the joints are, as the frames count them: turns and lengths."""
        raise NotImplementedError

    @property
    def joint_rates(self) -> dict[int, Scalar]:
        raise NotImplementedError

    @property
    def joint_accelerations(self) -> dict[int, Scalar]:
        raise NotImplementedError

    def value(self, entry: Expr) -> Any:
        """An entry of the description, the joints where they are."""
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
        """row . V' where the motor has no acceleration: what the swinging leg and the turning platform ask for."""
        raise NotImplementedError

    @property
    def mass(self) -> Expr:
        """What stands at the point and belongs to the platform; on a base that moves all of a link stays in the leg."""
        return self._end_mass if self.motion.base is None else self.graph.zero

    @property
    def _end_mass(self) -> Expr:
        raise NotImplementedError


def right_angle(angle: Expr, up: bool = False) -> bool:
    """Whether an angle is a right one in numbers; `up`: not to the other side."""
    value = numeric_value(angle)
    return value is not None and abs(value % (2 * math.pi if up else math.pi) - math.pi / 2) < ROUNDING


def straight_angle(angle: Expr) -> bool:
    """Whether an angle is 0 or Pi in numbers."""
    value = numeric_value(angle)
    return value is not None and abs(math.sin(value)) < ROUNDING


def turn_of(before: tuple[Scalar, Scalar], after: tuple[Scalar, Scalar]) -> KnownAngle:
    """The turn that takes a direction of the plane to another, both of length one."""
    (a, b), (c, d) = before, after
    return KnownAngle(a * c + b * d, a * d - b * c)


def root(value: Any) -> Any:
    return value.graph.function("sqrt", value)


def friction(link: dict[str, Any], rate: Any, way: int = 1) -> Any:
    """At a rate of the joint; `way` -1: at the opposite rate, and its effort counted opposite too."""
    if link["more"] is not None:
        return link["FV"] * rate + link["more"](rate * way) * way
    return link["FV"] * rate + link["FS"] * sign(rate) if not (link["FV"].is_zero and link["FS"].is_zero) else 0


def congruent(own: Mat3, rates: Mat3) -> Mat3:
    """rates^T own rates, symmetric."""
    columns, halves = rates.T.rows, (own @ rates).T.rows
    e = [[columns[i].dot(halves[j]) if i <= j else 0 for j in range(3)] for i in range(3)]
    return Mat3.of(*(e[min(i, j)][max(i, j)] for i in range(3) for j in range(3)))
