"""The standard parameters of a robot: which there are, and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, symbols
from robosym.algebra.once import cached_property
from robosym.mechanism import DRIVE, INERTIA, Link, Robot

__all__ = ["LinkField", "Parameter", "Standard", "inertial_fields", "named", "standard_parameters", "unused"]

inertial_fields = (*INERTIA, "IA")
LinkField = tuple[int, str]  #: a place for a parameter: the number of a link, and a field such as XX


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of a link: its name is the robot's own symbol, or XX3 for the field XX of link 3.

    Where XX3 is a symbol of the description with another meaning, as in the entry `XX3 + D4*M5`, it is XX3J: a name has
    one meaning.
    """

    link: int
    field: str
    name: str
    entry: Expr  #: what the description holds

    @property
    def place(self) -> LinkField:
        return self.link, self.field

    @property
    def is_derived(self) -> bool:
        """Whether the description holds an expression of other symbols here."""
        return self.entry.level != 0 and self.entry.name != self.name


@dataclass(frozen=True)
class Standard:
    """The standard parameters in the order of the links, friction apart."""

    inertial: tuple[Parameter, ...]
    friction: tuple[Parameter, ...]
    apart: tuple[Parameter, ...]  #: rotor inertias of the passive joints of a closed robot, which have no motor
    numeric: bool  #: whether the robot gives numbers for all of them

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.inertial)

    @cached_property
    def at(self) -> dict[LinkField, Parameter]:
        return {p.place: p for p in (*self.inertial, *self.friction, *self.apart)}


def _links(robot: Robot) -> Iterator[tuple[int, Link]]:
    if robot.base.kind == "floating" and robot.base.link is not None:
        yield 0, robot.base.link
    yield from enumerate(robot.links, 1)


def standard_parameters(robot: Robot, closed: bool = False) -> Standard:
    """Every parameter that the description has room for and does not set to zero.

    A robot whose inertias are all numbers has all ten of each link: there a zero is a value like any other. Links
    without any inertia have none of them where that is meant: a fixed frame is a mark on the link before it, and the
    link of a passive joint in a robot with loops lies between the axes of one joint. Rotor inertia and friction count
    where they are not zero. `closed` sets apart the rotor inertias of passive joints.
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
    """Links that stand for no body: fixed frames, and between the axes of a joint with several degrees of freedom."""
    empty = {j for j, link in _links(robot) if j and all(getattr(link, field).is_zero for field in INERTIA)}
    between = robot.loops and len(empty) < robot.NL
    return {j for j in empty if not robot.frame(j).is_joint or (between and not robot.frame(j).mu)}


def _names(robot: Robot, entries: Sequence[Expr], present: Sequence[tuple[int, str, Expr]]) -> list[str]:
    """One for each parameter, none of them a symbol that means something else in the description."""
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
    """The name, followed by as many marks as it takes to be no other's."""
    while name in taken:
        name += mark
    return name


def named(
    forms: Mapping[LinkField, Expr], standard: Standard, robot: Robot, letters: Mapping[int, str] | None = None
) -> tuple[dict[str, Expr], dict[str, LinkField]]:
    """What is left at each place by its name, and the place: XX2R where others are grouped with XX2.

    `letters` stand for numbers of links in names, such as that of a platform.
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
