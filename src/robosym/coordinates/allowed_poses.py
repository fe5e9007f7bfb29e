"""Margins of the poses and motions that the legs of a parallel robot allow, as expressions for machine code.

A leg with fewer than six degrees of freedom constrains the platform. Its joints are solved from some entries of the
pose; if they do not reproduce the whole pose, the legs do not allow it, and the models do not apply. They do not
apply in another operation mode either, in which entries that are constant around the reference position have other
values, such as the orientation of a Delta. Twists and accelerations are constrained in the same way: each leg computes
its rates from some components, and the other components must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from robosym.algebra import Expr, evaluate
from robosym.algebra.matrix import sum_of
from robosym.coordinates.leg import Leg
from robosym.coordinates.platform_motion import ACCELERATION, POSE, TWIST
from robosym.coordinates.reference import Reference
from robosym.mechanism.elements import length_entries
from robosym.mechanism.motion import frame_transform
from robosym.spatial import Scalar, Transform, Vec3

__all__ = ["ALLOWED", "leg_gaps", "motion_margins", "pose_margin", "size_of"]

#: Largest gap between legs and platform: in radians, and in parts of the size of the robot. Rounding errors in single
#: precision are smaller.
ALLOWED = 1e-5
#: Largest distance of a twist or an acceleration from those that the legs allow, relative to its size; for
#: accelerations, also relative to the terms of the twist. Rounding errors in single precision are smaller.
_MOTION = 1e-3
_STILL = 1e-9  #: absolute tolerance in rad/s, rad/s^2 and parts of the size of the robot, for a platform at rest


def pose_margin(legs: Sequence[Leg], reference: Reference) -> Expr:
    """Return the squared tolerance minus the sum of squared gaps: positive if the legs allow the pose."""
    graph, size = legs[0].graph, size_of(reference)
    gaps: list[Scalar] = [
        (graph.symbol(name) - value) / (1 if name.startswith("R") else size)
        for name, value in reference.constants.items()
    ]
    gaps += _unlike_a_rotation([graph.symbol(name) for name in POSE[:9]])
    for leg in legs:
        gaps += leg_gaps(leg, size)
    margin: Expr = graph.number(ALLOWED * ALLOWED) - _square(gaps)
    return margin


def _square(entries: Iterable[Scalar]) -> Scalar:
    return sum_of(entry * entry for entry in entries)


def _unlike_a_rotation(R: Sequence[Scalar]) -> list[Scalar]:
    """Return the residuals of the conditions for a rotation matrix: unit, orthogonal and right-handed rows."""
    x, y, z = Vec3(*R[:3]), Vec3(*R[3:6]), Vec3(*R[6:])
    return [x.dot(x) - 1, y.dot(y) - 1, x.dot(y), *(x.cross(y) - z)]


def motion_margins(legs: Sequence[Leg], reference: Reference, accelerated: bool) -> list[Expr]:
    """Return margins that are positive if the legs allow the twist and, if it is given, the acceleration."""
    graph, size = legs[0].graph, size_of(reference)

    def scaled(names: Sequence[str]) -> list[Scalar]:
        return [graph.symbol(name) / (size if place < 3 else 1) for place, name in enumerate(names)]

    motion, fast = legs[0].motion, _square(scaled(TWIST))
    rows = [row for leg in legs for row in leg.constraints]
    lengths = [force.dot(force) * size * size + moment.dot(moment) for (force, moment), _ in rows]
    found: list[Expr] = []
    for names, (linear, angular) in ((TWIST, (motion.v, motion.w)), (ACCELERATION, (motion.vp, motion.wp))):
        given = scaled(names)
        off = _square(given[place] for place in reference.still)
        largest = _square(given)
        if names is ACCELERATION:
            largest = largest + fast * fast
        for ((force, moment), drift), length in zip(rows, lengths, strict=True):
            apart = force.dot(linear) + moment.dot(angular)
            apart = apart - drift if names is ACCELERATION else apart
            off = off + apart * apart / length
        margin = largest * graph.number(_MOTION * _MOTION) + graph.number(_STILL * _STILL) - off
        found.append(graph.zero + margin)
        if not accelerated:
            break
    return found


def size_of(reference: Reference) -> float:
    """Return the longest length of the geometry, or the distance of the platform from the base."""
    robot, first = reference.robot, reference.samples[0]
    entries = length_entries(robot.frames)
    lengths: Iterable[float] = evaluate(entries, first.joints)
    return max(map(abs, (*lengths, *first.pose[:3, 3]))) or 1.0


def leg_gaps(leg: Leg, size: float) -> list[Scalar]:
    """Return the gaps between the solved leg and the platform, or the center of its spherical joint."""
    chain, motion = leg.chain, leg.motion
    T = Transform.identity()
    for j in chain.numbers:
        T = T @ frame_transform(motion.robot.frame(j), leg.value, j)
        if chain.to_point and j == chain.wrist[0]:
            return [x / size for x in T.P - leg.end]
    goal = Transform(motion.R, motion.P) @ motion.place(chain.leg)
    apart = T.P - goal.P
    turned = [a - b for row, other in zip(T.A.rows, goal.A.rows, strict=True) for a, b in zip(row, other, strict=True)]
    return [*(x / size for x in apart), *turned]
