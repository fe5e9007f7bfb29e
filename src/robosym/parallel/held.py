"""Legs that hold a point of the platform at a distance from a point of the base, found in the description.

Such a leg has passive joints about two points only: two or three axes through a point A, and as many through a point S
of the platform; all else in it is driven. Motors before A move it, motors between A and S change the distance (UPS,
SPS; RUS and PUS, whose rod is constant).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from robosym.algebra import Expr, Graph, substitute, symbols
from robosym.algebra.generic import vanishes
from robosym.description import Parallel
from robosym.model.groups import declare
from robosym.spatial import Scalar, Transform, Vec3
from robosym.tree.frame import frame_transform

__all__ = ["Held", "held_platform"]


@dataclass(frozen=True)
class Held:
    """Points of base and platform, and the squares of their distances: functions of motors and parameters."""

    graph: Graph
    inputs: dict[str, tuple[str, ...]]
    base: tuple[Vec3, ...]  #: in frame 0
    platform: tuple[Vec3, ...]  #: in the platform's frame
    squares: tuple[Scalar, ...]

    def moving(self) -> tuple[str, ...]:
        """Which of them the motors change: "base", "platform", "lengths"."""
        motors = set(self.inputs["q"])
        groups = {
            "base": [x for point in self.base for x in point],
            "platform": [x for point in self.platform for x in point],
            "lengths": self.squares,
        }
        return tuple(
            name
            for name, entries in groups.items()
            if motors.intersection(symbols(self.graph.zero + e for e in entries))
        )


def held_platform(robot: Parallel) -> Held | None:
    """What the legs hold, if there are six and each holds a distance; None for other robots."""
    if len(robot.legs) != 6:
        return None
    graph = Graph()
    motors = robot.motor_names
    declare(graph, {"q": motors})
    passive = {robot.tree.variable(j): 0 for j in robot.tree.tree_joints if j not in robot.motors}

    def value(entry: Expr) -> Expr:
        return substitute([entry], graph, passive)[0]

    legs = [_leg(robot, number, value) for number in range(6)]
    found = [leg for leg in legs if leg is not None]
    if len(found) < 6:
        return None
    base, platform, squares = zip(*found, strict=True)
    entries = [graph.zero + x for point in (*base, *platform) for x in point] + [graph.zero + d for d in squares]
    parameters = tuple(name for name in symbols(entries) if name not in motors)
    return Held(graph, {"q": motors, "parameters": parameters}, base, platform, squares)


def _leg(robot: Parallel, leg: int, value: Callable[[Expr], Expr]) -> tuple[Vec3, Vec3, Scalar] | None:
    """A in frame 0, S in the platform's frame, and the square of their distance; None if the leg holds none."""
    tree, frames = robot.tree, robot.legs[leg]
    passive = [j for j in frames if tree.frame(j).is_joint and j not in robot.motors]
    if len(passive) not in (5, 6) or not all(tree.frame(j).joint_type.only_turns for j in passive):
        return None

    def way(i: int, k: int) -> Transform:
        """iTk with the passive joints at zero, 0 being the base."""
        steps = [frame_transform(tree.frame(j), value, j) for j in frames if i < j <= k]
        return reduce(Transform.__matmul__, steps, Transform.identity())

    def together(joints: Sequence[int]) -> bool:
        return not any(joints[0] < j <= joints[-1] for j in robot.motors)

    for split in (2, 3):
        first, second = passive[:split], passive[split:]
        if len(second) not in (2, 3) or not (together(first) and together(second)):
            continue
        A, S = _common_point(first, way), _common_point(second, way)
        if A is None or S is None:
            continue
        between = way(first[0], second[0])  # their points are on these axes, which therefore need not turn
        gap = between.A @ S + between.P - A
        foot = way(0, first[0])
        head = frame_transform(robot.places[leg], value, frames[-1]) @ way(second[0], frames[-1]).inverse()
        return foot.A @ A + foot.P, head.A @ S + head.P, gap.dot(gap)
    return None


def _common_point(joints: Sequence[int], way: Callable[[int, int], Transform]) -> Vec3 | None:
    """Where the axes of joints that follow each other meet, in the frame of the first; None if they do not."""
    points = [_meeting(way(i, k)) for i, k in pairwise(joints)]
    if points[0] is None:
        return None
    for before, (i, k), after in zip(points, pairwise(joints), points[1:], strict=False):
        step = way(i, k)
        if before is None or after is None or not vanishes(*(step.A @ after + step.P - before)):
            return None
    return points[0]


def _meeting(T: Transform) -> Vec3 | None:
    """Where the z axes of two frames meet, in the first of them; None if they are parallel or pass each other."""
    P, z = T.P, T.A.z_axis
    if vanishes(z.x, z.y) or not vanishes(P.x * z.y - P.y * z.x):
        return None
    if vanishes(P.x, P.y):
        return Vec3(0, 0, P.z)
    back = P.y / z.y if vanishes(z.x) else P.x / z.x
    return Vec3(0, 0, P.z - back * z.z)
