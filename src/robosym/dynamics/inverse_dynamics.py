"""The inverse dynamic model: motor torques from the motion of the joints (guide 3.4, 4.2; RNE 3.2, 6.3, 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import BASE_ACCELERATION, define_base_acceleration, prepared
from robosym.dynamics.articulated import respond
from robosym.dynamics.newton_euler import newton_euler
from robosym.dynamics.other_coordinates import other_coordinates
from robosym.dynamics.roles import Rest, resting, roles_of
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import tree_of
from robosym.model import Layout, Model, Origin, Workspace

__all__ = ["inverse_dynamics"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@accepts(
    "floating", motors=True, platform="base_parameters modes weights friction",
    modules="base_parameters modes friction",
)  # fmt: skip
def inverse_dynamics(
    robot: Robot,
    structure: str | None = None,
    base_parameters: bool = False,
    passive: str = "driven",
    rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
    weights: Mapping[str | int, float] | None = None,
    friction: bool | str = True,
    modes: Any = None,
) -> Model:
    """Torques (forces) GAMj of the motors; E1j..N3j, what each antecedent exerts on link j, can be selected.

    The accelerations QDPj of elastic joints, and the acceleration of a floating base (WP10.. VP30, in frame 0, without
    gravity), are outputs; a mobile base has a given motion. `rest` gives rest positions of elastic joints. With
    `passive="free"` a joint without a motor (mu = 0) moves freely, otherwise its torque is computed as if it had one.
    A closed robot gives the torques of its motors, in the mode of `reference` (values of joint variables) or of its
    position; where it has fewer motors than freedoms, the accelerations of the joints that move freely are outputs, and
    where it has more, the torques are those with the least sum of squares, each times its weight where `weights` gives
    one (by the joint's name or number, 1 for the others). `structure="tree"` gives the model of the
    equivalent tree, with all joints rigid and driven and the motion of the base given. `friction=False` leaves
    friction out, "smooth" has tanh(qd / 0.01) in the place of its signs.

    The coordinates of a robot with a platform are its pose, twist and acceleration; `modes` numbers the branch of each
    of its legs, by default those of the reference position.
    """
    robot = prepared(robot, structure, base_parameters, reference, friction)
    elsewhere = other_coordinates(robot, structure, modes)
    if elsewhere is not None:
        return elsewhere.inverse(passive, rest, weights)
    rest = resting(robot, rest)
    roles = roles_of(robot, structure, passive, rest)
    if weights:
        raise InputError(f"{robot.name}: weights: a motor for each joint leaves nothing to distribute")
    groups = tuple(g for g in _INPUTS if not (roles.base_free and g == "base_acceleration"))
    with Workspace(robot, groups, {"qdd": roles.motors}) as work:
        tree = tree_of(robot, work.value, work.note, roles.base_free)
        outputs: dict[str, Layout] = {"tau": tuple(f"GAM{j}" for j in roles.motors)}
        if not roles.rigid:
            efforts = {j: tree.body(j).without_friction(roles.effort(j, work, rest or {})) for j in roles.free}
            response = respond(tree, efforts, roles.base_free, work.note)
            along = response.along
            if roles.free:
                outputs["qdd"] = tuple(f"QDP{j}" for j in roles.free)
            for j in roles.free:
                work.define(f"QDP{j}", response.qdd[j])
            if roles.base_free:
                outputs["base_acceleration"] = BASE_ACCELERATION
                define_base_acceleration(work, *response.base)
        else:
            along = newton_euler(tree, work.note).along
        for j in roles.motors:
            work.define(f"GAM{j}", tree.body(j).torque(along[j]))
        options = {"structure": structure, "passive": passive, "rest": rest}
        made = Origin(inverse_dynamics, robot, options, prepared=base_parameters and roles.rigid)
        return work.model("dyn", "Inverse dynamic model: Newton-Euler method", outputs, made=made)
