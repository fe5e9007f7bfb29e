"""Accelerations within the limits of the motors, against Pinocchio's equations in numbers."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.control import Actuator, achievable_accelerations

MOTORS = {
    1: Actuator(torque=60, ratio=120, inertia=0.004, viscous=0.002, coulomb=0.4),
    2: Actuator(torque=9, ratio=100, inertia=0.001, viscous=0.001, coulomb=0.2),
    3: Actuator(torque=8, ratio=100, inertia=0.001, viscous=0.001, coulomb=0.2),
    4: Actuator(torque=6, ratio=80, inertia=0.0008, viscous=0.001, coulomb=0.1),
}


Array = np.ndarray


def by_numbers(robot: rs.Robot, q: Array, qd: Array, wanted: Array) -> tuple[Array, Array, Array]:
    """Achieved accelerations, torques of the motors, and what these lack."""
    oracle = Oracle(robot, {})
    A = np.array(pin.crba(oracle.model, oracle.data, oracle.q(q)))
    A = np.triu(A) + np.triu(A, 1).T
    zero = np.zeros(4)
    bias = oracle.torques(q, qd, zero, {})
    A += np.diag([float(robot.link(j).IA.value) for j in range(1, 5)])
    names = ("ratio", "inertia", "viscous", "coulomb", "torque")
    N, rotor, V, S, limit = (np.array([getattr(m, n) for m in MOTORS.values()]) for n in names)
    motor = (A @ wanted + bias) / N + rotor * N * wanted + V * N * qd + S * np.sign(qd)
    given = np.clip(motor, -limit, limit)
    left = given - bias / N - V * N * qd - S * np.sign(qd)
    return np.linalg.solve(A / N[:, None] + np.diag(rotor * N), left), given, motor - given


@pytest.mark.parametrize("seed", range(12))
def test_against_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = rs.load("trainer")
    model = achievable_accelerations(robot, MOTORS)
    q, qd, wanted = rng.uniform(-2, 2, 4), rng.uniform(-2, 2, 4), rng.uniform(-1, 1, 4) * 10.0 ** rng.uniform(-2, 1)
    found = model.compile()(q=q, qd=qd, qdd=wanted)
    for one, other in zip(found, by_numbers(robot, q, qd, wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_other_joints_can_keep_their_accelerations(seed: int) -> None:
    """Only the joints of limited motors deviate, by what their motors lack."""
    rng = np.random.default_rng(100 + seed)
    robot = rs.load("trainer")
    model = achievable_accelerations(robot, MOTORS, others="acceleration")
    q, qd, wanted = rng.uniform(-2, 2, 4), rng.uniform(-2, 2, 4), rng.uniform(-8, 8, 4)
    qdd, _, excess = model.compile()(q=q, qd=qd, qdd=wanted)
    limited = np.abs(excess) > 0
    assert limited.any()
    np.testing.assert_allclose(qdd[~limited], wanted[~limited])
    # at the accelerations reached, each limited motor needs just its limit
    _, needed, left = by_numbers(robot, q, qd, qdd)
    torque = np.array([m.torque for m in MOTORS.values()])
    np.testing.assert_allclose(np.abs((needed + left)[limited]), torque[limited], rtol=1e-9)


def test_within_the_limits_the_wish_is_granted() -> None:
    model = achievable_accelerations(rs.load("trainer"), MOTORS)
    wanted = np.array([0.02, 0.03, -0.02, 0.01])
    qdd, motor, excess = model.compile()(q=[0.1, 0.2, 0.3, 0.4], qd=[0.01, 0.01, 0.01, 0.01], qdd=wanted)
    np.testing.assert_allclose(qdd, wanted, rtol=1e-9)
    assert np.abs(excess).max() < 1e-12 and np.abs(motor).max() > 0


def test_limits_can_be_symbols_and_must_be_complete() -> None:
    robot = rs.load("trainer")
    model = achievable_accelerations(robot, {j: Actuator(f"T{j}", ratio=50) for j in range(1, 5)})
    assert model.inputs["parameters"] == ("T1", "T2", "T3", "T4")
    with pytest.raises(rs.InputError, match="limits"):
        achievable_accelerations(robot, {1: Actuator(3)})
    with pytest.raises(rs.InputError, match="expected an Actuator for joint 2, found 5"):
        achievable_accelerations(robot, {**MOTORS, 2: 5})  # type: ignore[dict-item]
    with pytest.raises(rs.InputError, match="others"):
        achievable_accelerations(robot, MOTORS, others="none")
