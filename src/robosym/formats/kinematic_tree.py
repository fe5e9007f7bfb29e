"""A neutral tree of links and joints, as URDF, MJCF and SDF describe robots."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from robosym.errors import RobotWarning
from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

_SIX_JOINTS = "it is read as three slides, then three hinges about x, y and z"

__all__ = ["Closure", "KinematicTree", "TreeJoint", "TreeLink", "remark"]


@dataclass
class TreeLink:
    """A body of the file; its inertia is told at the origin and in the axes of its own frame."""

    name: str
    at: Element
    inertia: RigidInertia = field(default_factory=lambda: RigidInertia(*(0.0,) * 10))
    named: bool = True  #: whether its frame is one that a user asks for


@dataclass
class TreeJoint:
    """What holds a link to its parent: "revolute", "prismatic", "fixed" or, at a root alone, "floating"."""

    name: str
    kind: str
    parent: str
    child: str
    at: Element
    origin: Transform  #: frame of the child in that of the parent, the joint at its `reference`, as it is written
    meant: Transform | None = None  #: the same with angles such as 1.5707963 recognised, where they differ
    axis: Vec3 = field(default_factory=lambda: Vec3(0.0, 0.0, 1.0))  #: in the frame of the child
    point: Vec3 = field(default_factory=lambda: Vec3(0.0, 0.0, 0.0))  #: of the axis, in the frame of the child
    reference: float = 0.0  #: the position in which `origin` holds
    limits: Limits = field(default_factory=Limits)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    active: bool = True
    follows: Follow | None = None


@dataclass
class Closure:
    """Two frames, each on its link, that coincide; `on_second` is None where they do with all joints at references."""

    name: str
    kind: str  #: "weld": they stay one; "connect": their origins do
    first: str
    second: str
    on_first: Transform
    at: Element
    on_second: Transform | None = None
    told_by_second: bool = False  #: whether `on_first` stands on the second link: `on_second` is None then


@dataclass
class KinematicTree:
    """A robot as its file tells it."""

    name: str
    at: Element
    links: dict[str, TreeLink] = field(default_factory=dict)
    joints: list[TreeJoint] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    source: str = ""

    def add_link(self, link: TreeLink) -> TreeLink:
        if link.name in self.links:
            link.at.fail("a link of this name is there already")
        self.links[link.name] = link
        return link

    def add_series(self, joint: TreeJoint, parts: Sequence[tuple[str, str, Vec3]]) -> None:
        """A joint of several freedoms as joints in series: (end of the name, kind, axis in the frame of the child)."""
        parent, origin, meant = joint.parent, joint.origin, joint.meant
        for n, (end, kind, axis) in enumerate(parts, 1):
            child = joint.child if n == len(parts) else f"{joint.child}{end}"
            if child != joint.child:
                self.add_link(TreeLink(child, joint.at, named=False))
            name = f"{joint.name}{end}"
            one = replace(
                joint, name=name, kind=kind, parent=parent, child=child, origin=origin, meant=meant, axis=axis
            )
            self.joints.append(one)
            parent, origin, meant = child, Transform.identity(), None

    def hold_what_floats(self) -> None:
        """Floating joints as three slides and three turns: a robot has one base, and it is not one of these."""
        joints, self.joints = self.joints, []
        for joint in joints:
            if joint.kind != "floating":
                self.joints.append(joint)
                continue
            remark(
                f"{joint.at.file or self.name}:{joint.at.line}: {joint.name} floats beside other joints: {_SIX_JOINTS}"
            )
            axes = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
            slides = [(f"_t{letter}", "prismatic", axis) for letter, axis in zip("xyz", axes, strict=True)]
            turns = [(f"_r{letter}", "revolute", axis) for letter, axis in zip("xyz", axes, strict=True)]
            self.add_series(joint, [*slides, *turns])

    def add_planar(self, joint: TreeJoint) -> None:
        """Two shifts at right angles to the axis and a turn about it, as Pinocchio takes x, y and the angle."""
        z = joint.axis
        x = Vec3(1.0, 0.0, 0.0) if abs(z.x) < 0.9 else Vec3(0.0, 1.0, 0.0)
        x = x - z * z.dot(x)
        x = x * (1 / math.sqrt(x.dot(x)))
        slide = "prismatic"
        self.add_series(joint, (("_x", slide, x), ("_y", slide, z.cross(x)), ("_angle", "revolute", z)))


def remark(message: str) -> None:
    """Tell a user what of a file is left out."""
    warnings.warn(message, RobotWarning, stacklevel=2)
