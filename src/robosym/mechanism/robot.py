"""The description of a robot: frames, links, joints, loops, base and gravity, immutable and validated.

Frames are numbered from 1; frame 0 is the base. Frames 1..NL are the links of the tree, NL+1..NJ the cut joints of the
loops, NJ+1..NF the fixed frames that must coincide with them (frame k with frame k + B), NF = NL + 2B.
Frame j follows from its antecedent by Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from robosym.algebra import Expr, Graph, Number, parse, substitute, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.frozen import FrozenDict
from robosym.algebra.trigonometry import linear_terms
from robosym.errors import InputError, RobotError, closest
from robosym.mechanism.central_inertia import Central, told_at_centre, with_central
from robosym.mechanism.coupling import Coupling, check_couplings
from robosym.mechanism.described import Described
from robosym.mechanism.follow import Follow
from robosym.mechanism.friction import FRICTIONLESS, LOAD, JointFriction
from robosym.mechanism.joints import HELICAL, JOINT_TYPES, JointType, helical
from robosym.mechanism.limits import UNLIMITED, Limits
from robosym.safe_text import wrong_name

if TYPE_CHECKING:
    from robosym.mechanism.driven import Driven

__all__ = ["Base", "Frame", "Joint", "Link", "Robot"]

GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")
INERTIA = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
DRIVE = ("IA", "FV", "FS")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
MOTION = ("QP", "QDP", "GAM")
BASE_MOTION = ("W0", "WP0", "V0", "VP0")


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a frame stands with respect to its antecedent, and what joint is between the two."""

    ant: int
    sigma: int
    mu: int
    gamma: Expr
    b: Expr
    alpha: Expr
    d: Expr
    theta: Expr
    r: Expr
    pitch: float = field(default=0.0, kw_only=True)  #: of a helical joint: the advance along z in a turn

    @property
    def joint_type(self) -> JointType:
        return helical(self.pitch) if self.sigma == HELICAL else JOINT_TYPES[self.sigma]

    @property
    def is_joint(self) -> bool:
        return self.sigma not in JOINT_TYPES or self.joint_type.moves  # a wrong sigma is told when a robot is made

    def at(self, value: Expr) -> Frame:
        """The frame with this value in the parameter that holds its joint variable; a fixed frame as it is."""
        change: dict[str, Any] = {self.joint_type.variable: value} if self.is_joint else {}
        return replace(self, **change)

    def screw(self, value: Callable[[Expr], Any]) -> tuple[Any, Any]:
        """The last turn about z and shift along z to the frame, joint variable included, entries through `value`."""
        return self.joint_type.placed(value(self.theta), value(self.r))


@dataclass(frozen=True, slots=True)
class Link:
    """Inertia at the frame's origin, drive (rotor inertia, friction), and the wrench exerted on the environment."""

    XX: Expr
    XY: Expr
    XZ: Expr
    YY: Expr
    YZ: Expr
    ZZ: Expr
    MX: Expr
    MY: Expr
    MZ: Expr
    M: Expr
    IA: Expr
    FV: Expr
    FS: Expr
    FX: Expr
    FY: Expr
    FZ: Expr
    CX: Expr
    CY: Expr
    CZ: Expr
    central: Any = None  #: a `Central`: the inertia as it was told at the centre of mass, if it was; a remark


@dataclass(frozen=True, slots=True)
class Joint:
    """Velocity, acceleration and torque of a joint; `eta` is 1 for an elastic joint, whose stiffness is `k`."""

    QP: Expr
    QDP: Expr
    GAM: Expr
    eta: int
    k: Expr
    rest: Expr | None = None  #: the position where the spring of an elastic joint exerts nothing; None for 0
    name: str = ""  #: as its maker calls it; where there is none, the joint goes by its variable
    limits: Limits = UNLIMITED
    follows: Follow | None = None  #: the joint whose motion decides that of this one
    friction: JointFriction = FRICTIONLESS  #: beside FV and FS of the link

    @property
    def acts(self) -> bool:
        """Whether it has a spring, or friction beside that of its link."""
        return bool(self.eta) or any(not value.is_zero for _, value in self.friction.values)


@dataclass(frozen=True, slots=True)
class Base:
    """Pose of frame 0 in the world (`Z`, row by row), its motion in frame 0, and its inertia where it moves."""

    kind: str  #: "fixed", "mobile" (motion given) or "floating" (motion unknown)
    Z: tuple[Expr, ...]
    W0: tuple[Expr, ...]
    WP0: tuple[Expr, ...]
    V0: tuple[Expr, ...]
    VP0: tuple[Expr, ...]
    link: Link | None


Part = TypeVar("Part", Frame, Link, Joint, Base)


def expressions(part: Any) -> Iterator[tuple[str, Expr]]:
    """Every expression of a frame, link, joint or base with the name of its field."""
    for entry in fields(part):
        value = getattr(part, entry.name)
        if isinstance(value, Expr):
            yield entry.name, value
        elif isinstance(value, tuple):
            for number, item in enumerate(value, 1):
                yield f"{entry.name}[{number}]", item
        elif isinstance(value, Link):
            yield from expressions(value)
        elif isinstance(value, JointFriction):
            yield from value.values


def _convert(part: Part, image: Mapping[Expr, Expr]) -> Part:
    """The same part with its expressions replaced."""

    def one(value: Any) -> Any:
        if isinstance(value, Expr):
            return image[value]
        if isinstance(value, tuple):
            return tuple(image[item] for item in value)
        if isinstance(value, JointFriction):
            return replace(value, values=tuple((name, image[item]) for name, item in value.values))
        if isinstance(value, Central):
            return value.through(image.__getitem__)
        return _convert(value, image) if isinstance(value, Link) else value

    return type(part)(**{entry.name: one(getattr(part, entry.name)) for entry in fields(part)})


@dataclass(frozen=True, eq=False, repr=False)
class Robot(Described):
    """A robot; build one with `rs.load`, `rs.loads` or a format, change one with `with_values`."""

    name: str
    frames: tuple[Frame, ...]  #: frame j is `frames[j - 1]`
    links: tuple[Link, ...]  #: NL of them
    joints: tuple[Joint, ...]  #: NJ of them
    base: Base
    gravity: tuple[Expr, Expr, Expr]
    graph: Graph = field(repr=False)
    title: str = ""
    source: str = ""
    frame_names: Mapping[str, int] = field(default_factory=dict)  #: frames by name; a frame may have several, or none
    #: of joint variables, and of lengths that are symbols: where the loops are closed
    position: Mapping[str, float] = field(default_factory=dict)
    picture: Mapping[str, float] = field(default_factory=dict)  #: joints and symbols as pictures show them; a remark
    couplings: Mapping[str, Coupling] = field(default_factory=dict)  #: by variable: joints that others move
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
        """ "simple", "tree" or "closed"."""
        if self.loops:
            return "closed"
        serial = all(frame.ant == j - 1 for j, frame in enumerate(self.frames, 1))
        return "simple" if serial else "tree"

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
        """The names of the joints of the tree in the order of `q`; the variable of a joint that has none."""
        return tuple(self.joint(j).name or self.variable(j) for j in self.tree_joints)

    @property
    def joint_limits(self) -> tuple[Limits, ...]:
        """The limits of the joints of the tree in the order of `q`."""
        return tuple(self.joint(j).limits for j in self.tree_joints)

    @property
    def relations(self) -> dict[str, Follow]:
        """The joints of the tree that follow others, by name: what a gripper's second finger does, or a gear."""
        named = zip(self.joint_names, self.tree_joints, strict=True)
        found = ((name, self.joint(j).follows) for name, j in named)
        return {name: follows for name, follows in found if follows is not None}

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
            raise InputError(f"{self.name} has no frame {_short(frame)!r}{closest(frame, known)}{has}")
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
            f"{_short(str(joint))!r}{closest(joint, names)}"
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

    # ------------------------------------------------------------- validation

    def __post_init__(self) -> None:
        for name in ("frame_names", "position", "picture", "couplings"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))
        self._check_structure()
        object.__setattr__(self, "variables", tuple(self._variable(j) for j in range(1, self.NF + 1)))
        named = {joint.name: self.variables[j] for j, joint in enumerate(self.joints) if joint.name}
        position = {key if key in self.variables else named.get(key) or key: v for key, v in self.position.items()}
        object.__setattr__(self, "position", FrozenDict(position))
        self._check_variables()
        self._check_names()

    def _check_structure(self) -> None:
        if not self.links:
            raise RobotError("a robot needs at least one link")
        loops = self.NJ - self.NL
        if loops < 0 or self.NL + 2 * loops != self.NF:
            raise RobotError(
                f"{self.NF} frames, {self.NL} links and {self.NJ} joints do not fit: "
                f"expected NJ >= NL and NF = 2 NJ - NL = {2 * self.NJ - self.NL}"
            )
        for j, frame in enumerate(self.frames, 1):
            if not 0 <= frame.ant < j:
                raise _wrong(j, "ant", f"expected an antecedent from 0 to {j - 1}, found {frame.ant}")
            if frame.sigma not in JOINT_TYPES:
                *others, last = (f"{kind.sigma} ({kind.name})" for kind in JOINT_TYPES.values())
                raise _wrong(j, "sigma", f"expected {', '.join(others)} or {last}, found {frame.sigma}")
            if (frame.sigma == HELICAL) != (frame.pitch != 0) or not math.isfinite(frame.pitch):
                wanted = (
                    "a finite advance in a turn, not 0" if frame.sigma == HELICAL else "none but of a helical joint"
                )
                raise _wrong(j, "pitch", f"expected {wanted}, found {frame.pitch!r}")
            if frame.mu not in (0, 1):
                raise _wrong(j, "mu", f"expected 1 (active) or 0 (passive), found {frame.mu}")
            if self.NL < frame.ant <= self.NJ:
                raise _wrong(j, "ant", f"expected a link, found {frame.ant}, the frame of a cut joint")
            if j > self.NJ and frame.is_joint:
                raise _wrong(j, "sigma", f"it closes the loop of frame {j - loops} and must be fixed (2)")
        for j, joint in enumerate(self.joints, 1):
            if joint.eta not in (0, 1):
                raise _wrong(j, "eta", f"expected 1 (elastic) or 0 (rigid), found {joint.eta}")
            if joint.eta and not self.frame(j).is_joint:
                raise _wrong(j, "eta", "a fixed frame has no joint that could be elastic: expected 0")
        carrier = list(range(self.NF + 1))  # the link that carries a frame: a fixed one stands on its antecedent's
        for j in range(self.NJ + 1, self.NF + 1):
            carrier[j] = carrier[self.frame(j).ant]
        for cut, fixed in self.loops:
            if carrier[self.frame(cut).ant] == carrier[self.frame(fixed).ant]:
                raise _wrong(
                    fixed, "ant", f"frames {cut} and {fixed} close a loop but stand on the same link: they do not pair"
                )
        if self.base.kind not in ("fixed", "mobile", "floating"):
            raise RobotError(f"base: expected fixed, mobile or floating, found {self.base.kind!r}")
        if (self.base.kind == "fixed") is not (self.base.link is None):
            has = "a fixed base has no" if self.base.kind == "fixed" else f"a {self.base.kind} base needs a"
            raise RobotError(f"base: {has} link")
        if len(self.base.Z) != 16:
            raise RobotError(f"base: Z: expected 16 entries, row by row, found {len(self.base.Z)}")
        for name in BASE_MOTION:
            if len(getattr(self.base, name)) != 3:
                raise RobotError(f"base: {name}: expected 3 entries, found {len(getattr(self.base, name))}")
            moves = [k for k, value in enumerate(getattr(self.base, name), 1) if not value.is_zero]
            if moves and self.base.kind == "fixed":
                raise RobotError(
                    f"base: a fixed base does not move, found {_short(getattr(self.base, name)[moves[0] - 1])}: "
                    "expected type mobile (its motion is given) or floating (it is unknown), or 0",
                    field=f"{name}[{moves[0]}]",
                )
        if len(self.gravity) != 3:
            raise RobotError(f"gravity: expected 3 entries, found {len(self.gravity)}")

    def _variable(self, j: int) -> str | None:
        """The symbol that moves frame j: alone in theta or r, but for a constant offset."""
        frame = self.frame(j)
        if not frame.is_joint:
            return None
        where, kind = frame.joint_type.variable, frame.joint_type.name
        value: Expr = getattr(frame, where)
        names = list(symbols([value]))
        if not names:
            raise _wrong(j, where, f"expected the variable of the {kind} joint, found the constant {_short(value)}")
        if len(names) > 1:
            raise _wrong(
                j, where, f"expected one variable and a constant offset, found {len(names)} symbols in {_short(value)}"
            )
        for base, coefficient in linear_terms(value).items():
            if base.op == "symbol" and coefficient == 1:
                continue
            if list(symbols([base])):
                example = f"{_short(names[0])} + Pi/2"
                raise _wrong(j, where, f"expected a variable plus a constant, such as {example}, found {_short(value)}")
        return names[0]

    def _check_variables(self) -> None:
        owner: dict[str, int] = {}
        for j, name in enumerate(self.variables, 1):
            if name is not None and owner.setdefault(name, j) != j:
                raise _wrong(
                    j, self.frame(j).joint_type.variable, f"the variable {name} is already that of frame {owner[name]}"
                )
        held = {(f"frame {j}", frame.joint_type.variable) for j, frame in enumerate(self.frames, 1) if frame.is_joint}
        for place, name, value in self.entries():
            if (place, name) in held:
                continue
            for symbol in symbols([value]):
                if symbol in owner:
                    message = f"{symbol} is the variable of frame {owner[symbol]} and cannot be a parameter"
                    what, _, number = place.partition(" ")
                    if number:  # links and joints have the number of their frame
                        raise _wrong(int(number), name, message)
                    raise RobotError(f"{what}: {message}", field=name)

    def _check_names(self) -> None:
        wrong = wrong_name(self.name)
        if wrong:
            raise RobotError(wrong, field="name")
        for name, j in self.frame_names.items():
            if not is_name(name):
                raise _wrong(j, "name", f"expected a name of printable characters, found {_short(name)!r}")
            if not 0 <= j <= self.NF:
                raise RobotError(f"name: {_short(name)!r} is given to frame {j}: expected 0 to {self.NF}")
        owner: dict[str, int] = {}
        for j, joint in enumerate(self.joints, 1):
            joint.limits.check(j)
            joint.friction.check(j, cut=j > self.NL)
            if not joint.name:
                continue
            if not is_name(joint.name):
                raise _wrong(j, "joint", f"expected a name of printable characters, found {_short(joint.name)!r}")
            if owner.setdefault(joint.name, j) != j:
                raise _wrong(j, "joint", f"the name {joint.name} is already that of joint {owner[joint.name]}")
        for j, joint in enumerate(self.joints, 1):
            follows = joint.follows
            if follows is not None and j > self.NL:
                raise _wrong(j, "follows", "a cut joint cannot follow another: cut this loop elsewhere")
            if follows is not None and follows.joint not in {*self.joint_names} - {joint.name or self.variables[j - 1]}:
                raise _wrong(j, "follows", f"expected the name of another joint, found {_short(follows.joint)!r}")
            if follows is not None and not (math.isfinite(follows.ratio) and math.isfinite(follows.offset)):
                raise _wrong(j, "follows", f"expected finite numbers, found {follows.ratio!r}, {follows.offset!r}")
        motors = [self.variable(j) for j in self.tree_joints if self.frame(j).mu]
        cut = {self.variable(j) for j in self.cut_joints}
        for name in cut & {name for one, coupling in self.couplings.items() for name in (one, *coupling.ratios)}:
            raise RobotError(
                f"{name} is a cut joint, which has no coupling: cut this loop elsewhere", field="couplings"
            )
        check_couplings(self.couplings, [self.variable(j) for j in self.tree_joints], motors)
        known = [name for name in self.variables if name]
        if not known or not {*self.position} <= {*known}:
            known += [name for name in symbols(v for f in self.frames for _, v in expressions(f)) if name not in known]
        for variable, value in self.position.items():
            if variable not in known:
                message = (
                    f"{_short(variable)} is no joint variable and no length of the frames{closest(variable, known)}"
                )
                raise RobotError(message, field="position")
            if not math.isfinite(value):
                raise RobotError(f"{variable}: expected a finite number, found {value!r}", field="position")

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
        robot = robot._rebuilt(graph, lambda roots: substitute(roots, graph, images)).changed()
        # decimals at a centre of mass are rounded once: they are moved to the origin after the values are known
        told = [told_at_centre(link) is not None for link in self.links]
        links = (with_central(link, link.central) if own else link for own, link in zip(told, robot.links, strict=True))
        return replace(robot, links=tuple(links)) if any(told) else robot

    def with_links(self, links: Iterable[Mapping[str, Number | str]]) -> Robot:
        """The robot with fields of its links replaced, one mapping a link (`{"M": "M1", "XX": 0.2}`)."""
        graph = Graph()
        robot = self._rebuilt(graph, graph.copy)

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
        from robosym.mechanism.edit import edited

        return edited(self, {**(changes or {}), **keywords})

    def with_payload(
        self,
        link: int | str,
        mass: Number | str,
        com: Sequence[Number | str] = (0, 0, 0),
        inertia: Sequence[Number | str] = (0, 0, 0, 0, 0, 0),
    ) -> Robot:
        """The robot with a body on a link; `com`, and `inertia` (xx xy xz yy yz zz) there, are in the link's frame."""
        from robosym.mechanism.edit import with_payload

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
        from robosym.mechanism.added_frame import with_frame

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
        from robosym.mechanism.symbolic_inputs import with_inputs

        return with_inputs(self, inputs, link)

    def with_transmission(
        self, K: Sequence[Sequence[Number | str]], q0: Sequence[Number | str] | None = None
    ) -> Driven:
        """The robot in the coordinates of its motors, q = K qc + q0: efforts go by K^T (guide 1.3)."""
        from robosym.mechanism.driven import driven

        return driven(self, K, q0)

    def with_relations(self) -> Robot:
        """The robot whose `relations` hold in its models: joints that follow others are coupled to them."""
        from robosym.mechanism.follow import coupled_by_relations

        return coupled_by_relations(self)

    def numbers(self) -> dict[str, float]:
        """Every entry that is a number, by its path as `edit` takes it: `{"frame3.d": 0.45, ...}`."""
        from robosym.mechanism.edit import numbers_of

        return numbers_of(self)

    def check(self) -> tuple[str, ...]:
        """What no body can have: negative masses, inertias that are not positive, broken triangle inequalities."""
        from robosym.mechanism.plausible import implausible

        return implausible(self)

    def changed(self) -> Robot:
        """The same robot, known to differ from the file that it was read from."""
        mark = ", changed since"
        return replace(self, origin=self.origin + mark) if self.origin and not self.origin.endswith(mark) else self

    def in_graph(self, graph: Graph) -> Robot:
        """The same robot, its entries in another graph."""
        return self._rebuilt(graph, graph.copy)

    def symbolic(self) -> Robot:
        """The robot with the standard symbols XXj .. Mj, IAj, FVj, FSj in place of its links' numbers.

        A fixed frame without inertia marks a place on its link and gets none.
        """
        names = (*INERTIA, *DRIVE)
        marks = {
            j
            for j, link in enumerate(self.links, 1)
            if not self.frame(j).is_joint and all(getattr(link, name).is_zero for name in names)
        }
        return self.with_links({} if j in marks else {n: f"{n}{j}" for n in names} for j in range(1, self.NL + 1))

    def _rebuilt(self, graph: Graph, convert: Any) -> Robot:
        links = (*self.links, self.base.link)
        told = [value for link in links if link is not None and link.central is not None for value in link.central]
        everything = [*(value for _, _, value in self.entries()), *told]
        image: dict[Expr, Expr] = dict(zip(everything, convert(everything), strict=True))
        return replace(
            self,
            frames=tuple(_convert(part, image) for part in self.frames),
            links=tuple(_convert(part, image) for part in self.links),
            joints=tuple(_convert(part, image) for part in self.joints),
            base=_convert(self.base, image),
            gravity=tuple(image[g] for g in self.gravity),  # type: ignore[arg-type]
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
        )
        return self.name, str(whole), str(names), tuple((p, f, canonical_text(e)) for p, f, e in self.entries())

    # ----------------------------------------------------------------- writing

    def dumps(self, format: str = "par") -> str:
        """The description as text: "par" (SYMORO+), "opensymoro", "yaml", "urdf", "mjcf" or "sdf"."""
        from robosym.formats import dumps

        return dumps(self, format)


def is_name(text: str) -> bool:
    """Whether a text may name a frame or a joint: it must fit on a line and in a comment of a .par file."""
    return bool(text) and text == text.strip() and text.isprintable() and "(*" not in text and "*)" not in text


def _short(value: Expr | str) -> str:
    """What a message shows of an expression."""
    text = value if isinstance(value, str) else canonical_text(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _wrong(frame: int, name: str, message: str) -> RobotError:
    return RobotError(message, frame=frame, field=name)


def need_no_load(robot: Robot, what: str) -> None:
    """An error for a robot whose friction depends on load, where torques must be linear in accelerations."""
    for j, joint in enumerate(robot.joints, 1):
        if any(name == LOAD and not value.is_zero for name, value in joint.friction.values):
            raise InputError(f"{robot.name}: joint {j} has friction under load (FL): {what} has no place for it")


def need_rigid(robot: Robot, what: str) -> None:
    """An error for a robot with elastic joints, where every joint must have a motor."""
    for j in robot.tree_joints:
        if robot.joint(j).eta:
            raise InputError(f"{robot.name}: joint {j} is elastic: {what} needs a motor in each joint")


#: Of a floating base in a model that takes its motion as given: angular, then linear acceleration in frame 0.
BASE_ACCELERATION = ("WP10", "WP20", "WP30", "VP10", "VP20", "VP30")


def with_given_motion(robot: Robot) -> Robot:
    """A robot on a floating base as one on a mobile base, whose acceleration is the symbols BASE_ACCELERATION."""
    if robot.base.kind != "floating":
        return robot
    given = tuple(map(robot.graph.symbol, BASE_ACCELERATION))
    return replace(robot, base=replace(robot.base, kind="mobile", WP0=given[:3], VP0=given[3:]))
