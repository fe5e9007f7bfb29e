"""A neutral tree of links and joints, as URDF, MJCF and SDF describe robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.mechanism.screws import beside
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

AXES = {"x": Vec3(1.0, 0.0, 0.0), "y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}
_SIX_JOINTS = "it is read as three slides, then three hinges about x, y and z"

__all__ = ["AXES", "Closure", "KinematicTree", "TreeJoint", "TreeLink"]


@dataclass
class TreeLink:
    """A body of the file; its inertia is told at the origin and in the axes of its own frame."""

    name: str
    at: Element
    inertia: RigidInertia = field(default_factory=RigidInertia)
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
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
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

    def close(
        self, at: Element, name: str, kind: str, links: Sequence[str], ends: Sequence[Transform],
        along: Vec3 | None = None,
    ) -> None:  # fmt: skip
        """A loop by frames on two links; with `along` their origins and a line in this direction of both coincide."""
        (first, second), (one, other) = links, ends
        self.closures.append(Closure(name, kind, first, second, one, at, other))
        if along is not None:  # a second point on the axis
            self.close(at, f"{name}_axis", kind, links, [end @ Transform.shift(along) for end in ends])

    def hold_what_floats(self) -> None:
        """Floating joints as three slides and three turns: a robot has one base, and it is not one of these."""
        joints, self.joints = self.joints, []
        for joint in joints:
            if joint.kind != "floating":
                self.joints.append(joint)
                continue
            joint.at.remark(f"{joint.name} floats beside other joints: {_SIX_JOINTS}")
            slides = [(f"_t{letter}", "prismatic", axis) for letter, axis in AXES.items()]
            turns = [(f"_r{letter}", "revolute", axis) for letter, axis in AXES.items()]
            self.add_series(joint, [*slides, *turns])

    def add_planar(self, joint: TreeJoint) -> None:
        """Two shifts at right angles to the axis and a turn about it, as Pinocchio takes x, y and the angle."""
        z, x, slide = joint.axis, beside(joint.axis), "prismatic"
        self.add_series(joint, (("_x", slide, x), ("_y", slide, z.cross(x)), ("_angle", "revolute", z)))
