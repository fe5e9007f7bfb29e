"""Test all poses of a platform against Newton's method from thousands of random poses.

The points are computed here from the dimensions in the library, without robosym's equations.
"""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.reduced_mobility import upu

Array = np.ndarray


def circle(radius: float, degrees: object) -> Array:
    a = np.radians(np.asarray(degrees, dtype=float))
    return radius * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1)


TRIANGLE = [60, 60, 180, 180, 300, 300]
#: points of base and platform of robots whose motors are the leg lengths
LENGTHS = {
    "gough63": (circle(0.6, [15, 105, 135, 225, 255, 345]), circle(0.3, TRIANGLE)),
    "gough33": (circle(0.6, [0, 120, 120, 240, 240, 0]), circle(0.4, TRIANGLE)),
}


def hexa(q: Array) -> tuple[Array, Array, Array]:
    """Return the elbows of the arms, the points of the platform, and the lengths of the rods."""
    elbows = []
    for i, angle in enumerate(q):
        turn = np.radians(120 * (i // 2))
        x, y, z = 0.2 + 0.4 * np.cos(angle), 0.1 * (2 * (i % 2) - 1), -0.4 * np.sin(angle)
        elbows.append([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn), z])
    return np.array(elbows), circle(0.15, [-30, 30, 90, 150, 210, 270]), np.full(6, 0.8)


def rotations(v: Array) -> Array:
    angle = np.linalg.norm(v, axis=1)[:, None, None]
    x, y, z = (v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-300)).T
    o = 0 * x
    K = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def by_newton(base: Array, platform: Array, lengths: Array, starts: int = 2500, flat: bool = False) -> Array:
    """Return distinct poses (k, 12) that satisfy the distances."""
    draw = np.random.default_rng(8)
    size = float(max(np.abs(base).max(), lengths.max()))
    turn = draw.normal(size=(starts, 3))
    turn = turn / np.linalg.norm(turn, axis=1, keepdims=True) * draw.uniform(0, np.pi, (starts, 1))
    P = draw.uniform(-1.5 * size, 1.5 * size, (starts, 3))
    if flat:
        turn[:, :2], P[:, 2] = 0, 0
    R = rotations(turn)
    damping = np.full(starts, 1e-3)
    free = [0, 1, 5] if flat else list(range(6))

    def gaps(R: Array, P: Array) -> tuple[Array, Array]:
        arms = platform @ np.swapaxes(R, 1, 2)
        legs = P[:, None] + arms - base
        gap = (legs**2).sum(axis=2) - lengths**2
        slope = 2 * np.concatenate([legs, np.cross(arms, legs)], axis=2)
        return gap, slope[..., free]

    gap, slope = gaps(R, P)
    for _ in range(80):
        A = np.swapaxes(slope, 1, 2) @ slope
        A = A + damping[:, None, None] * np.eye(len(free)) * np.trace(A, axis1=1, axis2=2)[:, None, None]
        step = np.zeros((starts, 6))
        step[:, free] = -np.linalg.solve(A, np.swapaxes(slope, 1, 2) @ gap[..., None])[..., 0]
        new_R, new_P = rotations(step[:, 3:]) @ R, P + step[:, :3]
        new_gap, new_slope = gaps(new_R, new_P)
        better = (new_gap**2).sum(axis=1) < (gap**2).sum(axis=1)
        R, P = np.where(better[:, None, None], new_R, R), np.where(better[:, None], new_P, P)
        gap = np.where(better[:, None], new_gap, gap)
        slope = np.where(better[:, None, None], new_slope, slope)
        damping = np.where(better, damping / 10, damping * 10).clip(1e-15, 1e6)
    rows = np.concatenate([R.reshape(-1, 9), P], axis=1)[np.abs(gap).max(axis=1) < 1e-10]
    found: list[Array] = []
    for row in rows:
        if all(np.abs(row - other).max() > 1e-5 for other in found):
            found.append(row)
    return np.array(found)


def check_same_poses(found: Array, wanted: Array) -> None:
    """Check that the poses are those that Newton's method finds, each once."""
    assert len(wanted) >= 2
    for row in wanted:
        assert np.abs(np.asarray(found) - row).max(axis=1).min() < 1e-5
    assert len(found) == len(wanted)


@pytest.mark.parametrize("name", LENGTHS)
def test_gough_stewart_robots_with_shared_points(name: str) -> None:
    base, platform = LENGTHS[name]
    R, P = rotations(np.array([[0.2, -0.1, 0.3]]))[0], np.array([0.05, -0.08, 0.62])
    q = np.linalg.norm(P + platform @ R.T - base, axis=1)
    found = rs.direct_geometry(rs.load(name)).solve(q)
    assert found.complete and found.complex == 16
    check_same_poses(found, by_newton(base, platform, q))


def test_hexa() -> None:
    q = np.array([0.35, 0.3, 0.42, 0.25, 0.31, 0.38])
    found = rs.direct_geometry(rs.load("hexa")).solve(q)
    assert found.complete
    check_same_poses(found, by_newton(*hexa(q)))


def test_planar_robot() -> None:
    q = np.array([2.1, 2.0, 2.2])
    turns = np.radians([0, 120, 240])
    elbows = circle(0.35, [0, 120, 240])
    elbows[:, 0] += 0.25 * np.cos(q + turns)
    elbows[:, 1] += 0.25 * np.sin(q + turns)
    found = rs.direct_geometry(rs.load("planar3rrr")).solve(q)
    assert found.complete and found.complex == 6
    check_same_poses(found, by_newton(elbows, circle(0.1, [0, 120, 240]), np.full(3, 0.25), 400, flat=True))


def test_delta_with_and_without_rotated_poses() -> None:
    """Two poses keep the orientation of the reference; rotated ones are returned only on request."""
    q = np.array([0.3, 0.35, 0.4])
    geometry = rs.direct_geometry(rs.load("delta"))
    found = geometry.solve(q)
    assert len(found) == 2 and "orientation of the reference position" in found.report()
    more = geometry.solve(q, turned=True)
    assert len(more) > 2 and not more.complete
    for row in np.asarray(found):
        assert np.abs(np.asarray(more) - row).max(axis=1).min() < 1e-6


def test_certificate_states_its_domain() -> None:
    """A 3-UPU also has rotated poses: the set is not complete, `check` reports it, and models reject these poses."""
    robot = upu()
    geometry, q = rs.direct_geometry(robot), [robot.reference.joints[name] for name in robot.motor_names]
    found, more = geometry.solve(q), geometry.solve(q, turned=True)
    assert len(found) == 2 < len(more) and not found.complete
    assert "orientation of the reference position" in found.domain and "only" in found.report()
    assert any("another operation mode" in remark for remark in robot.check())
    in_mode = np.isfinite(rs.dexterity(robot, np.asarray(more)))
    assert in_mode.sum() == 2
    turned = np.asarray(more)[~in_mode]
    ends = rs.inverse_geometry(robot)
    for pose in turned:  # the legs close in another operation mode
        with pytest.raises(rs.InputError):
            ends.solve(pose)


def test_warns_about_implausible_platforms() -> None:
    text = rs.load("fivebar").dumps().replace("M: MP", "M: -1").replace("M: M2", "M: -2")
    with pytest.warns(rs.RobotWarning) as caught:
        rs.loads(text, format="yaml")
    assert {"platform", "link 2"} <= {str(w.message).split(": ")[1] for w in caught}
