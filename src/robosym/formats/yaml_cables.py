"""Cables of a parallel robot, a line each, as legs: universal joint, driven length, ball, no inertia."""

from __future__ import annotations

import math

from robosym.formats.yaml_nodes import ListNode, MapNode, Node, TextNode
from robosym.formats.yaml_reader import Reader

__all__ = ["cables_as_legs"]

_CABLE = ("base", "platform")


def cables_as_legs(node: Node, reader: Reader) -> ListNode:
    """The legs that a list of cables stands for: `{base: [x, y, z], platform: [x, y, z]}`, points in metres.

    The length of cable i is the joint l1, l2 ..; its other joints have no name to speak of.
    """
    legs = ListNode(node.line, node.column)
    for i, item in enumerate(reader.items(node, "cables"), 1):
        what = f"cable {i}"
        given = reader.mapping(item, what, _CABLE).items
        missing = [key for key in _CABLE if key not in given]
        if missing:
            reader.fail(f"{what}: missing: {', '.join(missing)}", item)
        base, platform = (_point(given[key], f"{what}: {key}", reader) for key in _CABLE)
        frames = [
            {"mu": "0", **base, "alpha": "-Pi/2", "theta": f"c{i}_1"},
            {"mu": "0", "alpha": "Pi/2", "theta": f"c{i}_2"},
            {"sigma": "1", "alpha": "Pi/2", "r": f"l{i}"},
            {"mu": "0", "theta": f"c{i}_4"},
            {"mu": "0", "alpha": "Pi/2", "theta": f"c{i}_5"},
            {"mu": "0", "alpha": "-Pi/2", "theta": f"c{i}_6"},
        ]
        table = ListNode(item.line, item.column, [_mapping(item, frame) for frame in frames])
        leg = MapNode(item.line, item.column)
        for key, value in (("frames", table), ("place", _mapping(item, platform))):
            leg.items[key], leg.keys[key] = value, TextNode(item.line, item.column, key)
        legs.items.append(leg)
    return legs


def _point(node: Node, what: str, reader: Reader) -> dict[str, str]:
    """A point by the parameters of a frame: gamma, b and d."""
    x, y, z = (reader.number(entry, f"{what}[{k}]") for k, entry in enumerate(reader.items(node, what, 3), 1))
    gamma, d = math.atan2(y, x), math.hypot(x, y)
    return {key: repr(value) for key, value in (("gamma", gamma), ("b", z), ("d", d)) if value}


def _mapping(place: Node, entries: dict[str, str]) -> MapNode:
    found = MapNode(place.line, place.column)
    for key, text in entries.items():
        found.items[key] = TextNode(place.line, place.column, text)
        found.keys[key] = TextNode(place.line, place.column, key)
    return found
