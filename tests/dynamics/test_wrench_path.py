"""Effort of a wrench along every joint before its link, against Pinocchio's Jacobian."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from cases.identification import random_values, special_tree
from oracles.pinocchio import Oracle
from robosym.algebra import Expr, evaluate
from robosym.dynamics.identification.wrench_path import along_joints, path_to_base
from robosym.spatial import Vec3


@pytest.mark.parametrize("seed", range(30))
def test_trees(seed: int) -> None:
    robot, rng = special_tree(seed), np.random.default_rng(seed)
    values = random_values(robot, rng)
    oracle = Oracle(robot, values)
    q = rng.uniform(-1, 1, len(robot.tree_joints))
    full = values | {robot.variable(j): float(position) for j, position in zip(robot.tree_joints, q, strict=True)}
    pin.computeJointJacobians(oracle.model, oracle.data, oracle.q(q))
    pin.updateFramePlacements(oracle.model, oracle.data)
    for link, frame in oracle.frames.items():
        wrench = rng.normal(size=6)

        def number(entry: Expr) -> float:
            return evaluate([entry], full)[0]

        found = dict(along_joints(path_to_base(robot, link, number), Vec3(*wrench[:3]), Vec3(*wrench[3:])))
        jacobian = pin.getFrameJacobian(oracle.model, oracle.data, frame, pin.LOCAL).reshape(6, -1)
        assert np.allclose([found.get(j, 0) for j in robot.tree_joints], oracle.back(jacobian.T @ wrench))
