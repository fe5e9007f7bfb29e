"""A neutral tree of links and joints, as URDF, MJCF and SDF describe robots, and the way from it to a robot.

Links that are fixed to each other become one; the frames of all of them stay, as fixed frames with their names. The
positions of the joints are those of the file.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from robosym.algebra import Expr, Graph
from robosym.description import (
    BASE_MOTION,
    DRIVE,
    FIXED,
    INERTIA,
    PRISMATIC,
    REVOLUTE,
    WRENCH,
    Base,
    Follow,
    Frame,
    Joint,
    Limits,
    Link,
    Robot,
)  # fmt: skip
from robosym.errors import FormatError, RobotError, RobotWarning
from robosym.formats.khalil_frames import ROUNDING, Axis, Six, exact_angle, place_frames, screws_to, tidy_length
from robosym.formats.source import check_name
from robosym.formats.xml_source import Element
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Closure", "KinematicTree", "TreeJoint", "TreeLink", "remark"]

_MOVING = {"revolute": REVOLUTE, "prismatic": PRISMATIC}


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
    """Two frames, each on its link, that coincide where all joints are at their references."""

    name: str
    kind: str  #: "weld": they stay one; "connect": their origins do
    first: str
    second: str
    on_first: Transform
    at: Element


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

    def add_planar(self, joint: TreeJoint) -> None:
        """Two shifts at right angles to the axis and a turn about it, as Pinocchio takes x, y and the angle."""
        z = joint.axis
        x = Vec3(1.0, 0.0, 0.0) if abs(z.x) < 0.9 else Vec3(0.0, 1.0, 0.0)
        x = x - z * z.dot(x)
        x = x * (1 / math.sqrt(x.dot(x)))
        slide = "prismatic"
        self.add_series(joint, (("_x", slide, x), ("_y", slide, z.cross(x)), ("_angle", "revolute", z)))

    def robot(self) -> Robot:
        """The robot in frames of Khalil and Kleinfinger."""
        return _Builder(self).robot()


def remark(message: str) -> None:
    """Tell a user what of a file is left out."""
    warnings.warn(message, RobotWarning, stacklevel=2)


class _Builder:
    """The frames of a robot as they are made."""

    def __init__(self, tree: KinematicTree) -> None:
        self.tree = tree
        self.graph = Graph()
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.joints: list[Joint] = []
        self.names: dict[str, int] = {}
        self.position: dict[str, float] = {}

    def robot(self) -> Robot:
        root, ordered = self.ordered()
        tree = self.tree
        floating = bool(ordered) and ordered[0].kind == "floating"
        if floating:
            root = ordered.pop(0).child
            if any(joint.parent not in {root, *(other.child for other in ordered)} for joint in ordered):
                tree.at.fail("a floating robot and others beside it: expected one robot")
        for joint in ordered:
            if joint.kind == "floating":
                joint.at.fail("a floating joint is read where the robot hangs on nothing else, found one elsewhere")
        # bodies: links that are fixed to each other; poses of links and axes in the zero position. Axes are placed by
        # what the file means, 1.5707963 being Pi/2; a link that is fixed to another stands on it as it is written
        body, pose = {root: 0}, {root: Transform.identity()}
        seen = dict(pose)
        moving: list[TreeJoint] = []
        axes: list[Axis] = []
        for joint in ordered:
            T = pose[joint.child] = pose[joint.parent] @ (joint.meant or joint.origin)
            seen[joint.child] = T
            if joint.kind == "fixed":
                body[joint.child], seen[joint.child] = body[joint.parent], seen[joint.parent] @ joint.origin
                continue
            moving.append(joint)
            body[joint.child] = len(moving)
            axes.append(Axis(body[joint.parent], joint.kind == "prismatic", T.A @ joint.point + T.P, T.A @ joint.axis))
        if not moving:
            tree.at.fail("no joint of the robot moves")
        placed = place_frames(axes)
        inertia = [RigidInertia(*(0.0,) * 10) for _ in range(len(moving) + 1)]
        stand = [Transform.identity(), *(one.pose for one in placed)]
        for name, number in body.items():
            own = tree.links[name].inertia
            if any(own):
                inertia[number] += own.moved(stand[number].inverse() @ seen[name])
        number_of = [0]
        for joint, axis, one, mass in zip(moving, axes, placed, inertia[1:], strict=True):
            number_of.append(self.add(number_of[axis.ant], one.steps, joint, mass))
        for name, number in body.items():
            if tree.links[name].named:
                self.name(name, number_of[number], stand[number].inverse() @ seen[name])
        return self.finished(inertia[0] if floating else None)

    # -------------------------------------------------------------------- tree

    def ordered(self) -> tuple[str, list[TreeJoint]]:
        """The root and the joints from it outwards, each branch in one piece, in the order of the file."""
        tree = self.tree
        holder: dict[str, TreeJoint] = {}
        names: set[str] = set()
        outward: dict[str, list[TreeJoint]] = {name: [] for name in tree.links}
        for joint in tree.joints:
            if joint.name in names:
                joint.at.fail("a joint of this name is there already")
            names.add(joint.name)
            for what, link in (("parent", joint.parent), ("child", joint.child)):
                if link not in tree.links:
                    joint.at.fail(f"{what}: there is no link {link!r}")
            if joint.child in holder:
                joint.at.fail(f"the link {joint.child!r} is already held by the joint {holder[joint.child].name!r}")
            holder[joint.child] = joint
            outward[joint.parent].append(joint)
        roots = [name for name in tree.links if name not in holder]
        if not roots:
            tree.at.fail("the joints go round: expected a link that no joint holds")
        if len(roots) > 1:
            found = ", ".join(roots[:5])
            tree.links[roots[1]].at.fail(f"expected one link that no joint holds, found {len(roots)}: {found}")
        for joint in tree.joints:
            if joint.follows is not None and (joint.follows.joint not in names or joint.follows.joint == joint.name):
                joint.at.fail(f"it follows {joint.follows.joint!r}: expected another joint of the robot")
        ordered: list[TreeJoint] = []
        waiting = [roots[0]]
        seen = {roots[0]}
        while waiting:
            link = waiting.pop()
            if link in holder:
                ordered.append(holder[link])
            for joint in reversed(outward[link]):
                waiting.append(joint.child)
                seen.add(joint.child)
        for name, link_of in tree.links.items():
            if name not in seen:
                link_of.at.fail(f"no way leads from {roots[0]!r} to this link: its joints go round")
        return roots[0], ordered

    # ------------------------------------------------------------------ frames

    def add(self, ant: int, steps: Sequence[Six], joint: TreeJoint | None, mass: RigidInertia) -> int:
        """A frame, with fixed ones before it where it takes several steps; its number."""
        graph = self.graph
        for n, (gamma, b, alpha, d, theta, r) in enumerate(steps, 1):
            last = joint is not None and n == len(steps)
            j = len(self.frames) + 1
            angle, shift = exact_angle(graph, theta), graph.number(tidy_length(r))
            if joint is not None and last:
                variable = graph.symbol(f"{'t' if joint.kind == 'revolute' else 'r'}{j}")
                if joint.kind == "revolute":
                    angle = variable + exact_angle(graph, theta - joint.reference)
                else:
                    shift = variable + tidy_length(r - joint.reference)
            sigma = _MOVING[joint.kind] if joint is not None and last else FIXED
            active = int(joint is not None and last and joint.active)
            start = exact_angle(graph, gamma), graph.number(tidy_length(b))
            across = exact_angle(graph, alpha), graph.number(tidy_length(d))
            self.frames.append(Frame(ant, sigma, active, *start, *across, angle, shift))
            self.links.append(self.link(mass if last else None, joint if last else None))
            self.joints.append(self.joint(j, joint if last else None))
            ant = j
        return ant

    def name(self, name: str, number: int, T: Transform) -> None:
        """A frame of the file on a link, with its name: the link's own where the two coincide."""
        steps = screws_to(T)
        if any(abs(entry) > ROUNDING for step in steps for entry in step):
            number = self.add(number, steps, None, RigidInertia())
        self.names[name] = number

    def link(self, mass: RigidInertia | None, joint: TreeJoint | None) -> Link:
        graph = self.graph
        values = dict.fromkeys((*INERTIA, *DRIVE, *WRENCH), graph.zero)
        if mass is not None:
            values |= {name: graph.number(value) for name, value in zip(INERTIA, _without_noise(mass), strict=True)}
        if joint is not None:
            drive = joint.armature, joint.damping, joint.friction
            values |= {name: graph.number(value) for name, value in zip(DRIVE, drive, strict=True)}
        return Link(**values)

    def joint(self, j: int, joint: TreeJoint | None) -> Joint:
        graph = self.graph
        torque, zero = graph.symbol(f"GAM{j}"), graph.zero
        if joint is None:
            return Joint(zero, zero, torque, 0, zero)
        rates = graph.symbol(f"QP{j}"), graph.symbol(f"QDP{j}")
        return Joint(*rates, torque, 0, zero, name=joint.name, limits=joint.limits, follows=joint.follows)

    def finished(self, mass: RigidInertia | None) -> Robot:
        graph, tree = self.graph, self.tree
        name = tree.name.strip()
        if check_name(name):
            tree.at.fail(f"name: {check_name(name)}")
        still = 3 * (graph.zero,)
        rest: dict[str, tuple[Expr, ...]] = dict.fromkeys(BASE_MOTION, still)
        if mass is not None:
            rest = {key: tuple(graph.symbol(f"{key[:-1]}{axis}0") for axis in (1, 2, 3)) for key in BASE_MOTION}
        base = Base(
            kind="fixed" if mass is None else "floating",
            Z=tuple(graph.number(int(row == column)) for row in range(4) for column in range(4)),
            link=None if mass is None else self.link(mass, None),
            **rest,
        )
        try:
            return Robot(
                name=name,
                frames=tuple(self.frames),
                links=tuple(self.links),
                joints=tuple(self.joints),
                base=base,
                gravity=tuple(graph.number(g) for g in tree.gravity),  # type: ignore[arg-type]
                graph=graph,
                source=tree.source,
                frame_names=self.names,
                position=self.position,
            )
        except RobotError as error:
            raise FormatError(str(error), tree.at.file) from None


def _without_noise(mass: RigidInertia) -> list[float]:
    """The ten numbers, with 0 for what is left of rounding."""
    entries: list[Any] = list(mass)
    ten = [float(value) for value in entries]
    second, lever = max(map(abs, ten[:6])), max(map(abs, ten[6:]))
    return [0.0 if abs(value) < 1e-15 * (second if n < 6 else lever) else value for n, value in enumerate(ten)]
