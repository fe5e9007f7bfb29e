"""Six formulations of inverse dynamics give Pinocchio's torques, at the costs that the literature reports."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.dynamic import draw
from evaluation import agree
from robosym.dynamics import formulations
from robosym.dynamics.formulations.compare import Counted, OperationCounter


@pytest.mark.parametrize("seed", range(15))
def test_formulations_give_equal_torques(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, drives=False, wrenches=False)
    expected = case.oracle.torques(case.vector("q"), case.vector("QP"), case.vector("QDP"), case.values)
    comparison = formulations.compare(case.robot, case.values)
    assert len(comparison.rows) == 7
    for row in comparison.rows[:-1]:
        agree(np.array(row.torques), expected)


def test_ratios_agree_with_literature() -> None:
    """Hollerbach 1980, six revolute links: 117,819, 7,974, 3,914 and 1,590 operations."""
    comparison = formulations.compare(rs.load("puma560"))
    assert comparison["Uicker-Kahn"].total > 100_000
    assert comparison["Hollerbach, recursive 4x4"].total == pytest.approx(7974, rel=0.05)
    assert comparison["Hollerbach, recursive 3x3"].total == pytest.approx(3914, rel=0.05)
    assert comparison["Luh"].total == pytest.approx(1590, rel=0.1)
    assert comparison.ratio("Hollerbach, recursive 4x4") == pytest.approx(5, rel=0.1)
    assert comparison.ratio("Hollerbach, recursive 3x3") == pytest.approx(2.5, rel=0.1)
    assert comparison.ratio("Silver") == 1
    assert comparison.ratio("ours, general") < 1
    assert "Uicker-Kahn" in str(comparison)


def test_counts_do_not_depend_on_the_numbers() -> None:
    first, second = (formulations.compare(rs.load("puma560"), seed=seed) for seed in (1, 2))
    assert [row.total for row in first.rows] == [row.total for row in second.rows]


def test_constants_of_algorithms_are_free() -> None:
    counter = OperationCounter()
    x, y = Counted(3.0, counter), Counted(0.0, counter)
    assert x * 0 == 0 * x == 0
    assert [float(v) for v in (x * 1, -1 * x, x + 0, 0 - x, x - 1, -x)] == [3, -3, 3, -3, 2, -3]
    assert counter.total == 0
    assert [float(v) for v in (x * y, 2 * x, x + y, x - y)] == [0, 6, 3, 3]  # robot data count, even zeros
    assert (counter.additions, counter.multiplications, counter.total) == (2, 2, 4)
