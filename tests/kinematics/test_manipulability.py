"""Test Yoshikawa's manipulability measure against the singular values of Pinocchio's Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.kinematic import Case, numbers, random_case
from robosym.algebra import symbols

ROWS = {"all": slice(0, 6), "position": slice(0, 3), "rotation": slice(3, 6)}


def measure(case: Case, link: int, task: str) -> float:
    """Return the product of the singular values for the joints between base and link."""
    J = case.jacobian(link, link)[ROWS[task]]
    way, j = [], link
    while j:
        way += [case.robot.tree_joints.index(j)] if j in case.robot.tree_joints else []
        j = case.robot.frame(j).ant
    return float(np.prod(np.linalg.svd(J[:, way], compute_uv=False)))


@pytest.mark.parametrize("task", ROWS)
@pytest.mark.parametrize("seed", range(12))
def test_random_chains_and_trees(seed: int, task: str) -> None:
    case = random_case(seed, tree=seed % 3 == 0)
    link = case.robot.tree_joints[-1]
    (found,) = numbers(rs.manipulability(case.robot, link, task), case.values)
    right = measure(case, link, task)
    assert found == pytest.approx([right], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", ["ur5e", "panda", "planar2r"])
def test_square_redundant_and_deficient_arms(name: str) -> None:
    robot = rs.load(name)
    values = {n: 0.3 + 0.1 * k for k, n in enumerate((*robot.variables, *robot.parameters)) if n}
    model = rs.manipulability(robot)
    (found,) = numbers(model, values)
    assert found == pytest.approx([measure(Case(robot, values), robot.NL, "all")], rel=1e-9)
    assert ("abs" if name == "ur5e" else "sqrt") in model.code("python")
    if name != "planar2r":  # the first joint rotates the whole arm
        assert "t1" not in symbols(model.roots)
