"""Accelerations that the actuators can reach (Kvrgic and Vidakovic, section V).

The torque that each motor needs for the desired accelerations is limited to what it can give, and the accelerations
that the limited torques produce follow from the same inertia matrix.

Where the other joints keep their accelerations, the motors that are at their limits depend on each other: one that
lacks torque for the desired motion may suffice for the motion reached. With x = qdd - desired, each joint has x = 0 and
a torque within the limits, or its motor is at a limit and x is on the side of what it lacks. Since A is positive
definite there is one such x, that of the least x^T A x (Gauss), and an active set finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import sum_of
from robosym.control.drives import Actuator, with_motors
from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared
from robosym.dynamics.modified import inertia_and_bias
from robosym.errors import InputError
from robosym.mechanism import Robot, need_no_load, need_rigid
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model import Model, Workspace
from robosym.spatial import sign

__all__ = ["achievable_accelerations"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@accepts("mobile", loops=False)
def achievable_accelerations(
    robot: Robot, limits: Mapping[int, Actuator], others: str = "torque", base_parameters: bool = False
) -> Model:
    """QDA1.. reached for the desired accelerations QDP1.., with UM1.. the torques of the motors, limited.

    A motor at its limit disturbs the `others`: with "torque" these give the torque that they would need for the desired
    motion, and all accelerations follow from equation 44; with "acceleration" their joints keep the desired
    acceleration as far as their own motors allow, as under control. The group "excess" (UX1..) is what the motors lack,
    zero where a joint reaches the desired acceleration: for the desired motion of all joints with "torque", for that of
    its own joint beside the motion reached of the others with "acceleration". `limits` has an actuator for each joint
    of the tree; rotors and friction of the description (IA, FV, FS) count besides it.

    With "acceleration" the motors at their limits are found in at most 2 n + 4 steps, which are part of the model; in
    the rare states (none of 36,000 of random arms) that need more, the accelerations are not finite.
    """
    if others not in ("torque", "acceleration"):
        raise InputError(f"others: expected 'torque' or 'acceleration', found {others!r}")
    robot = prepared(robot, base_parameters=base_parameters)
    joints = _checked(robot, limits)
    robot = with_motors(robot, {j: Actuator(0, mass=motor.mass) for j, motor in limits.items() if motor.mass})
    with Workspace(robot, _INPUTS) as work:
        tree = tree_of(robot, work.value, work.note)
        ratio = {j: work.parameter(limits[j].ratio) for j in joints}
        A, bias = _with_motors(work, tree, limits, ratio)
        desired = [tree.body(j).qdd for j in joints]
        needed = [
            sum_of([*(a * b for a, b in zip(row, desired, strict=True)), bias[j]])
            for j, row in zip(joints, A, strict=True)
        ]
        most = [work.parameter(limits[j].largest) for j in joints]
        if others == "torque":
            found = _equation_44(A, needed, most, [ratio[j] for j in joints])
        else:
            sizes = [work.graph.function("abs", ratio[j]) * limit for j, limit in zip(joints, most, strict=True)]
            found = _active_set(A, needed, sizes, [ratio[j] for j in joints])
        for j, wish, change, motor, excess in zip(joints, desired, *found, strict=True):
            work.define(f"UX{j}", excess)
            work.define(f"UM{j}", motor)
            work.define(f"QDA{j}", wish + change)
        groups = {"qdd": "QDA", "motor": "UM", "excess": "UX"}
        outputs = {group: tuple(f"{prefix}{j}" for j in joints) for group, prefix in groups.items()}
        return work.model("ach", "Achievable accelerations: modified Newton-Euler method", outputs)


def _checked(robot: Robot, limits: Mapping[int, Actuator]) -> tuple[int, ...]:
    """The joints of a robot that has a motor in each of them, and only such torques as are linear in accelerations."""
    need_rigid(robot, "achievable_accelerations")
    need_no_load(robot, "the model of achievable accelerations")
    joints = robot.tree_joints
    if set(limits) != set(joints):
        raise InputError(f"limits: expected an actuator for each of the joints {joints}, found {tuple(limits)}")
    for j, motor in limits.items():
        if not isinstance(motor, Actuator):
            raise InputError(f"limits: expected an Actuator for joint {j}, found {motor!r}")
        if isinstance(motor.largest, (int, float)) and not motor.largest >= 0:
            raise InputError(f"limits: joint {j}: torque: expected 0 or more, found {motor.largest!r}")
        if isinstance(motor.ratio, (int, float)) and (motor.ratio == 0 or motor.ratio != motor.ratio):
            raise InputError(f"limits: joint {j}: ratio: expected a number that is not 0, found {motor.ratio!r}")
    return joints


def _with_motors(
    work: Workspace, tree: Tree, limits: Mapping[int, Actuator], ratio: Mapping[int, Expr]
) -> tuple[list[list[Any]], dict[int, Any]]:
    """A and H of the joints with rotors and friction of the motors (43)."""
    inertia, bias, _ = inertia_and_bias(tree, work.note)
    A = [[inertia.entry(i, j) for j in ratio] for i in ratio]
    for k, j in enumerate(ratio):
        motor = limits[j]
        speed = ratio[j] * tree.body(j).qd
        friction = work.parameter(motor.viscous) * speed + work.parameter(motor.coulomb) * sign(speed)
        A[k][k] = A[k][k] + ratio[j] * ratio[j] * work.parameter(motor.inertia)
        bias[j] = bias[j] + ratio[j] * friction
    return A, bias


#: Changes of the accelerations, torques of the motors, and what these lack.
Reached = tuple[list[Any], list[Any], list[Any]]


def _equation_44(A: list[list[Any]], needed: list[Any], most: list[Any], ratio: list[Any]) -> Reached:
    """(44) less the same equation with the desired accelerations."""
    motors = [effort / n for effort, n in zip(needed, ratio, strict=True)]
    excess = [exceeds(u, limit) * (u - limit * sign(u)) for u, limit in zip(motors, most, strict=True)]
    changes = solve_symmetric(A, [-(n * lack) for n, lack in zip(ratio, excess, strict=True)])
    return list(changes), [u - lack for u, lack in zip(motors, excess, strict=True)], excess


_ROUNDING = 1e-11  #: of the sum of all torques: within it a torque is at its limit


def _active_set(A: list[list[Any]], needed: list[Any], most: list[Any], ratio: list[Any]) -> Reached:
    """The side s (1, -1) of the limit at which each motor is, 0 where it is within: all are corrected at once.

    Where this has not ended after n + 1 steps it may not end: from then on the first wrong one alone is corrected.
    """
    n, graph = len(A), needed[0].graph

    def size(value: Any) -> Any:
        return graph.function("abs", value)

    small = _ROUNDING * sum_of([*map(size, needed), *most])
    side: list[Any] = [graph.zero] * n
    for step in range(2 * n + 4):
        at_limit = [s * s for s in side]
        matrix = [
            [s * t * entry + (1 - s if i == j else 0) for j, (t, entry) in enumerate(zip(at_limit, row, strict=True))]
            for i, (s, row) in enumerate(zip(at_limit, A, strict=True))
        ]
        lacking = [m * (s * limit - u) for m, s, limit, u in zip(at_limit, side, most, needed, strict=True)]
        changes = solve_symmetric(matrix, lacking) if step else [graph.zero] * n
        efforts = [
            sum_of([*(a * x for a, x in zip(row, changes, strict=True)), u]) for row, u in zip(A, needed, strict=True)
        ]
        wrong, better = [], []
        for k in range(n):
            beyond = _positive(size(efforts[k]) - most[k] - small)
            back = _positive(side[k] * changes[k] * A[k][k] - small)
            wrong.append((1 - at_limit[k]) * beyond + at_limit[k] * back)
            better.append((1 - at_limit[k]) * sign(efforts[k]) - side[k])
        settled = graph.one
        turned = []
        for k in range(n):
            turned.append(wrong[k] * (settled if step > n else 1))
            settled = settled * (1 - wrong[k])
        side, last = [s + t * b for s, t, b in zip(side, turned, better, strict=True)], side
    changes = [x / settled for x in changes]  # not finite where the last set is not the right one
    motors = [
        (1 - m) * effort + m * s * limit for m, s, effort, limit in zip(at_limit, last, efforts, most, strict=True)
    ]
    excess = [-(row[k] * x) / r for k, (row, x, r) in enumerate(zip(A, changes, ratio, strict=True))]
    return changes, [u / r for u, r in zip(motors, ratio, strict=True)], excess


def exceeds(value: Expr, limit: Expr) -> Expr:
    """1 where |value| > limit, 0 where it is less, as straight-line code."""
    side: Expr = sign(value.graph.function("abs", value) - limit)
    return Fraction(1, 2) * (1 + side)


def _positive(value: Any) -> Any:
    """1 where value > 0, else 0."""
    side = sign(value)
    return Fraction(1, 2) * (side * (1 + side))
