"""A format-independent tree of links and joints, as read from URDF, MJCF and SDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.mechanism.screws import beside
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

AXES = {"x": Vec3(1.0, 0.0, 0.0), "y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0)}
_SIX_JOINTS = "it is read as three prismatic joints, then three revolute joints about x, y and z"

__all__ = ["AXES", "Closure", "KinematicTree", "TreeJoint", "TreeLink"]


@dataclass
class TreeLink:
    """A link of the file; its inertia is given at the origin and in the axes of its own frame."""

    name: str
    at: Element
    inertia: RigidInertia = field(default_factory=RigidInertia)
    named: bool = True  #: whether its frame keeps its name


@dataclass
class TreeJoint:
    """A joint of the file: "revolute", "prismatic", "fixed", or "floating" (only at a root)."""

    name: str
    kind: str
    parent: str
    child: str
    at: Element
    origin: Transform  #: frame of the child in that of the parent at position `reference`, as written
    exact: Transform | None = None  #: the same with angles such as 1.5707963 made exact, if different
    axis: Vec3 = field(default_factory=lambda: Vec3(0.0, 0.0, 1.0))  #: in the frame of the child
    point: Vec3 = field(default_factory=lambda: Vec3(0.0, 0.0, 0.0))  #: point on the axis, in the frame of the child
    reference: float = 0.0  #: joint position at which `origin` holds
    limits: Limits = field(default_factory=Limits)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    active: bool = True
    follows: Follow | None = None


@dataclass
class Closure:
    """Two coincident frames on two links; `on_second` is None if they coincide with all joints at their references."""

    name: str
    kind: str  #: "weld": the frames coincide; "connect": their origins coincide
    first: str
    second: str
    on_first: Transform
    at: Element
    on_second: Transform | None = None
    on_second_link: bool = False  #: whether `on_first` is relative to the second link; `on_second` is then None


@dataclass
class KinematicTree:
    """A robot as described by its file."""

    name: str
    at: Element
    links: dict[str, TreeLink] = field(default_factory=dict)
    joints: list[TreeJoint] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    source: str = ""

    def add_link(self, link: TreeLink) -> TreeLink:
        if link.name in self.links:
            link.at.fail("duplicate link name")
        self.links[link.name] = link
        return link

    def add_series(self, joint: TreeJoint, parts: Sequence[tuple[str, str, Vec3]]) -> None:
        """Add a joint with several DoF as joints in series: (name suffix, kind, axis in the frame of the child)."""
        parent, origin, exact = joint.parent, joint.origin, joint.exact
        for n, (end, kind, axis) in enumerate(parts, 1):
            child = joint.child if n == len(parts) else f"{joint.child}{end}"
            if child != joint.child:
                self.add_link(TreeLink(child, joint.at, named=False))
            name = f"{joint.name}{end}"
            one = replace(
                joint, name=name, kind=kind, parent=parent, child=child, origin=origin, exact=exact, axis=axis
            )
            self.joints.append(one)
            parent, origin, exact = child, Transform.identity(), None

    def close(
        self, at: Element, name: str, kind: str, links: Sequence[str], ends: Sequence[Transform],
        along: Vec3 | None = None,
    ) -> None:  # fmt: skip
        """Add a loop by frames on two links; with `along`, their origins and a line in this direction coincide."""
        (first, second), (one, other) = links, ends
        self.closures.append(Closure(name, kind, first, second, one, at, other))
        if along is not None:  # a second point on the axis
            self.close(at, f"{name}_axis", kind, links, [end @ Transform.shift(along) for end in ends])

    def expand_floating(self) -> None:
        """Replace floating joints by three prismatic and three revolute joints, since a robot has only one base."""
        joints, self.joints = self.joints, []
        for joint in joints:
            if joint.kind != "floating":
                self.joints.append(joint)
                continue
            joint.at.remark(f"{joint.name} is a floating joint next to others: {_SIX_JOINTS}")
            slides = [(f"_t{letter}", "prismatic", axis) for letter, axis in AXES.items()]
            turns = [(f"_r{letter}", "revolute", axis) for letter, axis in AXES.items()]
            self.add_series(joint, [*slides, *turns])

    def add_planar(self, joint: TreeJoint) -> None:
        """Add a planar joint as two translations normal to the axis and a rotation about it, as in Pinocchio."""
        z, x, slide = joint.axis, beside(joint.axis), "prismatic"
        self.add_series(joint, (("_x", slide, x), ("_y", slide, z.cross(x)), ("_angle", "revolute", z)))
