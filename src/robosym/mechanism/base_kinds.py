"""Kinds of base, and an error for a robot whose base does more than a function treats."""

from __future__ import annotations

from robosym.errors import InputError
from robosym.mechanism.robot import Robot

__all__ = ["BASES", "FIXED_BASE", "need_base"]

FIXED_BASE = "fixed"
BASES = (FIXED_BASE, "mobile", "floating")  #: each does more than the one before


def need_base(robot: Robot, function: str, most: str) -> None:
    """Raise an error for a robot whose base does more than a public function treats.

    `most` is "fixed", "mobile" (the motion of the base is given) or "floating" (it is unknown).
    """
    kind = robot.base.kind
    if BASES.index(kind) > BASES.index(most):
        treats = "a fixed base" if most == FIXED_BASE else "a fixed base or a mobile one, whose motion is given"
        raise InputError(
            f"{robot.name} has a {kind} base: {function} treats {treats}. To hold the base at rest, pass "
            "robot.edit({'base.type': 'fixed'})"
        )
