"""Conversion of a tree of links and joints to a robot with frames of Khalil and Kleinfinger.

Links that are fixed to each other are merged; the frames of all of them stay as named fixed frames. Joint positions are
those of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.linalg import LinAlgError

from robosym.algebra import Expr, Graph
from robosym.errors import FormatError, RobotError
from robosym.formats.khalil_frames import place_frames
from robosym.formats.kinematic_tree import KinematicTree, TreeJoint
from robosym.formats.loop_cuts import PlacedCut, cuts_of, passive_joints
from robosym.formats.mjcf_reader import mjcf_tree
from robosym.formats.sdf_reader import sdf_tree
from robosym.formats.source import check_name
from robosym.formats.urdf_reader import urdf_tree
from robosym.formats.xml_source import read_xml
from robosym.mechanism import (
    BASE_MOTION,
    FIXED,
    FLOATING,
    PRISMATIC,
    REVOLUTE,
    Base,
    Frame,
    Joint,
    Link,
    Robot,
)
from robosym.mechanism.central_inertia import Central, with_central
from robosym.mechanism.screws import ROUNDING, Axis, Six, angle_entry, screws_to, tidy, tidy_length
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["read_robot_xml", "robot_of"]

_ROUNDED = 2e-15  #: rounding error of an inertia, relative to the sum of the terms

_SIGMA = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "fixed": FIXED}


def robot_of(tree: KinematicTree, floating: bool = False) -> Robot:
    """Create the robot described by a tree; with `floating` its root is a floating base."""
    try:
        return _Builder(tree, floating).robot()
    except ArithmeticError:  # squares of unrealistic lengths
        tree.at.fail("lengths are too large or too small: expected m and rad")


class _Builder:
    """Builds the frames of a robot."""

    def __init__(self, tree: KinematicTree, floating: bool) -> None:
        self.tree = tree
        self.floating = floating
        self.graph = Graph()
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.joints: list[Joint] = []
        self.names: dict[str, int] = {}
        self.position: dict[str, float] = {}

    def robot(self) -> Robot:
        root, ordered = self.ordered()
        tree = self.tree
        floating = next((joint for joint in ordered if joint.kind == "floating"), None)
        base = Transform.identity()
        if floating is not None:
            inside = _beyond(floating, ordered, tree)
            if inside is None:  # other joints move, too: the floating joint becomes six joints
                tree.expand_floating()
                return self.robot()
            root, ordered, base = floating.child, inside, _pose_of(floating, ordered)
        # bodies: groups of links fixed to each other; poses of links and axes in the zero position. Axes use exact
        # angles (1.5707963 is Pi/2); a link fixed to another is placed as written
        body, pose = {root: 0}, {root: Transform.identity()}
        seen = dict(pose)
        moving: list[TreeJoint] = []
        axes: list[Axis] = []
        for joint in ordered:
            T = pose[joint.child] = pose[joint.parent] @ (joint.exact or joint.origin)
            seen[joint.child] = T
            if joint.kind == "fixed":
                body[joint.child], seen[joint.child] = body[joint.parent], seen[joint.parent] @ joint.origin
                continue
            moving.append(joint)
            body[joint.child] = len(moving)
            axes.append(Axis(body[joint.parent], joint.kind == "prismatic", T.A @ joint.point + T.P, T.A @ joint.axis))
        if not moving:
            tree.at.fail("expected at least one joint that moves, found none")
        cuts = cuts_of(tree.closures, axes, body, seen)
        if (
            not any(joint.active for joint in moving) or not cuts
        ):  # the file does not mark motors: choose an independent set of joints
            passive = passive_joints(cuts, axes)
            for number, joint in enumerate(moving, 1):
                joint.active = number not in passive
        placed = place_frames(axes)
        inertia = [RigidInertia() for _ in range(len(moving) + 1)]
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
        self.close(cuts, stand, number_of)
        return self.finished(inertia[0] if floating is not None or self.floating else None, base)

    # -------------------------------------------------------------------- tree

    def ordered(self) -> tuple[str, list[TreeJoint]]:
        """Return the root, and the joints in depth-first order as in the file."""
        tree = self.tree
        holder: dict[str, TreeJoint] = {}
        names: set[str] = set()
        outward: dict[str, list[TreeJoint]] = {name: [] for name in tree.links}
        for joint in tree.joints:
            if joint.name in names:
                joint.at.fail("duplicate joint name")
            names.add(joint.name)
            for what, link in (("parent", joint.parent), ("child", joint.child)):
                if link not in tree.links:
                    joint.at.fail(f"{what}: unknown link {link!r}")
            if joint.child in holder:
                joint.at.fail(
                    f"link {joint.child!r} is already the child of joint {holder[joint.child].name!r}: describe a loop "
                    "by <loop_joint> in URDF, by <equality> in MJCF"
                )
            holder[joint.child] = joint
            outward[joint.parent].append(joint)
        roots = [name for name in tree.links if name not in holder]
        if not roots:
            tree.at.fail("circular joints: expected a root link that is not the child of a joint, found none")
        if len(roots) > 1:
            found = ", ".join(roots[:5])
            tree.links[roots[1]].at.fail(f"expected one root link, found {len(roots)}: {found}")
        for joint in tree.joints:
            if joint.follows is not None and (joint.follows.joint not in names or joint.follows.joint == joint.name):
                joint.at.remark(f"{joint.name} follows {joint.follows.joint!r}, which is not another joint: ignored")
                joint.follows = None
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
                link_of.at.fail(f"not connected to the root link {roots[0]!r}: its joints are circular")
        return roots[0], ordered

    # ------------------------------------------------------------------ frames

    def add(self, ant: int, steps: Sequence[Six], joint: TreeJoint | None, mass: RigidInertia) -> int:
        """Add a frame to the tree, with fixed frames before it if it takes several steps; return its number."""
        for n, six in enumerate(steps, 1):
            own = joint if n == len(steps) else None
            self.place(ant, six, own)
            self.links.append(self.link(mass if own is not None else None, own))
            ant = len(self.frames)
        return ant

    def place(self, ant: int, six: Six, joint: TreeJoint | None) -> None:
        """Add a frame with its joint."""
        graph, j = self.graph, len(self.frames) + 1
        gamma, b, alpha, d, theta, r = six
        kind = "fixed" if joint is None else joint.kind
        reference = 0.0 if joint is None else joint.reference
        angle = angle_entry(graph, theta - (reference if kind == "revolute" else 0.0))
        shift = graph.number(tidy_length(r - (reference if kind == "prismatic" else 0.0)))
        if kind == "revolute":
            angle = graph.symbol(f"t{j}") + angle
        elif kind == "prismatic":
            shift = graph.symbol(f"r{j}") + shift
        if kind != "fixed" and self.tree.closures:
            self.position[f"{'t' if kind == 'revolute' else 'r'}{j}"] = reference
        start = angle_entry(graph, gamma), graph.number(tidy_length(b))
        across = angle_entry(graph, alpha), graph.number(tidy_length(d))
        active = int(joint is not None and kind != "fixed" and joint.active)
        self.frames.append(Frame(ant, _SIGMA[kind], active, *start, *across, angle, shift))
        self.joints.append(self.joint(j, joint if kind != "fixed" else None))

    def close(self, cuts: Sequence[PlacedCut], stand: Sequence[Transform], number_of: Sequence[int]) -> None:
        """Add the cut joints of loops, then the fixed frames that coincide with them (guide 2.6)."""
        ends: list[tuple[int, Six]] = []
        for cut in cuts:
            near, before = number_of[cut.near], stand[cut.near]
            for joint, pose in cut.virtual:  # a spherical joint: two of its axes are joints of the tree
                near, before = self.add(near, screws_to(before.inverse() @ pose), joint, RigidInertia()), pose
            far = number_of[cut.far], stand[cut.far].inverse() @ cut.other
            for number, T in ((near, before.inverse() @ cut.pose), far):
                *first, last = screws_to(T)
                ends.append((self.add(number, first, None, RigidInertia()), last))
        for cut, (ant, six) in zip(cuts, ends[::2], strict=True):
            self.place(ant, six, cut.joint)
        for ant, six in ends[1::2]:
            self.place(ant, six, None)
            self.joints.pop()  # a fixed frame has no joint

    def name(self, name: str, number: int, T: Transform) -> None:
        """Name a frame of the file on a link: the link's own frame if they coincide, else a new fixed frame."""
        steps = screws_to(T)
        if any(abs(entry) > ROUNDING for step in steps for entry in step):
            number = self.add(number, steps, None, RigidInertia())
        self.names[name] = number

    def link(self, mass: RigidInertia | None, joint: TreeJoint | None) -> Link:
        graph = self.graph
        link = Link.blank(graph.zero)
        if joint is not None:
            IA, FV, FS = map(graph.number, (joint.armature, joint.damping, joint.friction))
            link = replace(link, IA=IA, FV=FV, FS=FS)
        if mass is None or not any(mass):
            return link
        nine = [graph.number(value) for value in _central(mass)]
        link = replace(link, M=graph.number(mass.numbers()[-1]))
        return with_central(link, Central(tuple(nine[:3]), tuple(nine[3:])))

    def joint(self, j: int, joint: TreeJoint | None) -> Joint:
        graph = self.graph
        torque, zero = graph.symbol(f"GAM{j}"), graph.zero
        if joint is None:
            return Joint(zero, zero, torque, 0, zero)
        rates = graph.symbol(f"QP{j}"), graph.symbol(f"QDP{j}")
        return Joint(*rates, torque, 0, zero, name=joint.name, limits=joint.limits, follows=joint.follows)

    def finished(self, mass: RigidInertia | None, place: Transform) -> Robot:
        """Return the robot; `mass` is that of a floating base at `place` in the world."""
        graph, tree = self.graph, self.tree
        name = tree.name.strip()
        if check_name(name):
            tree.at.fail(f"name: {check_name(name)}")
        still = 3 * (graph.zero,)
        rows = [float(entry) for row, shift in zip(place.A.rows, place.P, strict=True) for entry in (*row, shift)]
        gravity: Vec3 = place.A.T @ Vec3(*tree.gravity)  # in frame 0
        rest: dict[str, tuple[Expr, ...]] = dict.fromkeys(BASE_MOTION, still)
        if mass is not None:
            rest |= {key: tuple(map(graph.symbol, names)) for key, names in FLOATING.items()}
        base = Base(
            kind="fixed" if mass is None else "floating",
            Z=tuple(graph.number(tidy_length(entry)) for entry in (*rows, *(0.0, 0.0, 0.0, 1.0))),
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
                gravity=tuple(graph.number(tidy_length(float(g))) for g in gravity),
                graph=graph,
                source=tree.source,
                frame_names=self.names,
                position=self.position,
            )
        except RobotError as error:
            raise FormatError(error, tree.at.file) from None


def _beyond(floating: TreeJoint, ordered: Sequence[TreeJoint], tree: KinematicTree) -> list[TreeJoint] | None:
    """Return the joints of the floating part if nothing else moves, without links fixed to the world."""
    links, found = {floating.child}, []
    for joint in ordered:
        if joint.parent in links:
            links.add(joint.child)
            found.append(joint)
        elif joint is not floating and joint.kind != "fixed":
            return None
    held = all(end in links for closure in tree.closures for end in (closure.first, closure.second))
    return found if held and not any(joint.kind == "floating" for joint in found) else None


def _pose_of(floating: TreeJoint, ordered: Sequence[TreeJoint]) -> Transform:
    """Return the pose of the floating part in the file."""
    holder = {joint.child: joint for joint in ordered}
    pose, joint = Transform.identity(), holder.get(floating.child)
    while joint is not None:
        pose, joint = (joint.exact or joint.origin) @ pose, holder.get(joint.parent)
    return pose


def _central(body: RigidInertia) -> list[float]:
    """Return center of mass and central inertia tensor as in files; rounding errors are set to 0."""
    *tensor, x, y, z, mass = body.numbers()
    lever, second = max(map(abs, (x, y, z, mass))), max(map(abs, tensor))
    if mass:
        center = Vec3(*(0.0 if abs(moment) < _ROUNDED * lever else tidy(moment / mass) for moment in (x, y, z)))
        tensor = [*body.about(center).numbers()[:6]]
    else:
        center = Vec3(0.0, 0.0, 0.0)
    return [*center, *(0.0 if abs(value) < _ROUNDED * second else tidy(value, second) for value in tensor)]


_READERS = {"robot": urdf_tree, "mujoco": mjcf_tree, "sdf": sdf_tree}


def read_robot_xml(text: str, file: str | None = None, name: str | None = None, *, floating: bool = False) -> Robot:
    """Read a URDF, MJCF or SDF text; `name` is used if the file has none."""
    root = read_xml(text, file)
    if root.tag not in _READERS:
        root.fail(f"expected {', '.join(f'<{tag}>' for tag in _READERS)}, found <{root.tag}>")
    try:
        return robot_of(_READERS[root.tag](root, name), floating)
    except (ArithmeticError, LinAlgError):  # overflow with unrealistic numbers
        root.fail("numbers are too large or too small: expected kg, m and rad")
