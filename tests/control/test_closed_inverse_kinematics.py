"""Inverse kinematics of closed robots by their motors, checked by poses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import robosym as rs
from cases.identification import closing_values, closure
from robosym.control import inverse_kinematics, joint_rates

STEP = 1e-6
TWIST = np.array([0.1, -0.2, 0.15, 0.2, -0.1, 0.3])


@pytest.mark.parametrize(("name", "rows"), [("sr400", None), ("akr3000", (1, 2, 3))])
def test_rates_and_positions_keep_the_loops_closed(name: str, rows: tuple[int, ...] | None) -> None:
    robot = rs.load(name)
    rng = np.random.default_rng(5)
    values = closing_values(robot, rng)
    start, _ = closure(robot, values).sample(rng)
    link = {"sr400": 6, "akr3000": 10}[name]
    solver = inverse_kinematics(robot, link, rows=rows, parameters=values)
    motors = [k for k, j in enumerate(robot.tree_joints) if robot.frame(j).mu]
    pose, chosen = _pose(robot, link, values), [r - 1 for r in rows or range(1, 7)]
    rates = solver.rates(start, TWIST[chosen])
    loops = rs.loop_geometry(robot)
    own = {n: v for n, v in values.items() if n in robot.parameters}
    lengths = {n: own[n] for n in loops.parameters}
    ahead, behind = (loops.near(start[motors] + s * STEP * rates[motors], start, lengths) for s in (1, -1))
    np.testing.assert_allclose((ahead - behind) / (2 * STEP), rates, atol=1e-5 * max(1, np.abs(rates).max()))
    if np.linalg.matrix_rank(solver._jacobian(start), tol=0.02) == len(chosen):
        slope, here = (pose(ahead) - pose(behind)) / (2 * STEP), pose(start)
        turn = slope[:3, :3] @ here[:3, :3].T
        velocity = np.array([*slope[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]])
        np.testing.assert_allclose(velocity[chosen], TWIST[chosen], atol=1e-5)
    goal = loops.near(start[motors] + rng.uniform(-0.03, 0.03, len(motors)), start, lengths)
    found = solver.solve(pose(goal), start)
    np.testing.assert_allclose(loops.near(found[motors], found, lengths), found, atol=1e-8)
    wanted = slice(None) if rows is None else (slice(3), 3)
    np.testing.assert_allclose(pose(found)[wanted], pose(goal)[wanted], atol=1e-7)


def test_rate_model_uses_motors() -> None:
    robot = rs.load("sr400")
    rng = np.random.default_rng(1)
    values = closing_values(robot, rng)
    q, _ = closure(robot, values).sample(rng)
    model = joint_rates(robot, 6)
    assert model.outputs["qd"] == ("QP1", "QP2", "QP4", "QP5", "QP6", "QP7")
    solver = inverse_kinematics(robot, 6, parameters=values)
    given = {n: values[n] for n in model.inputs["parameters"] if n != "lambda2"} | {"lambda2": 0.0}
    found = model.compile()(q=q, twist=TWIST, gradient=np.zeros(6), parameters=given)
    J = solver._jacobian(q)
    np.testing.assert_allclose(J @ found, TWIST, atol=1e-8)


def _pose(robot: rs.Robot, link: int, values: dict[str, float]) -> Callable[[np.ndarray], np.ndarray]:
    model = rs.direct_geometry(robot, 0, link)
    own = {n: values[n] for n in model.inputs.get("parameters", ())}
    f = model.compile()
    return lambda q: np.asarray(f(q=q, parameters=own) if own else f(q=q)).reshape(4, 4)
