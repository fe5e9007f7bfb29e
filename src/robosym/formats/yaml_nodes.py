"""YAML text to a tree of nodes with their places, every scalar as it is written.

YAML's own types are not used: `1e3`, `0o7`, `yes`, `~` and dates stay the text that the file holds. Anchors, aliases,
tags, a second document, a key given twice and deep nesting are refused while the parser's events pass by, so that no
text of a few lines can grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from robosym.errors import FormatError

__all__ = ["ListNode", "MapNode", "Node", "TextNode", "read_nodes"]

_MAX_DEPTH = 10  # a description needs 4
# libyaml is about ten times faster; PyYAML's own parser gives the same events
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class TextNode:
    """A scalar, and where it starts."""

    line: int
    column: int
    text: str


@dataclass(slots=True)
class ListNode:
    line: int
    column: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class MapNode:
    line: int
    column: int
    items: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, TextNode] = field(default_factory=dict)
    waiting: TextNode | None = None  #: a key whose value has not come yet


Node = TextNode | ListNode | MapNode


def read_nodes(text: str, file: str | None) -> Node | None:
    """The only document of a text; None if it is empty."""
    root: Node | None = None
    stack: list[ListNode | MapNode] = []
    for event in _events(text, file):
        node = _node(event, file)
        if node is None:
            if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                stack.pop()
            elif isinstance(event, yaml.DocumentStartEvent) and root is not None:
                _fail("expected one document, found a second one", event, file)
            continue
        if stack:
            _attach(stack[-1], node, event, file)
        else:
            root = node
        if not isinstance(node, TextNode):
            stack.append(node)
            if len(stack) > _MAX_DEPTH:
                _fail(f"expected at most {_MAX_DEPTH} levels of lists and mappings, found more", event, file)
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


def _node(event: Any, file: str | None) -> Node | None:
    """The node that an event begins; None for the end of one and for the frame of the document."""
    is_alias, is_node = isinstance(event, yaml.AliasEvent), isinstance(event, yaml.NodeEvent)
    if is_alias:
        _fail("aliases (*name) are not read: write the value where it is used", event, file)
    if not is_node:
        return None
    if event.anchor is not None:
        _fail("anchors (&name) are not read: write the value where it is used", event, file)
    if event.tag is not None:
        _fail("tags (!name) are not read: an entry is a number or an expression", event, file)
    place = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, yaml.ScalarEvent):
        return TextNode(*place, event.value)
    return ListNode(*place) if isinstance(event, yaml.SequenceStartEvent) else MapNode(*place)


def _attach(parent: ListNode | MapNode, node: Node, event: Any, file: str | None) -> None:
    if isinstance(parent, ListNode):
        parent.items.append(node)
    elif parent.waiting is not None:
        parent.items[parent.waiting.text] = node
        parent.waiting = None
    elif not isinstance(node, TextNode):
        _fail("expected a plain word as a key", event, file)
    elif node.text in parent.items:
        _fail(f"{node.text[:60]} is given twice", event, file)
    else:
        parent.waiting = parent.keys[node.text] = node


def _fail(message: str, event: Any, file: str | None) -> NoReturn:
    mark = event.start_mark
    raise FormatError(message, file, mark.line + 1, mark.column + 1)
