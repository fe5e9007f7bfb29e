"""Direct geometry of parallel robots: poses put back into the legs, one method against another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robosym as rs
from robosym.parallel.many_starts import Search

Array = np.ndarray[Any, np.dtype[Any]]
HEXAGON = np.radians([0, 50, 115, 190, 235, 310])


def point(x: float, y: float, z: float) -> str:
    """A place by gamma, b and d."""
    return f"gamma: {np.arctan2(y, x)}, b: {z}, d: {np.hypot(x, y)}"


def robot(kind: str, seed: int = 0) -> tuple[rs.Parallel, Array, Array]:
    """A robot with six legs of a kind, and its points on base and platform."""
    draw = np.random.default_rng(seed)
    circle = np.stack([np.cos(HEXAGON), np.sin(HEXAGON), 0 * HEXAGON], axis=1)
    base = circle + 0.1 * draw.normal(size=(6, 3))
    platform = 0.5 * np.roll(circle, 1, axis=0) + 0.1 * draw.normal(size=(6, 3))
    legs = []
    for i, (a, b) in enumerate(zip(base, platform, strict=True)):
        ball = f"{{mu: 0, theta: d{i}}}, {{mu: 0, alpha: Pi/2, theta: e{i}}}, {{mu: 0, alpha: -Pi/2, theta: f{i}}}"
        if kind == "ups":
            frames = f"{{mu: 0, {point(*a)}, alpha: -Pi/2, theta: a{i}}}, {{mu: 0, alpha: Pi/2, theta: b{i}}}, "
            frames += f"{{sigma: 1, alpha: Pi/2, r: q{i}}}, {ball}"
        elif kind == "rus":  # a crank of 0.3 and a rod of 1.1
            frames = f"{{{point(*a)}, alpha: Pi/2, theta: q{i}}}, {{mu: 0, d: 0.3, theta: b{i}}}, "
            frames += f"{{mu: 0, alpha: Pi/2, theta: c{i}}}, " + ball.replace("{mu: 0,", "{mu: 0, d: 1.1,", 1)
        else:  # pus: a slide along the vertical, a rod of 0.9
            frames = f"{{sigma: 1, {point(*a)}, r: q{i}}}, {{mu: 0, alpha: Pi/2, theta: b{i}}}, "
            frames += f"{{mu: 0, alpha: Pi/2, theta: c{i}}}, " + ball.replace("{mu: 0,", "{mu: 0, d: 0.9,", 1)
        legs.append(f"  - frames: [{frames}]\n    place: {{{point(*b)}}}")
    text = f"name: {kind}\nplatform: {{M: 1}}\nlegs:\n" + "\n".join(legs) + "\ngravity: [0, 0, -9.81]\n"
    return rs.loads(text, "yaml"), base, platform


def test_ups_legs_hold_their_lengths() -> None:
    gough, base, platform = robot("ups")
    geometry = rs.direct_geometry(gough)
    assert geometry.method == "continuation" and geometry.parameters == ()
    R, P = Rotation.from_rotvec([0.2, -0.1, 0.3]).as_matrix(), np.array([0.1, -0.2, 0.9])
    q = np.linalg.norm(P + platform @ R.T - base, axis=1)
    poses = geometry.solve(q)
    assert poses.complex == 40 and poses.complete
    assert np.abs(poses - np.concatenate([R.ravel(), P])).max(axis=1).min() < 1e-9
    for T in poses.matrices:
        assert np.abs(np.linalg.norm(T[:3, 3] + platform @ T[:3, :3].T - base, axis=1) - q).max() < 1e-10


@pytest.mark.parametrize("kind", ["ups", "rus", "pus"])
def test_the_legs_as_loops_close_at_every_pose(kind: str) -> None:
    """The closed robot, in joint coordinates, reaches each pose with the motors as given."""
    parallel, _, _ = robot(kind, 1)
    geometry, search = rs.direct_geometry(parallel), Search(parallel)
    start = {"ups": [0.9, 1.0, 1.1, 1.0, 0.9, 1.2], "rus": [2, 2.1, 1.9, 2.2, 2, 2.1], "pus": 6 * [0.2]}[kind]
    poses = geometry.solve(start)
    assert poses.complete and len(poses)
    for T in poses.matrices[:2]:
        assert np.abs(search.near(np.array(start), T, {}) - T).max() < 1e-7


def test_near_follows_a_motion() -> None:
    gough, base, platform = robot("ups", 2)
    geometry = rs.direct_geometry(gough)
    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.9])
    for step in range(20):
        R = Rotation.from_rotvec(0.01 * step * np.array([1, -0.5, 0.7])).as_matrix()
        P = np.array([0.004 * step, -0.003 * step, 0.9])
        pose = geometry.near(np.linalg.norm(P + platform @ R.T - base, axis=1), pose)
        assert np.abs(pose - np.concatenate([R.ravel(), P])).max() < 1e-10


def test_near_takes_and_gives_matrices() -> None:
    gough, base, platform = robot("ups")
    T = np.eye(4)
    T[2, 3] = 0.9
    q = np.linalg.norm(T[:3, 3] + platform - base, axis=1)
    found = rs.direct_geometry(gough).near(list(q), T)
    assert found.shape == (4, 4) and np.abs(found - T).max() < 1e-12


def test_parameters_are_asked_for_by_name() -> None:
    geometry = rs.direct_geometry(rs.load("gough"))
    draw = np.random.default_rng(0)
    values = {name: draw.uniform(0.5, 1.5) for name in geometry.parameters}
    assert {"D2", "pd2", "g3"} <= set(values)
    q = draw.uniform(1, 2, 6)
    poses = geometry.solve(q, values)
    assert poses.complex == 40
    for pose in poses:
        assert np.abs(geometry.near(q, np.asarray(pose), values) - pose).max() < 1e-9
    with pytest.raises(rs.Error, match="D2 has no value"):
        geometry.solve(q)


def test_other_robots_are_searched() -> None:
    planar = rs.load("planar3rrr")
    geometry = rs.direct_geometry(planar)
    q = np.array([planar.position[name] for name in planar.motor_names])
    for pose in geometry.solve(q):
        assert np.abs(geometry.near(q, np.asarray(pose)) - pose).max() < 1e-7


@pytest.mark.parametrize(
    ("q", "pose", "message"),
    [
        ([1, 1, 1], np.eye(4), r"q: expected an array of shape \(6,\), found \(3,\)"),
        (6 * [1.0], [1, 2], r"pose: expected an array of shape \(12,\), found \(2,\)"),
        (6 * [100.0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], "no pose for these motors near"),
        (6 * [np.nan], np.eye(4), "not a finite number"),
    ],
)
def test_mistakes_are_said(q: Any, pose: Any, message: str) -> None:
    geometry = rs.direct_geometry(robot("ups")[0])
    with pytest.raises(rs.Error, match=message):
        geometry.near(q, pose)
