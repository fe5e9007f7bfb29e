"""Alternative recursions agree with the book and Pinocchio for all kinds of robots."""

from __future__ import annotations

import random

import numpy as np
import pytest

import robosym as rs
from evaluation import same_outputs
from oracles.pinocchio import Oracle
from random_robots import random_robot
from robosym.algebra import evaluate, symbols
from robosym.dynamics import bias_torques, direct_dynamics, inverse_dynamics
from robosym.mechanism import Robot
from robosym.optimizer.recursions.moments import regrouped_robot
from robosym.optimizer.recursions.of_trees import (
    bias_by_second_moments,
    direct_by_second_moments,
    inverse_by_second_moments,
)
from robosym.optimizer.recursions.treatments import LUMPED, OWN, TURNED, Treatments


def drawn(seed: int, **options: bool) -> tuple[Robot, Treatments]:
    draw = random.Random(seed)
    robot = random_robot(draw, links=draw.randint(1, 8), tree=draw.random() < 0.6, **options)
    ways = {j: draw.choice((OWN, TURNED, LUMPED)) for j in range(1, robot.NL + 1)}
    slid = frozenset(j for j in ways if draw.random() < 0.4)
    return robot, Treatments(ways, slid, draw.random() < 0.5, draw.random() < 0.5)


@pytest.mark.parametrize("seed", [*range(30), 45])
def test_torques_of_random_robots(seed: int) -> None:
    robot, choice = drawn(seed, symbolic=seed % 3 == 0, mobile=seed % 5 == 0)
    same_outputs(inverse_dynamics(robot, structure="tree"), inverse_by_second_moments(robot, choice))
    same_outputs(bias_torques(robot, structure="tree"), bias_by_second_moments(robot, choice))
    same_outputs(inverse_dynamics(robot, structure="tree"), inverse_dynamics(regrouped_robot(robot), structure="tree"))


@pytest.mark.parametrize("seed", range(8))
def test_accelerations_of_random_robots(seed: int) -> None:
    robot, choice = drawn(seed)
    same_outputs(direct_dynamics(robot), direct_by_second_moments(robot, choice), 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_torques_agree_with_pinocchio(seed: int) -> None:
    robot, choice = drawn(100 + seed, wrenches=False, drives=False)
    draw = random.Random(seed)
    model = inverse_by_second_moments(robot, choice)
    values = {n: draw.uniform(-1.5, 1.5) for n in symbols(e for _, _, e in robot.entries())}
    joints = robot.tree_joints
    q = np.array([values[robot.variable(j)] for j in joints])
    qd, qdd = (np.array([values[f"{name}{j}"] for j in joints]) for name in ("QP", "QDP"))
    right = Oracle(robot, values).torques(q, qd, qdd, values)
    found = np.array(evaluate(model.roots, values))
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))


def test_operation_count_of_an_arm_at_any_angles() -> None:
    """The next axis needs only one column of the matrix of second moments, at any angle."""
    rows = ", ".join(f"{{alpha: a{j}, d: D{j}, theta: t{j}, r: R{j}}}" for j in range(1, 4))
    text = f"name: general\nframes: [{rows}]\nlinks: symbolic\ngravity: [G1, G2, G3]\n"
    assert rs.optimize(inverse_dynamics(rs.loads(text, "yaml")), 2).operations.total <= 346
