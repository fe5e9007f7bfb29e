"""Joints of several freedoms in YAML: `type: universal` of one frame becomes the frames of its parts.

    - {name: hip, ant: 2, type: spherical, d: 0.3, variables: [a, b, c], mu: [1, 1, 0]}
    - {type: parallelogram, length: 0.8, width: 0.1, rods: {M: 0.2, MX: 0.08}, mu: 0}    # rods: each, or a list of two

The description is rewritten before it is read: what was frame j gets another number where a frame before it has several
parts, and the numbers in `ant`, `loops`, `links` and `wrench` change with it. Its name, or `frame<j>`, still finds it.
The parts of a cut joint stand at the end of the tree, all but the last, which is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, NoReturn, Protocol

from robosym.errors import closest
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, TextNode
from robosym.mechanism.joints import COMPOUNDS, JOINT_TYPES, Compound, CompoundPart

__all__ = ["SecondRod", "expanded", "expanded_leg"]

_PARALLELOGRAM = "parallelogram"
_WORDS = (*(kind.name for kind in JOINT_TYPES.values()), *COMPOUNDS, _PARALLELOGRAM)
_OWN = ("type", "variables", "length", "width", "rods")  #: keys of a frame that only this file knows


_Rods = tuple[Node | None, Node | None]


class _Words(Protocol):
    """What is asked of the reader: complaints and numbers with their places."""

    def fail(self, message: str, node: Node | None) -> NoReturn: ...

    def integer(self, node: Node, what: str) -> int: ...

    def items(self, node: Node, what: str, length: int | None = None) -> list[Node]: ...

    def mapping(self, node: Node, what: str) -> MapNode: ...


def expanded(root: MapNode, reader: _Words) -> MapNode:
    """The same description in joints with one axis; itself where it has no others."""
    return _Expansion(root, reader).root() if _concerns(root) else root


class SecondRod(NamedTuple):
    """Of a parallelogram in a leg: its first rod among the leg's frames, and the frame of the second one."""

    rod: int
    frame: MapNode
    cut: str  #: variable of the joint at its far end
    inertia: tuple[Node | None, Node | None]  #: of both rods


def expanded_leg(leg: MapNode, reader: _Words, before: int) -> tuple[MapNode, list[SecondRod]]:
    """The same of a leg, a chain behind `before` frames of other legs, which count for the names of variables."""
    if not _concerns(leg):
        return leg, []
    expansion = _Expansion(leg, reader, before, leg=True)
    result = expansion.root()
    nodes = [*reader.items(result.items["frames"], "frames"), *(shape[1].node for shape in expansion.shapes)]
    for node in nodes:
        for key in ("ant", "name"):  # the frames of a leg follow one another
            reader.mapping(node, "frame").items.pop(key, None)
            reader.mapping(node, "frame").keys.pop(key, None)
    places = {id(new): number for number, new in enumerate(expansion.tree, 1)}
    return result, [SecondRod(places[id(rod)], other.node, cut, rods) for rod, other, cut, rods in expansion.shapes]


def _concerns(root: MapNode) -> bool:
    frames = root.items.get("frames")
    return isinstance(frames, ListNode) and any(
        isinstance(f, MapNode) and set(_OWN) & set(f.items) for f in frames.items
    )


class _Expansion:
    """The frames of a description, the new ones by the part of the table they belong to."""

    def __init__(self, root: MapNode, reader: _Words, before: int = 0, leg: bool = False) -> None:
        self.old, self.reader, self.before, self.leg = root, reader, before, leg
        self.shapes: list[tuple[_New, _New, str, _Rods]] = []  # rods of parallelograms, and the variable of their cut
        self.given = reader.items(root.items["frames"], "frames")
        loops = root.items.get("loops")
        self.pairs = reader.items(loops, "loops") if loops is not None else []
        count = len(self.pairs)
        self.links = len(self.given) - 2 * count
        for key in ("motion",):
            if key in root.items:
                reader.fail(f"{key}: it cannot be given beside joints of several freedoms", root.items[key])
        self.tree: list[_New] = []
        self.cuts: list[_New] = []
        self.fixed: list[_New] = []
        self.of_user: dict[int, _New] = {}

    def root(self) -> MapNode:
        more: list[_New] = []  # parts of cut joints, at the end of the tree
        extra: list[tuple[_New, _New]] = []  # cut and fixed frames of parallelograms
        for j, node in enumerate(self.given, 1):
            frame = self.reader.mapping(node, f"frame {j}")
            parts = self._parts(j, frame, extra)
            self.of_user[j] = parts[-1]
            if j <= self.links:
                self.tree += parts
            elif j <= self.links + len(self.pairs):
                more += parts[:-1]
                self.cuts.append(parts[-1])
            else:
                self.fixed.append(parts[-1])
        self.tree += more
        self.cuts += [cut for cut, _ in extra]
        self.fixed += [fixed for _, fixed in extra]
        table = [*self.tree, *self.cuts, *self.fixed]
        numbers = {id(new): number for number, new in enumerate(table, 1)}
        last = {j: numbers[id(new)] for j, new in self.of_user.items()} | {0: 0}
        for new in table:
            ant = last[new.ant] if isinstance(new.ant, int) else numbers[id(new.ant)]
            _put(new.node, "ant", str(ant))
        root = _copied(self.old)
        root.items["frames"] = ListNode(self.old.line, self.old.column, [new.node for new in table])
        start = len(self.tree)
        pairs = [[start + k + 1, start + len(self.cuts) + k + 1] for k in range(len(self.cuts))]
        self._check_pairs()
        if pairs:
            root.items["loops"] = ListNode(
                1, 1, [ListNode(1, 1, [TextNode(1, 1, str(n)) for n in pair]) for pair in pairs]
            )
            root.keys.setdefault("loops", TextNode(1, 1, "loops"))
        for key in ("links", "wrench"):
            if key in root.items:
                root.items[key] = self._numbered(key, root.items[key], last)
        if any(node is not None for *_, rods in self.shapes for node in rods):
            root.items["links"] = self._with_rods(root.items.get("links"), numbers)
            root.keys.setdefault("links", TextNode(1, 1, "links"))
        return root

    def _with_rods(self, links: Node | None, numbers: Mapping[int, int]) -> MapNode:
        """The links, and the rods of parallelograms among them; of a leg only the first rods are in its table."""
        result = _copied(links) if isinstance(links, MapNode) else MapNode(1, 1)
        for rod, other, _, rods in self.shapes:
            for new, node in zip((rod, other), rods, strict=True):
                if node is not None and id(new) in numbers:
                    text = str(numbers[id(new)])
                    result.items[text], result.keys[text] = node, TextNode(node.line, node.column, text)
        return result

    def _rods(self, j: int, frame: MapNode) -> _Rods:
        """The inertia of both rods: one mapping for both, or a list of two."""
        node = frame.items.get("rods")
        if isinstance(node, ListNode):
            first, second = self.reader.items(node, f"frame {j}: rods", 2)
            return first, second
        return node, node

    def _check_pairs(self) -> None:
        count = len(self.pairs)
        for i, pair in enumerate(self.pairs):
            found = [
                self.reader.integer(one, f"loops[{i + 1}]") for one in self.reader.items(pair, f"loops[{i + 1}]", 2)
            ]
            if found != [self.links + i + 1, self.links + count + i + 1]:
                expected = [self.links + i + 1, self.links + count + i + 1]
                self.reader.fail(f"loops[{i + 1}]: expected {expected}, found {found}", pair)

    def _numbered(self, key: str, node: Node, last: Mapping[int, int]) -> Node:
        """A mapping from links with their new numbers; virtual links are not in it."""
        result = MapNode(node.line, node.column)
        entries: dict[int, tuple[Node, Node | None]] = {}
        if isinstance(node, TextNode) and key == "links" and node.text == "symbolic":
            entries = {j: (TextNode(node.line, node.column, "symbolic"), None) for j in range(1, self.links + 1)}
        elif isinstance(node, ListNode) and key == "links":
            entries = {j: (item, None) for j, item in enumerate(node.items, 1)}
            if len(entries) > self.links:
                self.reader.fail(f"links: expected at most {self.links} entries, found {len(entries)}", node)
        elif isinstance(node, MapNode):
            for text, place in node.keys.items():
                number = self.reader.integer(place, key)
                if number not in last or (number == 0 and key == "links"):
                    self.reader.fail(f"{key}: expected a link from 1 to {self.links}, found {number}", place)
                entries[number] = node.items[text], place
        else:
            return node
        for number, (item, key_place) in entries.items():
            text = str(last[number])
            where = key_place or item
            result.items[text] = item
            result.keys[text] = TextNode(where.line, where.column, text)
        return result

    def _parts(self, j: int, frame: MapNode, extra: list[tuple[_New, _New]]) -> list[_New]:
        """The new frames of one of the user's."""
        reader, given = self.reader, frame.items
        what = f"frame {j}"
        ant = reader.integer(given["ant"], f"{what}: ant") if "ant" in given else j - 1
        if not 0 <= ant < j:
            reader.fail(f"{what}: ant: expected an antecedent from 0 to {j - 1}, found {ant}", given.get("ant", frame))
        plain = MapNode(frame.line, frame.column, dict(given), dict(frame.keys))
        for key in _OWN:
            plain.items.pop(key, None)
            plain.keys.pop(key, None)
        if "name" not in plain.items:
            _put(plain, "name", f"frame{j}")
        word = self._word(j, frame)
        if word in COMPOUNDS or word == _PARALLELOGRAM:
            for key in ("sigma", "limits", "follows", "pitch"):
                if key in given:
                    reader.fail(f"{what}: {key}: a {word} joint has none", given[key])
            if j > self.links + len(self.pairs):
                reader.fail(f"{what}: type: it closes a loop and must be fixed", given["type"])
        if word == _PARALLELOGRAM:
            return self._parallelogram(j, frame, plain, ant, extra)
        if word in COMPOUNDS:
            return self._compound(j, frame, plain, ant, COMPOUNDS[word])
        for key in ("variables", "length", "width", "rods"):
            if key in given:
                reader.fail(f"{what}: {key}: only joints of several freedoms have it", given[key])
        if word:
            sigma = next(kind.sigma for kind in JOINT_TYPES.values() if kind.name == word)
            if "sigma" in given:
                reader.fail(f"{what}: sigma: type says it already", given["sigma"])
            _put(plain, "sigma", str(sigma))
        return [_New(plain, ant)]

    def _word(self, j: int, frame: MapNode) -> str:
        node = frame.items.get("type")
        if node is None:
            return ""
        word = node.text.strip() if isinstance(node, TextNode) else ""
        if word not in _WORDS:
            message = f"frame {j}: type: expected {', '.join(_WORDS)}, found {word[:40]!r}{closest(word[:40], _WORDS)}"
            self.reader.fail(message, node)
        return word

    def _compound(self, j: int, frame: MapNode, plain: MapNode, ant: int, kind: Compound) -> list[_New]:
        names = self._variables(
            j, frame, [f"{part.letter}{self.before + j}_{k}" for k, part in enumerate(kind.parts, 1)]
        )
        motors = self._motors(j, frame, len(kind.parts))
        text = {key: _text(plain.items.get(key)) for key in ("gamma", "b", "alpha", "d", "theta", "r")}
        new: list[_New] = []
        for k, (part, name, mu) in enumerate(zip(kind.parts, names, motors, strict=True)):
            node = MapNode(frame.line, frame.column)
            entries = _entries(part, name, text if k == 0 else {})
            if k == 0 and part.alpha != "0" and (text["theta"] != "0" or text["r"] != "0"):
                message = f"frame {j}: theta and r: a {kind.name} joint has none, turn it with gamma of the next frame"
                self.reader.fail(message, frame)
            for key, value in {"sigma": str(part.sigma), "mu": mu, **entries}.items():
                _put(node, key, value)
            if "joint" in plain.items:
                _put(node, "joint", f"{_text(plain.items['joint'])}_{k + 1}")
            new.append(_New(node, new[-1] if new else ant))
        new[-1].node.items["name"] = plain.items["name"]
        new[-1].node.keys["name"] = plain.keys["name"]
        return new

    def _parallelogram(
        self, j: int, frame: MapNode, plain: MapNode, ant: int, extra: list[tuple[_New, _New]]
    ) -> list[_New]:
        """Two rods of `length` turn about z, `width` apart along x; the user's link keeps its direction at their ends.

        A loop of four joints: the first rod and the link are in the tree, the second rod too, its far end is cut.
        """
        reader, what = self.reader, f"frame {j}"
        if j > self.links:
            reader.fail(f"{what}: type: a parallelogram is a joint of the tree, and cannot be cut", frame)
        size = {}
        for key in ("length", "width"):
            if key not in frame.items:
                reader.fail(
                    f"{what}: {key}: a parallelogram needs the {key} of its {'rods' if key == 'length' else 'sides'}",
                    frame,
                )
            size[key] = _text(frame.items[key])
        for key in ("theta",):
            if key in frame.items:
                reader.fail(f"{what}: {key}: it is the angle of the rods, named with variables", frame.items[key])
        names = self._variables(j, frame, [f"t{self.before + j}_{k}" for k in (1, 2, 3, 4)])
        (mu,) = self._motors(j, frame, 1)
        rod, link, other, cut, fixed = (MapNode(frame.line, frame.column) for _ in range(5))
        for node in (rod, other):
            for key in ("gamma", "b", "alpha", "d", "r"):
                if key in plain.items:
                    _put(node, key, _text(plain.items[key]))
        _put(other, "d", f"({_text(plain.items.get('d'))}) + ({size['width']})")
        for node, name, motor in (
            (rod, names[0], mu),
            (link, names[1], "0"),
            (other, names[2], "0"),
            (cut, names[3], "0"),
        ):
            _put(node, "theta", name)
            _put(node, "mu", motor)
        _put(link, "d", size["length"])
        _put(cut, "d", size["length"])
        _put(fixed, "sigma", "2")
        _put(fixed, "d", size["width"])
        if "joint" in plain.items:
            _put(rod, "joint", _text(plain.items["joint"]))
        link.items["name"], link.keys["name"] = plain.items["name"], plain.keys["name"]
        first, second = _New(rod, ant), _New(other, ant)
        platform = _New(link, first)
        self.shapes.append((first, second, names[3], self._rods(j, frame)))
        if self.leg:
            return [first, platform]
        extra.append((_New(cut, second), _New(fixed, platform)))
        return [first, second, platform]

    def _variables(self, j: int, frame: MapNode, usual: list[str]) -> list[str]:
        node = frame.items.get("variables")
        if node is None:
            return usual
        given = self.reader.items(node, f"frame {j}: variables")
        if len(given) != len(usual) and not (len(usual) == 4 and len(given) == 1):
            self.reader.fail(f"frame {j}: variables: expected {len(usual)} names, found {len(given)}", node)
        return [_text(item) for item in given] + usual[len(given) :]

    def _motors(self, j: int, frame: MapNode, count: int) -> list[str]:
        node = frame.items.get("mu")
        if isinstance(node, ListNode):
            return [_text(item) for item in self.reader.items(node, f"frame {j}: mu", count)]
        return [_text(node) if node is not None else "1"] * count


class _New:
    """A frame of the new table, and where it hangs: a frame of the user's, or one made before it."""

    def __init__(self, node: MapNode, ant: int | _New) -> None:
        self.node, self.ant = node, ant


def _entries(part: CompoundPart, name: str, own: Mapping[str, str]) -> dict[str, str]:
    """The six parameters of a part; `own` are those of the user's frame, of the first part."""
    entries = {key: own[key] for key in ("b", "d", "r") if key in own and own[key] != "0"}
    entries["gamma"] = _sum(own.get("gamma", "0"), part.gamma)
    entries["alpha"] = _sum(own.get("alpha", "0"), part.alpha)
    held, still = ("r", "theta") if part.letter == "r" else ("theta", "")
    if still:
        entries[still] = _sum(own.get("theta", "0"), part.offset)
        entries[held] = _sum(name, own.get("r", "0"))
    else:
        entries[held] = _sum(name, _sum(own.get("theta", "0"), part.offset))
    return {key: value for key, value in entries.items() if value != "0"}


def _sum(one: str, other: str) -> str:
    return other if one == "0" else one if other == "0" else f"{one} + ({other})"


def _text(node: Node | None) -> str:
    return node.text.strip() if isinstance(node, TextNode) else "0"


def _put(node: MapNode, key: str, text: str) -> None:
    node.items[key] = TextNode(node.line, node.column, text)
    node.keys[key] = TextNode(node.line, node.column, key)


def _copied(node: MapNode) -> MapNode:
    return MapNode(node.line, node.column, dict(node.items), dict(node.keys))
