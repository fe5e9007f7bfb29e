"""Coriolis matrix and Lagrange coefficients against Pinocchio, their definitions, and each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy

import robosym as rs
from cases.dynamic import Array, Case, draw
from evaluation import agree
from robosym.algebra import evaluate
from robosym.dynamics import coriolis_matrix, gravity_torques, inertia_matrix, lagrange, modified_newton_euler
from robosym.dynamics.coriolis import coriolis_entries
from robosym.mechanism.bodies import tree_of


def pure(seed: int, **options: object) -> Case:
    """Return a case without friction, rotors and wrenches."""
    return draw(seed, symbolic=seed % 2 == 0, drives=False, wrenches=False, **options)


def speed_torques(case: Case) -> Array:
    """Return the Coriolis and centrifugal torques by Pinocchio."""
    oracle, zero = case.oracle, np.zeros(case.n)
    moving = oracle.torques(case.vector("q"), case.vector("QP"), zero, case.values)
    return moving - oracle.torques(case.vector("q"), zero, zero, case.values)


@pytest.mark.parametrize("seed", range(40))
def test_coriolis_matrix(seed: int) -> None:
    case = pure(seed)
    C = case.number(coriolis_matrix(case.robot))["C"]
    agree(C @ case.vector("QP"), speed_torques(case))
    step = 1e-5
    before, after = (moved(case, s * case.vector("QP")).inertia() for s in (-step, step))
    difference = (after - before) / (2 * step) - 2 * C
    scale = max(1.0, np.abs(C).max())
    assert np.abs(difference + difference.T).max() < 1e-8 * scale


def moved(case: Case, by: Array) -> Case:
    names = [case.robot.variable(j) for j in case.robot.tree_joints]
    return Case(case.robot, case.values | {n: case.values[n] + s for n, s in zip(names, by, strict=True)})


@pytest.mark.parametrize("seed", range(12))
def test_antisymmetry_is_exact(seed: int) -> None:
    """The rate of A follows from its exact derivative with respect to q."""
    case = pure(seed)
    rates = case.number(inertia_matrix(case.robot).derivative("q"))["dA_dq"].reshape(case.n, case.n, case.n)
    rate = rates @ case.vector("QP")
    C = case.number(coriolis_matrix(case.robot))["C"]
    agree(rate - 2 * C, -(rate - 2 * C).T)


@pytest.mark.parametrize("seed", range(8))
def test_coriolis_runs_on_floats(seed: int) -> None:
    case = pure(seed)
    entries = coriolis_entries(tree_of(case.robot, lambda e: evaluate([e], case.values)[0]))
    joints = case.robot.tree_joints
    found = np.array([[entries.get((i, j), 0) for j in joints] for i in joints])
    agree(found, case.number(coriolis_matrix(case.robot))["C"])


def torques(case: Case, parts: dict[str, Array]) -> Array:
    qd, n = case.vector("QP"), case.n
    pairs = np.array([qd[j] * qd[k] for j in range(n) for k in range(j + 1, n)])
    coriolis = parts["B"] @ pairs if n > 1 else 0
    return parts["A"] @ case.vector("QDP") + coriolis + parts["C"] @ qd**2 + parts["Q"]


@pytest.mark.parametrize("seed", range(40))
def test_customized_lagrange(seed: int) -> None:
    case = pure(seed)
    expected = case.oracle.torques(case.vector("q"), case.vector("QP"), case.vector("QDP"), case.values)
    agree(torques(case, case.number(lagrange(case.robot))), expected)


@pytest.mark.parametrize("seed", range(10))
def test_coefficients_agree_with_guide(seed: int) -> None:
    """Equations 3.6 and 3.7 with exact derivatives of A; Q is the gravity torque."""
    case = draw(seed, links=4, symbolic=True)
    parts, n = case.number(lagrange(case.robot)), case.n
    A = inertia_matrix(case.robot)
    agree(parts["A"], case.number(A)["A"])
    dA = case.number(A.derivative("q"))["dA_dq"].reshape(n, n, n)  # by i, j and the variable k
    pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
    B = [[dA[i, j, k] + dA[i, k, j] - dA[j, k, i] for j, k in pairs] for i in range(n)]
    C = [[dA[i, j, j] - dA[j, j, i] / 2 for j in range(n)] for i in range(n)]
    if pairs:
        agree(parts["B"], np.array(B))
    agree(parts["C"], np.array(C))
    agree(parts["Q"], case.number(gravity_torques(case.robot))["Q"])


@pytest.mark.parametrize("seed", range(8))
def test_expanded_form_has_the_same_values(seed: int) -> None:
    case = draw(seed, links=1 + seed % 4, symbolic=True)
    calls: list[tuple[int, int]] = []
    model = lagrange(case.robot, form="expanded", progress=lambda done, total: calls.append((done, total)))
    found, expected = case.number(model), case.number(lagrange(case.robot))
    for group in expected:
        agree(found[group], expected[group])
    assert calls[0][0] == 0 and calls[-1] == (len(model.output_names),) * 2


def test_expanded_form_is_readable() -> None:
    """Textbook coefficients of the first three axes of the RX90, with summed angles of parallel axes."""
    frames = "[{theta: t1}, {alpha: Pi/2, theta: t2}, {d: D3, theta: t3}]"
    robot = rs.loads(f"name: shoulder\nframes: {frames}\nlinks: symbolic\ngravity: [0, 0, G3]", format="yaml")
    model = lagrange(robot, form="expanded")
    A11, A22 = (sympy.expand(model.expression(name)) for name in ("A11", "A22"))
    XX3, MX3, D3, t2, t3 = (next(s for s in A11.free_symbols if s.name == n) for n in ("XX3", "MX3", "D3", "t2", "t3"))
    assert A11.coeff(XX3) == sympy.sin(t2 + t3) ** 2
    assert A22.coeff(MX3) == 2 * D3 * sympy.cos(t3)
    assert "c23 = cos(" in model.code("listing")
    kept = {value.op for name, value in model.definitions.items() if name not in model.output_names}
    assert kept == {"sin", "cos"}  # only sines and cosines are named


def test_names() -> None:
    model = lagrange(rs.load("planar2r").symbolic())
    assert model.outputs["A"] == (("A11", "A12"), ("A21", "A22"))
    assert model.outputs["B"] == (("B112",), ("B212",))
    assert model.outputs["C"] == (("C11", "C12"), ("C21", "C22"))
    assert model.outputs["Q"] == ("Q1", "Q2")
    with pytest.raises(rs.InputError, match="form"):
        lagrange(rs.load("planar2r"), form="factored")


@pytest.mark.parametrize("function", [coriolis_matrix, lagrange, modified_newton_euler])
def test_closed_robot_needs_tree_structure(function: Callable[..., rs.Model]) -> None:
    with pytest.raises(rs.InputError, match="structure='tree'"):
        function(rs.load("sr400"))
    assert next(iter(function(rs.load("sr400"), structure="tree").outputs)) in "AC"
