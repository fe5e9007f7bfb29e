"""Test the momentum observer of a robot whose base moves freely."""

from __future__ import annotations

import numpy as np

import robosym as rs
from cases.floating import tree


def test_residual_finds_the_torque_on_a_joint_of_a_tumbling_robot() -> None:
    """The base tumbles and falls; a torque on joint 2 appears after 0.3 s."""
    robot = tree("floating").edit({f"link{j}.FS": 0 for j in range(1, 5)})
    observer = rs.momentum_observer(robot.with_inputs("orientation"), gain=80)
    hold = rs.computed_torque(robot.with_inputs("orientation"), kp=60, kd=15)
    law = rs.compose(hold, observer)
    pushed = np.array([0, 3.0, 0, 0])
    run = rs.simulate(
        robot, controller=law, reference=[0.0] * 4, disturbance=lambda t: pushed * (t > 0.3), until=0.6, step=5e-4,
        base_velocity=[0.4, -0.3, 0.5, 0.2, 0.1, -0.3], memory={"momentum": _momentum(robot)},
    )  # fmt: skip
    found = run.output("residual")
    assert np.abs(found[run.t < 0.29]).max() < 0.05
    np.testing.assert_allclose(found[-1], pushed, atol=0.05)


def _momentum(robot: rs.Robot) -> np.ndarray:
    base = np.array([0.4, -0.3, 0.5, 0.2, 0.1, -0.3])
    matrices = rs.inertia_matrix(robot).compile()(q=np.zeros(4))
    return np.asarray(matrices.coupling).T @ base
