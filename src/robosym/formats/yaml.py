"""The native format: a robot as a short YAML text.

    name: ur5e                      # required
    title: Universal Robots UR5e    # optional, as is `source`
    frames:                         # required; frame j is the j-th
      - {theta: t1, r: 0.1625}      # ant: the frame before, sigma: 0, mu: 1 (0 if sigma is 2), the rest: 0
      - {alpha: Pi/2, theta: t2}
    loops: [[9, 10]]                # frames of cut joints and the fixed frames that coincide with them
    links:                          # or the word `symbolic`; missing entries are zero
      1: {M: 3.7, com: [0, -0.026, 0.002], inertia: [Ixx, Ixy, Ixz, Iyy, Iyz, Izz]}
      2: {XX: XX2, M: M2, IA: IA2, FV: FV2, FS: FS2, eta: 1, k: K2}
    wrench: {6: [FX6, FY6, FZ6, CX6, CY6, CZ6]}
    motion: {QP: [...], QDP: [...], GAM: [...]}
    gravity: [0, 0, G3]             # required
    base: {type: floating, Z: [...], W0: [...], WP0: [...], V0: [...], VP0: [...], link: {M: M0}}

A parallel robot has legs and a platform instead (`robosym.formats.yaml_platforms`):

    platform: {M: 2, com: [0, 0, 0.1], inertia: [...], wrench: [FX, FY, FZ, CX, CY, CZ]}   # or `symbolic`
    legs:
      - frames: [...]               # a chain from the base; the last frame is fixed to the platform
        links: {1: {...}}           # or `symbolic`
        place: {gamma: g, d: R}     # of the last frame on the platform
    position: {t1: 0.3}             # joints at the reference position, or near it
    freedom: 6                      # DoF of the platform, if not to be determined at the reference position
    gravity: [0, 0, -9.81]

Parallel robots and arms can be stacked, as `modules` of a hybrid robot:

    modules:
      - {robot: gough}                                   # a robot of the library
      - {robot: gough, place: {r: 0.2}, suffix: _2}      # on the platform of the first; its symbols end in _2
      - {frames: [...], links: symbolic, end: 3}         # an arm, whose frame 3 would carry the next module
      - {legs: [...], platform: {...}, position: {...}}  # a parallel robot

A description with its own legs or frames and `modules` carries these on its platform or last frame.

See docs/yaml.md for the complete format.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import NamedTuple

from robosym.algebra import Graph
from robosym.errors import FormatError, InputError, RobotError, closest
from robosym.formats.source import Source
from robosym.formats.yaml_nodes import MapNode, Node, read_nodes
from robosym.formats.yaml_platforms import ParallelReader, is_parallel, write_parallel
from robosym.formats.yaml_reader import Reader
from robosym.formats.yaml_writer import heading, lengths, mapping_text, vector_text, write_robot
from robosym.mechanism import GEOMETRY, Module, Robot
from robosym.mechanism.series import Part, joined, with_rates, with_suffix

__all__ = ["LibraryEntry", "find", "library", "library_entries", "read_description", "read_yaml", "write_yaml"]

_OWN = ("place", "suffix", "end")  #: keys of a module besides its description
_PARALLEL = ("name", "platform", "legs", "cables", "position", "picture", "freedom")
_ARM = ("name", "frames", "links", "wrench", "position", "picture")
_REFERENCE = ("robot", "values")
_HEAD = ("name", "title", "source", "gravity", "position", "modules")


def read_yaml(text: str, file: str | None = None, name: str | None = None) -> Robot:
    """Read a robot from a YAML text; `name` is used if the text has none."""
    return read_description(_root(text, file), file, name)


def _root(text: str, file: str | None) -> Node:
    Source(text, file)  # rejects lines that are too long
    root = read_nodes(text, file)
    if root is None:
        raise FormatError("expected a robot description, found an empty file", file)
    return root


def read_description(root: Node, file: str | None = None, name: str | None = None, mark: str = "") -> Robot:
    """Create the robot described by nodes of a text or of Python data (`yaml_nodes.nodes_of`).

    `mark` is appended to the symbols that the word `symbolic` stands for.
    """
    reader = (_HybridReader if _is_hybrid(root) else ParallelReader if is_parallel(root) else Reader)(file)
    reader.mark = mark
    return reader.robot(root, name)


def _is_hybrid(root: Node) -> bool:
    return isinstance(root, MapNode) and "modules" in root


def write_yaml(robot: Robot) -> str:
    """Return the description as YAML text."""
    return {"parallel": write_parallel, "hybrid": _write_hybrid}.get(robot.structure, write_robot)(robot)


# ---------------------------------------------------------------------- library


class LibraryEntry(NamedTuple):
    """A robot of the library: its name for `load`, and its title."""

    name: str
    title: str


_FOLDER = files("robosym") / "library"


def library() -> tuple[str, ...]:
    """Return the names of the robots of the library.

    Returns
    -------
    tuple of str
        Sorted names, which `load` accepts.

    Examples
    --------
    >>> import robosym as rs
    >>> "ur5e" in rs.library()
    True
    """
    return tuple(sorted(entry.name[:-5] for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml")))


def library_entries() -> tuple[LibraryEntry, ...]:
    """Return names and titles without building the robots."""
    reader = Reader(None)
    roots = ((name, reader.mapping(_root(find(name), f"{name}.yaml"), name)) for name in library())
    return tuple(LibraryEntry(name, reader.text(root, "title")) for name, root in roots)


def find(name: str) -> str:
    """Return the text of a robot of the library."""
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


# --------------------------------------------------------------- modules in series


class _HybridReader(Reader):
    def robot(self, root_node: Node, default_name: str | None) -> Robot:
        keys = (*_HEAD, *_PARALLEL, *_ARM)
        root = self.mapping(root_node, "the description", tuple(dict.fromkeys(keys)))
        name = self.heading(root, default_name, "gravity")
        nodes = list(self.items(root["modules"], "modules"))
        own = root.without(*_HEAD)
        if own:  # the robot itself is the first module
            nodes.insert(0, own)
        if len(nodes) < 2:
            self.fail(f"modules: expected two or more, found {len(nodes)}", root["modules"])
        position = self.position(root.get("position"))
        gravity = self.vector(root["gravity"], "gravity", 3)
        modules = []
        for k, node in enumerate(nodes, 1):
            module, used = self.module(k, node, root["gravity"], position)
            modules.append(module)
            position = {name: value for name, value in position.items() if name not in used}
        for variable in position:
            self.fail(f"position: {variable} is not a joint variable of a module", root.get("position"))
        try:
            return joined(name, modules, self.graph, gravity, self.text(root, "title"), self.text(root, "source"))
        except RobotError as error:
            self.fail(error, root["modules"])

    def module(self, k: int, node: Node, gravity: Node, position: dict[str, float]) -> tuple[Part, set[str]]:
        """Read module k; return also the joint variables whose position is given at the top level."""
        what = f"module {k}"
        given = self.mapping(node, what)
        kind = _REFERENCE if "robot" in given else _PARALLEL if is_parallel(given) else _ARM
        self.mapping(node, what, (*kind, *_OWN))
        suffix = self.text(given, "suffix")
        if "robot" in given:
            robot = self.reference(what, given)
            suffix = suffix or (f"_{k}" if k > 1 else "")
        else:
            inner = given.without(*_OWN)
            if "name" not in inner:
                inner.put(name=f"module{k}")
            inner["gravity"] = gravity
            mark = f"_{k}" if k > 1 and "suffix" not in given else ""
            robot = read_description(inner, self.file, mark=mark)
        if suffix:
            try:
                robot = with_suffix(robot, suffix)
            except (RobotError, InputError) as error:
                self.fail(f"{what}: suffix: {error}", given.get("suffix"))
        used = {name for name in position if name in robot.variables}
        if used:
            robot = replace(robot, position={**robot.position, **{name: position[name] for name in used}})
        return (robot, self.fixed_frame(given, what), self.end(what, given, robot)), used

    def end(self, what: str, given: MapNode, robot: Robot) -> int:
        node = given.get("end")
        if node is not None and robot.modules:
            message = f"{what}: end: only modules with frames have it; a platform carries the next module itself"
            self.fail(message, node)
        if node is None:
            return robot.NF
        text = self.scalar(node, f"{what}: end").strip()
        if text in robot.frame_names:
            return robot.frame_names[text]
        number = self.integer(node, f"{what}: end")
        if not 1 <= number <= robot.NF:
            self.fail(f"{what}: end: expected a frame from 1 to {robot.NF}, found {number}", node)
        return number

    def reference(self, what: str, given: MapNode) -> Robot:
        """Load a robot of the library, with values for some of its parameters."""
        name = self.text(given, "robot")
        if name not in library():
            self.fail(f"{what}: unknown robot {name!r} of the library{closest(name, library())}", given["robot"])
        root = _root(find(name), f"{name}.yaml")
        if _is_hybrid(root):
            self.fail(f"{what}: {name} is a hybrid robot: list its modules instead", given["robot"])
        robot = read_description(root, f"{name}.yaml")
        if "values" in given:
            items = self.mapping(given["values"], f"{what}: values")
            values = {str(key): str(self.scalar(value, f"{what}: values: {key}")) for key, value in items.items()}
            try:
                robot = robot.with_values(values)
            except (RobotError, InputError) as error:
                self.fail(f"{what}: values: {error}", given["values"])
        return robot


def _write_hybrid(robot: Robot) -> str:
    lines = [*heading(robot), "modules:"]
    for k, (module, part) in enumerate(zip(robot.modules, robot.module_robots(), strict=True), 1):
        lines += _module(robot, module, part, k)
    lines.append(f"gravity: {vector_text(robot.gravity)}")
    return "\n".join(lines) + "\n"


def _module(robot: Robot, module: Module, part: Robot, number: int) -> list[str]:
    """Return a robot without heading, gravity and names of velocities, as an item of a list."""
    own = with_rates(part, Graph())
    text = write_parallel(own) if module.has_platform else write_robot(own)
    body = [line for line in text.splitlines() if not line.startswith("gravity:")]
    place = robot.frame(module.place)
    if any(not getattr(place, name).is_zero for name in GEOMETRY):
        body.append(f"place: {mapping_text(lengths(place))}")
    end = module.end - module.first + 1
    if not module.has_platform and end != part.NF:
        body.append(f"end: {end}")
    if number > 1 and any(line.endswith(": symbolic") for line in body):
        body.append('suffix: ""')  # the symbols have no suffix
    return [f"  {'- ' if k == 0 else '  '}{line}" for k, line in enumerate(body)]
