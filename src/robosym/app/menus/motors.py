"""Motors as people type them: `2:torque=20,ratio=50,inertia=0.0001`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import robosym as rs
from robosym.coordinates.accepts import accepts
from robosym.errors import InputError, closest

__all__ = ["achievable_accelerations", "motors_from"]


def motors_from(robot: rs.Robot, words: Sequence[str]) -> dict[int, rs.Actuator]:
    """An actuator for each joint of the tree; the torque of one that is not given is the symbol TMAXj."""
    names = [entry.name for entry in fields(rs.Actuator)]
    found: dict[int, dict[str, Any]] = {}
    for word in words:
        joint, colon, entries = word.partition(":")
        if not colon:
            raise InputError(f"--motor: expected JOINT:torque=20,ratio=50, found {word!r}")
        number = robot.joint_number(int(joint) if joint.strip().isdigit() else joint.strip(), "--motor")
        if number not in robot.tree_joints:
            known = ", ".join(map(str, robot.tree_joints))
            raise InputError(f"--motor: expected JOINT:torque=20,ratio=50 with a joint of {known}, found {word!r}")
        for entry in entries.split(","):
            name, equals, value = (part.strip() for part in entry.partition("="))
            if not equals or name not in names:
                raise InputError(f"--motor: unknown {name!r}{closest(name, names)}: a motor has {', '.join(names)}")
            found.setdefault(number, {})[name] = value
    return {j: rs.Actuator(**{"torque": f"TMAX{j}", **found.get(j, {})}) for j in robot.tree_joints}


@accepts("mobile")
def achievable_accelerations(
    robot: rs.Robot, motor: Sequence[str] = (), others: str = "torque", base_parameters: bool = False
) -> rs.Model:
    """What motors of limited torque attain."""
    return rs.achievable_accelerations(robot, motors_from(robot, motor), others, base_parameters)
