"""Parts of a description: frames, links, joints with their limits, and the base."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from robosym.algebra import Expr
from robosym.errors import RobotError
from robosym.mechanism.central_inertia import Central
from robosym.mechanism.coupling import Follow
from robosym.mechanism.friction import FRICTIONLESS, JointFriction
from robosym.mechanism.joints import HELICAL, JOINT_TYPES, JointType, helical
from robosym.spatial.vectors import Component

__all__ = [
    "CONTACTS", "UNLIMITED", "WHEELS", "Base", "Contact", "Frame", "Joint", "Limits", "Link", "converted",
    "expressions", "length_entries", "marking_frame",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a joint, in the units of its variable; None where there is no limit."""

    lower: float | None = None  #: lower limit of the position
    upper: float | None = None
    velocity: float | None = None  #: limit of the magnitude, as for acceleration and effort
    acceleration: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        for entry in fields(self):
            if getattr(self, entry.name) in (math.inf, -math.inf):
                object.__setattr__(self, entry.name, None)

    def check(self, frame: int) -> None:
        """Raise `RobotError` if a limit is not a number, is negative where it must not be, or lower > upper."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None and math.isnan(value):
                raise RobotError(f"{entry.name}: expected a number, found {value!r}", frame=frame, field="limits")
            if entry.name not in ("lower", "upper") and value is not None and value < 0:
                raise RobotError(f"{entry.name}: expected at least 0, found {value!r}", frame=frame, field="limits")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            message = f"position: expected lower <= upper, found [{self.lower!r}, {self.upper!r}]"
            raise RobotError(message, frame=frame, field="limits")

    def __bool__(self) -> bool:
        return any(getattr(self, entry.name) is not None for entry in fields(self))


UNLIMITED = Limits()


GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")
LENGTHS = ("b", "d", "r")
INERTIA = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
DRIVE = ("IA", "FV", "FS")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
MOTION = ("QP", "QDP", "GAM")
BASE_MOTION = ("W0", "WP0", "V0", "VP0")
FLOATING = {"W0": ("WX0", "WY0", "WZ0"), "V0": ("VX0", "VY0", "VZ0")}  #: symbols for the velocities of a floating base


@dataclass(frozen=True, slots=True)
class Frame:
    """Position and orientation of a frame with respect to its antecedent, and the joint between them."""

    ant: int
    sigma: int
    mu: int
    gamma: Expr
    b: Expr
    alpha: Expr
    d: Expr
    theta: Expr
    r: Expr
    pitch: float = field(default=0.0, kw_only=True)  #: advance of a helical joint along z per turn

    @property
    def joint_type(self) -> JointType:
        """Type of the joint between the antecedent and the frame."""
        return helical(self.pitch) if self.sigma == HELICAL else JOINT_TYPES[self.sigma]

    @property
    def is_joint(self) -> bool:
        """Whether the frame moves with respect to its antecedent."""
        return self.sigma not in JOINT_TYPES or self.joint_type.moves  # validation rejects an unknown sigma

    def at(self, value: Expr) -> Frame:
        """Return the frame with `value` in place of its joint variable; a fixed frame is unchanged."""
        if not self.is_joint:
            return self
        return replace(self, theta=value) if self.joint_type.variable == "theta" else replace(self, r=value)

    def screw(self, value: Callable[[Expr], Component]) -> tuple[Component, Component]:
        """Return rotation about and translation along z of the frame, joint variable included, with `value` applied."""
        return self.joint_type.placed(value(self.theta), value(self.r))


@dataclass(frozen=True, slots=True)
class Link:
    """Inertia at the origin of the frame, drive (rotor inertia, friction), and wrench exerted on the environment."""

    XX: Expr
    XY: Expr
    XZ: Expr
    YY: Expr
    YZ: Expr
    ZZ: Expr
    MX: Expr
    MY: Expr
    MZ: Expr
    M: Expr
    IA: Expr
    FV: Expr
    FS: Expr
    FX: Expr
    FY: Expr
    FZ: Expr
    CX: Expr
    CY: Expr
    CZ: Expr
    central: Any = None  #: a `Central`: inertia at the center of mass, if it was given so

    @classmethod
    def blank(cls, zero: Expr) -> Link:
        """Return a link without inertia, drive and wrench."""
        return cls(**dict.fromkeys((*INERTIA, *DRIVE, *WRENCH), zero))


@dataclass(frozen=True, slots=True)
class Joint:
    """Velocity, acceleration and torque of a joint; `eta` is 1 for an elastic joint of stiffness `k`."""

    QP: Expr
    QDP: Expr
    GAM: Expr
    eta: int
    k: Expr
    rest: Expr | None = None  #: rest position of the spring of an elastic joint; None for 0
    name: str = ""  #: if empty, the joint is named by its variable
    limits: Limits = UNLIMITED
    follows: Follow | None = None  #: relation to the joint that this one follows
    friction: JointFriction = FRICTIONLESS  #: in addition to FV and FS of the link

    @property
    def acts(self) -> bool:
        """Whether it has a spring, or friction in addition to that of its link."""
        return bool(self.eta) or any(not value.is_zero for _, value in self.friction.values)


@dataclass(frozen=True, slots=True)
class Base:
    """Pose of frame 0 in the world (`Z`, row by row), its motion in frame 0, and its inertia if it moves."""

    kind: str  #: "fixed", "mobile" (motion given) or "floating" (motion unknown)
    Z: tuple[Expr, ...]
    W0: tuple[Expr, ...]
    WP0: tuple[Expr, ...]
    V0: tuple[Expr, ...]
    VP0: tuple[Expr, ...]
    link: Link | None


#: kinds of contacts, with the names of the components of their forces
CONTACTS: Mapping[str, tuple[str, ...]] = {
    "point": ("RX", "RY", "RZ"),  # force along the axes of the frame
    "plane": ("RX", "RY", "RZ", "TX", "TY", "TZ"),  # force and moment along the axes of the frame
    "wheel": ("RL", "RT", "RN"),  # longitudinal, transverse and normal force
    "roller": ("RA", "RN"),  # force along the axis of the roller, and normal force
}
WHEELS = ("wheel", "roller")


@dataclass(frozen=True, slots=True)
class Contact:
    """Contact of a link with the ground: a foot at a point of its frame, or a wheel about the z axis of its frame."""

    frame: int
    kind: str  #: "point", "plane", "wheel" or "roller"
    at: tuple[Expr, ...]  #: contact point of a foot, or center of a wheel
    radius: Expr  #: radius of a wheel
    angle: Expr  #: angle from the axis of the wheel to that of the roller on the ground, about the normal
    name: str = ""

    @property
    def rolls(self) -> bool:
        """Whether it is a wheel."""
        return self.kind in WHEELS

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components of its force."""
        return CONTACTS[self.kind]


Part = TypeVar("Part", Frame, Link, Joint, Base, Contact)


def expressions(part: Any) -> Iterator[tuple[str, Expr]]:
    """Iterate over the expressions of a frame, link, joint or base, with the names of their fields."""
    for entry in fields(part):
        value = getattr(part, entry.name)
        if isinstance(value, Expr):
            yield entry.name, value
        elif isinstance(value, tuple):
            for number, item in enumerate(value, 1):
                yield f"{entry.name}[{number}]", item
        elif isinstance(value, Link):
            yield from expressions(value)
        elif isinstance(value, JointFriction):
            yield from value.values


def converted(part: Part, image: Mapping[Expr, Expr]) -> Part:
    """Return the same part with its expressions replaced by their images."""

    def one(value: Any) -> Any:
        if isinstance(value, Expr):
            return image[value]
        if isinstance(value, tuple):
            return tuple(image[item] for item in value)
        if isinstance(value, JointFriction):
            return replace(value, values=tuple((name, image[item]) for name, item in value.values))
        if isinstance(value, Central):
            return value.through(image.__getitem__)
        return converted(value, image) if isinstance(value, Link) else value

    return type(part)(**{entry.name: one(getattr(part, entry.name)) for entry in fields(part)})


def marking_frame(zero: Expr) -> tuple[Frame, Link, Joint]:
    """Return a fixed frame that coincides with frame 0, with a massless link and a joint at rest."""
    return Frame(0, 2, 0, *(zero for _ in GEOMETRY)), Link.blank(zero), Joint(zero, zero, zero, 0, zero)


def length_entries(frames: Iterable[Frame]) -> list[Expr]:
    """Return b, d and r of frames, one frame after the other."""
    return [getattr(frame, name) for frame in frames for name in LENGTHS]
