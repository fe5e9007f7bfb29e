"""Cable tensions: balance, bounds, distance from the middle, and rejected input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import robosym as rs
from robosym.spatial.numeric import rigid

CABLE8 = rs.load("cable8")
POINTS = [
    ([-2, -1.5, 2.5], [0.15, -0.15, 0.15]), ([-2, -1.5, 2.3], [-0.15, 0.15, -0.15]),
    ([2, -1.5, 2.5], [-0.15, -0.15, 0.15]), ([2, -1.5, 2.3], [0.15, 0.15, -0.15]),
    ([2, 1.5, 2.5], [-0.15, 0.15, 0.15]), ([2, 1.5, 2.3], [0.15, -0.15, -0.15]),
    ([-2, 1.5, 2.5], [0.15, 0.15, 0.15]), ([-2, 1.5, 2.3], [-0.15, -0.15, -0.15]),
]  # fmt: skip


def wrench(T: np.ndarray, tensions: np.ndarray) -> np.ndarray:
    """Return the wrench of the cables on the platform at its origin."""
    total = np.zeros(6)
    for (a, b), t in zip(POINTS, tensions, strict=True):
        arm = T[:3, :3] @ np.array(b)
        pull = np.array(a) - (T[:3, 3] + arm)
        force = t * pull / np.linalg.norm(pull)
        total += [*force, *np.cross(arm, force)]
    return total


def motion(T: np.ndarray, twist: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Return the wrench of the cube by Newton and Euler; its center of mass is its origin."""
    J = T[:3, :3] @ np.diag([0.15] * 3) @ T[:3, :3].T
    w = twist[3:]
    force = 10 * (acceleration[:3] + np.array([0, 0, 9.81]))
    return np.concatenate([force, J @ acceleration[3:] + np.cross(w, J @ w)])


def test_tensions_balance_the_motion() -> None:
    solver = rs.cable_tensions(CABLE8, lower=5, upper=400)
    rng = np.random.default_rng(3)
    poses, twists, accelerations = [], rng.normal(size=(20, 6)) * 0.3, rng.normal(size=(20, 6)) * 0.5
    for _ in range(20):
        poses.append(rigid(rng.normal(size=3) * 0.1, np.array([0, 0, 1.0]) + rng.normal(size=3) * 0.2))
    found = solver.solve(np.array(poses), twists, accelerations)
    assert found.feasible.all() and found.tensions.shape == (20, 8)
    assert found.tensions.min() >= 5 and found.tensions.max() <= 400
    for T, twist, acceleration, tensions in zip(poses, twists, accelerations, found.tensions, strict=True):
        wanted = motion(T, twist, acceleration)
        assert np.abs(wrench(T, tensions) - wanted).max() < 1e-7 * np.abs(wanted).max()


def test_tensions_are_closest_to_middle() -> None:
    """Compare with another solver, SLSQP."""
    T = rigid(np.zeros(3), np.array([0.6, -0.3, 1.2]))
    found = rs.cable_tensions(CABLE8, 1, 120).solve(T).tensions
    wanted = motion(T, np.zeros(6), np.zeros(6))
    W = np.stack([wrench(T, row) for row in np.eye(8)], axis=1)
    best = minimize(
        lambda t: float(((t - 60.5) ** 2).sum()), np.full(8, 60.5), jac=lambda t: 2 * (t - 60.5), method="SLSQP",
        bounds=[(1, 120)] * 8, constraints={"type": "eq", "fun": lambda t: W @ t - wanted, "jac": lambda t: W},
        options={"maxiter": 300, "ftol": 1e-12},
    )  # fmt: skip
    assert best.success and np.abs(best.x - found).max() < 1e-4


def test_nan_where_cables_cannot_hold_platform() -> None:
    solver = rs.cable_tensions(CABLE8, 5, 400)
    T = np.stack([rigid(np.zeros(3), np.array(P)) for P in ([0, 0, 1.0], [0, 0, 3.5], [5.0, 0, 1])])
    found = solver.solve(T)
    assert found.feasible.tolist() == [True, False, False]
    assert np.isnan(found.tensions[1]).all()
    light = rs.cable_tensions(CABLE8, 5, 20).solve(T[0])
    assert not light.feasible  # eight cables of at most 20 N do not hold 98 N
    free = rs.cable_tensions(CABLE8, 5).solve(T[0])
    assert free.feasible and free.tensions.min() >= 5 - 1e-9


def test_planar_robot_with_four_cables() -> None:
    """A body in a vertical plane: the balance perpendicular to the plane is trivial."""
    corners = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]]
    ends = [[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]]
    lines = "\n".join(f"  - {{base: {a}, platform: {b}}}" for a, b in zip(corners, ends, strict=True))
    robot = rs.loads(
        f"name: flat\nplatform: {{M: 1, inertia: [0, 0, 0, 0, 0, 0.01]}}\ncables:\n{lines}\ngravity: [0, -9.81, 0]\n"
    )
    T = rigid(np.zeros(3), np.array([1.0, 1.2, 0]))
    found = rs.cable_tensions(robot, 1, 100).solve(T)
    assert found.feasible
    assert not rs.cable_tensions(robot, 1, 100).solve(T, acceleration=[0, 0, 1.0, 0, 0, 0]).feasible


def test_same_jacobian_and_description() -> None:
    lengths = rs.inverse_geometry(CABLE8, passive=False).solve(rigid(np.zeros(3), np.array([0.1, 0, 1.0])))
    wanted = [np.linalg.norm(np.array(a) - (np.array([0.1, 0, 1.0]) + b)) for a, b in POINTS]
    assert np.abs(lengths - wanted).max() < 1e-12
    assert rs.loads(CABLE8.dumps("yaml")) == CABLE8
    assert CABLE8.motor_names == tuple(f"l{i}" for i in range(1, 9))


def test_rejects_invalid_arguments() -> None:
    with pytest.raises(rs.InputError, match="0 <= lower < upper"):
        rs.cable_tensions(CABLE8, 5, 3)
    with pytest.raises(rs.InputError, match="driven along their length"):
        rs.cable_tensions("delta")
    with pytest.raises(rs.InputError, match="expected a parallel robot"):
        rs.cable_tensions("rx90")
    with pytest.raises(rs.InputError, match="lower: expected 8 numbers"):
        rs.cable_tensions(CABLE8, [1, 2])
    start = "name: c\nplatform: {M: 1}\ngravity: [0, 0, -9.81]\n"
    for text, message in (
        ("cables:\n  - {base: [0, 0, 1]}\n", "cable 1: missing key platform"),
        ("cables:\n  - {base: [0, 0], platform: [0, 0, 0]}\n", "cable 1: base: expected 3 entries"),
        ("cables:\n  - {base: [0, 0, h], platform: [0, 0, 0]}\n", "expected a number, found h"),
        ("cables: []\nlegs: []\n", "legs or cables, found both"),
    ):
        with pytest.raises(rs.FormatError, match=message):
            rs.loads(start + text, "yaml")


@pytest.mark.parametrize("name", ["cable8", "gough63"])
@pytest.mark.parametrize("z", [0.9, -0.9])
def test_legs_have_positive_lengths_at_a_reference_pose(name: str, z: float) -> None:
    """A strut also closes with a negative length, reversed."""
    robot = rs.load(name)
    module = replace(robot.module, reference_pose=(0.05, 0.02, z))
    moved = replace(robot, position={}, modules=(module,))
    assert moved.reference is not None
    assert min(moved.reference.joints[motor] for motor in moved.motor_names) > 0
