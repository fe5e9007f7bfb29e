"""The inertia matrix A of a robot (guide 3.6.1, 5.7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import define_base_wrench, prepared
from robosym.dynamics.composite import base_blocks, base_weight, composite_weights, tree_inertia
from robosym.dynamics.other_coordinates import other_coordinates
from robosym.mechanism import Robot
from robosym.mechanism.bodies import tree_of
from robosym.model import Layout, Model, Origin, Workspace

__all__ = ["inertia_matrix"]


@accepts("floating", motors=True, platform="base_parameters space modes", modules="base_parameters modes")
def inertia_matrix(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, gravity: bool = False, space: str = "platform", modes: Any = None,
) -> Model:  # fmt: skip
    """A of tau = A qdd + H over all joints of the tree, rotors included; over the motors of a closed robot.

    With `gravity` the same composite links also give the gravity torques, in the group "Q".
    A floating base adds the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84; their rows and columns are
    angular, then linear, in frame 0, as in the group base_acceleration. Its weight is then the group "base_gravity".

    Of a robot with a platform A is that of the free coordinates of the platform's twist, or of its motors
    (`space="joint"`); `modes` as of `inverse_dynamics`.
    """
    robot = prepared(robot, structure, base_parameters, reference)
    elsewhere = other_coordinates(robot, structure, modes)
    if elsewhere is not None:
        return elsewhere.inertia(gravity, space)
    with Workspace(robot, ("q", *(("gravity",) if gravity else ()), "parameters")) as work:
        tree = tree_of(robot, work.value, work.note, base_free=True)
        inertia = tree_inertia(tree, work.note)
        joints = robot.tree_joints
        A = work.matrix("A", [[inertia.entry(i, j) for j in joints] for i in joints], joints, joints)
        outputs: dict[str, Layout] = {"A": A}
        if robot.base.kind == "floating" and structure is None:
            outputs |= base_blocks(work, inertia, inertia.coupling, joints)
        if gravity:
            for j, torque in composite_weights(tree, inertia.composite, work.note).items():
                work.define(f"Q{j}", torque)
            outputs["Q"] = tuple(f"Q{j}" for j in joints)
            if "base" in outputs:
                outputs["base_gravity"] = define_base_wrench(work, *base_weight(tree, inertia.composite))
        made = Origin(inertia_matrix, robot, {"structure": structure, "gravity": gravity})
        return work.model("inm", "Inertia matrix: composite links", outputs, made=made)
