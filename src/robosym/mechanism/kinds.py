"""Kinds of robots that commands and options need, with the reason that is shown for other robots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from robosym.mechanism.robot import Robot

__all__ = ["Needs", "has", "reason"]

_PLATFORM = ("platform", "modules")  #: coordinates of robots with a platform


def _is_square(robot: Robot) -> bool:
    """Whether there are as many motors as rates of the end: all six, or the DoF of a platform that is a known number.

    An arm with a transmission or closed loops has one column per motor.
    """
    if robot.coordinates in _PLATFORM:
        motors, module = len(robot.motors), robot.modules[0]
        return len(robot.modules) == 1 and (module.freedom is None or module.freedom == motors) and motors <= 6
    return len(robot.motors if robot.constrained else robot.tree_joints) == 6


def _is_limited(robot: Robot) -> bool:
    """Whether every joint has limits of position and velocity, which an exciting motion needs."""
    limits = [robot.joint(j).limits for j in robot.tree_joints]
    return all(None not in (one.lower, one.upper, one.velocity) for one in limits)


#: kind of robot: whether a robot is one, and the reason that is shown if it is not
_KINDS: dict[str, tuple[Callable[[Robot], bool], str]] = {
    "": (lambda robot: True, ""),
    "loops": (lambda robot: bool(robot.loops), "only for a closed robot"),
    "independent joints": (
        lambda robot: robot.coordinates not in ("active", *_PLATFORM), "only for a robot with independent joints",
    ),
    "platform": (lambda robot: robot.coordinates in _PLATFORM, "only for a robot with a platform"),
    "one platform": (lambda robot: robot.coordinates == "platform", "only for a robot with one platform"),
    "no platform": (lambda robot: robot.coordinates not in _PLATFORM, "not for a robot with a platform"),
    "elastic joints": (lambda robot: any(joint.eta == 1 for joint in robot.joints), "only where a joint is elastic"),
    "contacts": (lambda robot: robot.coordinates == "contacts", "only for a robot in contact with the ground"),
    "floating base": (lambda robot: robot.base.kind == "floating", "only for a robot with a floating base"),
    "six joints": (
        lambda robot: robot.coordinates == "joints" and len(robot.tree_joints) == 6, "only for an arm with six joints",
    ),
    "square": (
        lambda robot: robot.coordinates not in _PLATFORM or _is_square(robot),
        "only for an arm, or a platform with one motor per DoF",
    ),
    "independent motors": (
        lambda robot: robot.coordinates != "platform" or _is_square(robot), "only with one motor per DoF",
    ),
    "not square": (lambda robot: robot.coordinates not in _PLATFORM and not _is_square(robot), ""),
    "no reference": (
        lambda robot: robot.coordinates == "active" and bool(robot.loops) and not robot.position, "",
    ),
    "no limits": (lambda robot: not _is_limited(robot), ""),
}  # fmt: skip
Needs = Literal[
    "", "loops", "independent joints", "platform", "one platform", "no platform", "elastic joints", "contacts",
    "floating base", "six joints", "square", "not square", "independent motors", "no limits",
    "no reference",
]  # fmt: skip


def has(robot: Robot, needs: Needs) -> bool:
    """Return whether the robot is of a kind."""
    return _KINDS[needs][0](robot)


def reason(needs: Needs, robot: Robot | None) -> str:
    """Return why something that needs a kind of robot does not apply to this robot; "" if it applies."""
    return "" if robot is None or has(robot, needs) else _KINDS[needs][1]
