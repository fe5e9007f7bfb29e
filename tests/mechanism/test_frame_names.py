"""Names, limits and reference positions: reading, validation, writing, and use in place of numbers."""

from __future__ import annotations

import pytest

import robosym as rs
from robosym.mechanism import Limits

ARM = """name: arm
frames:
  - {name: [shoulder, "link, 1"], joint: pan, theta: q1, r: 0.5, limits: {position: [-2, inf], velocity: 3, effort: 9}}
  - {alpha: Pi/2, theta: q2, joint: lift}
  - {sigma: 2, d: 0.3, name: tool0}
gravity: [0, 0, -9.81]
base: {name: base_link}
position: {q1: 0.1, q2: Pi/4}
"""


def test_names_limits_and_position() -> None:
    robot = rs.loads(ARM, "yaml")
    assert robot.joint_names == ("pan", "lift")
    assert robot.joint_limits == (Limits(lower=-2, velocity=3, effort=9), Limits())
    assert robot.frame_names == {"shoulder": 1, "link, 1": 1, "tool0": 3, "base_link": 0}
    assert robot.position == pytest.approx({"q1": 0.1, "q2": 0.7853981633974483})
    assert rs.load("rx90").joint_names == ("t1", "t2", "t3", "t4", "t5", "t6")


@pytest.mark.parametrize("format", ["yaml"])
def test_round_trip(format: str) -> None:
    robot = rs.loads(ARM, "yaml")
    again = rs.loads(robot.dumps(format), format)
    assert again == robot
    assert again != rs.loads(ARM.replace("tool0", "tool"), "yaml")
    assert robot.with_values({}).frame_names == robot.frame_names


def test_names_replace_numbers() -> None:
    robot = rs.loads(ARM, "yaml")
    assert rs.direct_geometry(robot, "base_link", "tool0").code() == rs.direct_geometry(robot, 0, 3).code()
    assert rs.transform(robot, 0, "lift").code() == rs.transform(robot, 0, 2).code()
    assert rs.transform(robot, ("pan", "tool0")).code() == rs.transform(robot, 1, 3).code()
    assert rs.jacobian(robot, "tool0", frame="shoulder").code() == rs.jacobian(robot, 3, frame=1).code()
    assert rs.jdot_qdot(robot, "tool0").code() == rs.jdot_qdot(robot, 3).code()
    assert rs.operational_jacobian(robot, "tool0").code() == rs.operational_jacobian(robot, 3).code()
    assert rs.inverse_kinematics(robot, "tool0", frame="pan", rows=[1, 2]).model.code()
    assert rs.inverse_geometry(robot, given="P", frame="tool0").joints == ("q1", "q2")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("q2: Pi/4", "q3: 1", "8:11: position: q3 is not a joint variable or length of a frame"),
        ("joint: lift", "joint: pan", "4:37: frame 2: joint: the name pan is already used by joint 1"),
        ("name: tool0", "name: shoulder", "5:30: frame 3: name: duplicate name shoulder: frame 1 has it"),
        ("[-2", "[q", "3:86: frame 1: limits: lower: expected a number, found q"),
        ("[-2, inf]", "[2, 1]", "3:74: frame 1: limits: position: expected lower <= upper, found [2.0, 1.0]"),
        ("velocity: 3", "velocity: -3", "3:74: frame 1: limits: velocity: expected at least 0, found -3.0"),
        (
            "velocity: 3",
            "speed: 3",
            "3:96: frame 1: limits: unknown key speed: expected one of position, velocity, acceleration, effort",
        ),
        ("name: tool0", "joint: tool0", "5:31: frame 3: joint: not allowed for a fixed frame"),
    ],
)
def test_messages_contain_line_and_column(old: str, new: str, message: str) -> None:
    with pytest.raises(rs.FormatError) as found:
        rs.loads(ARM.replace(old, new), "yaml")
    assert str(found.value) == message


def test_rejects_unknown_frame_names() -> None:
    robot = rs.loads(ARM, "yaml")
    with pytest.raises(rs.InputError, match=r"arm has no frame 'tool' \(did you mean 'tool0'\?\): it has shoulder"):
        rs.jacobian(robot, "tool")
    with pytest.raises(rs.InputError, match=r"arm: expected a frame from 1 to 3, found 'base_link' \(0\)"):
        rs.jacobian(robot, "base_link")
    with pytest.raises(rs.InputError, match="rx90 has no frame 'tool': its frames have numbers only"):
        rs.direct_geometry(rs.load("rx90"), 0, "tool")
