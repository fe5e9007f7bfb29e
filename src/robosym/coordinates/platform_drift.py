"""The acceleration of a platform that the constraints of its legs ask for (b of V' = E n' + b)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra.linear.regular import solve_where_regular
from robosym.coordinates.legs import Legs
from robosym.mechanism import Robot
from robosym.spatial import Vec3

__all__ = ["drift_of", "drifting"]


def drifting(robot: Robot, modes: Sequence[int] | None, groups: tuple[str, ...]) -> Legs:
    """The legs with the platform's acceleration set to what the constraints ask for at none along its freedom."""
    legs = Legs(robot, ("pose", "twist"), groups, modes)
    six = drift_of(legs)
    legs.motion.accelerate(Vec3(*six[:3]), Vec3(*six[3:]))
    return legs


def drift_of(legs: Legs) -> list[Any]:
    """The six accelerations that the constraints ask for where there is none along the freedom of the platform."""
    zero = legs.work.graph.zero
    six: list[Any] = [zero] * 6
    if legs.reference is not None and legs.reference.freedom < 6 and legs.reference.constant_basis is None:
        free = legs.reference.coordinates
        bound = [r for r in range(6) if r not in free]
        rows = legs.chosen_constraints
        left = [[zero + [*w[0], *w[1]][b] for b in bound] for w, _ in rows]
        drift = solve_where_regular(left, [[zero + d] for _, d in rows], legs.sizes)
        for b, x in zip(bound, drift, strict=True):
            six[b] = x[0]
    return six
