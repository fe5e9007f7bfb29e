"""A description as texts, lists and mappings that know their places, from YAML or Python's data, and their entries.

YAML's own types are not used: `1e3`, `0o7`, `yes`, `~` and dates stay the text that the file holds. Anchors, aliases,
tags, a second document, a key given twice and deep nesting are refused while the parser's events pass by, so that no
text of a few lines can grow.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import yaml

from robosym.algebra import Expr, Graph, evaluate, parse, symbols
from robosym.algebra.canonical import canonical_text
from robosym.errors import Complaint, ExpressionError, FormatError, RobotError, RobotWarning, closest
from robosym.formats.source import shortened, whole_number
from robosym.mechanism.screws import angle_remarks, exact_angle, in_radians

__all__ = ["ListNode", "MapNode", "Node", "NodeReader", "TextNode", "found_in", "nodes_of", "read_nodes"]

_MAX_DEPTH = 10  # a description needs 4
# libyaml is about ten times faster; PyYAML's own parser gives the same events
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class TextNode(str):
    """A scalar as it is written, and where it starts; data of Python start at line 0."""

    line: int
    column: int

    def __new__(cls, line: int, column: int, text: str) -> TextNode:
        node = super().__new__(cls, text)
        node.line, node.column = line, column
        return node


class ListNode(list["Node"]):
    """A list, and where it starts."""

    def __init__(self, line: int, column: int, items: Iterable[Node] = ()) -> None:
        super().__init__(items)
        self.line, self.column = line, column


class MapNode(dict[str, "Node"]):
    """A mapping, and where it starts; its keys know their places too."""

    def __init__(self, line: int, column: int, entries: Mapping[str, Node] | None = None) -> None:
        super().__init__()
        self.line, self.column = line, column
        for key, node in (entries or {}).items():
            self[key] = node

    def __setitem__(self, key: str, node: Node) -> None:
        """An entry; a key without a place stands where the mapping does."""
        super().__setitem__(key if isinstance(key, TextNode) else TextNode(self.line, self.column, key), node)

    def put(self, **texts: str) -> None:
        """Entries that stand where the mapping does."""
        for key, text in texts.items():
            self[key] = TextNode(self.line, self.column, text)

    def places(self) -> Iterator[TextNode]:
        """The keys, each with its place."""
        return (key for key in self if isinstance(key, TextNode))

    def place(self, key: str) -> TextNode:
        """One of them."""
        return next(word for word in self.places() if word == key)

    def without(self, *keys: str) -> MapNode:
        """A copy without some keys."""
        return MapNode(self.line, self.column, {key: node for key, node in self.items() if key not in keys})


Node = TextNode | ListNode | MapNode


def read_nodes(text: str, file: str | None) -> Node | None:
    """The only document of a text; None if it is empty."""
    root: Node | None = None
    events = _events(text, file)
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            _fail("expected one document, found a second one", event, file)
        if isinstance(event, yaml.NodeEvent):
            root = _node(event, events, file)
    return root


def _events(text: str, file: str | None) -> Iterator[Any]:
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = "; ".join(part for part in (error.context, error.problem) if part)
        place = (mark.line + 1, mark.column + 1) if mark else (None, None)
        raise FormatError(f"not YAML: {message}", file, *place) from None
    except (yaml.YAMLError, UnicodeError) as error:
        reason = getattr(error, "reason", None) or "it holds characters that YAML does not allow"
        raise FormatError(f"not YAML: {reason}", file) from None


def _node(event: Any, events: Iterator[Any], file: str | None, depth: int = 1, key: bool = False) -> Node:
    """The node that an event begins."""
    if isinstance(event, yaml.AliasEvent):
        _fail("aliases (*name) are not read: write the value where it is used", event, file)
    if event.anchor is not None:
        _fail("anchors (&name) are not read: write the value where it is used", event, file)
    if event.tag is not None:
        _fail("tags (!name) are not read: an entry is a number or an expression", event, file)
    place = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, yaml.ScalarEvent):
        return TextNode(*place, event.value)
    if key:
        _fail("expected a plain word as a key", event, file)
    if depth > _MAX_DEPTH:
        _fail(f"expected at most {_MAX_DEPTH} levels of lists and mappings, found more", event, file)
    if isinstance(event, yaml.SequenceStartEvent):
        items = ListNode(*place)
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            items.append(_node(inner, events, file, depth + 1))
        return items
    entries = MapNode(*place)
    while not isinstance(inner := next(events), yaml.MappingEndEvent):
        word = _node(inner, events, file, depth, key=True)
        assert isinstance(word, TextNode)
        if word in entries:
            _fail(f"{word[:60]} is given twice", inner, file)
        entries[word] = _node(next(events), events, file, depth + 1)
    return entries


def _fail(message: str, event: Any, file: str | None) -> NoReturn:
    mark = event.start_mark
    raise FormatError(message, file, mark.line + 1, mark.column + 1)


def nodes_of(value: object, what: str) -> Node:
    """The node of Python's lists, mappings, numbers and texts; `what` says where the value is, for messages."""
    if isinstance(value, Mapping):
        node = MapNode(0, 0)
        for key, item in value.items():
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise RobotError(f"{what}: expected a text or a number as a key, found {key!r}")
            word = str(key)
            if word in node:
                raise RobotError(f"{what}: {word[:60]} is given twice")
            node[word] = nodes_of(item, f"{what}: {word[:60]}")
        return node
    text = value if isinstance(value, str) else _written(value, what)
    if text is not None:
        return TextNode(0, 0, text)
    if isinstance(value, Iterable):
        return ListNode(0, 0, [nodes_of(item, f"{what}[{i}]") for i, item in enumerate(value, 1)])
    raise RobotError(f"{what}: expected a number, a text, a list or a mapping, found {value!r}")


def _written(value: object, what: str) -> str | None:
    """An expression, or a number of any library, as it is written; SymPy's expressions are written so too."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, Expr):
        return canonical_text(value)
    if isinstance(value, (int, Fraction)) or hasattr(value, "free_symbols"):
        return str(value)
    if isinstance(value, float) or (hasattr(value, "__float__") and not getattr(value, "shape", ())):
        number = float(value)
        if not math.isfinite(number):
            raise RobotError(f"{what}: expected a finite number, found {number!r}")
        return repr(number)
    return None


class NodeReader:
    """Entries of nodes as texts, numbers and expressions of one graph; complaints name the place in the file."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.graph = Graph()

    def fail(self, message: str | Complaint, node: Node | None, code: str = "") -> NoReturn:
        if node is not None and not node.line:  # data of Python have no lines
            raise RobotError(message, code=code)
        raise FormatError(message, self.file, *((node.line, node.column) if node is not None else ()), code=code)

    def warn(self, message: str, node: Node, code: str = "") -> None:
        place = (self.file, node.line or None, node.column or None)
        warnings.warn(RobotWarning(message, *place, code=code), stacklevel=2)

    def mapping(self, node: Node, what: str, known: Sequence[str] = ()) -> MapNode:
        """A mapping, whose keys are all known."""
        if not isinstance(node, MapNode):
            self.fail(f"{what}: expected a mapping, {found_in(node)}", node)
        for key in node.places():
            if known and key not in known:
                self.fail(f"{what}: unknown key {shortened(key)}{closest(key[:40], known)}", key, "E302")
        return node

    def items(self, node: Node, what: str, length: int | None = None) -> ListNode:
        """A list, of a given length where there is one."""
        if not isinstance(node, ListNode):
            self.fail(f"{what}: expected a list, {found_in(node)}", node)
        if length is not None and len(node) != length:
            self.fail(f"{what}: expected {length} entries, found {len(node)}", node)
        return node

    def scalar(self, node: Node, what: str) -> TextNode:
        if not isinstance(node, TextNode):
            self.fail(f"{what}: expected a number or an expression, {found_in(node)}", node)
        return node

    def text(self, root: MapNode, key: str) -> str:
        """A text of a mapping, empty where it has none."""
        node = root.get(key)
        if node is None:
            return ""
        if not isinstance(node, TextNode):
            self.fail(f"{key}: expected a text, {found_in(node)}", node)
        return node.strip()

    def number(self, node: Node, what: str) -> float:
        """A number, or an expression without symbols."""
        value = self.expression(node, what, Graph(), degrees=True)
        if list(symbols([value])):
            self.fail(f"{what}: expected a number, found {shortened(self.scalar(node, what))}", node)
        try:
            return evaluate([value], {})[0]
        except ExpressionError as error:
            self.fail(f"{what}: {error}", node)

    def expression(self, node: Node, what: str, graph: Graph | None = None, degrees: bool = False) -> Expr:
        text: str = self.scalar(node, what)
        if degrees:
            text = in_radians(text)
        if not text.strip():
            self.fail(f"{what}: expected a number or an expression, found nothing", node)
        try:
            return parse(text, graph or self.graph)
        except ExpressionError as error:
            self.fail(f"{what}: {error}" + (f", in {shortened(text)}" if len(text) > 1 else ""), node)

    def angle(self, node: Node, what: str, graph: Graph | None = None) -> Expr:
        """An angle in radians, or with the unit: `90deg`; parts of Pi are exact."""
        graph = graph or self.graph
        value = self.expression(node, what, graph, degrees=True)
        for remark in angle_remarks(value):
            self.warn(f"{what}: {remark}", node, "E203")
        return exact_angle(value, graph)

    def integer(self, node: Node, what: str) -> int:
        number = whole_number(self.expression(node, what, Graph()))
        if number is None:
            self.fail(f"{what}: expected an integer, found {shortened(self.scalar(node, what))}", node)
        return number

    def vector(self, node: Node, what: str, length: int) -> tuple[Expr, ...]:
        items = self.items(node, what, length)
        return tuple(self.expression(item, f"{what}[{i}]") for i, item in enumerate(items, 1))

    def numbered(self, node: Node | None, what: str, numbers: Iterable[int], one: str) -> dict[int, Node]:
        """A mapping from the numbers of links."""
        if node is None:
            return {}
        allowed = list(numbers)
        found: dict[int, Node] = {}
        root = self.mapping(node, what)
        for key in root.places():
            number = self.integer(key, what)
            if number not in allowed:
                self.fail(f"{what}: expected {one} from {allowed[0]} to {allowed[-1]}, found {number}", key)
            if number in found:
                self.fail(f"{what}: {number} is given twice", key)
            found[number] = root[key]
        return found


def found_in(node: Node) -> str:
    """What a message says that was found in the place of something else."""
    if isinstance(node, TextNode):
        return f"found {shortened(node)!r}" if node else "found nothing"
    return "found a list" if isinstance(node, ListNode) else "found a mapping"
