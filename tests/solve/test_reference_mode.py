"""Test that the mode of the reference position comes first in every search, and that its end is reported."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import robosym as rs
from cases.parallel_robots import REFERENCED, THIRDS, Builder, Y, Z
from robosym.errors import InputError, ModeWarning
from robosym.mechanism import Robot
from robosym.solve import simultaneous


def prs() -> tuple[Robot, dict[str, float]]:
    """Return a 3-PRS robot: three slides with rods to spherical joints; it has several assembly modes."""
    make, platform = Builder("prs"), 0
    for R in THIRDS:
        foot, top = R @ [0.5, 0, 0], R @ [0.2, 0, 0.6]
        rod = make.joint(make.joint(0, "P", Z, foot, motor=True), "R", R @ Y, foot)
        if platform:
            make.spherical_cut(rod, platform, top)
        else:
            platform = make.spherical(rod, top)
    robot, position = make.robot()
    return replace(robot, position=position), position


def gap(robot: Robot, q: np.ndarray) -> float:
    """Return the closure error of the loops for positions of the tree joints."""
    closing = rs.loop_kinematics(robot)._constraints.closing
    names = [robot.variable(j) for j in robot.tree_joints]
    return float(np.abs(closing.gap(closing.with_cut(dict(zip(names, q, strict=True))))).max())


def test_reference_mode_is_first_if_the_search_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, position = prs()
    geometry = rs.loop_geometry(robot)
    reference = np.array([position[name] for name in geometry.joints])
    motors = np.array([position[name] for name in geometry.known]) + np.array([0.03, -0.02, 0.04])
    monkeypatch.setattr(simultaneous, "_MANY", 2)
    with pytest.warns(ModeWarning, match="there are more"):
        found = geometry.solve(motors)
    assert not found.complete
    assert np.abs(found[0] - reference).max() < 0.2
    assert gap(robot, found[0]) < 1e-9
    np.testing.assert_allclose(geometry.usual(motors), found[0], atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_returns_both_sets_of_angles_of_spherical_joints(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search needs fewer starts than modes: the other angles of a spherical joint are computed."""
    robot, position = prs()
    geometry = rs.loop_geometry(robot)
    motors = np.array([position[name] for name in geometry.known])
    motors += np.random.default_rng(seed).uniform(-0.04, 0.04, 3)
    monkeypatch.setattr(simultaneous, "_STARTS", 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = geometry.solve(motors)
    assert len(found) == 64 and not found.complete
    assert max(gap(robot, q) for q in np.asarray(found)[::7]) < 1e-8
    places = {tuple(np.round(_rods(robot, q), 5)) for q in np.asarray(found)}
    assert len(places) == 8  # distinct positions of the links


def _rods(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the inclinations of the rods on their slides, which identify the assembly mode."""
    joints = robot.tree_joints
    slides = [j for j in joints if robot.frame(j).mu]
    places = [joints.index(j) for j in joints if robot.frame(j).ant in slides]
    return np.concatenate([np.cos(q[places]), np.sin(q[places])])


def test_reports_mode_that_ends_before_the_motor_positions() -> None:
    robot, position = prs()
    geometry = rs.loop_geometry(robot)
    motors = np.array([position[name] for name in geometry.known]) + np.array([2.0, 0.0, 0.0])
    with pytest.raises(InputError, match="the mode of the reference position ends before r1 = "):
        geometry.usual(motors)
    robot = rs.loads(FOUR_BAR, format="yaml")
    with pytest.warns(ModeWarning, match="ends before these joints"):
        rs.loop_geometry(robot).solve([-0.9])


#: the rods are too different for a full turn of the crank: between 0.9 and -0.9 the loop does not close at 0
FOUR_BAR = """
name: bar
frames:
  - {theta: t1}
  - {ant: 0, mu: 0, d: 1.0, theta: t2}
  - {ant: 1, mu: 0, d: 0.9, theta: t3}
  - {ant: 3, mu: 0, d: 0.4, theta: t4}
  - {ant: 2, sigma: 2, d: 0.6}
loops: [[4, 5]]
gravity: [0, 0, 0]
position: {t1: 0.9, t2: 1.6631, t3: -1.1722}
"""


def test_explicit_loops_are_complete() -> None:
    found = rs.loop_geometry(rs.loads(FOUR_BAR, format="yaml")).solve([0.9])
    assert found.complete and len(found) == 2
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert copied.complete and copied.joints == found.joints and np.array_equal(copied, found)


@pytest.mark.long
@pytest.mark.parametrize("name", ["gough", "delta_rods", "delta_ruu"])
def test_reference_mode_of_platforms_in_loops(name: str) -> None:
    robot, position = REFERENCED[name]()
    robot = replace(robot, position=position)
    geometry = rs.loop_geometry(robot)
    reference = np.array([position[joint] for joint in geometry.joints])
    motors = np.array([position[joint] for joint in geometry.known])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for moved in (motors, motors + 0.02):
            found = geometry.solve(moved)
            assert np.abs(found[0] - reference).max() < 0.3
            assert gap(robot, found[0]) < 1e-9 and not found.complete


@pytest.mark.long
def test_rods_between_two_balls_spin_idly() -> None:
    """The spins of struts with a spherical joint at each end are reported as free and add no modes."""
    make, platform = Builder("sps"), 0
    for k in range(6):
        foot = 0.8 * np.array([np.cos(k + 0.3 * (k % 2)), np.sin(k + 0.3 * (k % 2)), 0.0])
        head = np.array([0.05, -0.03, 0.9]) + 0.5 * np.array([np.cos(k + 0.4), np.sin(k + 0.4), 0.0])
        strut = make.joint(make.spherical(0, foot), "P", head - foot, head, motor=True)
        if platform:
            make.spherical_cut(strut, platform, head)
        else:
            platform = make.spherical(strut, head)
    robot, position = make.robot()
    robot = replace(robot, position=position)
    geometry = rs.loop_geometry(robot)
    reference = np.array([position[joint] for joint in geometry.joints])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = geometry.solve([position[joint] + 0.01 for joint in geometry.known])
    assert np.abs(found[0] - reference).max() < 0.1 and gap(robot, found[0]) < 1e-9
    assert len(found.free[0]) == 6
