"""Parallel robots in the native YAML format, reading and writing: legs or cables that carry a platform."""

from __future__ import annotations

import math
from dataclasses import replace

from robosym.algebra import to_text
from robosym.errors import RobotError, missing_keys
from robosym.formats.yaml_compound import SecondRod, expanded_leg
from robosym.formats.yaml_legs import is_of_points, leg_of_points
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, NodeReader
from robosym.formats.yaml_reader import Reader
from robosym.formats.yaml_writer import (
    block,
    frame_text,
    heading,
    lengths,
    link_fields,
    mapping_text,
    position_lines,
    vector_text,
    wrench_text,
)
from robosym.mechanism import INERTIA, Frame, Link, Robot, RodPair
from robosym.mechanism.series import with_platform

__all__ = ["ParallelReader", "is_parallel", "write_parallel"]

_COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")
_TOP = ("name", "title", "source", "platform", "legs", "cables", "position", "picture", "freedom", "gravity")
_LEG = ("frames", "links", "place")
_CABLE = ("base", "platform")


def is_parallel(root: Node) -> bool:
    """Return whether a text describes a parallel robot: it has legs, cables or a platform."""
    return isinstance(root, MapNode) and not root.keys().isdisjoint(("legs", "cables", "platform"))


class ParallelReader(Reader):
    """Reader of parallel robots: all legs are read into one table with consecutive numbers."""

    def __init__(self, file: str | None) -> None:
        super().__init__(file)
        self.frames_of_legs: list[Frame] = []
        self.links_of_legs: list[Link] = []
        self.places_of_legs: list[Frame] = []
        self.table = ListNode(1, 1)
        self.link_entries: dict[int, Node] = {}  # of every link, for springs and friction of its joint

    def robot(self, root_node: Node, default_name: str | None) -> Robot:
        root = self.mapping(root_node, "the description", _TOP)
        if "cables" in root:
            if "legs" in root:
                self.fail("cables: expected legs or cables, found both", root.place("cables"))
            root["legs"] = _cables_as_legs(root["cables"], self)
        name = self.heading(root, default_name, "platform", "legs", "gravity")
        rods: list[SecondRod] = []
        for number, node in enumerate(self.items(root["legs"], "legs"), 1):
            rods += self.leg(number, leg_of_points(node, number, self) if is_of_points(node) else node)
        shapes = []
        for rod in rods:  # the second rods of parallelograms come after all legs
            j = self.add(rod.frame, self.frames_of_legs[rod.rod - 1].ant, rod.inertia[1])
            shapes.append(RodPair(rod.rod, rod.rod + 1, j, rod.cut))
        platform = self.platform(root["platform"])
        position, pose = self.position_or_pose(root.get("position"))
        try:
            tree = Robot(
                name=name,
                frames=tuple(self.frames_of_legs),
                links=tuple(self.links_of_legs),
                joints=self.joints(self.frames_of_legs, self.link_entries, {"frames": self.table}),
                base=self.base(MapNode(1, 1), "fixed", None),
                gravity=self.placed_vector(root["gravity"], "gravity", "G", 3),
                graph=self.graph,
                title=self.text(root, "title"),
                source=self.text(root, "source"),
                frame_names=self.frame_names,
                position=position,
            )
            freedom = self.integer(root["freedom"], "freedom") if "freedom" in root else None
            robot = with_platform(tree, platform, self.places_of_legs, freedom, shapes, pose)
            return self.pictured(robot, root.get("picture"))
        except RobotError as error:
            self.fail_at(error)

    def position_or_pose(self, node: Node | None) -> tuple[dict[str, float], tuple[float, ...] | None]:
        """Return the reference position: values of joints, and the pose of the platform if given."""
        if not isinstance(node, MapNode) or "pose" not in node:
            return self.position(node), None
        pose = node["pose"]
        numbers = (
            self._by_name(pose)
            if isinstance(pose, MapNode)
            else tuple(self.number(item, "position: pose") for item in self.items(pose, "position: pose"))
        )
        found = self.position(node.without("pose"))
        self.places[None, "position"] = pose
        return found, numbers

    def _by_name(self, pose: MapNode) -> tuple[float, ...]:
        """Return x, y, z, followed by roll, pitch, yaw if an angle is given; others are zero."""
        given = {}
        for name, item in self.mapping(pose, "position: pose", _COORDINATES).items():
            given[name] = self.number(item, f"position: pose: {name}")
        count = 3 if given.keys() <= set(_COORDINATES[:3]) else 6
        return tuple(given.get(name, 0.0) for name in _COORDINATES[:count])

    def add(self, node: Node, ant: int, link: Node | None) -> int:
        """Add a frame with its link to the table; return its number."""
        j = len(self.frames_of_legs) + 1
        self.frames_of_legs.append(replace(self.frame(j, node), ant=ant))
        self.links_of_legs.append(self.link(j, link, None))
        self.table.append(node)
        if link is not None:
            self.link_entries[j] = link
        return j

    def leg(self, number: int, node: Node) -> list[SecondRod]:
        """Add a leg and its end on the platform to the table; return the second rods of its parallelograms."""
        what, start = f"leg {number}", len(self.frames_of_legs)
        leg, rods = expanded_leg(self.mapping(node, what, _LEG), self, start)
        if "frames" not in leg:
            self.fail(f"{what}: {missing_keys(['frames'])}", node)
        items = self.items(leg["frames"], f"{what}: frames")
        if not items:
            self.fail(f"{what}: frames: expected at least one frame, found none", leg["frames"])
        last = len(items)  # the platform itself
        own = self.link_nodes(leg.get("links"), last, last, symbolic=last - 1)
        if last in own:
            self.fail(f"{what}: links: link {last} is the platform: move its inertia to `platform`", own[last])
        for k, item in enumerate(items, 1):
            if isinstance(item, MapNode) and "ant" in item:
                self.fail(f"{what}: ant: not allowed: the frames of a leg are a chain", item["ant"])
            self.add(item, start + k - 1 if k > 1 else 0, own.get(k))
        self.places_of_legs.append(self.fixed_frame(leg, what))
        return [rod._replace(rod=start + rod.rod) for rod in rods]

    def platform(self, node: Node) -> Link:
        """Read the platform's inertia (or the word symbolic: XXP ..) and the wrench it exerts on its environment."""
        if node == "symbolic":
            link = self.link(0, None, None)
            return replace(link, **{name: self.graph.symbol(f"{name}P{self.mark}") for name in INERTIA})
        given = self.mapping(node, "platform")
        for key in ("IA", "FV", "FS", "friction", "eta", "k", "rest"):
            if key in given:
                self.fail(f"platform: {key}: not allowed: the platform has no motor", given[key])
        return self.link(0, given.without("wrench"), given.get("wrench"))


def _cables_as_legs(node: Node, reader: NodeReader) -> ListNode:
    """Convert cables `{base: [x, y, z], platform: [x, y, z]}` (points in m) to legs.

    A cable is a universal joint, an actuated length and a spherical joint, without inertia. The lengths of the cables
    are the joint variables l1, l2 etc.
    """
    legs = ListNode(node.line, node.column)
    for i, item in enumerate(reader.items(node, "cables"), 1):
        what = f"cable {i}"
        given = reader.mapping(item, what, _CABLE)
        missing = [key for key in _CABLE if key not in given]
        if missing:
            reader.fail(f"{what}: {missing_keys(missing)}", item)
        base, platform = (_point(given[key], f"{what}: {key}", reader) for key in _CABLE)
        frames = [
            {"mu": "0", **base, "alpha": "-Pi/2", "theta": f"c{i}_1"},
            {"mu": "0", "alpha": "Pi/2", "theta": f"c{i}_2"},
            {"sigma": "1", "alpha": "Pi/2", "r": f"l{i}"},
            {"mu": "0", "theta": f"c{i}_4"},
            {"mu": "0", "alpha": "Pi/2", "theta": f"c{i}_5"},
            {"mu": "0", "alpha": "-Pi/2", "theta": f"c{i}_6"},
        ]
        *chain, place = (MapNode(item.line, item.column) for _ in (*frames, platform))
        for one, entries in zip((*chain, place), (*frames, platform), strict=True):
            one.put(**entries)
        leg: dict[str, Node] = {"frames": ListNode(item.line, item.column, chain), "place": place}
        legs.append(MapNode(item.line, item.column, leg))
    return legs


def _point(node: Node, what: str, reader: NodeReader) -> dict[str, str]:
    """Express a point by the frame parameters gamma, b and d."""
    x, y, z = (reader.number(entry, f"{what}[{k}]") for k, entry in enumerate(reader.items(node, what, 3), 1))
    gamma, d = math.atan2(y, x), math.hypot(x, y)
    return {key: repr(value) for key, value in (("gamma", gamma), ("b", z), ("d", d)) if value}


def write_parallel(robot: Robot) -> str:
    lines = heading(robot)
    items = {**link_fields(robot.platform), **wrench_text(robot.platform)}
    symbolic = all(getattr(robot.platform, n).name == f"{n}P" for n in INERTIA) and not wrench_text(robot.platform)
    lines.append(f"platform: {'symbolic' if symbolic else mapping_text(items)}")
    lines.append("legs:")
    for numbers, place in zip(robot.legs, robot.places, strict=True):
        lines.append("  - frames:")
        lines += [f"      - {_frame_text(robot, j)}" for j in numbers if j not in robot.followers]
        rods = {shape.rod: shape.link for shape in robot.module.parallelograms}
        shown = [rods.get(j, j) for j in numbers if j not in robot.followers]  # links with their numbers in the text
        fields = {k: mapping_text(link_fields(robot.link(j), robot.joint(j))) for k, j in enumerate(shown, 1)}
        lines += [f"    {line}" for line in block("links", {k: text for k, text in fields.items() if text != "{}"})]
        lines.append(f"    place: {mapping_text(lengths(place))}")
    lines += position_lines(robot, robot.module.reference_pose)
    if robot.module.freedom is not None:
        lines.append(f"freedom: {robot.module.freedom}")
    lines.append(f"gravity: {vector_text(robot.gravity)}")
    return "\n".join(lines) + "\n"


def _frame_text(robot: Robot, j: int) -> str:
    """Return the text of a frame of a leg; the first rod of a parallelogram represents all of it."""
    shape = next((shape for shape in robot.module.parallelograms if shape.rod == j), None)
    if shape is None:
        return frame_text(robot, j, robot.frame(j).ant)
    rod, link, other = (robot.frame(k) for k in (shape.rod, shape.link, shape.other))
    variables = ", ".join((*(robot.variable(k) for k in (shape.rod, shape.link, shape.other)), shape.cut))
    items = {"type": "parallelogram"} | ({} if rod.mu else {"mu": "0"})
    items |= {name: text for name, text in lengths(rod).items() if name != "theta"}
    items |= {"length": to_text(link.d), "width": to_text(other.d - rod.d), "variables": f"[{variables}]"}
    one, two = (mapping_text(link_fields(robot.link(k), robot.joint(k))) for k in (shape.rod, shape.other))
    if (one, two) != ("{}", "{}"):
        items["rods"] = one if one == two else f"[{one}, {two}]"
    return mapping_text(items)
