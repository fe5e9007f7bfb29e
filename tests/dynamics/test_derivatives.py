"""Exact derivatives of inverse and direct dynamics against Pinocchio's analytical ones."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.dynamic import Array, Case, draw
from evaluation import agree
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
