"""Legs that hold a point of the platform at a distance from a point of the base, found in the description.

Such a leg has passive joints about two points only: two or three axes through a point A, and as many through a point
S of the platform; all other joints are driven. Motors before A move A, motors between A and S change the distance
(UPS, SPS; RUS and PUS, whose rod is constant). For planar robots, the points are joints whose axes are normal to the
plane; for spherical robots, they are on the directions of the axes, at distance 1 from the center. For a platform
that does not rotate, they are its universal joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from robosym.algebra import Expr, Graph, evaluate, substitute, symbols
from robosym.algebra.generic import vanishes
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ROUNDING, SOLVED
from robosym.coordinates.platform_poses import PlatformPoses, pose_rows
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_transform
from robosym.model.groups import declare
from robosym.solve.motion_frames import IN_SPACE, MotionFrames, about_center, constant, in_plane, without_turning
from robosym.spatial import Scalar, Transform, Vec3
from robosym.spatial.numeric import screws

__all__ = ["HingedPlatform", "LegGeometry", "PlatformPoints", "hinged_platform", "platform_points"]

_DOUBLE = 1e-12  #: the square of a sine: two solutions nearer to each other are one, and singular
#: A of a leg in frame 0, S in the platform's frame, and the square of their distance.
Distance = tuple[Vec3, Vec3, Scalar]


@dataclass(frozen=True)
class PlatformPoints:
    """Points of base and platform, and the squares of their distances: functions of motors and parameters."""

    graph: Graph
    inputs: dict[str, tuple[str, ...]]
    base: tuple[Vec3, ...]  #: in the frame of the motion
    platform: tuple[Vec3, ...]  #: in the frame of the motion on the platform
    squares: tuple[Scalar, ...]
    everywhere: bool = True  #: whether the legs reach every pose that keeps the distances
    frames: MotionFrames = IN_SPACE  #: motion of the platform, and the frames in which it is expressed

    def moving(self) -> tuple[str, ...]:
        """Return the data that the motors change: "base", "platform" or "lengths"."""
        motors = set(self.inputs["q"])
        groups = {
            "base": [x for point in self.base for x in point],
            "platform": [x for point in self.platform for x in point],
            "lengths": self.squares,
        }
        return tuple(
            name for name, entries in groups.items() if motors.intersection(symbols(self.expressions(entries)))
        )

    def expressions(self, entries: Iterable[Any]) -> list[Expr]:
        """Return entries that may be plain numbers as expressions."""
        return [self.graph.zero + entry for entry in entries]


class LegGeometry:
    """The legs of a robot over a graph, their passive joints at zero."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.graph, self.motors = robot, Graph(), robot.motors
        declare(self.graph, {"q": robot.motor_names})
        self._still = {robot.variable(j): 0 for j in robot.tree_joints if j not in robot.motors}

    def value(self, entry: Expr) -> Expr:
        return substitute([entry], self.graph, self._still)[0]

    def joints(self, leg: int) -> list[int]:
        return [j for j in self.robot.legs[leg] if self.robot.frame(j).is_joint]

    def passive(self, leg: int) -> list[int]:
        return [j for j in self.joints(leg) if j not in self.motors]

    def turns(self, j: int) -> bool:
        return self.robot.frame(j).joint_type.only_turns

    def way(self, leg: int, i: int, k: int) -> Transform:
        """Return iTk of two frames of a leg, i before k; 0 is the base."""
        steps = [frame_transform(self.robot.frame(j), self.value, j) for j in self.robot.legs[leg] if i < j <= k]
        return reduce(Transform.__matmul__, steps, Transform.identity())

    def platform_to(self, leg: int, j: int) -> Transform:
        """Return the transform from the platform frame to frame j of a leg."""
        last = self.robot.legs[leg][-1]
        return frame_transform(self.robot.places[leg], self.value, last) @ self.way(leg, j, last).inverse()

    def held(self, distances: Sequence[Distance | None], frames: MotionFrames) -> PlatformPoints | None:
        """Return the distances that the legs fix, in the frames of the motion; None if a leg fixes none."""
        found = [distance for distance in distances if distance is not None]
        if len(found) < len(distances):
            return None
        base = tuple(frames.of_base(a) for a, _, _ in found)
        platform = tuple(frames.of_platform(b) for _, b, _ in found)
        squares = tuple(d for _, _, d in found)
        entries = [*(x for point in (*base, *platform, *frames.vectors) for x in point), *squares]
        motors = self.robot.motor_names
        parameters = tuple(name for name in symbols(self.graph.zero + entry for entry in entries) if name not in motors)
        inputs, everywhere = {"q": motors, "parameters": parameters}, all(map(self.everywhere, range(len(found))))
        return PlatformPoints(self.graph, inputs, base, platform, squares, everywhere, frames)

    def everywhere(self, leg: int) -> bool:
        """Return whether successive passive axes are normal or parallel to each other.

        Other axes leave cones of directions that a leg does not reach.
        """
        axes = [self.way(leg, i, k).A.z_axis for i, k in pairwise(self.passive(leg))]
        return all(vanishes(z.z) or vanishes(z.x, z.y) for z in axes)


def platform_points(robot: Robot) -> PlatformPoints | None:
    """Return the points and distances if each leg fixes one distance and together they hold the platform, else None."""
    if robot.module.parallelograms:
        return None
    legs = LegGeometry(robot)
    if len(robot.legs) == 6:
        return legs.held([_between_balls(legs, leg, (5, 6)) for leg in range(6)], IN_SPACE)
    if len(robot.legs) == 3:
        return _in_plane(legs) or _about_center(legs) or _without_turning(legs)
    return None


def _between_balls(legs: LegGeometry, leg: int, count: tuple[int, ...]) -> Distance | None:
    """Return the distance of a leg whose `count` passive joints rotate about two points."""
    passive = legs.passive(leg)
    if len(passive) not in count or not all(map(legs.turns, passive)):
        return None

    def together(joints: Sequence[int]) -> bool:
        return not any(joints[0] < j <= joints[-1] for j in legs.motors)

    for split in (2, 3):
        first, second = passive[:split], passive[split:]
        if len(second) not in (2, 3) or not (together(first) and together(second)):
            continue
        A, S = _common_point(legs, leg, first), _common_point(legs, leg, second)
        if A is None or S is None:
            continue
        between = legs.way(leg, first[0], second[0])  # the points are on these axes, which therefore need not turn
        gap = between.A @ S + between.P - A
        foot, head = legs.way(leg, 0, first[0]), legs.platform_to(leg, second[0])
        return foot.A @ A + foot.P, head.A @ S + head.P, gap.dot(gap)
    return None


def _common_point(legs: LegGeometry, leg: int, joints: Sequence[int]) -> Vec3 | None:
    """Return the point where successive joint axes meet, in the frame of the first; None if they do not."""
    points = [_meeting(legs.way(leg, i, k)) for i, k in pairwise(joints)]
    for before, (i, k), after in zip(points, pairwise(joints), points[1:], strict=False):
        step = legs.way(leg, i, k)
        if before is None or after is None or not vanishes(*(step.A @ after + step.P - before)):
            return None
    return points[0]


def _meeting(T: Transform) -> Vec3 | None:
    """Return the point where the z axes of two frames meet, in the first frame; None if parallel or skew."""
    P, z = T.P, T.A.z_axis
    if vanishes(z.x, z.y) or not vanishes(P.x * z.y - P.y * z.x):
        return None
    if vanishes(P.x, P.y):
        return Vec3(0, 0, P.z)
    back = P.y / z.y if vanishes(z.x) else P.x / z.x
    return Vec3(0, 0, P.z - back * z.z)


def _in_plane(legs: LegGeometry) -> PlatformPoints | None:
    """Recognize planar robots: parallel revolute axes, normal prismatic ones, two passive revolute joints per leg."""
    passive = [legs.passive(leg) for leg in range(3)]
    if any(len(joints) != 2 or not all(map(legs.turns, joints)) for joints in passive):
        return None
    first = legs.joints(0)[0]
    normal = legs.way(0, 0, passive[0][0]).A.z_axis
    for leg in range(3):
        for j in legs.joints(leg):
            z = legs.way(leg, 0, j).A.z_axis
            if not vanishes(*(z.cross(normal) if legs.turns(j) else (z.dot(normal),))):
                return None
    distances = []
    for leg, (one, other) in enumerate(passive):
        rod = legs.way(leg, one, other).P
        foot, head = legs.way(leg, 0, one).P, legs.platform_to(leg, other).P
        distances.append((foot, head, rod.x * rod.x + rod.y * rod.y))
    there = legs.way(0, 0, first) @ legs.platform_to(0, first).inverse()
    on_platform = legs.platform_to(0, passive[0][0]).A.z_axis
    frames = in_plane(constant(normal), constant(on_platform), there.P)
    return None if frames is None else legs.held(distances, frames)


def _about_center(legs: LegGeometry) -> PlatformPoints | None:
    """Recognize spherical robots: all axes are revolute through one point, with two passive joints per leg."""
    if any(len(legs.passive(leg)) != 2 or not all(map(legs.turns, legs.joints(leg))) for leg in range(3)):
        return None
    one, other = legs.joints(0)[:2]
    last = legs.joints(0)[-2:]
    local, far = _meeting(legs.way(0, one, other)), _meeting(legs.way(0, *last))
    if local is None or far is None:
        return None
    first, head = legs.way(0, 0, one), legs.platform_to(0, last[0])
    center, on_platform = first.A @ local + first.P, head.A @ far + head.P
    distances = []
    for leg in range(3):
        for j in legs.joints(leg):
            frame = legs.way(leg, 0, j)
            if not vanishes(*(frame.P - center).cross(frame.A.z_axis)):
                return None
        near, end = legs.passive(leg)
        cosine = legs.way(leg, near, end).A.z_axis.z
        u, v = legs.way(leg, 0, near).A.z_axis, legs.platform_to(leg, end).A.z_axis
        distances.append((center + u, on_platform + v, 2 - 2 * cosine))
    return legs.held(distances, about_center(center, on_platform))


def _without_turning(legs: LegGeometry) -> PlatformPoints | None:
    """Recognize two universal joints per leg and a platform of constant orientation near the reference."""
    distances = [_between_balls(legs, leg, (4,)) for leg in range(3)]
    if any(distance is None for distance in distances):
        return None
    frames = without_turning(legs.robot)
    return None if frames is None else legs.held(distances, frames)


# -------------------------------------------------------------------------- a hinge and a rod


@dataclass(frozen=True)
class HingedPlatform:
    """The hinge on base and platform, and the points of base and platform at a distance: functions of the motors."""

    hinge: Transform  #: frame 0 to the free joint at zero
    beyond: Transform  #: from there to the platform
    foot: Transform  #: frame 0 to the first free joint of the other leg
    head: Transform  #: platform to the second
    rod: Transform  #: from one to the other
    graph: Graph

    def solve(self, values: Mapping[str, float]) -> PlatformPoses | None:
        """Return all real poses; None if the platform can rotate with the motors fixed."""
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


def hinged_platform(robot: Robot) -> HingedPlatform | None:
    """Return a planar robot of two legs with one and two free revolute joints; None for other robots."""
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
    return HingedPlatform(
        legs.way(one, 0, j), beyond, legs.way(two, 0, near), head, legs.way(two, near, far), legs.graph
    )
