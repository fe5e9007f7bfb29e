"""Descriptions as texts, lists and mappings with positions, from YAML or Python data, and typed access to entries.

YAML's own types are not used: `1e3`, `0o7`, `yes`, `~` and dates stay text. Anchors, aliases, tags, a second document,
duplicate keys and deep nesting are rejected during parsing, so that a short text cannot expand into a large one.
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
from robosym.errors import Diagnostic, ExpressionError, FormatError, RobotError, RobotWarning, closest
from robosym.formats.source import shortened, whole_number
from robosym.mechanism.screws import angle_remarks, exact_angle, in_radians

__all__ = ["ListNode", "MapNode", "Node", "NodeReader", "TextNode", "found_in", "nodes_of", "read_nodes"]

_MAX_DEPTH = 10  # a description needs 4
# libyaml is about ten times faster than PyYAML's own parser and gives the same events
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class TextNode(str):
    """A scalar as written, with its position; Python data have line 0."""

    line: int
    column: int

    def __new__(cls, line: int, column: int, text: str) -> TextNode:
        node = super().__new__(cls, text)
        node.line, node.column = line, column
        return node


class ListNode(list["Node"]):
    """A list with its position."""

    def __init__(self, line: int, column: int, items: Iterable[Node] = ()) -> None:
        super().__init__(items)
        self.line, self.column = line, column


class MapNode(dict[str, "Node"]):
    """A mapping with its position; its keys have positions, too."""

    def __init__(self, line: int, column: int, entries: Mapping[str, Node] | None = None) -> None:
        super().__init__()
        self.line, self.column = line, column
        for key, node in (entries or {}).items():
            self[key] = node

    def __setitem__(self, key: str, node: Node) -> None:
        """Set an entry; a key without a position gets that of the mapping."""
        super().__setitem__(key if isinstance(key, TextNode) else TextNode(self.line, self.column, key), node)

    def put(self, **texts: str) -> None:
        """Set entries with the position of the mapping."""
        for key, text in texts.items():
            self[key] = TextNode(self.line, self.column, text)

    def places(self) -> Iterator[TextNode]:
        """Return the keys with their positions."""
        return (key for key in self if isinstance(key, TextNode))

    def place(self, key: str) -> TextNode:
        """Return a key with its position."""
        return next(word for word in self.places() if word == key)

    def without(self, *keys: str) -> MapNode:
        """Return a copy without some keys."""
        return MapNode(self.line, self.column, {key: node for key, node in self.items() if key not in keys})


Node = TextNode | ListNode | MapNode


def read_nodes(text: str, file: str | None) -> Node | None:
    """Return the document of a text, or None if it is empty."""
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
        raise FormatError(f"invalid YAML: {message}", file, *place) from None
    except (yaml.YAMLError, UnicodeError) as error:
        reason = getattr(error, "reason", None) or "it contains characters that YAML does not allow"
        raise FormatError(f"invalid YAML: {reason}", file) from None


def _node(event: Any, events: Iterator[Any], file: str | None, depth: int = 1, key: bool = False) -> Node:
    """Return the node that starts with an event."""
    if isinstance(event, yaml.AliasEvent):
        _fail("aliases (*name) are not supported: write the value itself", event, file)
    if event.anchor is not None:
        _fail("anchors (&name) are not supported: write the value where it is used", event, file)
    if event.tag is not None:
        _fail("tags (!name) are not supported: expected a number or an expression", event, file)
    place = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, yaml.ScalarEvent):
        return TextNode(*place, event.value)
    if key:
        _fail("expected a plain word as a key, found another node", event, file)
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
            _fail(f"duplicate key {word[:60]}", inner, file)
        entries[word] = _node(next(events), events, file, depth + 1)
    return entries


def _fail(message: str, event: Any, file: str | None) -> NoReturn:
    mark = event.start_mark
    raise FormatError(message, file, mark.line + 1, mark.column + 1)


def nodes_of(value: object, what: str) -> Node:
    """Convert Python lists, dicts, numbers and strings to nodes; `what` is the place of the value in messages."""
    if isinstance(value, Mapping):
        node = MapNode(0, 0)
        for key, item in value.items():
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise RobotError(f"{what}: expected a string or an integer as a key, found {key!r}")
            word = str(key)
            if word in node:
                raise RobotError(f"{what}: duplicate key {word[:60]}")
            node[word] = nodes_of(item, f"{what}: {word[:60]}")
        return node
    text = value if isinstance(value, str) else _written(value, what)
    if text is not None:
        return TextNode(0, 0, text)
    if isinstance(value, Iterable):
        return ListNode(0, 0, [nodes_of(item, f"{what}[{i}]") for i, item in enumerate(value, 1)])
    raise RobotError(f"{what}: expected a number, a string, a list or a dict, found {value!r}")


def _written(value: object, what: str) -> str | None:
    """Return an expression (also of SymPy) or a number of any library as text."""
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
    """Typed access to nodes: texts, numbers and expressions of one graph; errors have the position in the file."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.graph = Graph()

    def fail(self, message: str | Diagnostic, node: Node | None, code: str = "") -> NoReturn:
        if node is not None and not node.line:  # Python data have no lines
            raise RobotError(message, code=code)
        raise FormatError(message, self.file, *((node.line, node.column) if node is not None else ()), code=code)

    def warn(self, message: str, node: Node, code: str = "") -> None:
        place = (self.file, node.line or None, node.column or None)
        warnings.warn(RobotWarning(message, *place, code=code), stacklevel=2)

    def mapping(self, node: Node, what: str, known: Sequence[str] = ()) -> MapNode:
        """Return a mapping after checking its keys."""
        if not isinstance(node, MapNode):
            self.fail(f"{what}: expected a mapping, {found_in(node)}", node)
        for key in node.places():
            if known and key not in known:
                meant = closest(key[:40], known) or f": expected one of {', '.join(known)}"
                self.fail(f"{what}: unknown key {shortened(key)}{meant}", key, "E302")
        return node

    def items(self, node: Node, what: str, length: int | None = None) -> ListNode:
        """Return a list, of the given length if there is one."""
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
        """Return a text entry of a mapping, empty if it is missing."""
        node = root.get(key)
        if node is None:
            return ""
        if not isinstance(node, TextNode):
            self.fail(f"{key}: expected a text, {found_in(node)}", node)
        return node.strip()

    def number(self, node: Node, what: str) -> float:
        """Return the value of a number or of an expression without symbols."""
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
        """Return an angle in radians, or with a unit: `90deg`; multiples of Pi are exact."""
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
        """Return a mapping whose keys are link numbers."""
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
                self.fail(f"{what}: duplicate entry {number}", key)
            found[number] = root[key]
        return found


def found_in(node: Node) -> str:
    """Describe a node that has the wrong type, for a message."""
    if isinstance(node, TextNode):
        return f"found {shortened(node)!r}" if node else "found nothing"
    return "found a list" if isinstance(node, ListNode) else "found a mapping"
