"""Parallel robots in the native YAML format, to a description and back."""

from __future__ import annotations

from dataclasses import replace

from robosym.algebra import to_text
from robosym.errors import RobotError
from robosym.formats.source import check_name
from robosym.formats.yaml_cables import cables_as_legs
from robosym.formats.yaml_compound import SecondRod, expanded_leg
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, TextNode
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
from robosym.mechanism import GEOMETRY, INERTIA, Base, Frame, Link, Robot, TwinRods
from robosym.mechanism.series import with_platform

__all__ = ["ParallelReader", "is_parallel", "read_parallel", "write_parallel"]

_TOP = ("name", "title", "source", "platform", "legs", "cables", "position", "picture", "freedom", "gravity")
_LEG = ("frames", "links", "place")


def is_parallel(root: Node) -> bool:
    """Whether a text describes a parallel robot: it has legs, or a platform."""
    return isinstance(root, MapNode) and not root.items.keys().isdisjoint(("legs", "cables", "platform"))


def read_parallel(root: Node, file: str | None, name: str | None) -> Robot:
    return ParallelReader(file).parallel(root, name)


class ParallelReader(Reader):
    """Legs are read one after the other into one table, numbered through."""

    def parallel(self, root_node: Node, default_name: str | None) -> Robot:
        root = self.mapping(root_node, "the description", _TOP)
        if "cables" in root.items:
            if "legs" in root.items:
                self.fail("cables: expected legs or cables, found both", root.keys["cables"])
            root.items["legs"] = cables_as_legs(root.items["cables"], self)
        missing = [key for key in ("name", "platform", "legs", "gravity") if key not in root.items]
        if missing and not (missing == ["name"] and default_name):
            self.fail(f"missing: {', '.join(missing)}", root)
        name = self.text(root, "name") or default_name or ""
        wrong = check_name(name)
        if wrong:
            self.fail(f"name: {wrong}", root.items.get("name"))
        frames: list[Frame] = []
        links: list[Link] = []
        places: list[Frame] = []
        table = ListNode(1, 1)
        self.link_entries: dict[int, Node] = {}  # of every link, for the springs and friction of its joint
        rods: list[SecondRod] = []
        for number, node in enumerate(self.items(root.items["legs"], "legs"), 1):
            rods += self.leg(number, node, table, frames, links, places)
        shapes = []
        for rod in rods:  # the second rods of parallelograms stand behind all legs
            j = len(frames) + 1
            frames.append(replace(self.frame(j, rod.frame), ant=frames[rod.rod - 1].ant))
            links.append(self.link(j, rod.inertia[1], None))
            if rod.inertia[1] is not None:
                self.link_entries[j] = rod.inertia[1]
            table.items.append(rod.frame)
            shapes.append(TwinRods(rod.rod, rod.rod + 1, j, rod.cut))
        platform = self.platform(root.items["platform"])
        position, pose = self.position_or_pose(root.items.get("position"))
        try:
            tree = Robot(
                name=name,
                frames=tuple(frames),
                links=tuple(links),
                joints=self.joints(frames, self.link_entries, {"frames": table}),
                base=self.fixed_base(),
                gravity=self.placed_vector(root.items["gravity"], "gravity", "G", 3),  # type: ignore[arg-type]
                graph=self.graph,
                title=self.text(root, "title"),
                source=self.text(root, "source"),
                frame_names=self.frame_names,
                position=position,
            )
            freedom = self.integer(root.items["freedom"], "freedom") if "freedom" in root.items else None
            robot = with_platform(tree, platform, places, freedom, shapes, pose)
            return self.pictured(robot, root.items.get("picture"), *robot.parameters)
        except RobotError as error:
            known = (error.frame, error.field), (error.frame, None)
            self.fail(str(error), next((self.places[place] for place in known if place in self.places), None))

    def position_or_pose(self, node: Node | None) -> tuple[dict[str, float], tuple[float, ...] | None]:
        """The reference position: values of joints, and the pose of the platform where it is given."""
        if not isinstance(node, MapNode) or "pose" not in node.items:
            return self.position(node), None
        pose = node.items["pose"]
        numbers = tuple(self.number(item, "position: pose") for item in self.items(pose, "position: pose"))
        joints = MapNode(node.line, node.column)
        joints.items = {key: value for key, value in node.items.items() if key != "pose"}
        joints.keys = {key: value for key, value in node.keys.items() if key != "pose"}
        found = self.position(joints)
        self.places[None, "position"] = pose
        return found, numbers

    def leg(
        self, number: int, node: Node, table: ListNode, frames: list[Frame], links: list[Link], places: list[Frame]
    ) -> list[SecondRod]:
        """A leg into the table of all, and where it ends on the platform; the second rods of its parallelograms."""
        what = f"leg {number}"
        leg, rods = expanded_leg(self.mapping(node, what, _LEG), self, len(frames))
        given = leg.items
        if "frames" not in given:
            self.fail(f"{what}: missing: frames", node)
        start = len(frames)
        items = self.items(given["frames"], f"{what}: frames")
        if not items:
            self.fail(f"{what}: frames: expected at least one frame, found none", given["frames"])
        table.items += items
        for item in items:
            if isinstance(item, MapNode) and "ant" in item.items:
                self.fail(f"{what}: a leg is a chain: its frames follow one another, without ant", item.items["ant"])
            j = len(frames) + 1
            frames.append(replace(self.frame(j, item), ant=j - 1 if j > start + 1 else 0))
        own, symbolic = self.link_nodes(given.get("links"), len(items), len(items))
        last = len(items)  # the platform itself
        if last in own:
            self.fail(f"{what}: links: link {last} is the platform: its inertia stands under platform", own[last])
        for k in range(1, last + 1):
            symbols = TextNode(1, 1, "symbolic") if symbolic and k < last else None
            links.append(self.link(start + k, symbols or own.get(k), None))
            if k in own:
                self.link_entries[start + k] = own[k]
        place = given.get("place", MapNode(1, 1))
        entries = self.mapping(place, f"{what}: place", GEOMETRY).items
        places.append(Frame(0, 2, 0, *self.geometry(entries, f"{what}: place")))
        return [rod._replace(rod=start + rod.rod) for rod in rods]

    def platform(self, node: Node) -> Link:
        """The platform's inertia (or the word symbolic: XXP ..) and the wrench that it exerts on its environment."""
        if isinstance(node, TextNode) and node.text == "symbolic":
            link = self.link(0, None, None)
            return replace(link, **{name: self.graph.symbol(f"{name}P{self.mark}") for name in INERTIA})
        given = dict(self.mapping(node, "platform").items)
        for key in ("IA", "FV", "FS", "friction", "eta", "k", "rest"):
            if key in given:
                self.fail(f"platform: {key}: the platform has no drive of its own", given[key])
        wrench = given.pop("wrench", None)
        inner = MapNode(node.line, node.column)
        inner.items.update(given)
        inner.keys.update({k: v for k, v in self.mapping(node, "platform").keys.items() if k != "wrench"})
        link = self.link(0, inner, wrench)
        return link

    def fixed_base(self) -> Base:
        return self.base(MapNode(1, 1), "fixed", None)


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
        shown = [rods.get(j, j) for j in numbers if j not in robot.followers]  # links as one numbers them in the text
        fields = {k: mapping_text(link_fields(robot.link(j), robot.joint(j))) for k, j in enumerate(shown, 1)}
        lines += [f"    {line}" for line in block("links", {k: text for k, text in fields.items() if text != "{}"})]
        lines.append(f"    place: {mapping_text(lengths(place))}")
    lines += position_lines(robot, robot.module.reference_pose)
    if robot.module.freedom is not None:
        lines.append(f"freedom: {robot.module.freedom}")
    lines.append(f"gravity: {vector_text(robot.gravity)}")
    return "\n".join(lines) + "\n"


def _frame_text(robot: Robot, j: int) -> str:
    """A frame of a leg; the first rod of a parallelogram stands for all of it."""
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
