"""The product of a chain: four columns s, n, a, P of iTj, from the far end inwards or from the near end outwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.count import count
from robosym.mechanism import Robot
from robosym.mechanism.path import WORLD, Define, Move, chain, rotated, unnamed
from robosym.spatial import Transform, Vec3

__all__ = ["beyond", "cheapest", "inward", "pose"]

_X, _Y, _Z, _O = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, 0)
#: Names what is known between two frames: (frame, columns) -> columns.
NameColumns = Callable[[int, Sequence[Vec3 | None]], list[Vec3 | None]]


def _as_is(frame: int, columns: Sequence[Vec3 | None]) -> list[Vec3 | None]:
    return list(columns)


def inward(
    steps: Sequence[Move], define: Define = unnamed, name: NameColumns = _as_is, cross: bool = False, tail: bool = False
) -> Transform:
    """The product from the last frame to the first: each step turns three vectors and a point.

    With `cross`, s is left out and follows as n x a in the end; with `tail`, a last shift along the last axis is added
    along a in the end and not carried through.
    """
    last = steps[-1] if steps else None
    tail = tail and last is not None and last.axis == "z"
    columns: list[Vec3 | None] = [None if cross else _X, _Y, _Z, _O]
    for step in reversed(steps):
        c, s = step.turn(define)
        columns = [None if v is None else rotated(step.axis, c, s, v) for v in columns]
        assert columns[3] is not None
        columns[3] = columns[3] + (Vec3(step.shift.x, step.shift.y, 0) if tail and step is last else step.shift)
        if step.start is not None and step is not steps[0]:
            columns = name(step.start, columns)
    s_, n, a, P = columns
    assert n is not None and a is not None and P is not None
    if tail and last is not None:
        P = P + a * last.shift.z
    return Transform.from_columns(n.cross(a) if s_ is None else s_, n, a, P)


def outward(steps: Sequence[Move], define: Define = unnamed) -> Transform:
    """The product from the first frame to the last: each step turns two of the axes seen from the first frame."""
    s, n, a, P = _X, _Y, _Z, _O
    for step in steps:
        v = step.shift
        P = P + s * v.x + n * v.y + a * v.z
        cosine, sine = step.turn(define)
        if step.axis == "z":
            s, n = s * cosine + n * sine, n * cosine - s * sine
        else:
            n, a = n * cosine + a * sine, a * cosine - n * sine
    return Transform.from_columns(s, n, a, P)


def cheapest(steps: Sequence[Move], one: Expr, cross: bool = True) -> Callable[..., Transform]:
    """The order of multiplication that takes the fewest operations on these steps; `cross` allows s = n x a."""
    orders: list[Callable[..., Transform]] = [
        partial(inward, cross=crossed, tail=tail)
        for crossed in ((False, True) if cross else (False,))
        for tail in (False, True)
    ]
    orders.append(lambda steps, define=unnamed, name=None: outward(steps, define))

    def cost(multiply: Callable[..., Transform]) -> int:
        T = multiply(steps)
        return count([one * entry for entry in (*T.A, *T.P)]).total

    return min(orders, key=cost)


def world(robot: Robot, value: Callable[[Expr], Any]) -> Transform:
    """Z: frame 0 in the world."""
    return Transform.of(*(value(entry) for entry in robot.base.Z[:12]))


def pose(robot: Robot, i: int, j: int, value: Callable[[Expr], Any], define: Define = unnamed) -> Transform:
    """iTj of any two frames, up and down the tree and across branches; -1 is the world."""
    return beyond(robot, i, j, inward(chain(robot, i, j, value, define), define), value)


def beyond(robot: Robot, i: int, j: int, T: Transform, value: Callable[[Expr], Any]) -> Transform:
    """T between frames of the robot, taken to the world where i or j is the world."""
    if i == j or WORLD not in (i, j):
        return T
    Z = world(robot, value)
    if i == WORLD:
        return Z @ T
    return T @ Z.inverse()
