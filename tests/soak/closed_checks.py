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
    """Both dynamic models, A and H, W, in a few positions of the mode."""
    rng = random.Random(seed)
    try:
        moving = Moving(robot, dict(robot.position), STATES)
        inverse, direct = rs.inverse_dynamics(moving.robot), rs.direct_dynamics(moving.robot)
    except AssertionError:  # a mode so narrow that steps lead out of it
        yield Finding("closed robot refused: few positions are reached from its own", 0.0)
        return
    except InputError as error:  # several slides in a row may leave another mobility than there are motors
        known = (
            "degrees of freedom",
            "do not determine",
            "singular",
            "leave no freedom",
            "moves no inertia",
            "too few for",
        )
        yield Finding(f"closed robot refused: {error}", 0.0 if any(w in str(error) for w in known) else np.inf)
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
    """Of the rows of all cut joints over the passive joints, by the oracle: its worst over the positions."""
    return max(_of_rows(moving.oracle, q, moving.constraints.passive) for q in moving.q)


def _of_rows(oracle: Constrained, q: Array, passive: Collection[int]) -> float:
    joints = oracle.robot.tree_joints
    J, _ = oracle.rows(oracle.oracle.q(q), np.zeros(oracle.oracle.model.nv))
    columns = [oracle._place(j) for j in joints if j in passive]
    kept = np.linalg.svd(J[:, columns], compute_uv=False)[: len(columns)]
    return max(1.0, float(kept[0] / max(kept[-1], 1e-300))) ** 2 * len(joints)  # accelerations take the solution twice


def _largest_torque(moving: Moving) -> float:
    """On the joints of the tree, were its loops open."""
    oracle = moving.oracle.oracle
    values = {name: float(column[0]) for name, column in moving.values.items()}
    return max(
        float(np.abs(oracle.torques(q, qd, qdd, values)).max())
        for q, qd, qdd in zip(moving.q, moving.qd, moving.qdd, strict=True)
    )


def _best_position(robot: Robot, values: Mapping[str, float]) -> tuple[Mapping[str, float], float]:
    """Of those that the robot is known in, the one in which the oracle loses the fewest digits, and its condition."""
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
    """Both dynamic models, the Jacobian and the inverse geometry at its reference position."""
    rng, choose = np.random.default_rng(seed), random.Random(seed)
    values = values_of(robot, rng)
    try:
        models = rs.inverse_dynamics(robot), rs.direct_dynamics(robot), rs.jacobian(robot)
        joints, condition = _best_position(robot, values)
        s = state(robot, joints, values, rng)
    except InputError as error:
        known = ("singular", "degrees of freedom", "freedom", "no position")
        yield Finding(f"parallel robot refused: {error}", 0.0 if any(w in str(error) for w in known) else np.inf)
        return
    moved = numeric_reference(robot)
    if moved is not None and any(
        abs(moved.samples[0].joints[name] - at) > _SAME for name, at in robot.position.items()
    ):
        yield Finding("parallel robot refused: its legs do not meet in this position", 0.0)  # a robot made smaller
        return
    given = values | motion_values(robot, s)
    forces, acceleration, rows = (on_graph(model, given) for model in models)
    J = rows.reshape(-1, 6)

    def moves(model: rs.Model) -> Callable[[], float]:
        """A leg near the end of its reach makes much of little: the result moves with every digit of the pose.

        A ball with two axes nearly in line turns fast about both: the oracle, which has all joints, loses these digits.
        """
        return lambda: max(magnification(lambda at: on_graph(model, at), given), condition)

    size = max(10.0, float(np.abs(s.acceleration).max()), float(np.abs(s.qdd).max()), float(np.abs(s.twist).max()) ** 2)
    yield compare("parallel, inverse dynamics", forces, s.tau, moves(models[0]), 10 * size)
    yield compare("parallel, direct dynamics", acceleration, s.acceleration, moves(models[1]), size)
    yield compare("parallel, jacobian", J @ s.twist, s.qd, moves(models[2]), max(1.0, float(np.abs(s.qd).max())))
    model = choose.choice(models)
    yield from by_another_way(f"parallel, {model.kind}", model, given, choose)
