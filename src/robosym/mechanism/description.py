"""What a robot is made of: frames, links, joints, loops, base, gravity and platforms, by numbers and by names.

Frames are numbered from 1; frame 0 is the base. Frames 1..NL are the links of the tree, NL+1..NJ the cut joints of the
loops, NJ+1..NF the fixed frames that must coincide with them (frame k with frame k + B), NF = NL + 2B.
Frame j follows from its antecedent by Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from robosym.algebra import Expr, Graph, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import FrozenDict
from robosym.errors import InputError, closest
from robosym.mechanism.coupling import Coupling, Follow
from robosym.mechanism.elements import Base, Frame, Joint, Limits, Link, expressions
from robosym.mechanism.modules import Module, legs_of
from robosym.mechanism.transmission import Transmission
from robosym.mechanism.validation import short_text

__all__ = ["Description"]


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """The data of a robot; equal where all that models depend on is."""

    name: str
    frames: tuple[Frame, ...]  #: frame j is `frames[j - 1]`
    links: tuple[Link, ...]  #: NL of them
    joints: tuple[Joint, ...]  #: NJ of them
    base: Base
    gravity: tuple[Expr, ...]  #: three entries, in frame 0
    graph: Graph = field(repr=False)
    title: str = ""
    source: str = ""
    frame_names: Mapping[str, int] = field(default_factory=dict)  #: frames by name; a frame may have several, or none
    #: of joint variables, and of lengths that are symbols: where the loops are closed
    position: Mapping[str, float] = field(default_factory=dict)
    picture: Mapping[str, float] = field(default_factory=dict)  #: joints and symbols as pictures show them; a remark
    couplings: Mapping[str, Coupling] = field(default_factory=dict)  #: by variable: joints that others move
    modules: tuple[Module, ...] = ()  #: arms, and legs with a platform: one, or several in series; of other robots none
    transmission: Transmission | None = None  #: between the motors and the joints, where models are those of motors
    origin: str = ""  #: the file it was read from, its checksum, and whether it was changed since
    variables: tuple[str | None, ...] = field(init=False, repr=False)  #: of each frame; None for a fixed one

    # ------------------------------------------------------------------ sizes

    @property
    def NF(self) -> int:
        return len(self.frames)

    @property
    def NL(self) -> int:
        return len(self.links)

    @property
    def NJ(self) -> int:
        return len(self.joints)

    @property
    def loops(self) -> tuple[tuple[int, int], ...]:
        """Pairs (k, k + B): the frame of a cut joint and the fixed frame that coincides with it."""
        count = self.NJ - self.NL
        return tuple((k, k + count) for k in range(self.NL + 1, self.NJ + 1))

    @property
    def constrained(self) -> bool:
        """Whether loops or couplings bind joints of the tree to others."""
        return bool(self.loops or self.couplings)

    @property
    def structure(self) -> str:
        """ "simple", "tree", "closed", "parallel" (legs carry a platform) or "hybrid" (modules in series)."""
        if self.modules:
            return "parallel" if len(self.modules) == 1 else "hybrid"
        if self.loops:
            return "closed"
        serial = all(frame.ant == j - 1 for j, frame in enumerate(self.frames, 1))
        return "simple" if serial else "tree"

    @property
    def coordinates(self) -> str:
        """The coordinates of its models: "joints", "active", "motors", "platform" or "modules".

        Those are all joints of a tree, the independent joints where loops or couplings bind others, the motors of a
        transmission, pose and twist of a platform, or those of each of several modules.
        """
        if self.modules:
            return "platform" if len(self.modules) == 1 else "modules"
        if self.transmission is not None:
            return "motors"
        return "active" if self.constrained else "joints"

    def frame(self, j: int) -> Frame:
        return self.frames[j - 1]

    def link(self, j: int) -> Link:
        return self.links[j - 1]

    def joint(self, j: int) -> Joint:
        return self.joints[j - 1]

    def variable(self, j: int) -> str:
        """The joint variable of frame j, which must not be fixed."""
        name = self.variables[j - 1]
        assert name is not None
        return name

    def joint_name(self, j: int) -> str:
        """The name of joint j, or its variable where it has none."""
        return self.joint(j).name or self.variable(j)

    def names_of(self, j: int) -> tuple[str, ...]:
        """The names of frame j."""
        return tuple(name for name, number in self.frame_names.items() if number == j)

    @property
    def tree_joints(self) -> tuple[int, ...]:
        """Numbers of the frames of the tree that move with respect to their antecedent."""
        return tuple(j for j in range(1, self.NL + 1) if self.frame(j).is_joint)

    @property
    def cut_joints(self) -> tuple[int, ...]:
        """Numbers of the cut joints of the loops; a loop may be closed by a weld, which is none."""
        return tuple(k for k, _ in self.loops if self.frame(k).is_joint)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints of the tree, or of the motors of a transmission, in the order of `q`.

        A joint that has no name goes by its variable.
        """
        if self.transmission is not None:
            return self.transmission.motor_names
        return tuple(map(self.joint_name, self.tree_joints))

    @property
    def joint_limits(self) -> tuple[Limits, ...]:
        """The limits of the joints of the tree in the order of `q`."""
        return tuple(self.joint(j).limits for j in self.tree_joints)

    @property
    def relations(self) -> Mapping[str, Follow]:
        """The joints of the tree that follow others, by name: what a gripper's second finger does, or a gear."""
        found = ((self.joint_name(j), self.joint(j).follows) for j in self.tree_joints)
        return FrozenDict((name, follows) for name, follows in found if follows is not None)

    def frame_number(self, frame: int | str, lowest: int = 0) -> int:
        """The number of a frame that is given by its number, its name or the name of its joint."""
        if isinstance(frame, str):
            if frame in self.frame_names:
                return self.frame_names[frame]
            joints = {joint.name: j for j, joint in enumerate(self.joints, 1) if joint.name}
            if frame in joints:
                return joints[frame]
            known = (*self.frame_names, *joints)
            has = f": it has {', '.join(known[:20])}" if known else ": its frames have numbers only"
            raise InputError(f"{self.name} has no frame {short_text(frame)!r}{closest(frame, known)}{has}")
        if isinstance(frame, bool) or not isinstance(frame, int) or not lowest <= frame <= self.NF:
            raise InputError(f"{self.name} has the frames {lowest} to {self.NF}, found {frame!r}")
        return frame

    def joint_number(self, joint: int | str, what: str = "joint") -> int:
        """The number of a joint, of the tree or cut, that is given by its number, its name or its variable."""
        joints = [j for j in range(1, self.NJ + 1) if self.frame(j).is_joint]
        if not isinstance(joint, bool) and joint in joints:
            return int(joint)
        for j in joints:
            if isinstance(joint, str) and joint in (self.joint(j).name, self.variable(j)):
                return j
        names = [self.joint_name(j) for j in joints]
        raise InputError(
            f"{what}: expected a joint of {self.name} ({', '.join(names[:20])}), found "
            f"{short_text(str(joint))!r}{closest(joint, names)}"
        )

    def joint_variable(self, joint: int | str, what: str = "joint") -> str:
        """The variable of a joint that is given by its number, its name or its variable."""
        return self.variable(self.joint_number(joint, what))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every symbol of the description that is not a joint variable."""
        variables = set(self.variables)
        return tuple(name for name in symbols(e for _, _, e in self.entries()) if name not in variables)

    def entries(self) -> Iterator[tuple[str, str, Expr]]:
        """Every expression as (place, field, expression)."""
        for what, parts in (("frame", self.frames), ("link", self.links), ("joint", self.joints)):
            for j, part in enumerate(parts, 1):
                for name, value in expressions(part):
                    yield f"{what} {j}", name, value
        for name, value in expressions(self.base):
            yield "base", name, value
        for axis, value in enumerate(self.gravity, 1):
            yield "gravity", f"G[{axis}]", value
        if self.transmission is not None:
            for name, value in self.transmission.entries():
                yield "transmission", name, value

    # ---------------------------------------------------------------- platforms

    @property
    def motors(self) -> tuple[int, ...]:
        """The frames of the tree whose joints have a motor."""
        return tuple(j for j in self.tree_joints if self.frame(j).mu)

    @property
    def motor_names(self) -> tuple[str, ...]:
        """The variables of these joints."""
        return tuple(self.variable(j) for j in self.motors)

    @property
    def module(self) -> Module:
        """The one module of a robot with a platform."""
        if len(self.modules) != 1:
            raise InputError(f"{self.name}: expected a robot with one platform, found {len(self.modules)} modules")
        return self.modules[0]

    @property
    def legs(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the frames of each leg, from the base to the platform."""
        return tuple(leg for module in self.modules if module.has_platform for leg in legs_of(self, module))

    @property
    def platform(self) -> Link:
        """Inertia and wrench of the platform, in its frame at its origin."""
        return self.link(self.module.end)

    @property
    def places(self) -> tuple[Frame, ...]:
        """The last frame of each leg as it stands on the platform."""
        return tuple(self.frame(j) for j in self.module.stations)

    @property
    def followers(self) -> Mapping[int, tuple[int, int]]:
        """Joints that turn with another: the link of a parallelogram against its first rod, the second rod with it."""
        pairs = ((p.link, p.other, p.rod) for p in self.module.parallelograms)
        return FrozenDict((j, (rod, way)) for link, other, rod in pairs for j, way in ((link, -1), (other, 1)))

    # ----------------------------------------------------------------- identity

    def _key(self) -> tuple[object, ...]:
        whole = [(f.ant, f.sigma, f.mu, f.pitch) for f in self.frames], [j.eta for j in self.joints], self.base.kind
        names = (
            sorted(self.frame_names.items()),
            [(j.name, j.limits, j.follows) for j in self.joints],
            [(j.friction.smooth, j.friction.stribeck, sorted(j.friction.own)) for j in self.joints],
            sorted(self.position.items()),
            sorted((name, sorted(c.ratios.items()), c.offset) for name, c in self.couplings.items()),
            self.modules,
        )
        return self.name, str(whole), str(names), tuple((p, f, canonical_text(e)) for p, f, e in self.entries())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Description) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())
