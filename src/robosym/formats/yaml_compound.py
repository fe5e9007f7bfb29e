"""Preprocessing of descriptions: replace names by numbers, and joints with several DoF by joints with one axis.

    - {name: hip, ant: 2, type: spherical, d: 0.3, variables: [a, b, c], mu: [1, 1, 0]}
    - {type: parallelogram, length: 0.8, width: 0.1, rods: {M: 0.2, MX: 0.08}, mu: 0}    # rods: each, or a list of two

A frame or joint may be given by name instead of its number: `ant: tool0`, `links: {forearm: ..}`, `loops: [[a, b]]`.

One frame with `type: universal` becomes the frames of its parts. Frames after a joint with several parts are
renumbered, and the numbers in `ant`, `loops`, `links` and `wrench` are adapted. The frame can still be found by its
name, or by `frame<j>`. The parts of a cut joint are at the end of the tree, except the last one, which is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from robosym.errors import closest, counted
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, NodeReader, TextNode
from robosym.mechanism import GEOMETRY
from robosym.mechanism.joints import COMPOUNDS, JOINT_TYPES, Compound, CompoundPart

__all__ = ["SecondRod", "expanded", "expanded_leg", "loop_count", "with_numbers"]

_NAME = re.compile(r"[^\W\d][\w./ -]*")  #: a name where a number is expected
_KEYED = ("links", "wrench")  #: mappings whose keys are links
_PARALLELOGRAM = "parallelogram"
_WORDS = (*(kind.name for kind in JOINT_TYPES.values()), *COMPOUNDS, _PARALLELOGRAM)
_OF_SEVERAL = ("variables", "length", "width", "rods")
_OWN = ("type", *_OF_SEVERAL)  #: keys of a frame that are processed here

_Rods = tuple[Node | None, Node | None]


# ----------------------------------------------------------------- names and numbers


def with_numbers(root: MapNode, reader: NodeReader) -> None:
    """Replace names by the numbers of their frames."""
    frames = root.get("frames")
    if not isinstance(frames, ListNode):
        return
    names = _names(root, frames)

    def numbered(node: Node, what: str) -> Node:
        text = node.strip() if isinstance(node, TextNode) else ""
        if text in names:
            return TextNode(node.line, node.column, str(names[text]))
        if _NAME.fullmatch(text):
            known = f" or a name of {', '.join(list(names)[:20])}" if names else "; the frames have no names"
            reader.fail(f"{what}: unknown frame {text[:60]}{closest(text[:60], names)}: expected a number{known}", node)
        return node

    for j, frame in enumerate(frames, 1):
        if isinstance(frame, MapNode) and "ant" in frame:
            frame["ant"] = numbered(frame["ant"], f"frame {j}: ant")
    loops = root.get("loops")
    for k, pair in enumerate(loops if isinstance(loops, ListNode) else (), 1):
        if isinstance(pair, ListNode):
            pair[:] = [numbered(one, f"loops[{k}]") for one in pair]
    for key in _KEYED:
        table = root.get(key)
        if isinstance(table, MapNode):
            found = MapNode(table.line, table.column)
            for place in table.places():
                number = numbered(place, key)
                assert isinstance(number, TextNode)
                if number in found:
                    reader.fail(f"{key}: duplicate entry {number}", place)
                found[number] = table[place]
            root[key] = found


def _names(root: MapNode, frames: ListNode) -> dict[str, int]:
    """Return the numbers of frame names and, if no frame has the name, of joint names."""
    owners: list[tuple[int, Node | None]] = [(0, root.get("base")), *enumerate(frames, 1)]
    found: dict[str, int] = {}
    for key in ("name", "joint"):
        for j, owner in owners:
            if isinstance(owner, MapNode):
                for name in _texts(owner.get(key)):
                    found.setdefault(name, j)
    return found


def _texts(node: Node | None) -> Iterator[str]:
    for item in node if isinstance(node, ListNode) else [node]:
        if isinstance(item, TextNode) and item.strip():
            yield item.strip()


def loop_count(reader: NodeReader, node: Node | None, frames: int) -> int:
    """Return the number of loops; their pairs of frames follow from it and must agree."""
    items = reader.items(node, "loops") if node is not None else []
    count = len(items)
    if frames <= 2 * count:
        reader.fail(f"loops: expected more than {2 * count} frames for {counted(count, 'loop')}, found {frames}", node)
    for i, item in enumerate(items):
        first = frames - 2 * count + 1 + i
        found = [reader.integer(one, f"loops[{i + 1}]") for one in reader.items(item, f"loops[{i + 1}]", 2)]
        if found != [first, first + count]:
            reader.fail(
                f"loops[{i + 1}]: expected [{first}, {first + count}], found {found}: list the frames of the tree "
                f"first, then the {count} of cut joints, then the {count} fixed ones in the same order",
                item,
            )
    return count


# ---------------------------------------------------------- joints with several DoF


def expanded(root: MapNode, reader: NodeReader) -> MapNode:
    """Return the same description with one-axis joints only."""
    return _Expansion(root, reader).root() if _concerns(root) else root


class SecondRod(NamedTuple):
    """A parallelogram in a leg: its first rod among the leg's frames, and the frame of the second rod."""

    rod: int
    frame: MapNode
    cut: str  #: variable of the joint at its far end
    inertia: _Rods  #: inertias of both rods


def expanded_leg(leg: MapNode, reader: NodeReader, before: int) -> tuple[MapNode, list[SecondRod]]:
    """Expand a leg, a chain after `before` frames of other legs, which count in the names of variables."""
    if not _concerns(leg):
        return leg, []
    expansion = _Expansion(leg, reader, before, leg=True)
    result = expansion.root()
    for new in (*expansion.tree, *(other for _, other, _, _ in expansion.shapes)):
        for key in ("ant", "name"):  # the frames of a leg are consecutive
            new.node.pop(key, None)
    return result, [SecondRod(rod.number, other.node, cut, rods) for rod, other, cut, rods in expansion.shapes]


def _concerns(root: MapNode) -> bool:
    frames = root.get("frames")
    return isinstance(frames, ListNode) and any(
        isinstance(f, MapNode) and not f.keys().isdisjoint(_OWN) for f in frames
    )


@dataclass(eq=False)
class _New:
    """A frame of the new table, its antecedent (a frame of the input, or a new one), and its number."""

    node: MapNode
    ant: int | _New
    number: int = 0


class _Expansion:
    """The frames of a description, with new frames grouped by the part of the table they belong to."""

    def __init__(self, root: MapNode, reader: NodeReader, before: int = 0, leg: bool = False) -> None:
        self.old, self.reader, self.before, self.leg = root, reader, before, leg
        self.shapes: list[tuple[_New, _New, str, _Rods]] = []  # rods of parallelograms, and the variable of their cut
        self.given = reader.items(root["frames"], "frames")
        self.loops = loop_count(reader, root.get("loops"), len(self.given))
        self.links = len(self.given) - 2 * self.loops
        if "motion" in root:
            reader.fail("motion: not supported together with joints of several DoF", root["motion"])
        self.tree: list[_New] = []
        self.cuts: list[_New] = []
        self.fixed: list[_New] = []
        self.extra: list[tuple[_New, _New]] = []  # cut and fixed frames of parallelograms
        self.of_user: dict[int, _New] = {}

    def root(self) -> MapNode:
        more: list[_New] = []  # parts of cut joints, at the end of the tree
        for j, node in enumerate(self.given, 1):
            parts = self._parts(j, self.reader.mapping(node, f"frame {j}"))
            self.of_user[j] = parts[-1]
            if j <= self.links:
                self.tree += parts
            elif j <= self.links + self.loops:
                more += parts[:-1]
                self.cuts.append(parts[-1])
            else:
                self.fixed.append(parts[-1])
        self.tree += more
        self.cuts += [cut for cut, _ in self.extra]
        self.fixed += [fixed for _, fixed in self.extra]
        table = [*self.tree, *self.cuts, *self.fixed]
        for number, new in enumerate(table, 1):
            new.number = number
        for new in table:
            new.node.put(ant=str(new.ant.number if isinstance(new.ant, _New) else self._number(new.ant)))
        root = self.old.without()
        root["frames"] = ListNode(self.old.line, self.old.column, [new.node for new in table])
        pairs = [[str(one.number) for one in pair] for pair in zip(self.cuts, self.fixed, strict=True)]
        if pairs:
            root["loops"] = ListNode(1, 1, [ListNode(1, 1, [TextNode(1, 1, n) for n in pair]) for pair in pairs])
        for key in _KEYED:
            if key in root:
                root[key] = self._numbered(key, root[key])
        if any(node is not None for *_, rods in self.shapes for node in rods):
            root["links"] = self._with_rods(root.get("links"))
        return root

    def _number(self, j: int) -> int:
        """Return the new number of frame j of the input."""
        return self.of_user[j].number if j else 0

    def _with_rods(self, links: Node | None) -> MapNode:
        """Return the links with the rods of parallelograms; of a leg only the first rods are in its table."""
        result = links.without() if isinstance(links, MapNode) else MapNode(1, 1)
        for rod, other, _, rods in self.shapes:
            for new, node in zip((rod, other), rods, strict=True):
                if node is not None and new.number:
                    result[TextNode(node.line, node.column, str(new.number))] = node
        return result

    def _rods(self, j: int, frame: MapNode) -> _Rods:
        """Return the inertias of both rods: one mapping for both, or a list of two."""
        node = frame.get("rods")
        if isinstance(node, ListNode):
            first, second = self.reader.items(node, f"frame {j}: rods", 2)
            return first, second
        return node, node

    def _numbered(self, key: str, node: Node) -> Node:
        """Return a mapping with the new numbers of links, without virtual links."""
        entries: dict[int, tuple[Node, Node]] = {}  # with the position of the key
        if node == "symbolic" and key == "links":
            entries = dict.fromkeys(range(1, self.links + 1), (node, node))
        elif isinstance(node, ListNode) and key == "links":
            entries = {j: (item, item) for j, item in enumerate(node, 1)}
            if len(entries) > self.links:
                self.reader.fail(f"links: expected at most {self.links} entries, found {len(entries)}", node)
        elif isinstance(node, MapNode):
            for place in node.places():
                number = self.reader.integer(place, key)
                if number not in self.of_user and (number or key == "links"):
                    self.reader.fail(f"{key}: expected a link from 1 to {self.links}, found {number}", place)
                entries[number] = node[place], place
        else:
            return node
        result = MapNode(node.line, node.column)
        for number, (item, where) in entries.items():
            result[TextNode(where.line, where.column, str(self._number(number)))] = item
        return result

    def _parts(self, j: int, frame: MapNode) -> list[_New]:
        """Return the new frames of a frame of the input."""
        reader, what = self.reader, f"frame {j}"
        ant = reader.integer(frame["ant"], f"{what}: ant") if "ant" in frame else j - 1
        if not 0 <= ant < j:
            reader.fail(f"{what}: ant: expected an antecedent from 0 to {j - 1}, found {ant}", frame.get("ant", frame))
        plain = frame.without(*_OWN)
        if "name" not in plain:
            plain.put(name=f"frame{j}")
        word = self._word(j, frame)
        if word in COMPOUNDS or word == _PARALLELOGRAM:
            for key in ("sigma", "limits", "follows", "pitch"):
                if key in frame:
                    reader.fail(f"{what}: {key}: not allowed for a {word} joint", frame[key])
            if j > self.links + self.loops:
                reader.fail(f"{what}: type: expected fixed for a frame that closes a loop", frame["type"])
            make = self._parallelogram if word == _PARALLELOGRAM else self._compound
            return make(j, frame, plain, ant)
        for key in _OF_SEVERAL:
            if key in frame:
                reader.fail(f"{what}: {key}: only allowed for joints with several DoF", frame[key])
        if word:
            if "sigma" in frame:
                reader.fail(f"{what}: sigma: not allowed together with type", frame["sigma"])
            plain.put(sigma=str(next(kind.sigma for kind in JOINT_TYPES.values() if kind.name == word)))
        return [_New(plain, ant)]

    def _word(self, j: int, frame: MapNode) -> str:
        node = frame.get("type")
        if node is None:
            return ""
        word = node.strip() if isinstance(node, TextNode) else ""
        if word not in _WORDS:
            message = f"frame {j}: type: expected {', '.join(_WORDS)}, found {word[:40]!r}{closest(word[:40], _WORDS)}"
            self.reader.fail(message, node)
        return word

    def _compound(self, j: int, frame: MapNode, plain: MapNode, ant: int) -> list[_New]:
        kind: Compound = COMPOUNDS[self._word(j, frame)]
        usual = [f"{part.letter}{self.before + j}_{k}" for k, part in enumerate(kind.parts, 1)]
        names, motors = self._variables(j, frame, usual), self._motors(j, frame, len(kind.parts))
        text = {key: _text(plain.get(key)) for key in GEOMETRY}
        if kind.parts[0].alpha != "0" and (text["theta"] != "0" or text["r"] != "0"):
            message = f"frame {j}: theta, r: not allowed for a {kind.name} joint: use gamma of the next frame"
            self.reader.fail(message, frame)
        new: list[_New] = []
        for k, (part, name, mu) in enumerate(zip(kind.parts, names, motors, strict=True)):
            node = MapNode(frame.line, frame.column)
            node.put(sigma=str(part.sigma), mu=mu, **_entries(part, name, {} if new else text))
            if "joint" in plain:
                node.put(joint=f"{_text(plain['joint'])}_{k + 1}")
            new.append(_New(node, new[-1] if new else ant))
        new[-1].node[plain.place("name")] = plain["name"]
        return new

    def _parallelogram(self, j: int, frame: MapNode, plain: MapNode, ant: int) -> list[_New]:
        """Expand a parallelogram: two rods of `length` rotate about z, `width` apart along x; the link translates.

        It is a loop of four joints: both rods and the link are in the tree, and the far end of the second rod is cut.
        """
        reader, what = self.reader, f"frame {j}"
        if j > self.links:
            reader.fail(f"{what}: type: a parallelogram cannot be a cut joint: cut the loop elsewhere", frame)
        for key, parts in (("length", "rods"), ("width", "sides")):
            if key not in frame:
                reader.fail(f"{what}: missing key {key}: a parallelogram needs the {key} of its {parts}", frame)
        if "theta" in frame:
            reader.fail(f"{what}: theta: not allowed: name the angle of the rods with variables", frame["theta"])
        length, width = _text(frame["length"]), _text(frame["width"])
        names = self._variables(j, frame, [f"t{self.before + j}_{k}" for k in (1, 2, 3, 4)])
        (mu,) = self._motors(j, frame, 1)
        rod, link, other, cut, fixed = (MapNode(frame.line, frame.column) for _ in range(5))
        place = {key: _text(plain[key]) for key in GEOMETRY if key in plain}
        rod.put(**place, theta=names[0], mu=mu)
        link.put(theta=names[1], mu="0", d=length)
        other.put(**place | {"d": f"({place.get('d', '0')}) + ({width})"}, theta=names[2], mu="0")
        cut.put(theta=names[3], mu="0", d=length)
        fixed.put(sigma="2", d=width)
        if "joint" in plain:
            rod.put(joint=_text(plain["joint"]))
        link[plain.place("name")] = plain["name"]
        first, second = _New(rod, ant), _New(other, ant)
        platform = _New(link, first)
        self.shapes.append((first, second, names[3], self._rods(j, frame)))
        if self.leg:
            return [first, platform]
        self.extra.append((_New(cut, second), _New(fixed, platform)))
        return [first, second, platform]

    def _variables(self, j: int, frame: MapNode, usual: list[str]) -> list[str]:
        node = frame.get("variables")
        if node is None:
            return usual
        given = self.reader.items(node, f"frame {j}: variables")
        if len(given) != len(usual) and not (len(usual) == 4 and len(given) == 1):
            self.reader.fail(f"frame {j}: variables: expected {len(usual)} names, found {len(given)}", node)
        return [_text(item) for item in given] + usual[len(given) :]

    def _motors(self, j: int, frame: MapNode, count: int) -> list[str]:
        node = frame.get("mu")
        if isinstance(node, ListNode):
            return [_text(item) for item in self.reader.items(node, f"frame {j}: mu", count)]
        return [_text(node) if node is not None else "1"] * count


def _entries(part: CompoundPart, name: str, own: Mapping[str, str]) -> dict[str, str]:
    """Return the six parameters of a part; `own` are those of the input frame, for the first part."""
    entries = {key: own.get(key, "0") for key in GEOMETRY}
    for key, more in (("gamma", part.gamma), ("alpha", part.alpha), ("theta", part.offset)):
        entries[key] = _sum(entries[key], more)
    held = "r" if part.letter == "r" else "theta"
    entries[held] = _sum(name, entries[held])
    return {key: value for key, value in entries.items() if value != "0"}


def _sum(one: str, other: str) -> str:
    return other if one == "0" else one if other == "0" else f"{one} + ({other})"


def _text(node: Node | None) -> str:
    return node.strip() if isinstance(node, TextNode) else "0"
