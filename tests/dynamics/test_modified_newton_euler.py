"""Modified Newton-Euler model against Pinocchio."""

from __future__ import annotations

import pytest

import robosym as rs
from cases.dynamic import draw
from evaluation import agree
from robosym.dynamics import bias_torques, inertia_matrix, modified_newton_euler


@pytest.mark.parametrize("seed", range(30))
def test_inertia_and_bias(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, mobile=seed % 4 == 0)
    found = case.number(modified_newton_euler(case.robot))
    agree(found["A"], case.inertia()[-case.n :, -case.n :])
    agree(found["H"], case.bias()[0])


def test_inertia_and_bias_share_expressions() -> None:
    robot = rs.load("rx90")
    apart = inertia_matrix(robot).operations.total + bias_torques(robot).operations.total
    assert modified_newton_euler(robot).operations.total < apart


@pytest.mark.parametrize(("name", "count"), [("trainer", 214), ("rx90", 801)])
def test_one_recursion_saves_sines_and_cosines_only(name: str, count: int) -> None:
    """The docstring states it."""
    robot = rs.load(name)
    both = modified_newton_euler(robot).operations.online
    apart = [model.operations.online for model in (inertia_matrix(robot), bias_torques(robot))]
    assert both.total == sum(part.total for part in apart) == count
    assert both.functions == max(part.functions for part in apart) < sum(part.functions for part in apart)
