"""Paths of poses: branches are followed, jumps and singular positions reported, a feasible way is chosen."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.algebra.samples import Array

BENT = np.array([0.3, -1.2, 1.4, -1.8, -1.6, 0.2])
WIDE = np.tile([-2 * np.pi, 2 * np.pi], (6, 1))


@cache
def arm() -> tuple[Any, Any]:
    robot = rs.load("ur5e")
    return rs.inverse_geometry(robot), rs.direct_geometry(robot).compile()


def line(a: Array, b: Array, count: int = 60) -> Array:
    return np.asarray(a + (b - a) * np.linspace(0, 1, count)[:, None])


def test_recovers_the_motion_behind_the_poses() -> None:
    igm, forward = arm()
    q = line(BENT, BENT + np.array([1.0, 0.5, -0.6, 0.8, 0.5, 4.0]))
    path = igm.follow(forward(q=q), BENT)
    assert path.continuous and not path.crossings and np.abs(path.q - q).max() < 1e-9
    assert len({tuple(branch.items()) for branch in path.branches}) == 1  # it stays in its branch
    T = forward(q=q)
    assert [len(igm.solve(pose)) for pose in T[[0, -1]]] == [8, 4]  # half of the branches end on the way
    other = igm.follow(T, igm.solve(T[0])[0])
    assert np.abs(forward(q=other.q) - T).max() < 1e-9 and len(other.jumps) == 1


def test_branches_have_labels() -> None:
    igm, forward = arm()
    T = np.asarray(forward(q=BENT))[None]
    labels = {tuple(igm.follow(T, row).branches[0].items()) for row in np.asarray(igm.solve(T[0]))}
    assert len(labels) == 8


def test_reports_crossed_singular_position() -> None:
    igm, forward = arm()
    end = BENT * [1, 1, 1, 1, -1, 1]
    path = igm.follow(forward(q=line(BENT, end)), BENT)
    assert np.abs(path.q - line(BENT, end)).max() < 1e-8
    assert path.crossings == ((30, ("t5",)),)
    assert path.branches[29]["t5"] == -path.branches[30]["t5"]


def test_selects_branch_within_the_limits() -> None:
    igm, forward = arm()
    q = line(BENT, BENT + np.array([0.8, 0.4, -0.3, 0.2, 0.3, 0.5]))
    T = forward(q=q)
    own = np.stack([q.min(axis=0), q.max(axis=0)], axis=1) + np.array([-0.01, 0.01])  # only one branch fits
    assert np.abs(igm.follow(T, limits=own).q - q).max() < 1e-9
    narrow = own.copy()
    narrow[0, 1] = BENT[0] + 0.4  # no branch fits to the end
    path = igm.follow(T, limits=narrow)
    assert path.unreachable[-1] == 59 and path.unreachable[0] in (30, 31) and np.isnan(path.q[59]).all()


def test_angle_continues_until_its_limit() -> None:
    igm, forward = arm()
    q = line(BENT * [1, 1, 1, 1, 1, 0] - [0, 0, 0, 0, 0, 3], BENT * [1, 1, 1, 1, 1, 0] + [0, 0, 0, 0, 0, 3])
    limits = WIDE.copy()
    limits[5] = [-3.2, 3.2]
    path = igm.follow(forward(q=q), limits=limits)
    assert path.continuous and np.abs(path.q[:, 5]).max() <= 3.2
    short = limits.copy()
    short[5] = [-2.9, 2.9]  # it must jump by a full turn, or another branch be taken
    assert not igm.follow(forward(q=q), q[0] + [0, 0, 0, 0, 0, 0.2], limits=short).continuous


def test_unreachable_poses_are_nan() -> None:
    igm, forward = arm()
    T = np.array(forward(q=line(BENT, BENT + 0.3, 9)))
    T[4, 0, 3] += 5
    path = igm.follow(T, BENT)
    assert path.unreachable == (4,) and not path.jumps and np.isnan(path.q[4]).all() and np.isfinite(path.q[5:]).all()


def test_rejects_invalid_starts_and_robots_with_loops() -> None:
    igm, forward = arm()
    with pytest.raises(rs.Error, match="start: expected 6 joint positions"):
        igm.follow(np.asarray(forward(q=BENT))[None], [0.0] * 5)
    with pytest.raises(rs.Error, match="follow supports arms without loops"):
        rs.inverse_geometry(rs.load("sr400")).follow(np.eye(4)[None])
