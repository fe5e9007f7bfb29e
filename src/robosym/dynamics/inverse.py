"""The inverse dynamic model: motor torques from the motion of the joints (guide 3.4, 4.2)."""

from __future__ import annotations

from robosym.dynamics.newton_euler import newton_euler
from robosym.dynamics.tree import tree_of
from robosym.errors import InputError
from robosym.model import Model
from robosym.robot import Robot
from robosym.spatial import sign
from robosym.workspace import Workspace

__all__ = ["inverse_dynamics"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


def inverse_dynamics(robot: Robot, structure: str | None = None) -> Model:
    """Torques (forces) GAMj of the joints; E1j..N3j, what each antecedent exerts on link j, can be selected.

    A closed robot gives the model of its equivalent tree with `structure="tree"`.
    """
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    if robot.loops and structure is None:
        raise InputError(f"{robot.name} has closed loops: pass structure='tree' for the model of its equivalent tree")
    with Workspace(robot, _INPUTS) as work:
        tree = tree_of(robot, work.value, work.note)
        efforts = newton_euler(tree, work.note)
        for j in robot.tree_joints:
            body = tree.body(j)
            friction = body.FV * body.qd + body.FS * sign(body.qd)
            work.define(f"GAM{j}", efforts.along[j] + friction + body.IA * body.qdd)
        torques = tuple(f"GAM{j}" for j in robot.tree_joints)
        return work.model("dyn", "Inverse dynamic model: Newton-Euler method", {"tau": torques})
