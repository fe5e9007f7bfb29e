"""The description of a robot: frames, links, joints, loops, base and gravity, immutable and validated.

Frames are numbered from 1; frame 0 is the base. Frames 1..NL are the links of the tree, NL+1..NJ the cut joints of the
loops, NJ+1..NF the fixed frames that must coincide with them (frame k with frame k + B), NF = NL + 2B.
Frame j follows from its antecedent by Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robosym.algebra import Expr, Graph, Number, parse, substitute, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import FrozenDict, cached_property
from robosym.errors import InputError, RobotError, closest
from robosym.mechanism.added_frame import with_frame
from robosym.mechanism.central_inertia import told_at_centre, with_central
from robosym.mechanism.coupling import Coupling, Follow, coupled_by_relations
from robosym.mechanism.edit import edited, numbers_of, with_inputs, with_payload
from robosym.mechanism.elements import (
    DRIVE,
    INERTIA,
    Base,
    Frame,
    Joint,
    Limits,
    Link,
    converted,
    expressions,
)
from robosym.mechanism.modules import Module, check_modules, legs_of, module_robot
from robosym.mechanism.series import closed_form, in_series
from robosym.mechanism.sheets import as_html_page, as_latex_array, as_text, one_line, sheets
from robosym.mechanism.transmission import Transmission, with_transmission
from robosym.mechanism.validation import (
    check_names,
    check_structure,
    check_variables,
    implausible,
    joint_variable,
    short_text,
)

if TYPE_CHECKING:
    from robosym.coordinates.reference_position import ReferencePosition
    from robosym.drawing.draw import Drawing

__all__ = ["Robot"]


@dataclass(frozen=True, eq=False, repr=False)
class Robot:
    """A robot; build one with `rs.load`, `rs.loads` or a format, change one with `with_values`."""

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
        return tuple(self.joint(j).name or self.variable(j) for j in self.tree_joints)

    @property
    def joint_limits(self) -> tuple[Limits, ...]:
        """The limits of the joints of the tree in the order of `q`."""
        return tuple(self.joint(j).limits for j in self.tree_joints)

    @property
    def relations(self) -> Mapping[str, Follow]:
        """The joints of the tree that follow others, by name: what a gripper's second finger does, or a gear."""
        found = ((self.joint(j).name or self.variable(j), self.joint(j).follows) for j in self.tree_joints)
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
        names = [self.joint(j).name or self.variable(j) for j in joints]
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

    @property
    def leg_tree(self) -> Robot:
        """The legs alone, without the platform."""
        count = self.module.last
        return replace(
            self, frames=self.frames[:count], links=self.links[:count], joints=self.joints[:count], modules=(),
            frame_names={name: j for name, j in self.frame_names.items() if j <= count},
        )  # fmt: skip

    def module_robots(self) -> tuple[Robot, ...]:
        """Each module as a robot of its own."""
        return self._module_robots

    @cached_property
    def _module_robots(self) -> tuple[Robot, ...]:
        """Made once: each remembers its reference position and the closed forms of its legs."""
        return tuple(module_robot(self, module) for module in self.modules)

    @property
    def reference(self) -> ReferencePosition | None:
        """The reference position as the legs were closed: pose, joints, branches; None where it is not in numbers."""
        from robosym.coordinates.reference_position import reference_position

        return reference_position(self)

    def at(self, pose: Sequence[float] | None = None, joints: Mapping[str, float] | None = None) -> Robot:
        """Return the robot with another reference position: a pose of its platform, joint values, or both.

        A pose is 12 numbers (R row by row, then P), six (x, y, z, roll, pitch, yaw) or three (x, y, z, the orientation
        following from the legs). Joint values beside it tell the branches of the legs apart.
        """
        try:
            given = None if pose is None else tuple(float(x) for x in pose)
        except (TypeError, ValueError):
            raise InputError(f"pose: expected 3, 6 or 12 numbers, found {pose!r}") from None
        known = dict(joints or {}) if joints is not None or pose is not None else dict(self.position)
        return replace(self, position=known, modules=(replace(self.module, reference_pose=given),))

    def to_closed(self) -> Robot:
        """Return the same robot in joint coordinates: with loops in the place of platforms.

        The platform stands on leg 1, the last joints of the other legs are cut. The reference position is that of this
        robot, the legs closed. A robot without a platform is returned as it is.
        """
        return self.closed_at(self.closed_position()) if self.modules else self

    def closed_at(self, position: Mapping[str, float]) -> Robot:
        """The robot of `to_closed` with another reference position."""
        return closed_form(self, position).robot

    def closed_position(self) -> dict[str, float]:
        """The reference position, the legs of each platform closed."""
        known = dict(self.position)
        for module, robot in zip(self.modules, self.module_robots(), strict=True):
            try:
                reference = robot.reference if module.has_platform else None
            except InputError:  # it cannot serve for models of the platform; loops have conditions of their own
                continue
            if reference is not None:
                known |= reference.joints
        return known

    @classmethod
    def in_series(
        cls,
        name: str,
        modules: Iterable[Robot],
        places: Sequence[Mapping[str, Number | str]] = (),
        gravity: Sequence[Number | str] | None = None,
        title: str = "",
        source: str = "",
    ) -> Robot:
        """Return a robot of modules in series, each an arm or a robot with a platform, the first on the base.

        Parameters
        ----------
        modules : the robots, each on the platform or the last frame of the one before.
        places : of each module the parameters `gamma`, `b`, `alpha`, `d`, `theta`, `r` of its base there.
        gravity : in frame 0; by default that of the first module.

        Symbols of module k, from the second on, get the ending _k where a module before it has one of them too.
        """
        return in_series(name, modules, places, gravity, title, source)

    # ------------------------------------------------------------- validation

    def __post_init__(self) -> None:
        for name in ("frame_names", "position", "picture", "couplings"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))
        check_structure(self)
        object.__setattr__(self, "variables", tuple(joint_variable(self, j) for j in range(1, self.NF + 1)))
        named = {joint.name: self.variables[j] for j, joint in enumerate(self.joints) if joint.name}
        position = {key if key in self.variables else named.get(key) or key: v for key, v in self.position.items()}
        object.__setattr__(self, "position", FrozenDict(position))
        check_variables(self)
        check_names(self)
        if self.modules:
            check_modules(self)

    # ------------------------------------------------------------------ change

    def with_values(self, values: Mapping[str, Number | str]) -> Robot:
        """The robot with parameters replaced by numbers or expressions (`{"D3": 0.45, "D4": "2*L"}`)."""
        known = self.parameters
        for name in values:
            if name in self.variables:
                raise RobotError(f"{name} is a joint variable and cannot be given a value")
            if name not in known:
                raise RobotError(f"{self.name} has no parameter {name}{closest(name, known)}")
        graph = Graph()
        images = {name: parse(v, graph) if isinstance(v, str) else graph.number(v) for name, v in values.items()}
        position, picture = (
            {name: value for name, value in given.items() if name not in values}
            for given in (self.position, self.picture)
        )
        robot = replace(self, position=position, picture=picture)
        robot = robot.rebuilt(graph, lambda roots: substitute(roots, graph, images)).changed()
        # decimals at a centre of mass are rounded once: they are moved to the origin after the values are known
        told = [told_at_centre(link) is not None for link in self.links]
        links = (with_central(link, link.central) if own else link for own, link in zip(told, robot.links, strict=True))
        return replace(robot, links=tuple(links)) if any(told) else robot

    def with_links(self, links: Iterable[Mapping[str, Number | str]]) -> Robot:
        """The robot with fields of its links replaced, one mapping a link (`{"M": "M1", "XX": 0.2}`)."""
        graph = Graph()
        robot = self.rebuilt(graph, graph.copy)

        def entry(value: Number | str) -> Expr:
            return parse(value, graph) if isinstance(value, str) else graph.number(value)

        changed = tuple(
            replace(link, **{name: entry(value) for name, value in change.items()})
            for link, change in zip(robot.links, links, strict=True)
        )
        return replace(robot, links=changed).changed()

    @classmethod
    def new(
        cls, links: int, joints: int | None = None, structure: str | None = None, name: str = "robot", **more: Any
    ) -> Robot:
        """A robot of the guide's menu "new" (5.4.1): revolute joints, no lengths, symbols for the links.

        `joints` beyond `links` are cuts of loops, from the last link to the base. `structure` ("simple", "tree" or
        "closed") says what is meant; `more` are other keys of the YAML format. Then `edit` it.
        """
        from robosym.formats import robot

        for what, number in (("links", links), ("joints", joints)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise InputError(f"{what}: expected a number from 1 on, found {number!r}")
        loops = (links if joints is None else joints) - links
        if loops < 0 or structure not in (None, "simple", "tree", "closed") or (structure == "closed") > (loops > 0):
            raise InputError(
                f"expected simple, tree or closed, and joints >= links, more for a closed robot; found {structure!r}, "
                f"{links} links and {joints or links} joints"
            )
        frames: list[dict[str, Any]] = [{"theta": f"t{j}"} for j in range(1, links + 1)]
        frames += [{"ant": links, "mu": 0, "theta": f"t{j}"} for j in range(links + 1, links + loops + 1)]
        frames += [{"ant": 0, "sigma": 2} for _ in range(loops)]
        pairs = [[j, j + loops] for j in range(links + 1, links + loops + 1)]
        return robot(name, **{"frames": frames, "loops": pairs, "links": "symbolic", "gravity": (0, 0, "G3"), **more})

    @classmethod
    def named(cls, name: str, links: int, joints: int | None = None) -> Robot:
        """`Robot.new` as the command line asks for it: the name first."""
        return cls.new(links, joints, name=name)

    def edit(self, changes: Mapping[str, Any] | None = None, **keywords: Any) -> Robot:
        """The robot with entries replaced by path (`{"frame3.d": 0.45, "link6.FX": "F"}`), part (`gravity=[0, 0, g]`).

        Parts are `frame3`, `link6`, `joint2`, `base`, `gravity`, `position`, `name`, `title`, `source`; a name of a
        frame or joint does for its number. `com` and `inertia` of a link are those at its centre of mass.
        """
        return edited(self, {**(changes or {}), **keywords})

    def with_payload(
        self,
        link: int | str,
        mass: Number | str,
        com: Sequence[Number | str] = (0, 0, 0),
        inertia: Sequence[Number | str] = (0, 0, 0, 0, 0, 0),
    ) -> Robot:
        """The robot with a body on a link; `com`, and `inertia` (xx xy xz yy yz zz) there, are in the link's frame."""
        return with_payload(self, link, mass, com, inertia)

    def with_frame(
        self,
        name: str,
        parent: int | str | None = None,
        pose: Any = None,
        *,
        xyz: Sequence[Number | str] | None = None,
        rpy: Sequence[Number | str] | None = None,
        **geometry: Number | str,
    ) -> Robot:
        """Return the robot with a fixed frame, such as a TCP on a flange; every function then takes its name.

        Parameters
        ----------
        name : the name of the new frame, `"tcp"`.
        parent : the frame on which it stands, by name or number; by default the end of the arm.
        pose : a 4x4 matrix, or x, y, z, roll, pitch, yaw (m, rad), seen from the parent; or instead
        xyz, rpy : position and roll, pitch, yaw about x, y and z of the parent, as URDF has them; or
        geometry : `gamma`, `b`, `alpha`, `d`, `theta`, `r` of the new frame.

        Positions and `geometry` may hold symbols: `with_frame("tcp", "tool0", r="L")`.
        """
        return with_frame(self, name, parent, pose, xyz, rpy, geometry)

    def with_inputs(self, *inputs: str, link: int | str | None = None) -> Robot:
        """Return the robot whose gravity, base orientation or payload stay inputs of every model made of it.

        Parameters
        ----------
        *inputs
            "gravity": the vector G1, G2, G3, input group `gravity`. "orientation": the quaternion QB0 .. QB3
            (w, x, y, z, of any length) of frame 0 in the world, input group `base_orientation`; gravity then is the
            vector in the world. "payload": a rigid body of mass ML, center of mass XL, YL, ZL in the frame of the link
            and inertia XXL .. ZZL about the center of mass in its axes, all in the group `parameters`.
        link
            The link that carries the payload, in whose frame it is given; default: the end of the arm.
            "payload:tool0" says the same.
        """
        return with_inputs(self, inputs, link)

    def with_transmission(self, K: Sequence[Sequence[Number | str]], q0: Sequence[Number | str] | None = None) -> Robot:
        """Return the robot in the coordinates of its motors, q = K qc + q0: efforts go by K^T (guide 1.3).

        `K` has one row per joint and one column per motor; rows of coupled joints may be left out.
        """
        return with_transmission(self, K, q0)

    def in_joints(self) -> Robot:
        """Return the robot without its transmission: its models are those of its joints."""
        return self if self.transmission is None else replace(self, transmission=None)

    def with_relations(self) -> Robot:
        """The robot whose `relations` hold in its models: joints that follow others are coupled to them."""
        return coupled_by_relations(self)

    def numbers(self) -> dict[str, float]:
        """Every entry that is a number, by its path as `edit` takes it: `{"frame3.d": 0.45, ...}`."""
        return numbers_of(self)

    def check(self) -> tuple[str, ...]:
        """Return what is odd: bodies that no mass can form, and of a platform its reference and operation modes."""
        if self.structure != "parallel":
            return self.check_bodies()
        from robosym.coordinates.reference_position import other_operation_modes

        reference = self.reference
        found = () if reference is None else (*reference.remarks, *other_operation_modes(self))
        return (*self.check_bodies(), *found)

    def check_bodies(self) -> tuple[str, ...]:
        """What no body can have: negative masses, inertias that are not positive, broken triangle inequalities."""
        return implausible(self)

    def changed(self) -> Robot:
        """The same robot, known to differ from the file that it was read from."""
        mark = ", changed since"
        return replace(self, origin=self.origin + mark) if self.origin and not self.origin.endswith(mark) else self

    def in_graph(self, graph: Graph) -> Robot:
        """The same robot, its entries in another graph."""
        return self.rebuilt(graph, graph.copy)

    def symbolic(self) -> Robot:
        """The robot with the standard symbols XXj .. Mj, IAj, FVj, FSj in place of its links' numbers.

        A fixed frame without inertia marks a place on its link and gets none. Names of a platform end in P, or in Pk
        where it is that of module k.
        """
        several = len(self.modules) > 1
        ends = {m.end: f"P{k if several else ''}" for k, m in enumerate(self.modules, 1) if m.has_platform}
        marks = {leg[-1] for leg in self.legs} | {
            j
            for j, link in enumerate(self.links, 1)
            if not self.frame(j).is_joint and all(getattr(link, name).is_zero for name in (*INERTIA, *DRIVE))
        }

        def names(j: int) -> dict[str, Number | str]:
            if j in ends:
                return {name: f"{name}{ends[j]}" for name in INERTIA}
            return {} if j in marks else {name: f"{name}{j}" for name in (*INERTIA, *DRIVE)}

        return self.with_links(names(j) for j in range(1, self.NL + 1))

    def rebuilt(self, graph: Graph, convert: Callable[[Iterable[Expr]], Iterable[Expr]]) -> Robot:
        """The robot with its entries converted to another graph."""
        links = (*self.links, self.base.link)
        told = [value for link in links if link is not None and link.central is not None for value in link.central]
        everything = [*(value for _, _, value in self.entries()), *told]
        image: dict[Expr, Expr] = dict(zip(everything, convert(everything), strict=True))
        return replace(
            self,
            frames=tuple(converted(part, image) for part in self.frames),
            links=tuple(converted(part, image) for part in self.links),
            joints=tuple(converted(part, image) for part in self.joints),
            base=converted(self.base, image),
            gravity=tuple(image[g] for g in self.gravity),
            transmission=None if self.transmission is None else self.transmission.through(image.__getitem__),
            graph=graph,
        )

    # ----------------------------------------------------------------- identity

    def _key(self) -> tuple[Any, ...]:
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
        return self._key() == other._key() if isinstance(other, Robot) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    # ----------------------------------------------------------------- showing

    def __repr__(self) -> str:
        return one_line(self)

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html_page(f"{self.name}  {self.title}", list(sheets(self, 5)))

    def _repr_latex_(self) -> str:
        return as_latex_array(self)

    # ----------------------------------------------------------------- writing

    def write(self, path: str | Path) -> None:
        """Write the description; the extension chooses the format."""
        from robosym.formats import write

        write(self, path)

    def draw(self, q: Any = None, **options: Any) -> Drawing:
        """A picture of the robot at the positions `q` of its joints or, where passive ones follow, of its motors.

        With the options of `rs.draw`; a notebook shows it.
        """
        from robosym.drawing import draw

        return draw(self, q, **options)

    def dumps(self, format: str | None = None) -> str:
        """The description as text: "par" (SYMORO+, the default), "opensymoro", "yaml", "urdf", "mjcf" or "sdf".

        A robot with a platform is written as "yaml"; the robot of `to_closed` has the other formats too.
        """
        from robosym.formats import dumps

        return dumps(self, format or ("yaml" if self.modules else "par"))
