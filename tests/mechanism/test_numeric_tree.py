"""Numeric poses and twists of the frames of a robot."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import symbols
from robosym.mechanism.numeric_tree import NumericTree, frames_along


@pytest.mark.parametrize("robot_name", ["rx90", "scara", "stanford"])
def test_poses_agree_with_the_direct_geometric_model(robot_name: str) -> None:
    robot = rs.load(robot_name)
    model = rs.direct_geometry(robot)
    values = {p: 0.3 + 0.1 * k for k, p in enumerate(model.inputs.get("parameters", ()))}
    tree = NumericTree(robot)
    q = np.random.default_rng(0).normal(size=(5, len(tree.joints)))
    others = {name: 0.7 for frame in robot.frames for name in symbols([frame.d, frame.r, frame.b])}
    poses = tree.poses(tree.at_zero({**others, **values}), q)
    given = {"parameters": values} if values else {}
    np.testing.assert_allclose(poses[:, -1], model.compile()(q=q, **given), atol=1e-12)
    np.testing.assert_allclose(frames_along(robot.frames, {**others, **values, **tree.named(q[0])}), poses[0, 1:])


def test_twists_agree_with_differences_of_poses() -> None:
    robot = rs.loads(
        "name: screw\ngravity: [0, 0, 9.81]\nframes:\n"
        "  - {d: 0.3, alpha: 0.4, theta: q1}\n"
        "  - {sigma: 3, pitch: 0.2, d: 0.5, alpha: 1.1, theta: q2}\n"
        "  - {sigma: 1, alpha: 0.7, theta: 0.3, r: q3}\n",
        format="yaml",
    )
    tree, h = NumericTree(robot), 1e-6
    at_zero, q = tree.at_zero({}), np.array([[0.3, -0.8, 0.4]])
    poses = tree.poses(at_zero, q)
    found = tree.twists(poses, poses[:, 3, :3, 3], tree.joints)[0]
    A = poses[0, 3, :3, :3]
    for k in range(3):
        step = np.eye(3)[[k]] * h
        slope = (tree.poses(at_zero, q + step)[0, 3] - tree.poses(at_zero, q - step)[0, 3]) / (2 * h)
        spin = slope[:3, :3] @ A.T
        expected = [*slope[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]]
        np.testing.assert_allclose(found[:, k], expected, atol=1e-8)
