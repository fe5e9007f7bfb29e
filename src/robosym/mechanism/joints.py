"""Joint types as data: to add one, add an entry to `JOINT_TYPES`.

A joint acts along and about the axis z of its frame. Its type gives the rotation about z and the translation along z
per unit of the joint variable q, and the parameter of the frame that contains q. With S the unit motion (linear
S_v = `linear` z, angular S_w = `angular` z),

velocity        the joint adds S_v qd to the velocity of the frame's origin and S_w qd to its angular velocity;
acceleration    it adds S_v qdd and S_w qdd, besides the terms of equations 4.3 and 4.4 of the guide;
effort          a wrench (f, n) in the frame has the effort S_v . f + S_w . n on the joint;
screw           the frame is at (theta, r) about and along z, see `placed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Protocol, TypeVar

from robosym.algebra import Number
from robosym.spatial import Vec3

__all__ = [
    "COMPOUNDS", "FIXED", "HELICAL", "JOINT_TYPES", "PRISMATIC", "REVOLUTE", "Compound", "CompoundPart", "JointType",
    "helical",
]  # fmt: skip

#: values of sigma, which gives the joint type in descriptions; helical joints extend the book's notation
REVOLUTE, PRISMATIC, FIXED, HELICAL = 0, 1, 2, 3


class _Linear(Protocol):
    """Scalar or vector: an object with addition and multiplication by scalars."""

    def __add__(self: Part, other: Part, /) -> Part: ...

    def __mul__(self: Part, factor: Number, /) -> Part: ...


Part = TypeVar("Part", bound=_Linear)


@dataclass(frozen=True, slots=True)
class JointType:
    """Motion that the joint between a frame and its antecedent permits."""

    sigma: int
    name: str
    variable: str  #: parameter of the frame that contains the joint variable: "theta", "r", or "" if fixed
    angular: Number  #: rotation about z per unit of the variable
    linear: Number  #: translation along z per unit of the variable

    @property
    def moves(self) -> bool:
        """Whether the joint is not fixed."""
        return bool(self.turns or self.slides)

    @property
    def turns(self) -> bool:
        """Whether the joint changes the orientation of the frame."""
        return self.angular != 0

    @property
    def slides(self) -> bool:
        """Whether the joint moves the origin of the frame."""
        return self.linear != 0

    @property
    def only_turns(self) -> bool:
        """Whether the joint leaves the points on its axis in place."""
        return self.turns and not self.slides

    @property
    def only_slides(self) -> bool:
        """Whether the joint is a pure translation."""
        return self.slides and not self.turns

    @property
    def component(self) -> int | None:
        """Index of the component of a wrench (linear, then angular) that is the effort; None for a helical joint."""
        return {(True, False): 5, (False, True): 2}.get((self.turns, self.slides))

    def along(self, linear: Part, angular: Part) -> Part:
        """Return S^T (linear, angular) of two parts along z: S_v `linear` + S_w `angular`.

        For the z components of a wrench, this is the effort; for two columns of an inertia, the column of the joint.
        """
        return self.combined(lambda: linear, lambda: angular)

    def combined(self, linear: Callable[[], Part], angular: Callable[[], Part]) -> Part:
        """Return the same as `along`, evaluating only the parts with a nonzero factor."""
        if not self.slides:
            return _times(angular(), self.angular)
        if not self.turns:
            return _times(linear(), self.linear)
        return _times(linear(), self.linear) + _times(angular(), self.angular)

    def twist(self, z: Vec3, arm: Vec3) -> tuple[Vec3, Vec3]:
        """Return velocity of a point at `arm` from the axis z, and angular velocity, per unit rate of the joint."""
        return self.combined(lambda: z, lambda: z.cross(arm)), z * self.angular

    def placed(self, theta: Part, r: Part) -> tuple[Part, Part]:
        """Return rotation about z and translation along z of the frame, from its parameters theta and r."""
        if self.variable == "theta" and self.slides:
            return theta, r + theta * self.linear
        if self.variable == "r" and self.turns:
            return theta + r * self.angular, r
        return theta, r


def _times(part: Part, factor: Number) -> Part:
    return part if factor == 1 else part * factor


def helical(pitch: float) -> JointType:
    """Return the type of a helical joint that advances by `pitch` along z per turn."""
    return JointType(HELICAL, "helical", "theta", angular=1, linear=pitch / (2 * pi))


JOINT_TYPES = {
    kind.sigma: kind
    for kind in (
        JointType(REVOLUTE, "revolute", "theta", angular=1, linear=0),
        JointType(PRISMATIC, "prismatic", "r", angular=0, linear=1),
        JointType(FIXED, "fixed", "", angular=0, linear=0),
        helical(1.0),  # each frame has its own pitch
    )
}


@dataclass(frozen=True, slots=True)
class CompoundPart:
    """One axis of a compound joint: its type, and its orientation relative to the previous part."""

    sigma: int
    gamma: str = "0"
    alpha: str = "0"
    offset: str = "0"

    @property
    def letter(self) -> str:
        """First letter of the variable."""
        return "r" if self.sigma == PRISMATIC else "t"


@dataclass(frozen=True, slots=True)
class Compound:
    """Joint with several degrees of freedom, as a series of joints with one axis each.

    The link after the last part is that of the user; the links between are virtual, without inertia (guide 2.6,
    remarks 1 and 2). Each part has the origin of the previous one; gamma and alpha orient its axis, and `offset` is
    added to its angle. The first part also has the frame's own gamma, b, alpha and d, and the translation r along its
    axis.
    """

    name: str
    parts: tuple[CompoundPart, ...]


#: compound joints by name; to add one, add an entry
COMPOUNDS = {
    kind.name: kind
    for kind in (
        # about z, then about a perpendicular axis, which is the z axis of the link
        Compound("universal", (CompoundPart(REVOLUTE), CompoundPart(REVOLUTE, alpha="Pi/2"))),
        # about three axes that are perpendicular at zero, where the joint is farthest from a singularity
        Compound(
            "spherical",
            (
                CompoundPart(REVOLUTE),
                CompoundPart(REVOLUTE, alpha="Pi/2", offset="Pi/2"),
                CompoundPart(REVOLUTE, alpha="Pi/2"),
            ),
        ),
        # about z and along z
        Compound("cylindrical", (CompoundPart(REVOLUTE), CompoundPart(PRISMATIC))),
        # along y and x of the frame, then about its z; at zero, the link has the orientation of the frame
        Compound(
            "planar",
            (
                CompoundPart(PRISMATIC, alpha="-Pi/2"),
                CompoundPart(PRISMATIC, gamma="Pi/2", alpha="Pi/2"),
                CompoundPart(REVOLUTE, gamma="-Pi/2", alpha="Pi/2", offset="Pi/2"),
            ),
        ),
    )
}
