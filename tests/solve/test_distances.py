"""Test all poses of a platform held by six distances: known poses, many starts and special robots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from long_cases import quick_and_long
from robosym.errors import InputError
from robosym.solve import distances
from robosym.solve.continuation import MOTIONS
from robosym.solve.distances import Distances, _alpha, _ends, _stored

Array = np.ndarray[Any, np.dtype[Any]]
PAIRS = [0, 0, 1, 1, 2, 2]


def lengths(base: Array, platform: Array, R: Array, P: Array) -> Array:
    return np.asarray(np.linalg.norm(P + platform @ R.T - base, axis=1))


def on_circle(radius: float, *degrees: float) -> Array:
    angles = np.radians(degrees)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles], axis=1)


def contains(poses: Array, R: Array, P: Array, tolerance: float = 1e-8) -> bool:
    wanted = np.concatenate([R.ravel(), P])
    return bool((np.abs(np.asarray(poses) - wanted).max(axis=1) < tolerance).any())


@pytest.mark.parametrize(("motion", "count"), [("space", 40), ("plane", 6), ("sphere", 8), ("translation", 2)])
def test_stored_solutions_are_certified_and_complete(motion: str, count: int) -> None:
    x, instance = _stored(motion)
    assert len(x) == count == MOTIONS[motion].solutions
    assert _alpha(x, instance).max() < 1e-6
    assert np.sort(np.abs(x.conj() @ x.T), axis=1)[:, -2].max() < 1 - 1e-4


def test_study_equations_agree_with_distances() -> None:
    """Compare the matrices of a leg with rotations by SciPy."""
    draw = np.random.default_rng(0)
    base, platform = draw.normal(size=(2, 6, 3))
    R, P = Rotation.random(random_state=1), draw.normal(size=3)
    x, y, z, w = R.as_quat()
    e, p = np.array([w, x, y, z]), P
    h = np.array([-p @ e[1:], *(p * e[0] + np.cross(p, e[1:]))])
    legs = MOTIONS["space"].legs_of(base, platform) @ np.concatenate([e, h])
    assert np.allclose((legs**2).sum(1), lengths(base, platform, R.as_matrix(), P) ** 2, atol=1e-13)


@pytest.mark.parametrize("seed", quick_and_long(range(6), long=range(2, 6)))
@pytest.mark.parametrize(("kind", "finite"), [("general", 40), ("flat", 40), ("6-3", 16), ("3-3", 16)])
def test_finds_every_pose(kind: str, finite: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    base, platform = draw.normal(size=(2, 6, 3)) * [[[1.0]], [[0.6]]]
    if kind == "flat":
        base[:, 2] = platform[:, 2] = 0
    if kind in ("6-3", "3-3"):
        platform = platform[PAIRS]
    if kind == "3-3":
        base = base[[0, 1, 1, 2, 2, 0]]
    solver = Distances(base, platform, lengths(base, platform, np.eye(3), np.array([0, 0, 1.0])))
    assert solver.finite == finite
    R, P = Rotation.from_rotvec(draw.normal(size=3)).as_matrix(), draw.normal(size=3)
    wanted = lengths(base, platform, R, P)
    poses = solver.solve(base, platform, wanted)
    assert contains(poses, R, P)
    assert poses.complex == finite and poses.infinite == 40 - finite and poses.complete
    assert len(poses) % 2 == 0
    for T in poses.matrices:
        assert np.abs(T[:3, :3] @ T[:3, :3].T - np.eye(3)).max() < 1e-12
        assert np.abs(lengths(base, platform, T[:3, :3], T[:3, 3]) - wanted).max() < 1e-10


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
def test_repeats_paths_with_smaller_steps_if_ends_coincide(monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    draw = np.random.default_rng(1)
    base, platform = draw.normal(size=(2, 6, 3)) * [[[1.0]], [[0.6]]]
    base[:, 2] = platform[:, 2] = 0
    wanted = lengths(base, platform, np.eye(3), np.array([0, 0, 1.0]))
    solver = Distances(base, platform, wanted)
    cautions: list[float] = []

    def followed(*given: Any) -> Any:
        cautions.append(given[-1])
        return replace(_ends(*given), distinct=len(cautions) > lost)

    monkeypatch.setattr(distances, "_ends", followed)
    poses = solver.solve(base, platform, wanted)
    assert len(cautions) == min(lost + 1, 3) and cautions == sorted(cautions, reverse=True)
    assert contains(poses, np.eye(3), np.array([0, 0, 1.0])) and poses.complete is (lost < 3)


def test_finds_all_poses_that_random_starts_find() -> None:
    draw = np.random.default_rng(4)
    base = on_circle(1.0, -15, 15, 105, 135, 225, 255) + 0.1 * draw.normal(size=(6, 3))
    platform = on_circle(0.6, -45, 45, 75, 165, 195, 285) + 0.1 * draw.normal(size=(6, 3))
    wanted = lengths(base, platform, Rotation.from_rotvec([0.2, -0.1, 0.3]).as_matrix(), np.array([0.1, 0.0, 0.9]))
    poses = Distances(base, platform, wanted).solve(base, platform, wanted)

    def gaps(x: Array) -> Array:
        return lengths(base, platform, Rotation.from_rotvec(x[:3]).as_matrix(), x[3:]) - wanted

    found = 0
    for _ in range(400):
        result = root(gaps, np.concatenate([draw.normal(size=3) * 2, draw.normal(size=3)]), tol=1e-12)
        if np.abs(result.fun).max() < 1e-10:
            found += 1
            assert contains(poses, Rotation.from_rotvec(result.x[:3]).as_matrix(), result.x[3:], 1e-6)
    assert found > 50


def test_robot_of_dietmaier_has_forty_real_poses() -> None:
    """P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures (1998)."""
    base = np.array([
        [0, 0, 0], [1.107915, 0, 0], [0.549094, 0.756063, 0], [0.735077, -0.223935, 0.525991],
        [0.514188, -0.526063, -0.368418], [0.590473, 0.094733, -0.205018],
    ])  # fmt: skip
    platform = np.array([
        [0, 0, 0], [0.542805, 0, 0], [0.956919, -0.528915, 0], [0.665885, -0.353482, 1.402538],
        [0.478359, 1.158742, 0.107672], [-0.137087, -0.235121, 0.353913],
    ])  # fmt: skip
    wanted = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])
    poses = Distances(base, platform, wanted).solve(base, platform, wanted)
    assert len(poses) == 40 and poses.complete
    for T in poses.matrices:
        assert np.abs(lengths(base, platform, T[:3, :3], T[:3, 3]) - wanted).max() < 1e-10


def test_moving_points_and_constant_lengths() -> None:
    """Rods of constant length on cranks or slides have moving base points."""
    draw = np.random.default_rng(8)
    base, platform = draw.normal(size=(6, 3)), 0.5 * draw.normal(size=(6, 3))
    R, P = np.eye(3), np.array([0, 0, 1.0])
    rods = lengths(base, platform, R, P)
    moved = base + 0.2 * draw.normal(size=(6, 3))
    solver = Distances(base, platform, rods, moving=("base",))
    assert contains(solver.solve(base, platform, rods), R, P)
    poses = solver.solve(moved, platform, rods)
    assert poses.complex == 40 and poses.complete


def test_reports_singular_position() -> None:
    """After a quarter turn about the vertical the robot is singular (Fichter): two solutions coincide."""
    base = on_circle(1.0, -10, 10, 110, 130, 230, 250)
    platform = on_circle(0.6, -50, 50, 70, 170, 190, 290)
    R, P = Rotation.from_rotvec([0, 0, np.pi / 2]).as_matrix(), np.array([0, 0, 0.8])
    wanted = lengths(base, platform, R, P)
    poses = Distances(base, platform, wanted).solve(base, platform, wanted)
    assert contains(poses, R, P, 1e-5) and poses.singular.any()


def test_home_position_of_a_symmetric_robot() -> None:
    base = on_circle(1.0, -10, 10, 110, 130, 230, 250)
    platform = on_circle(0.6, -50, 50, 70, 170, 190, 290)
    R, P = np.eye(3), np.array([0, 0, 1.0])
    wanted = lengths(base, platform, R, P)
    poses = Distances(base, platform, wanted).solve(base, platform, wanted)
    assert contains(poses, R, P) and contains(poses, R, -P)
    assert poses.complete and "complete" in poses.report()


def test_rejects_similar_hexagons() -> None:
    base = on_circle(1.0, -20, 20, 100, 140, 220, 260)
    wanted = lengths(base, 0.5 * base, np.eye(3), np.array([0, 0.1, 0.8]))
    with pytest.raises(InputError, match="architecture singularity"):
        Distances(base, 0.5 * base, wanted)


def test_returns_no_rows_without_real_pose() -> None:
    draw = np.random.default_rng(2)
    base, platform = draw.normal(size=(2, 6, 3))
    solver = Distances(base, platform, np.ones(6))
    poses = solver.solve(base, platform, [0.01, 50, 0.01, 50, 0.01, 50])
    assert len(poses) == 0 and poses.complete


def test_rejects_wrong_shapes() -> None:
    with pytest.raises(InputError, match=r"base: expected numbers of the shape \(6, 3\), found the shape \(5, 3\)"):
        Distances(np.zeros((5, 3)), np.zeros((6, 3)), np.ones(6))
    with pytest.raises(InputError, match="every pose has the same lengths"):
        Distances(np.zeros((6, 3)), np.zeros((6, 3)), np.ones(6))
    solver_points = np.random.default_rng(0).normal(size=(2, 6, 3))
    with pytest.raises(InputError, match="expected finite numbers"):
        Distances(*solver_points, np.ones(6)).solve(*solver_points, [1, 1, 1, 1, 1, np.nan])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("motion", "count"), [("plane", 6), ("sphere", 8), ("translation", 2)])
def test_platforms_with_fewer_degrees_of_freedom(motion: str, count: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    base, platform = draw.normal(size=(2, 3, 3))
    turn, P = draw.normal(size=3), draw.normal(size=3)
    if motion == "plane":
        base[:, 2] = platform[:, 2] = P[2] = 0
        turn[:2] = 0
    P, turn = (np.zeros(3), turn) if motion == "sphere" else (P, np.zeros(3) if motion == "translation" else turn)
    R = Rotation.from_rotvec(turn).as_matrix()
    wanted = lengths(base, platform, R, P)
    poses = Distances(base, platform, np.ones(3), motion=motion).solve(base, platform, wanted)
    assert contains(poses, R, P) and poses.complete and poses.complex == count
