"""Test parallel robots with fewer than six degrees of freedom, found at the reference, against Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.parallel import motion_values, positions, values_of
from cases.reduced_mobility import ROBOTS
from evaluation import on_graph
from long_cases import quick_and_long
from oracles.parallel import state
from robosym.coordinates.reference import numeric_reference

FREEDOM = {"scara4": 4}


@pytest.mark.parametrize("name", ROBOTS)
def test_reference_is_a_position_in_which_the_legs_meet(name: str) -> None:
    robot = ROBOTS[name]()
    reference = numeric_reference(robot)
    assert reference is not None
    found = reference.samples[0].joints
    assert {n: found[n] for n in robot.position} == pytest.approx(dict(robot.position), abs=1e-7)


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long="delta_pa puu upu rps orthoglide_pa"))
def test_reduced_mobility(name: str) -> None:
    robot = ROBOTS[name]()
    reference = numeric_reference(robot)
    assert reference is not None and reference.freedom == FREEDOM.get(name, 3) == len(robot.motors)
    rng = np.random.default_rng(1)
    values = values_of(robot, rng)
    models = rs.inverse_dynamics(robot), rs.direct_dynamics(robot), rs.jacobian(robot)
    twist_of_motors = rs.jacobian(robot).inverse()
    A, h = (m(robot, space="joint") for m in (rs.inertia_matrix, rs.bias_torques))
    for joints in list(positions(robot))[:2]:
        s = state(robot, joints, values, rng)
        given = values | motion_values(robot, s)
        forces, acceleration, rows = (on_graph(model, given) for model in models)
        size = max(10.0, float(np.abs(s.acceleration).max()))
        assert np.abs(forces - s.tau).max() < 1e-9 * size
        assert np.abs(acceleration - s.acceleration).max() < 1e-9 * size
        n = len(robot.motors)
        assert np.abs(rows.reshape(n, 6) @ s.twist - s.qd).max() < 1e-9
        assert np.abs(on_graph(twist_of_motors, given).reshape(6, n) @ s.qd - s.twist).max() < 1e-9
        pushed = on_graph(A, given).reshape(n, n) @ s.qdd
        assert np.abs(pushed + on_graph(h, given) - s.tau).max() < 1e-9 * max(10.0, float(np.abs(pushed).max()))


def test_robot_with_loops_gives_the_same_torques() -> None:
    """Compare loops, from joint positions, with legs, from the pose."""
    robot = ROBOTS["rpr"]()
    closed = robot.to_closed()
    rng = np.random.default_rng(3)
    values = values_of(robot, rng)
    joints = list(positions(robot))[1]
    s = state(robot, joints, values, rng)
    model = rs.inverse_dynamics(closed)
    names = (*model.inputs["qd"], *model.inputs["qdd"])
    given = values | joints | dict(zip(names, map(float, (*s.qd, *s.qdd)), strict=True))
    assert np.abs(on_graph(model, given) - s.tau).max() < 1e-8
    assert np.abs(on_graph(rs.inverse_dynamics(robot), values | motion_values(robot, s)) - s.tau).max() < 1e-8
