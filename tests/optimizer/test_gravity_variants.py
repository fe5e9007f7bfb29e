"""Gravity torques from first moments, and second moments in closed robots, agree with the plain models."""

from __future__ import annotations

import random

import pytest

import robosym as rs
from evaluation import same_outputs
from random_robots import random_robot
from robosym.optimizer.recursions.of_trees import gravity_by_first_moments
from robosym.optimizer.recursions.treatments import OF_WEIGHTS, CompositeOptions


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("way", OF_WEIGHTS)
def test_first_moments_of_random_trees(seed: int, way: CompositeOptions) -> None:
    """Prismatic, fixed and revolute joints, branches, gamma and b."""
    robot = random_robot(random.Random(seed), links=random.Random(seed).randint(1, 6))
    same_outputs(rs.gravity_torques(robot), gravity_by_first_moments(robot, way))


@pytest.mark.parametrize("name", ["rx90", "ur5e", "panda", "stanford", "gantry3p3r", "gs_tree"])
def test_gravity_needs_half_the_operations(name: str) -> None:
    model = rs.gravity_torques(rs.load(name))
    for goal in ("operations", "speed"):
        best = rs.optimize(model, 2, goal=goal)
        assert best.operations.total < 0.6 * model.operations.total
        same_outputs(model, best)


def test_base_parameters_of_gravity() -> None:
    """Gravity torques of an arm with a vertical first axis depend on MX and MY of the links after the first."""
    best = rs.optimize(rs.gravity_torques(rs.load("rx90"), base_parameters=True), 2)
    assert best.operations.total <= 48
    assert {name[:2] for name in best.inputs["parameters"]} <= {"MX", "MY", "D3", "RL", "R4"}


@pytest.mark.parametrize(
    ("name", "make", "level", "bar"),
    [pytest.param("sr400", "inverse_dynamics", "max", 712, marks=pytest.mark.long),
     ("sr400", "bias_torques", 2, 640), ("sr400", "gravity_torques", 2, 80),
     ("akr3000", "inverse_dynamics", 2, 925), ("akr3000", "gravity_torques", 2, 125)],
)  # fmt: skip
def test_second_moments_in_closed_robots(name: str, make: str, level: int | str, bar: int) -> None:
    model = getattr(rs, make)(rs.load(name))
    best = rs.optimize(model, level)
    assert best.operations.total <= bar
    same_outputs(model, best)


def test_direct_model_of_a_closed_robot() -> None:
    model = rs.direct_dynamics(rs.load("sr400"))
    best = rs.optimize(model, 2)
    assert best.operations.total < 0.9 * model.operations.total
    same_outputs(model, best, 1e-10)
