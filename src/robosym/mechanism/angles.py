"""Angles as they are meant: a float that is a part of Pi becomes exact, and what cannot be radians is told."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction

from robosym.algebra import Expr, Graph, numeric_value, reachable, rebuild, symbols

__all__ = ["ANGLES", "angle_remarks", "exact_angle", "in_radians", "part_of_pi"]

_WHOLE_TURN = 2 * math.pi * (1 + 1e-9)  #: what rounding leaves beyond a turn is no larger angle

ANGLES = ("gamma", "alpha", "theta")
_PARTS = 12  #: the smallest part of Pi that is recognised, Pi/12
_ULPS = 4  #: a float this close to a part of Pi is what a computation leaves of it
_MISSPELT = re.compile(r"(half|two)?_?pi_?\d*|pi_?(half|over)_?\d*", re.IGNORECASE)


_DEGREES = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*deg\b", re.ASCII)


def in_radians(text: str) -> str:
    """The text of an angle with numbers in degrees, `90deg`, as parts of Pi."""
    return _DEGREES.sub(r"(\1*Pi/180)", text)


def part_of_pi(value: float, tolerance: float | None = None) -> Fraction | None:
    """k/n of the float k Pi/n with n up to 12; within `tolerance` where it is given, else within a few ulp."""
    if value == 0 or not math.isfinite(value) or abs(value) > 1e3:
        return None
    close = _ULPS * math.ulp(value) if tolerance is None else tolerance
    for n in range(1, _PARTS + 1):
        k = round(value * n / math.pi)
        if k and abs(value - k * math.pi / n) <= close:
            return Fraction(k, n)
    return None


def exact_angle(value: Expr, graph: Graph) -> Expr:
    """The angle with every float in it that is a part of Pi made exact: 1.5707963267948966 is Pi/2."""
    parts: dict[Expr, Expr] = {}
    for node in reachable([value]):
        if node.op == "number" and isinstance(node.value, float):
            part = part_of_pi(node.value)
            if part is not None:
                parts[node] = graph.number(part) * graph.pi
    return rebuild([value], graph, parts)[0] if parts else value


def angle_remarks(value: Expr, variable: str | None = None) -> Iterator[str]:
    """What is odd about an angle in radians; `variable` is the joint's own symbol."""
    for node in reachable([value]):
        number = numeric_value(node)
        if number is not None and node.op == "number" and abs(number) > _WHOLE_TURN:
            shown = f"{number:g}"
            yield f"{shown} is beyond 2 Pi: angles are in radians; write {shown}deg in YAML, or a part of Pi"
    for name in symbols([value]):
        if name != variable and _MISSPELT.fullmatch(name):
            yield f"{name} is a symbol: the number is written Pi, its half Pi/2"
