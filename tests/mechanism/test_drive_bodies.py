"""Test elastic gears and rotors as bodies against Pinocchio and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from evaluation import agree
from oracles.reduced import Reduced

TEXT = """
name: arm
frames:
  - {theta: t1, r: 0.3}
  - {alpha: Pi/2, d: 0.2, theta: t2, name: upper, joint: shoulder}
  - {alpha: 0.3, d: 0.4, sigma: 1, theta: 0.1, r: r3}
  - {ant: 2, alpha: 1, d: 0.1, theta: t4}
links:
  1: {M: 3, XX: 0.3, YY: 0.4, ZZ: 0.5, MX: 0.1}
  2: {M: 2, XX: 0.3, YY: 0.4, ZZ: 0.5, MX: 0.1, MY: 0.2, IA: 2.5, FV: 0.3MORE}
  3: {M: 1, XX: 0.2, YY: 0.3, ZZ: 0.3, MX: 0.1, MZ: 0.2}
  4: {M: 1, XX: 0.2, YY: 0.3, ZZ: 0.3, MX: 0.1, MZ: 0.2, IA: 0.4}
gravity: [0.3, -1, -9.81]
"""


BASE = "base: {type: floating, link: {M: 5, XX: 1, YY: 1.2, ZZ: 0.9}}"


def arm(more: str = "", base: str = "") -> rs.Robot:
    return rs.loads(TEXT.replace("MORE", more) + base, format="yaml")


def with_rotors(base: str = "") -> rs.Robot:
    robot = arm(base=base).edit({"link2.FV": 0})
    return robot.with_rotor("shoulder", 80).with_rotor("t4", -50, pose=[0.1, 0, 0, 0.5, 0.3, 0])


def position(robot: rs.Robot, q: list[float]) -> np.ndarray:
    turns = {"t2m": 80 * q[1], "t4m": -50 * q[3]}
    return np.array([*q, *(turns[name] for name in robot.joint_names[4:])])


def test_rotors_agree_with_bodies_of_pinocchio() -> None:
    robot, q = with_rotors(), [0.3, 0.5, 0.2, 0.4]
    s = Reduced(robot, position(robot, q), np.random.default_rng(0))
    inverse = rs.inverse_dynamics(robot).compile()
    found = inverse(q=s.q, qd=s.y, qdd=s.yd)
    agree(found, s.tau, 1e-11)
    plain = rs.inverse_dynamics(arm().edit({"link2.FV": 0})).compile()(q=q, qd=s.y, qdd=s.yd)
    assert 1e-4 < np.abs(found - plain).max() < 0.1  # IA neglects that rotors turn with the links that carry them
    still = np.zeros(4)
    alone = np.array([0, 0, 0, 1.0])
    for robot_, place in ((robot, s.q), (arm(), np.array(q))):
        call = rs.inverse_dynamics(robot_.edit({"gravity": [0, 0, 0]})).compile()
        effort = call(q=place, qd=still, qdd=alone)[3] - call(q=place, qd=still, qdd=still)[3]
        agree(np.array([effort]), np.array([rs.inertia_matrix(arm()).compile()(q=q)[3, 3]]), 1e-12)


def test_spinning_rotor_turns_a_free_base() -> None:
    """Energy is conserved, and the angular momentum of base, links and rotors about the center of mass is."""
    robot = with_rotors(BASE).edit({"gravity": [0, 0, 0]})
    start = position(robot, [0.3, 0.5, 0.2, 0.4])
    run = rs.simulate(robot, start, [0.4, 0.3, -0.2, 0.5], until=1, step=1e-3)
    assert np.abs(run.energy / run.energy[0] - 1).max() < 1e-9
    model = rs.centroidal_momentum(robot.with_inputs("orientation"), axes="world").compile()
    pose = run.state("base_pose")
    found = model(q=run.q, qd=run.qd, base_velocity=run.state("base_velocity"), base_orientation=pose[:, 3:]).momentum
    assert np.abs(found - found[0]).max() < 1e-8 * np.abs(found).max()
    assert np.abs(pose[-1, 3:] - pose[0, 3:]).max() > 1e-3


def test_one_key_makes_a_gear_elastic() -> None:
    robot = arm(", elasticity: [3000, 2]")
    assert robot.joint_names == ("t1", "shoulder", "shoulder_elasticity", "r3", "t4")
    assert robot.frame_names == {"upper": 3} and [frame.ant for frame in robot.frames] == [0, 1, 2, 3, 3]
    assert robot == arm().with_elasticity("shoulder", 3000, 2)
    assert rs.loads(robot.dumps("yaml"), format="yaml") == robot
    T = rs.direct_geometry(robot, 0, 5).compile()(q=[0.1, 0.2, 0.05, 0.3, 0.4])
    agree(T, rs.direct_geometry(arm(), 0, 4).compile()(q=[0.1, 0.25, 0.3, 0.4]))
    s = Reduced(robot, np.array([0.1, 0.2, 0.05, 0.3, 0.4]), np.random.default_rng(1))
    A = np.array(rs.inertia_matrix(robot, structure="tree").compile()(q=s.q))
    agree(A, s.inertia, 1e-11)


def test_frequency_of_rotor_and_link() -> None:
    """Two inertias joined by a spring swing at sqrt(k (1 / IA + 1 / ZZ)) against each other."""
    one = rs.robot(
        "one", frames=[{"theta": "t1"}], links=[{"XX": 0.4, "YY": 0.4, "ZZ": 0.6, "IA": 1.5}], gravity=[0, 0, 0]
    )
    found = rs.linearize(one.with_elasticity(1, 900)).eigenmodes().frequencies
    np.testing.assert_allclose(found.max(), np.sqrt(900 * (1 / 0.6 + 1 / 1.5)) / (2 * np.pi), rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: arm().with_elasticity(3, 100), "expected the inertia IA of the rotor"),
        (lambda: arm().with_elasticity(2, -1), "stiffness: expected a positive number"),
        (lambda: arm().with_elasticity(9, 1), "joint"),
        (lambda: arm(", elasticity: [1, 2, 3]"), "7:.*|elasticity: expected a stiffness, or a list"),
        (lambda: arm(", elasticity: -5"), "link 2: elasticity: .*positive number"),
        (lambda: arm().with_rotor(2, 0), "ratio: expected a number other than zero"),
        (lambda: arm().with_rotor(3, 10), "expected an inertia, or IA of the joint"),
        (lambda: with_rotors().with_rotor("t2m", 3), "expected an independent joint"),
        (lambda: rs.load("gough").with_rotor(1, 3), "expected a robot in joint coordinates"),
    ],
)
def test_rejects_invalid_arguments(call: object, words: str) -> None:
    with pytest.raises(rs.Error, match=words):
        call()  # type: ignore[operator]
