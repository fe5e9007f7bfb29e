"""Test the symbolic equations of the general method: each stage holds at a configuration of another model."""

from __future__ import annotations

import random

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, place
from evaluation import HAS_GCC, by_c, on_graph, random_values
from long_cases import each_once, quick_and_long
from robosym.algebra import evaluate
from robosym.errors import InputError
from robosym.solve import general_equations


def arm(types, symbolic=False, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for j, kind in enumerate(types, 1):
        row = {"alpha": round(rng.uniform(0.4, 1.2), 2), "d": f"D{j}" if symbolic else round(rng.uniform(0.2, 1), 2)}
        row |= {"theta": f"t{j}", "r": round(rng.uniform(0.2, 1), 2)} if kind == "R" else {
            "sigma": 1, "theta": round(rng.uniform(-2, 2), 2), "r": f"r{j}"}  # fmt: skip
        rows.append(row)
    return build("arm", rows)


def values_of(robot, equations, q):
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(robot.parameters)}
    values |= dict(zip([v for v in robot.variables if v], q, strict=True))
    T = place(robot, values, robot.NF)
    values |= {name: T[k // 4, k % 4] for k, name in enumerate(equations.problem.entries)}
    return values | {f"x_{name}": np.tan(value / 2) for name, value in values.items() if name.startswith("t")}


def matrix(rows, values):
    return np.array([evaluate(row, values) for row in rows])


def vector(labels, values):
    """Return the values of products such as cos(t2)*sin(t3) or x_t2^2*x_t3^1, evaluated by Python."""
    words = {"cos": np.cos, "sin": np.sin, **values}
    return np.array([eval(label.replace("^", "**"), {}, words) for label in labels])


@pytest.mark.parametrize(
    ("case", "symbolic"), each_once([("RRRRRR", 1), ("RRRRRR", 4), ("RPRRRR", 2), ("RRPRRR", 1)], [False, True])
)
def test_every_stage_holds(case, symbolic):
    types, first = case
    robot = arm(types, symbolic)
    equations = general_equations(robot, "determinant", first)
    q = np.array([0.3, 0.5, -0.7, 1.1, 0.4, -0.2])
    values = values_of(robot, equations, q)
    A, B = matrix(equations.A, values), matrix(equations.B, values)
    X1, Y = vector(equations.X1, values), vector(equations.Y, values)
    assert A.shape == (14, 9) and B.shape == (14, 8)
    assert np.abs(A @ X1 - B @ Y).max() < 1e-9
    E = matrix(equations.E, values)
    assert np.abs(E @ X1).max() < 1e-7 * np.abs(E).max()
    Sigma = matrix(equations.Sigma, values)
    assert Sigma.shape == (12, 12)
    assert np.abs(Sigma @ vector(equations.X, values)).max() < 1e-6 * np.abs(Sigma).max()
    [at_solution] = evaluate([equations.determinant], values)
    elsewhere = evaluate([equations.determinant], {**values, equations.x: values[equations.x] + 0.2})[0]
    assert abs(at_solution) < 1e-6 * abs(elsewhere)
    assert np.linalg.det(matrix(equations.Sigma, {**values, equations.x: 0.9})) == pytest.approx(
        evaluate([equations.determinant], {**values, equations.x: 0.9})[0], rel=1e-6
    )


@pytest.mark.parametrize(("name", "first"), [("rx90", 3), ("puma560", 3), ("ur5e", 1)])
def test_merges_dependent_columns(name, first):
    """Intersecting or parallel axes leave four of nine columns and a determinant of four rows."""
    robot = rs.load(name)
    equations = general_equations(robot, "determinant", first)
    assert len(equations.X1) == 4 and len(equations.Sigma) == 4
    assert any(" + " in label for label in equations.X1) is (name == "ur5e")
    values = values_of(robot, equations, np.array([0.3, 0.5, -0.7, 1.1, 0.4, -0.2]))
    left = matrix(equations.A, values) @ vector(equations.X1, values)
    assert np.abs(left - matrix(equations.B, values) @ vector(equations.Y, values)).max() < 1e-9
    at_solution, elsewhere = (
        evaluate([equations.determinant], {**values, equations.x: values[equations.x] + away})[0] for away in (0, 0.2)
    )
    assert abs(at_solution) < 1e-9 * abs(elsewhere)


def test_stop_omits_later_stages():
    equations = general_equations(arm("RRRRRR"), "AB")
    assert equations.E is None and equations.Sigma is None and equations.determinant is None


def test_model_and_errors():
    equations = general_equations(arm("RRRRRR"), "E")
    assert list(equations.model.outputs) == ["A", "B", "E"]
    assert "E_1_1" in equations.model.code("listing")
    with pytest.raises(InputError, match="stop"):
        general_equations(arm("RRRRRR"), "everything")
    with pytest.raises(InputError, match="prismatic"):
        general_equations(arm("RRRPRR"), first=1)
    with pytest.raises(InputError, match="six joints"):
        general_equations(rs.load("scara"))


@pytest.mark.skipif(not HAS_GCC, reason="gcc is not installed")
@pytest.mark.parametrize(("types", "first"), quick_and_long([("RRRRRR", 1), ("RPRRRR", 2)], long=[("RPRRRR", 2)]))
def test_model_names_each_input_once(types, first):
    model = general_equations(arm(types), "E", first).model
    assert len(set(model.inputs["q"])) == len(model.inputs["q"])
    values = random_values(model, random.Random(3))
    np.testing.assert_allclose(by_c(model, values), on_graph(model, values), rtol=1e-12, atol=1e-12)
