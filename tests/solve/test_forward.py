"""Test direct geometry of parallel robots: poses satisfy the legs, and methods agree with each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robosym as rs
from long_cases import quick_and_long
from robosym.coordinates.many_starts import Search
from robosym.solve.forward import DirectGeometry

Array = np.ndarray[Any, np.dtype[Any]]
HEXAGON = np.radians([0, 50, 115, 190, 235, 310])


def point(x: float, y: float, z: float) -> str:
    """Return gamma, b and d of a point."""
    return f"gamma: {np.arctan2(y, x)}, b: {z}, d: {np.hypot(x, y)}"


def robot(kind: str, seed: int = 0, size: float = 1.0) -> tuple[rs.Parallel, Array, Array]:
    """Return a robot with six legs of one kind, and its points on base and platform."""
    draw = np.random.default_rng(seed)
    circle = np.stack([np.cos(HEXAGON), np.sin(HEXAGON), 0 * HEXAGON], axis=1)
    base = size * (circle + 0.1 * draw.normal(size=(6, 3)))
    platform = size * (0.5 * np.roll(circle, 1, axis=0) + 0.1 * draw.normal(size=(6, 3)))
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


def test_poses_satisfy_lengths_of_ups_legs() -> None:
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
def test_loops_close_at_every_pose(kind: str) -> None:
    """The closed robot, in joint coordinates, reaches each pose with the given motor positions."""
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


def test_near_always_returns_a_rotation() -> None:
    gough, base, platform = robot("ups")
    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.0, 0.9])
    q = np.linalg.norm(pose[9:] + platform - base, axis=1)
    for size in (1e-8, 1e-5, 1e-3, 1e-2):
        start = pose + size * np.random.default_rng(1).normal(size=12)
        assert np.abs(rs.direct_geometry(gough).near(q, start) - pose).max() < 1e-11


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_robots_in_other_units(size: float) -> None:
    gough, base, platform = robot("ups", size=size)
    geometry = rs.direct_geometry(gough)
    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1 * size, 0.0, 0.9 * size])
    q = np.linalg.norm(pose[9:] + platform - base, axis=1)
    unit = np.array(9 * [1.0] + 3 * [size])
    poses = geometry.solve(q)
    assert poses.complete and (np.abs((poses - pose) / unit).max(axis=1) < 1e-9).any()
    start = pose + 1e-3 * unit * np.random.default_rng(1).normal(size=12)
    assert np.abs((geometry.near(q, start) - pose) / unit).max() < 1e-11


def test_near_accepts_and_returns_matrices() -> None:
    gough, base, platform = robot("ups")
    T = np.eye(4)
    T[2, 3] = 0.9
    q = np.linalg.norm(T[:3, 3] + platform - base, axis=1)
    found = rs.direct_geometry(gough).near(list(q), T)
    assert found.shape == (4, 4) and np.abs(found - T).max() < 1e-12


def test_error_names_missing_parameters() -> None:
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


PLANE = """
name: tilted
platform: {M: 1}
legs:
  - {frames: [{gamma: 0.3, b: 0.1, alpha: 0.7, d: 0.2, theta: q1}, {mu: 0, d: 0.5, theta: a1},
     {mu: 0, d: 0.6, theta: b1}], place: {alpha: 0.4, d: 0.1, r: 0.2}}
  - {frames: [{sigma: 2, gamma: 0.3, b: 0.1, alpha: 0.7, d: 0.2}, {mu: 0, d: 0.9, theta: a2},
     {sigma: 1, alpha: Pi/2, r: q2}, {mu: 0, alpha: -Pi/2, theta: b2}], place: {alpha: 0.4, d: -0.2, r: 0.2}}
  - {frames: [{sigma: 2, gamma: 0.3, b: 0.1, alpha: 0.7, d: 0.2}, {sigma: 2, theta: 1.1}, {d: 0.8, theta: q3},
     {mu: 0, d: 0.5, theta: a3}, {mu: 0, d: 0.45, theta: b3}], place: {alpha: 0.4, d: 0.05, theta: 0.5, r: 0.2}}
position: {q1: 0.5, q2: 0.6, q3: 3, b1: 1}
gravity: [0, 0, 0]
"""
EYE = """
name: eye
platform: {M: 1}
legs:
  - {frames: [{theta: q1}, {mu: 0, alpha: 1.4, theta: a1}, {mu: 0, alpha: 1.5, theta: b1}], place: {alpha: 0.3}}
  - {frames: [{gamma: 0.2, alpha: 1.5, theta: q2}, {mu: 0, alpha: 1.6, theta: a2}, {mu: 0, alpha: 1.3, theta: b2}],
     place: {gamma: 0.4, alpha: 1.6}}
  - {frames: [{gamma: 1.7, alpha: 1.6, theta: q3}, {mu: 0, alpha: 1.4, theta: a3}, {mu: 0, alpha: 1.7, theta: b3}],
     place: {gamma: 2, alpha: 1.5}}
position: {q1: 0.5, q2: 0.6, q3: 0.2}
gravity: [0, 0, 0]
"""


def same(one: Array, other: Array, tolerance: float = 1e-6) -> bool:
    """Return whether two sets of poses are equal."""
    away = np.abs(np.asarray(one)[:, None] - np.asarray(other)[None]).max(axis=2, initial=0)
    return len(one) == len(other) and bool((away.min(axis=0, initial=9) < tolerance).all())


@pytest.mark.parametrize(
    ("text", "motion", "count"),
    quick_and_long([("planar3rrr", "plane", 6), (PLANE, "plane", 6), (EYE, "sphere", 8)], long=[(PLANE, "plane", 6)]),
)
def test_planar_and_spherical_robots_against_many_starts(text: str, motion: str, count: int) -> None:
    parallel = rs.loads(text, "yaml") if "\n" in text else rs.load(text)
    geometry, draw = rs.direct_geometry(parallel), np.random.default_rng(3)
    assert geometry.held is not None and geometry.held.frames.motion == motion
    found = 0
    for _ in range(3):
        q = np.array([parallel.position[name] for name in parallel.motor_names]) + 0.2 * draw.normal(size=3)
        poses = geometry.solve(q)
        assert poses.complete and poses.complex == count
        assert same(poses, Search(parallel).solve(q, {}))
        found += len(poses)
        for pose in poses:
            assert np.abs(geometry.near(q, np.asarray(pose)) - pose).max() < 1e-9
    assert found


def test_delta_has_two_poses_in_its_mode() -> None:
    """At the other poses of its legs the platform is rotated; they do not belong to the reference mode."""
    delta = rs.load("delta")
    geometry = rs.direct_geometry(delta)
    q = np.array([0.3, 0.35, 0.4])
    poses = geometry.solve(q)
    assert len(poses) == 2 and "orientation of the reference" in poses.domain and not poses.complete
    assert np.abs(np.asarray(poses)[:, :9] - np.eye(3).ravel()).max() < 1e-12
    search = Search(delta)
    for pose in poses.matrices:
        assert np.abs(search.near(q, pose, {}) - pose).max() < 1e-7
        assert np.abs(geometry.near(q + 1e-3, pose) - pose).max() < 1e-2


FIVE_BARS = """
name: five_bars
platform: {M: 1}
legs:
  - {frames: [{theta: q1}, {mu: 0, d: 0.4, theta: a1}]}
  - {frames: [{d: 0.3, theta: q2}, {mu: 0, d: 0.4, theta: a2}, {mu: 0, d: 0.6, theta: b2}], place: {d: 0.6}}
position: {q1: 2, q2: 1, a1: -1, a2: 1}
gravity: [0, 0, 0]
"""


def test_searches_poses_of_other_robots() -> None:
    assert rs.direct_geometry(rs.load("tricept")).method == "search"
    parallel = rs.loads(FIVE_BARS, "yaml")
    geometry = DirectGeometry(parallel, None)
    assert geometry.method == "search"
    q = np.array([2.0, 1.0])
    poses = geometry.solve(q)
    assert same(poses, rs.direct_geometry(parallel).solve(q))
    assert len(poses) == 2 and not poses.complete and poses.errors.max() < 1e-9
    for pose in poses:
        assert np.abs(geometry.near(q, np.asarray(pose)) - pose).max() < 1e-7


def test_omits_poses_that_joints_cannot_reach() -> None:
    """Universal joints with axes that are not perpendicular cannot reach some cones of directions."""
    plain, base, platform = robot("ups")
    squinting = rs.loads(plain.dumps("yaml").replace("alpha: Pi/2, theta: b", "alpha: 0.2, theta: b"), "yaml")
    q = np.linalg.norm(np.array([0.1, 0, 0.9]) + platform - base, axis=1)
    straight = rs.direct_geometry(plain).solve(q)
    poses = rs.direct_geometry(squinting).solve(q)
    assert len(poses) < len(straight)
    for T in poses.matrices:
        assert Search(squinting).joints_at(q, T, {}) is not None
    assert all(Search(plain).joints_at(q, T, {}) is not None for T in straight.matrices)


@pytest.mark.parametrize(
    ("q", "pose", "message"),
    [
        ([1, 1, 1], np.eye(4), r"q: expected 6 numbers, found 3"),
        (6 * [1.0], [1, 2], r"pose: expected 12 numbers, found 2"),
        (6 * [100.0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], "these motors give no pose near"),
        (6 * [np.nan], np.eye(4), "expected finite numbers"),
    ],
)
def test_error_messages(q: Any, pose: Any, message: str) -> None:
    geometry = rs.direct_geometry(robot("ups")[0])
    with pytest.raises(rs.Error, match=message):
        geometry.near(q, pose)


@pytest.mark.parametrize("name", ["delta", "planar3rrr"])
def test_direct_geometry_inverts_inverse_geometry(name: str) -> None:
    """The poses for the motor positions of a pose include this pose."""
    parallel = rs.load(name)
    geometry = rs.direct_geometry(parallel)
    q = np.array([parallel.position[motor] for motor in parallel.motor_names]) + 0.1
    inverse = rs.inverse_geometry(parallel).compile()
    for pose in np.asarray(geometry.solve(q)):
        motors = np.asarray(inverse(pose=pose)[0])
        if np.isfinite(motors).all():
            again = np.asarray(geometry.solve(motors))
            assert np.abs(again - pose).max(axis=1).min() < 1e-8


def test_poses_of_a_five_bar_robot() -> None:
    """The closed form finds as many as a search from many starts; one pose if the distal links are aligned."""
    robot = rs.load("fivebar")
    model = rs.direct_geometry(robot)
    assert model.method == "closed form"
    assert "two circles" in model.explain()
    search, rng = Search(robot), np.random.default_rng(6)
    for _ in range(4):
        q = rng.uniform(-3, 3, 2)
        found, searched = model.solve(q), search.solve(q, {})
        assert (found.complex, found.complete, len(found)) == (2, True, len(searched))
        for row in np.asarray(searched):
            assert np.abs(np.asarray(found) - row).max(axis=1).min() < 1e-9
    out = np.arccos((0.18 - 0.118) / 0.18)
    (one,) = stretched = model.solve([np.pi - out, out])
    assert stretched.singular.all()
    assert np.abs(one[9:] - [0.059, 0.09 * np.sin(out), 0]).max() < 1e-6


def test_reference_pose_gives_the_poses_of_reference_joints() -> None:
    """A Delta has two certified poses, whether its reference is given by joints or by a pose of the platform."""
    robot = rs.load("delta")
    module = replace(robot.module, reference_pose=tuple(robot.reference.pose[9:]))
    posed = replace(robot, position={}, modules=(module,))
    motors = [robot.reference.joints[name] for name in robot.motor_names]
    expected, found = (rs.direct_geometry(one).solve(motors) for one in (robot, posed))
    assert len(found) == 2
    assert np.allclose(found, expected, atol=1e-9)
