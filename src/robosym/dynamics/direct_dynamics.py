"""The direct dynamic model: accelerations from torques (guide 3.6.1, Appendix 4.4, 5.7.5; RNE 3.3, 6.2, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.coordinates.accepts import accepts
from robosym.coordinates.motor_coordinates import direct_in_motors
from robosym.dynamics.arguments import BASE_ACCELERATION, define_base_acceleration, prepared
from robosym.dynamics.articulated import respond
from robosym.dynamics.bias_torques import bias_torques
from robosym.dynamics.composite import tree_inertia
from robosym.dynamics.inertia_matrix import inertia_matrix
from robosym.dynamics.newton_euler import newton_euler
from robosym.dynamics.other_coordinates import other_coordinates
from robosym.dynamics.roles import Rest, resting, roles_of
from robosym.errors import InputError
from robosym.mechanism import Robot, need_no_load
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model import Layout, Model, Note, Origin, Workspace, no_name
from robosym.spatial import Scalar, Vec3

__all__ = ["ROUTES", "direct_dynamics", "solve_for_accelerations"]

ROUTES = {"recursive": "recursive Newton-Euler method", "cholesky": "Cholesky factors of the inertia matrix"}

_INPUTS = ("q", "qd", "tau", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


def _in_motors(
    robot: Robot, route: str = "recursive", base_parameters: bool = False, friction: bool | str = True
) -> Model:
    """Of a robot with a transmission, from the inertia matrix and the bias of its joints."""
    if route != "recursive":
        raise InputError(f"route: a robot with a transmission is solved by its inertia matrix, found {route!r}")
    joints = prepared(robot.in_joints(), None, base_parameters, None, friction)
    need_no_load(joints, "its direct model in motor coordinates")
    return direct_in_motors(robot, inertia_matrix(joints), bias_torques(joints))


@accepts(
    "floating", motors="route base_parameters friction", platform="base_parameters modes friction",
    modules="base_parameters modes friction", variants={"motors": _in_motors},
)  # fmt: skip
def direct_dynamics(
    robot: Robot,
    route: str = "recursive",
    structure: str | None = None,
    base_parameters: bool = False,
    passive: str = "driven",
    rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
    friction: bool | str = True,
    modes: Any = None,
) -> Model:
    """Accelerations QDPj of the joints, and WP10.. VP30 of a floating base, from the torques GAMj of the motors.

    `route="recursive"` never forms the inertia matrix, and its reactions E1j..N3j can be selected; "cholesky" solves
    A qdd = tau - H by straight-line code, which needs fewer operations on short arms. The other arguments are those
    of `inverse_dynamics`; a closed robot has also the accelerations of its passive joints.

    The coordinates of a robot with a platform are its pose, twist and acceleration; `modes` numbers the branch of each
    of its legs, by default those of the reference position.
    """
    if route not in ROUTES:
        raise InputError(f"route: expected 'recursive' or 'cholesky', found {route!r}")
    robot = prepared(robot, structure, base_parameters, reference, friction)
    elsewhere = other_coordinates(robot, structure, modes)
    if elsewhere is not None:
        return elsewhere.direct(passive, rest)
    rest = resting(robot, rest)
    roles = roles_of(robot, structure, passive, rest)
    joints = robot.tree_joints
    groups = tuple(g for g in _INPUTS if not (roles.base_free and g == "base_acceleration"))
    with Workspace(robot, groups, {"tau": roles.motors}) as work:
        tree = tree_of(robot, work.value, work.note, roles.base_free)
        efforts = {j: tree.body(j).without_friction(roles.effort(j, work, rest or {})) for j in joints}
        if route == "recursive":
            response = respond(tree, efforts, roles.base_free, work.note)
            qdd, base = response.qdd, response.base
        else:
            qdd, base = solve_for_accelerations(tree, efforts, roles.base_free, work.note)
        outputs: dict[str, Layout] = {"qdd": tuple(f"QDP{j}" for j in joints)}
        for j in joints:
            work.define(f"QDP{j}", qdd[j])
        if roles.base_free:
            outputs["base_acceleration"] = BASE_ACCELERATION
            define_base_acceleration(work, *base)
        made = Origin(direct_dynamics, robot, {"structure": structure, "passive": passive, "rest": rest})
        return work.model("ddm", f"Direct dynamic model: {ROUTES[route]}", outputs, made=made)


def solve_for_accelerations(
    tree: Tree, efforts: dict[int, Scalar], base_free: bool, note: Note = no_name
) -> tuple[dict[int, Scalar], tuple[Vec3, Vec3]]:
    """Accelerations of the joints and of a floating base (linear, angular) from A qdd = tau - H (RNE 8, 88)."""
    inertia = tree_inertia(tree, note)
    bias = newton_euler(tree.with_accelerations({}), note)
    joints = sorted(efforts)
    matrix = [[inertia.entry(i, j) for j in joints] for i in joints]
    right = [efforts[j] - bias.along[j] for j in joints]
    if base_free:
        assert inertia.base is not None
        top = [[*inertia.base.entries[a], *(inertia.coupling[j][a] for j in joints)] for a in range(6)]
        matrix = top + [[*inertia.coupling[j], *row] for j, row in zip(joints, matrix, strict=True)]
        right = [*(-part for part in (*bias.f[0], *bias.n[0])), *right]
    solution = solve_symmetric(matrix, right)
    base, joint_part = (solution[:6], solution[6:]) if base_free else ([0] * 6, solution)
    return dict(zip(joints, joint_part, strict=True)), (Vec3(*base[:3]), Vec3(*base[3:]))
