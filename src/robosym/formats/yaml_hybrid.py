"""Hybrid robots in the native YAML format: modules in series, to a description and back.

    name: two_goughs
    modules:
      - {robot: gough}                                   # a robot of the library
      - {robot: gough, place: {r: 0.2}, suffix: _2}      # on the platform of the first; its symbols end in _2
      - {frames: [...], links: symbolic, end: 3}         # an arm, whose frame 3 would carry the next module
      - {legs: [...], platform: {...}, position: {...}}  # a parallel robot
    gravity: [0, 0, G3]

A description with legs, or frames, of its own and `modules` besides carries these on its platform, or last frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from robosym.algebra import Graph
from robosym.errors import InputError, RobotError, closest
from robosym.formats.catalogue import find, library
from robosym.formats.source import check_name
from robosym.formats.yaml_nodes import MapNode, Node, TextNode
from robosym.formats.yaml_parallel import ParallelReader, is_parallel, write_parallel
from robosym.formats.yaml_reader import Reader
from robosym.formats.yaml_writer import heading, lengths, mapping_text, vector_text, write_robot
from robosym.mechanism import GEOMETRY, Frame, Module, Robot
from robosym.mechanism.series import Part, joined, with_rates, with_suffix

__all__ = ["is_hybrid", "read_hybrid", "write_hybrid"]

_OWN = ("place", "suffix", "end")  #: what a module says beside its description
_PARALLEL = ("name", "platform", "legs", "cables", "position", "picture", "freedom")
_ARM = ("name", "frames", "links", "wrench", "position", "picture")
_REFERENCE = ("robot", "values")
_HEAD = ("name", "title", "source", "gravity", "position", "modules")

Read = Callable[[str, str | None, str | None], Robot]


def is_hybrid(root: Node) -> bool:
    return isinstance(root, MapNode) and "modules" in root.items


def read_hybrid(root: Node, file: str | None, name: str | None, read: Read) -> Robot:
    return _HybridReader(file).hybrid(root, name, read)


class _HybridReader(Reader):
    def hybrid(self, root_node: Node, default_name: str | None, read: Read) -> Robot:
        keys = (*_HEAD, *_PARALLEL, *_ARM)
        root = self.mapping(root_node, "the description", tuple(dict.fromkeys(keys)))
        missing = [key for key in ("name", "gravity") if key not in root.items]
        if missing and not (missing == ["name"] and default_name):
            self.fail(f"missing: {', '.join(missing)}", root)
        name = self.text(root, "name") or default_name or ""
        wrong = check_name(name)
        if wrong:
            self.fail(f"name: {wrong}", root.items.get("name"))
        nodes = list(self.items(root.items["modules"], "modules"))
        own = {key: root.items[key] for key in (*_PARALLEL, *_ARM) if key in root.items and key not in _HEAD}
        if own:  # the robot itself is the first of them
            nodes.insert(0, MapNode(root.line, root.column, own, {key: root.keys[key] for key in own}))
        if len(nodes) < 2:
            self.fail(f"modules: a hybrid robot has two or more, found {len(nodes)}", root.items["modules"])
        position = self.position(root.items.get("position"))
        gravity = self.vector(root.items["gravity"], "gravity", 3)
        modules = []
        for k, node in enumerate(nodes, 1):
            module, used = self.module(k, node, root, position, read)
            modules.append(module)
            position = {name: value for name, value in position.items() if name not in used}
        for variable in position:
            self.fail(f"position: {variable} is no joint variable of a module", root.items.get("position"))
        try:
            return joined(name, modules, self.graph, gravity, self.text(root, "title"), self.text(root, "source"))
        except RobotError as error:
            self.fail(str(error), root.items["modules"])

    def module(
        self, k: int, node: Node, root: MapNode, position: dict[str, float], read: Read
    ) -> tuple[Part, set[str]]:
        """Module k, and the joint variables whose position is given at the top."""
        what = f"module {k}"
        given = self.mapping(node, what)
        kind = _REFERENCE if "robot" in given.items else _PARALLEL if is_parallel(given) else _ARM
        self.mapping(node, what, (*kind, *_OWN))
        suffix = self.text(given, "suffix")
        if "robot" in given.items:
            robot = self.reference(what, given, read)
            suffix = suffix or (f"_{k}" if k > 1 else "")
        else:
            inner = MapNode(given.line, given.column)
            inner.items = {key: value for key, value in given.items.items() if key not in _OWN}
            inner.keys = {key: value for key, value in given.keys.items() if key not in _OWN}
            inner.items.setdefault("name", TextNode(given.line, given.column, f"{what.replace(' ', '')}"))
            inner.items["gravity"] = root.items["gravity"]
            mark = f"_{k}" if k > 1 and "suffix" not in given.items else ""
            robot = self.described(inner, mark)
        if suffix:
            try:
                robot = with_suffix(robot, suffix)
            except (RobotError, InputError) as error:
                self.fail(f"{what}: suffix: {error}", given.items.get("suffix"))
        used = {name for name in position if name in robot.variables}
        if used:
            robot = replace(robot, position={**robot.position, **{name: position[name] for name in used}})
        entries = self.mapping(given.items.get("place", MapNode(1, 1)), f"{what}: place", GEOMETRY).items
        place = Frame(0, 2, 0, *self.geometry(entries, f"{what}: place"))
        return (robot, place, self.end(what, given, robot)), used

    def end(self, what: str, given: MapNode, robot: Robot) -> int:
        node = given.items.get("end")
        if robot.modules:
            if node is not None:
                self.fail(f"{what}: end: the platform of a parallel robot carries the next module", node)
            return 0
        if node is None:
            return robot.NF
        text = self.scalar(node, f"{what}: end").text.strip()
        if text in robot.frame_names:
            return robot.frame_names[text]
        number = self.integer(node, f"{what}: end")
        if not 1 <= number <= robot.NF:
            self.fail(f"{what}: end: expected a frame from 1 to {robot.NF}, found {number}", node)
        return number

    def described(self, node: MapNode, mark: str) -> Robot:
        if is_parallel(node):
            reader = ParallelReader(self.file)
            reader.mark = mark
            return reader.parallel(node, None)
        plain = Reader(self.file)
        plain.mark = mark
        return plain.robot(node, None)

    def reference(self, what: str, given: MapNode, read: Read) -> Robot:
        """A robot of the library, with values for some of its parameters."""
        name = self.text(given, "robot")
        if name not in library():
            self.fail(f"{what}: no robot {name!r} in the library{closest(name, library())}", given.items["robot"])
        robot = read(find(name), f"{name}.yaml", None)
        if len(robot.modules) > 1:
            self.fail(f"{what}: {name} is a hybrid robot itself: list its modules", given.items["robot"])
        if "values" in given.items:
            items = self.mapping(given.items["values"], f"{what}: values").items
            values = {key: self.scalar(value, f"{what}: values: {key}").text for key, value in items.items()}
            try:
                robot = robot.with_values(values)
            except (RobotError, InputError) as error:
                self.fail(f"{what}: values: {error}", given.items["values"])
        return robot


def write_hybrid(robot: Robot) -> str:
    lines = [*heading(robot), "modules:"]
    for k, (module, part) in enumerate(zip(robot.modules, robot.module_robots(), strict=True), 1):
        lines += _module(robot, module, part, k)
    lines.append(f"gravity: {vector_text(robot.gravity)}")
    return "\n".join(lines) + "\n"


def _module(robot: Robot, module: Module, part: Robot, number: int) -> list[str]:
    """The text of a robot without its heading, gravity and names of rates, as an item of a list."""
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
        body.append('suffix: ""')  # the symbols have no ending
    return [f"  {'- ' if k == 0 else '  '}{line}" for k, line in enumerate(body)]
