"""Test the nearest solution within limits and the status of a pose, in Python and in emitted C."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run, tool

LIMITS = np.array([[-2.8, 2.8], [-2.4, 2.4], [-2.6, 2.6], [-4.7, 4.7], [-2.1, 2.1], [-4.7, 4.7]])


@pytest.fixture(scope="module")
def arm() -> rs.Robot:
    return rs.load("tx90")


@pytest.fixture(scope="module")
def library(arm: rs.Robot, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("igm")
    written = rs.inverse_geometry(arm).write(folder / "arm.c")
    assert [path.name for path in written] == ["arm.c", "arm.h"]
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]
    run(tool("gcc", "cc"), "-std=c99", *strict, "-O2", "-shared", "-fPIC", "-o", "arm.so", "arm.c", "-lm", cwd=folder)
    (folder / "user.cpp").write_text('#include "arm.h"\nint main() { double q[TX90_IGM_MOST][6]; (void)q; }\n')
    run(tool("g++"), "-Wall", "-Werror", "user.cpp", "-c", cwd=folder)
    return ctypes.CDLL(str(folder / "arm.so"))


def _pointer(array: Any) -> Any:
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


def _nearest(library: Any, T: Any, now: Any, limits: Any) -> tuple[int, Any]:
    q = np.full(6, np.nan)
    status = library.tx90_igm_nearest(_pointer(np.ascontiguousarray(T)), _pointer(now), _pointer(limits), _pointer(q))
    return status, q


def _poses(arm: rs.Robot, count: int) -> Any:
    q = np.random.default_rng(3).uniform(-2.0, 2.0, (count, 6))
    return q, rs.direct_geometry(arm, 0, arm.NF).compile()(q=q).reshape(-1, 4, 4)


def test_python_and_c_choose_the_same(arm: rs.Robot, library: Any) -> None:
    model = rs.inverse_geometry(arm)
    q, poses = _poses(arm, 40)
    for now, T in zip(q, poses, strict=True):
        start = now + np.array([6.2, 0.1, -0.1, -6.2, 0.05, 12.5])
        every = model.solve(T)
        sorted_ = model.solve(T, near=start)
        assert len(every) == len(sorted_) <= 8
        turned = np.abs(sorted_ - start)
        assert (np.diff((turned**2).sum(axis=1)) >= -1e-12).all() and (turned <= math.pi + 1e-9).all()
        status, found = _nearest(library, T, start, None)
        assert status == 0 and np.allclose(found, sorted_[0], atol=1e-9)
        within = model.solve(T, near=start, limits=LIMITS)
        status, found = _nearest(library, T, start, LIMITS)
        if len(within):
            assert status == 0 and np.allclose(found, within[0], atol=1e-9)
            assert ((within >= LIMITS[:, 0]) & (within <= LIMITS[:, 1])).all()
        else:
            assert status == 4
    assert any(len(model.solve(T, limits=LIMITS)) for T in poses)


def test_status_of_a_pose(arm: rs.Robot, library: Any) -> None:
    _, poses = _poses(arm, 1)
    count, q = ctypes.c_int(-1), np.zeros((8, 6))

    def status(T: Any) -> int:
        return int(library.tx90_igm(_pointer(np.ascontiguousarray(T)), _pointer(q), ctypes.byref(count)))

    assert status(poses[0]) == 0 and count.value == len(rs.inverse_geometry(arm).solve(poses[0]))
    far = poses[0].copy()
    far[0, 3] = 10.0
    assert status(far) == 1 and count.value == 0
    mirrored = poses[0].copy()
    mirrored[:3, 0] *= -1
    assert status(mirrored) == 3 and count.value == 0
    assert status(np.full((4, 4), np.nan)) == 5
    straight = rs.direct_geometry(arm, 0, arm.NF).compile()(q=[0.3, 0.4, 0.5, 0.6, 0.0, 0.7]).reshape(4, 4)
    assert status(straight) == 2 and count.value > 0
    assert status(np.round(poses[0], 6)) == 0


def test_limits_by_name_and_from_the_description() -> None:
    arm = rs.load("tx90")
    T = rs.direct_geometry(arm, 0, arm.NF).compile()(q=[0.3, 0.4, 0.5, 0.6, 0.7, 0.8]).reshape(4, 4)
    model = rs.inverse_geometry(arm)
    assert len(model.solve(T, limits={"t5": (0.0, 3.2)})) == len(model.solve(T)) / 2
    bounded = arm.edit({"joint5.limits": {"lower": 0.0, "upper": 3.2}})
    assert len(rs.inverse_geometry(bounded).solve(T, limits=True)) == len(model.solve(T)) / 2
    for wrong in ({"limits": [[0, 1]]}, {"limits": {"t9": (0, 1)}}, {"near": [1, 2]}, {"limits": "no"}, {"near": "no"}):
        with pytest.raises(rs.InputError, match=r"limits: |near: "):
            model.solve(T, **wrong)


def test_windings_within_limits():
    """Every full turn within the limits is a row; the numbers follow from counting turns joint by joint."""
    model = rs.inverse_geometry(rs.load("ur5e"))
    q = np.array([0.3, -1.2, 1.1, 0.4, 0.9, -0.5])
    T = model.solver.numeric({}).forward(q[None])[0]
    limits = np.array([[-2 * np.pi, 2 * np.pi]] * 5 + [[-9.0, 3.0]])
    found, basic = model.solve(T, limits=limits, windings=True), np.asarray(model.solve(T))
    turns = np.arange(-3, 4) * 2 * np.pi
    images = basic[:, :, None] + turns
    inside = (images >= limits[:, :1]) & (images <= limits[:, 1:])
    assert len(found) == inside.sum(axis=2).prod(axis=1).sum() > len(basic)
    assert len(np.unique(np.round(found, 9), axis=0)) == len(found)
    assert ((found >= limits[:, 0]) & (found <= limits[:, 1])).all()
    assert np.abs(model.solver.numeric({}).forward(np.asarray(found)) - T).max() < 1e-9
    turned = q - [2 * np.pi, 0, 0, 0, 0, 0]
    nearest = model.solve(T, limits=limits, windings=True, near=turned + 0.1)
    assert len(nearest) == len(found) and np.abs(nearest[0] - turned).max() < 1e-9
    with pytest.raises(rs.InputError, match="windings: expected limits"):
        model.solve(T, windings=True)
    with pytest.raises(rs.InputError, match="narrower limits"):
        model.solve(T, limits=[(-100.0, 100.0)] * 6, windings=True)


def test_limits_of_the_robot_by_name():
    robot = rs.load("panda")
    model = rs.inverse_geometry(robot, fixed={robot.joint_names[6]: 0.3})
    q = np.array([0.2, 0.3, -0.1, -1.8, 0.1, 1.9, 0.3])
    T = model.solver.numeric(dict.fromkeys(model.parameters, 0.3)).forward(q[None])[0]
    for one, other in zip(model.solve(T, limits="robot"), model.solve(T, limits=True), strict=True):
        assert np.allclose(one, other)
    assert len(model.solve(T, limits="robot")) <= len(model.solve(T))
    with pytest.raises(rs.InputError, match="limits: expected"):
        model.solve(T, limits="robots")


def test_joint_names_of_the_file_everywhere(tmp_path):
    rs.load("panda").write(tmp_path / "arm.urdf")
    text = (tmp_path / "arm.urdf").read_text().replace('"t7"', '"wrist_turn"')
    robot = rs.loads(text, format="urdf")
    q = np.array([0.1, -0.5, 0.2, -2.0, 0.3, 1.6, 0.7])
    T = rs.direct_geometry(robot).compile()(q=q)
    assert "wrist_turn" in robot.joint_names
    igm = rs.inverse_geometry(robot, fixed=["wrist_turn"])
    by_name, by_variable = (igm.solve(T, {name: 0.7}) for name in ("wrist_turn", *igm.parameters))
    assert np.array_equal(by_name, by_variable) and np.abs(by_name - q[:6]).max(axis=1).min() < 1e-9
    with pytest.raises(rs.Error, match="wrist_turn: expected a lower limit up to the upper one, found 1 and -1"):
        rs.inverse_geometry(robot).solve(T, redundancy=0.7, limits={"wrist_turn": [1, -1]})
    with pytest.raises(rs.Error, match=r"near: expected 7 joint positions \(.*wrist_turn\)"):
        rs.inverse_geometry(robot).solve(T, near={"wrist_turn": 0.1})
