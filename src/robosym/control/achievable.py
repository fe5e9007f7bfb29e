"""Accelerations that the actuators can achieve (Kvrgic and Vidakovic, section V).

The motor torques for the desired accelerations are limited, and the resulting accelerations follow from the same
inertia matrix.

If the other joints keep their accelerations, the paper saturates every motor that lacks torque for the desired motion
(section II), and a motor that suffices for the achieved motion drives its joint off the path. The saturated motors
depend on each other: with x = qdd - desired, each joint has x = 0 and a torque within the limits, or its motor is at a
limit and x has the sign of the missing torque. Since A is positive definite, exactly one such x exists, the minimum of
x^T A x (Gauss), and an active-set method finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from robosym.algebra import Expr, Graph, parse
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import dot, sum_of
from robosym.control.drives import Actuator, with_motors
from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared
from robosym.dynamics.composite import TreeInertia
from robosym.dynamics.modified import inertia_and_bias
from robosym.errors import ExpressionError, InputError, PathPart
from robosym.mechanism import Robot, need_no_load, need_rigid
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model import Model, Workspace
from robosym.spatial import sign

__all__ = ["achievable_accelerations"]

_INPUTS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@accepts("floating", loops=False)
def achievable_accelerations(
    robot: Robot,
    limits: Mapping[int, Actuator],
    others: Literal["torque", "acceleration"] = "acceleration",
    base_parameters: bool = False,
    method: Literal["active_set", "paper"] = "active_set",
) -> Model:
    """Return the model of the accelerations that limited motors achieve.

    Parameters
    ----------
    robot : Robot
        Tree robot on any base; a floating base moves freely. Its rotor inertias and friction (IA, FV, FS) are added
        to those of the actuators.
    limits : mapping of int to Actuator
        One actuator per joint.
    others : {"acceleration", "torque"}
        Effect of a saturated motor on the other joints. "acceleration": they keep the desired accelerations as far as
        their motors allow, as under control. "torque": they keep the torques of the desired motion, and all
        accelerations follow from the direct dynamic model.
    base_parameters : bool
        Express the model in the base inertial parameters.
    method : {"active_set", "paper"}
        Criterion that decides which motors are saturated if the others keep their accelerations. "active_set": those
        that lack torque for the achieved motion. "paper": those that lack torque for the desired motion (Kvrgic and
        Vidakovic, section II); a motor that would suffice for the achieved motion may then leave the path.

    Returns
    -------
    Model
        Inputs q, qd and the desired accelerations qdd (QDP1 ..). Outputs: "qdd", the achieved accelerations (QDA1
        ..); "motor", the limited motor torques (UM1 ..); "excess", the missing motor torques (UX1 ..), zero where a
        joint achieves its desired acceleration.

    Raises
    ------
    InputError
        If an actuator is missing or invalid, or the robot is not supported.

    Notes
    -----
    The criterion of the active set is the smallest x^T A x of the changes x of the accelerations (Gauss), with A the
    inertia matrix: a motor is at its limit where its joint misses the desired acceleration, and only there. The
    saturated motors are found in at most 2 n + 4 steps, which are part of the model. In rare
    states that need more (none of 36,000 states of random arms), the accelerations are not finite.

    Examples
    --------
    >>> import robosym as rs
    >>> motor = rs.Actuator(torque=5)
    >>> model = rs.achievable_accelerations(rs.load("planar2r"), {1: motor, 2: motor})
    >>> list(model.outputs)
    ['qdd', 'motor', 'excess']
    """
    if others not in ("torque", "acceleration"):
        raise InputError(f"others: expected 'torque' or 'acceleration', found {others!r}")
    if method not in ("active_set", "paper"):
        raise InputError(f"method: expected 'active_set' or 'paper', found {method!r}")
    robot = prepared(robot, base_parameters=base_parameters)
    joints = _checked(robot, limits)
    robot = with_motors(robot, {j: Actuator(0, mass=motor.mass) for j, motor in limits.items() if motor.mass})
    base_free = robot.base.kind == "floating"
    with Workspace(robot, tuple(g for g in _INPUTS if not (base_free and g == "base_acceleration"))) as work:
        tree = tree_of(robot, work.value, work.note, base_free)
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
            found = _active_set(A, needed, sizes, [ratio[j] for j in joints], once=method == "paper")
        for j, wish, change, motor, excess in zip(joints, desired, *found, strict=True):
            work.define(f"UX{j}", excess)
            work.define(f"UM{j}", motor)
            work.define(f"QDA{j}", wish + change)
        groups = {"qdd": "QDA", "motor": "UM", "excess": "UX"}
        outputs = {group: tuple(f"{prefix}{j}" for j in joints) for group, prefix in groups.items()}
        return work.model("ach", "Achievable accelerations: modified Newton-Euler method", outputs)


def _checked(robot: Robot, limits: Mapping[int, Actuator]) -> tuple[int, ...]:
    """Return the joints of a robot with one motor per joint and torques linear in the accelerations."""
    need_rigid(robot, "achievable_accelerations")
    need_no_load(robot, "the model of achievable accelerations")
    joints = robot.tree_joints
    if set(limits) != set(joints):
        raise InputError(f"limits: expected one actuator per joint, {joints}, found {tuple(limits)}")
    for j, motor in limits.items():
        if not isinstance(motor, Actuator):
            raise InputError(f"limits: expected an Actuator for joint {j}, found {motor!r}")
        for name in ("torque", "peak", "ratio", "inertia", "viscous", "coulomb"):
            entry = getattr(motor, name)
            try:
                _ = parse(entry, Graph()) if isinstance(entry, str) else None
            except ExpressionError as error:
                raise error.within(PathPart("limits"), PathPart("joint", j), PathPart(name)) from None
        if isinstance(motor.largest, (int, float)) and not motor.largest >= 0:
            raise InputError(f"limits: joint {j}: torque: expected a nonnegative number, found {motor.largest!r}")
        if isinstance(motor.ratio, (int, float)) and (motor.ratio == 0 or motor.ratio != motor.ratio):
            raise InputError(f"limits: joint {j}: ratio: expected a nonzero number, found {motor.ratio!r}")
    return joints


def _with_motors(
    work: Workspace, tree: Tree, limits: Mapping[int, Actuator], ratio: Mapping[int, Expr]
) -> tuple[list[list[Any]], dict[int, Any]]:
    """Return A and H of the joints with rotors and friction of the motors (43)."""
    inertia, bias, wrench = inertia_and_bias(tree, work.note)
    A: list[list[Any]] = [[inertia.entry(i, j) for j in ratio] for i in ratio]
    if work.robot.base.kind == "floating":
        A, bias = _on_floating_base(inertia, A, {j: bias[j] for j in ratio}, [*wrench[0], *wrench[1]])
    for k, j in enumerate(ratio):
        motor = limits[j]
        speed = ratio[j] * tree.body(j).qd
        friction = work.parameter(motor.viscous) * speed + work.parameter(motor.coulomb) * sign(speed)
        A[k][k] = A[k][k] + ratio[j] * ratio[j] * work.parameter(motor.inertia)
        bias[j] = bias[j] + ratio[j] * friction
    return A, bias


def _on_floating_base(
    inertia: TreeInertia, A: list[list[Any]], bias: Mapping[int, Any], held: list[Any]
) -> tuple[list[list[Any]], dict[int, Any]]:
    """Return A and H of the joints with the acceleration of the base eliminated (RNE 86 to 88)."""
    assert inertia.base is not None
    entries, columns = inertia.base.entries, [inertia.coupling[j] for j in bias]
    moved, free = [solve_symmetric(entries, column) for column in columns], solve_symmetric(entries, held)
    A = [
        [entry - dot(column, other) for entry, other in zip(row, moved, strict=True)]
        for row, column in zip(A, columns, strict=True)
    ]
    return A, {j: own - dot(column, free) for (j, own), column in zip(bias.items(), columns, strict=True)}


#: changes of the accelerations, motor torques, and missing torques
Reached = tuple[list[Any], list[Any], list[Any]]


def _equation_44(A: list[list[Any]], needed: list[Any], most: list[Any], ratio: list[Any]) -> Reached:
    """Solve (44) minus the same equation with the desired accelerations."""
    motors = [effort / n for effort, n in zip(needed, ratio, strict=True)]
    excess = [exceeds(u, limit) * (u - limit * sign(u)) for u, limit in zip(motors, most, strict=True)]
    changes = solve_symmetric(A, [-(n * lack) for n, lack in zip(ratio, excess, strict=True)])
    return list(changes), [u - lack for u, lack in zip(motors, excess, strict=True)], excess


_ROUNDING = 1e-11  #: tolerance of a torque at its limit, relative to the sum of all torques


def _active_set(
    A: list[list[Any]], needed: list[Any], most: list[Any], ratio: list[Any], once: bool = False
) -> Reached:
    """Find the side s (1, -1) of the limit of each motor, 0 if it is not saturated; all are corrected at once.

    After n + 1 steps, only the first wrong one is corrected per step, which guarantees progress. With `once`, the
    motors that lack torque for the desired motion are the result.
    """
    n, graph = len(A), needed[0].graph

    def size(value: Any) -> Any:
        return graph.function("abs", value)

    small = _ROUNDING * sum_of([*map(size, needed), *most])
    side: list[Any] = [graph.zero] * n
    for step in range(2 if once else 2 * n + 4):
        at_limit = [s * s for s in side]
        changes = _changes(A, at_limit, side, most, needed) if step else [graph.zero] * n
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
    motors = [
        (1 - m) * effort + m * s * limit for m, s, effort, limit in zip(at_limit, last, efforts, most, strict=True)
    ]
    if once:
        excess = [m * (u - s * limit) for m, u, s, limit in zip(at_limit, needed, last, most, strict=True)]
    else:
        changes = [x / settled for x in changes]  # not finite if the last set is not the solution
        excess = [-(row[k] * x) for k, (row, x) in enumerate(zip(A, changes, strict=True))]
    return (
        changes,
        [u / r for u, r in zip(motors, ratio, strict=True)],
        [u / r for u, r in zip(excess, ratio, strict=True)],
    )


def _changes(A: list[list[Any]], at_limit: list[Any], side: list[Any], most: list[Any], needed: list[Any]) -> list[Any]:
    """Return the changes of the accelerations of saturated joints; the others have none."""
    matrix = [
        [s * t * entry + (1 - s if i == j else 0) for j, (t, entry) in enumerate(zip(at_limit, row, strict=True))]
        for i, (s, row) in enumerate(zip(at_limit, A, strict=True))
    ]
    lacking = [m * (s * limit - u) for m, s, limit, u in zip(at_limit, side, most, needed, strict=True)]
    return list(solve_symmetric(matrix, lacking))


def exceeds(value: Expr, limit: Expr) -> Expr:
    """Return 1 if |value| > limit, else 0, as straight-line code."""
    side: Expr = sign(value.graph.function("abs", value) - limit)
    return Fraction(1, 2) * (1 + side)


def _positive(value: Any) -> Any:
    """Return 1 if value > 0, else 0."""
    side = sign(value)
    return Fraction(1, 2) * (side * (1 + side))
