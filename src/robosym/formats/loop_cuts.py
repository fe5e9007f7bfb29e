"""Loops of a file, `connect` and `weld`, as cut joints of a robot (guide 2.6).

Where a loop moves in a plane, two points that stay together are a hinge at right angles to it; elsewhere they are a
spherical joint, whose first two axes become joints of the tree with links without inertia.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robosym.formats.khalil_frames import ROUNDING, Axis
from robosym.formats.kinematic_tree import Closure, TreeJoint
from robosym.spatial import Transform, Vec3

__all__ = ["PlacedCut", "cuts_of", "passive_joints"]

_APART = 1e-6  #: metres: two points that are not one

_X, _Y, _Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class PlacedCut:
    """A cut joint: the bodies on both sides, and the poses of the frames that coincide, in the reference position."""

    near: int
    far: int
    joint: TreeJoint  #: "revolute", or "fixed" for bodies that are welded
    pose: Transform
    other: Transform
    virtual: list[tuple[TreeJoint, Transform]]  #: joints of the tree before it, with their frames


def cuts_of(
    closures: Sequence[Closure], axes: Sequence[Axis], body: Mapping[str, int], seen: Mapping[str, Transform]
) -> list[PlacedCut]:
    """The cut joint of every loop, from the bodies and poses of links in the reference position."""
    cuts = []
    for closure in closures:
        for link in (closure.first, closure.second):
            if link not in body:
                closure.at.fail(f"{link!r} is no part of the robot that floats: expected both ends on it")
        near, far = body[closure.first], body[closure.second]
        if near == far:
            closure.at.fail("both ends stand on the same link: expected two")
        pose = seen[closure.first] @ closure.on_first
        other = pose if closure.on_second is None else seen[closure.second] @ closure.on_second
        joint = TreeJoint(closure.name, "fixed", closure.first, closure.second, closure.at, pose, active=False)
        virtual: list[tuple[TreeJoint, Transform]] = []
        if closure.kind == "connect":
            joint.kind = "revolute"
            normal = _plane(_round(axes, near, far), axes)
            if normal is None:
                for n, (x, z) in enumerate(((_Y, _X), (_Z, _Y)), 1):
                    one = TreeJoint(f"{closure.name}_{n}", "revolute", "", "", closure.at, pose, active=False)
                    virtual.append((one, _frame(x, z, pose.P)))
            z = _Z if normal is None else normal
            x = _X if normal is None else _beside(normal)
            pose, other = _frame(x, z, pose.P), _frame(x, z, other.P)
        cuts.append(PlacedCut(near, far, joint, pose, other, virtual))
    return cuts


def passive_joints(cuts: Sequence[PlacedCut], axes: Sequence[Axis]) -> set[int]:
    """Joints whose motion follows from that of the others: as many as the loops decide, the last ones first."""
    columns: dict[int, list[float]] = {j: [] for j in range(1, len(axes) + 1)}
    for cut in cuts:
        round_ = _round(axes, cut.near, cut.far)
        for j, axis in enumerate(axes, 1):
            sign = round_.get(j, 0)
            linear = axis.z if axis.slides else axis.z.cross(cut.pose.P - axis.p)
            angular = _Z * 0.0 if axis.slides else axis.z
            parts = (linear, angular) if cut.joint.kind == "fixed" else (linear,)
            columns[j] += [sign * float(entry) for part in parts for entry in part]
    passive: set[int] = set()
    basis: list[list[float]] = []
    for j in sorted(columns, reverse=True):
        column = columns[j]
        for other in basis:
            share = sum(a * b for a, b in zip(column, other, strict=True))
            column = [a - share * b for a, b in zip(column, other, strict=True)]
        length = math.sqrt(sum(entry * entry for entry in column))
        if length > _APART:
            basis.append([entry / length for entry in column])
            passive.add(j)
    return passive


def _round(axes: Sequence[Axis], near: int, far: int) -> dict[int, int]:
    """The joints of the loop: 1 on the way to `near`, -1 on the way to `far`."""
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
    """The direction at right angles to which all of a loop moves, or None."""
    turning = [axes[j - 1].z for j in joints if not axes[j - 1].slides]
    if not turning:
        return None
    normal = turning[0]
    parallel = all(_length(normal.cross(z)) < ROUNDING for z in turning)
    across = all(abs(float(normal.dot(axes[j - 1].z))) < ROUNDING for j in joints if axes[j - 1].slides)
    return normal if parallel and across else None


def _beside(z: Vec3) -> Vec3:
    """Some direction at right angles."""
    x: Vec3 = _X if abs(float(z.x)) < 0.9 else _Y
    x = x - z * z.dot(x)
    across: Vec3 = x * (1 / _length(x))
    return across


def _frame(x: Vec3, z: Vec3, origin: Vec3) -> Transform:
    return Transform.from_columns(x, z.cross(x), z, origin)


def _length(v: Vec3) -> float:
    return math.sqrt(float(v.dot(v)))
