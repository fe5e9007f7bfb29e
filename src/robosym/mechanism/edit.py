"""Replacing entries of a robot by their path: `frame3.d`, `link6.FX`, `joint2.k`, `base.W0[1]`.

A frame, link or joint is given by its number, or by its name alone: `tool0.d`. `base.M` is a field of the base link.
Whole parts are given as mappings (`link6={"FX": "F"}`) or lists (`gravity=[0, 0, -9.81]`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, SupportsFloat

from robosym.algebra import Expr, Graph, numeric_value, parse, symbols
from robosym.errors import Error, InputError, PathPart, RobotError, closest
from robosym.mechanism.central_inertia import Central, at_origin, stored_central, with_central
from robosym.mechanism.elements import FLOATING, Base, Frame, Joint, Limits, Link, Part
from robosym.mechanism.end_frame import carrying_link, chosen_frame
from robosym.mechanism.friction import LOAD, SHAPES, JointFriction
from robosym.mechanism.screws import ANGLES, exact_angle, in_radians
from robosym.spatial import Mat3, Vec3
from robosym.spatial.vectors import rotation_of

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = [
    "GRAVITY", "ORIENTATION", "PAYLOAD", "edited", "entry", "numbers_of", "with_inputs", "with_payload",
    "with_reference",
]  # fmt: skip

_INTEGERS = ("ant", "sigma", "mu", "eta")
_PARTS = {"frame": "frames", "link": "links", "joint": "joints"}
_WORDS = ("name", "title", "source")
_PATH = re.compile(r"(?P<part>.+?)(?:\.(?P<field>[A-Za-z_]\w*))?(?:\[(?P<index>\d+)\])?", re.ASCII)
_NUMBERED = re.compile(r"(?P<what>frame|link|joint)(?P<number>\d+)", re.ASCII)
_AT_CENTER = ("com", "inertia")
_AT_ORIGIN = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ")


def with_reference(robot: Robot, reference: Mapping[str, float]) -> Robot:
    """Return the robot with the reference position of the argument `reference`, which an error names."""
    try:
        return replace(robot, position=dict(reference))
    except RobotError as error:
        raise InputError(error.statement, path=(PathPart("reference"), *error.path[1:])) from None


def entry(value: object, graph: Graph, what: str) -> Expr:
    """Return a number, a text or an expression of another graph as an expression of this graph."""
    if isinstance(value, Expr):
        return graph.copy([value])[0]
    if isinstance(value, str):
        try:
            return parse(value, graph)
        except Error as error:
            raise RobotError(f"{what}: {error}, in {value[:60]!r}") from None
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return graph.number(value)
    try:
        number = float(value) if isinstance(value, SupportsFloat) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise RobotError(f"{what}: expected a number or an expression, found {value!r}")
    return graph.number(number)


def edited(robot: Robot, changes: Mapping[str, object]) -> Robot:
    """Return the robot with the entries at these paths replaced."""
    graph = Graph()
    robot = robot.in_graph(graph)
    given = changes.get("base")
    inner = given.get("type") if isinstance(given, Mapping) else None
    kind = changes.get("base.kind", changes.get("base.type", inner))
    new: dict[str, Any] = {}
    parts: dict[tuple[str, int], dict[str, object]] = {}
    for path, value in _single(changes):
        found = _PATH.fullmatch(path)
        assert found is not None
        part, name, index = found["part"], found["field"], found["index"]
        if part in _WORDS and not name:
            new[part] = str(value)
        elif part == "gravity" and not name:
            new["gravity"] = _vector(new.get("gravity", robot.gravity), value, index, graph, path)
        elif part == "position" and index is None:
            if name:
                new["position"] = {**new.get("position", robot.position), name: _number(value, path)}
            elif isinstance(value, Mapping):
                new["position"] = dict(value)
            else:
                raise RobotError(f"position: expected numbers by joint variable, found {value!r}")
        elif part == "base" and name:
            parts.setdefault(("base", 0), {})[f"{name}[{index}]" if index else name] = value
        elif name and index is None:
            what, number = _place(robot, part, path, name)
            value = robot.frame_number(value) if name == "ant" and isinstance(value, str) else value
            parts.setdefault((what, number), {})[name] = value
        else:
            raise RobotError(f"{path}: expected a path such as frame3.d, link6.FX, joint2.k, base.W0[1] or gravity")
    for (what, number), given in parts.items():
        if what == "base":
            new["base"] = _base(robot, given, graph, kind)
        elif what == "frame" and "name" in given:
            names = given.pop("name")
            kept = {name: j for name, j in new.get("frame_names", robot.frame_names).items() if j != number}
            several = names if isinstance(names, Iterable) and not isinstance(names, str) else [names]
            new["frame_names"] = kept | dict.fromkeys(several, number)
        if what in _PARTS and given:
            every = list(new.get(_PARTS[what], getattr(robot, _PARTS[what])))
            every[number - 1] = _changed(every[number - 1], given, graph, f"{what} {number}")
            new[_PARTS[what]] = tuple(every)
    return replace(robot, **new).changed()


def _single(changes: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Return the changes as paths of single entries or whole vectors."""
    for path, value in changes.items():
        if isinstance(value, Mapping) and path != "position" and not path.endswith(".limits"):
            yield from _single({f"{path}.{key}": one for key, one in value.items()})
        else:
            yield path, value


def _place(robot: Robot, part: str, path: str, name: str) -> tuple[str, int]:
    """Return the list that a path refers to and the number in it."""
    numbered = _NUMBERED.fullmatch(part)
    if numbered is not None:
        what, number = numbered["what"], int(numbered["number"])
    elif part in robot.frame_names or any(joint.name == part for joint in robot.joints):
        number = robot.frame_number(part)
        kinds = {"frame": fields(Frame), "link": fields(Link), "joint": fields(Joint)}
        own = "XX" if name in _AT_CENTER else name  # fields of a link
        what = next((w for w, known in kinds.items() if own in (f.name for f in known)), "frame")
    else:
        known = [*_PARTS, "base", "gravity", "position", *_WORDS, *robot.frame_names]
        raise RobotError(
            f"{path}: {robot.name} has no {part[:60]!r}{closest(part, known)}: expected frame3.d or link6.FX"
        )
    count = len(getattr(robot, _PARTS[what]))
    if not 1 <= number <= count:
        raise RobotError(f"{path}: {robot.name} has the {what}s 1 to {count}, found {number}")
    return what, number


def _changed(part: Part, given: Mapping[str, object], graph: Graph, what: str) -> Part:
    """Return a frame, link or joint with fields replaced; `com` and `inertia` of a link are converted to its origin."""
    known = [f.name for f in fields(part) if f.name != "central"]
    new: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(part, Joint) and name not in known:
            new["friction"] = _friction(new.get("friction", part.friction), name, value, graph, what)
            continue
        if name not in known and not (name in _AT_CENTER and isinstance(part, Link)):
            raise RobotError(f"{what}: unknown field {name}{closest(name, known)}: expected {', '.join(known)}")
        if name in _INTEGERS:
            if isinstance(value, bool) or not isinstance(value, int):
                raise RobotError(f"{what}: {name}: expected an integer, found {value!r}")
            new[name] = value
        elif name == "name":
            new[name] = str(value)
        elif name == "friction":
            if not isinstance(value, JointFriction):
                raise RobotError(f"{what}: friction: expected a JointFriction, found {value!r}")
            values = tuple((key, entry(item, graph, f"{what}: {key}")) for key, item in value.values)
            new[name] = replace(value, values=values)
        elif name == "limits":
            new[name] = value if isinstance(value, Limits) else _limits(value, what)
        elif name not in _AT_CENTER:
            if name in ANGLES and isinstance(value, str):
                value = in_radians(value)
            new[name] = entry(value, graph, f"{what}: {name}")
            if name in ANGLES:
                new[name] = exact_angle(new[name], graph)
    if not isinstance(part, Link):
        return replace(part, **new)
    central = stored_central(part)
    if any(name in given for name in _AT_CENTER):
        clash = next((name for name in given if name in _AT_ORIGIN), None)
        if clash is not None:
            raise RobotError(f"{what}: {clash} is at the frame's origin, com and inertia at the center: expected one")
        return with_central(replace(part, **new), _central(part, given, central, graph, what))
    if central is not None and not any(name in new for name in _AT_ORIGIN):  # another mass with the same inertia
        return with_central(replace(part, **new), central)
    return replace(part, **new)


def _friction(old: JointFriction, name: str, value: object, graph: Graph, what: str) -> JointFriction:
    """Return the friction of a joint with one of its speeds or parameters replaced."""
    if name in ("smooth", "stribeck"):
        change: dict[str, Any] = {name: _number(value, f"{what}: {name}")}
        return replace(old, **change)
    if name not in SHAPES and name != LOAD and name not in dict(old.own):
        known = [*(f.name for f in fields(Joint)), "smooth", "stribeck", *SHAPES, LOAD]
        raise RobotError(f"{what}: unknown field {name}{closest(name, known)}: expected {', '.join(known)}")
    return replace(old, values=tuple({**dict(old.values), name: entry(value, graph, f"{what}: {name}")}.items()))


def _central(link: Link, given: Mapping[str, object], stored: Central | None, graph: Graph, what: str) -> Central:
    """Return the inertia at the center of mass: given entries, and stored ones for the rest."""
    if stored is None and len(given.keys() & _AT_CENTER) == 1 and any(not getattr(link, n).is_zero for n in _AT_ORIGIN):
        raise RobotError(f"{what}: the inertia is given at the frame's origin: expected both com and inertia")
    zero = graph.zero
    old = (
        {"com": stored.com, "inertia": stored.inertia}
        if stored is not None
        else {"com": 3 * (zero,), "inertia": 6 * (zero,)}
    )
    new = {
        name: tuple(entry(v, graph, f"{what}: {name}") for v in _sized(given[name], len(old[name]), f"{what}: {name}"))
        for name in _AT_CENTER
        if name in given
    }
    return Central(**(old | new))


def _limits(value: object, what: str) -> Limits:
    names = [f.name for f in fields(Limits)]
    given = dict(value) if isinstance(value, Mapping) else {}
    if "position" in given:
        given["lower"], given["upper"] = _sized(given.pop("position"), 2, f"{what}: limits: position")
    for name in given:
        if name not in names:
            raise RobotError(f"{what}: limits: unknown key {name}{closest(name, ('position', *names))}")
    return Limits(**{name: None if v is None else _number(v, f"{what}: limits") for name, v in given.items()})


def _base(robot: Robot, given: Mapping[str, object], graph: Graph, kind: object) -> Base:
    """Return the base with other entries.

    Unless given, a base that becomes movable gets a link of zeros, and a floating one symbols for its velocity.
    """
    base = robot.base
    new: dict[str, Any] = {}
    if kind == "floating" != base.kind:
        new |= {key: tuple(map(graph.symbol, names)) for key, names in FLOATING.items()}
    link: dict[str, object] = {}
    for name, value in given.items():
        key, _, index = name.rstrip("]").partition("[")
        if key in ("kind", "type"):
            new["kind"] = str(value)
        elif key in ("Z", "W0", "WP0", "V0", "VP0"):
            new[key] = _vector(new.get(key, getattr(base, key)), value, index or None, graph, f"base: {key}")
        elif key != "central" and (key in (f.name for f in fields(Link)) or key in _AT_CENTER):
            link[key] = value
        else:
            known = ("type", "Z", "W0", "WP0", "V0", "VP0", "M", "XX")
            raise RobotError(f"base: unknown field {key}{closest(key, known)}: expected {', '.join(known)} ...")
    if kind == "fixed":  # its motion is removed
        new |= {"link": None, **{name: new.get(name, (graph.zero,) * 3) for name in ("W0", "WP0", "V0", "VP0")}}
    elif kind is not None and base.link is None:
        new["link"] = Link.blank(graph.zero)
    if link:
        own = new.get("link", base.link)
        if own is None:
            raise RobotError("base: a fixed base has no link")
        new["link"] = _changed(own, link, graph, "base")
    return replace(base, **new)


def _vector(old: Sequence[Expr], value: object, index: str | None, graph: Graph, what: str) -> tuple[Expr, ...]:
    """Return a vector, or the old one with the entry `index`, counted from 1, replaced."""
    if index is None:
        return tuple(entry(item, graph, what) for item in _sized(value, len(old), what))
    place = int(index)
    if not 1 <= place <= len(old):
        raise RobotError(f"{what}: expected an index from 1 to {len(old)}, found {place}")
    return (*old[: place - 1], entry(value, graph, what), *old[place:])


def _sized(value: object, length: int, what: str) -> list[object]:
    try:
        items = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else None
    except TypeError:
        items = None
    if items is None or len(items) != length:
        raise RobotError(f"{what}: expected a list of {length} entries, found {value!r}")
    return items


def _number(value: object, what: str) -> float:
    number = numeric_value(entry(value, Graph(), what))
    if number is None:
        raise RobotError(f"{what}: expected a number, found {value!r}")
    return number


def with_payload(robot: Robot, link: int | str, mass: object, com: object, inertia: object) -> Robot:
    """Return the robot with a rigid body on a link; see `Robot.with_payload`."""
    number = robot.frame_number(link, 1)
    if not 1 <= number <= robot.NL:
        raise RobotError(f"payload: expected a link from 1 to {robot.NL}, found {link!r}")
    graph = Graph()
    robot = robot.in_graph(graph)
    weight = entry(mass, graph, "payload: mass")
    center = [entry(c, graph, "payload: com") for c in _sized(com, 3, "payload: com")]
    tensor = [entry(i, graph, "payload: inertia") for i in _sized(inertia, 6, "payload: inertia")]
    added = {"M": weight, **at_origin(graph, weight, center, tensor)}
    own = robot.link(number)
    carrying = replace(own, central=None, **{name: getattr(own, name) + value for name, value in added.items()})
    return replace(robot, links=(*robot.links[: number - 1], carrying, *robot.links[number:])).changed()


def numbers_of(robot: Robot) -> dict[str, float]:
    """Return every numeric entry by its path."""
    found: dict[str, float] = {}
    for place, name, value in robot.entries():
        number = numeric_value(value)
        if number is not None:
            path = f"gravity{name[1:]}" if place == "gravity" else f"{place.replace(' ', '')}.{name}"
            found[path] = number
    return found


# ------------------------------------------------- quantities that stay inputs of models

GRAVITY = ("G1", "G2", "G3")
ORIENTATION = ("QB0", "QB1", "QB2", "QB3")  #: quaternion w, x, y, z of frame 0 in the world
#: mass, center of mass in the frame of the link, and inertia matrix about the center of mass in its axes
PAYLOAD = ("ML", "XL", "YL", "ZL", "XXL", "XYL", "XZL", "YYL", "YZL", "ZZL")
_KINDS = ("gravity", "orientation", "payload")


def with_inputs(robot: Robot, inputs: Iterable[str], link: int | str | None) -> Robot:
    """Return the robot with symbols for these quantities; see `Robot.with_inputs`."""
    words = [word.strip() for text in inputs for word in str(text).split(",")]
    chosen: dict[str, str] = {}
    for word in words:
        kind, colon, place = word.partition(":")
        if kind not in _KINDS or (colon and kind != "payload"):
            raise InputError(f"inputs: expected {', '.join(_KINDS)}, found {word!r}{closest(kind, _KINDS)}")
        place = place.strip()
        if (other := chosen.get(kind)) and place and place != other:
            raise InputError(f"inputs: expected one payload, found one on {other} and one on {place}")
        chosen[kind] = place or chosen.get(kind, "")
    if "gravity" in chosen:
        robot = _free(robot, "gravity", GRAVITY).edit(gravity=list(GRAVITY))
    if "orientation" in chosen:
        robot = _turned(_free(robot, "orientation", ORIENTATION))
    if "payload" in chosen:
        named: int | str = int(chosen["payload"]) if chosen["payload"].isdigit() else chosen["payload"]
        robot = with_payload(
            _free(robot, "payload", PAYLOAD), _link(robot, named or link), PAYLOAD[0], PAYLOAD[1:4], PAYLOAD[4:]
        )
    return robot


def _free(robot: Robot, what: str, names: Sequence[str]) -> Robot:
    """Return the robot if its symbols, except those that are replaced, do not include one of the names."""
    variables = {name for name in robot.variables if name is not None}
    rest = [value for place, _, value in robot.entries() if place != what]
    taken = set(symbols(rest))
    clash = next((name for name in names if name in variables or name in taken), None)
    if clash is not None:
        raise InputError(f"inputs: {what}: {robot.name} already has a symbol {clash}: rename it or give it a value")
    return robot


def _turned(robot: Robot) -> Robot:
    """Return the robot with a base orientation given by a quaternion; gravity is constant in the world."""
    Z = robot.base.Z
    world = Mat3.of(*(Z[4 * r + c] for r in range(3) for c in range(3))) @ Vec3(*robot.gravity)
    R = rotation_of([robot.graph.symbol(name) for name in ORIENTATION])
    zero = robot.graph.zero
    rows = [[*row, Z[4 * r + 3]] for r, row in enumerate(R.rows)]
    pose = [zero + entry for row in (*rows, Z[12:]) for entry in row]
    return edited(robot, {"gravity": [zero + g for g in R.T @ world], "base.Z": pose})


def _link(robot: Robot, given: int | str | None) -> int | str:
    """Return the link that carries the payload: the given one, or the end of the arm."""
    if given is not None and given != "":
        return given
    end = robot.frame_number(chosen_frame(robot, None, "inputs"))
    return end if end <= robot.NL else carrying_link(robot, end)
