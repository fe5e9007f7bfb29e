"""An angle known by its cosine and sine, as a geometric construction gives it; no angle need be worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr

__all__ = ["KnownAngle"]


@dataclass(frozen=True, slots=True)
class KnownAngle:
    """A turn with cosine `c` and sine `s`; sums are those of angles."""

    c: Any
    s: Any

    def __add__(self, other: KnownAngle | Expr | float) -> KnownAngle:
        o = turned(other)
        return KnownAngle(self.c * o.c - self.s * o.s, self.s * o.c + self.c * o.s)

    __radd__ = __add__

    def __neg__(self) -> KnownAngle:
        return KnownAngle(self.c, -self.s)

    def __sub__(self, other: KnownAngle | Expr | float) -> KnownAngle:
        return self + (-other)

    @property
    def angle(self) -> Any:
        """The angle itself, from -Pi to Pi."""
        graph = (self.s if isinstance(self.s, Expr) else self.c).graph
        return graph.function("atan2", graph.zero + self.s, graph.zero + self.c)


def turned(angle: KnownAngle | Expr | float) -> KnownAngle:
    """An angle as a turn."""
    from robosym.spatial.vectors import cos, sin

    return angle if isinstance(angle, KnownAngle) else KnownAngle(cos(angle), sin(angle))
