"""The legs of a platform as line segments: distances between legs and angles of their ends, in machine code.

A leg is the polyline through the origins of its frames, from its first joint to its end on the platform. Two points of
its first segment give its direction at the base, two of its last that at the platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from robosym.algebra import Expr, evaluate
from robosym.algebra.arrays import Array
from robosym.coordinates.leg import Leg
from robosym.coordinates.legs import Legs
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_transform
from robosym.model import Layout, Model
from robosym.spatial import Scalar, Transform, Vec3

__all__ = ["LegSegments", "leg_segments"]

_SAME = 1e-9  #: m: points at a smaller distance in the reference position are one point
_TINY = 1e-30


@dataclass(frozen=True)
class LegSegments:
    """Model with outputs "distance" (squared, per pair of segments) and "base", "platform" (cosines, per leg)."""

    model: Model
    pairs: tuple[tuple[int, int], ...]  #: legs of each distance


def leg_segments(robot: Robot, modes: Sequence[int] | None, cones: bool, distances: bool) -> LegSegments:
    """Return the model of the legs of a robot with numeric geometry and a reference position.

    Cosines are those of the angles between a leg and its direction in the reference position, seen from the base and
    from the platform. Segments of legs that share a point in the reference position have no distance.
    """
    legs = Legs(robot, ("pose",), ("parameters",), modes, vectors=False)
    if legs.reference is None:
        raise InputError(
            f"{robot.name}: cones and clearance need a reference position and numbers for the geometry: use "
            "robot.with_values({...})"
        )
    start = legs.reference.samples[0].pose_values
    with legs.work as work:
        chains = [_points(leg, start) for leg in sorted(legs.legs, key=lambda leg: leg.leg)]
        zero = work.graph.zero
        outputs: dict[str, Layout] = {}
        if cones:
            base, platform = zip(*(_cosines(leg, points, start) for leg, points in chains), strict=True)
            for name, values in ("base", base), ("platform", platform):
                outputs[name] = work.vector(name.upper(), {k: zero + x for k, x in enumerate(values, 1)})
        pairs: list[tuple[int, int]] = []
        found: list[Expr] = []
        for one, other in combinations(range(len(chains)) if distances else (), 2):
            ends = [_values(chains[k][1], start) for k in (one, other)]
            segments = [[(k, k + 1) for k in range(len(points) - 1)] for points in ends]
            for (a, b), (c, d) in product(*segments):
                apart = ends[0][[a, b]][:, None] - ends[1][[c, d]][None]
                if np.linalg.norm(apart, axis=-1).min() > _SAME:
                    found.append(
                        zero + _apart(*(chains[one][1][k] for k in (a, b)), *(chains[other][1][k] for k in (c, d)))
                    )
                    pairs.append((one, other))
        if found:
            outputs["distance"] = work.vector("DIST", dict(enumerate(found, 1)))
        if not outputs:
            raise InputError(f"{robot.name}: clearance: expected legs that do not all share their end points")
        return LegSegments(work.model("seg", "Distances between legs and angles of their ends", outputs), tuple(pairs))


def _points(leg: Leg, start: dict[str, float]) -> tuple[Leg, list[Vec3]]:
    """Return the points of a leg in frame 0."""
    motion, T, found = leg.motion, Transform.identity(), list[Vec3]()
    for j in leg.chain.numbers:
        if j in leg.chain.wrist:
            break
        T = T @ frame_transform(motion.robot.frame(j), leg.value, j)
        found.append(T.P)
    found.append(motion.P + motion.station(leg.leg))
    numbers = _values(found, start)
    kept = [k for k in range(len(found)) if k == 0 or np.linalg.norm(numbers[k] - numbers[k - 1]) > _SAME]
    return leg, [found[k] for k in kept]


def _values(points: Sequence[Vec3], start: dict[str, float]) -> Array:
    """Return points as numbers at the reference pose, shape (n, 3)."""
    entries = [entry for point in points for entry in point]
    known = [entry for entry in entries if isinstance(entry, Expr)]
    numbers = dict(zip(map(id, known), evaluate(known, start), strict=True))
    return np.array([numbers.get(id(entry), entry) for entry in entries], dtype=float).reshape(-1, 3)


def _cosines(leg: Leg, points: Sequence[Vec3], start: dict[str, float]) -> tuple[Scalar, Scalar]:
    """Return the cosines of the angles of a leg with its reference directions in frame 0 and on the platform."""
    numbers, graph = _values(points, start), leg.graph
    if len(points) < 2:
        return graph.one, graph.one
    R = np.array([start[f"R{i}{j}"] for i in (1, 2, 3) for j in (1, 2, 3)]).reshape(3, 3)
    found = []
    for (a, b), turn in (((0, 1), None), ((-2, -1), leg.motion.R)):
        axis = numbers[b] - numbers[a]
        axis = axis / np.linalg.norm(axis)
        held = Vec3(*(graph.number(float(x)) for x in (axis if turn is None else R.T @ axis)))
        along = points[b] - points[a]
        size = graph.function("sqrt", graph.zero + along.dot(along))
        found.append(along.dot(held if turn is None else turn @ held) / size)
    return found[0], found[1]


def _clamped(x: Expr) -> Expr:
    """Return a value limited to 0 .. 1."""
    size = x.graph.function
    return (size("abs", x) - size("abs", x - 1) + 1) / 2


def _apart(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Scalar:
    """Return the squared distance of the segments a b and c d.

    The unlimited closest point on the first line is limited to its segment, then the closest one to it on the second,
    then again on the first: for two segments, this ends at the minimum.
    """
    one, other, gap = b - a, d - c, a - c
    lengths = one.dot(one), other.dot(other)
    across, first, second = one.dot(other), one.dot(gap), other.dot(gap)
    zero = next(x for v in (a, b, c, d) for x in v if isinstance(x, Expr)).graph.zero
    wide = lengths[0] * lengths[1] - across * across
    s = _clamped(zero + (across * second - first * lengths[1]) / (wide + _TINY))
    t = _clamped(zero + (across * s + second) / lengths[1])
    s = _clamped(zero + (across * t - first) / lengths[0])
    left = gap + one * s - other * t
    apart: Scalar = left.dot(left)
    return apart
