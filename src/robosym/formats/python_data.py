"""A description as Python's lists, mappings, numbers and texts, into the nodes that the reader of YAML takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.canonical import canonical_text
from robosym.errors import RobotError
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, TextNode

__all__ = ["nodes_of"]


def nodes_of(value: Any, what: str) -> Node:
    """The node of a value; `what` says where it is, for messages."""
    if isinstance(value, Mapping):
        node = MapNode(0, 0)
        for key, item in value.items():
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise RobotError(f"{what}: expected a text or a number as a key, found {key!r}")
            word = str(key)
            if word in node.items:
                raise RobotError(f"{what}: {word[:60]} is given twice")
            node.items[word] = nodes_of(item, f"{what}: {word[:60]}")
            node.keys[word] = TextNode(0, 0, word)
        return node
    if isinstance(value, str):
        return TextNode(0, 0, value)
    if isinstance(value, Expr):
        return TextNode(0, 0, canonical_text(value))
    text = _number(value, what)
    if text is not None:
        return TextNode(0, 0, text)
    if isinstance(value, Iterable):
        return ListNode(0, 0, [nodes_of(item, f"{what}[{i}]") for i, item in enumerate(value, 1)])
    raise RobotError(f"{what}: expected a number, a text, a list or a mapping, found {value!r}")


def _number(value: Any, what: str) -> str | None:
    """A number of any library as it is written in an expression; SymPy's expressions are written so too."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, Fraction)):
        return str(value)
    if hasattr(value, "free_symbols"):
        return str(value)
    if isinstance(value, float) or (hasattr(value, "__float__") and not getattr(value, "shape", ())):
        number = float(value)
        if not math.isfinite(number):
            raise RobotError(f"{what}: expected a finite number, found {number!r}")
        return repr(number)
    return None
