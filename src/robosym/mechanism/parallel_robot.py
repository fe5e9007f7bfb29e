"""The description of a parallel robot: a platform that several serial legs carry, immutable and validated.

The legs stand in one tree, numbered one after the other. The last joint of a leg is on the platform: its last frame
is fixed to the platform, and coincides with the frame that `places` puts there, by the six parameters of the book.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from robosym.algebra import Expr, Number, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import cached_property
from robosym.errors import InputError, RobotError
from robosym.mechanism.described import Described
from robosym.mechanism.kinds import hand_over
from robosym.mechanism.robot import GEOMETRY, INERTIA, Frame, Joint, Link, Robot, expressions

if TYPE_CHECKING:
    from robosym.coordinates.reference_position import ReferencePosition

__all__ = ["Parallel", "TwinRods", "renumbered"]

_ROTATION = 1e-3  #: products of rows of a rotation that differ by less from 0 and 1 were rounded
_PLATFORM = "P"  #: ends the names of the platform's standard symbols: XXP, MXP, MP


@dataclass(frozen=True)
class TwinRods:
    """One joint of a leg: two rods turn together, the link at their ends keeps its direction.

    The first rod and the link are frames of the leg, one after the other. The second rod stands behind all legs, on the
    frame that carries the first; its far end is a joint of the link, `width` along x as its near end is.
    """

    rod: int
    link: int
    other: int
    cut: str  #: the variable of the joint at the far end of the second rod


@dataclass(frozen=True, eq=False, repr=False)
class Parallel(Described):
    """A parallel robot; build one with `rs.load` or `rs.loads`."""

    tree: Robot  #: all legs from the base, each to its last frame, which is fixed to the platform
    platform: Link  #: inertia and wrench in the platform's frame, at its origin
    places: tuple[Frame, ...]  #: the last frame of each leg as it stands on the platform
    freedom: int | None = None  #: degrees of freedom of the platform; None: found at the reference position
    parallelograms: tuple[TwinRods, ...] = ()
    #: the reference position as a pose: 12 numbers, R row by row and P; x, y, z and roll, pitch, yaw; or x, y, z
    reference_pose: tuple[float, ...] | None = None

    @property
    def name(self) -> str:
        return self.tree.name

    @property
    def title(self) -> str:
        return self.tree.title

    @property
    def source(self) -> str:
        return self.tree.source

    @property
    def position(self) -> Mapping[str, float]:
        """Joint values at, or near, a position where the legs meet the platform."""
        return self.tree.position

    @property
    def reference(self) -> ReferencePosition | None:
        """The reference position as the legs were closed: pose, joints, branches; None where it is not in numbers."""
        from robosym.coordinates.reference_position import reference_position

        return reference_position(self)

    def check(self) -> tuple[str, ...]:
        """Return what is odd: bodies that cannot be, the reference position, and other operation modes of the legs."""
        from robosym.coordinates.operation_modes import other_operation_modes

        reference = self.reference
        found = [] if reference is None else [*reference.remarks, *other_operation_modes(self)]
        return (*self.check_bodies(), *found)

    def check_bodies(self) -> tuple[str, ...]:
        """What no body can have, as `check` of a robot: of the links of the legs, and of the platform."""
        own = f"link {self.platform_frame}: "
        return tuple(remark.replace(own, "platform: ") for remark in self.carrier().check())

    def at(self, pose: Sequence[float] | None = None, joints: Mapping[str, float] | None = None) -> Parallel:
        """Return the robot with another reference position: a pose of its platform, joint values, or both.

        A pose is 12 numbers (R row by row, then P), six (x, y, z, roll, pitch, yaw) or three (x, y, z, the orientation
        following from the legs). Joint values beside it tell the branches of the legs apart.
        """
        try:
            given = None if pose is None else tuple(float(x) for x in pose)
        except (TypeError, ValueError):
            raise InputError(f"pose: expected 3, 6 or 12 numbers, found {pose!r}") from None
        known = dict(joints or {}) if joints is not None or pose is not None else dict(self.position)
        return replace(self, tree=replace(self.tree, position=known), reference_pose=given)

    @property
    def structure(self) -> str:
        return "parallel"

    @property
    def legs(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the frames of each leg, from the base to the platform."""
        count = self.tree.NF - len(self.parallelograms)
        starts = [j for j, frame in enumerate(self.tree.frames[:count], 1) if frame.ant == 0]
        return tuple(tuple(range(a, b)) for a, b in zip(starts, [*starts[1:], count + 1], strict=True))

    @property
    def followers(self) -> dict[int, tuple[int, int]]:
        """Joints that turn with another: the link of a parallelogram against its first rod, the second rod with it."""
        pairs = ((p.link, p.other, p.rod) for p in self.parallelograms)
        return {j: (rod, way) for link, other, rod in pairs for j, way in ((link, -1), (other, 1))}

    @property
    def motors(self) -> tuple[int, ...]:
        """The frames whose joints have a motor."""
        return tuple(j for j in self.tree.tree_joints if self.tree.frame(j).mu)

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Their joint variables, the order of `q` in every model of the motors."""
        return tuple(self.tree.variable(j) for j in self.motors)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of all joints, leg by leg."""
        return self.tree.joint_names

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every symbol of the description that is not a joint variable."""
        own = symbols(value for part in (self.platform, *self.places) for _, value in expressions(part))
        return tuple(dict.fromkeys((*self.tree.parameters, *own)))

    # ------------------------------------------------------------- validation

    def __post_init__(self) -> None:
        from robosym.coordinates import FUNCTIONS

        hand_over(Parallel, FUNCTIONS)  # where there is a parallel robot, its models stand ready

        tree = self.tree
        if tree.loops:
            raise RobotError(f"{tree.name}: the legs of a parallel robot are chains; they have {len(tree.loops)} loops")
        if tree.base.kind != "fixed":
            raise RobotError(f"base: the base of a parallel robot is fixed, found {tree.base.kind}")
        if tree.couplings:
            raise RobotError(f"{tree.name}: couplings: a joint of a leg follows no other: pass the robot with loops")
        for leg, numbers in enumerate(self.legs, 1):
            for before, j in pairwise(numbers):
                if tree.frame(j).ant != before:
                    raise RobotError(f"leg {leg} is a chain: expected {before}, found {tree.frame(j).ant}", j, "ant")
            last = numbers[-1]
            if not tree.frame(last).is_joint:
                raise RobotError(f"leg {leg} ends in its joint on the platform; its last frame is fixed", last, "sigma")
            for name, value in expressions(tree.link(last)):
                if not value.is_zero:
                    raise RobotError(f"the last link of leg {leg} is the platform: give its inertia there", last, name)
        for shape in self.parallelograms:
            rod, link, other = (tree.frame(j) for j in (shape.rod, shape.link, shape.other))
            if link.ant != shape.rod or other.ant != rod.ant or link.mu or other.mu or tree.NF - shape.other < 0:
                raise RobotError("a parallelogram has two rods on one frame, and a link on the first", shape.rod, "ant")
            if any(name is None for name in (rod.theta.name, link.theta.name, other.theta.name)):
                raise RobotError("the rods of a parallelogram turn by their variables alone", shape.rod, "theta")
        if len(self.legs) < 2:
            raise RobotError(f"legs: a parallel robot has two or more, found {len(self.legs)}")
        if len(self.places) != len(self.legs):
            raise RobotError(f"legs: {len(self.legs)} legs, and {len(self.places)} places on the platform")
        if not self.motors:
            raise RobotError("legs: no joint has a motor (mu = 1)")
        variables = {name for name in tree.variables if name is not None}
        for what, part in (
            ("platform", self.platform),
            *((f"leg {i}: place", p) for i, p in enumerate(self.places, 1)),
        ):
            for name, value in expressions(part):
                for symbol in symbols([value]):
                    if symbol in variables:
                        raise RobotError(f"{what}: {name}: {symbol} is a joint variable and cannot be a parameter")
        if self.reference_pose is not None:
            _check_pose(self.reference_pose)
        if self.freedom is not None and not 1 <= self.freedom <= 6:
            raise RobotError(f"freedom: expected 1 to 6, found {self.freedom}")

    # ------------------------------------------------------------------ change

    @property
    def platform_frame(self) -> int:
        """The number of the platform in `carrier`."""
        return self.tree.NF + 1

    def with_values(self, values: Mapping[str, Number | str]) -> Parallel:
        """The robot with parameters replaced by numbers or expressions (`{"D3": 0.45, "D4": "2*L"}`)."""
        return self.through(lambda robot: robot.with_values(values))

    def with_inputs(self, *inputs: str, link: int | str | None = None) -> Parallel:
        """Return the robot whose gravity, base orientation or payload (on the platform, in its frame) stay inputs.

        See `Robot.with_inputs`.
        """
        place = self.platform_frame if link is None else link
        return self.through(lambda robot: robot.with_inputs(*inputs, link=place))

    def through(self, change: Any) -> Parallel:
        """Legs and platform through a change of robots: the platform rides along as a second tree."""
        carrier = change(self.carrier())
        count = self.tree.NF
        tree = replace(
            carrier, frames=carrier.frames[:count], links=carrier.links[:count], joints=carrier.joints[:count]
        )
        places = tuple(replace(frame, ant=0) for frame in carrier.frames[count + 1 :])
        return replace(self, tree=tree, platform=carrier.links[count], places=places)

    def carrier(self) -> Robot:
        """Legs, platform and places as one tree, whose entries are all of the description.

        The platform, frame NF + 1 of the legs' NF, is fixed to the base for want of better; the places stand on it.
        """
        return self._carrier

    @cached_property
    def _carrier(self) -> Robot:
        tree, zero = self.tree, self.tree.graph.zero
        still = Frame(0, 2, 0, *(6 * [zero]))
        rest = Joint(zero, zero, zero, 0, zero)
        none = Link(*(19 * [zero]))
        places = [replace(place, ant=tree.NF + 1) for place in self.places]
        return replace(
            tree,
            frames=(*tree.frames, still, *places),
            links=(*tree.links, self.platform, *(none for _ in places)),
            joints=(*tree.joints, *(rest for _ in (still, *places))),
        )

    def symbolic(self) -> Parallel:
        """The robot with the standard symbols in place of its links' numbers: XXj .., and XXP .. of the platform."""
        last, names = {numbers[-1] for numbers in self.legs}, (*INERTIA, "IA", "FV", "FS")
        links = [{} if j in last else {n: f"{n}{j}" for n in names} for j in range(1, self.tree.NL + 1)]
        own: dict[str, Number | str] = {name: f"{name}{_PLATFORM}" for name in INERTIA}
        return self.through(lambda robot: robot.with_links([*links, own, *({} for _ in self.places)]))

    def to_closed(self) -> Robot:
        """The same machine as a robot with loops: the platform on leg 1, the last joints of the other legs cut.

        The legs keep their order, each without its last frame but the first; the platform follows leg 1. Its reference
        position is that of this robot, the legs closed. Velocities, accelerations and efforts of joints that have the
        standard symbols get those of the new numbers.
        """
        try:
            reference = self.reference
        except InputError:  # it cannot serve for models of the platform; loops have conditions of their own
            reference = None
        return self.closed_at(self.position if reference is None else reference.joints)

    def closed_at(self, position: Mapping[str, float]) -> Robot:
        """The closed robot of `to_closed` with a reference position."""
        tree, first, zero = self.tree, self.legs[0], self.tree.graph.zero
        numbers: dict[int, int] = {0: 0}
        frames: list[Frame] = []
        links: list[Link] = []
        joints: list[Joint] = []

        def add(frame: Frame, joint: Joint) -> int:
            frames.append(frame)
            joints.append(joint)
            return len(frames)

        for j in first:
            numbers[j] = add(replace(tree.frame(j), ant=numbers[tree.frame(j).ant]), tree.joint(j))
            links.append(tree.link(j))
        rest = Joint(zero, zero, zero, 0, zero)
        platform = numbers[first[-1]]
        back = _inverse(self.places[0], platform)
        if all(getattr(back, name).is_zero for name in GEOMETRY):
            links[-1] = replace(self.platform, IA=zero, FV=zero, FS=zero)
        else:
            platform = add(back, rest)
            links.append(self.platform)
        others = [shape.other for shape in self.parallelograms]
        for j in (*(j for leg in self.legs[1:] for j in leg[:-1]), *others):
            numbers[j] = add(replace(tree.frame(j), ant=numbers[tree.frame(j).ant]), tree.joint(j))
            links.append(tree.link(j))
        for leg in self.legs[1:]:
            frame = tree.frame(leg[-1])
            numbers[leg[-1]] = add(replace(frame, ant=numbers[frame.ant]), tree.joint(leg[-1]))
        closing = [replace(place, ant=platform) for place in self.places[1:]]
        for shape in self.parallelograms:
            near, far, d = tree.frame(shape.rod), tree.frame(shape.other), tree.frame(shape.link).d
            turning = (zero, zero, zero, d, tree.graph.symbol(shape.cut), zero)
            add(Frame(numbers[shape.other], 0, 0, *turning), rest)
            closing.append(Frame(numbers[shape.link], 2, 0, zero, zero, zero, far.d - near.d, zero, zero))
        names = {name: numbers[j] for name, j in tree.frame_names.items() if j in numbers}
        return replace(
            tree, frames=(*frames, *closing), links=tuple(links), joints=renumbered(joints), frame_names=names,
            position=dict(position),
        )  # fmt: skip

    # ----------------------------------------------------------------- identity

    def _key(self) -> tuple[Any, ...]:
        parts = [(n, canonical_text(v)) for part in (self.platform, *self.places) for n, v in expressions(part)]
        return self.tree, tuple(parts), self.freedom, self.parallelograms, self.reference_pose

    # ----------------------------------------------------------------- writing

    def dumps(self, format: str = "yaml") -> str:
        """The description as text, "yaml"; the closed robot of `to_closed` has the other formats too."""
        from robosym.formats import dumps

        return dumps(self, format)


def renumbered(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Joints with the standard symbols QPj, QDPj, GAMj of their places, where they had those of other numbers."""

    def symbol(entry: Expr, letters: str, j: int) -> Expr:
        standard = entry.name is not None and re.fullmatch(rf"{letters}\d+", entry.name)
        return entry.graph.symbol(f"{letters}{j}") if standard else entry

    return tuple(
        replace(joint, QP=symbol(joint.QP, "QP", j), QDP=symbol(joint.QDP, "QDP", j), GAM=symbol(joint.GAM, "GAM", j))
        for j, joint in enumerate(joints, 1)
    )


def _check_pose(pose: Sequence[float]) -> None:
    """Raise RobotError for numbers that are no pose."""
    if len(pose) not in (3, 6, 12):
        raise RobotError(f"pose: expected 3, 6 or 12 numbers, found {len(pose)}", field="position")
    if not all(math.isfinite(x) for x in pose):
        raise RobotError("pose: expected finite numbers", field="position")
    if len(pose) == 12:
        rows = [pose[3 * k : 3 * k + 3] for k in range(3)]
        lack = max(
            abs(sum(a * b for a, b in zip(one, other, strict=True)) - (i == k))
            for i, one in enumerate(rows) for k, other in enumerate(rows)
        )  # fmt: skip
        (a, b, c), (d, e, f), (g, h, i) = rows
        if lack > _ROTATION or a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0:
            raise RobotError("pose: its first nine numbers are no rotation (R row by row)", field="position")


def _inverse(place: Frame, ant: int) -> Frame:
    """The way back through a fixed frame, again by six parameters, in the opposite order with opposite signs."""

    def minus(value: Expr) -> Expr:
        return -value

    gamma, b, alpha, d, theta, r = (getattr(place, name) for name in GEOMETRY)
    return Frame(ant, 2, 0, minus(theta), minus(r), minus(alpha), minus(d), minus(gamma), minus(b))
