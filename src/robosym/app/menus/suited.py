"""Whether a command or an option can apply to a robot and, where it cannot, why; for a surface that shows them all."""

from __future__ import annotations

from inspect import signature
from typing import Any

import robosym as rs
from robosym.app.menus.command import Command, Needs, Option, own_function_of

__all__ = ["command_reason", "option_reason"]

_ONLY = {
    "loops": "only for a closed robot",
    "platform": "only for a robot with a platform",
    "elastic joints": "only where a joint is elastic",
    "no platform": "not for a robot with a platform",
}


def command_reason(command: Command, robot: Any) -> str:
    """Why a command is not for the robot; nothing where it is."""
    if not any(argument.name == "robot" for argument in command.arguments):
        return ""
    reason = _reason(command.needs, robot)
    if reason or isinstance(robot, rs.Robot) or command.needs or command.name in ("show", "convert", "draw", "list"):
        return reason
    name = command.function or command.name
    if ":" in name or command.name == "new" or own_function_of(robot, name) is not None:
        return ""
    return _ONLY["no platform"]


def option_reason(command: Command, option: Option, robot: Any) -> str:
    """Why an option of the command is not for the robot; nothing where it is."""
    if option.use not in ("keyword", "platform") or robot is None:
        return ""
    own = own_function_of(robot, command.function or command.name)
    if own is not None:
        known = (option.target or option.name) in signature(own).parameters
        return "" if known else _ONLY["no platform"]
    return _reason(option.needs, robot)


def _reason(needs: Needs, robot: Any) -> str:
    if not needs or robot is None:
        return ""
    plain = isinstance(robot, rs.Robot)
    holds = {
        "loops": plain and robot.structure == "closed",
        "platform": not plain,
        "elastic joints": plain and any(joint.eta == 1 for joint in robot.joints),
        "no platform": plain,
    }
    return "" if holds[needs] else _ONLY[needs]
