"""Conversion of loop closures of a file (`connect` and `weld`) to cut joints of a robot (guide 2.6).

Two coincident points are a spherical joint, whose first two axes become joints of the tree with massless links; if the
loop is planar, they are a revolute joint normal to the plane. Two such pairs between the same bodies are a revolute
joint along the line through them, three that are not collinear a weld.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import SAME
from robosym.formats.kinematic_tree import Closure, TreeJoint
from robosym.mechanism.screws import ROUNDING, Axis, beside, norm, unit
from robosym.spatial import Transform, Vec3

__all__ = ["PlacedCut", "cuts_of", "passive_joints"]


_X, _Y, _Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class PlacedCut:
    """A cut joint: the bodies on both sides, and the coincident frames in the reference position."""

    near: int
    far: int
    joint: TreeJoint  #: "revolute", or "fixed" for a weld
    pose: Transform
    other: Transform
    virtual: list[tuple[TreeJoint, Transform]]  #: joints of the tree before it, with their frames

    @property
    def bound_turns(self) -> list[Vec3]:
        """Return the axes of relative rotations that are locked: three for a weld, two for a revolute joint."""
        if self.virtual:
            return []
        columns = [Vec3(*(getattr(row, axis) for row in self.pose.A.rows)) for axis in "xyz"]
        return columns if self.joint.kind == "fixed" else columns[:2]


def cuts_of(
    closures: Sequence[Closure], axes: Sequence[Axis], body: Mapping[str, int], seen: Mapping[str, Transform]
) -> list[PlacedCut]:
    """Return the cut joint of every loop, from bodies and poses of links in the reference position."""
    for closure in closures:
        for link in (closure.first, closure.second):
            if link not in body:
                closure.at.fail(f"{link!r} is not part of the floating robot: expected both ends on it")
    cuts = []
    for group in _between_same_bodies(closures, body):
        closure, *more = group
        near, far = body[closure.first], body[closure.second]
        if near == far:
            closure.at.fail("expected ends on two different links, found the same link")
        ends = _distinct(closure, [_ends(one, seen) for one in group])
        more = group[1 : len(ends)]
        pose, other = ends[0]
        joint = TreeJoint(closure.name, "fixed", closure.first, closure.second, closure.at, pose, active=False)
        virtual: list[tuple[TreeJoint, Transform]] = []
        if closure.kind == "connect":
            lines = [_line([end[side].P for end in ends]) for side in (0, 1)] if more else [None, None]
            if more and None in lines:  # points that are not collinear
                first, second = (_triad([end[side].P for end in ends]) for side in (0, 1))
                cuts.append(PlacedCut(near, far, joint, first, second, []))
                continue
            joint.kind = "revolute"
            plane = _plane(_round(axes, near, far), axes)
            normals = [line or plane for line in lines]
            if normals[0] is None:
                for n, (x, z) in enumerate(((_Y, _X), (_Z, _Y)), 1):
                    one = TreeJoint(f"{closure.name}_{n}", "revolute", "", "", closure.at, pose, active=False)
                    virtual.append((one, _frame(x, z, pose.P)))
            pose, other = (
                _frame(_X if z is None else beside(z), z or _Z, end.P)
                for z, end in zip(normals, (pose, other), strict=True)
            )
        cuts.append(PlacedCut(near, far, joint, pose, other, virtual))
    return cuts


def _distinct(closure: Closure, ends: list[tuple[Transform, Transform]]) -> list[tuple[Transform, Transform]]:
    """Return pairs of points without redundant ones; for a weld the one pair."""
    found = ends[:1]
    for one, other in ends[1:]:
        near = [(norm(one.P - a.P) < SAME, norm(other.P - b.P) < SAME) for a, b in found]
        if any(first != second for first, second in near):
            closure.at.fail("two of its points coincide on one link but not on the other: the loop cannot close")
        if not any(first for first, _ in near):
            found.append((one, other))
    return found


def _between_same_bodies(closures: Sequence[Closure], body: Mapping[str, int]) -> list[list[Closure]]:
    """Group closures by pairs of bodies; a weld is a group of its own."""
    welds: list[list[Closure]] = [[closure] for closure in closures if closure.kind != "connect"]
    groups: dict[tuple[int, int], list[Closure]] = {}
    for closure in closures:
        pair = body[closure.first], body[closure.second]
        if closure.kind == "connect" and pair[::-1] in groups:
            groups[pair[::-1]].append(_reversed(closure))
        elif closure.kind == "connect":
            groups.setdefault(pair, []).append(closure)
    return [*groups.values(), *welds]


def _reversed(closure: Closure) -> Closure:
    """Exchange the ends; `on_first` without a second end then belongs to the first link."""
    if closure.on_second is None:
        return replace(closure, first=closure.second, second=closure.first, on_second_link=True)
    return replace(
        closure, first=closure.second, second=closure.first, on_first=closure.on_second, on_second=closure.on_first
    )


def _ends(closure: Closure, seen: Mapping[str, Transform]) -> tuple[Transform, Transform]:
    """Return the frames on both links in the reference position."""
    if closure.on_second is None:
        pose = seen[closure.second if closure.on_second_link else closure.first] @ closure.on_first
        return pose, pose
    return seen[closure.first] @ closure.on_first, seen[closure.second] @ closure.on_second


def _line(points: Sequence[Vec3]) -> Vec3 | None:
    """Return the direction of the line through points, or None if they are not collinear."""
    steps: list[Vec3] = [point - points[0] for point in points[1:]]
    far = max(steps, key=norm)
    if norm(far) < SAME:
        return None
    direction = unit(far)
    return direction if all(norm(direction.cross(step)) < SAME for step in steps) else None


def _triad(points: Sequence[Vec3]) -> Transform:
    """Return a frame at the first point, x towards the second, in the plane of three points."""
    steps: list[Vec3] = [point - points[0] for point in points[1:]]
    x: Vec3 = next(step for step in steps if norm(step) > SAME)
    z: Vec3 = max((x.cross(step) for step in steps), key=norm)
    return _frame(unit(x), unit(z), points[0])


def passive_joints(cuts: Sequence[PlacedCut], axes: Sequence[Axis]) -> set[int]:
    """Return the dependent joints: as many as the loops determine, the last ones first."""
    columns: dict[int, list[float]] = {j: [] for j in range(1, len(axes) + 1)}
    for cut in cuts:
        signs = _round(axes, cut.near, cut.far)
        for j, axis in enumerate(axes, 1):
            linear = axis.z if axis.slides else axis.z.cross(cut.pose.P - axis.p)
            angular = _Z * 0.0 if axis.slides else axis.z
            turns = [angular.dot(direction) for direction in cut.bound_turns]
            columns[j] += [signs.get(j, 0) * float(entry) for entry in (*linear, *turns)]
    order = sorted(columns, reverse=True)
    independent, _ = independent_columns(np.array([columns[j] for j in order]).T, SAME)
    return {order[place] for place in independent}


def _round(axes: Sequence[Axis], near: int, far: int) -> dict[int, int]:
    """Return the joints of the loop: 1 on the path to `near`, -1 on the path to `far`."""
    ways = []
    for end in (near, far):
        way = set()
        while end:
            way.add(end)
            end = axes[end - 1].ant
        ways.append(way)
    both = ways[0] & ways[1]
    return dict.fromkeys(ways[0] - both, 1) | dict.fromkeys(ways[1] - both, -1)


def _plane(joints: Mapping[int, int], axes: Sequence[Axis]) -> Vec3 | None:
    """Return the normal of the plane in which a loop moves, or None."""
    turning = [axes[j - 1].z for j in joints if not axes[j - 1].slides]
    if not turning:
        return None
    normal = turning[0]
    parallel = all(norm(normal.cross(z)) < ROUNDING for z in turning)
    across = all(abs(float(normal.dot(axes[j - 1].z))) < ROUNDING for j in joints if axes[j - 1].slides)
    return normal if parallel and across else None


def _frame(x: Vec3, z: Vec3, origin: Vec3) -> Transform:
    return Transform.from_columns(x, z.cross(x), z, origin)
