"""All poses of a platform that turns about one passive joint of a leg, held in the plane by another leg (five bars).

The motors hold one leg but for its last free joint; a point of the platform then moves on a circle. The other leg holds
this point at a distance, on a second circle: two solutions, real or complex, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate
from robosym.algebra.generic import vanishes
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ROUNDING, SOLVED
from robosym.coordinates.platform_poses import PlatformPoses, pose_rows
from robosym.mechanism import Robot
from robosym.solve.held import LegGeometry
from robosym.spatial import Transform
from robosym.spatial.numeric import screws

__all__ = ["Hinged", "hinged_platform"]

_DOUBLE = 1e-12  #: the square of a sine: two solutions nearer to each other are one, and singular


@dataclass(frozen=True)
class Hinged:
    """The hinge on base and platform, and the points of base and platform at a distance: functions of the motors."""

    hinge: Transform  #: frame 0 to the free joint at zero
    beyond: Transform  #: from there to the platform
    foot: Transform  #: frame 0 to the first free joint of the other leg
    head: Transform  #: platform to the second
    rod: Transform  #: from one to the other
    graph: Any

    def solve(self, values: Mapping[str, float]) -> PlatformPoses | None:
        """All real poses; None where the platform can turn whatever the motors do."""
        hinge, beyond, foot, head, rod = (self._matrix(T, values) for T in self._parts)
        S = (beyond @ head)[:2, 3]  # in the plane of the hinge
        A = (np.linalg.inv(hinge) @ foot)[:2, 3]
        square = float(rod[:2, 3] @ rod[:2, 3])
        # |Rot(t) S - A|^2: X cos t + Y sin t = Z
        X, Y = 2 * float(A @ S), 2 * float(A[1] * S[0] - A[0] * S[1])
        Z = float(A @ A + S @ S) - square
        size, all_of = float(np.hypot(X, Y)), float(A @ A + S @ S) + square
        if size <= ROUNDING * all_of:
            return None
        middle, half = np.arctan2(Y, X), 1 - (Z / size) ** 2
        double = abs(half) < _DOUBLE
        turns = [middle] if double else [middle + s * np.arccos(Z / size) for s in (1, -1)] if half > 0 else []
        poses = np.array([hinge @ screws(2, np.asarray(t), np.asarray(0.0)) @ beyond for t in turns]).reshape(-1, 4, 4)
        ends = [np.linalg.inv(hinge) @ pose @ head[:, 3] for pose in poses]
        errors = np.array([abs(np.hypot(*(end[:2] - A)) - np.sqrt(square)) for end in ends])
        assert (errors <= SOLVED * np.sqrt(all_of) + np.sqrt(_DOUBLE * all_of) * double).all()
        singular = np.full(len(poses), double)
        return PlatformPoses.of(pose_rows(poses), errors, singular, "in closed form", complex=2, complete=True)

    @property
    def _parts(self) -> tuple[Transform, ...]:
        return self.hinge, self.beyond, self.foot, self.head, self.rod

    def _matrix(self, T: Transform, values: Mapping[str, float]) -> Array:
        entries: list[Expr] = [self.graph.zero + x for row in T.rows for x in row]
        found = np.eye(4)
        found[:3] = np.reshape(evaluate(entries, values), (3, 4))
        return found


def hinged_platform(robot: Robot) -> Hinged | None:
    """A planar robot of two legs, the one with one free joint, the other with two, all of them turning; else None."""
    if len(robot.legs) != 2 or robot.module.parallelograms or robot.followers:
        return None
    legs = LegGeometry(robot)
    passive = [legs.passive(leg) for leg in range(2)]
    if sorted(map(len, passive)) != [1, 2] or not all(legs.turns(j) for joints in passive for j in joints):
        return None
    one = 0 if len(passive[0]) == 1 else 1
    two = 1 - one
    (j,), (near, far) = passive[one], passive[two]
    normal = legs.way(one, 0, j).A.z_axis
    for leg in range(2):
        for k in legs.joints(leg):
            z = legs.way(leg, 0, k).A.z_axis
            if not vanishes(*(z.cross(normal) if legs.turns(k) else (z.dot(normal),))):
                return None
    beyond = legs.platform_to(one, j).inverse()
    head = legs.platform_to(two, far)
    return Hinged(legs.way(one, 0, j), beyond, legs.way(two, 0, near), head, legs.way(two, near, far), legs.graph)
