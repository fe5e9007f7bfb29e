"""Workspaces beside brute force in NumPy from the points of the legs, and proofs beside random poses."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.spatial.transform import Rotation

import robosym as rs
from robosym.studies.reach_conditions import feasible
from robosym.studies.reach_files import boundary, enclosed_volume
from robosym.studies.study_plots import pareto_front

BASE = np.array([[0.55 * np.cos(a), 0.55 * np.sin(a), 0.02 * k] for k, a in enumerate((-0.2, 0.2, 1.9, 2.3, 4, 4.4))])
TOP = np.array([[0.3 * np.cos(a), 0.3 * np.sin(a), 0.01 * k] for k, a in enumerate((-0.8, 0.9, 1.2, 2.9, 3.3, 5.2))])
GRID = {"x": np.linspace(-0.35, 0.35, 8), "y": np.linspace(-0.3, 0.35, 7), "z": np.linspace(0.35, 0.95, 7)}


@pytest.fixture(scope="module")
def hexapod() -> rs.Robot:
    """A machine of our own: six struts with strokes between points on no common circle or plane."""
    cables = "\n".join(f"  - {{base: {b.tolist()}, platform: {p.tolist()}}}" for b, p in zip(BASE, TOP, strict=True))
    text = (
        f"name: mine\nplatform: {{M: 5, inertia: [0.1, 0, 0, 0.1, 0, 0.2]}}\ncables:\n{cables}\n"
        "position: {pose: [0, 0, 0.6]}\ngravity: [0, 0, -9.81]\n"
    )
    robot = rs.loads(text, format="yaml")
    return robot.edit({f"joint{j}.limits": {"position": [0.55, 0.85], "effort": 200} for j in robot.motors})


def legs_at(turn: Any = (0, 0, 0)) -> Any:
    """Return ends of the legs on the platform for all poses of the grid, shape (n, 6, 3), and the rotation."""
    R = Rotation.from_euler("xyz", turn).as_matrix()
    P = np.stack(np.meshgrid(*GRID.values(), indexing="ij"), axis=-1).reshape(-1, 3)
    return P[:, None] + TOP @ R.T, R


def segment_distance(a: Any, b: Any, c: Any, d: Any) -> float:
    """Return the distance of two segments by a bounded minimization."""
    found = minimize(
        lambda s: float(np.sum((a + s[0] * (b - a) - c - s[1] * (d - c)) ** 2)), [0.5, 0.5], bounds=[(0, 1), (0, 1)],
        options={"ftol": 1e-14, "gtol": 1e-12},
    )  # fmt: skip
    return float(np.sqrt(found.fun))


def test_strokes_of_any_orientation_equal_brute_force(hexapod: rs.Robot) -> None:
    turn = (0.2, -0.15, 0.3)
    ends, _ = legs_at(turn)
    L = np.linalg.norm(ends - BASE, axis=2)
    wanted = ((L >= 0.55) & (L <= 0.85)).all(axis=1)
    start = rs.platform_pose(hexapod, x=0, y=0, z=0.6)
    assert np.allclose(start[:9], np.eye(3).ravel())
    found = rs.workspace(hexapod, **GRID, roll=[turn[0]], pitch=[turn[1]], yaw=[turn[2]])
    assert 5 < wanted.sum() < len(wanted) - 5
    assert (found.reached.ravel() == wanted).all()


def test_cones_and_clearance_equal_brute_force(hexapod: rs.Robot) -> None:
    ends, _ = legs_at()
    unit = (ends - BASE) / np.linalg.norm(ends - BASE, axis=2, keepdims=True)
    rest = TOP + np.array([0, 0, 0.6]) - BASE
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    angles = np.arccos(np.clip((unit * rest).sum(axis=2), -1, 1)).max(axis=1)
    found = rs.workspace(hexapod, **GRID, limits=False, cones=[0.35, 0.3])
    assert (found.reached.ravel() == (angles <= 0.3)).all()  # without rotation, both angles are equal
    assert 10 < found.reached.sum() < found.reached.size
    some = np.random.default_rng(0).choice(len(ends), 12, replace=False)
    near = rs.workspace(hexapod, **GRID, limits=False, clearance=0.08).reached.ravel()
    for k in some:
        least = min(segment_distance(BASE[i], ends[k, i], BASE[j], ends[k, j]) for i, j in combinations(range(6), 2))
        assert near[k] == (least >= 0.08) or abs(least - 0.08) < 1e-5
    assert 0 < near.sum() < len(near)


def test_cone_of_the_platform_turns_with_it(hexapod: rs.Robot) -> None:
    turn = (0.0, 0.0, 0.4)
    ends, R = legs_at(turn)
    unit = (ends - BASE) / np.linalg.norm(ends - BASE, axis=2, keepdims=True)
    rest = TOP + np.array([0, 0, 0.6]) - BASE
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    angles = np.arccos(np.clip(np.einsum("nki,ki->nk", unit @ R, rest), -1, 1)).max(axis=1)
    found = rs.workspace(hexapod, **GRID, yaw=[0.4], limits=False, cones=[3, 0.6])
    assert (found.reached.ravel() == (angles <= 0.6)).all() and 0 < found.reached.sum() < found.reached.size


@pytest.mark.parametrize("kind", ["any", "all"])
def test_orientations_are_combined(hexapod: rs.Robot, kind: Any) -> None:
    yaw = [-0.4, 0.0, 0.3]
    each = rs.workspace(hexapod, **GRID, yaw=yaw).reached
    found = rs.workspace(hexapod, **GRID, yaw=yaw, orientations=kind)
    assert (found.reached == (each.any(axis=-1) if kind == "any" else each.all(axis=-1))).all()
    assert found.reached.shape == (8, 7, 7) and 0 < found.reached.sum() < each.any(axis=-1).size


@pytest.mark.parametrize(("f", "m"), [(2, 2), (2, 3), (3, 3), (3, 5), (6, 8)])
def test_feasible_wrenches_equal_a_linear_program(f: int, m: int) -> None:
    rng = np.random.default_rng(10 * f + m)
    W = rng.normal(size=(12, f, m))
    low, high = np.full(m, 5.0), np.full(m, 60.0)
    wanted = np.einsum("nfm,nkm->nkf", W, rng.uniform(-5, 75, (12, 2, m)))
    found = feasible(W, wanted, low, high)
    programs = [
        all(linprog(np.zeros(m), A_eq=W[n], b_eq=b, bounds=np.stack([low, high], 1)).status == 0 for b in wanted[n])
        for n in range(len(W))
    ]
    assert list(found) == programs


def test_wrench_feasible_workspace_balances_the_weight(hexapod: rs.Robot) -> None:
    load = [0, 0, -600, 0, 0, 0]
    found = rs.workspace(hexapod, **GRID, limits=False, wrenches=[load], efforts=130)
    ends, _ = legs_at()
    unit = (ends - BASE) / np.linalg.norm(ends - BASE, axis=2, keepdims=True)
    P = np.stack(np.meshgrid(*GRID.values(), indexing="ij"), axis=-1).reshape(-1, 3)
    columns = np.concatenate([unit, np.cross(ends - P[:, None], unit)], axis=2)
    forces = np.linalg.solve(np.swapaxes(columns, 1, 2), -np.array(load)[:, None])[..., 0]
    wanted = np.abs(forces).max(axis=1) <= 130
    assert (found.reached.ravel() == wanted).all() and 0 < wanted.sum() < len(wanted)


def test_volume_is_bounded_and_the_surface_encloses_it(hexapod: rs.Robot, tmp_path: Path) -> None:
    bounds = rs.workspace_volume(hexapod, x=[-0.35, 0.35], y=[-0.35, 0.35], z=[0.3, 0.9], tolerance=0.1)
    rng = np.random.default_rng(1)
    P = rng.uniform([-0.35, -0.35, 0.3], [0.35, 0.35, 0.9], (400_000, 3))
    L = np.linalg.norm(P[:, None] + TOP - BASE, axis=2)
    share = ((L >= 0.55) & (L <= 0.85)).all(axis=1).mean()
    whole = 0.7 * 0.7 * 0.6
    error = 4 * whole * np.sqrt(share * (1 - share) / len(P))
    assert bounds.low - error < share * whole < bounds.high + error and bounds.error < 0.1 * bounds.value
    axes = {"x": np.linspace(-0.35, 0.35, 25), "y": np.linspace(-0.35, 0.35, 25), "z": np.linspace(0.3, 0.9, 23)}
    reach = rs.workspace(hexapod, **axes)
    vertices, faces = boundary(reach)
    assert enclosed_volume(vertices, faces) == pytest.approx(share * whole, rel=0.05)
    sides = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    assert (np.unique(sides, axis=0, return_counts=True)[1] % 2 == 0).all()  # the surface is closed
    reach.write(tmp_path / "a.stl")
    assert (tmp_path / "a.stl").stat().st_size == 84 + 50 * 2 * len(faces)
    low, high = reach.volume_bounds
    assert low < share * whole < high
    reach.write(tmp_path / "a.vtk")
    text = (tmp_path / "a.vtk").read_text().split()
    first = text.index("default") + 1
    assert np.array_equal(np.array(text[first : first + reach.reached.size], int), reach.reached.ravel(order="F"))


def test_no_sampled_pose_of_a_proven_box_is_singular(hexapod: rs.Robot) -> None:
    box = {"x": [-0.03, 0.05], "y": [-0.04, 0.02], "z": [0.58, 0.64], "yaw": [-0.1, 0.1]}
    found = rs.singularity_free(hexapod, **box)
    assert found and found.boxes > 1 and "proven" in str(found)
    rng = np.random.default_rng(2)
    poses = rs.platform_pose(hexapod, **{name: rng.uniform(*ends, 300) for name, ends in box.items()})
    R, P = poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]
    arms = np.einsum("nij,kj->nki", R, TOP)
    L = P[:, None] + arms - BASE
    signs = np.sign(np.linalg.det(np.concatenate([L, np.cross(arms, L)], axis=2)))
    assert (signs == signs[0]).all()


def test_singular_boxes_are_not_proven() -> None:
    gough = rs.load("gough33")
    found = rs.singularity_free(gough, yaw=[0.0, 2.0])  # singular at a quarter turn (Fichter, 1986)
    assert not found and found.singular is not None
    assert not rs.singularity_free(gough, yaw=[1.5, np.pi / 2], seconds=2)  # singular at its edge


def test_boxes_of_a_five_bar_robot() -> None:
    """Its orientation follows from x and y; singular where the two rods are parallel, computed here from its joints."""
    robot = rs.load("fivebar")
    lengths, apart = 0.09, 0.118
    assert {abs(float(v)) for v in robot.numbers().values()} >= {lengths, apart}

    def lined_up(x: float, y: float) -> float:
        t1, t4 = rs.inverse_geometry(robot).solve({"x": x, "y": y})
        elbows = [(lengths * np.cos(t1), lengths * np.sin(t1)), (apart + lengths * np.cos(t4), lengths * np.sin(t4))]
        (ax, ay), (bx, by) = ((x - u, y - v) for u, v in elbows)
        return float(ax * by - ay * bx) / lengths**2

    box = {"x": [0.055, 0.063], "y": [0.115, 0.125]}
    values = [lined_up(x, y) for x in np.linspace(*box["x"], 5) for y in np.linspace(*box["y"], 5)]
    assert min(values) * max(values) > 0
    assert rs.singularity_free(robot, **box)
    wide = {"x": [-0.03, 0.15], "y": [0.03, 0.13]}
    assert rs.singularity_free(robot, **wide).singular is not None


def test_boxes_of_platforms_that_a_leg_holds() -> None:
    assert rs.singularity_free(rs.load("tricept"), x=[-0.1, 0.1], y=[-0.1, 0.1], z=[1.1, 1.2])
    assert rs.singularity_free(rs.load("planar3rrr"), x=[-0.05, 0.05], y=[-0.05, 0.05], yaw=[-0.1, 0.1])
    volume = rs.workspace_volume(rs.load("fivebar"), x=[-0.1, 0.2], y=[0.05, 0.17], tolerance=0.05)
    reach = rs.workspace(rs.load("fivebar"), x=np.linspace(-0.1, 0.2, 91), y=np.linspace(0.05, 0.17, 41))
    assert volume.low < reach.volume < volume.high


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"cones": [0.3]}, "cones"), ({"cones": [0, 1]}, "cones"), ({"clearance": -1}, "clearance"),
        ({"margin": float("nan")}, "margin"), ({"efforts": 3}, "efforts"), ({"wrenches": [1, 2]}, "wrenches"),
        ({"wrenches": [0] * 6, "efforts": [[3, 2]] * 6}, "efforts"), ({"orientations": "some"}, "orientations"),
        ({"orientations": "any"}, "orientations"),
    ],
)  # fmt: skip
def test_conditions_are_checked(hexapod: rs.Robot, options: dict[str, Any], word: str) -> None:
    with pytest.raises(rs.InputError, match=word):
        rs.workspace(hexapod, x=[0, 0.1], **options)


@pytest.mark.parametrize("quantity", ["dexterity", "type1", "type2", "stiffness", "force", "isotropy", "surface"])
def test_plots_are_written(hexapod: rs.Robot, quantity: str, tmp_path: Path) -> None:
    axes = {name: values[1:6] for name, values in GRID.items()}
    reach = rs.workspace(hexapod, **axes)
    assert reach.reached.any()
    for name in ("a.svg", "a.png", "a.html"):
        reach.plot(tmp_path / name, quantity)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(rs.Error, match="svg"):
        reach.plot(tmp_path / "a.gif")


def test_pareto_front_is_not_dominated() -> None:
    values = np.random.default_rng(0).normal(size=(200, 2))
    front = set(pareto_front(values, [True, False]).tolist())
    for k, (a, b) in enumerate(values):
        beaten = ((values[:, 0] >= a) & (values[:, 1] <= b)).sum() > 1
        assert (k in front) != beaten
