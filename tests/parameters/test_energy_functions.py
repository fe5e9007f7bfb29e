"""Energy functions against Pinocchio's placements and velocities."""

from __future__ import annotations

import numpy as np
import pytest

from cases.identification import random_values, special_tree, with_motion
from oracles.energy import EnergyOracle
from robosym.algebra import evaluate
from robosym.mechanism.motion import AT_REST, hinges, velocity_pass, weight_pass
from robosym.parameters.standard import energy_functions
from robosym.spatial import Vec3


@pytest.mark.parametrize("seed", range(10))
def test_trees(seed: int) -> None:
    robot, rng = special_tree(seed), np.random.default_rng(seed)
    values = random_values(robot, rng)
    q, qd = rng.uniform(-1, 1, (2, len(robot.tree_joints)))
    wanted = EnergyOracle(robot, values)(q, qd)
    hinge = hinges(robot, range(1, robot.NL + 1), lambda entry: entry, accelerated=False)
    weight = weight_pass(hinge, Vec3(*robot.gravity))
    found = energy_functions(hinge, velocity_pass(hinge, AT_REST), weight, list(wanted))
    motion = with_motion(robot, values, q, qd, qd)
    assert np.allclose(evaluate([robot.graph.zero + f for f in found], motion), list(wanted.values()))
