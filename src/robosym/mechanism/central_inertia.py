"""Inertia at a link's centre of mass, as makers publish it, to inertia at the origin of its frame.

A link that was told so keeps what it was told (`Link.central`) beside the ten parameters that the models take, and is
written back in the same form as long as the two agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph
from robosym.algebra.canonical import canonical_text
from robosym.algebra.graph import rounded
from robosym.spatial.vectors import Component

if TYPE_CHECKING:
    from robosym.mechanism.elements import Link

__all__ = ["Central", "at_origin", "told_at_centre", "with_central"]


@dataclass(frozen=True, slots=True)
class Central:
    """Centre of mass, and xx, xy, xz, yy, yz, zz of the tensor about it, both in the axes of the link's frame."""

    com: tuple[Expr, ...]
    inertia: tuple[Expr, ...]

    def __iter__(self) -> Iterator[Expr]:
        yield from (*self.com, *self.inertia)

    def through(self, change: Callable[[Expr], Expr]) -> Central:
        return Central(tuple(map(change, self.com)), tuple(map(change, self.inertia)))


def with_central(link: Link, central: Central) -> Link:
    """The link with this inertia; its mass is its own."""
    return replace(link, central=central, **at_origin(link.M.graph, link.M, central.com, central.inertia))


def told_at_centre(link: Link) -> Central | None:
    """What the link was told at its centre of mass, unless its parameters have been changed since."""
    central: Central | None = link.central
    if central is None:
        return None
    graph = Graph()
    mass, *nine = graph.copy([link.M, *central])
    moments = at_origin(graph, mass, nine[:3], nine[3:])
    same = (canonical_text(value) == canonical_text(getattr(link, name)) for name, value in moments.items())
    return central if all(same) else None


def at_origin(graph: Graph, mass: Expr, centre: Sequence[Expr], tensor: Sequence[Expr]) -> dict[str, Expr]:
    """First moments and tensor at the frame's origin (parallel axes).

    `tensor` holds xx, xy, xz, yy, yz, zz of the tensor's matrix about the centre of mass, in the axes of the frame.
    Numbers are taken as the decimals that were written and rounded once, at the end: 0.1 * 0.3 is 0.03.
    """
    entries = (mass, *centre, *tensor)
    if all(entry.is_number for entry in entries):
        moments = _parallel_axes(*(_decimal(entry) for entry in entries))
        exact = all(isinstance(entry.value, Fraction) for entry in entries)
        return {name: graph.number(value if exact else rounded(value)) for name, value in moments.items()}
    return _parallel_axes(*entries)


def _decimal(entry: Expr) -> Fraction:
    return entry.number if isinstance(entry.number, Fraction) else Fraction(repr(entry.number))


def _parallel_axes(*entries: Component) -> dict[str, Component]:
    m, x, y, z, xx, xy, xz, yy, yz, zz = entries
    return {
        "XX": xx + m * (y * y + z * z), "XY": xy - m * x * y, "XZ": xz - m * x * z,
        "YY": yy + m * (x * x + z * z), "YZ": yz - m * y * z, "ZZ": zz + m * (x * x + y * y),
        "MX": m * x, "MY": m * y, "MZ": m * z,
    }  # fmt: skip
