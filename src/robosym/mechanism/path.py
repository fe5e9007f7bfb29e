"""The way from one frame to another as translations and rotations, those about parallel axes merged.

A chain is Trans(p1) Rot(axis1, angle1) Trans(p2) Rot(axis2, angle2) ..., with x and z taking turns. Consecutive
parallel axes (alpha = 0, or exactly Pi) become one rotation by the sum of their angles (t2 + t3, t2 - t3), so that
products of their matrices never have to be expanded and folded back to C23 and S23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.algebra.trigonometry import half_turns
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.spatial import Vec3, cos, sin

__all__ = ["WORLD", "Define", "Move", "chain", "check_frame", "check_link", "path", "rotated", "unnamed"]

WORLD = -1
#: Gives a value its name and passes it on.
Define = Callable[[str, Any], Any]


def unnamed(name: str, value: Any) -> Any:
    """For numbers, and for what is only tried: nothing to name."""
    return value


@dataclass(frozen=True, slots=True)
class Move:
    """A translation, then a rotation about the axis "x" or "z"; `angle` is their sum where several were merged."""

    shift: Vec3
    axis: str
    angle: Any
    terms: tuple[tuple[str, bool], ...]  #: the names of the frames that the angle comes from, True for minus
    start: int | None  #: the frame from which the step leaves, where it is a frame of the robot

    def turn(self, define: Define = unnamed) -> tuple[Any, Any]:
        """Cosine and sine of the angle, named C23 and S23 for t2 + t3, C2m3 and S2m3 for t2 - t3."""
        c, s = cos(self.angle), sin(self.angle)
        if not self.terms:
            return c, s
        (_, minus), *_ = self.terms  # the name begins with a plus: S2m3 for both t2 - t3 and t3 - t2
        between = "_" if len(self.terms) > 1 and any(len(name) > 1 for name, _ in self.terms) else ""
        name = between.join(("m" if sign is not minus else "") + frame for frame, sign in self.terms)
        s = define(f"S{name}", -s if minus else s)
        return define(f"C{name}", c), -s if minus else s


def check_frame(robot: Robot, frame: int | str, lowest: int = 0) -> int:
    """The number of a frame of the robot, given by number or name, or an error that says which there are."""
    number = robot.frame_number(frame, lowest)
    if number < lowest:
        raise InputError(f"{robot.name} has the frames {lowest} to {robot.NF}, found {frame!r}, which is {number}")
    return number


def check_link(robot: Robot, link: int | str) -> int:
    """The number of a link, or of a fixed frame on one: what has a velocity of its own."""
    number = check_frame(robot, link, 1)
    if robot.NL < number <= robot.NJ:
        raise InputError(f"frame {link} is that of a cut joint: expected a link, or a fixed frame on one")
    return number


def path(robot: Robot, i: int, j: int) -> tuple[list[int], list[int]]:
    """The frames to leave on the way from i up to the common antecedent, and those to enter from there down to j.

    The world lies behind frame 0 and adds no frame.
    """
    i, j = max(i, 0), max(j, 0)
    up: list[int] = []
    down: list[int] = []
    while i != j:  # an antecedent has the smaller number
        if i > j:
            up.append(i)
            i = robot.frame(i).ant
        else:
            down.append(j)
            j = robot.frame(j).ant
    return up, down[::-1]


def rotated(axis: str, c: Any, s: Any, v: Vec3) -> Vec3:
    """Rot(axis, angle) v."""
    if axis == "z":
        return Vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)
    return Vec3(v.x, c * v.y - s * v.z, s * v.y + c * v.z)


def _screws(robot: Robot, i: int, j: int, value: Callable[[Expr], Any]) -> Iterator[Move]:
    """The path as screws along z and x, nothing merged; what does not move is left out."""
    up, down = path(robot, i, j)
    for sense, frames in ((-1, up), (1, down)):
        for k in frames:
            frame = robot.frame(k)
            parts = [
                ("z", value(frame.gamma), value(frame.b), f"gam{k}"),
                ("x", value(frame.alpha), value(frame.d), f"alp{k}"),
                ("z", *frame.screw(value), str(k)),
            ]
            start: int | None = frame.ant if sense > 0 else k
            for axis, angle, length, label in parts[::sense]:
                if is_exactly(angle, 0) and is_exactly(length, 0):
                    continue
                length = sense * length
                shift = Vec3(0, 0, length) if axis == "z" else Vec3(length, 0, 0)
                terms = () if is_exactly(angle, 0) else ((label, sense < 0),)
                yield Move(shift, axis, sense * angle, terms, start)
                start = None


def chain(robot: Robot, i: int, j: int, value: Callable[[Expr], Any], define: Define = unnamed) -> list[Move]:
    """iTj (from or to frame 0 where i or j is the world) as the shortest chain, entries through `value`."""
    done: list[Move] = []
    pending: list[Move] = []
    for screw in _screws(robot, i, j, value):
        pending.append(screw)
        while pending:
            item = pending.pop()
            top = done[-1] if done else None
            if top is None:
                done.append(item)
            elif half_turns(top.angle) == 0:
                done.pop()
                pending.append(replace(item, shift=top.shift + item.shift, start=top.start))
            elif top.axis == item.axis:
                done.pop()
                pending.append(_merged(top, item, define))
            elif top.axis == "x" and half_turns(top.angle) == 1:  # Rot(x, Pi) Rot(z, t) = Rot(z, -t) Rot(x, Pi)
                done.pop()
                shift = top.shift + Vec3(item.shift.x, -item.shift.y, -item.shift.z)
                pending.append(replace(top, shift=Vec3(0, 0, 0), start=None))
                opposite = tuple((name, not minus) for name, minus in item.terms)
                pending.append(Move(shift, "z", -item.angle, opposite, top.start))
            else:
                done.append(item)
    return done


def _merged(first: Move, second: Move, define: Define) -> Move:
    """Two steps about the same axis as one."""
    c, s = (1, 0) if _along(first.axis, second.shift) else first.turn(define)
    shift = first.shift + rotated(first.axis, c, s, second.shift)
    terms = tuple(sorted((*first.terms, *second.terms), key=lambda term: (len(term[0]), term[0])))
    return Move(shift, first.axis, first.angle + second.angle, terms, first.start)


def _along(axis: str, v: Vec3) -> bool:
    return is_exactly(v.y, 0) and (is_exactly(v.x, 0) if axis == "z" else is_exactly(v.z, 0))
