"""Errors for robots that a model does not treat, and the floating base as a base whose motion is given."""

from __future__ import annotations

from dataclasses import replace

from robosym.errors import InputError
from robosym.mechanism.friction import LOAD
from robosym.mechanism.robot import Robot

__all__ = [
    "BASES", "BASE_ACCELERATION", "FIXED_BASE", "need_base", "need_loops", "need_no_load", "need_rigid",
    "with_given_motion",
]  # fmt: skip

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


def need_loops(robot: Robot) -> None:
    """Raise an error for a robot whose joints all move one by one."""
    if not robot.constrained:
        raise InputError(f"{robot.name} has no loop")


def need_no_load(robot: Robot, what: str) -> None:
    """An error for a robot whose friction depends on load, where torques must be linear in accelerations."""
    for j, joint in enumerate(robot.joints, 1):
        if any(name == LOAD and not value.is_zero for name, value in joint.friction.values):
            raise InputError(f"{robot.name}: joint {j} has friction under load (FL): {what} has no place for it")


def need_rigid(robot: Robot, what: str) -> None:
    """An error for a robot with elastic joints, where every joint must have a motor."""
    for j in robot.tree_joints:
        if robot.joint(j).eta:
            raise InputError(f"{robot.name}: joint {j} is elastic: {what} needs a motor in each joint")


#: Of a floating base in a model that takes its motion as given: angular, then linear acceleration in frame 0.
BASE_ACCELERATION = ("WP10", "WP20", "WP30", "VP10", "VP20", "VP30")


def with_given_motion(robot: Robot) -> Robot:
    """A robot on a floating base as one on a mobile base, whose acceleration is the symbols BASE_ACCELERATION."""
    if robot.base.kind != "floating":
        return robot
    given = tuple(map(robot.graph.symbol, BASE_ACCELERATION))
    return replace(robot, base=replace(robot.base, kind="mobile", WP0=given[:3], VP0=given[3:]))
