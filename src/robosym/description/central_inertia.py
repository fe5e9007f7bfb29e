"""Inertia at a link's centre of mass, as makers publish it, to inertia at the origin of its frame."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from robosym.algebra import Expr, Graph

__all__ = ["at_origin"]


def at_origin(graph: Graph, mass: Expr, centre: Sequence[Expr], tensor: Sequence[Expr]) -> dict[str, Expr]:
    """First moments and tensor at the frame's origin (parallel axes).

    `tensor` holds xx, xy, xz, yy, yz, zz of the tensor's matrix about the centre of mass, in the axes of the frame.
    Numbers are taken as the decimals that were written and rounded once, at the end: 0.1 * 0.3 is 0.03.
    """
    entries = (mass, *centre, *tensor)
    if all(entry.is_number for entry in entries):
        moments = _parallel_axes(*(_decimal(entry) for entry in entries))
        exact = all(isinstance(entry.value, Fraction) for entry in entries)
        return {name: graph.number(value if exact else float(value)) for name, value in moments.items()}
    symbolic: dict[str, Expr] = _parallel_axes(*entries)
    return symbolic


def _decimal(entry: Expr) -> Fraction:
    return entry.number if isinstance(entry.number, Fraction) else Fraction(repr(entry.number))


def _parallel_axes(m: Any, x: Any, y: Any, z: Any, xx: Any, xy: Any, xz: Any, yy: Any, yz: Any, zz: Any) -> Any:
    return {
        "XX": xx + m * (y * y + z * z), "XY": xy - m * x * y, "XZ": xz - m * x * z,
        "YY": yy + m * (x * x + z * z), "YZ": yz - m * y * z, "ZZ": zz + m * (x * x + y * y),
        "MX": m * x, "MY": m * y, "MZ": m * z,
    }  # fmt: skip
