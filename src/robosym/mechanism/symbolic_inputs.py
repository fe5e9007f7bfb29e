"""Quantities of a robot that stay inputs of its models: gravity, the orientation of its base, a payload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra import symbols
from robosym.errors import InputError, closest
from robosym.mechanism.edit import edited, with_payload
from robosym.mechanism.end_frame import carrying_link, chosen_frame
from robosym.mechanism.robot import Robot
from robosym.spatial import Mat3, Vec3
from robosym.spatial.quaternion import rotation_of

__all__ = ["GRAVITY", "ORIENTATION", "PAYLOAD", "with_inputs"]

GRAVITY = ("G1", "G2", "G3")
ORIENTATION = ("QB0", "QB1", "QB2", "QB3")  #: quaternion w, x, y, z of frame 0 in the world
#: mass, center of mass in the frame of the link, and inertia matrix about the center of mass in its axes
PAYLOAD = ("ML", "XL", "YL", "ZL", "XXL", "XYL", "XZL", "YYL", "YZL", "ZZL")
_KINDS = ("gravity", "orientation", "payload")


def with_inputs(robot: Robot, inputs: Iterable[str], link: int | str | None) -> Robot:
    """Return the robot with symbols for these quantities; see `Robot.with_inputs`."""
    words = [word.strip() for text in inputs for word in str(text).split(",")]
    chosen: dict[str, str] = {}
    for word in words:
        kind, colon, place = word.partition(":")
        if kind not in _KINDS or (colon and kind != "payload"):
            raise InputError(f"inputs: expected {', '.join(_KINDS)}, found {word!r}{closest(kind, _KINDS)}")
        place = place.strip()
        if (other := chosen.get(kind)) and place and place != other:
            raise InputError(f"inputs: expected one payload, found one on {other} and one on {place}")
        chosen[kind] = place or chosen.get(kind, "")
    if "gravity" in chosen:
        robot = _free(robot, "gravity", GRAVITY).edit(gravity=list(GRAVITY))
    if "orientation" in chosen:
        robot = _turned(_free(robot, "orientation", ORIENTATION))
    if "payload" in chosen:
        named: int | str = int(chosen["payload"]) if chosen["payload"].isdigit() else chosen["payload"]
        robot = with_payload(
            _free(robot, "payload", PAYLOAD), _link(robot, named or link), PAYLOAD[0], PAYLOAD[1:4], PAYLOAD[4:]
        )
    return robot


def _free(robot: Robot, what: str, names: Sequence[str]) -> Robot:
    """The robot, if none of its own symbols has one of the names, those of what is replaced apart."""
    variables = {name for name in robot.variables if name is not None}
    rest = [value for place, _, value in robot.entries() if place != what]
    taken = set(symbols(rest))
    clash = next((name for name in names if name in variables or name in taken), None)
    if clash is not None:
        raise InputError(
            f"inputs: {what}: {clash} is a symbol of {robot.name} already: give it another name or a value"
        )
    return robot


def _turned(robot: Robot) -> Robot:
    """The robot whose frame 0 has the orientation of a quaternion in the world, where gravity stays as it is."""
    Z = robot.base.Z
    world = Mat3.of(*(Z[4 * r + c] for r in range(3) for c in range(3))) @ Vec3(*robot.gravity)
    R = rotation_of([robot.graph.symbol(name) for name in ORIENTATION])
    zero = robot.graph.zero
    rows = [[*row, Z[4 * r + 3]] for r, row in enumerate(R.rows)]
    pose = [zero + entry for row in (*rows, Z[12:]) for entry in row]
    changes: Mapping[str, Any] = {"gravity": [zero + g for g in R.T @ world], "base.Z": pose}
    return replace(edited(robot, changes), name=robot.name)


def _link(robot: Robot, given: int | str | None) -> int | str:
    """The link that carries the payload: the one that is given, else the end of the arm."""
    if given is not None and given != "":
        return given
    end = robot.frame_number(chosen_frame(robot, None, "inputs='payload:LINK'"))
    return end if end <= robot.NL else carrying_link(robot, end)
