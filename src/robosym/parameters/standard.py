"""Standard parameters of a robot: existence, names, and energy functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr, Graph, symbols
from robosym.algebra.once import cached_property
from robosym.mechanism import DRIVE, INERTIA, Link, Robot
from robosym.mechanism.motion import Hinge, Velocities, Weight
from robosym.spatial import Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = [
    "LinkField", "Parameter", "Standard", "energy_function", "energy_functions", "inertial_fields", "named",
    "standard_parameters", "unused",
]  # fmt: skip

inertial_fields = (*INERTIA, "IA")
LinkField = tuple[int, str]  #: place of a parameter: number of a link, and a field such as XX


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of a link, named by the robot's own symbol, or XX3 for the field XX of link 3.

    If XX3 is a symbol of the description with another meaning, as in the entry `XX3 + D4*M5`, the name is XX3J.
    """

    link: int
    field: str
    name: str
    entry: Expr  #: entry of the description

    @property
    def place(self) -> LinkField:
        return self.link, self.field

    @property
    def is_derived(self) -> bool:
        """Whether the entry of the description is an expression of other symbols."""
        return self.entry.level != 0 and self.entry.name != self.name


@dataclass(frozen=True)
class Standard:
    """Standard parameters in the order of the links, without friction."""

    inertial: tuple[Parameter, ...]
    friction: tuple[Parameter, ...]
    apart: tuple[Parameter, ...]  #: rotor inertias of the passive joints of a closed robot
    numeric: bool  #: whether all parameters are numbers

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.inertial)

    @cached_property
    def at(self) -> dict[LinkField, Parameter]:
        return {p.place: p for p in (*self.inertial, *self.friction, *self.apart)}

    def symbol(self, graph: Graph, place: LinkField) -> Expr:
        """Return the parameter at a place as a symbol of a graph, or zero if the link has none."""
        own = self.at.get(place)
        return graph.zero if own is None else graph.symbol(own.name)

    def inertia(self, graph: Graph, link: int) -> RigidInertia:
        """Return the inertia of a link in these symbols."""
        return RigidInertia(*(self.symbol(graph, (link, name)) for name in INERTIA))


def _links(robot: Robot) -> Iterator[tuple[int, Link]]:
    if robot.base.kind == "floating" and robot.base.link is not None:
        yield 0, robot.base.link
    yield from enumerate(robot.links, 1)


def standard_parameters(robot: Robot, closed: bool = False) -> Standard:
    """Return the parameters of the description that are not set to zero.

    A robot with numeric inertias has all ten parameters of each link: a zero is a value. Links without inertia have
    none if they are fixed frames, or, in a robot with loops, intermediate links of a compound joint. Rotor inertia
    and friction exist where they are not zero. With `closed`, the rotor inertias of passive joints are listed
    separately.
    """
    entries = [
        (j, field, getattr(link, field))
        for j, link in _links(robot)
        for field in (*INERTIA, *(DRIVE if j and robot.frame(j).is_joint else ()))
    ]
    numeric = all(entry.level == 0 for _, field, entry in entries if field in inertial_fields)
    marks = _massless(robot)
    present = [
        (j, field, entry)
        for j, field, entry in entries
        if not entry.is_zero or (numeric and field in INERTIA and j not in marks)
    ]
    named = _names(robot, [entry for _, _, entry in entries], present)
    found = [Parameter(j, field, name, entry) for (j, field, entry), name in zip(present, named, strict=True)]
    apart = tuple(p for p in found if closed and p.field == "IA" and not robot.frame(p.link).mu)
    inertial = tuple(p for p in found if p.field in inertial_fields and p not in apart)
    friction = tuple(p for p in found if p.field not in inertial_fields)
    return Standard(inertial, friction, apart, numeric)


def _massless(robot: Robot) -> set[int]:
    """Return links that represent no body: fixed frames, and intermediate links of compound joints."""
    empty = {j for j, link in _links(robot) if j and all(getattr(link, field).is_zero for field in INERTIA)}
    between = robot.loops and len(empty) < robot.NL
    return {j for j in empty if not robot.frame(j).is_joint or (between and not robot.frame(j).mu)}


def _names(robot: Robot, entries: Sequence[Expr], present: Sequence[tuple[int, str, Expr]]) -> list[str]:
    """Return one name per parameter, distinct from symbols with another meaning in the description."""
    uses = Counter(entry.name for entry in entries)
    others = set(symbols(e for place, _, e in robot.entries() if not place.startswith("link")))
    own = [entry.name if uses[entry.name] == 1 and entry.name not in others else None for _, _, entry in present]
    taken = {*symbols(entry for _, _, entry in robot.entries()), *(name for name in own if name)}
    names: list[str] = []
    for (j, field, entry), name in zip(present, own, strict=True):
        if name is None:
            name = f"{field}{j}" if f"{field}{j}" == entry.name else unused(f"{field}{j}", taken, "J")
            taken.add(name)
        names.append(name)
    return names


def unused(name: str, taken: Container[str], mark: str) -> str:
    """Return the name, with `mark` appended until it is unused."""
    while name in taken:
        name += mark
    return name


def named(
    forms: Mapping[LinkField, Expr], standard: Standard, robot: Robot, letters: Mapping[int, str] | None = None
) -> tuple[dict[str, Expr], dict[str, LinkField]]:
    """Return the remaining parameter and its place by name: XX2R if others are grouped with XX2.

    `letters` replace numbers of links in names, such as that of a platform.
    """
    grouping: dict[str, Expr] = {}
    places: dict[str, LinkField] = {}
    taken = {*standard.names, *symbols(entry for _, _, entry in robot.entries())}
    for place, value in forms.items():
        own, (link, field) = standard.at.get(place), place
        if own is not None and value.name == own.name:
            name = own.name
        else:
            name = unused(f"{field}{(letters or {}).get(link, link)}R", taken, "R")
            taken.add(name)
        grouping[name], places[name] = value, place
    return grouping, places


# -------------------------------------------------------------------------- energy


def energy_functions(
    hinge: Mapping[int, Hinge], velocities: Velocities, weight: Weight, columns: Sequence[LinkField]
) -> list[Any]:
    """Return the factor of each parameter (link, field) in the sum of kinetic and potential energy."""
    w, v, g, u = velocities.w, velocities.v, weight.g, weight.u
    rates = {j: at.qd for j, at in hinge.items()}  # a platform moves without a joint of its own
    return [energy_function(field, w[j], v[j], g[j], u[j], rates.get(j)) for j, field in columns]


def energy_function(field: str, w: Vec3, v: Vec3, g: Vec3, u: Any, qd: Any) -> Any:
    """Return the factor of one parameter, from motion, gravity and potential at its frame, and its joint rate."""
    match field:
        case "XX" | "YY" | "ZZ":
            component = {"XX": w.x, "YY": w.y, "ZZ": w.z}[field]
            return _half(component * component)
        case "XY":
            return w.x * w.y
        case "XZ":
            return w.x * w.z
        case "YZ":
            return w.y * w.z
        case "MX":
            return w.z * v.y - w.y * v.z - g.x
        case "MY":
            return w.x * v.z - w.z * v.x - g.y
        case "MZ":
            return w.y * v.x - w.x * v.y - g.z
        case "M":
            return _half(v.dot(v)) + u
        case "IA":
            return _half(qd * qd)
    raise AssertionError(field)


def _half(value: Any) -> Any:
    return value / 2
