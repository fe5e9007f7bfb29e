"""The poses and motions that the legs of a parallel robot allow: margins as expressions of both, for machine code.

A leg with fewer than six degrees of freedom binds the platform. Its joints are solved from some entries of the pose;
where they do not give the whole pose back, the legs do not allow it, and what the models would compute belongs to
another robot. Neither do the models hold in another operation mode, where entries that are constant around the
reference position, such as the orientation of a Delta, have other values. Twists and accelerations are bound in the
same way: each leg takes its rates from some components, and those that are left must agree.
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

__all__ = ["ALLOWED", "motion_margins", "pose_margin", "size_of"]

#: How far the legs may be from the platform: radians, and parts of the size of the robot. Rounding in single precision
#: leaves less.
ALLOWED = 1e-5
#: How far a twist or an acceleration may be from what the legs allow, in parts of its own size, and of that of what the
#: twist adds to accelerations. Rounding in single precision leaves less.
_MOTION = 1e-3
_STILL = 1e-9  #: in rad/s, rad/s^2 and parts of the size of the robot: what is allowed of a platform at rest too


def pose_margin(legs: Sequence[Leg], reference: Reference) -> Expr:
    """Return the squared tolerance minus the sum of squared gaps: positive if the legs allow the pose."""
    graph, size = legs[0].graph, size_of(reference)
    gaps: list[Scalar] = [
        (graph.symbol(name) - value) / (1 if name.startswith("R") else size)
        for name, value in reference.constants.items()
    ]
    gaps += _unlike_a_rotation([graph.symbol(name) for name in POSE[:9]])
    for leg in legs:
        gaps += _gaps(leg, size)
    margin: Expr = graph.number(ALLOWED * ALLOWED) - _square(gaps)
    return margin


def _square(entries: Iterable[Scalar]) -> Scalar:
    return sum_of(entry * entry for entry in entries)


def _unlike_a_rotation(R: Sequence[Scalar]) -> list[Scalar]:
    """Return the residuals of nine numbers as a rotation: unit, orthogonal and right-handed rows."""
    x, y, z = Vec3(*R[:3]), Vec3(*R[3:6]), Vec3(*R[6:])
    return [x.dot(x) - 1, y.dot(y) - 1, x.dot(y), *(x.cross(y) - z)]


def motion_margins(legs: Sequence[Leg], reference: Reference, accelerated: bool) -> list[Expr]:
    """Positive where the legs allow the twist, and the acceleration where it is given."""
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


def _gaps(leg: Leg, size: float) -> list[Scalar]:
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
