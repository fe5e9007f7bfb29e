"""Compiled models of closed robots: open loops are rejected or reported, or closed from the motor positions."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs

SR400 = {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3}


@pytest.fixture(scope="module")
def robot():
    """SR400 with numbers: its parallelogram gives t3 = pi/2 - t2 + t7, and t8 closes it."""
    sr400 = rs.load("sr400")
    values = dict.fromkeys(sr400.parameters, 0.1)
    return sr400.with_values({**values, **SR400})


def closed_state(robot, motors):
    found = rs.loop_geometry(robot).solve(motors)
    return np.asarray(found)[0]


def test_reject_and_report(robot):
    model = rs.inverse_dynamics(robot)
    names = [robot.variable(j) for j in robot.tree_joints]
    motors = np.array([0.1, -0.6, 0.2, 0.3, -0.4, 0.5])
    q = closed_state(robot, motors)
    rng = np.random.default_rng(0)
    rates = {group: rng.normal(size=len(n)) for group, n in model.inputs.items() if group not in ("q", "parameters")}
    plain = model.compile()(q=q, **rates)
    assert np.array_equal(model.compile(loops="refuse")(q=q, **rates), plain)
    result, gap = model.compile(loops="report")(q=q, **rates)
    assert np.array_equal(result, plain) and gap < 1e-9
    broken = q.copy()
    broken[names.index("t3")] += 0.01
    with pytest.raises(rs.Error, match=r"q: the loops of sr400 are open by 0\.0"):
        model.compile(loops="refuse")(q=broken, **rates)
    with pytest.raises(rs.Error, match=r"\(m and rad\) in state 1"):
        model.compile(loops="refuse")(q=np.stack([q, broken]), **rates)
    _, gaps = model.compile(loops="report")(q=np.stack([q, broken]), **rates)
    assert gaps[0] < 1e-9 and 1e-3 < gaps[1] < 0.1


def test_solve_from_motors(robot):
    model = rs.inverse_dynamics(robot)
    f = model.compile(loops="solve")
    assert f.motors == tuple(robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu)
    motors = np.array([0.1, -0.6, 0.2, 0.3, -0.4, 0.5])
    q = closed_state(robot, motors)
    rng = np.random.default_rng(1)
    rates = {group: rng.normal(size=len(n)) for group, n in model.inputs.items() if group not in ("q", "parameters")}
    moved = motors + 0.05
    tau = f(q=moved, near=q, **rates)
    wanted = closed_state(robot, moved)
    assert np.abs(np.sin((f.position - wanted) / 2)).max() < 1e-9
    assert np.abs(tau - model.compile()(q=wanted, **rates)).max() < 1e-8
    path = np.linspace(moved, motors, 5)
    assert np.abs(f(q=path, **rates)[-1] - model.compile()(q=q, **rates)).max() < 1e-8  # from the last position


def test_invalid_arguments(robot):
    with pytest.raises(rs.Error, match=r"loops: expected one of trust, .*, solve, found 'solved'"):
        rs.inverse_dynamics(robot).compile(loops="solved")
    with pytest.raises(rs.Error, match="needs a model of a robot with loops"):
        rs.inverse_dynamics(rs.load("rx90")).compile(loops="refuse")
    f = rs.inverse_dynamics(robot).compile(loops="solve")
    f.position = None
    with pytest.raises(rs.Error, match="near: expected positions of"):
        f(q=np.zeros(6), qd=np.zeros(6), qdd=np.zeros(6))
    with pytest.raises(rs.Error, match="q: expected positions of"):
        f(q=np.zeros(8), qd=np.zeros(6), qdd=np.zeros(6))


def test_symbolic_lengths():
    sr400 = rs.load("sr400")
    model = rs.inverse_dynamics(sr400)
    f = model.compile(loops="refuse")
    parameters = dict.fromkeys(model.inputs["parameters"], 0.1) | SR400
    q = np.asarray(rs.loop_geometry(sr400).solve([0.1, -0.6, 0.2, 0.3, -0.4, 0.5], parameters={"D3": 0.8, "D8": 0.3}))[
        0
    ]
    rates = {group: np.zeros(len(n)) for group, n in model.inputs.items() if group not in ("q", "parameters")}
    assert np.isfinite(f(q=q, parameters=parameters, **rates)).all()
    with pytest.raises(rs.Error, match="open"):
        f(q=q + 0.1, parameters=parameters, **rates)
