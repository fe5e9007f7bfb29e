"""Test LuGre friction against SciPy's solution of its equations and its known properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import robosym as rs

#: Canudas de Wit et al. 1995, table I
STIFFNESS, DAMPING, VISCOUS, COULOMB, STRIBECK, SPEED = 1e5, 316.0, 0.4, 1.0, 0.5, 0.001
BRISTLES = (STIFFNESS, DAMPING)


def block(mass: float = 1.0, more: str = "", friction: str = f"FB: {STRIBECK}, stribeck: {SPEED}") -> rs.Robot:
    text = f"""
name: block
frames:
  - {{sigma: 1, r: x}}
links:
  1: {{M: {mass}, FS: {COULOMB}, FV: {VISCOUS}, friction: {{{friction}}}}}
gravity: [0, 0, 0]
{more}
"""
    return rs.loads(text, format="yaml")


def level(speed: float) -> float:
    return COULOMB + STRIBECK * float(np.exp(-((speed / SPEED) ** 2)))


def force(t: float) -> list[float]:
    return [1.2 * np.sin(2 * t) + 0.5 * t]


def test_motion_agrees_with_scipy() -> None:
    def slope(t: float, y: np.ndarray) -> list[float]:
        _, v, z = y
        rate = v - STIFFNESS * abs(v) * z / level(v)
        return [v, force(t)[0] - STIFFNESS * z - DAMPING * rate - VISCOUS * v, rate]

    run = rs.simulate(block(), torque=force, until=0.8, step=2e-5, every=500, friction="lugre", bristles=BRISTLES)
    right = solve_ivp(slope, (0, 0.8), [0, 0, 0], method="Radau", t_eval=run.t, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(run.q[:, 0], right.y[0], atol=1e-8)
    np.testing.assert_allclose(run.state("bristles")[:, 0], right.y[2], atol=1e-8)
    assert run.q[-1, 0] > 1e-3 and np.abs(run.balance).max() < 1e-3 * run.work["friction"][-1]
    stiff: dict[str, Any] = {"bristles": {"x": BRISTLES}, "method": "radau"}
    same = rs.simulate(block(), torque=force, until=0.8, step=0.01, friction="lugre", **stiff)
    np.testing.assert_allclose(same.q[:, 0], right.y[0], atol=1e-7)


def test_joint_bends_before_it_slides_and_slides_at_the_described_level() -> None:
    bent = rs.simulate(block(), torque=[0.3], until=0.2, step=2e-5, every=100, friction="lugre", bristles=BRISTLES)
    np.testing.assert_allclose(bent.state("bristles")[-1], 0.3 / STIFFNESS, rtol=1e-3)
    assert 0 < bent.q[-1, 0] < 2e-5
    for speed in (0.0008, 0.3):
        torque = level(speed) + VISCOUS * speed
        start = {"bristles": [level(speed) / STIFFNESS]}
        run = rs.simulate(
            block(1e4), qd=[speed], torque=[torque], until=0.05, step=2e-6 / speed**0.3, every=50, friction="lugre",
            bristles=BRISTLES, memory=start,
        )  # fmt: skip
        np.testing.assert_allclose(run.qd[-1], speed, rtol=1e-6)


@pytest.mark.parametrize(
    ("robot", "given", "words"),
    [
        (block(), {"friction": "lugre"}, "requires the stiffness and the damping"),
        (block(), {"bristles": BRISTLES}, "bristles: expected none"),
        (block(), {"friction": "lugre", "bristles": (-1, 0)}, "expected a positive stiffness"),
        (block(), {"friction": "lugre", "bristles": (1, 2, 3)}, "joint 1: expected 2 numbers"),
        (block(), {"friction": "lugre", "bristles": {"y": BRISTLES}}, "bristles: "),
        (block(friction="FL: 0.1"), {"friction": "lugre", "bristles": BRISTLES}, "found FL of joint 1"),
        (block(), {"friction": "luger", "bristles": BRISTLES}, "expected 'stick', 'smooth', 'sign' or 'lugre'"),
    ],
)
def test_rejects_invalid_arguments(robot: rs.Robot, given: dict[str, Any], words: str) -> None:
    with pytest.raises(rs.InputError, match=words):
        rs.simulate(robot, until=0.1, **given)


def test_law_and_limits_act_beside_the_bristles() -> None:
    robot = rs.load("planar2r").edit({"link1.FS": 0.5, "link2.FS": 0.2})
    law = rs.pd_gravity(robot, kp=60, kd=15)
    run = rs.simulate(
        robot, [0.1, 0.1], controller=law, reference=[0.4, 0.3], until=3, step=1e-4, every=20, friction="lugre",
        bristles=(2e3, 20), actuators={1: rs.Actuator(30), 2: rs.Actuator(10)},
    )  # fmt: skip
    assert np.abs(run.tau).max(axis=0)[0] <= 30 + 1e-9
    away = np.abs(run.q[-1] - [0.4, 0.3])
    assert (away < np.array([0.5, 0.2]) / 60 * 1.1).all() and np.abs(run.qd[-1]).max() < 1e-3
    assert np.abs(run.balance).max() < 1e-2
