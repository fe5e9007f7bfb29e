"""Reader of the native YAML format; see `robosym.formats.yaml` for the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from robosym.algebra import Expr, Graph
from robosym.errors import InputError, RobotError, missing_keys
from robosym.formats.source import check_name, shortened
from robosym.formats.standard_dh import at_joint, distal_steps, proximal_frames
from robosym.formats.yaml_compound import expanded, loop_count, with_numbers
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, NodeReader, TextNode, found_in
from robosym.mechanism import (
    BASE_MOTION,
    DRIVE,
    FIXED,
    FLOATING,
    GEOMETRY,
    INERTIA,
    JOINT_TYPES,
    MOTION,
    REVOLUTE,
    WRENCH,
    Base,
    Follow,
    Frame,
    Joint,
    JointFriction,
    Limits,
    Link,
    Robot,
    coupling_of,
    is_name,
)  # fmt: skip
from robosym.mechanism.central_inertia import Central, with_central
from robosym.mechanism.contacts import CONTACT_KEYS, contact_of
from robosym.mechanism.friction import OWN_PLACE
from robosym.mechanism.screws import ANGLES

__all__ = ["Reader"]

_TOP = (
    "name", "title", "source", "convention", "frames", "loops", "links", "wrench", "motion", "gravity", "base",
    "position", "picture", "couplings", "contacts",
)  # fmt: skip
_FRAME = ("name", "joint", "limits", "follows", "ant", "sigma", "pitch", "mu", *GEOMETRY)
_NO_BOUND = ("inf", "-inf")  # an unbounded end of a position range
_LIMITS = ("position", "velocity", "acceleration", "effort")
_ELASTIC = ("eta", "k", "rest")
_OF_JOINT = (*_ELASTIC, "friction", "elasticity")  # entries of a link that describe its joint
_OF_CUT = (*_ELASTIC, "friction", *OWN_PLACE)  # entries of a cut joint, which has no link
_BASE = ("name", "type", "Z", *BASE_MOTION, "link")
_CONVENTIONS = ("modified", "standard")
_KINDS = ("fixed", "mobile", "floating")
_IDENTITY = [int(row == column) for row in range(4) for column in range(4)]
_AT_CENTRE = ("com", "inertia")
_AT_ORIGIN = INERTIA[:-1]  # first moments and tensor; M is common to both forms


class Reader(NodeReader):
    """Reader of a description that records the positions of entries for errors."""

    def __init__(self, file: str | None) -> None:
        super().__init__(file)
        self.places: dict[tuple[int | None, str | None], Node] = {}
        self.frame_names: dict[str, int] = {}
        self.mark = ""  #: suffix of the symbols that the word `symbolic` stands for

    def heading(self, root: MapNode, default_name: str | None, *required: str) -> str:
        """Check required keys and return the name of the robot."""
        missing = [key for key in ("name", *required) if key not in root and not (key == "name" and default_name)]
        if missing:
            self.fail(missing_keys(missing), root)
        name = self.text(root, "name") or default_name or ""
        wrong = check_name(name)
        if wrong:
            self.fail(f"name: {wrong}", root.get("name"))
        return name

    def fail_at(self, error: RobotError) -> NoReturn:
        """Raise an error of the robot at the position of the entry it refers to."""
        known = (error.frame, error.field), (error.frame, None)
        self.fail(error, next((self.places[place] for place in known if place in self.places), None))

    def names(self, j: int, node: Node | None, what: str) -> None:
        """Read the name or names of a frame."""
        if node is None:
            return
        for item in node if isinstance(node, ListNode) else [node]:
            name = self.scalar(item, what).strip()
            if not is_name(name):
                self.fail(f"{what}: expected a name of printable characters, found {shortened(name)!r}", item)
            if self.frame_names.setdefault(name, j) != j:
                self.fail(f"{what}: duplicate name {shortened(name)}: frame {self.frame_names[name]} has it", item)

    # ------------------------------------------------------------------- parts

    def robot(self, root_node: Node, default_name: str | None) -> Robot:
        root = self.mapping(root_node, "the description", _TOP)
        with_numbers(root, self)
        root = expanded(root, self)
        name = self.heading(root, default_name, "frames", "gravity")
        bodies = len(self.items(root["frames"], "frames"))  # frames added at the ends of links have no mass
        standard = self.standard(root)
        frames = self.frames(root["frames"])
        loops = loop_count(self, root.get("loops"), len(frames))
        links = len(frames) - 2 * loops
        base_node = self.mapping(root.get("base", MapNode(1, 1)), "base", _BASE)
        self.names(0, base_node.get("name"), "base: name")
        kind = self.kind(base_node)
        wrenches = self.numbered(root.get("wrench"), "wrench", range(0 if kind != "fixed" else 1, links + 1), "a link")
        link_nodes = self.link_nodes(root.get("links"), links, links + loops, min(bodies, links))
        try:
            own = {j: self.link(j, link_nodes.get(j), wrenches.get(j)) for j in range(1, links + 1)}
            robot = Robot(
                name=name,
                frames=frames,
                links=tuple(at_joint(link, *standard[j]) if j in standard else link for j, link in own.items()),
                joints=self.joints(frames[: links + loops], link_nodes, root, links),
                base=self.base(base_node, kind, wrenches.get(0)),
                gravity=self.placed_vector(root["gravity"], "gravity", "G", 3),
                graph=self.graph,
                title=self.text(root, "title"),
                source=self.text(root, "source"),
                frame_names=self.frame_names,
                position=self.position(root.get("position")),
            )
            robot = self.touching(self.coupled(robot, root.get("couplings")), root.get("contacts"))
            return self.pictured(self.elastic(robot, link_nodes), root.get("picture"))
        except RobotError as error:
            self.fail_at(error)

    def elastic(self, robot: Robot, links: dict[int, Node]) -> Robot:
        """Insert the gears of the key `elasticity` of links: a stiffness, or a list of stiffness and damping."""
        for j in sorted(links, reverse=True):  # which adds a frame after link j
            node = links[j]
            own = node.get("elasticity") if isinstance(node, MapNode) else None
            if own is None:
                continue
            what = f"link {j}: elasticity"
            items = self.items(own, what) if isinstance(own, ListNode) else [own]
            if len(items) not in (1, 2):
                self.fail(f"{what}: expected a stiffness, or a list of stiffness and damping", own)
            try:
                robot = robot.with_elasticity(j, *(self.scalar(item, what) for item in items))
            except InputError as error:
                self.fail(f"{what}: {error}", own)
        return robot

    def standard(self, root: MapNode) -> dict[int, tuple[Expr, Expr]]:
        """Convert a table of the standard convention (a chain) to the modified one.

        Return the standard frame of each link in the new frame.
        """
        convention = self.text(root, "convention") or "modified"
        if convention not in _CONVENTIONS:
            message = f"convention: expected {' or '.join(_CONVENTIONS)}, found {shortened(convention)}"
            self.fail(message, root["convention"])
        if convention == "modified":
            return {}
        if "loops" in root:
            self.fail("loops: not allowed in the standard convention: use the modified convention", root["loops"])
        found = distal_steps(self, root["frames"])
        root["frames"] = proximal_frames(self, root["frames"])
        return found

    def frames(self, node: Node) -> tuple[Frame, ...]:
        items = self.items(node, "frames")
        if not items:
            self.fail("frames: expected at least one frame, found none", node)
        return tuple(self.frame(j, item) for j, item in enumerate(items, 1))

    def frame(self, j: int, node: Node) -> Frame:
        what = f"frame {j}"
        if isinstance(node, MapNode) and "a" in node:
            message = "a is a key of the standard convention: write `convention: standard`, or use `d` of the modified"
            self.fail(f"{what}: {message} convention (Khalil and Kleinfinger, Craig)", node.place("a"))
        given = self.mapping(node, what, _FRAME)
        self.places |= {(j, key): value for key, value in given.items()} | {(j, None): node}
        self.names(j, given.get("name"), f"{what}: name")

        def whole(key: str, default: int) -> int:
            return self.integer(given[key], f"{what}: {key}") if key in given else default

        ant, sigma = whole("ant", j - 1), whole("sigma", REVOLUTE)
        mu = whole("mu", int(sigma not in JOINT_TYPES or JOINT_TYPES[sigma].moves))
        values = self.geometry(given, what)
        pitch = self.number(given["pitch"], f"{what}: pitch") if "pitch" in given else 0.0
        return Frame(ant, sigma, mu, *values, pitch=pitch)

    def geometry(self, given: Mapping[str, Node], what: str) -> list[Expr]:
        """Read the geometric parameters of a frame, zero by default; angles may have a unit."""
        read = {key: self.angle if key in ANGLES else self.expression for key in GEOMETRY}
        return [read[key](given[key], f"{what}: {key}") if key in given else self.graph.zero for key in GEOMETRY]

    def fixed_frame(self, given: MapNode, what: str) -> Frame:
        """Read the `place` of a leg or module on its carrier as a fixed frame."""
        what = f"{what}: place"
        return Frame(0, FIXED, 0, *self.geometry(self.mapping(given.get("place", MapNode(1, 1)), what, GEOMETRY), what))

    def link_nodes(self, node: Node | None, links: int, joints: int, symbolic: int) -> dict[int, Node]:
        """Return the node of each listed link (or the word symbolic), and those of cut joints."""
        if node == "symbolic":
            return {j: TextNode(1, 1, "symbolic") for j in range(1, symbolic + 1)}
        if isinstance(node, ListNode):
            if len(node) > links:
                self.fail(f"links: expected at most {links} entries, found {len(node)}", node)
            return dict(enumerate(node, 1))
        if node is not None and not isinstance(node, MapNode):
            self.fail(f"links: expected a mapping from links to fields or the word symbolic, {found_in(node)}", node)
        found = self.numbered(node, "links", range(1, joints + 1), "a link")
        for j in range(links + 1, joints + 1):
            if j in found:
                for key in self.mapping(found[j], f"joint {j}").places():
                    if key in (*INERTIA, *DRIVE, *_AT_CENTRE) and key not in _OF_CUT:
                        message = f"joint {j}: {key}: not allowed: a cut joint has no link: cut this loop elsewhere"
                        self.fail(message, key)
                self.mapping(found[j], f"joint {j}", _OF_CUT)
        return found

    def link(self, j: int, node: Node | None, wrench: Node | None) -> Link:
        """Read link j, or that of the base for j = 0."""
        what = f"link {j}"
        graph = self.graph
        values = dict.fromkeys((*INERTIA, *DRIVE, *WRENCH), graph.zero)
        central: Central | None = None
        if node == "symbolic":
            names = (*INERTIA, *DRIVE) if j else INERTIA
            values |= {name: graph.symbol(f"{name}{j}{self.mark}") for name in names}
        elif node is not None:
            fields = (*INERTIA, *DRIVE, *_AT_CENTRE, *(_OF_JOINT if j else ()))
            given = self.mapping(node, what, fields)
            self.places |= {(j or None, key): value for key, value in given.items()}
            for key in (*INERTIA, *DRIVE):
                if key in given:
                    values[key] = self.expression(given[key], f"{what}: {key}")
            central = self.center_of_mass(what, given)
            self.places |= {(j or None, key): node for key in _AT_ORIGIN if key not in given}  # from com and inertia
        if wrench is not None:
            self.places |= {(j or None, key): wrench for key in WRENCH}
            values |= dict(zip(WRENCH, self.vector(wrench, f"wrench {j}", 6), strict=True))
        link = Link(**values)
        return link if central is None else with_central(link, central)

    def center_of_mass(self, what: str, given: dict[str, Node]) -> Central | None:
        """Read `com` and `inertia`, if given."""
        if not any(key in given for key in _AT_CENTRE):
            return None
        for key in _AT_ORIGIN:
            if key in given:
                message = f"{key}: expected either moments at the frame origin or com and inertia, found both"
                self.fail(f"{what}: {message}", given[key])
        zero = (self.graph.zero,)
        com = self.vector(given["com"], f"{what}: com", 3) if "com" in given else 3 * zero
        tensor = self.vector(given["inertia"], f"{what}: inertia", 6) if "inertia" in given else 6 * zero
        return Central(com, tensor)

    def joints(
        self, frames: Sequence[Frame], links: dict[int, Node], root: dict[str, Node], cuts: int | None = None
    ) -> tuple[Joint, ...]:
        """Read motion, elasticity, names and limits; velocities and accelerations of joints are symbols by default.

        Joints after number `cuts` are cut.
        """
        given = self.mapping(root["motion"], "motion", MOTION) if "motion" in root else {}
        for j, frame_node in enumerate(self.items(root["frames"], "frames"), 1):
            for key in ("joint", "limits", "follows"):
                items = self.mapping(frame_node, f"frame {j}")
                if key in items and (j > len(frames) or not frames[j - 1].is_joint):
                    self.fail(f"frame {j}: {key}: not allowed for a fixed frame", items[key])
        lists: dict[str, tuple[Expr, ...]] = {}
        for key in MOTION:
            if key in given:
                lists[key] = self.vector(given[key], f"motion: {key}", len(frames))
                self.places |= {(j, key): item for j, item in enumerate(self.items(given[key], key), 1)}
            else:
                lists[key] = tuple(
                    self.graph.symbol(f"{key}{j}") if frame.is_joint or key == "GAM" else self.graph.zero
                    for j, frame in enumerate(frames, 1)
                )
        return tuple(
            Joint(
                QP,
                QDP,
                GAM,
                *self.elasticity(j, links.get(j)),
                *self.bounds(j),
                follows=self.follows(j),
                friction=self.friction(j, links.get(j), cut=cuts is not None and j > cuts),
            )
            for j, (QP, QDP, GAM) in enumerate(zip(*(lists[key] for key in MOTION), strict=True), 1)
        )

    def elasticity(self, j: int, node: Node | None) -> tuple[int, Expr, Expr | None]:
        given = node if isinstance(node, MapNode) else {}
        self.places |= {(j, key): given[key] for key in _ELASTIC if key in given}
        eta = self.integer(given["eta"], f"link {j}: eta") if "eta" in given else 0
        k = self.expression(given["k"], f"link {j}: k") if "k" in given else self.graph.zero
        return eta, k, self.expression(given["rest"], f"link {j}: rest") if "rest" in given else None

    def friction(self, j: int, node: Node | None, cut: bool) -> JointFriction:
        """Read friction other than FV and FS: `friction: {smooth: 0.02, OFF: 0.4, FC: [0.3, "tanh(q)"]}`.

        A cut joint has no link, so its FV and FS are here, too.
        """
        given = node if isinstance(node, MapNode) else {}
        values = [(key, self.expression(given[key], f"joint {j}: {key}")) for key in OWN_PLACE if cut and key in given]
        own = given.get("friction")
        if own is None:
            return JointFriction(tuple(values))
        what = f"link {j}: friction"
        self.places[j, "friction"] = own
        speeds: dict[str, float] = {}
        shapes: list[tuple[str, str]] = []
        for key, item in self.mapping(own, what).items():
            key = str(key)
            if key in dict(values):
                self.fail(f"{what}: duplicate key {key}", item)
            if key in ("smooth", "stribeck"):
                speeds[key] = self.number(item, f"{what}: {key}")
            elif isinstance(item, ListNode):
                value, shape = self.items(item, f"{what}: {key}", 2)
                values.append((key, self.expression(value, f"{what}: {key}")))
                shapes.append((key, str(self.scalar(shape, f"{what}: {key}"))))
            else:
                values.append((key, self.expression(item, f"{what}: {key}")))
        return JointFriction(tuple(values), speeds.get("smooth", 0.0), speeds.get("stribeck"), tuple(shapes))

    def bounds(self, j: int) -> tuple[str, Limits]:
        """Read the name and the limits of a joint."""
        what, node = f"frame {j}: limits", self.places.get((j, "limits"))
        given = self.mapping(node, what, _LIMITS) if node is not None else {}
        places = {key: item for key, item in given.items() if key != "position"}
        if "position" in given:
            ends = self.items(given["position"], f"{what}: position", 2)
            places |= dict(zip(("lower", "upper"), ends, strict=True))
        values = {
            key: None if self.scalar(item, what) in _NO_BOUND else self.number(item, f"{what}: {key}")
            for key, item in places.items()
        }
        name = self.places.get((j, "joint"))
        text = "" if name is None else self.scalar(name, f"frame {j}: joint").strip()
        return text, Limits(**values)

    def follows(self, j: int) -> Follow | None:
        """Read the joint that joint j follows, with ratio and offset."""
        what, node = f"frame {j}: follows", self.places.get((j, "follows"))
        if node is None:
            return None
        leader, ratio, offset = self.items(node, what, 3)
        return Follow(self.scalar(leader, what).strip(), self.number(ratio, what), self.number(offset, what))

    def coupled(self, robot: Robot, node: Node | None) -> Robot:
        """Add couplings; joints that follow others have no motor."""
        if node is None:
            return robot
        self.places[None, "couplings"] = node
        couplings = {}
        for name, item in self.mapping(node, "couplings").items():
            self.places[None, "couplings"] = item
            couplings[str(name)] = coupling_of(self.expression(item, f"couplings: {name}", Graph()))
        frames = [
            replace(frame, mu=0) if robot.variables[j - 1] in couplings and (j, "mu") not in self.places else frame
            for j, frame in enumerate(robot.frames, 1)
        ]
        return replace(robot, frames=tuple(frames), couplings=couplings)

    def touching(self, robot: Robot, node: Node | None) -> Robot:
        """Add contacts with the ground."""
        if node is None:
            return robot
        names = {robot.joint_name(j): j for j in robot.tree_joints} | self.frame_names
        contacts = []
        for number, item in enumerate(self.items(node, "contacts"), 1):
            what = f"contact {number}"
            self.places[None, what] = item
            given: dict[str, object] = {}
            for key, value in self.mapping(item, what, CONTACT_KEYS).items():
                if key == "at":
                    given[key] = self.vector(value, f"{what}: at", 3)
                elif key == "radius":
                    given[key] = self.expression(value, f"{what}: radius")
                elif key == "angle":
                    given[key] = self.angle(value, f"{what}: angle")
                else:
                    given[key] = self.scalar(value, f"{what}: {key}")
            frame = str(given.get("frame", ""))
            given |= {"frame": int(frame)} if frame.isdigit() and frame not in names else {}
            contacts.append(contact_of(names, given, robot.graph, number))
        return replace(robot, contacts=tuple(contacts))

    def position(self, node: Node | None) -> dict[str, float]:
        """Read the reference position: numbers of joint variables."""
        if node is None:
            return {}
        self.places[None, "position"] = node
        items = self.mapping(node, "position")
        return {str(variable): self.number(item, f"position: {variable}") for variable, item in items.items()}

    def pictured(self, robot: Robot, node: Node | None) -> Robot:
        """Add the numbers of joint variables and symbols used in drawings."""
        if node is None:
            return robot
        known = [*(name for name in robot.variables if name), *robot.parameters]
        items = self.mapping(node, "picture", known).items()
        return replace(robot, picture={str(name): self.number(item, f"picture: {name}") for name, item in items})

    # -------------------------------------------------------------------- base

    def kind(self, base: MapNode) -> str:
        if "type" not in base:
            return "fixed"
        kind = self.text(base, "type")
        if kind not in _KINDS:
            self.fail(f"base: type: expected {', '.join(_KINDS)}, found {shortened(kind)}", base["type"])
        return kind

    def base(self, base: MapNode, kind: str, wrench: Node | None) -> Base:
        given = base
        if kind == "mobile":
            missing = [key for key in BASE_MOTION if key not in given]
            if missing:
                self.fail(f"base: missing motion of a mobile base: {', '.join(missing)}", base)
        if kind == "fixed" and "link" in given:
            self.fail("base: link: not allowed for a fixed base", given["link"])
        vectors = {
            key: self.placed_vector(given[key], f"base: {key}", key, 16 if key == "Z" else 3)
            for key in ("Z", *BASE_MOTION)
            if key in given
        }
        zeros = 3 * (self.graph.zero,)
        return Base(
            kind=kind,
            Z=vectors.get("Z") or tuple(self.graph.number(entry) for entry in _IDENTITY),
            link=None if kind == "fixed" else self.link(0, given.get("link"), wrench),
            **{key: vectors.get(key, self.velocity(key) if kind == "floating" else zeros) for key in BASE_MOTION},
        )

    def velocity(self, key: str) -> tuple[Expr, ...]:
        """Return the default velocity of a floating base: symbols; accelerations are computed."""
        names = FLOATING.get(key)
        return tuple(map(self.graph.symbol, names)) if names else 3 * (self.graph.zero,)

    def placed_vector(self, node: Node, what: str, field: str, length: int) -> tuple[Expr, ...]:
        """Read a vector and record the positions of its entries as `field[1]`, `field[2]` etc."""
        vector = self.vector(node, what, length)
        self.places |= {(None, f"{field}[{i}]"): item for i, item in enumerate(self.items(node, what), 1)}
        return vector
