"""Checks for robots that a model does not support, and conversion of a floating base to a mobile base."""

from __future__ import annotations

from dataclasses import replace

from robosym.errors import Hint, InputError
from robosym.mechanism.friction import LOAD
from robosym.mechanism.robot import Robot

__all__ = [
    "BASES", "BASE_ACCELERATION", "FIXED_BASE", "need_base", "need_loops", "need_no_load", "need_rigid",
    "with_given_motion",
]  # fmt: skip

FIXED_BASE = "fixed"
BASES = (FIXED_BASE, "mobile", "floating")  #: kinds of bases by increasing generality


def need_base(robot: Robot, function: str, most: str) -> None:
    """Raise `InputError` if a public function does not support the base of the robot.

    `most` is "fixed", "mobile" (the motion of the base is given) or "floating" (it is unknown).
    """
    kind = robot.base.kind
    if BASES.index(kind) > BASES.index(most):
        supported = "a fixed base" if most == FIXED_BASE else "a fixed base, or a mobile base whose motion is given"
        raise InputError(
            f"{robot.name} has a {kind} base: {function} supports {supported}. To hold the base at rest, pass "
            "robot.edit({'base.type': 'fixed'})"
        )


def need_loops(robot: Robot) -> None:
    """Raise `InputError` for a robot without loops and couplings."""
    if not robot.constrained:
        raise InputError(f"{robot.name}: expected a robot with loops or couplings")


def need_no_load(robot: Robot, what: str, hint: Hint = ()) -> None:
    """Raise `InputError` for load-dependent friction, where torques must be linear in accelerations."""
    for j, joint in enumerate(robot.joints, 1):
        if any(name == LOAD and not value.is_zero for name, value in joint.friction.values):
            message = f"{robot.name}: joint {j} has load-dependent friction (FL): {what} does not support it"
            raise InputError(message, hint=hint)


def need_rigid(robot: Robot, what: str) -> None:
    """Raise `InputError` for a robot with elastic joints, where every joint must have a motor."""
    for j in robot.tree_joints:
        if robot.joint(j).eta:
            raise InputError(f"{robot.name}: joint {j} is elastic: {what} supports rigid joints only")


#: symbols of the given motion of a floating base: angular, then linear acceleration in frame 0
BASE_ACCELERATION = ("WP10", "WP20", "WP30", "VP10", "VP20", "VP30")


def with_given_motion(robot: Robot) -> Robot:
    """Return a robot on a floating base as one on a mobile base with the accelerations BASE_ACCELERATION."""
    if robot.base.kind != "floating":
        return robot
    given = tuple(map(robot.graph.symbol, BASE_ACCELERATION))
    return replace(robot, base=replace(robot.base, kind="mobile", WP0=given[:3], VP0=given[3:]))
