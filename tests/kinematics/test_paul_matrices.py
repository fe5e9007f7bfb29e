"""Test that both sides of Paul's matrix equations agree at a reachable pose."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.forward import place
from robosym.algebra import evaluate
from robosym.kinematics import paul_matrices


@pytest.mark.parametrize("name", ["rx90", "tx90", "scara"])
def test_sides_agree(name):
    robot = rs.load(name)
    model = paul_matrices(robot)
    values = {"D3": 0.45, "RL4": 0.5, **{v: 0.2 + 0.3 * k for k, v in enumerate(robot.variables) if v}}
    T = place(robot, values, robot.NF)
    values |= {entry: T[k // 4, k % 4] for k, entry in enumerate(model.inputs["T"])}

    def matrix(group):
        return np.array(evaluate([model.definitions[n] for row in model.outputs[group] for n in row], values))

    for j in range(1, robot.NF):
        assert np.allclose(matrix(f"U{j}"), matrix(f"T{j}T{robot.NF}"))
        assert np.allclose(matrix(f"V{j}"), matrix(f"T0T{j}"))
        assert np.allclose(matrix(f"T0T{j}").reshape(4, 4), place(robot, values, j))


def test_base_parameter_may_share_the_name_of_a_pose_entry() -> None:
    arm = rs.robot(
        "rover", frames=[{"theta": "q1", "r": 0.4}, {"alpha": "Pi/2", "theta": "q2"}, {"d": 0.5, "theta": "q3"}],
        base={"type": "mobile", "W0": [0, 0, 0], "WP0": [0, 0, 0], "V0": ["vx", 0, 0], "VP0": ["ax", 0, 0]},
        gravity=[0, 0, -9.81],
    )  # fmt: skip
    found = rs.inverse_geometry(arm, given="aP")
    assert found.solve([[1, 0, 0, 0.5], [0, 0, -1, 0], [0, 1, 0, 0.4], [0, 0, 0, 1]]).shape[1] == 3
