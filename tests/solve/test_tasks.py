"""Test the closest pose, tasks that leave several joints free, and joint positions by name."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.spatial.numeric import rotation_vector

ARM = [0.3, -1.0, 1.2, 0.4, 0.5, 0.6]


@pytest.fixture(scope="module")
def arm() -> rs.Robot:
    """Return an arm whose joints have names and limits."""
    robot = rs.load("ur5e")
    return rs.loads(robot.dumps("urdf"), format="urdf")


def pose_of(robot: rs.Robot, q: list[float]) -> np.ndarray:
    return rs.direct_geometry(robot, 0, 6).compile()(q=q)


@pytest.mark.parametrize(("weights", "limits"), [(None, None), ((1.0, 0.1), None), (None, [[-1, 1]] * 6)])
def test_closest_pose_is_better_than_any_sample(weights: tuple[float, float] | None, limits: object) -> None:
    robot = rs.load("ur5e")
    model = rs.inverse_geometry(robot, frame=6)
    T = np.eye(4)
    T[:3, 3] = 1.5, 0.3, 0.4
    assert len(model.solve(T)) == 0 and model.solve(T).closest is None
    found = model.solve(T, nearest=True, weights=weights, limits=limits)
    closest = found.closest
    direct = rs.direct_geometry(robot, 0, 6).compile()
    assert np.allclose(direct(q=found[0]), closest.pose, atol=1e-12)
    size = model.solver.numeric({}).length if weights is None else weights[1]

    def cost(poses: np.ndarray) -> np.ndarray:
        away = np.linalg.norm(poses[..., :3, 3] - T[:3, 3], axis=-1)
        turned = np.linalg.norm(poses[..., :3, :3] - T[:3, :3], axis=(-2, -1)) / np.sqrt(2)
        return away**2 + (size * turned) ** 2

    best = cost(closest.pose)
    rng = np.random.default_rng(4)
    low, high = (-np.pi, np.pi) if limits is None else (-1, 1)
    anywhere = direct(q=rng.uniform(low, high, (50_000, 6)))
    beside = direct(q=np.clip(found[0] + 1e-3 * rng.normal(size=(2_000, 6)), *((-9, 9) if limits is None else (-1, 1))))
    assert best <= cost(anywhere).min() and best <= cost(beside).min() + 1e-12
    assert np.isclose(closest.distance, np.linalg.norm(closest.pose[:3, 3] - T[:3, 3]))
    assert np.isclose(closest.angle, np.linalg.norm(rotation_vector(closest.pose[:3, :3].T @ T[:3, :3])))


def test_reached_poses_have_no_closest_pose(arm: rs.Robot) -> None:
    model = rs.inverse_geometry(arm, frame=6)
    far = np.eye(4)
    far[:3, 3] = 3, 0, 0
    both = model.solve(np.array([pose_of(arm, ARM), far]), nearest=True)
    assert len(both[0]) == 8 and both[0].closest is None
    assert len(both[1]) == 1 and both[1].closest.distance > 1
    redundant = rs.inverse_geometry(rs.load("iiwa14"))
    assert redundant.solve(far, nearest=True, limits="robot").closest.distance > 1


@pytest.mark.parametrize("given", ["P", "a", "sna"])
def test_task_returns_the_nearest_position(given: str) -> None:
    """The way to the nearest position is at right angles to all motions that keep the task."""
    robot = rs.load("ur5e")
    model = rs.inverse_geometry(robot, given=given, frame=6)
    T, near = pose_of(robot, ARM), np.array(ARM) - 0.4
    [q] = model.solve(T, near=near)
    columns = ["snaP".index(name) for name in given]
    direct = rs.direct_geometry(robot, 0, 6).compile()
    assert np.abs((direct(q=q) - T)[:3, columns]).max() < 1e-9
    assert np.linalg.norm(q - near) < np.linalg.norm(np.array(ARM) - near)
    steps = 1e-6 * np.eye(6)
    J = (direct(q=q + steps) - direct(q=q - steps))[:, :3, columns].reshape(6, -1) / 2e-6  # by finite differences
    share = np.linalg.lstsq(J, near - q, rcond=1e-6)[0]
    assert np.abs(J @ share - (near - q)).max() < 1e-7
    limits = np.array([near - 0.1, near + 0.5]).T
    [within] = model.solve(T, near=near, limits=limits)
    assert (within >= limits[:, 0] - 1e-9).all() and (within <= limits[:, 1] + 1e-9).all()
    assert np.linalg.norm(within - near) >= np.linalg.norm(q - near) - 1e-9


def test_task_needs_a_position_to_be_near_to() -> None:
    model = rs.inverse_geometry(rs.load("panda"), given="P")
    with pytest.raises(rs.InputError, match="4 joints free"):
        model.solve([0.4, 0.2, 0.5])
    [row] = model.solve([0.4, 0.2, 0.5], near=np.zeros(7), limits="robot", mapping=True)
    assert set(row) == set(rs.load("panda").joint_names)
    assert len(model.solve([4, 0, 0], near=np.zeros(7))) == 0


def test_joint_names_of_a_file(arm: rs.Robot) -> None:
    model, T = rs.inverse_geometry(arm, frame=6), pose_of(arm, ARM)
    rows = model.solve(T, mapping=True)
    assert len(rows) == 8 and all(tuple(row) == arm.joint_names for row in rows)
    assert np.allclose([list(row.values()) for row in rows], model.solve(T))
    near = dict(zip(arm.joint_names, ARM, strict=True))
    assert np.allclose(model.solve(T, near=near)[0], ARM)
    assert np.allclose(model.follow(np.array([T]), start=near).q[0], ARM)
    many = model.solve(np.array([T, T]), mapping=True)
    assert many[1] == rows
    with pytest.raises(rs.InputError, match="near"):
        model.solve(T, near={arm.joint_names[0]: 0.0})
