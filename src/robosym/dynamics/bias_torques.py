"""Centrifugal, Coriolis and gravity torques H, and the gravity torques Q alone (guide 3.6.1, 5.7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import BASE_WRENCH, prepared
from robosym.dynamics.newton_euler import newton_euler
from robosym.dynamics.other_coordinates import other_coordinates
from robosym.mechanism import Robot
from robosym.mechanism.bodies import still_tree, tree_of
from robosym.model import Layout, Model, Origin, Workspace

__all__ = ["bias_torques", "gravity_torques"]

_INPUTS = ("q", "qd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@accepts(
    "floating", motors=True, platform="base_parameters space modes friction", modules="base_parameters modes friction"
)
def bias_torques(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, friction: bool | str = True, space: str = "platform",
    modes: Any = None,
) -> Model:  # fmt: skip
    """H1.. of tau = A qdd + H: the torques at zero acceleration, with gravity, friction and wrenches.

    A closed robot gives H over its motors. A floating base adds the group "base": moment, then force on it in frame 0.
    An elastic joint of a tree has its H too: tau is there the torque of its spring. Of a robot with a platform H is
    that along the free coordinates of the platform's twist, or of its motors (`space="joint"`).
    """
    robot = prepared(robot, structure, base_parameters, reference, friction)
    elsewhere = other_coordinates(robot, structure, modes)
    if elsewhere is not None:
        return elsewhere.bias(space)
    base_free = robot.base.kind == "floating" and structure is None
    groups = tuple(g for g in _INPUTS if not (base_free and g == "base_acceleration"))
    with Workspace(robot, groups) as work:
        tree = tree_of(robot, work.value, work.note, base_free).with_accelerations({})
        efforts = newton_euler(tree, work.note)
        for j in robot.tree_joints:
            work.define(f"H{j}", tree.body(j).torque(efforts.along[j]))
        torques = tuple(f"H{j}" for j in robot.tree_joints)
        outputs: dict[str, Layout] = {"H": torques}
        if base_free:
            outputs["base"] = BASE_WRENCH
        title = "Centrifugal, Coriolis and gravity torques: Newton-Euler method"
        return work.model("ccg", title, outputs, made=Origin(bias_torques, robot, prepared=base_parameters))


@accepts("floating", motors=True)
def gravity_torques(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Q1..: the torques that hold the robot at rest against gravity alone.

    A floating base adds the group "base": moment, then force that hold it, in frame 0. An elastic joint has its Q too,
    which its spring must exert.
    """
    robot = prepared(robot, structure, base_parameters, reference)
    elsewhere = other_coordinates(robot, structure)
    if elsewhere is not None:
        return elsewhere.gravity()
    with Workspace(robot, ("q", "gravity", "parameters")) as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        along = newton_euler(tree, work.note).along
        for j in robot.tree_joints:
            work.define(f"Q{j}", along[j])
        torques = tuple(f"Q{j}" for j in robot.tree_joints)
        outputs: dict[str, Layout] = {"Q": torques}
        if robot.base.kind == "floating":
            outputs["base"] = BASE_WRENCH
        made = Origin(gravity_torques, robot)
        return work.model("grav", "Gravity torques: Newton-Euler method", outputs, made=made)
