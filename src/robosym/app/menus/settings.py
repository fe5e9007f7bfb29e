"""Values given to a robot on the way: `D3=0.45` for a parameter, `link6.FX=F` or `gravity=[0,0,-9.81]` for an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import robosym as rs
from robosym.algebra import Graph, evaluate, parse
from robosym.errors import InputError
from robosym.mechanism.screws import in_radians

__all__ = ["numbers_by_name", "settled", "with_frames"]


def numbers_by_name(option: str, words: Sequence[str]) -> dict[str, float]:
    """`t1=0.3`, `t2=Pi/4` and `t3=30deg` as numbers."""
    found = {}
    for word in words:
        name, _, text = (part.strip() for part in word.partition("="))
        try:
            found[name] = evaluate([parse(in_radians(text), Graph())], {})[0]
        except (rs.Error, KeyError):
            raise InputError(f"{option}: expected NAME=NUMBER, such as t1=0.3 or t2=Pi/4, found {word!r}") from None
    return found


def with_frames(robot: rs.Robot, words: Sequence[str]) -> rs.Robot:
    """The robot with fixed frames such as `tcp=tool0:0,0,0.12`; without a parent on the end of the arm."""
    from robosym.app.menus.typed_poses import pose_from

    for word in words:
        name, equals, place = (part.strip() for part in word.partition("="))
        parent, colon, pose = (part.strip() for part in place.rpartition(":"))
        if not name or not equals or not pose:
            raise InputError(f"--add-frame: expected NAME=PARENT:POSE, such as tcp=tool0:0,0,0.12, found {word!r}")
        if robot.modules:
            raise InputError(f"--add-frame: {robot.name} has a platform: expected a robot of links and joints")
        on = (int(parent) if parent.isdigit() else parent) if colon and parent else None
        robot = robot.with_frame(name, on, pose_from(pose, "--add-frame"))
    return robot


def settled(robot: rs.Robot, words: Sequence[str]) -> rs.Robot:
    """The robot with these values: parameters by their symbol, anything else by its path (see `Robot.edit`)."""
    values: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not name or not equals or not text:
            raise InputError(f"--set: expected NAME=VALUE, such as D3=0.45 or link6.FX=F, found {word!r}")
        value: Any = [part.strip() for part in text[1:-1].split(",")] if text[0] + text[-1] == "[]" else text
        if name in robot.parameters or not ("." in name or name.partition("[")[0] in ("gravity", "name", "title")):
            values[name] = value
        else:
            changes[name] = int(text) if text.lstrip("+-").isdigit() else value
    if values:
        robot = robot.with_values(values)
    if changes:
        robot = robot.edit(changes)
    return robot
