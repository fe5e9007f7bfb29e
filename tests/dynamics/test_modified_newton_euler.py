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
