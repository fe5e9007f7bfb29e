"""The description of a robot, immutable and validated: how one is made, changed, checked, shown and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robosym.algebra import Expr, Graph, Number, parse, substitute
from robosym.algebra.once import FrozenDict, cached_property
from robosym.errors import InputError, RobotError, closest
from robosym.mechanism.added_frame import with_frame
from robosym.mechanism.central_inertia import told_at_centre, with_central
from robosym.mechanism.coupling import coupled_by_relations
from robosym.mechanism.description import Description
from robosym.mechanism.edit import edited, entry, numbers_of, with_inputs, with_payload
from robosym.mechanism.elements import (
    DRIVE,
    INERTIA,
    converted,
)
from robosym.mechanism.modules import check_modules, module_robot
from robosym.mechanism.series import closed_form, in_series
from robosym.mechanism.sheets import as_html_page, as_latex_array, as_text, one_line, sheets
from robosym.mechanism.transmission import with_transmission
from robosym.mechanism.validation import (
    check_names,
    check_structure,
    check_variables,
    implausible,
    joint_variable,
)

if TYPE_CHECKING:
    from robosym.coordinates.reference_position import ReferencePosition
    from robosym.drawing.draw import Drawing

__all__ = ["Robot"]


@dataclass(frozen=True, eq=False, repr=False)
class Robot(Description):
    """A robot; build one with `rs.load`, `rs.loads` or a format, change one with `with_values`."""

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

        changed = tuple(
            replace(link, **{name: entry(value, graph, name) for name, value in change.items()})
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

    def edit(self, changes: Mapping[str, object] | None = None, **keywords: object) -> Robot:
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
        pose: object = None,
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
