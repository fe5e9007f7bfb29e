"""Whether a command or an option can apply to a robot and, where it cannot, why; for a surface that shows them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robosym.app.menus.command import Command, Needs, Option

if TYPE_CHECKING:
    from robosym.mechanism import Robot

__all__ = ["command_reason", "option_reason"]

_PLATFORM = ("platform", "modules")  #: coordinates of robots with a platform
_ONLY = {
    "loops": "only for a closed robot",
    "platform": "only for a robot with a platform",
    "elastic joints": "only where a joint is elastic",
    "no platform": "not for a robot with a platform",
}


def command_reason(command: Command, robot: Robot | None) -> str:
    """Why a command is not for the robot; nothing where it is."""
    if not any(argument.name == "robot" for argument in command.arguments):
        return ""
    reason, declared = _reason(command.needs, robot), command.declared_for(robot)
    if reason or robot is None or declared is None or declared.takes(robot):
        return reason
    return _ONLY["no platform"]


def option_reason(command: Command, option: Option, robot: Robot | None) -> str:
    """Why an option of the command is not for the robot; nothing where it is."""
    if option.use not in ("keyword", "platform") or robot is None:
        return ""
    applicable = command.applicable(robot)
    if applicable is None:
        return _reason(option.needs, robot)
    return "" if (option.target or option.name) in applicable else _ONLY["no platform"]


def _reason(needs: Needs, robot: Robot | None) -> str:
    if not needs or robot is None:
        return ""
    holds = {
        "loops": bool(robot.loops),
        "platform": robot.coordinates in _PLATFORM,
        "elastic joints": any(joint.eta == 1 for joint in robot.joints),
        "no platform": robot.coordinates not in _PLATFORM,
    }
    return "" if holds[needs] else _ONLY[needs]
