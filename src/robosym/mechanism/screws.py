"""Conversion of poses to the six parameters of Khalil and Kleinfinger (guide 1.3), and rounding of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from robosym.algebra import Expr, Graph, numeric_value, reachable, rebuild, symbols
from robosym.spatial import Transform, Vec3

__all__ = [
    "ANGLES", "NEARLY", "ROUNDING", "Axis", "Six", "across", "angle_entry", "angle_remarks", "beside", "exact_angle",
    "foot", "in_half_turn", "in_radians", "norm", "normal_to", "part_of_pi", "screws_to", "tidy", "tidy_length", "unit",
]  # fmt: skip

_WHOLE_TURN = 2 * math.pi * (1 + 1e-9)  #: one turn, with a tolerance for rounding

ANGLES = ("gamma", "alpha", "theta")
_PARTS = 12  #: largest denominator of a recognized fraction of Pi
_ULPS = 4  #: tolerance in ulp for fractions of Pi
_MISSPELT = re.compile(r"(half|two)?_?pi_?\d*|pi_?(half|over)_?\d*", re.IGNORECASE)


_DEGREES = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*deg\b", re.ASCII)


def in_radians(text: str) -> str:
    """Return the text of an angle with degrees (`90deg`) replaced by fractions of Pi."""
    return _DEGREES.sub(r"(\1*Pi/180)", text)


def part_of_pi(value: float, tolerance: float | None = None) -> Fraction | None:
    """Return k/n of the float k Pi/n with n up to 12, within `tolerance` or a few ulp."""
    if value == 0 or not math.isfinite(value) or abs(value) > 1e3:
        return None
    close = _ULPS * math.ulp(value) if tolerance is None else tolerance
    for n in range(1, _PARTS + 1):
        k = round(value * n / math.pi)
        if k and abs(value - k * math.pi / n) <= close:
            return Fraction(k, n)
    return None


def exact_angle(value: Expr, graph: Graph) -> Expr:
    """Return the angle with every float that is a fraction of Pi made exact: 1.5707963267948966 is Pi/2."""
    parts: dict[Expr, Expr] = {}
    for node in reachable([value]):
        if node.op == "number" and isinstance(node.value, float):
            part = part_of_pi(node.value)
            if part is not None:
                parts[node] = graph.number(part) * graph.pi
    return rebuild([value], graph, parts)[0] if parts else value


def angle_remarks(value: Expr) -> Iterator[str]:
    """Return remarks on an angle in radians."""
    for node in reachable([value]):
        number = numeric_value(node)
        if number is not None and node.op == "number" and abs(number) > _WHOLE_TURN:
            shown = f"{number:g}"
            yield f"{shown} is larger than 2 Pi: angles are in radians; write {shown}deg in YAML, or a fraction of Pi"
    for name in symbols([value]):
        if _MISSPELT.fullmatch(name):
            yield f"{name} is a symbol: write the number as Pi, its half as Pi/2"


_DIGITS = 1e-15  #: relative tolerance for rounding a length to its decimal

#: tolerance for rounding, in rad and m; the digits of a file are far larger
ROUNDING = 1e-11
#: axes closer to parallel than this, but not parallel, have a common normal so far away that precision is lost
NEARLY = 1e-2

Six = tuple[float, float, float, float, float, float]
_Z, _X, _O = Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
_QUARTER = Transform.of(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class Axis:
    """Axis of a moving joint in the zero position: preceding link (0 is the base), point and direction."""

    ant: int
    slides: bool
    p: Vec3
    z: Vec3


def screws_to(T: Transform) -> list[Six]:
    """Return a pose as gamma, b, alpha, d, theta, r, or as two such steps if z is nearly, but not exactly, parallel."""
    z, x = T.A.z_axis, Vec3(*(row.x for row in T.A.rows))
    if ROUNDING < math.hypot(z.x, z.y) < NEARLY:
        return [(0.0, 0.0, math.pi / 2, 0.0, 0.0, 0.0), *screws_to(_QUARTER.inverse() @ T)]
    normal, near = normal_to(Axis(0, False, T.P, z))
    gamma, alpha, theta = _angle(_X, normal, _Z), _angle(_Z, z, normal), _angle(normal, x, z)
    return [(gamma, near.z, alpha, normal.dot(near), theta, z.dot(T.P - near))]


# ------------------------------------------------------------------------ lines


def normal_to(line: Axis) -> tuple[Vec3, Vec3]:
    """Return the common normal of the axis z and a line, gamma from -Pi/2 to Pi/2, and its foot on the line."""
    sine = math.hypot(line.z.x, line.z.y)
    beside = across(line, _O)
    if sine < ROUNDING:  # at the first origin, so that b is zero
        near, distance = Vec3(line.p.x, line.p.y, 0.0), math.hypot(line.p.x, line.p.y)
        normal = Vec3(near.x / distance, near.y / distance, 0.0) if distance > ROUNDING else _X
    elif sine < NEARLY:  # ill-conditioned normal: use the perpendicular from the origin, and keep x
        near, normal = -beside, unit(_X - line.z * line.z.x)
        return normal, near
    else:
        normal = Vec3(-line.z.y / sine, line.z.x / sine, 0.0)
        near = foot(line, Axis(0, False, _O, _Z))
    return (normal if in_half_turn(_angle(_X, normal, _Z)) else -normal), near


def foot(this: Axis, other: Axis) -> Vec3:
    """Return the point of a line that is closest to another line, which is not parallel."""
    cross = this.z.cross(other.z)
    along = (other.p - this.p).cross(other.z).dot(cross) / cross.dot(cross)
    found: Vec3 = this.p + this.z * along
    return found


def across(line: Axis, point: Vec3) -> Vec3:
    """Return the perpendicular from the line to the point."""
    between: Vec3 = point - line.p
    found: Vec3 = between - line.z * line.z.dot(between)
    return found


def _angle(a: Vec3, b: Vec3, about: Vec3) -> float:
    return math.atan2(a.cross(b).dot(about), a.dot(b))


def in_half_turn(angle: float) -> bool:
    return -math.pi / 2 + ROUNDING < angle <= math.pi / 2 + ROUNDING


def beside(z: Vec3) -> Vec3:
    """Return a direction perpendicular to z."""
    x = _X if abs(float(z.x)) < 0.9 else Vec3(0.0, 1.0, 0.0)
    return unit(x - z * z.dot(x))


def unit(v: Vec3) -> Vec3:
    return v * (1 / norm(v))


def norm(v: Vec3) -> float:
    return math.sqrt(v.dot(v))


# ---------------------------------------------------------------------- numbers


def angle_entry(graph: Graph, angle: float) -> Expr:
    """Return an angle as an expression; k Pi/n, n up to 12, if it equals it within rounding."""
    part = part_of_pi(angle, ROUNDING)
    if part is not None:
        return graph.pi * graph.number(part)
    return graph.number(tidy_length(angle))


def tidy_length(length: float) -> float:
    """Remove rounding from a length: 0.30000000000000004 becomes 0.3, and tiny values 0."""
    return 0.0 if abs(length) < ROUNDING else tidy(length)


def tidy(value: float, scale: float = 1.0) -> float:
    """Remove rounding: 0.30000000000000004 becomes 0.3; `scale` is the magnitude of the operands."""
    short = float(f"{value:.13g}")
    return short if abs(short - value) < _DIGITS * max(scale, abs(value)) * 4 else value
