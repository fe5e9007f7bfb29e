"""Poses as people type them, against SciPy's rotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robosym as rs
from robosym.app.menus import COMMANDS
from robosym.formats.pose_texts import pose_from, poses_from

P = [0.3, -0.1, 0.5]


def solve(robot: rs.Robot, pose: list[str], **values: Any) -> Any:
    return COMMANDS["solve"].run({"robot": robot, "pose": pose, **values}).result


ANGLES = [0.4, -0.7, 1.1]


def pose(R: Any) -> Any:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, P
    return T


TURNED = Rotation.from_euler("xyz", ANGLES)
RIGHT = pose(TURNED.as_matrix())


def words(numbers: Any) -> str:
    return ",".join(repr(float(x)) for x in np.ravel(numbers))


def test_every_form_of_a_pose() -> None:
    x, y, z, w = TURNED.as_quat()
    R = TURNED.as_matrix()
    for numbers in (
        RIGHT, RIGHT[:3], [*P, *ANGLES], [*P, w, x, y, z], [*P, -w, -x, -y, -z], [*P, *R[:, 1], *R[:, 2]],
    ):  # fmt: skip
        np.testing.assert_allclose(pose_from(words(numbers)), RIGHT, atol=1e-12)
    np.testing.assert_allclose(pose_from(f"rpy: {words([*P, *ANGLES])}"), RIGHT, atol=1e-12)
    zxz = pose(Rotation.from_euler("ZXZ", ANGLES).as_matrix())
    np.testing.assert_allclose(pose_from(f"Euler:{words([*P, *ANGLES])}"), zxz, atol=1e-12)
    np.testing.assert_array_equal(pose_from("0.3; -0.1 0.5"), pose(np.eye(3)))


def test_rejects_quaternions_that_are_not_normalized() -> None:
    """Within a thousandth, and is then made one."""
    x, y, z, w = 1.0009 * TURNED.as_quat()
    np.testing.assert_allclose(pose_from(words([*P, w, x, y, z])), RIGHT, atol=1e-12)
    x, y, z, w = 1.0011 * TURNED.as_quat()
    with pytest.raises(rs.InputError, match=r"expected a quaternion of length 1, found 1\.001"):
        pose_from(words([*P, w, x, y, z]))


@pytest.mark.parametrize("wrong", ["1,2", "1,2,3,4", "1,2,3,4,5,6,7,8", "1,x,3", "turn:1,2,3", ""])
def test_rejects_other_counts_and_words(wrong: str) -> None:
    with pytest.raises(rs.InputError, match=r"^pose: "):
        pose_from(wrong)


def test_files_of_poses(tmp_path: Path) -> None:
    """A position alone has no rotation, also among poses; a first line of names is skipped."""
    six = [*P, *ANGLES]
    (tmp_path / "a.csv").write_text(f"x,y,z\n\n{words(six)}\n{words(P)}\n")
    (tmp_path / "b.json").write_text(json.dumps([P, P]))
    (tmp_path / "c.json").write_text(json.dumps({"poses": [RIGHT.tolist(), RIGHT.tolist()]}))
    (tmp_path / "d.json").write_text(json.dumps({"T": RIGHT[:3].tolist()}))
    (tmp_path / "e.JSON").write_text(json.dumps(six))
    files = [str(tmp_path / name) for name in ("a.csv", "b.json", "c.json", "d.json", "e.JSON")]
    found = poses_from([words(P), *files])
    place = pose(np.full((3, 3), np.nan))
    expected = [place, RIGHT, place, place, place, RIGHT, RIGHT, RIGHT, RIGHT]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "1,2,3\nx,y,z\n", r"a.csv:2: expected numbers, found 'x, y, z'"),
        ("a.csv", "1,2,3\n\n1,2\n", r"a.csv:3: expected .* found 2 numbers"),
        ("a.csv", "x,y,z\n", "expected one pose per line"),
        ("a.json", "[[1,2,3],[1,2]]", "expected a pose or a list of poses"), ("a.json", "{", "expected JSON"),
        ("a.json", "[[1,2,3,4]]", r"pose 1: expected .* found 4 numbers"),
    ],
)  # fmt: skip
def test_rejects_invalid_pose_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(rs.Error, match=message):
        poses_from([str(tmp_path / name)])


def test_limits_filter_solutions_on_request() -> None:
    robot = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
    robot = robot.edit({f"joint{j}.limits": {"position": [-2.5, 0.5]} for j in range(1, 7)})
    q = np.array([0.3, -0.7, -0.9, 0.4, -1.1, -0.2])
    T = words(rs.direct_geometry(robot, 0, 6).compile()(q=q))
    every, within = solve(robot, [T]), solve(robot, [T], limits=True)
    assert len(every.rows) == 8 and 1 <= len(within.rows) < 8
    allowed = ((every.rows[:, 1:] >= -2.5) & (every.rows[:, 1:] <= 0.5)).all(axis=1)
    np.testing.assert_allclose(within.rows, every.rows[allowed])


def test_poses_and_positions_of_a_platform_in_one_list() -> None:
    """The orientation of a position is the one that the legs allow there."""
    robot = rs.load("delta")
    rows = np.asarray(rs.direct_geometry(robot).solve([0.3, 0.35, 0.4]))
    T = np.column_stack([rows[0, :9].reshape(3, 3), rows[0, 9:]])
    found = solve(robot, [words(T), words(T[:, 3]), words(T)])
    assert found.names[0] == "pose"
    np.testing.assert_allclose(found.rows, [[k, 0.3, 0.35, 0.4] for k in (1, 2, 3)], atol=1e-9)
