"""Robot: an immutable, validated description, with methods that derive, check, display and write robots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robosym.algebra import Expr, Graph, Number, parse, substitute
from robosym.algebra.once import FrozenDict, cached_property
from robosym.errors import InputError, RobotError, closest
from robosym.mechanism.added_frame import with_frame
from robosym.mechanism.central_inertia import stored_central, with_central
from robosym.mechanism.contacts import check_contacts, with_contacts
from robosym.mechanism.coupling import coupled_by_relations
from robosym.mechanism.description import Description
from robosym.mechanism.drive_bodies import with_elasticity, with_rotor
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

_MOST_LINKS = 10_000  #: a larger number in `Robot.new` is taken for a mistake


@dataclass(frozen=True, eq=False, repr=False)
class Robot(Description):
    """Immutable, validated description of a robot.

    `robosym.load` and `robosym.loads` read a robot, `Robot.new` creates one. Methods that change an entry return a new
    robot.

    Examples
    --------
    >>> import robosym as rs
    >>> robot = rs.load("rx90")
    >>> robot
    <Robot rx90: Stäubli RX90 (symbolic); simple, 6 joints>
    >>> robot.joint_names
    ('t1', 't2', 't3', 't4', 't5', 't6')
    >>> robot.with_values({"D3": 0.45}).frame(3).d
    Expr(0.45)
    """

    @property
    def leg_tree(self) -> Robot:
        """Legs of a parallel robot as a tree, without the platform."""
        count = self.module.last
        return replace(
            self, frames=self.frames[:count], links=self.links[:count], joints=self.joints[:count], modules=(),
            frame_names={name: j for name, j in self.frame_names.items() if j <= count},
        )  # fmt: skip

    def module_robots(self) -> tuple[Robot, ...]:
        """Return each module as a separate robot.

        Returns
        -------
        tuple of Robot
            One robot per module, frames numbered from 1; empty for a robot without modules.
        """
        return self._module_robots

    @cached_property
    def _module_robots(self) -> tuple[Robot, ...]:
        """Cached, because each robot caches its reference position and the closed forms of its legs."""
        return tuple(module_robot(self, module) for module in self.modules)

    @property
    def reference(self) -> ReferencePosition | None:
        """Reference position with closed legs: pose, joints and branches.

        None if the description has no numeric reference position.
        """
        from robosym.coordinates.reference_position import reference_position

        return reference_position(self)

    def at(self, pose: Sequence[float] | None = None, joints: Mapping[str, float] | None = None) -> Robot:
        """Return the robot with another reference position: a pose of its platform, joint values, or both.

        Parameters
        ----------
        pose : sequence of float, optional
            Pose of the platform in frame 0 (m, rad): 12 numbers (R row by row, then P), six (x, y, z, roll, pitch, yaw)
            or three (x, y, z; the legs determine the orientation).
        joints : dict of str to float, optional
            Joint values by variable (rad, m). Together with a pose, they select the branches of the legs.

        Returns
        -------
        Robot
            The robot with this reference position.

        Raises
        ------
        InputError
            If `pose` is not a list of 3, 6 or 12 numbers.
        """
        try:
            given = None if pose is None else tuple(float(x) for x in pose)
        except (TypeError, ValueError):
            raise InputError(f"pose: expected 3, 6 or 12 numbers, found {pose!r}") from None
        known = dict(joints or {}) if joints is not None or pose is not None else dict(self.position)
        return replace(self, position=known, modules=(replace(self.module, reference_pose=given),))

    def to_closed(self) -> Robot:
        """Return the same robot in joint coordinates, with loops in place of platforms.

        The platform becomes a link of leg 1, and the last joint of every other leg is cut.

        Returns
        -------
        Robot
            Robot with loops, at the same reference position; the robot itself if it has no platform.
        """
        return self.closed_at(self.closed_position()) if self.modules else self

    def closed_at(self, position: Mapping[str, float]) -> Robot:
        """Return the robot of `to_closed` with another reference position.

        Parameters
        ----------
        position : dict of str to float
            Joint values by variable (rad, m).

        Returns
        -------
        Robot
            Robot with loops.
        """
        return closed_form(self, position).robot

    def closed_position(self) -> dict[str, float]:
        """Return the reference position, with the joint values that close the legs of each platform.

        Returns
        -------
        dict of str to float
            Joint values by variable (rad, m).
        """
        known = dict(self.position)
        for module, robot in zip(self.modules, self.module_robots(), strict=True):
            try:
                reference = robot.reference if module.has_platform else None
            except InputError:  # not a pose of the platform; the loops are checked separately
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
        """Return a robot of modules in series, each an arm or a robot with a platform.

        Parameters
        ----------
        name : str
            Name of the robot.
        modules : iterable of Robot
            Modules, the first on the base, each of the others on the platform or the last frame of the previous one.
        places : sequence of dict, optional
            For each module, the parameters `gamma`, `b`, `alpha`, `d`, `theta`, `r` (rad, m) of its base with respect
            to the frame that carries it; 0 where not given.
        gravity : sequence of three numbers or expressions, optional
            Gravity in frame 0 (m/s^2). Default: gravity of the first module.
        title, source : str, optional
            Title and origin of the data.

        Returns
        -------
        Robot
            Robot of structure "hybrid". Where two modules have a symbol in common, the symbols of module k get the
            suffix `_k`.

        Raises
        ------
        RobotError
            If a robot cannot be a module: it has loops, couplings, a moving base or several modules itself.
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
        check_contacts(self)

    # ------------------------------------------------------------------ change

    def with_values(self, values: Mapping[str, Number | str]) -> Robot:
        """Return the robot with parameters replaced by numbers or expressions.

        Parameters
        ----------
        values : dict of str to number or str
            Numbers or expressions by parameter: `{"D3": 0.45, "D4": "2*L"}`.

        Returns
        -------
        Robot
            The robot with these values.

        Raises
        ------
        RobotError
            If a name is a joint variable or is not a parameter of the robot.

        Examples
        --------
        >>> import robosym as rs
        >>> rs.load("rx90").with_values({"D3": 0.45, "RL4": "2*D3"}).frame(4).r
        Expr(2*D3)
        """
        known = self.parameters
        for name in values:
            if name in self.variables:
                raise RobotError(f"{name} is a joint variable: expected a parameter")
            if name not in known:
                listed = ", ".join([*known][:20]) + (", ..." if len(known) > 20 else "")
                has = f"it has {listed}" if known else "all its entries are numbers"
                raise RobotError(f"{self.name} has no parameter {name}{closest(name, known)}: {has}")
        graph = Graph()
        images = {name: parse(v, graph) if isinstance(v, str) else graph.number(v) for name, v in values.items()}
        position, picture = (
            {name: value for name, value in given.items() if name not in values}
            for given in (self.position, self.picture)
        )
        robot = replace(self, position=position, picture=picture)
        robot = robot.rebuilt(graph, lambda roots: substitute(roots, graph, images)).changed()
        # converting inertias to the origin after the substitution rounds decimals once
        stored = [stored_central(link) is not None for link in self.links]
        pairs = zip(stored, robot.links, strict=True)
        links = (with_central(link, link.central) if central else link for central, link in pairs)
        return replace(robot, links=tuple(links)) if any(stored) else robot

    def with_links(self, links: Iterable[Mapping[str, Number | str]]) -> Robot:
        """Return the robot with fields of its links replaced.

        Parameters
        ----------
        links : iterable of dict
            One mapping per link, from a field to a number or expression: `{"M": "M1", "XX": 0.2}`.

        Returns
        -------
        Robot
            The robot with these links.
        """
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
        """Return a new robot with revolute joints, zero lengths and symbolic inertial parameters.

        This is the menu "new" of the SYMORO+ guide (5.4.1). Change the result with `edit`.

        Parameters
        ----------
        links : int
            Number of moving links.
        joints : int, optional
            Number of joints. Joints in excess of `links` are cut joints of loops, from the last link to the base.
            Default: `links`.
        structure : {"simple", "tree", "closed"}, optional
            Structure; checked against the number of joints.
        name : str, optional
            Name of the robot.
        **more
            Other keys of the YAML format.

        Returns
        -------
        Robot
            The new robot.

        Raises
        ------
        InputError
            If a number is not a positive integer, or the structure does not match the number of joints.

        Examples
        --------
        >>> import robosym as rs
        >>> robot = rs.Robot.new(2, name="planar")
        >>> robot.edit({"frame2.d": "L1"}).frame(2).d
        Expr(L1)
        """
        from robosym.formats import robot

        for what, number in (("links", links), ("joints", joints)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise InputError(f"{what}: expected a positive integer, found {number!r}")
            if number is not None and number > _MOST_LINKS:
                raise InputError(f"{what}: expected at most {_MOST_LINKS}, found {number}")
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
        """Return a new robot, as `Robot.new` does, with the name as the first argument.

        Parameters
        ----------
        name : str
            Name of the robot.
        links : int
            Number of moving links.
        joints : int, optional
            Number of joints, cut joints of loops included. Default: as many as links.

        Returns
        -------
        Robot
            The new robot.
        """
        return cls.new(links, joints, name=name)

    def edit(self, changes: Mapping[str, object] | None = None, **keywords: object) -> Robot:
        """Return the robot with entries replaced.

        Parameters
        ----------
        changes : dict, optional
            New values by path: `{"frame3.d": 0.45, "link6.FX": "F", "joint2.k": "K2", "base.W0[1]": 0}`. The name of a
            frame or joint can replace its number (`tool0.d`). `com` and `inertia` of a link are given at its center of
            mass, in the axes of its frame.
        **keywords
            Whole parts: `gravity=[0, 0, "-g"]`, `link6={"FX": "F"}`. Parts are `frame3`, `link6`, `joint2`, `base`,
            `gravity`, `position`, `name`, `title` and `source`.

        Returns
        -------
        Robot
            The robot with these entries.

        Raises
        ------
        RobotError
            If a path is unknown or a value is not valid there.

        Examples
        --------
        >>> import robosym as rs
        >>> robot = rs.load("rx90").edit({"frame3.d": 0.45}, gravity=[0, 0, -9.81])
        >>> robot.frame(3).d
        Expr(0.45)
        """
        return edited(self, {**(changes or {}), **keywords})

    def with_payload(
        self,
        link: int | str,
        mass: Number | str,
        com: Sequence[Number | str] = (0, 0, 0),
        inertia: Sequence[Number | str] = (0, 0, 0, 0, 0, 0),
    ) -> Robot:
        """Return the robot with a rigid body attached to a link.

        Parameters
        ----------
        link : int or str
            Link that carries the body, by number or name.
        mass : number or str
            Mass (kg).
        com : sequence of three numbers or str, optional
            Center of mass in the frame of the link (m).
        inertia : sequence of six numbers or str, optional
            Inertia xx, xy, xz, yy, yz, zz about the center of mass, in the axes of the link's frame (kg m^2).

        Returns
        -------
        Robot
            The robot whose link includes the body.

        Examples
        --------
        >>> import robosym as rs
        >>> rs.load("rx90").with_payload(6, mass=2, com=(0, 0, 0.05)).link(6).M
        Expr(M6 + 2)
        """
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
        """Return the robot with an additional fixed frame, such as a TCP, that every function accepts by name.

        Pass one of `pose`, `xyz` with `rpy`, and `geometry`. Positions and `geometry` may contain symbols.

        Parameters
        ----------
        name : str
            Name of the new frame, for example "tcp".
        parent : int or str, optional
            Frame that carries it, by number or name. Default: the end of the arm.
        pose : array_like, optional
            Pose in the frame of the parent: a 4x4 matrix, or x, y, z, roll, pitch, yaw (m, rad).
        xyz : sequence of three numbers or str, optional
            Position in the frame of the parent (m).
        rpy : sequence of three numbers, optional
            Roll, pitch and yaw about x, y and z of the parent (rad), as in URDF.
        **geometry
            Parameters `gamma`, `b`, `alpha`, `d`, `theta`, `r` of the new frame (rad, m).

        Returns
        -------
        Robot
            The robot with the frame.

        Raises
        ------
        InputError
            If the name is already used, or the pose is not valid.

        Examples
        --------
        >>> import robosym as rs
        >>> robot = rs.load("rx90").with_frame("tcp", 6, r="L")
        >>> robot.frame_names["tcp"]
        7
        """
        return with_frame(self, name, parent, pose, xyz, rpy, geometry)

    def with_elasticity(self, joint: int | str, stiffness: Number | str, damping: Number | str = 0) -> Robot:
        """Return the robot with an elastic gear between the motor of a joint and its link.

        The joint becomes two: that of the motor, with its variable, its rotor inertia IA, FV and FS, and the deflection
        of the gear, a joint with a spring that carries the link.

        Parameters
        ----------
        joint : int or str
            Revolute or prismatic joint with a motor, by number or name.
        stiffness : float or str
            Stiffness in N m/rad or N/m.
        damping : float or str
            Damping in N m s/rad or N s/m.

        Returns
        -------
        Robot
            The robot with one joint more.

        Raises
        ------
        InputError
            If the joint has no motor or no rotor inertia, or follows others.

        Examples
        --------
        >>> import robosym as rs
        >>> arm = rs.load("planar2r").edit({"link1.IA": 0.4}).with_elasticity(1, 2000)
        >>> arm.joint_names
        ('t1', 't1e', 't2')
        """
        return with_elasticity(self, joint, stiffness, damping)

    def with_rotor(
        self, joint: int | str, ratio: float, inertia: Number | str | None = None, pose: object = None
    ) -> Robot:
        """Return the robot with the rotor of a joint as a body that turns `ratio` times as fast, on the link before it.

        Its angular momentum then follows the link that carries it (gyroscopic effect), which IA neglects. Mass and
        transversal inertia of the rotor belong to that link.

        Parameters
        ----------
        joint : int or str
            Joint that the motor drives, by number or name.
        ratio : float
            Turns of the rotor per unit of the joint.
        inertia : float or str, optional
            Inertia of the rotor about its axis in kg m². Default: IA / ratio², which replaces IA.
        pose : array_like, optional
            Pose of the rotor, which turns about its z axis, in the frame of the link that carries it. Default: the axis
            of the joint.

        Returns
        -------
        Robot
            The robot with one coupled joint more.

        Raises
        ------
        InputError
            If the joint follows others, or no inertia is given.

        Examples
        --------
        >>> import robosym as rs
        >>> arm = rs.load("planar2r").edit({"link2.IA": 0.4}).with_rotor(2, 80)
        >>> dict(arm.couplings["t2m"].ratios)
        {'t2': 80.0}
        """
        return with_rotor(self, joint, ratio, inertia, pose)

    def with_inputs(self, *inputs: str, link: int | str | None = None) -> Robot:
        """Return the robot whose gravity, base orientation or payload is an input of every model.

        Parameters
        ----------
        *inputs : {"gravity", "orientation", "payload"}
            "gravity": the vector G1, G2, G3 in frame 0, input group `gravity`. "orientation": the quaternion QB0 .. QB3
            (w, x, y, z, not necessarily normalized) of frame 0 in the world, input group `base_orientation`; gravity is
            then expressed in the world. "payload": a rigid body of mass ML, center of mass XL, YL, ZL in the frame of
            the link and inertia XXL .. ZZL about the center of mass in its axes, all in the group `parameters`.
        link : int or str, optional
            Link that carries the payload. Its first moments and inertia are given in the frame of this link. Default:
            the end of the arm. The entry "payload:tool0" of `inputs` has the same effect.

        Returns
        -------
        Robot
            The robot with symbols for these quantities.
        """
        return with_inputs(self, inputs, link)

    def with_transmission(self, K: Sequence[Sequence[Number | str]], q0: Sequence[Number | str] | None = None) -> Robot:
        """Return the robot in the coordinates qc of its motors, with q = K qc + q0 (guide 1.3).

        The efforts of the motors are K^T times those of the joints.

        Parameters
        ----------
        K : sequence of rows
            Matrix with one row per joint and one column per motor. Rows of coupled joints may be omitted.
        q0 : sequence of numbers or str, optional
            Joint positions at zero of the motors, one per row of K. Default: 0.

        Returns
        -------
        Robot
            The robot with the transmission.

        Raises
        ------
        InputError
            If the robot has loops, elastic joints or a moving base, or the columns of K are linearly dependent.
        """
        return with_transmission(self, K, q0)

    def in_joints(self) -> Robot:
        """Return the robot without its transmission, with models in joint coordinates.

        Returns
        -------
        Robot
            The robot without the transmission; itself if it has none.
        """
        return self if self.transmission is None else replace(self, transmission=None)

    def with_contacts(self, *contacts: object) -> Robot:
        """Return the robot with these contacts of its links with the ground, in place of its own.

        The models of its dynamics then include the forces of the ground. A foot that leaves the ground is left out:
        `robot.with_contacts("left", "right")`; `robot.with_contacts()` is the robot without contacts.

        Parameters
        ----------
        *contacts : str, int or dict
            Name or number of a contact of the robot, or a new one as in a description:
            `{"frame": 3, "type": "wheel", "radius": 0.1}`.

        Returns
        -------
        Robot
            The robot with these contacts.

        Raises
        ------
        RobotError
            If a contact is invalid, or the robot has loops, couplings, a transmission or a platform.

        Examples
        --------
        >>> import robosym as rs
        >>> leg = rs.load("planar2r").with_contacts({"frame": 2, "type": "point", "at": [0.5, 0, 0], "name": "foot"})
        >>> len(leg.contacts), len(leg.with_contacts().contacts)
        (1, 0)
        """
        return with_contacts(self, contacts)

    def with_relations(self) -> Robot:
        """Return the robot whose models satisfy its `relations`: joints that follow others become coupled to them.

        Returns
        -------
        Robot
            The robot with couplings.
        """
        return coupled_by_relations(self)

    def numbers(self) -> dict[str, float]:
        """Return every numeric entry by its path.

        Returns
        -------
        dict of str to float
            Values by path, as `edit` accepts them: `{"frame3.d": 0.45, ...}`.
        """
        return numbers_of(self)

    def check(self) -> tuple[str, ...]:
        """Return remarks on probable mistakes.

        They concern physically inconsistent inertias, axes of an arm that are parallel, perpendicular or intersect up
        to noise and, for a parallel robot, its reference position and other operation modes.

        Returns
        -------
        tuple of str
            One sentence per remark; empty if there is none.
        """
        from robosym.coordinates.reference_position import geometric_remarks

        return (*self.check_bodies(), *geometric_remarks(self))

    def check_bodies(self) -> tuple[str, ...]:
        """Return remarks on physically inconsistent inertias.

        These are negative masses, inertia matrices that are not positive, and violated triangle inequalities.

        Returns
        -------
        tuple of str
            One sentence per remark; empty if there is none.
        """
        return implausible(self)

    def changed(self) -> Robot:
        """Return the same robot, marked as different from the file that it was read from.

        Returns
        -------
        Robot
            The robot with a changed `origin`.
        """
        mark = ", changed since"
        return replace(self, origin=self.origin + mark) if self.origin and not self.origin.endswith(mark) else self

    def in_graph(self, graph: Graph) -> Robot:
        """Return the same robot with its expressions in another graph.

        Parameters
        ----------
        graph : Graph
            Graph that receives the expressions.

        Returns
        -------
        Robot
            The same robot.
        """
        return self.rebuilt(graph, graph.copy)

    def symbolic(self) -> Robot:
        """Return the robot with the standard symbols XXj .. Mj, IAj, FVj, FSj as inertial and drive parameters.

        A fixed frame without inertia gets no symbols. Symbols of a platform end in P, or in Pk for the platform of
        module k.

        Returns
        -------
        Robot
            The robot with symbolic links.
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
        """Return the robot with its expressions converted to another graph.

        Parameters
        ----------
        graph : Graph
            Graph of the converted expressions.
        convert : callable
            Function from a list of expressions to the converted expressions, in the same order.

        Returns
        -------
        Robot
            The converted robot.
        """
        links = (*self.links, self.base.link)
        central = [value for link in links if link is not None and link.central is not None for value in link.central]
        everything = [*(value for _, _, value in self.entries()), *central]
        image: dict[Expr, Expr] = dict(zip(everything, convert(everything), strict=True))
        return replace(
            self,
            frames=tuple(converted(part, image) for part in self.frames),
            links=tuple(converted(part, image) for part in self.links),
            joints=tuple(converted(part, image) for part in self.joints),
            base=converted(self.base, image),
            gravity=tuple(image[g] for g in self.gravity),
            transmission=None if self.transmission is None else self.transmission.through(image.__getitem__),
            contacts=tuple(converted(part, image) for part in self.contacts),
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
        """Write the description to a file.

        Parameters
        ----------
        path : str or Path
            File to write. The extension selects the format: .par, .yaml, .urdf, .xml (MJCF) or .sdf.
        """
        from robosym.formats import write

        write(self, path)

    def draw(self, q: Any = None, **options: Any) -> Drawing:
        """Draw the robot.

        Parameters
        ----------
        q : array_like, optional
            Positions of its joints or, if the robot has passive joints, of its motors (rad, m).
        **options
            Options of `robosym.draw`.

        Returns
        -------
        Drawing
            The picture; notebooks display it.
        """
        from robosym.drawing import draw

        return draw(self, q, **options)

    def dumps(self, format: str | None = None) -> str:
        """Return the description as text.

        Parameters
        ----------
        format : {"par", "opensymoro", "yaml", "urdf", "mjcf", "sdf"}, optional
            Format. Default: "par" (SYMORO+), and "yaml" for a robot with a platform or with contacts, which the other
            formats cannot describe; they can describe the robot of `to_closed` and of `with_contacts()`.

        Returns
        -------
        str
            Contents of a file in this format.
        """
        from robosym.formats import dumps

        return dumps(self, format or ("yaml" if self.modules or self.contacts else "par"))
