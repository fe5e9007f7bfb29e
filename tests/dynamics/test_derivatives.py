"""Exact derivatives of inverse and direct dynamics against Pinocchio's analytical ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.dynamic import Array, Case, draw
from cases.floating import closed, coupled
from evaluation import agree
from oracles.reduced import Reduced
from robosym.dynamics import coriolis_matrix, direct_dynamics, inertia_matrix, inverse_dynamics


def reordered(case: Case, table: Array) -> Array:
    oracle = case.oracle
    at = {j: joint.idx_v for joint, j in zip(oracle._joints(), oracle.order, strict=True)}
    order = [at[j] for j in case.robot.tree_joints]
    return np.array(table)[np.ix_(order, order)]


@pytest.mark.parametrize("seed", range(20))
def test_inverse_dynamics(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, drives=False, wrenches=False)
    oracle = case.oracle
    motion = oracle.q(case.vector("q")), oracle.v(case.vector("QP")), oracle.v(case.vector("QDP"))
    by_q, by_v, by_a = pin.computeRNEADerivatives(oracle.model, oracle.data, *motion)
    found = case.number(inverse_dynamics(case.robot).derivative("q", "qd", "qdd"))
    agree(found["dtau_dq"], reordered(case, by_q))
    agree(found["dtau_dqd"], reordered(case, by_v))
    agree(found["dtau_dqdd"], reordered(case, np.triu(by_a) + np.triu(by_a, 1).T))


@pytest.mark.parametrize("route", ["recursive", "cholesky"])
@pytest.mark.parametrize("seed", range(12))
def test_direct_dynamics(seed: int, route: str) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, drives=False, wrenches=False)
    oracle = case.oracle
    motion = oracle.q(case.vector("q")), oracle.v(case.vector("QP")), oracle.v(case.vector("GAM"))
    by_q, by_v, by_tau = pin.computeABADerivatives(oracle.model, oracle.data, *motion)
    found = case.number(direct_dynamics(case.robot, route=route).derivative("q", "qd", "tau"))
    agree(found["dqdd_dq"], reordered(case, by_q), 1e-10)
    agree(found["dqdd_dqd"], reordered(case, by_v), 1e-10)
    agree(found["dqdd_dtau"], reordered(case, by_tau), 1e-10)


def test_velocity_derivative_is_twice_coriolis_matrix() -> None:
    case = draw(4, links=6, symbolic=True, drives=False)
    slope = case.number(inverse_dynamics(case.robot).derivative("qd"))["dtau_dqd"]
    agree(slope, 2 * case.number(coriolis_matrix(case.robot))["C"])


def test_names_and_errors() -> None:
    model = inverse_dynamics(rs.load("planar2r").symbolic())
    slope = model.derivative("q")
    assert slope.outputs == {"dtau_dq": (("dGAM1_dt1", "dGAM1_dt2"), ("dGAM2_dt1", "dGAM2_dt2"))}
    assert slope.operations.total > 0
    assert model.outputs == {"tau": ("GAM1", "GAM2")}
    assert inertia_matrix(rs.load("planar2r")).derivative("q").outputs["dA_dq"][3] == ("dA22_dt1", "dA22_dt2")
    with pytest.raises(rs.InputError, match="tau"):
        model.derivative("tau")
    with pytest.raises(rs.InputError, match="found none"):
        model.derivative()


# ------------------------------------------------------------------ closed robots


@pytest.mark.parametrize("make", [closed, coupled])
def test_joints_of_loops_move_together(make: Callable[[str], rs.Robot]) -> None:
    """Differences of the torques of Pinocchio's constrained tree at positions with closed loops."""
    robot = make("floating").edit({"base.type": "fixed"})
    robot = robot.edit({f"link{j}.FS": 0 for j in range(1, robot.NL + 1)})
    geometry = rs.loop_geometry(robot) if robot.loops else None
    y, rates, changes = np.array([0.2, 1.3, 0.1]), np.array([0.4, -0.3, 0.6]), np.array([-0.2, 0.5, 0.3])
    start = None if geometry is None else np.array(geometry.solve(y)[0])

    def position(y: Array) -> Array:
        if geometry is None:
            return np.array([y[0], y[1], 2 * y[1] + 0.1, y[2]])
        return np.array(geometry.near(y, start))

    def torques(y: Array) -> Array:
        s = Reduced(robot, position(y), np.random.default_rng(0))
        s.y, s.yd, s.qd = rates, changes, s.G @ rates
        s.pin_v = s.oracle.v(s.qd)
        s.drift = s._drift()
        s.qdd = s.G @ changes + s.drift
        return np.asarray(s.tau)

    model, h = rs.inverse_dynamics(robot), 1e-5
    given = {"q": position(y), "qd": rates, "qdd": changes}
    right = np.array([(torques(y + h * e) - torques(y - h * e)) / (2 * h) for e in np.eye(3)]).T
    slope = model.derivative("q")
    np.testing.assert_allclose(slope.compile()(**given), right, rtol=1e-6, atol=1e-6)
    names = [name.removeprefix("dGAM1_d") for name in slope.outputs["dtau_dq"][0]]
    assert names == [robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu]
    weights, along = np.array([0.7, -0.4, 1.1]), np.array([0.3, 0.8, -0.5])
    gradient = model.gradient("q")
    np.testing.assert_allclose(gradient.compile()(**given, weights=weights), weights @ right, rtol=1e-6, atol=1e-6)
    product, step = gradient.gradient("q").compile(), 1e-4
    ends = [weights @ (torques(y + s * step * along) - 2 * torques(y) + torques(y - s * step * along)) for s in (1, 2)]
    second = (4 * ends[0] - ends[1] / 4) / (3 * step**2)  # v^T H v
    assert along @ product(**given, weights=weights, weight_r=along) == pytest.approx(second, rel=1e-4)
    assert np.shape(model.derivative("q", along="joints").compile()(**given)) == (3, len(robot.tree_joints))
    equivalent = rs.inverse_dynamics(robot, structure="tree").derivative("q")
    assert len(equivalent.outputs["dtau_dq"][0]) == len(robot.tree_joints)


@pytest.mark.parametrize("seed", range(4))
def test_gradient_of_a_gradient_is_a_hessian_times_a_vector(seed: int) -> None:
    case = draw(seed, links=4, symbolic=False, drives=False, wrenches=False)
    model, rng = inverse_dynamics(case.robot), np.random.default_rng(seed)
    given = {"q": case.vector("q"), "qd": case.vector("QP"), "qdd": case.vector("QDP")}
    weights, along = rng.uniform(-1, 1, (2, case.n))
    first = model.gradient("q")
    found = first.gradient("q", "qd").compile()(**given, weights=weights, weight_r=along)
    oracle, h = case.oracle, 1e-5

    def slopes(q: Array) -> tuple[Array, Array]:
        motion = oracle.q(q), oracle.v(given["qd"]), oracle.v(given["qdd"])
        by_q, by_v, _ = pin.computeRNEADerivatives(oracle.model, oracle.data, *motion)
        return weights @ reordered(case, by_q), weights @ reordered(case, by_v)

    ends = [slopes(given["q"] + sign * h * along) for sign in (1, -1)]
    for own, plus, minus in zip(found, *ends, strict=True):
        np.testing.assert_allclose(own, (plus - minus) / (2 * h), rtol=1e-5, atol=1e-5)


def test_directions_need_loops() -> None:
    with pytest.raises(rs.InputError, match="robot with closed loops or coupled joints"):
        rs.inverse_dynamics("planar2r").derivative("q", along="loops")
    with pytest.raises(rs.InputError, match="along: expected 'loops' or 'joints'"):
        rs.inverse_dynamics("planar2r").gradient("q", along="x")  # type: ignore[arg-type]
