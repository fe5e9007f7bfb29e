"""Control laws: error equations, torques of Pinocchio, and generated C against the callable."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.linalg import expm

import robosym as rs
from cases import toolchains
from oracles.pinocchio import Oracle

KP, KD = 100.0, 20.0


@cache
def arm() -> rs.Robot:
    """Return an arm with rotors, without which the gains of the wrist would require steps of microseconds."""
    robot = rs.load("ur10e")
    return robot.with_links([{"IA": 0.5}] * robot.NL)


def path(t: Any) -> tuple[Any, Any, Any]:
    """Return a motion of six joints, each at its own frequency."""
    w = np.arange(1.0, 7.0) * 0.7
    t = np.asarray(t, dtype=float)[..., None]
    return 0.4 * np.sin(w * t) + 0.3, 0.4 * w * np.cos(w * t), -0.4 * w * w * np.sin(w * t)


def values(model: rs.Model, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {group: rng.uniform(-1, 1, len(names)) for group, names in model.inputs.items()}


LAWS = {
    "computed_torque": lambda robot: rs.computed_torque(robot, KP, KD),
    "predictive_control": lambda robot: rs.predictive_control(robot, KP, KD),
    "feedforward": lambda robot: rs.feedforward(robot, KP, KD),
    "pd_gravity": lambda robot: rs.pd_gravity(robot),
    "operational_control": lambda robot: rs.operational_control(robot, kp=KP, kd=KD),
    "impedance_control": lambda robot: rs.impedance_control(robot, stiffness=300, damping=30),
    "adaptive_control": lambda robot: rs.adaptive_control(robot, rate=5, kd=10, learning=0.5),
    "momentum_observer": lambda robot: rs.momentum_observer(robot, 50),
}


def test_joint_laws_match_pinocchio() -> None:
    robot = arm()
    oracle = Oracle(robot, {})
    x = values(rs.computed_torque(robot, KP, KD), 1)
    error = KP * (x["q_desired"] - x["q"]) + KD * (x["qd_desired"] - x["qd"])

    def torque(q: Any, qd: Any, qdd: Any) -> np.ndarray:
        return np.asarray(oracle.efforts(q, qd, qdd, {})[0])

    wanted = x["qdd_desired"] + error
    expected = {
        "computed_torque": torque(x["q"], x["qd"], wanted),
        "predictive_control": torque(x["q_desired"], x["qd_desired"], wanted),
        "feedforward": torque(x["q_desired"], x["qd_desired"], x["qdd_desired"]) + error,
    }
    for name, tau in expected.items():
        np.testing.assert_allclose(LAWS[name](robot).compile()(**x), tau, rtol=1e-9, atol=1e-9)
    law = rs.pd_gravity(robot)
    gains = {"KP": KP, "KD": KD}
    parameters = {name: gains[name[:2]] for name in law.inputs["parameters"]}
    given = {group: x[group] for group in ("q", "qd", "q_desired", "qd_desired")}
    still = torque(x["q"], np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(law.compile()(**given, parameters=parameters), still + error, rtol=1e-9, atol=1e-9)


def test_computed_torque_error_equation() -> None:
    q, qd, _ = path(0.0)
    off = np.array([0.2, -0.1, 0.15, 0.05, -0.2, 0.1])
    run = rs.simulate(arm(), q + off, qd, until=1, controller=LAWS["computed_torque"](arm()), reference=path)
    error = run.q - path(run.t)[0]
    decay = expm(np.array([[0, 1], [-KP, -KD]]) * 1.0) @ np.stack([off, np.zeros(6)])
    np.testing.assert_allclose(error[-1], decay[0], atol=1e-8)
    halves = rs.simulate(
        arm(), q + off, qd, until=1, controller=LAWS["computed_torque"](arm()), reference=path, period=2e-3
    )
    assert np.abs(halves.q - run.q).max() < 5e-3
    assert np.abs(run.balance).max() < 1e-3


def test_other_laws_track() -> None:
    robot = arm()
    q, qd, _ = path(0.0)
    for name in ("predictive_control", "feedforward"):
        run = rs.simulate(robot, q, qd, until=0.5, controller=LAWS[name](robot), reference=path)
        assert np.abs(run.q - path(run.t)[0]).max() < 1e-5
    gains = {f"KP{j}": 400.0 for j in range(1, 7)} | {f"KD{j}": 40.0 for j in range(1, 7)}
    held = rs.simulate(
        robot, q, until=4, controller=rs.pd_gravity(robot), parameters=gains, reference={"q_desired": q + 0.2},
        step=5e-4,
    )  # fmt: skip
    assert np.abs(held.q[-1] - q - 0.2).max() < 1e-3


def test_operational_control_follows_line() -> None:
    robot = arm()
    q = np.array([0.3, -1.2, 1.4, -0.6, 0.9, 0.2])
    oracle = Oracle(robot, {})
    T = rs.direct_geometry(robot, 0, 6).compile()(q=q)

    def line(t: float) -> np.ndarray:
        wanted = T.copy()
        wanted[:3, 3] += [0.1 * np.sin(2 * t), 0.05 * (1 - np.cos(2 * t)), 0]
        return np.asarray(wanted.reshape(16))

    reference = {
        "T": line,
        "twist_desired": lambda t: [0.2 * np.cos(2 * t), 0.1 * np.sin(2 * t), 0, 0, 0, 0],
        "acceleration_desired": lambda t: [-0.4 * np.sin(2 * t), 0.2 * np.cos(2 * t), 0, 0, 0, 0],
    }
    J = pin.computeFrameJacobian(oracle.model, oracle.data, oracle.q(q), oracle.frames[6], pin.LOCAL_WORLD_ALIGNED)
    start = np.linalg.solve(J, [0.2, 0, 0, 0, 0, 0])
    law = LAWS["operational_control"](robot)
    run = rs.simulate(robot, q, start, until=1, controller=law, reference=reference)
    poses = rs.direct_geometry(robot, 0, 6).compile()(q=run.q)
    wanted = np.array([line(t) for t in run.t]).reshape(-1, 4, 4)
    assert np.abs(poses - wanted).max() < 1e-6
    shares = law.operations.total
    assert shares < rs.inverse_dynamics(robot).operations.total + rs.jacobian(robot, 6, 0, 6).operations.total + 900


def test_redundant_arm_holds_its_link() -> None:
    robot = rs.load("panda").with_links([{"FS": 0, "FV": 0}] * rs.load("panda").NL)
    q = np.array([0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.3])
    link = robot.tree_joints[-1]
    T = rs.direct_geometry(robot, 0, link).compile()(q=q)
    law = rs.operational_control(robot, link, kp=100, kd=20, null_damping=2)
    run = rs.simulate(robot, q, until=1, controller=law, reference={"T": T.reshape(16)})
    poses = rs.direct_geometry(robot, 0, link).compile()(q=run.q[-1])
    np.testing.assert_allclose(poses, T, atol=1e-4)


def test_impedance_deflects_like_spring() -> None:
    robot = arm()
    q = np.array([0.3, -1.2, 1.4, -0.6, 0.9, 0.2])
    T = rs.direct_geometry(robot, 0, 6).compile()(q=q)
    law = rs.impedance_control(robot, stiffness=[2000] * 3 + [200] * 3, damping=[400] * 3 + [40] * 3, null_damping=1)
    J = rs.jacobian(robot, 6, 0, 6).compile()(q=q)
    force = np.array([20.0, 0, 0, 0, 0, 0])
    run = rs.simulate(
        robot, q, until=4, controller=law, reference={"T": T.reshape(16)}, disturbance=J.T @ force, step=5e-4
    )
    moved = rs.direct_geometry(robot, 0, 6).compile()(q=run.q[-1])[:3, 3] - T[:3, 3]
    np.testing.assert_allclose(moved, force[:3] / 2000, atol=1e-3)


def test_adaptive_parameters_converge_under_excitation() -> None:
    robot = rs.load("planar2r")
    law = rs.adaptive_control(robot, rate=2, kd=1, learning=2)
    regressor = rs.dynamic_identification(robot, base_parameters=True)
    names = tuple(name.removesuffix("E") for name in law.inputs["estimate"])
    assert names == regressor.columns

    def motion(t: Any) -> tuple[Any, Any, Any]:
        w, c = np.array([4.0, 6.3]), np.array([0.8, 1.1])
        t = np.asarray(t, dtype=float)[..., None]
        return (
            c * np.sin(w * t) + 0.5 * np.sin(1.3 * w * t), c * w * np.cos(w * t) + 0.65 * w * np.cos(1.3 * w * t),
            -c * w * w * np.sin(w * t) - 0.845 * w * w * np.sin(1.3 * w * t),
        )  # fmt: skip

    run = rs.simulate(robot, [0, 0], motion(0.0)[1], until=300, every=100, controller=law, reference=motion)
    error = np.abs(run.q - motion(run.t)[0]).max(axis=1)
    assert error[-100:].max() < 1e-4 < error[:100].max()
    # the true base parameters, from the torques of the robot itself
    rng = np.random.default_rng(4)
    x = {group: rng.normal(size=(40, len(n))) for group, n in regressor.inputs.items()}
    D, tau = regressor.compile()(**x), rs.inverse_dynamics(robot).compile()(**x)
    true = np.linalg.lstsq(D.reshape(-1, D.shape[-1]), tau.reshape(-1), rcond=None)[0]
    np.testing.assert_allclose(run.state("estimate")[-1], true, atol=5e-3)


def test_observer_detects_external_torque() -> None:
    robot = arm()
    law = rs.compose(LAWS["computed_torque"](robot), rs.momentum_observer(robot, 100))
    q, qd, _ = path(0.0)
    A = rs.inertia_matrix(robot).compile()(q=q)

    def push(t: Any) -> Any:
        return [0, 15.0 * (t > 0.5), 0, 0, 0, 0]

    run = rs.simulate(
        robot, q, qd, until=1, controller=law, reference=path, disturbance=push, memory={"momentum": A @ qd}
    )
    residual = run.output("residual")
    assert np.abs(residual[run.t < 0.49]).max() < 1e-3
    np.testing.assert_allclose(residual[-1], [0, 15, 0, 0, 0, 0], atol=0.05)
    rise = residual[np.searchsorted(run.t, 0.51), 1] / 15
    assert rise == pytest.approx(1 - np.exp(-1), abs=0.1)


def test_force_ellipsoid_bounds_the_torques() -> None:
    robot = arm()
    limits = np.array([330, 330, 150, 56, 56, 56.0])
    model = rs.force_ellipsoid(robot, limits=limits.tolist())
    q = np.array([0.3, -1.2, 1.4, -0.6, 0.9, 0.2])
    lengths, directions = model.axes(q)
    J = rs.jacobian(robot, 6, 0, 6).compile()(q=q)[:3]
    for length, direction in zip(lengths, directions.T, strict=True):
        assert np.linalg.norm(J.T @ (length * direction) / limits) == pytest.approx(1)
    assert lengths[0] < lengths[-1] or lengths[0] > 0


def test_laws_of_closed_and_coupled_robots() -> None:
    robot = rs.load("planar2r").with_transmission([[1, 0], [-0.5, 1]])
    law = rs.computed_torque(robot, 100, 20)
    run = rs.simulate(robot, [0.1, 0.2], until=1, controller=law, reference={"q_desired": [0.5, -0.5]})
    np.testing.assert_allclose(run.q[-1], [0.5, -0.5], atol=1e-3)
    closed = rs.computed_torque("sr400")
    assert len(closed.inputs["q"]) == 8 and len(closed.inputs["q_desired"]) == 6


@pytest.mark.parametrize("name", LAWS)
def test_generated_c_matches_callable(name: str, tmp_path: Path) -> None:
    law = LAWS[name](rs.load("planar2r"))
    x = values(law, 3)
    [found] = toolchains.c(law, [{group: list(part) for group, part in x.items()}], tmp_path)
    result = law.compile()(**x)
    parts = [result] if len(law.outputs) == 1 else list(result)
    np.testing.assert_allclose(found, np.concatenate(parts), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rs.computed_torque("planar2r", kp=[1, 2, 3]), "kp: expected 1 or 2 gains, found 3"),
        (lambda: rs.computed_torque("planar2r", kp=np.nan), "kp: expected a finite number"),
        (lambda: rs.computed_torque("planar2r", kp={}), "kp: expected 1 or 2 gains, found 0"),
        (lambda: rs.computed_torque("gough"), r"does not take a robot with a platform: pass robot.to_closed\(\)"),
        (lambda: rs.operational_control("sr400"), "independent joints only: sr400 has closed loops"),
        (lambda: rs.momentum_observer("sr400"), "independent joints only: sr400 has closed loops"),
        (lambda: rs.adaptive_control("gough"), "adaptive_control does not take a robot with a platform"),
        (lambda: rs.simulate("planar2r", [0, 0], controller=rs.computed_torque("planar2r", 1, 1)), "expected values"),
        (lambda: rs.simulate("planar2r", [0, 0], controller=rs.inertia_matrix("planar2r")), "the output group tau"),
        (lambda: rs.simulate("planar2r", [0, 0], controller=rs.pd_gravity("planar2r"),
                             reference={"q_desired": [0, 0]}), "expected values for KP1"),
    ],
)  # fmt: skip
def test_rejects_invalid_arguments(call: Any, message: str) -> None:
    with pytest.raises(rs.Error, match=message):
        call()


def test_null_damping_brakes_the_joints() -> None:
    """At the desired pose and twist, impedance leaves gravity and the damping of the joints."""
    robot = arm()
    x = values(rs.impedance_control(robot, stiffness=300, damping=30, null_damping=7), 3)
    x["T"] = rs.direct_geometry(robot, 0, 6).compile()(q=x["q"]).reshape(16)
    x["twist_desired"] = rs.jacobian(robot, 6, 0, 6).compile()(q=x["q"]) @ x["qd"]
    still = Oracle(robot, {}).efforts(x["q"], np.zeros(6), np.zeros(6), {})[0]
    law = rs.impedance_control(robot, stiffness=300, damping=30, null_damping=7)
    np.testing.assert_allclose(law.compile()(**x), still - 7 * x["qd"], rtol=1e-9, atol=1e-8)


def test_null_damping_of_redundant_arm() -> None:
    """The acceleration in the null space is -k times the velocity there."""
    robot = rs.load("iiwa14")
    law = rs.operational_control(robot, kp=KP, kd=KD, null_damping=5)
    x = values(law, 2)
    x["T"] = rs.direct_geometry(robot, 0, 7).compile()(q=x["q"]).reshape(16)
    J = rs.jacobian(robot, 7, 0, 7).compile()(q=x["q"])
    null = np.linalg.svd(J)[2][-1]
    oracle = Oracle(robot, {})
    tau = law.compile()(**x)
    bias = oracle.efforts(x["q"], x["qd"], np.zeros(7), {})[0]
    A = np.column_stack([oracle.efforts(x["q"], x["qd"], e, {})[0] - bias for e in np.eye(7)])
    qdd = np.linalg.solve(A, tau - bias)
    np.testing.assert_allclose(null @ qdd, -5 * null @ x["qd"], rtol=1e-6)


@pytest.mark.parametrize("name", ["computed_torque", "predictive_control", "feedforward", "pd_gravity",
                                  "operational_control", "impedance_control", "adaptive_control"])  # fmt: skip
def test_base_parameters_shorten_law(name: str) -> None:
    """They group and remove parameters."""
    robot, law = rs.load("rx90"), getattr(rs, name)
    plain, base = law(robot, base_parameters=False), law(robot, base_parameters=True)
    assert base.operations.total < plain.operations.total
    usual = law(robot)
    assert usual.operations.total == (base if name == "adaptive_control" else plain).operations.total


@pytest.mark.parametrize("law", [rs.computed_torque, rs.feedforward, rs.predictive_control])
def test_rejects_elastic_joint_without_motor(law: Any) -> None:
    robot = rs.load("planar2r").edit({"joint2.eta": 1, "joint2.k": 5})
    with pytest.raises(rs.InputError, match="expected a motor for each degree of freedom"):
        law(robot)
