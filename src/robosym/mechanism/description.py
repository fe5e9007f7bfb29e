"""Data of a robot: frames, links, joints, loops, base, gravity and platforms, accessible by number and by name.

Frames are numbered from 1; frame 0 is the base. Frames 1..NL are the links of the tree, NL+1..NJ the cut joints of the
loops, NJ+1..NF the fixed frames that must coincide with them (frame k with frame k + B), NF = NL + 2B.
The transformation from its antecedent to frame j is
Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from robosym.algebra import Expr, Graph, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import FrozenDict
from robosym.errors import InputError, closest
from robosym.mechanism.coupling import Coupling, Follow
from robosym.mechanism.elements import Base, Contact, Frame, Joint, Limits, Link, expressions
from robosym.mechanism.modules import Module, legs_of
from robosym.mechanism.transmission import Transmission
from robosym.mechanism.validation import short_text

__all__ = ["Description"]


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """Data of a robot. Two descriptions are equal if their models are."""

    name: str
    frames: tuple[Frame, ...]  #: frame j is `frames[j - 1]`
    links: tuple[Link, ...]  #: NL entries
    joints: tuple[Joint, ...]  #: NJ entries
    base: Base
    gravity: tuple[Expr, ...]  #: three entries, in frame 0
    graph: Graph = field(repr=False)
    title: str = ""
    source: str = ""
    frame_names: Mapping[str, int] = field(default_factory=dict)  #: a frame may have several names
    #: reference position, where the loops are closed: values of joint variables and of symbolic lengths
    position: Mapping[str, float] = field(default_factory=dict)
    picture: Mapping[str, float] = field(default_factory=dict)  #: values for drawings; models ignore them
    couplings: Mapping[str, Coupling] = field(default_factory=dict)  #: couplings by variable of the coupled joint
    modules: tuple[Module, ...] = ()  #: modules of a parallel or hybrid robot: arms, and legs with a platform
    transmission: Transmission | None = None  #: between motors and joints
    contacts: tuple[Contact, ...] = ()  #: contacts of feet and wheels with the ground
    origin: str = ""  #: file, its checksum, and whether the robot was changed after reading
    variables: tuple[str | None, ...] = field(init=False, repr=False)  #: variable of each frame; None if fixed

    # ------------------------------------------------------------------ sizes

    @property
    def NF(self) -> int:
        """Number of frames, frame 0 excluded."""
        return len(self.frames)

    @property
    def NL(self) -> int:
        """Number of links, the base excluded."""
        return len(self.links)

    @property
    def NJ(self) -> int:
        """Number of frames of links and cut joints."""
        return len(self.joints)

    @property
    def loops(self) -> tuple[tuple[int, int], ...]:
        """Pairs (k, k + B): the frame of a cut joint and the fixed frame that coincides with it."""
        count = self.NJ - self.NL
        return tuple((k, k + count) for k in range(self.NL + 1, self.NJ + 1))

    @property
    def constrained(self) -> bool:
        """Whether loops or couplings constrain the joints of the tree."""
        return bool(self.loops or self.couplings)

    @property
    def structure(self) -> str:
        """Structure: "simple", "tree", "closed", "parallel" (legs with a platform) or "hybrid" (modules in series)."""
        if self.modules:
            return "parallel" if len(self.modules) == 1 else "hybrid"
        if self.loops:
            return "closed"
        serial = all(frame.ant == j - 1 for j, frame in enumerate(self.frames, 1))
        return "simple" if serial else "tree"

    @property
    def coordinates(self) -> str:
        """Coordinates of the models: "joints", "active", "motors", "platform", "modules" or "contacts".

        They are all joints of a tree, the independent joints of a robot with loops or couplings ("contacts": of one of
        them in contact with the ground), the motors of a transmission, pose and twist of a platform, or those of each
        module.
        """
        if self.modules:
            return "platform" if len(self.modules) == 1 else "modules"
        if self.transmission is not None:
            return "motors"
        if self.contacts:
            return "contacts"
        return "active" if self.constrained else "joints"

    @property
    def dependent(self) -> bool:
        """Whether loops or couplings bind joints to others in the models, also of a robot in contact."""
        return self.constrained and self.coordinates in ("active", "contacts")

    @property
    def distinction(self) -> str:
        """Reason why models are not those of joints alone: "a transmission", "a platform", "contacts" etc., or ""."""
        found = {
            "motors": "a transmission", "platform": "a platform", "modules": "several modules", "contacts": "contacts",
        }  # fmt: skip
        return found.get(self.coordinates, "")

    def frame(self, j: int) -> Frame:
        """Return frame j.

        Parameters
        ----------
        j : int
            Number of the frame, from 1.

        Returns
        -------
        Frame
            Geometry of the frame and type of its joint.
        """
        return self.frames[j - 1]

    def link(self, j: int) -> Link:
        """Return link j.

        Parameters
        ----------
        j : int
            Number of the frame, from 1.

        Returns
        -------
        Link
            Inertia, drive and wrench of the link.
        """
        return self.links[j - 1]

    def joint(self, j: int) -> Joint:
        """Return joint j.

        Parameters
        ----------
        j : int
            Number of the frame, from 1.

        Returns
        -------
        Joint
            Motion, elasticity, limits and friction of the joint.
        """
        return self.joints[j - 1]

    def variable(self, j: int) -> str:
        """Return the joint variable of frame j, which must not be fixed.

        Parameters
        ----------
        j : int
            Number of the frame, from 1.

        Returns
        -------
        str
            Name of the variable.
        """
        name = self.variables[j - 1]
        assert name is not None
        return name

    def joint_name(self, j: int) -> str:
        """Return the name of joint j, or its variable if it has no name.

        Parameters
        ----------
        j : int
            Number of the frame, from 1.

        Returns
        -------
        str
            Name of the joint.
        """
        return self.joint(j).name or self.variable(j)

    def names_of(self, j: int) -> tuple[str, ...]:
        """Return the names of frame j.

        Parameters
        ----------
        j : int
            Number of the frame, from 1.

        Returns
        -------
        tuple of str
            Names; empty if the frame has none.
        """
        return tuple(name for name, number in self.frame_names.items() if number == j)

    @property
    def all_links(self) -> tuple[Link, ...]:
        """Links of the tree; that of a mobile or floating base comes first."""
        return self.links if self.base.link is None else (self.base.link, *self.links)

    @property
    def tree_joints(self) -> tuple[int, ...]:
        """Numbers of the moving joints of the tree."""
        return tuple(j for j in range(1, self.NL + 1) if self.frame(j).is_joint)

    @property
    def cut_joints(self) -> tuple[int, ...]:
        """Numbers of the cut joints of the loops. A loop closed by a fixed frame has none."""
        return tuple(k for k, _ in self.loops if self.frame(k).is_joint)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints of the tree, or of the motors of a transmission, in the order of `q`.

        A joint without a name is represented by its variable.
        """
        if self.transmission is not None:
            return self.transmission.motor_names
        return tuple(map(self.joint_name, self.tree_joints))

    @property
    def joint_limits(self) -> tuple[Limits, ...]:
        """Limits of the joints of the tree, in the order of `q`."""
        return tuple(self.joint(j).limits for j in self.tree_joints)

    @property
    def relations(self) -> Mapping[str, Follow]:
        """Joints of the tree that follow others, by name, such as the second finger of a gripper."""
        found = ((self.joint_name(j), self.joint(j).follows) for j in self.tree_joints)
        return FrozenDict((name, follows) for name, follows in found if follows is not None)

    def frame_number(self, frame: int | str, lowest: int = 0) -> int:
        """Return the number of a frame.

        Parameters
        ----------
        frame : int or str
            Number or name of the frame, or name of its joint.
        lowest : int, optional
            Smallest accepted number.

        Returns
        -------
        int
            Number of the frame.

        Raises
        ------
        InputError
            If the robot has no such frame.
        """
        if isinstance(frame, str):
            if frame in self.frame_names:
                return self.frame_names[frame]
            joints = {joint.name: j for j, joint in enumerate(self.joints, 1) if joint.name}
            if frame in joints:
                return joints[frame]
            known = (*self.frame_names, *joints)
            has = f": it has {', '.join(known[:20])}" if known else ": its frames have numbers only"
            message = f"{self.name} has no frame {short_text(frame)!r}{closest(frame, known)}{has}"
            raise InputError(message, found=str(frame), code="E411")
        if isinstance(frame, bool) or not isinstance(frame, int) or not lowest <= frame <= self.NF:
            message = f"{self.name} has the frames {lowest} to {self.NF}, found {frame!r}"
            raise InputError(message, found=str(frame), code="E411")
        return frame

    def joint_number(self, joint: int | str, what: str = "joint") -> int:
        """Return the number of a joint of the tree or of a cut joint.

        Parameters
        ----------
        joint : int or str
            Number, name or variable of the joint.
        what : str, optional
            Argument that an error message names.

        Returns
        -------
        int
            Number of the joint.

        Raises
        ------
        InputError
            If the robot has no such joint.
        """
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
        """Return the variable of a joint.

        Parameters
        ----------
        joint : int or str
            Number, name or variable of the joint.
        what : str, optional
            Argument that an error message names.

        Returns
        -------
        str
            Variable of the joint.
        """
        return self.variable(self.joint_number(joint, what))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Symbols of the description that are not joint variables."""
        variables = set(self.variables)
        return tuple(name for name in symbols(e for _, _, e in self.entries()) if name not in variables)

    def entries(self) -> Iterator[tuple[str, str, Expr]]:
        """Iterate over all expressions of the description.

        Yields
        ------
        place : str
            Part of the description, such as "frame 3".
        field : str
            Name of the field.
        expression : Expr
            Its value.
        """
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
        for number, contact in enumerate(self.contacts, 1):
            for name, value in expressions(contact):
                yield f"contact {number}", name, value

    # ---------------------------------------------------------------- platforms

    @property
    def motors(self) -> tuple[int, ...]:
        """Numbers of the joints of the tree that have a motor."""
        return tuple(j for j in self.tree_joints if self.frame(j).mu)

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Variables of the joints that have a motor."""
        return tuple(self.variable(j) for j in self.motors)

    @property
    def module(self) -> Module:
        """The only module of a parallel robot."""
        if len(self.modules) != 1:
            raise InputError(f"{self.name}: expected a robot with one platform, found {len(self.modules)} modules")
        return self.modules[0]

    @property
    def legs(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the frames of each leg, from the base to the platform."""
        return tuple(leg for module in self.modules if module.has_platform for leg in legs_of(self, module))

    @property
    def platform(self) -> Link:
        """Inertia and wrench of the platform, in its frame at its origin."""
        return self.link(self.module.end)

    @property
    def places(self) -> tuple[Frame, ...]:
        """Fixed frames on the platform with which the last frames of the legs coincide."""
        return tuple(self.frame(j) for j in self.module.stations)

    @property
    def followers(self) -> Mapping[int, tuple[int, int]]:
        """Joints of parallelograms that follow the first rod, by number: number of the rod, and sign.

        The link turns opposite to the first rod, the second rod turns with it.
        """
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
            [(c.frame, c.kind, c.name) for c in self.contacts],
        )
        return self.name, str(whole), str(names), tuple((p, f, canonical_text(e)) for p, f, e in self.entries())

    def __getstate__(self) -> dict[str, object]:
        """Return the data without cached derivations, which are large and can be computed again."""
        return {name: value for name, value in vars(self).items() if name != "_derivations"}

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Description) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())
