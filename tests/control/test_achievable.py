"""Accelerations within the motor limits, against the equations of Pinocchio."""

from __future__ import annotations

import itertools

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.floating import tree
from oracles.pinocchio import Oracle
from oracles.reduced import Reduced
from robosym.control import Actuator, achievable_accelerations

MOTORS = {
    1: Actuator(torque=60, ratio=120, inertia=0.004, viscous=0.002, coulomb=0.4),
    2: Actuator(torque=9, ratio=100, inertia=0.001, viscous=0.001, coulomb=0.2),
    3: Actuator(torque=8, ratio=100, inertia=0.001, viscous=0.001, coulomb=0.2),
    4: Actuator(torque=6, ratio=80, inertia=0.0008, viscous=0.001, coulomb=0.1),
}


Array = np.ndarray


def by_numbers(robot: rs.Robot, q: Array, qd: Array, wanted: Array) -> tuple[Array, Array, Array]:
    """Return achieved accelerations, motor torques and missing torques."""
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
    model = achievable_accelerations(robot, MOTORS, others="torque")
    q, qd, wanted = rng.uniform(-2, 2, 4), rng.uniform(-2, 2, 4), rng.uniform(-1, 1, 4) * 10.0 ** rng.uniform(-2, 1)
    found = model.compile()(q=q, qd=qd, qdd=wanted)
    for one, other in zip(found, by_numbers(robot, q, qd, wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def by_enumeration(A: Array, bias: Array, most: Array, wanted: Array) -> Array:
    """Return the accelerations of the one consistent set of saturated motors among all 3^n sets."""
    needed, n = A @ wanted + bias, len(most)
    small = 1e-9 * (np.abs(needed).sum() + most.sum())
    for sides in itertools.product((0, 1, -1), repeat=n):
        side = np.array(sides)
        at_limit, change = side != 0, np.zeros(n)
        if at_limit.any():
            lacking = (side * most - needed)[at_limit]
            change[at_limit] = np.linalg.solve(A[np.ix_(at_limit, at_limit)], lacking)
        within = np.abs(A @ change + needed) <= most + small
        if within.all() and (side * change * np.diag(A) <= small).all():
            return wanted + change
    raise AssertionError("no set explains itself")


def joint_equations(robot: rs.Robot, motors: dict[int, Actuator], q: Array, qd: Array) -> tuple[Array, Array, Array]:
    """Return the inertia matrix and bias of Pinocchio with rotors and friction, and the maximum joint torques."""
    oracle, names = Oracle(robot, {}), ("ratio", "inertia", "viscous", "coulomb", "torque")
    N, rotor, V, S, limit = (np.array([float(getattr(motors[j], n)) for j in robot.tree_joints]) for n in names)
    zero = np.zeros(len(q))
    bias = oracle.torques(q, qd, zero, {})
    A = np.column_stack([oracle.torques(q, qd, unit, {}) - bias for unit in np.eye(len(q))])
    return A + np.diag(rotor * N * N), bias + N * (V * N * qd + S * np.sign(N * qd)), limit * np.abs(N)


def test_sufficient_motors_are_not_saturated() -> None:
    """Only the arm is too weak: yaw and pitch lack torque for the desired motion, but not for the achieved one."""
    motors = {**MOTORS, 1: Actuator(torque=60, ratio=60), 2: Actuator(torque=8, ratio=60), 4: Actuator(4, ratio=60)}
    robot, q, wanted = rs.load("trainer"), np.array([0.3, 0.8, 0.5, -0.4]), np.array([9.0, 0, 0, 0])
    A, bias, most = joint_equations(robot, motors, q, np.zeros(4))
    assert (np.abs(A @ wanted + bias) > most)[[0, 1, 3]].all()
    qdd, motor, excess = achievable_accelerations(robot, motors, others="acceleration").compile()(
        q=q, qd=np.zeros(4), qdd=wanted
    )
    np.testing.assert_allclose(qdd[1:], 0, atol=1e-12)
    assert 0 < qdd[0] < 9 and motor[0] == pytest.approx(60) and (excess[1:] == 0).all()
    np.testing.assert_allclose(motor * 60 * (1, 1, 100 / 60, 1), A @ qdd + bias, rtol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_acceleration_mode_matches_enumeration(seed: int) -> None:
    """Random trees with gears (also reversed) and direct drives, in random states."""
    rng = np.random.default_rng(100 + seed)
    n = 2 + seed % 4
    frames = [
        {"ant": int(rng.integers(max(0, j - 1), j + 1)), "alpha": float(rng.uniform(-2, 2)), "d": float(rng.uniform())}
        | ({"sigma": 1, "r": f"r{j}"} if rng.uniform() < 0.2 else {"theta": f"t{j}"})
        for j in range(n)
    ]
    body = {"M": 3, "MX": 0.6, "MY": -0.4, "MZ": 0.3, "XX": 0.5, "YY": 0.6, "ZZ": 0.4, "XY": 0.05}
    links = [{**body, "IA": 0.02 * (seed % 3), "FV": 0.1} for _ in range(n)]
    robot = rs.robot("arm", frames=frames, links=links, gravity=[0, 2, -9.81])
    ratios = (1, -3, 50)
    motors = {
        j: Actuator(float(rng.uniform(0, 12)) / abs(N), N, inertia=0.1 / N**2, viscous=0.001, coulomb=0.01)
        for j, N in ((j, ratios[int(rng.integers(3))]) for j in range(1, n + 1))
    }
    model = achievable_accelerations(robot, motors, others="acceleration").compile()
    limited = 0
    for _ in range(25):
        q, qd, wanted = rng.uniform(-2, 2, n), rng.uniform(-1, 1, n), rng.normal(size=n) * 10.0 ** rng.uniform(-1, 2)
        A, bias, most = joint_equations(robot, motors, q, qd)
        qdd, motor, excess = model(q=q, qd=qd, qdd=wanted)
        np.testing.assert_allclose(qdd, by_enumeration(A, bias, most, wanted), rtol=1e-8, atol=1e-8)
        N = np.array([float(motors[j].ratio) for j in robot.tree_joints])
        size = np.abs(A @ wanted).sum() + np.abs(bias).sum()
        np.testing.assert_allclose(motor * N, A @ qdd + bias, atol=1e-9 * size)
        assert ((np.abs(excess) > 0) == (np.abs(qdd - wanted) > 1e-10 * np.abs(wanted).max())).all()
        limited += int((np.abs(excess) > 0).sum())
    assert limited > 10


def test_achieves_desired_motion_within_limits() -> None:
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
    with pytest.raises(rs.InputError, match="method: expected 'active_set' or 'paper', found 'book'"):
        achievable_accelerations(robot, MOTORS, method="book")  # type: ignore[arg-type]
    with pytest.raises(rs.InputError, match="others"):
        achievable_accelerations(robot, MOTORS, others="none")
    with pytest.raises(rs.InputError, match="joint 2: torque: expected a nonnegative number, found -3"):
        achievable_accelerations(robot, {**MOTORS, 2: Actuator(-3)})
    with pytest.raises(rs.InputError, match="joint 2: ratio: expected a nonzero number"):
        achievable_accelerations(robot, {**MOTORS, 2: Actuator(3, ratio=0)})


def test_rejects_coupled_and_elastic_joints() -> None:
    motors = {1: Actuator(3), 2: Actuator(3)}
    frames = [{"theta": "t1"}, {"theta": "t2", "d": 0.4, "mu": 0}]
    coupled = rs.robot("coupled", frames=frames, links=[{"XX": 1, "YY": 1, "ZZ": 1}] * 2, couplings={"t2": "2*t1"})
    with pytest.raises(rs.InputError, match="coupled has coupled joints"):
        achievable_accelerations(coupled, motors)
    elastic = rs.robot("elastic", frames=frames, links=[{"XX": 1, "YY": 1, "ZZ": 1}] * 2).edit(
        {"joint2.eta": 1, "joint2.k": 3}
    )
    with pytest.raises(rs.InputError, match="joint 2 is elastic"):
        achievable_accelerations(elastic, motors)


def test_only_the_insufficient_motor_of_the_trainer_is_saturated() -> None:
    """The arm lacks torque, and the gondola keeps its attitude; the wording of the paper lets it run off."""
    limits = {1: Actuator(95, 60), 2: Actuator(26, 80), 3: Actuator(22, 80), 4: Actuator(18, 80)}
    robot, wanted = rs.load("trainer"), np.array([20.0, 0, 0, 0])
    state = {"q": np.zeros(4), "qd": np.zeros(4), "qdd": wanted}
    qdd, motor, excess = achievable_accelerations(robot, limits).compile()(**state)
    np.testing.assert_allclose(qdd, [1.157, 0, 0, 0], atol=5e-4)
    assert motor[0] == pytest.approx(95) and (excess[1:] == 0).all()
    A, bias, most = joint_equations(robot, limits, np.zeros(4), np.zeros(4))
    needed = A @ wanted + bias
    short = np.abs(needed) > most
    assert short.tolist() == [True, True, False, True]
    change = np.zeros(4)
    change[short] = np.linalg.solve(A[np.ix_(short, short)], (np.sign(needed) * most - needed)[short])
    qdd, motor, excess = achievable_accelerations(robot, limits, method="paper").compile()(**state)
    np.testing.assert_allclose(qdd, wanted + change, rtol=1e-9)
    np.testing.assert_allclose(motor[short], [95, 26, 18])
    ratio = np.array([60, 80, 80, 80])
    np.testing.assert_allclose(excess, np.where(short, needed - np.sign(needed) * most, 0) / ratio, rtol=1e-9)


def test_cycle_stays_on_its_path_with_one_weak_motor() -> None:
    """The arm lags behind; no other axis leaves its path by more than rounding."""
    limits = {1: Actuator(95, 60), 2: Actuator(26, 80), 3: Actuator(22, 80), 4: Actuator(18, 80)}

    def path(t: float) -> tuple[Array, Array, Array]:
        x, w = np.array([1.0, 0.2, 0.1, 0.15]), 2.0
        return x * (1 - np.cos(w * t)), x * w * np.sin(w * t), x * w * w * np.cos(w * t)

    run = rs.simulate("trainer", until=1.0, step=0.01, method="cycle", reference=path, actuators=limits)
    wanted = np.array([path(t)[0] for t in run.t])
    assert not run.reached.all() and np.abs(run.q - wanted)[:, 0].max() > 0.1
    assert np.abs(run.q - wanted)[:, 1:].max() < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_floating_base_matches_enumeration(seed: int) -> None:
    """The base moves freely; Pinocchio's inertia matrix and bias with its acceleration eliminated."""
    robot, rng = tree("floating"), np.random.default_rng(seed)
    motors = {j: Actuator(float(rng.uniform(0.2, 2))) for j in robot.tree_joints}
    model = achievable_accelerations(robot, motors).compile()
    most, limited = np.array([float(motor.torque) for motor in motors.values()]), 0
    for _ in range(10):
        s = Reduced(robot, rng.uniform(-1, 1, 4), rng)
        wanted, M, (held, bias) = rng.normal(size=4) * 10.0 ** rng.uniform(-1, 1), s.inertia, s.bias()
        A = M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:])
        H = bias - M[6:, :6] @ np.linalg.solve(M[:6, :6], held)
        qdd, motor, excess = model(q=s.q, qd=s.y, qdd=wanted, base_velocity=s.base_velocity)
        np.testing.assert_allclose(qdd, by_enumeration(A, H, most, wanted), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(motor, A @ qdd + H, atol=1e-9)
        limited += int((np.abs(excess) > 0).sum())
    assert limited > 5
