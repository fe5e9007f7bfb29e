"""Joints of several freedoms as data: the joints with one axis, in series, that they are made of.

The link behind the last one is the user's; those between are virtual, without inertia (guide 2.6, remarks 1 and 2).
Each part stands where the one before it does but for gamma and alpha, which turn its axis into place; `offset` is added
to its angle. The first part also has the frame's own gamma, b, alpha and d, and the shift r along its axis.
"""

from __future__ import annotations

from dataclasses import dataclass

from robosym.mechanism.joints import PRISMATIC, REVOLUTE

__all__ = ["COMPOUNDS", "Compound", "CompoundPart"]


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
    """A joint type with more than one freedom."""

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
