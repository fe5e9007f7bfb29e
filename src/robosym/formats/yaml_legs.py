"""Legs of parallel robots described by points: the joints in order, a point on the base and one on the platform.

    - {type: UPS, base: [0.6, 0.1, 0], platform: [0.2, 0.2, 0]}
    - {type: RUU, base: [0.16, 0, 0], platform: [0.05, 0, 0], axis: [0, 1, 0], lengths: [0.3, 0.8]}

The joint that is driven is the prismatic one of U-P-S, S-P-S, R-P-S and R-P-R, and the first one of the others. Legs
become chains of frames; a spherical joint between two links is a universal joint, since the rod does not spin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from robosym.errors import closest, missing_keys
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, NodeReader
from robosym.spatial import Mat3, Vec3

__all__ = ["LEG_TYPES", "is_of_points", "leg_of_points"]

_KEYS = ("type", "base", "platform", "axis", "zero", "lengths", "links")
_ZERO = 1e-14
_SAME = 1e-9  #: relative distance of points that coincide
_PARALLEL = 1e-12  #: sine of the angle between parallel axes
_UP, _DOWN, _STRAIGHT = {"alpha": "Pi/2"}, {"alpha": "-Pi/2"}, dict[str, str]()
_BALL: tuple[tuple[str, dict[str, str]], ...] = (("theta", _STRAIGHT), ("theta", _UP), ("theta", _DOWN))
#: joints of each type after the first frame: variable, angle to the one before, and the length before it
_TURNED = {"R": (("theta", _STRAIGHT),), "U": (("theta", _STRAIGHT), ("theta", _UP))}
_PUSHED = {"R": (("theta", _UP),), "U": (("theta", _UP), ("theta", _UP))}
_ENDS = {"R": (("theta", _STRAIGHT),), "U": (("theta", _STRAIGHT), ("theta", _DOWN)), "S": _BALL}
LEG_TYPES = (
    "UPS", "SPS", "RPS", "RPR", *(f"R{middle}{end}" for middle, end in ("RR", "RS", "US", "SS", "UU")),
    *(f"P{middle}{end}" for middle, end in ("RR", "RS", "US", "SS", "UU")),
)  # fmt: skip


def is_of_points(node: Node) -> bool:
    """Return whether a leg is described by its type and points."""
    return isinstance(node, MapNode) and "type" in node and "frames" not in node


def leg_of_points(node: Node, number: int, reader: NodeReader) -> MapNode:
    """Return a leg as a chain of frames with its place on the platform."""
    what = f"leg {number}"
    given = reader.mapping(node, what, _KEYS)
    kind = str(given["type"]).strip().upper()
    if kind not in LEG_TYPES:
        reader.fail(f"{what}: type: expected {', '.join(LEG_TYPES)}, found {kind[:20]!r}{closest(kind, LEG_TYPES)}",
                    given["type"])  # fmt: skip
    missing = [key for key in ("base", "platform") if key not in given]
    if missing:
        reader.fail(f"{what}: {missing_keys(missing)}", node)
    base, platform = (_vector(given[key], f"{what}: {key}", reader) for key in ("base", "platform"))
    lengths = _lengths(given, kind, what, reader)
    along = kind in ("UPS", "SPS")
    if along and "axis" in given:
        reader.fail(
            f"{what}: axis: not allowed for a {kind} leg, whose first joint turns about every axis", given["axis"]
        )
    if not along and "axis" not in given:
        reader.fail(f"{what}: missing key axis, the direction of the first joint", node)
    axis = Vec3(0.0, -1.0, 0.0) if along else _vector(given["axis"], f"{what}: axis", reader)
    if not _length(axis) > _ZERO:
        reader.fail(f"{what}: axis: expected a direction, found zero", given["axis"])
    zero = _vector(given["zero"], f"{what}: zero", reader) if "zero" in given else None
    R = _frame(axis, base, zero)
    if R is None:
        reader.fail(f"{what}: zero: expected a direction that is not along the axis", given["zero"])
    frames, end = _chain(kind, number, _six(R, base), lengths)
    place = _six(Mat3.identity() if end is None else R @ end, platform)
    parts = [MapNode(given.line, given.column) for _ in (*frames, place)]
    for part, entries in zip(parts, (*frames, _entries(place)), strict=True):
        part.put(**entries)
    leg: dict[str, Node] = {"frames": ListNode(given.line, given.column, parts[:-1]), "place": parts[-1]}
    if "links" in given:
        leg["links"] = given["links"]
    return MapNode(given.line, given.column, leg)


def _vector(node: Node, what: str, reader: NodeReader) -> Vec3:
    entries = enumerate(reader.items(node, what, 3), 1)
    return Vec3(*(float(reader.number(entry, f"{what}[{k}]")) for k, entry in entries))


def _length(v: Vec3) -> float:
    return math.hypot(*v)


def _lengths(given: MapNode, kind: str, what: str, reader: NodeReader) -> list[float]:
    """Return the lengths of crank and rod, or of the rod."""
    count = 0 if "P" in kind[1:] else 2 if kind[0] == "R" else 1
    if not count:
        if "lengths" in given:
            reader.fail(f"{what}: lengths: not allowed for a {kind} leg, whose length is driven", given["lengths"])
        return []
    if "lengths" not in given:
        reader.fail(f"{what}: missing key lengths, {'of crank and rod' if count == 2 else 'of the rod'}", given)
    items = reader.items(given["lengths"], f"{what}: lengths", count)
    found = [reader.number(item, f"{what}: lengths[{k}]") for k, item in enumerate(items, 1)]
    for value, item in zip(found, items, strict=True):
        if not value > 0:
            reader.fail(f"{what}: lengths: expected positive numbers, found {value:g}", item)
    return found


def _frame(axis: Vec3, base: Vec3, zero: Vec3 | None) -> Mat3 | None:
    """Return the first frame: z along the axis, x along `zero`, by default outward from the origin, across the axis."""
    z = axis * (1 / _length(axis))
    for x in (zero,) if zero is not None else (base, *Mat3.identity().rows):
        x = x - z * z.dot(x)
        if _length(x) > _SAME * max(1.0, _length(base)):
            x = x * (1 / _length(x))
            return Mat3((x, z.cross(x), z)).T
    return None


def _six(R: Mat3, P: Vec3) -> dict[str, float]:
    """Return the parameters of a frame: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)."""
    z = R.z_axis
    alpha = math.atan2(math.hypot(z.x, z.y), z.z)
    if math.sin(alpha) < _PARALLEL:
        alpha = 0.0 if z.z > 0 else math.pi
        gamma = math.atan2(P.y, P.x)
        b, d, r = P.z, math.hypot(P.x, P.y), 0.0
    else:  # P = b z0 + d x + r z; x, along the common normal of both axes, is perpendicular to both
        gamma = math.atan2(z.x, -z.y)
        r = (P.x * math.sin(gamma) - P.y * math.cos(gamma)) / math.sin(alpha)
        b, d = P.z - r * z.z, P.x * math.cos(gamma) + P.y * math.sin(gamma)
    x = Vec3(math.cos(gamma), math.sin(gamma), 0.0)
    x_axis = R.T.rows[0]
    theta = math.atan2(x_axis.dot(z.cross(x)), x_axis.dot(x))
    found = {"gamma": gamma, "b": b, "alpha": alpha, "d": d, "theta": theta, "r": r}
    return {name: value if abs(value) > _ZERO else 0.0 for name, value in found.items()}


def _entries(six: dict[str, float]) -> dict[str, str]:
    return {name: repr(value) for name, value in six.items() if value}


def _chain(
    kind: str, number: int, first: dict[str, float], lengths: Sequence[float]
) -> tuple[list[dict[str, str]], Mat3 | None]:
    """Return the frames of a leg, and the rotation from its first frame to its end; None for a spherical joint."""
    up, down = Mat3.of(1, 0, 0, 0, 0, -1, 0, 1, 0), Mat3.of(1, 0, 0, 0, 0, 1, 0, -1, 0)
    motor, count = f"q{number}", iter(range(1, 9))

    def passive(entries: dict[str, str], before: float | None = None) -> dict[str, str]:
        shift = {} if before is None else {"d": repr(before)}
        return {"mu": "0", **entries, **shift, "theta": f"p{number}_{next(count)}"}

    own = {name: value for name, value in _entries(first).items() if name not in ("theta", "r")}
    turned, pushed = (_sum(motor, first[name]) for name in ("theta", "r"))
    if kind[1] == "P":  # the second joint is driven
        start = {"mu": "0", **own, "theta": _sum(f"p{number}_{next(count)}", first["theta"])}
        start |= {"r": repr(first["r"])} if first["r"] else {}
        rest = [] if kind[0] == "R" else [passive(_UP)]
        drive = {"sigma": "1", **_UP, "r": motor}
        if kind[2] == "R":
            return [start, drive, passive(_DOWN)], Mat3.identity()
        return [start, *rest, drive, *(passive(angle) for _, angle in _BALL)], None
    table = _TURNED if kind[0] == "R" else _PUSHED
    if kind[0] == "R":
        start = {**own, "theta": turned, **({"r": repr(first["r"])} if first["r"] else {})}
    else:
        start = {"sigma": "1", **own, **({"theta": repr(first["theta"])} if first["theta"] else {}), "r": pushed}
    middle = [passive(angle) for _, angle in table[kind[1].replace("S", "U")]]
    if kind[0] == "R":
        middle[0]["d"] = repr(lengths[0])
    end = [passive(angle, lengths[-1] if k == 0 else None) for k, (_, angle) in enumerate(_ENDS[kind[2]])]
    turn = Mat3.identity() if kind[0] == "R" else up
    if kind[1] == "U" and kind[2] == "U" and kind[0] == "P":
        turn = up @ up @ down
    return [start, *middle, *end], None if kind[2] == "S" else turn


def _sum(name: str, offset: float) -> str:
    return f"{name} + ({offset!r})" if offset else name
