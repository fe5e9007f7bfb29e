"""The poses that the legs of a parallel robot allow: a margin as an expression of the pose, for machine code.

A leg with fewer than six degrees of freedom binds the platform. Its joints are solved from some entries of the pose;
where they do not give the whole pose back, the legs do not allow it, and what the models would compute belongs to
another robot. Neither do the models hold in another operation mode, where entries that are constant around the
reference position, such as the orientation of a Delta, have other values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from robosym.algebra import Expr, evaluate
from robosym.description import GEOMETRY
from robosym.parallel.leg import Leg
from robosym.parallel.reference import Reference
from robosym.spatial import Transform
from robosym.spatial.inertia import sum_of
from robosym.tree.frame import frame_transform

__all__ = ["ALLOWED", "pose_margin", "size_of"]

#: How far the legs may be from the platform: radians, and parts of the size of the robot. Rounding in single precision
#: leaves less.
ALLOWED = 1e-5


def pose_margin(legs: Sequence[Leg], reference: Reference) -> Expr:
    """The square of the tolerance less the sum of the squares of all gaps: positive where the legs allow the pose."""
    graph, size = legs[0].graph, size_of(reference)
    gaps: list[Any] = [
        (graph.symbol(name) - value) / (1 if name.startswith("R") else size)
        for name, value in reference.constants.items()
    ]
    for leg in legs:
        gaps += _gaps(leg, size)
    margin = graph.number(ALLOWED * ALLOWED) - sum_of(gap * gap for gap in gaps)
    return graph.zero + margin  # type: ignore[return-value]


def size_of(reference: Reference) -> float:
    """The longest length of the geometry, or the distance of the platform from the base."""
    robot, first = reference.robot, reference.samples[0]
    entries = [getattr(f, n) for f in (*robot.tree.frames, *robot.places) for n in GEOMETRY if n in ("b", "d", "r")]
    lengths: Iterable[float] = evaluate(entries, first.joints)
    return max(map(abs, (*lengths, *first.pose[:3, 3]))) or 1.0


def _gaps(leg: Leg, size: float) -> list[Any]:
    """What the joints of a leg, as solved, lack of the pose of the platform, or of the point where a ball holds it."""
    chain, motion = leg.chain, leg.motion
    T = Transform.identity()
    for j in chain.numbers:
        T = T @ frame_transform(motion.robot.tree.frame(j), leg.value, j)
        if chain.to_point and j == chain.wrist[0]:
            return [x / size for x in T.P - leg.end]
    goal = Transform(motion.R, motion.P) @ motion.place(chain.leg)
    apart = T.P - goal.P
    turned = [a - b for row, other in zip(T.A.rows, goal.A.rows, strict=True) for a, b in zip(row, other, strict=True)]
    return [*(x / size for x in apart), *turned]
