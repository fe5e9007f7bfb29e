"""Conversion of standard (distal) Denavit-Hartenberg tables to the notation of Khalil and Kleinfinger (also Craig's).

Standard frame j is at the far end of link j: Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha) from the previous one.
Our frame j is on the axis of joint j: the first two steps are its theta and r, and the last two, along and about x, are
d and alpha of the next frame. Standard frame j is then at Rot(x, alpha) Trans(x, a) from ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from robosym.algebra import Expr, numeric_value
from robosym.errors import closest
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, NodeReader, TextNode
from robosym.mechanism import INERTIA, Link
from robosym.mechanism.central_inertia import Central, with_central
from robosym.spatial import Mat3, Transform, Vec3, cos, sin
from robosym.spatial.inertia import RigidInertia

__all__ = ["STANDARD", "at_joint", "distal_steps", "proximal_frames"]

STANDARD = ("name", "joint", "limits", "sigma", "mu", "a", "alpha", "d", "theta")
_KEPT = ("joint", "limits", "sigma", "mu", "theta")


def proximal_frames(reader: NodeReader, node: Node) -> ListNode:
    """Return the list of frames in our notation, with entries at their positions in the file.

    The end of the last link, and of every link whose standard frame has a name, is a fixed frame after the joints.
    """
    items = reader.items(node, "frames")
    frames = ListNode(node.line, node.column)
    ends: list[MapNode] = []
    before: dict[str, Node] = {}
    for j, item in enumerate(items, 1):
        given = _checked(reader, item, j)
        kept = {key: given[key] for key in _KEPT if key in given}
        frames.append(_map(item, kept | before | _only(given, {"d": "r"})))
        before = _only(given, {"a": "d", "alpha": "alpha"})
        if "name" in given or (j == len(items) and before):
            ends.append(_map(item, _only(given, {"name": "name"}) | before))
            ends[-1].put(sigma="2", ant=str(j))
    frames += ends
    return frames


def _checked(reader: NodeReader, item: Node, j: int) -> MapNode:
    what = f"frame {j} (standard convention)"
    node = reader.mapping(item, what)
    for key in node.places():
        if key not in STANDARD:
            hint = closest(key[:40], STANDARD)
            known = ", ".join(STANDARD)
            reader.fail(f"{what}: unknown key {key[:60]}{hint}: expected {known} (a chain has no ant)", key)
    return node


def _only(given: Mapping[str, Node], names: dict[str, str]) -> dict[str, Node]:
    return {ours: given[theirs] for theirs, ours in names.items() if theirs in given}


def _map(place: Node, items: Mapping[str, Node]) -> MapNode:
    return MapNode(place.line, place.column, {TextNode(n.line, n.column, key): n for key, n in items.items()})


def distal_steps(reader: NodeReader, node: Node) -> dict[int, tuple[Expr, Expr]]:
    """Return alpha and a of each link's standard frame in ours, if they differ."""
    found = {}
    for j, item in enumerate(reader.items(node, "frames"), 1):
        given = _checked(reader, item, j)
        zero = reader.graph.zero
        alpha = reader.angle(given["alpha"], f"frame {j}: alpha") if "alpha" in given else zero
        a = reader.expression(given["a"], f"frame {j}: a") if "a" in given else zero
        if not (alpha.is_zero and a.is_zero):
            found[j] = alpha, a
    return found


def at_joint(link: Link, alpha: Expr, a: Expr) -> Link:
    """Transform a link described in its standard frame to ours: inertia and external wrench."""
    c, s = cos(alpha), sin(alpha)
    T = Transform(Mat3.of(1, 0, 0, 0, c, -s, 0, s, c), Vec3(a, 0, 0))
    body = RigidInertia(*(getattr(link, name) for name in INERTIA)).moved(T)
    force = T.A @ Vec3(link.FX, link.FY, link.FZ)
    moment = T.A @ Vec3(link.CX, link.CY, link.CZ) + T.P.cross(force)
    zero = alpha.graph.zero
    values = dict(zip(INERTIA, body, strict=True)) | dict(zip(("FX", "FY", "FZ"), force, strict=True))
    values |= dict(zip(("CX", "CY", "CZ"), moment, strict=True))
    moved = replace(link, **{name: _worked_out(zero + value) for name, value in values.items()})
    if link.central is None:
        return moved
    turned: Any = RigidInertia(*link.central.inertia).moved(T)
    com: Any = T.A @ Vec3(*link.central.com) + T.P
    central = Central(tuple(com), tuple(turned)[:6]).through(lambda value: _worked_out(zero + value))
    return with_central(moved, central)


def _worked_out(value: Expr) -> Expr:
    """Evaluate an expression without symbols to a number."""
    number = numeric_value(value)
    return value if number is None or value.is_number else value.graph.number(number)
