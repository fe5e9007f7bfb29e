"""Accelerations that the actuators can reach (Kvrgic and Vidakovic, section V).

The torque that each motor needs for the desired accelerations is limited to what it can give, and the accelerations
that the limited torques produce follow from the same inertia matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from robosym.algebra import Expr, Number
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.description import Robot, dispatched, need_no_load
from robosym.dynamics.arguments import prepared
from robosym.dynamics.modified import inertia_and_bias
from robosym.errors import InputError
from robosym.model import Model, Workspace
from robosym.spatial import sign
from robosym.tree.bodies import tree_of

__all__ = ["Actuator", "achievable_accelerations"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@dataclass(frozen=True)
class Actuator:
    """A motor, everything on its own side of the gear; each entry a number or an expression ("TMAX1")."""

    torque: Number | str  #: the largest it gives, in both directions
    ratio: Number | str = 1  #: motor turns for one unit of the joint
    inertia: Number | str = 0  #: of the rotor
    viscous: Number | str = 0
    coulomb: Number | str = 0
    speed: Number | str | None = None  #: the highest; simulations heed it


@dispatched
def achievable_accelerations(
    robot: Robot, limits: Mapping[int, Actuator], others: str = "torque", base_parameters: bool = False
) -> Model:
    """QDA1.. reached for the desired accelerations QDP1.., with UM1.. the torques of the motors, limited.

    The group "excess" (UX1..) is what the motors lack: zero where the desired motion is within their limits. A motor
    at its limit disturbs the `others`: with "torque" these give the torque that they would need for the desired
    motion, and all accelerations follow from equation 44; with "acceleration" their joints keep the desired
    acceleration, as under control, UM being then the torque of the limited motors only. `limits` has an actuator for
    each joint of the tree; rotors and friction of the description (IA, FV, FS) count besides it.
    """
    if others not in ("torque", "acceleration"):
        raise InputError(f"others: expected 'torque' or 'acceleration', found {others!r}")
    if robot.loops:
        raise InputError(f"{robot.name} has closed loops: expected a serial robot or a tree")
    robot = prepared(robot, base_parameters=base_parameters)
    need_no_load(robot, "the model of achievable accelerations")
    joints = robot.tree_joints
    if set(limits) != set(joints):
        raise InputError(f"limits: expected an actuator for each of the joints {joints}, found {tuple(limits)}")
    for j, motor in limits.items():
        if not isinstance(motor, Actuator):
            raise InputError(f"limits: expected an Actuator for joint {j}, found {motor!r}")
    with Workspace(robot, _INPUTS) as work:
        tree = tree_of(robot, work.value, work.note)
        entries, bias = inertia_and_bias(tree, work.note)
        ratio = {j: work.parameter(limits[j].ratio) for j in joints}
        # the equations of the joints, seen from the motors (43): rows over the gear ratios
        for j in joints:
            motor, body = limits[j], tree.body(j)
            speed = ratio[j] * body.qd
            friction = work.parameter(motor.viscous) * speed + work.parameter(motor.coulomb) * sign(speed)
            entries[j, j] = entries[j, j] + ratio[j] * ratio[j] * work.parameter(motor.inertia)
            bias[j] = bias[j] + ratio[j] * friction
        A = [[entries.get((min(i, j), max(i, j)), 0) for j in joints] for i in joints]
        desired = [tree.body(j).qdd for j in joints]
        lacking, at_limit = [], []
        for j, row in zip(joints, A, strict=True):
            effort: Any = sum((a * b for a, b in zip(row, desired, strict=True)), start=bias[j])
            needed = effort / ratio[j]
            beyond = exceeds(needed, work.parameter(limits[j].torque))
            excess = work.define(f"UX{j}", beyond * (needed - work.parameter(limits[j].torque) * sign(needed)))
            work.define(f"UM{j}", needed - excess)
            lacking.append(-(ratio[j] * excess))
            at_limit.append(beyond if others == "acceleration" else work.graph.one)
        # (44) less the same equation with the desired accelerations; a joint that keeps its own has the change 0
        matrix = [
            [s * t * entry + (1 - s if i == j else 0) for j, (t, entry) in enumerate(zip(at_limit, row, strict=True))]
            for i, (s, row) in enumerate(zip(at_limit, A, strict=True))
        ]
        for j, wish, change in zip(joints, desired, solve_symmetric(matrix, lacking), strict=True):
            work.define(f"QDA{j}", wish + change)
        groups = {"qdd": "QDA", "motor": "UM", "excess": "UX"}
        outputs = {group: tuple(f"{prefix}{j}" for j in joints) for group, prefix in groups.items()}
        return work.model("ach", "Achievable accelerations: modified Newton-Euler method", outputs)


def exceeds(value: Expr, limit: Expr) -> Expr:
    """1 where |value| > limit, 0 where it is less, as straight-line code."""
    side: Expr = sign(value.graph.function("abs", value) - limit)
    return Fraction(1, 2) * (1 + side)
