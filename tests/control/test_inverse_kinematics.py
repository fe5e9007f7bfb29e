"""The numeric inverse kinematic model, checked with the pseudo-inverse of NumPy and with poses."""

from __future__ import annotations

import numpy as np
import pytest

from cases.kinematic import Array
from robosym.control import inverse_kinematics, joint_limits, joint_rates
from robosym.errors import InputError
from robosym.formats import load
from robosym.kinematics import direct_geometry, jacobian

LENGTHS = {"D3": 0.45, "RL4": 0.45}
Q6 = np.array([0.3, -0.7, 0.9, 0.4, 1.1, -0.2])
Q7 = np.array([0.3, -0.7, 0.4, 1.2, 0.5, -0.9, 0.2])
TWIST = np.array([0.1, -0.2, 0.3, 0.2, -0.1, 0.4])


def jacobian_at(name: str, q: Array, parameters: dict[str, float] | None = None) -> Array:
    robot = load(name)
    given = {"parameters": parameters} if parameters else {}
    return np.asarray(jacobian(robot, robot.NL).compile()(q=q, **given))


def test_regular_rates_give_the_velocity() -> None:
    solver = inverse_kinematics(load("rx90"), 6, parameters=LENGTHS)
    np.testing.assert_allclose(jacobian_at("rx90", Q6, LENGTHS) @ solver.rates(Q6, TWIST), TWIST, atol=1e-12)


def test_redundant_rates_match_pseudo_inverse() -> None:
    solver = inverse_kinematics(load("lwr"), 7)
    J, z = jacobian_at("lwr", Q7), np.linspace(-1, 1, 7)
    inverse = np.linalg.pinv(J)
    expected = inverse @ TWIST + (np.eye(7) - inverse @ J) @ z
    np.testing.assert_allclose(solver.rates(Q7, TWIST, z), expected, atol=1e-10)


def test_rates_are_bounded_in_singular_position() -> None:
    solver = inverse_kinematics(load("rx90"), 6, parameters=LENGTHS)
    for t5 in (0.0, 1e-9, 1e-3):
        q = Q6.copy()
        q[4] = t5
        assert np.abs(solver.rates(q, TWIST)).max() < 20 * np.abs(TWIST).max()


@pytest.mark.parametrize("name", ["rx90", "lwr"])
def test_compiled_model_agrees(name: str) -> None:
    robot = load(name)
    q = Q6 if name == "rx90" else Q7
    parameters = dict(LENGTHS) if name == "rx90" else {}
    z = np.linspace(-0.5, 0.5, q.size)
    model = joint_rates(robot, robot.NL)
    assert list(model.inputs)[:3] == ["q", "twist", "gradient"]
    exact = model.compile()(q=q, twist=TWIST, gradient=z, parameters=parameters | {"lambda2": 0.0})
    solver = inverse_kinematics(robot, robot.NL, parameters=parameters)
    np.testing.assert_allclose(exact, solver.rates(q, TWIST, z), atol=1e-9)
    damped = model.compile()(q=q, twist=TWIST, gradient=z, parameters=parameters | {"lambda2": 0.04})
    J = jacobian_at(name, q, parameters)
    expected = z + J.T @ np.linalg.solve(J @ J.T + 0.04 * np.eye(6), TWIST - J @ z)
    np.testing.assert_allclose(damped, expected, atol=1e-11)


def test_compiled_model_with_fewer_joints_than_rows() -> None:
    robot = load("scara")
    model = joint_rates(robot, 4)
    q = np.array([0.3, 0.8, 0.2, -0.4])
    found = model.compile()(q=q, twist=TWIST, gradient=np.zeros(4), parameters={"lambda2": 0.0})
    expected = np.linalg.lstsq(jacobian_at("scara", q), TWIST, rcond=None)[0]
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_solve_reaches_the_pose(seed: int) -> None:
    robot, rng = load("lwr"), np.random.default_rng(seed)
    pose = direct_geometry(robot, 0, 7).compile()
    solver = inverse_kinematics(robot, 7)
    goal = pose(q=rng.uniform(-1.2, 1.2, 7))
    start = rng.uniform(-1.2, 1.2, 7)
    for criterion in (None, solver.towards_manipulability, joint_limits(np.full(7, -3.0), np.full(7, 3.0))):
        found = solver.solve(goal, start, criterion)
        np.testing.assert_allclose(pose(q=found), goal, atol=1e-7)


def test_criteria_improve() -> None:
    solver = inverse_kinematics(load("lwr"), 7)
    goal = direct_geometry(load("lwr"), 0, 7).compile()(q=Q7)
    middle = Q7 + np.array([0.8, 0, -0.9, 0, 0.7, 0, -0.6])
    low, high = middle - 2, middle + 2
    q = solver.solve(goal, Q7, joint_limits(low, high), gain=5.0)
    assert np.linalg.norm(q - middle) < 0.8 * np.linalg.norm(Q7 - middle)
    better = Q7 + 1e-4 * solver.rates(Q7, np.zeros(6), solver.towards_manipulability(Q7))
    assert solver.manipulability(better) > solver.manipulability(Q7)


def test_rejects_unreachable_pose() -> None:
    goal = np.eye(4)
    goal[:3, 3] = 5
    with pytest.raises(InputError, match="from the pose of link 7"):
        inverse_kinematics(load("lwr"), 7).solve(goal, Q7)


def test_rejects_missing_parameters_and_wrong_limits() -> None:
    with pytest.raises(InputError, match="parameters: expected values for D3, RL4"):
        inverse_kinematics(load("rx90"), 6).rates(Q6, TWIST)
    with pytest.raises(InputError, match="joint limits"):
        joint_limits([1, 2], [2, 2])


def test_joint_limits_criterion_is_gradient() -> None:
    low, high = np.array([-1.0, -0.5, 0.2]), np.array([2.0, 0.1, 5.0])
    q = np.array([1.4, 0.3, 0.9])

    def cost(q: Array) -> float:
        return float(np.mean(((q - (low + high) / 2) / (high - low)) ** 2))

    slope = [(cost(q + step) - cost(q - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(joint_limits(low, high)(q), np.negative(slope), rtol=1e-6)


@pytest.mark.parametrize("t5", [0.0, 0.004, 0.012, 0.5])
def test_damped_least_squares_near_singular_position(t5: float) -> None:
    """The damping grows from 0 at the threshold to its full value in the singular position."""
    solver = inverse_kinematics(load("rx90"), 6, parameters=LENGTHS)
    q = Q6.copy()
    q[4] = t5
    J = jacobian_at("rx90", q, LENGTHS)
    least = np.linalg.svd(J, compute_uv=False)[-1]
    threshold, damping = 0.02, 0.3
    share = max(0.0, 1 - (least / threshold) ** 2)
    assert (share > 0) == (t5 < 0.1)
    damped = np.vstack([J, np.sqrt(share) * damping * np.eye(6)])
    expected = np.linalg.lstsq(damped, np.concatenate([TWIST, np.zeros(6)]), rcond=None)[0]
    np.testing.assert_allclose(solver.rates(q, TWIST, threshold=threshold, damping=damping), expected, atol=1e-9)


@pytest.mark.parametrize("link", [3, 6])
def test_manipulability_gradient_matches_differences(link: int) -> None:
    """Include a link in the middle of the arm, which later joints do not move."""
    solver = inverse_kinematics(load("ur10e"), link)
    values = [[solver.manipulability(Q6 + sign * step) for sign in (1, -1)] for step in 1e-4 * np.eye(6)]
    slope = [(up - down) / 2e-4 for up, down in values]
    assert np.abs(slope).max() > 0.01
    np.testing.assert_allclose(solver.towards_manipulability(Q6), slope, atol=1e-6)
