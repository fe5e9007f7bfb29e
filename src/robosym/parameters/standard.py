"""The standard parameters of a robot: which there are, and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from robosym.algebra import Expr, symbols
from robosym.algebra.once import cached_property
from robosym.description import DRIVE, INERTIA, Link, Robot

__all__ = ["LinkField", "Parameter", "Standard", "inertial_fields", "standard_parameters"]

inertial_fields = (*INERTIA, "IA")
LinkField = tuple[int, str]  #: a place for a parameter: the number of a link, and a field such as XX


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of a link: its name is the robot's own symbol, or XX3 for the field XX of link 3."""

    link: int
    field: str
    name: str
    entry: Expr  #: what the description holds

    @property
    def place(self) -> LinkField:
        return self.link, self.field


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

    A robot whose inertias are all numbers has all ten of each link: there a zero is a value like any other. Rotor
    inertia and friction count where they are not zero. `closed` sets apart the rotor inertias of passive joints.
    """
    entries = [
        (j, field, getattr(link, field))
        for j, link in _links(robot)
        for field in (*INERTIA, *(DRIVE if j and robot.frame(j).is_joint else ()))
    ]
    numeric = all(entry.level == 0 for _, field, entry in entries if field in inertial_fields)
    uses = Counter(entry.name for _, _, entry in entries)
    others = set(symbols(e for place, _, e in robot.entries() if not place.startswith("link")))
    found: list[Parameter] = []
    for j, field, entry in entries:
        if entry.is_zero and not (numeric and field in INERTIA):
            continue
        own = entry.name
        name = own if own is not None and uses[own] == 1 and own not in others else f"{field}{j}"
        found.append(Parameter(j, field, name, entry))
    apart = tuple(p for p in found if closed and p.field == "IA" and not robot.frame(p.link).mu)
    inertial = tuple(p for p in found if p.field in inertial_fields and p not in apart)
    friction = tuple(p for p in found if p.field not in inertial_fields)
    return Standard(inertial, friction, apart, numeric)
