"""Inverse geometry of closed robots: the motors of each working mode, judged by closing the loops forward."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import robosym as rs
from cases.closed_robots import five_bar, gough_stewart, palletizer, three_rrr
from cases.forward import gap, place
from robosym.description import Robot
from robosym.errors import InputError
from robosym.loops.closing import Closing

SR400 = {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3}
FIVE_BAR = {"L0": 1.0, "L1": 0.6, "L2": 0.55, "L3": 0.8, "L4": 0.85}


def closes(robot: Robot, parameters: dict[str, float], values: dict[str, float]) -> None:
    """The tree joints close the loops (cut joints follow)."""
    closing = Closing(robot)
    full = closing.with_cut({**parameters, **values})
    assert np.abs(closing.gap(full)).max() < 1e-8


def test_motors_of_a_planar_platform_in_eight_working_modes() -> None:
    robot = three_rrr()
    start = dict(zip(("t1", "t3", "t5"), (0.9, 2.0, -1.5), strict=True))
    loops = rs.loop_geometry(robot)
    whole = dict(zip(loops.joints, loops.solve(list(start.values()))[0], strict=True))
    T = place(robot, whole, 7)
    model = rs.inverse_geometry(robot, frame=7)
    found = model.solve(T)
    assert model.joints == ("t1", "t3", "t5") and found.shape == (8, 3) and len(set(found.modes)) == 8
    # each leg by the law of cosines: two positions of its first link
    for column, leg in enumerate([(1, 2), (3, 4), (5, 6)]):
        assert len(np.unique(np.round(found[:, column], 6))) == 2, leg
    assert gap(found, np.array(list(start.values())), [False] * 3) < 1e-9
    everything = rs.inverse_geometry(robot, frame=7, passive=True).solve(T)
    assert everything.shape == (8, 7)
    for row in everything:
        values = dict(zip(loops.joints, row, strict=True))
        closes(robot, {}, values)
        assert np.abs(place(robot, values, 7) - T).max() < 1e-9


def test_a_working_mode_keeps_its_name_along_a_path() -> None:
    robot = five_bar()
    model = rs.inverse_geometry(robot, frame=5, given="P", passive=True)
    previous = None
    for angle in np.linspace(0, 2 * pi, 30):
        point = np.array([0.5 + 0.2 * np.cos(angle), 0.8 + 0.2 * np.sin(angle), 0.0])
        found = model.solve(point, FIVE_BAR)
        assert len(found) == 4 and len(set(found.modes)) == 4
        one = model.solve(point, FIVE_BAR, modes=sorted(found.modes)[1])
        assert one.shape == (1, 4)
        if previous is not None:
            assert np.abs(np.sin((one[0] - previous) / 2)).max() < 0.3
            followed = model.solve(point, FIVE_BAR, near=previous)
            assert np.abs(followed[0] - previous).max() < 0.6
            assert np.abs(np.sin((followed[0] - one[0]) / 2)).max() < 1e-9
        previous = np.array(one[0])


def test_sr400() -> None:
    robot = rs.load("sr400")
    q = {"t1": 0.1, "t2": -0.4, "t3": 0.9, "t4": 0.3, "t5": 0.5, "t6": 0.7}
    q |= {"t7": q["t3"] - pi / 2 + q["t2"]}
    T = place(robot, {**SR400, **q}, 6)
    model = rs.inverse_geometry(robot)
    assert model.joints == ("t1", "t2", "t4", "t5", "t6", "t7")
    motors = np.array([q[name] for name in model.joints])
    found = model.solve(T, SR400)
    assert len(found) == 16 and gap(found, motors, [False] * 6) < 1e-7
    nearest = model.solve(T, SR400, near=motors + 2 * pi)
    assert np.abs(nearest[0] - motors - 2 * pi).max() < 1e-7
    bounds = {"t2": (-1.0, 0.0), "t5": (0.0, pi), "t7": (-1.2, -1.0)}
    within = model.solve(T, SR400, limits=bounds)
    assert len(within) == 1 and np.abs(within[0] - motors).max() < 1e-7
    shifted = {name: (lower + 2 * pi, upper + 2 * pi) for name, (lower, upper) in bounds.items()}
    assert model.solve(T, SR400, limits=shifted)[0][1] == pytest.approx(-0.4 + 2 * pi)


def test_a_platform_on_six_legs_has_one_solution_of_positive_lengths() -> None:
    robot = gough_stewart()
    model = rs.inverse_geometry(robot, frame=21)
    assert model.joints == ("r3", "r6", "r9", "r12", "r15", "r18")
    closing = Closing(robot)
    start = np.random.default_rng(1).uniform(-0.5, 0.5, (200, len(closing.gaps.joints)))
    start[:, [name.startswith("r") for name in closing.gaps.names]] = 1.3
    q, left = closing.settle({}, start)
    values = closing.gaps.named(q[left < 1e-11][0])
    T = place(robot, values, 21)
    found = model.solve(T)
    lengths = np.array([abs(values[name]) for name in model.joints])
    assert found.shape == (64, 6) and np.abs(np.abs(found) - lengths).max() < 1e-8
    one = model.solve(T, limits=dict.fromkeys(model.joints, (0, 10)))
    assert one.shape == (1, 6) and np.abs(one[0] - lengths).max() < 1e-8


def test_a_palletizer_with_fewer_freedoms_than_its_path_has_joints() -> None:
    robot = palletizer()
    loops = rs.loop_geometry(robot)
    whole = dict(zip(loops.joints, loops.solve([0.3, 0.4, 1.1, 0.2])[0], strict=True))
    found = rs.inverse_geometry(robot, frame=10).solve(place(robot, whole, 10), tolerance=1e-8)
    assert gap(found, np.array([0.3, 0.4, 1.1, 0.2]), [False] * 4) < 1e-6


def test_what_is_wrong_is_said() -> None:
    model = rs.inverse_geometry(three_rrr(), frame=7)
    with pytest.raises(InputError, match="near: expected finite values of the 3 joints t1, t3, t5"):
        model.solve(np.eye(4), near=[0.1])
    with pytest.raises(InputError, match="t9 is no joint of the solution"):
        model.solve(np.eye(4), limits={"t9": (0, 1)})
    with pytest.raises(InputError, match="expected lower <= upper"):
        model.solve(np.eye(4), limits={"t1": (1, 0)})
    with pytest.raises(InputError, match="has no loop"):
        rs.inverse_geometry(rs.load("ur5e")).solve(np.eye(4), modes="+")
    with pytest.raises(InputError, match="does not determine t3"):
        rs.inverse_geometry(rs.loads(TWO_CHAINS, "yaml"), frame=2, given="P")


TWO_CHAINS = """
name: two
frames:
  - {theta: t1}
  - {ant: 1, d: 0.5, theta: t2}
  - {ant: 0, d: 1, theta: t3}
  - {ant: 3, mu: 0, d: 0.5, theta: t4}
  - {ant: 3, mu: 0, gamma: 1, d: 0.5, theta: t5}
  - {ant: 4, mu: 0, d: 0.4, theta: t6}
  - {ant: 5, sigma: 2, d: 0.4}
loops: [[6, 7]]
gravity: [0, 0, 0]
"""
