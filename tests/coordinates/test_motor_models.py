"""Test models of coupled motors against Pinocchio: motions are mapped by K, efforts by virtual work."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import robosym as rs
from oracles.pinocchio import Oracle

K = [[1, 0, 0, 0, 0, 0], [0, 0.5, 0, 0, 0, 0], [0, -0.5, 0.7, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0.2, 1, 0],
     [0, 0, 0, 0.1, "1/4", -1]]  # fmt: skip
Q0 = [0.1, -0.2, 0.3, 0, 0, 0.5]
NUMBERS = np.array([[float(Fraction(str(v))) for v in row] for row in K])


def test_models_agree_with_joint_models() -> None:
    robot = rs.load("ur5e")
    driven = robot.with_transmission(K, Q0)
    oracle = Oracle(robot, {})
    rng = np.random.default_rng(1)
    qc, qcd, qcdd = rng.uniform(-1, 1, (3, 6))
    q, qd, qdd = NUMBERS @ qc + Q0, NUMBERS @ qcd, NUMBERS @ qcdd
    tau = oracle.torques(q, qd, qdd, {})
    found = rs.inverse_dynamics(driven).compile()(q=qc, qd=qcd, qdd=qcdd)
    assert np.allclose(found, NUMBERS.T @ tau, atol=1e-9)
    assert found @ qcd == pytest.approx(tau @ qd, abs=1e-9)  # equal power
    A = rs.inertia_matrix(driven).compile()(q=qc)
    H = rs.bias_torques(driven).compile()(q=qc, qd=qcd)
    assert np.allclose(A @ qcdd + H, found, atol=1e-9)
    assert np.allclose(rs.direct_dynamics(driven).compile()(q=qc, qd=qcd, tau=found), qcdd, atol=1e-8)
    D = rs.dynamic_identification(driven)
    assert np.allclose(
        D.compile()(q=qc, qd=qcd, qdd=qcdd),
        NUMBERS.T @ rs.dynamic_identification(robot).compile()(q=q, qd=qd, qdd=qdd), atol=1e-9,
    )  # fmt: skip
    J = rs.jacobian(robot, 6).compile()(q=q)
    assert np.allclose(rs.jacobian(driven, 6).compile()(q=qc) @ qcd, J @ qd, atol=1e-10)
    assert np.allclose(rs.direct_geometry(driven, 0, 6).compile()(q=qc), rs.direct_geometry(robot, 0, 6).compile()(q=q))
    assert rs.inverse_dynamics(driven).code("c") and driven.joint_names[0] == "qc1"


def test_fewer_motors_than_joints_and_symbols() -> None:
    robot = rs.Robot.new(2).edit({"frame2.d": "L", "frame1.alpha": "Pi/2"})
    driven = robot.with_transmission([["R"], [1]])
    model = rs.inverse_dynamics(driven)
    assert model.inputs["q"] == ("qc1",) and "R" in model.inputs["parameters"] and model.outputs["tau"] == ("GAMC1",)
    joints = rs.inverse_dynamics(robot)
    values = {n: 0.3 + 0.1 * k for k, n in enumerate(model.inputs["parameters"])} | {"R": -2.0}
    g = {"gravity": [-9.81]} if "gravity" in model.inputs else {}
    tau = joints.compile()(
        q=[-0.8, 0.4], qd=[1.0, -0.5], qdd=[-0.6, 0.3],
        parameters={n: values[n] for n in joints.inputs["parameters"]}, **g,
    )  # fmt: skip
    found = model.compile()(q=[0.4], qd=[-0.5], qdd=[0.3], parameters=values, **g)
    assert np.allclose(found, [-2 * tau[0] + tau[1]])


def test_rejects_invalid_transmissions() -> None:
    robot = rs.load("planar2r")
    with pytest.raises(rs.InputError, match="K: expected 2 rows of at most 2 entries, found 1 rows of 2"):
        robot.with_transmission([[1, 0]])
    with pytest.raises(rs.InputError, match="expected linearly independent columns"):
        robot.with_transmission([[1, 2], [1, 2]])
    with pytest.raises(rs.InputError, match="q0: expected 2 entries"):
        robot.with_transmission([[1, 0], [0, 1]], [1])
    with pytest.raises(rs.InputError, match="neither loops nor elastic joints"):
        rs.load("sr400").with_transmission([[1]])
    driven = robot.with_transmission([[1, 0], [1, 1]])
    for function in (rs.lagrange, rs.coriolis_matrix):
        with pytest.raises(rs.InputError, match=rf"{function.__name__} does not take .* pass robot.in_joints\(\)"):
            function(driven)


def test_transmission_of_a_robot_with_couplings() -> None:
    """K has rows for the uncoupled joints or for all; efforts are those of Pinocchio's tree times K^T."""
    text = """
    name: coupled
    frames: [{theta: t1}, {alpha: Pi/2, d: 0.3, theta: t2}, {d: 0.4, theta: t3, mu: 0}]
    links: [{M: 2, MX: 0.3, YY: 0.2, ZZ: 0.2}, {M: 3, MX: 0.5, YY: 0.3, ZZ: 0.3, FV: 0.4}, {M: 1, ZZ: 0.1, XX: 0.1}]
    couplings: {t3: -1.5*t2 + 0.1}
    gravity: [0, 0, -9.81]
    """
    robot = rs.loads("\n".join(line[4:] for line in text.strip("\n").splitlines()), "yaml")
    K = np.array([[1, 0], [0.25, 0.5]])
    full = np.vstack([K, -1.5 * K[1]])
    tree = rs.loads(robot.dumps("yaml").replace("couplings", "# couplings"), "yaml")
    oracle = Oracle(tree, {})
    rng = np.random.default_rng(2)
    qc, qcd, qcdd = rng.uniform(-1, 1, (3, 2))
    q = full @ qc + [0.2, 0.3, -1.5 * 0.3 + 0.1]
    tau = oracle.torques(q, full @ qcd, full @ qcdd, {})
    for given, q0 in ((K, [0.2, 0.3]), (full, [0.2, 0.3, -1.5 * 0.3 + 0.1])):
        driven = robot.with_transmission(given.tolist(), q0)
        found = rs.inverse_dynamics(driven).compile()(q=qc, qd=qcd, qdd=qcdd)
        assert np.allclose(found, full.T @ tau, atol=1e-9)
        assert np.allclose(rs.direct_dynamics(driven).compile()(q=qc, qd=qcd, tau=found), qcdd, atol=1e-8)
    with pytest.raises(rs.InputError, match="row of t3 contradicts its coupling"):
        robot.with_transmission([[1, 0], [0, 1], [0, 1]])
    with pytest.raises(rs.InputError, match="expected 2 rows, of the joints t1, t2"):
        robot.with_transmission([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
