"""Test arms with axes that are parallel, perpendicular or intersect up to noise, as in many URDF files."""

from __future__ import annotations

import pickle

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from long_cases import quick_and_long

#: axes and origins of joints with zero angles: an arm with three parallel axes, and one with a spherical wrist
ARMS = {
    "parallel": (
        [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, -1], [0, 1, 0]],
        [[0, 0, 0.09], [0, 0.13, 0], [0, -0.12, 0.42], [0, 0, 0.39], [0, 0.1, 0], [0, 0, 0.09]],
    ),
    "wrist": (
        [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]],
        [[0, 0, 0.4], [0.05, 0, 0], [0, 0.02, 0.42], [0.03, 0, 0.39], [0, 0, 0], [0, 0, 0.1]],
    ),
}
#: the noise of all entries of axes, origins and angles, and the tolerance
NOISE = {"2e-10": 1e-5, "1e-8": 1e-5, "1e-6": 1e-5, "4e-6": 1e-5, "1e-4": 1e-3, "1e-3": 5e-3}


def description(kind: str, noise: float, seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    axes, origins = (np.array(part, float) + noise * rng.normal(size=(6, 3)) for part in ARMS[kind])
    angles = noise * rng.normal(size=(6, 3))
    text = [f'<robot name="{kind}"><link name="l0"/>']
    for k in range(6):
        axis, xyz, rpy = (" ".join(map(repr, map(float, part[k]))) for part in (axes, origins, angles))
        text.append(
            f'<link name="l{k + 1}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
            f'iyz="0"/></inertial></link><joint name="shaft_{k + 1}" type="revolute"><parent link="l{k}"/>'
            f'<child link="l{k + 1}"/><limit lower="-6.2" upper="6.2" effort="1" velocity="1"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/></joint>'
        )
    return "".join(text) + "</robot>"


def poses(text: str, q: np.ndarray) -> np.ndarray:
    """Poses of the last link by Pinocchio, which reads the same text."""
    model = pin.buildModelFromXML(text)
    data = model.createData()
    found = []
    for row in q:
        pin.forwardKinematics(model, data, row)
        found.append(data.oMi[6].homogeneous.copy())
    return np.array(found)


def same(one, other) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    if len(one) != len(other):
        return False
    apart = np.abs(2 * np.sin((one[:, None] - other[None]) / 2)).max(axis=2)
    return bool((apart.min(axis=0, initial=9) < 1e-6).all() and (apart.min(axis=1, initial=9) < 1e-6).all())


@pytest.mark.parametrize("noise", quick_and_long(NOISE, long={"1e-8", "1e-4"}))
@pytest.mark.parametrize("kind", ARMS)
def test_solutions_are_those_of_the_given_geometry(kind, noise):
    """The general method, which knows nothing of special geometry, finds as many; Pinocchio confirms each."""
    text = description(kind, float(noise))
    robot = rs.loads(text, format="urdf")
    model = rs.inverse_geometry(robot, geometry_tolerance=NOISE[noise])
    assert model.method == "paul" and model.special is not None
    q = np.random.default_rng(5).uniform(-np.pi, np.pi, (60, 6))
    T = poses(text, q)
    found = model.solve(T)
    expected = rs.inverse_geometry(robot, "general").solve(T)
    for known, pose, rows, others in zip(q, T, found, expected, strict=True):
        assert np.abs(2 * np.sin((np.asarray(rows) - known) / 2)).max(axis=1).min() < 1e-6
        assert same(rows, others)
        assert np.abs(poses(text, np.asarray(rows)) - pose).max() < 1e-9
    for pose, rows in zip(T[:12], found, strict=False):
        assert np.allclose(np.asarray(model.solve(pose)), np.asarray(rows), atol=1e-9)


def test_most_poses_of_noisy_axes_need_no_elimination():
    text = description("parallel", 1e-6)
    model = rs.inverse_geometry(rs.loads(text, format="urdf")).compile()
    T = poses(text, np.random.default_rng(6).uniform(-3, 3, (400, 6)))
    *_, doubtful = model._machine.many(T, {}, 1e-9)
    assert len(doubtful) < 40


def test_poses_at_and_near_singularities_take_the_given_geometry():
    """Axes that coincide in the special geometry only leave no joint free: the general method has the last word."""
    text = description("wrist", 1e-6)
    robot = rs.loads(text, format="urdf")
    model = rs.inverse_geometry(robot)
    q = np.array([[0.3, 0.4, 0.5, 0.6, 1e-9, 0.7], [0.3, 0.4, 0.5, 0.6, 1e-3, 0.7], [0.1, 0.2, 0.05, 0.3, 0.4, 0.2]])
    for known, pose in zip(q, poses(text, q), strict=True):
        found = np.asarray(model.solve(pose))
        assert np.abs(poses(text, found) - pose).max() < 1e-8
        assert np.abs(2 * np.sin((found - known) / 2)).max(axis=1).min() < 2e-3 or len(found)
        assert same(found, rs.inverse_geometry(robot, "general").solve(pose)) or model.solve(pose).complete is False


def test_unreachable_and_inexact_poses():
    text = description("parallel", 1e-6)
    model = rs.inverse_geometry(rs.loads(text, format="urdf"))
    far = np.eye(4)
    far[0, 3] = 5.0
    assert model.solve(far).shape == (0, 6)
    T = poses(text, np.full((1, 6), 0.4))[0]
    assert same(model.solve(np.round(T, 7)), model.solve(T)) or len(model.solve(np.round(T, 7))) == len(model.solve(T))


def test_tolerance_of_zero_keeps_the_geometry():
    robot = rs.loads(description("parallel", 1e-6), format="urdf")
    assert rs.inverse_geometry(robot, geometry_tolerance=0).method == "general"
    with pytest.raises(rs.InputError, match=r"geometry_tolerance: expected a number from 0 to 0\.01"):
        rs.inverse_geometry(robot, geometry_tolerance=-1)
    assert rs.inverse_geometry(rs.load("ur5e")).special is None


def test_changes_are_reported():
    robot = rs.loads(description("parallel", 1e-6), format="urdf")
    (remark,) = robot.check()
    assert "angle between the axes of shaft_2 and shaft_3" in remark and "rad taken as 0 (changed by" in remark
    model = rs.inverse_geometry(robot)
    assert "special geometry" in model.explain() and all(snap.amount < 3e-5 for snap in model.special.snaps)
    assert model.special.position < 1e-4 and model.special.rotation < 1e-4
    assert "SPECIAL GEOMETRY" in model.branches().code("julia")
    assert not rs.loads(description("parallel", 0.0), format="urdf").check()


def test_emitted_code_has_the_given_geometry():
    text = description("wrist", 1e-6)
    model = rs.inverse_geometry(rs.loads(text, format="urdf"))
    source = model.code("python")
    assert "near to a special one" in source and "changed by" in source
    space: dict[str, object] = {}
    exec(compile(source, "generated", "exec"), space)
    T = poses(text, np.full((1, 6), 0.5))[0]
    status, rows = space["igm"](T.tolist())
    assert status == 0 and same(np.array(rows), model.solve(T))


def test_models_are_pickled():
    text = description("wrist", 1e-6)
    model = rs.inverse_geometry(rs.loads(text, format="urdf"))
    T = poses(text, np.full((1, 6), 0.5))[0]
    assert same(pickle.loads(pickle.dumps(model)).solve(T), model.solve(T))


@pytest.mark.parametrize("name", ["antiparallel", "right angles of five digits"])
def test_constants_of_files_with_five_digits(name):
    """Antiparallel axes keep their sense, and constants stay rotations: both are common in files."""
    turned = "3.14159 0 0.7" if name == "antiparallel" else "0.2 0.1 0.7"
    origins = ["0 0 0.1", "0.02 0 0.05", "0.26 0 0", "0.24 0.06 0", "0 0.05 0.04", "0.07 0 0.03"]
    angles = ["0 0 0", "1.5708 0 0.4", turned, turned, "1.5708 0 0", "1.5708 0 1.5708"]
    text = '<robot name="arm"><link name="l0"/>'
    for k in range(6):
        text += (
            f'<link name="l{k + 1}"/><joint name="j{k + 1}" type="continuous"><parent link="l{k}"/>'
            f'<child link="l{k + 1}"/><origin xyz="{origins[k]}" rpy="{angles[k]}"/><axis xyz="0 0 1"/></joint>'
        )
    robot = rs.loads(text + "</robot>", format="urdf")
    model = rs.inverse_geometry(robot, frame="l6")
    for constant in model.solver.numeric({}).constants:
        assert np.abs(constant[:3, :3].T @ constant[:3, :3] - np.eye(3)).max() < 1e-15
    if name == "antiparallel":
        assert model.special is not None and model.special.error < 1e-4
    q = np.random.default_rng(3).uniform(-3, 3, (20, 6))
    T = rs.direct_geometry(robot, 0, "l6").compile()(q=q)
    for row, found in zip(q, model.solve(T), strict=True):
        assert np.abs(2 * np.sin((found - row) / 2)).max(axis=1).min() < 1e-7
    alone = [model.machine.one(pose, {}, 1e-9) for pose in T]
    assert sum(found is None for found in alone) <= 2


def test_noisy_arms_have_the_solutions_of_many_starts():
    """Joined with the general method, doubtful poses lose no solution that Newton's method finds from 600 starts."""
    text = description("parallel", 1e-4, seed=7)
    robot = rs.loads(text, format="urdf")
    model = rs.inverse_geometry(robot, frame="l6", geometry_tolerance=1e-3)
    chain = model.solver.numeric({})
    q = np.random.default_rng(8).uniform(-3, 3, (60, 6))
    T = poses(text, q)
    doubtful = [k for k in range(60) if model.machine.special.one(T[k], {}, 1e-9) is None][:3]
    assert doubtful
    starts = np.random.default_rng(9).uniform(-np.pi, np.pi, (600, 6))
    for k in doubtful:
        rows, errors = chain.polish(starts, np.broadcast_to(T[k], (600, 4, 4)), turns=40)
        found = np.asarray(model.solve(T[k]))
        apart = np.abs(2 * np.sin((rows[errors < 1e-10][:, None] - found) / 2)).max(axis=2).min(axis=1)
        assert apart.max() < 1e-5
