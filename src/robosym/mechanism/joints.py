"""Joint types as data: to add one, add an entry to `JOINT_TYPES`.

A joint acts along and about the axis z of its frame. Its type says how far the frame turns about z and how far it
shifts along z for a unit of the joint variable q, and which parameter of the frame holds q. Everything else follows:
with S the unit motion (linear S_v = `linear` z, angular S_w = `angular` z),

velocity        the joint adds S_v qd to the velocity of the frame's origin and S_w qd to its angular velocity;
acceleration    it adds S_v qdd and S_w qdd, besides the terms of equations 4.3 and 4.4 of the guide;
effort          of a wrench (f, n) in the frame the joint feels S_v . f + S_w . n;
screw           the frame stands at (theta, r) about and along z, see `placed`.
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

#: sigma of the book, the number by which descriptions tell joint types; the book has no screws
REVOLUTE, PRISMATIC, FIXED, HELICAL = 0, 1, 2, 3


class _Linear(Protocol):
    """A scalar or a vector: what has sums and multiples."""

    def __add__(self: Part, other: Part, /) -> Part: ...

    def __mul__(self: Part, factor: Number, /) -> Part: ...


Part = TypeVar("Part", bound=_Linear)


@dataclass(frozen=True, slots=True)
class JointType:
    """What the joint between a frame and its antecedent lets the frame do."""

    sigma: int
    name: str
    variable: str  #: the parameter of the frame that holds the joint variable: "theta", "r", or "" where nothing moves
    angular: Number  #: turn about z for a unit of that variable
    linear: Number  #: shift along z for a unit of that variable

    @property
    def moves(self) -> bool:
        return bool(self.turns or self.slides)

    @property
    def turns(self) -> bool:
        """Whether it changes the orientation of the frame."""
        return self.angular != 0

    @property
    def slides(self) -> bool:
        """Whether it moves the origin of the frame."""
        return self.linear != 0

    @property
    def only_turns(self) -> bool:
        """Whether points on its axis stay where they are on the antecedent."""
        return self.turns and not self.slides

    @property
    def only_slides(self) -> bool:
        """Whether it moves all points of the link alike."""
        return self.slides and not self.turns

    @property
    def component(self) -> int | None:
        """Which of the six components of a wrench, three linear before three angular, the joint feels, if it is one."""
        return {(True, False): 5, (False, True): 2}.get((self.turns, self.slides))

    def along(self, linear: Part, angular: Part) -> Part:
        """S^T (linear, angular) of what is given by its two parts along z: S_v `linear` + S_w `angular`.

        Of the z components of a wrench it is the effort; of two columns of an inertia it is the column of the joint.
        """
        return self.combined(lambda: linear, lambda: angular)

    def combined(self, linear: Callable[[], Part], angular: Callable[[], Part]) -> Part:
        """The same of parts that are worked out only where the joint has a share of them."""
        if not self.slides:
            return _times(angular(), self.angular)
        if not self.turns:
            return _times(linear(), self.linear)
        return _times(linear(), self.linear) + _times(angular(), self.angular)

    def twist(self, z: Vec3, arm: Vec3) -> tuple[Vec3, Vec3]:
        """Velocity of a point, an `arm` away from the axis z, and angular velocity, for a unit rate of the joint."""
        return self.combined(lambda: z, lambda: z.cross(arm)), z * self.angular

    def placed(self, theta: Part, r: Part) -> tuple[Part, Part]:
        """Turn about z and shift along z of the frame, from its parameters theta and r."""
        if self.variable == "theta" and self.slides:
            return theta, r + theta * self.linear
        if self.variable == "r" and self.turns:
            return theta + r * self.angular, r
        return theta, r


def _times(part: Part, factor: Number) -> Part:
    return part if factor == 1 else part * factor


def helical(pitch: float) -> JointType:
    """A screw that advances by `pitch` along z in a turn about z."""
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
    """One axis: its type, and how it is turned with respect to the part before it (text of angles)."""

    sigma: int
    gamma: str = "0"
    alpha: str = "0"
    offset: str = "0"

    @property
    def letter(self) -> str:
        """The first letter of its variable."""
        return "r" if self.sigma == PRISMATIC else "t"


@dataclass(frozen=True, slots=True)
class Compound:
    """A joint of several freedoms: the joints with one axis, in series, that it is made of.

    The link behind the last one is the user's; those between are virtual, without inertia (guide 2.6, remarks 1 and 2).
    Each part stands where the one before it does but for gamma and alpha, which turn its axis into place; `offset` is
    added to its angle. The first part also has the frame's own gamma, b, alpha and d, and the shift r along its axis.
    """

    name: str
    parts: tuple[CompoundPart, ...]


#: To add a joint of several freedoms, add an entry.
COMPOUNDS = {
    kind.name: kind
    for kind in (
        # about z, then about an axis at right angles; the z of the link is the second axis
        Compound("universal", (CompoundPart(REVOLUTE), CompoundPart(REVOLUTE, alpha="Pi/2"))),
        # about three axes that are at right angles where the variables are 0: the position farthest from singular
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
        # along y and x of the frame, then about its z; the link stands as the frame where the variables are 0
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
