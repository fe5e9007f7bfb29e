"""The friction of the joints by itself, so that a control law may take it at another velocity than the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.dynamics.closed import ClosedMotion
from robosym.mechanism import Robot
from robosym.mechanism.bodies import tree_of
from robosym.model import Model, Workspace

__all__ = ["friction_torques"]

_INPUTS = ("q", "qd", "parameters")


@accepts("floating", motors=True)
def friction_torques(robot: Robot) -> Model | None:
    """Return the torques FRICj of the motors against friction at the velocities qd.

    None where they are no function of position and velocity alone: friction under load, or motors that share it.
    """
    if any(name == "FL" for joint in robot.joints for name, _ in joint.friction.values):
        return None
    if not robot.constrained:
        work = Workspace(robot, _INPUTS)
        tree = tree_of(robot, work.value, work.note)
        return _model(work, {j: tree.body(j).friction for j in robot.tree_joints})
    closed = ClosedMotion(robot, _INPUTS)
    if not closed.motors_are_active:
        return None
    return _model(closed.work, closed.rubbing(closed.tree().with_rates(closed.rates())))


def _model(work: Workspace, torques: Mapping[int, Any]) -> Model:
    with work:
        for j, torque in torques.items():
            work.define(f"FRIC{j}", work.graph.zero + torque)
        outputs = {"friction": tuple(f"FRIC{j}" for j in torques)}
        about = {"friction": "torques of the motors against friction (N m, N)"}
        return work.model("fri", "Friction torques", outputs, about=about)
