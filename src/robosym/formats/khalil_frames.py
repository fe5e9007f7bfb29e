"""Conversion of joint axes to frames of Khalil and Kleinfinger (guide 1.3; Khalil and Dombre, chapter 7).

Every joint has an axis in the zero position of the robot. The z axis of frame j is along it, its x axis along the
common normal with the axis of the next joint, and its origin at the foot of the normal. If axes are parallel, or a
joint is prismatic, the normal is not unique: frames are then placed so that as many lengths as possible are zero. Of
parallel axes the last one gets the offset, which costs least (UR5e: 531 operations, 549 with the first one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robosym.mechanism.screws import (
    NEARLY,
    ROUNDING,
    Axis,
    Six,
    across,
    foot,
    in_half_turn,
    norm,
    normal_to,
    screws_to,
    unit,
)
from robosym.spatial import Transform, Vec3

__all__ = ["Placed", "place_frames"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A frame in the zero position, and the steps from its antecedent; all but the last are fixed frames."""

    pose: Transform
    steps: list[Six]


def place_frames(axes: Sequence[Axis]) -> list[Placed]:
    """Place frames 1..n; `axes[j - 1]` belongs to joint j, antecedents first. Frame 0 is at the origin."""
    count = len(axes)
    following: list[list[int]] = [[] for _ in range(count + 1)]
    size = [1] * (count + 1)
    for j in range(count, 0, -1):
        following[axes[j - 1].ant].insert(0, j)
        size[axes[j - 1].ant] += size[j]
    x: list[Vec3 | None] = [None] * (count + 1)
    origin: list[Vec3 | None] = [None] * (count + 1)
    settled = [not axis.slides for axis in axes]  # the axis of a prismatic joint may be moved in parallel
    for j in range(count, 0, -1):
        if following[j]:
            main = max(following[j], key=lambda k: size[k])  # the others need gamma and b
            _toward(axes, j, main, x, origin, settled)
    placed = [Placed(Transform.identity(), [])]
    for j, axis in enumerate(axes, 1):
        before = placed[axis.ant].pose
        if not settled[j - 1]:
            axis.p = before.P
        placed.append(_placed(before, axis, x[j], origin[j]))
    return placed[1:]


def _toward(
    axes: Sequence[Axis], j: int, k: int, x: list[Vec3 | None], origin: list[Vec3 | None], settled: list[bool]
) -> None:
    """Set x and origin of frame j as far as the axis of the following joint k determines them."""
    this, other = axes[j - 1], axes[k - 1]
    at = origin[k] or (other.p if settled[k - 1] else None)
    if not settled[j - 1] and at is not None:  # move a prismatic axis through the next origin
        this.p, settled[j - 1] = at, True
    cross = this.z.cross(other.z)
    sine = norm(cross)
    if ROUNDING < sine < NEARLY:
        return
    if sine > ROUNDING:
        x[j] = cross * (1 / sine)
        if settled[j - 1] and settled[k - 1]:
            origin[j] = foot(this, other)
        return
    if not settled[j - 1] or not settled[k - 1]:
        return
    between = across(this, other.p)
    distance = norm(between)
    if distance > ROUNDING:
        x[j] = between * (1 / distance)  # the origin stays free, so that r is zero: the last parallel axis gets it


def _placed(before: Transform, axis: Axis, x: Vec3 | None, origin: Vec3 | None) -> Placed:
    """Return frame j after its antecedent; `x` (up to its sign) and `origin` are free if None."""
    back = before.inverse()
    line = Axis(0, False, back.A @ axis.p + back.P, back.A @ axis.z)
    normal, near = normal_to(line)
    direction = normal if x is None else back.A @ x
    place = near if origin is None else back.A @ origin + back.P
    steps = screws_to(_frame(direction, line.z, place))
    if not in_half_turn(steps[-1][4]):
        direction = -direction
        steps = screws_to(_frame(direction, line.z, place))
    return Placed(_frame(before.A @ direction, axis.z, before.A @ place + before.P), steps)


def _frame(x: Vec3, z: Vec3, origin: Vec3) -> Transform:
    x = unit(x - z * z.dot(x))  # orthogonal to the last digit, so that errors do not accumulate along a chain
    return Transform.from_columns(x, z.cross(x), z, origin)
