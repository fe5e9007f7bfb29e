"""Test Jacobians of closed robots with respect to their motors against finite differences with closed loops."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.identification import closing_values, closure

STEP = 1e-6


@pytest.mark.parametrize("name", ["sr400", "akr3000"])
def test_jacobian_agrees_with_finite_differences(name: str) -> None:
    robot = rs.load(name)
    rng = np.random.default_rng(2)
    values = closing_values(robot, rng)
    closed = closure(robot, values)
    start, basis = closed.sample(rng)
    link = max(j for j in robot.tree_joints if robot.frame(j).mu)
    J = rs.jacobian(robot, link)
    assert J.joints == tuple(j for j in robot.tree_joints if robot.frame(j).mu) and J.active
    places = [robot.tree_joints.index(j) for j in J.joints]
    rates = basis @ np.linalg.pinv(basis[places])  # rates of all joints from those of the motors
    given = {n: values[n] for n in J.inputs.get("parameters", ())}
    f = J.compile()
    found = f(q=start, parameters=given) if given else f(q=start)
    pose = rs.direct_geometry(robot, 0, link)
    own = {n: values[n] for n in pose.inputs.get("parameters", ())}
    g = pose.compile()
    for column in range(len(places)):
        ahead, behind = (
            g(q=start + s * STEP * rates[:, column], **({"parameters": own} if own else {})) for s in (1, -1)
        )
        slope = (ahead - behind) / (2 * STEP)
        here = (ahead + behind) / 2
        turn = slope[:3, :3] @ here[:3, :3].T
        expected = [*slope[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]]
        assert np.allclose(found[:, column], expected, atol=1e-6)


def test_determinant_inverse_and_singularities() -> None:
    robot = rs.load("sr400")
    rng = np.random.default_rng(3)
    values = closing_values(robot, rng)
    q, _ = closure(robot, values).sample(rng)
    J = rs.jacobian(robot, 6)
    at = {group: [values[n] for n in names] for group, names in J.inputs.items() if group == "parameters"}
    matrix = J.compile()(q=q, **at)

    def numbers(model: rs.Model) -> np.ndarray:
        given = {n: values[n] for n in model.inputs.get("parameters", ())}
        joints = dict(zip((robot.variable(j) for j in robot.tree_joints), q, strict=True))
        needed = [joints[n] for n in model.inputs["q"]]
        return np.asarray(model.compile()(q=needed, **({"parameters": given} if given else {})))

    if abs(np.linalg.det(matrix)) > 1e-9:
        assert np.allclose(numbers(J.inverse()) @ matrix, np.eye(6), atol=1e-8)
    assert numbers(J.determinant()).item() == pytest.approx(np.linalg.det(matrix), rel=1e-8)
    assert len(J.singularities()) == 3
    assert rs.jacobian(robot, 6, active=False).joints != J.joints


def test_lumped_axes_are_perpendicular() -> None:
    """The machine of the guide's example 1.5 translates along x and y and rotates about z."""
    robot = rs.load("lumped2axis")
    for j, axis in {1: 2, 2: 1, 3: 0, 4: 0, 5: 0, 6: 2, 7: 0, 8: 1, 9: 1, 10: 1, 11: 1, 13: 0}.items():
        model = rs.direct_geometry(robot, 0, j)
        given = {"parameters": [0.3] * len(model.inputs["parameters"])} if "parameters" in model.inputs else {}
        T = np.asarray(model.compile()(q=[0.0] * len(model.inputs["q"]), **given))
        assert abs(T[axis, 2]) == pytest.approx(1), j
