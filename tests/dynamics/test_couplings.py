"""Coupled joints without a degree of freedom: torques by virtual work on Pinocchio's tree."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.algebra import evaluate
from robosym.errors import FormatError, InputError
from robosym.mechanism import DRIVE, INERTIA

TEXT = """
name: geared
frames:
  - {theta: t1}
  - {alpha: Pi/2, d: 0.3, theta: t2}
  - {d: 0.5, theta: t3}
  - {d: 0.4, alpha: 0.6, theta: t4}
  - {ant: 2, sigma: 1, alpha: 0.4, d: 0.1, r: r5}
links:
  1: {M: 2.0, com: [0.1, 0.02, 0.03], inertia: [0.2, 0.01, 0.02, 0.2, 0.03, 0.25]}
  2: {M: 1.5, com: [0.05, -0.04, 0.2], inertia: [0.2, 0.01, -0.02, 0.25, 0.03, 0.1], IA: 0.2}
  3: {M: 0.7, com: [0.1, 0.1, 0.1], inertia: [0.02, 0.001, 0.002, 0.025, 0.003, 0.02], FV: 0.3}
  4: {M: 0.4, com: [0.2, 0.1, 0.1], inertia: [0.02, 0.001, 0.002, 0.025, 0.003, 0.02]}
  5: {M: 0.3, com: [0.0, 0.1, 0.2], inertia: [0.02, 0.001, 0.002, 0.025, 0.003, 0.02]}
gravity: [0, 0, -9.81]
couplings: {t3: 2*t2 + 0.1, r5: 0.3*t4 - t1/5}
"""
#: rows: t1 t2 t3 t4 r5, columns: the motors t1 t2 t4
G = np.array([[1, 0, 0], [0, 1, 0], [0, 2, 0], [0, 0, 1], [-0.2, 0, 0.3]])


def state(seed: int) -> tuple[np.ndarray, ...]:
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 3))
    return G @ q + np.array([0, 0, 0.1, 0, 0]), q, qd, qdd


@pytest.fixture(scope="module")
def robot() -> rs.Robot:
    return rs.loads(TEXT, "yaml")


def test_torques_and_accelerations_by_virtual_work(robot: rs.Robot) -> None:
    oracle = Oracle(robot, {})
    inverse, direct = rs.inverse_dynamics(robot).compile(), rs.direct_dynamics(robot).compile()
    masses, bias, weight = (f(robot).compile() for f in (rs.inertia_matrix, rs.bias_torques, rs.gravity_torques))
    regressor = rs.dynamic_identification(robot.symbolic())
    fields = (*INERTIA, *DRIVE)
    values = {f"{field}{j}": evaluate([getattr(robot.link(j), field)], {})[0] for j in range(1, 6) for field in fields}
    assert inverse.model.outputs["tau"] == ("GAM1", "GAM2", "GAM4")
    for seed in range(20):
        q, _, qd, qdd = state(seed)

        def torques(rates: np.ndarray, accelerations: np.ndarray, q: np.ndarray = q) -> np.ndarray:
            return G.T @ oracle.torques(q, G @ rates, G @ accelerations, {})

        expected, still = torques(qd, qdd), np.zeros(3)
        np.testing.assert_allclose(inverse(q=q, qd=qd, qdd=qdd), expected, atol=1e-10)
        found = direct(q=q, qd=qd, tau=expected)
        np.testing.assert_allclose(found[0], qdd, atol=1e-9)
        np.testing.assert_allclose(bias(q=q, qd=qd), torques(qd, still), atol=1e-10)
        np.testing.assert_allclose(weight(q=q), torques(still, still), atol=1e-10)
        parameters = regressor.compile()(q=q, qd=qd, qdd=qdd) @ [values[name] for name in regressor.columns]
        np.testing.assert_allclose(parameters, expected, atol=1e-10)
        columns = [torques(still, unit) - torques(still, still) for unit in np.eye(3)]
        np.testing.assert_allclose(masses(q=q), np.array(columns).T, atol=1e-10)


def test_positions_and_rates(robot: rs.Robot) -> None:
    model = rs.loop_geometry(robot)
    q, motors, _, _ = state(1)
    assert model.known == ("t1", "t2", "t4")
    np.testing.assert_allclose(model.solve(motors)[0], q, atol=1e-12)
    np.testing.assert_allclose(model.near(motors, q + 0.1), q, atol=1e-9)
    loops = rs.loop_kinematics(robot)
    np.testing.assert_allclose(loops.solution().compile()(q=q), G[[2, 4]], atol=1e-12)
    tree = rs.jacobian(robot, 4, projection=0, intermediate=4, active=False).compile()(q=q)
    by_motors = loops.jacobian(4).compile()(q=q)
    np.testing.assert_allclose(rs.jacobian(robot, 4).compile()(q=q), by_motors, atol=1e-12)
    np.testing.assert_allclose(by_motors, tree @ G[:4], atol=1e-12)


def test_round_trip(robot: rs.Robot) -> None:
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot
    assert robot.frame(3).mu == 0 and robot.couplings["t3"].ratios == {"t2": 2.0}
    tree = rs.inverse_dynamics(robot, structure="tree")
    assert tree.outputs["tau"] == ("GAM1", "GAM2", "GAM3", "GAM4", "GAM5")
    with pytest.raises(InputError, match="coupled joints: pass structure='tree'"):
        rs.lagrange(robot)


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("t3: sin(t2)", "expected a linear relation with numbers, such as 2\\*t2"),
        ("t3: t2*t4", "expected a linear relation"),
        ("t3: K*t2", "linear relation"),
        ("t3: 0.4", "to other joints"),
        ("t3: 2*t9", "t9 is not a joint variable"),
        ("t8: 2*t2", "t8 is not a joint variable"),
        ("t3: 2*t3", "t3 is a coupled joint"),
        ("t3: 2*t2, t4: t3", "t3 is a coupled joint"),
    ],
)
def test_rejects_invalid_couplings(relation: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as error:
        rs.loads(TEXT.replace("t3: 2*t2 + 0.1, r5: 0.3*t4 - t1/5", relation), "yaml")
    assert error.value.line == 16
