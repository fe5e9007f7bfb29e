"""Conversion of an inertia at the center of mass, as manufacturers publish it, to the origin of the link's frame.

A link that was described at its center of mass stores that description (`Link.central`) beside the ten parameters that
the models use, and is written in the same form as long as the two agree.
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

__all__ = ["Central", "at_origin", "stored_central", "with_central"]


@dataclass(frozen=True, slots=True)
class Central:
    """Center of mass, and xx, xy, xz, yy, yz, zz of the inertia about it, in the axes of the link's frame."""

    com: tuple[Expr, ...]
    inertia: tuple[Expr, ...]

    def __iter__(self) -> Iterator[Expr]:
        yield from (*self.com, *self.inertia)

    def through(self, change: Callable[[Expr], Expr]) -> Central:
        """Return a copy with `change` applied to each expression."""
        return Central(tuple(map(change, self.com)), tuple(map(change, self.inertia)))


def with_central(link: Link, central: Central) -> Link:
    """Return the link with this inertia and its own mass."""
    return replace(link, central=central, **at_origin(link.M.graph, link.M, central.com, central.inertia))


def stored_central(link: Link) -> Central | None:
    """Return the stored inertia at the center of mass; None if there is none or the parameters have changed since."""
    central: Central | None = link.central
    if central is None:
        return None
    graph = Graph()
    mass, *nine = graph.copy([link.M, *central])
    moments = at_origin(graph, mass, nine[:3], nine[3:])
    same = (canonical_text(value) == canonical_text(getattr(link, name)) for name, value in moments.items())
    return central if all(same) else None


def at_origin(graph: Graph, mass: Expr, center: Sequence[Expr], tensor: Sequence[Expr]) -> dict[str, Expr]:
    """Return the first moments and the inertia matrix at the origin of the frame (parallel axis theorem).

    `tensor` contains xx, xy, xz, yy, yz, zz of the inertia matrix about the center of mass, in the axes of the frame.
    Floats are treated as the decimals that were written and rounded once, at the end: 0.1 * 0.3 is 0.03.
    """
    entries = (mass, *center, *tensor)
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
