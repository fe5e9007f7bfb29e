"""Axes of joints in space to frames of Khalil and Kleinfinger (guide 1.3; Khalil and Dombre, chapter 7).

Every joint gives a line and a direction in the zero position of the robot. Frame j has z along it; x lies along the
common normal to the axis of the joint that follows, and the origin at its foot. Where axes are parallel, or a joint
slides, the normal is not unique: the frames are then placed so that as many lengths as possible vanish. Of parallel
axes the last one has the offset along them all, where it costs least (a UR5e: 531 operations; 549 at the first).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Graph
from robosym.description.angles import part_of_pi
from robosym.spatial import Transform, Vec3

__all__ = ["Axis", "Placed", "angle_entry", "place_frames", "screws_to", "tidy", "tidy_length"]

_DIGITS = 1e-15  #: relative: a length differs from its decimal by rounding only

#: below this, in radians and metres, numbers differ by rounding alone; a file's own digits are far above
ROUNDING = 1e-11
#: axes that are nearer to parallel than this, but are not, have their common normal so far away that digits are lost
_NEARLY = 1e-2

Six = tuple[float, float, float, float, float, float]
_Z, _X, _O = Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
_QUARTER = Transform.of(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class Axis:
    """The axis of a moving joint in the zero position: the link before it (0 is the base), a point and a direction."""

    ant: int
    slides: bool
    p: Vec3
    z: Vec3


@dataclass(frozen=True, slots=True)
class Placed:
    """A frame in the zero position, and the steps from its antecedent to it, all but the last by fixed frames."""

    pose: Transform
    steps: list[Six]


def place_frames(axes: Sequence[Axis]) -> list[Placed]:
    """Frames 1..n of the joints; `axes[j - 1]` is that of joint j, antecedents first. Frame 0 stands at the origin."""
    count = len(axes)
    following: list[list[int]] = [[] for _ in range(count + 1)]
    size = [1] * (count + 1)
    for j in range(count, 0, -1):
        following[axes[j - 1].ant].insert(0, j)
        size[axes[j - 1].ant] += size[j]
    x: list[Vec3 | None] = [None] * (count + 1)
    origin: list[Vec3 | None] = [None] * (count + 1)
    settled = [not axis.slides for axis in axes]  # the line of a joint that slides may lie anywhere
    for j in range(count, 0, -1):
        if following[j]:
            main = max(following[j], key=lambda k: size[k])  # the others get gamma and b
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
    """x and origin of frame j, as far as the axis of joint k that follows decides them."""
    this, other = axes[j - 1], axes[k - 1]
    at = origin[k] or (other.p if settled[k - 1] else None)
    if not settled[j - 1] and at is not None:  # a sliding axis is laid through the origin that follows
        this.p, settled[j - 1] = at, True
    cross = this.z.cross(other.z)
    sine = _norm(cross)
    if ROUNDING < sine < _NEARLY:
        return
    if sine > ROUNDING:
        x[j] = cross * (1 / sine)
        if settled[j - 1] and settled[k - 1]:
            origin[j] = _foot(this, other)
        return
    if not settled[j - 1] or not settled[k - 1]:
        return
    across = _across(this, other.p)
    distance = _norm(across)
    if distance > ROUNDING:
        x[j] = across * (1 / distance)  # the origin stays free, so that r vanishes: the last of parallel axes has it


def _placed(before: Transform, axis: Axis, x: Vec3 | None, origin: Vec3 | None) -> Placed:
    """Frame j after its antecedent, where `x` (up to its sign) and `origin` are still free if they are None."""
    back = before.inverse()
    line = Axis(0, False, back.A @ axis.p + back.P, back.A @ axis.z)
    normal, near = _normal_to(line)
    direction = normal if x is None else back.A @ x
    place = near if origin is None else back.A @ origin + back.P
    steps = screws_to(_frame(direction, line.z, place))
    if not _in_half_turn(steps[-1][4]):
        direction = -direction
        steps = screws_to(_frame(direction, line.z, place))
    return Placed(_frame(before.A @ direction, axis.z, before.A @ place + before.P), steps)


def screws_to(T: Transform) -> list[Six]:
    """A pose as gamma, b, alpha, d, theta, r; as two such steps where z is nearly, but not quite, parallel."""
    z, x = T.A.z_axis, Vec3(*(row.x for row in T.A.rows))
    if ROUNDING < math.hypot(z.x, z.y) < _NEARLY:
        return [(0.0, 0.0, math.pi / 2, 0.0, 0.0, 0.0), *screws_to(_QUARTER.inverse() @ T)]
    normal, near = _normal_to(Axis(0, False, T.P, z))
    gamma, alpha, theta = _angle(_X, normal, _Z), _angle(_Z, z, normal), _angle(normal, x, z)
    return [(gamma, near.z, alpha, normal.dot(near), theta, z.dot(T.P - near))]


# ------------------------------------------------------------------------ lines


def _normal_to(line: Axis) -> tuple[Vec3, Vec3]:
    """The common normal of the axis z and a line, gamma between -Pi/2 and Pi/2, and its foot on the line."""
    sine = math.hypot(line.z.x, line.z.y)
    across = _across(line, _O)
    if sine < ROUNDING:  # at the height of the first origin, so that b vanishes
        near, distance = Vec3(line.p.x, line.p.y, 0.0), math.hypot(line.p.x, line.p.y)
        normal = Vec3(near.x / distance, near.y / distance, 0.0) if distance > ROUNDING else _X
    elif sine < _NEARLY:  # no use for it: the foot of the perpendicular from the origin, and x as it was
        near, normal = -across, _unit(_X - line.z * line.z.x)
        return normal, near
    else:
        normal = Vec3(-line.z.y / sine, line.z.x / sine, 0.0)
        near = _foot(line, Axis(0, False, _O, _Z))
    return (normal if _in_half_turn(_angle(_X, normal, _Z)) else -normal), near


def _foot(this: Axis, other: Axis) -> Vec3:
    """The point of a line that is nearest to another, not parallel, one."""
    cross = this.z.cross(other.z)
    along = (other.p - this.p).cross(other.z).dot(cross) / cross.dot(cross)
    foot: Vec3 = this.p + this.z * along
    return foot


def _across(line: Axis, point: Vec3) -> Vec3:
    """From the line to the point, at right angles."""
    between: Vec3 = point - line.p
    across: Vec3 = between - line.z * line.z.dot(between)
    return across


def _angle(a: Vec3, b: Vec3, about: Vec3) -> float:
    return math.atan2(a.cross(b).dot(about), a.dot(b))


def _in_half_turn(angle: float) -> bool:
    return -math.pi / 2 + ROUNDING < angle <= math.pi / 2 + ROUNDING


def _frame(x: Vec3, z: Vec3, origin: Vec3) -> Transform:
    x = _unit(x - z * z.dot(x))  # at right angles to the last digit, so that errors do not grow along a chain
    return Transform.from_columns(x, z.cross(x), z, origin)


def _unit(v: Vec3) -> Vec3:
    return v * (1 / _norm(v))


def _norm(v: Vec3) -> float:
    return math.sqrt(v.dot(v))


# ---------------------------------------------------------------------- numbers


def angle_entry(graph: Graph, angle: float) -> Expr:
    """An angle as an expression: k Pi/n, n up to 12, where it is one but for rounding."""
    part = part_of_pi(angle, ROUNDING)
    if part is not None:
        return graph.pi * graph.number(part)
    return graph.number(tidy_length(angle))


def tidy_length(length: float) -> float:
    """0.30000000000000004 is 0.3, and what is rounding alone is 0."""
    return 0.0 if abs(length) < ROUNDING else tidy(length)


def tidy(value: float, scale: float = 1.0) -> float:
    """0.30000000000000004 is 0.3; `scale` is the size of the numbers that it was worked out from."""
    short = float(f"{value:.13g}")
    return short if abs(short - value) < _DIGITS * max(scale, abs(value)) * 4 else value
