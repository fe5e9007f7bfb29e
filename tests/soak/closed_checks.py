"""Closed robots and parallel robots against Pinocchio's constrained tree."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

import robosym as rs
from cases.moving import Moving
from cases.parallel import motion_values, values_of
from evaluation import on_graph
from oracles.constrained import Constrained
from oracles.parallel import all_joints, state
from robosym.coordinates.reference import numeric_reference
from robosym.errors import InputError
from robosym.mechanism import Robot
from soak.findings import Array, Finding, compare, magnification
from soak.ways import by_another_way

STATES = 2
_SAME = 1e-9


def check_closed(robot: rs.Robot, seed: int) -> Iterator[Finding]:
    """Check both dynamic models, A, H and W in several positions of the mode."""
    rng = random.Random(seed)
    try:
        moving = Moving(robot, dict(robot.position), STATES)
        inverse, direct = rs.inverse_dynamics(moving.robot), rs.direct_dynamics(moving.robot)
    except AssertionError:  # the mode is too narrow for the steps
        yield Finding("closed robot rejected: few positions are reachable", 0.0)
        return
    except InputError as error:  # the mobility may differ from the number of motors
        known = (
            "degrees of freedom",
            "do not determine",
            "singular",
            "leave no degree of freedom",
            "moves no inertia",
            "too few for",
        )
        yield Finding(f"closed robot rejected: {error}", 0.0 if any(w in str(error) for w in known) else np.inf)
        return
    c = moving.constraints
    condition = _condition(moving)
    qd, qdd = moving.over(moving.qd, c.active), moving.over(moving.qdd, c.active)
    tau = np.array([[t[j] for j in c.motors] for t in moving.tau])
    size = float(np.abs(np.array(moving.qdd)).max())
    yield compare("closed, direct dynamics", moving.number(direct, "qdd"), qdd, condition, size)
    spread = float(np.abs(tau).max()) + _largest_torque(moving)
    yield compare("closed, inverse dynamics", moving.number(inverse, "tau"), tau, condition, spread)
    W = rs.loop_kinematics(moving.robot).solution()
    passive = moving.over(moving.qd, c.passive)
    count = len(c.active)
    table = moving.number(W, next(iter(W.outputs))).reshape(len(qd), -1, count)
    rates = float(np.abs(np.array(moving.qd)).max())
    yield compare("closed, W", np.einsum("sij,sj->si", table, qd), passive, condition, rates)
    values = {name: float(column[0]) for name, column in moving.values.items()}
    model = rng.choice((inverse, direct, W))
    yield from by_another_way(f"closed, {model.kind}", model, values, rng)


def _condition(moving: Moving) -> float:
    """Return the largest condition number of the rows of all cut joints over the passive joints."""
    return max(_of_rows(moving.oracle, q, moving.constraints.passive) for q in moving.q)


def _of_rows(oracle: Constrained, q: Array, passive: Collection[int]) -> float:
    joints = oracle.robot.tree_joints
    J, _ = oracle.rows(oracle.oracle.q(q), np.zeros(oracle.oracle.model.nv))
    columns = [oracle._place(j) for j in joints if j in passive]
    kept = np.linalg.svd(J[:, columns], compute_uv=False)[: len(columns)]
    return max(1.0, float(kept[0] / max(kept[-1], 1e-300))) ** 2 * len(joints)  # accelerations use the solution twice


def _largest_torque(moving: Moving) -> float:
    """Return the largest torque of the tree with open loops."""
    oracle = moving.oracle.oracle
    values = {name: float(column[0]) for name, column in moving.values.items()}
    return max(
        float(np.abs(oracle.torques(q, qd, qdd, values)).max())
        for q, qd, qdd in zip(moving.q, moving.qd, moving.qdd, strict=True)
    )


def _best_position(robot: Robot, values: Mapping[str, float]) -> tuple[Mapping[str, float], float]:
    """Return the known position with the best condition for the oracle, and the condition."""
    reference = numeric_reference(robot)
    known = [robot.position, *(sample.joints for sample in reference.samples[1:])] if reference else [robot.position]
    closed, found = robot.to_closed(), []
    passive = [j for j in closed.tree_joints if not closed.frame(j).mu]
    for joints in known:
        full = all_joints(robot, joints)
        q = np.array([full[closed.variable(j)] for j in closed.tree_joints])
        found.append((_of_rows(Constrained(closed, {**values, **full}), q, passive), joints))
    condition, joints = min(found, key=lambda row: row[0])
    return joints, condition


def check_parallel(robot: Robot, seed: int) -> Iterator[Finding]:
    """Check both dynamic models, the Jacobian and the inverse geometric model at the reference position."""
    rng, choose = np.random.default_rng(seed), random.Random(seed)
    values = values_of(robot, rng)
    try:
        models = rs.inverse_dynamics(robot), rs.direct_dynamics(robot), rs.jacobian(robot)
        joints, condition = _best_position(robot, values)
        s = state(robot, joints, values, rng)
    except InputError as error:
        known = ("singular", "degrees of freedom", "freedom", "no position")
        yield Finding(f"parallel robot rejected: {error}", 0.0 if any(w in str(error) for w in known) else np.inf)
        return
    moved = numeric_reference(robot)
    if moved is not None and any(
        abs(moved.samples[0].joints[name] - at) > _SAME for name, at in robot.position.items()
    ):
        yield Finding("parallel robot rejected: its legs do not meet in this position", 0.0)  # a shrunk robot
        return
    given = values | motion_values(robot, s)
    forces, acceleration, rows = (on_graph(model, given) for model in models)
    J = rows.reshape(-1, 6)

    def moves(model: rs.Model) -> Callable[[], float]:
        """Return the sensitivity of a result to the digits of the pose, which is large near the limit of a leg's reach.

        A ball joint with two nearly aligned axes moves fast about both: the oracle, which contains all joints, loses
        these digits.
        """
        return lambda: max(magnification(lambda at: on_graph(model, at), given), condition)

    size = max(10.0, float(np.abs(s.acceleration).max()), float(np.abs(s.qdd).max()), float(np.abs(s.twist).max()) ** 2)
    yield compare("parallel, inverse dynamics", forces, s.tau, moves(models[0]), 10 * size)
    yield compare("parallel, direct dynamics", acceleration, s.acceleration, moves(models[1]), size)
    yield compare("parallel, jacobian", J @ s.twist, s.qd, moves(models[2]), max(1.0, float(np.abs(s.qd).max())))
    model = choose.choice(models)
    yield from by_another_way(f"parallel, {model.kind}", model, given, choose)
