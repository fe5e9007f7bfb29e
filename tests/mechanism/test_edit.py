"""Creating and editing robots in Python: YAML keys, paths, payloads, and remarks on implausible numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.pinocchio import inertia

FRAMES = [{"theta": "q1", "r": 0.5}, {"alpha": np.pi / 2, "theta": "q2"}, {"alpha": "90deg", "d": "L", "theta": "q3"}]


def arm(**more: Any) -> rs.Robot:
    links = [{"M": 2, "com": [0, 0, 0.1], "inertia": [1, 0, 0, 1, 0, 1]}, {"M": np.float64(1)}]
    return rs.robot("arm", **{"frames": FRAMES, "links": links, "gravity": [0, 0, -9.81], **more})


def test_accepts_yaml_keys() -> None:
    text = """name: arm
frames:
  - {theta: q1, r: 0.5}
  - {alpha: Pi/2, theta: q2}
  - {alpha: Pi/2, d: L, theta: q3}
links:
  1: {M: 2, com: [0, 0, 0.1], inertia: [1, 0, 0, 1, 0, 1]}
  2: {M: 1.0}
gravity: [0, 0, -9.81]
"""
    assert arm() == rs.loads(text)
    for format in ("yaml", "par", "opensymoro"):
        assert rs.loads(arm().dumps(format)) == arm()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"frames": [{"theta": "q1", "rr": 1}]}, "frame 1: unknown key rr (did you mean 'r'?)"),
        ({"frames": 3}, "frames: expected a list, found '3'"),
        ({"frames": [{"theta": "q"}, {"ant": 5, "theta": "p"}]}, "frame 2: ant: expected an antecedent from 0 to 1"),
        ({"frames": [{"theta": None}]}, "arm: frames[1]: theta: expected a number, a string"),
        ({"links": [{"M": float("nan")}]}, "arm: links[1]: M: expected a finite number, found nan"),
        ({"links": [{}] * 4}, "links: expected at most 3 entries, found 4"),
        ({"gravty": 1}, "the description: unknown key gravty (did you mean 'gravity'?)"),
    ],
)
def test_messages_contain_location(more: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.RobotError) as found:
        arm(**more)
    assert message in str(found.value)


def test_new_robots_follow_the_guide() -> None:
    robot = rs.Robot.new(3)
    assert robot.dumps("yaml").count("theta") == 3 and robot.structure == "simple" and robot.link(3).XX.name == "XX3"
    closed = rs.Robot.new(3, 4, "closed", "loop")
    assert (closed.NL, closed.NJ, closed.NF, closed.structure) == (3, 4, 5, "closed")
    with pytest.raises(rs.InputError, match="joints >= links"):
        rs.Robot.new(3, structure="closed")
    with pytest.raises(rs.InputError, match="links: expected a positive integer, found 0"):
        rs.Robot.new(0)


def test_edits_by_path_and_by_part() -> None:
    robot = arm().edit(
        {"frame3.d": 0.45, "link2.FX": "F", "frame2.mu": 0, "gravity[3]": "g"},
        link3={"M": 2, "com": [0.1, 0, 0], "FV": "FV3"}, base={"type": "floating", "M": "M0"}, position={"q1": 0.1},
        joint1={"name": "pan", "limits": {"position": [-1, 1], "velocity": 2}, "eta": 1, "k": 9, "rest": "R"},
        frame3={"name": "tool0"},
    )  # fmt: skip
    assert [str(robot.frame(3).d), robot.link(2).FX.name, robot.frame(2).mu] == ["0.45", "F", 0]
    assert [str(g) for g in robot.gravity] == ["0", "0", "g"]
    assert (str(robot.link(3).MX), str(robot.link(3).YY), robot.link(3).FV.name) == ("0.2", "0.02", "FV3")
    assert robot.base.link is not None and robot.base.link.M.name == "M0"
    assert robot.joint_names[0] == "pan" and robot.joint_limits[0].upper == 1 and robot.position == {"q1": 0.1}
    assert robot.edit({"tool0.d": "D", "pan.k": "K"}).frame(3).d.name == "D"
    assert rs.loads(robot.dumps("yaml")) == robot


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frame9.d": 1}, "frame9.d: arm has the frames 1 to 3, found 9"),
        ({"frame3.dd": 1}, "frame 3: unknown field dd (did you mean 'd'?)"),
        ({"fram3.d": 1}, "fram3.d: arm has no 'fram3' (did you mean 'frame'?)"),
        ({"gravity": [1, 2]}, "gravity: expected a list of 3 entries"),
        ({"link3.M": "1+"}, "link 3: M: "),
        ({"frame3.mu": "x"}, "frame 3: mu: expected an integer, found 'x'"),
        ({"base.M": 2}, "base: a fixed base has no link"),
        ({"frame3.theta": 3}, "frame 3: theta: expected the variable of the revolute joint"),
        ({"frame3": 1}, "frame3: expected a path such as frame3.d"),
    ],
)
def test_rejects_invalid_edits(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.RobotError) as found:
        arm().edit(changes)
    assert message in str(found.value)


@pytest.mark.parametrize("name", ["ur5e", "puma560", "panda"])
def test_numbers_are_valid_edits(name: str) -> None:
    robot = rs.load(name)
    assert robot.edit(robot.numbers()) == robot


def test_payload_adds_to_link() -> None:
    robot = rs.load("ur5e")
    body = pin.Inertia(1.5, np.array([0.1, -0.2, 0.05]), np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]) / 100)
    tensor = [body.inertia[r, c] for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    loaded = robot.with_payload(6, body.mass, body.lever, tensor)
    expected = inertia(robot.link(6), {}) + body
    assert np.allclose(inertia(loaded.link(6), {}).matrix(), expected.matrix(), atol=1e-14)
    assert rs.load("rx90").with_payload(6, "MP", (0, 0, "LP")).link(6).MZ != rs.load("rx90").link(6).MZ
    with pytest.raises(rs.InputError, match="the frames 1 to 6, found 9"):
        robot.with_payload(9, 1)


def test_reports_inconsistent_inertias() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = arm(
            links=[{"M": -1}, {"M": 1, "inertia": [1, 0, 0, 1, 0, 3]}, {"M": 1, "com": [1, 0, 0], "inertia": [-1] * 6}]
        )
    assert robot.check() == (
        "link 1: the mass is negative: -1.0",
        "link 2: a principal moment of inertia is larger than the sum of the other two",
        "link 3: the inertia matrix at the center of mass is not positive",
    )
    with pytest.warns(rs.RobotWarning, match="arm: link 1: the mass is negative"):
        arm(links=[{"M": -1}])
    assert rs.load("ur5e").check() == () and rs.load("rx90").check() == ()


@pytest.mark.parametrize(
    ("alpha", "remark"),
    [
        ("90", "frame 2: alpha: 90 is larger than 2 Pi: angles are in radians; write 90deg"),
        ("PI/2", "frame 2: alpha: PI is a symbol: write the number as Pi"),
        ("pi2", "frame 2: alpha: pi2 is a symbol"),
    ],
)
def test_warns_about_implausible_angles(alpha: str, remark: str) -> None:
    with pytest.warns(rs.RobotWarning, match=remark):
        arm(frames=[{"theta": "q1"}, {"alpha": alpha, "theta": "q2"}])


def test_fractions_of_pi_are_exact() -> None:
    for n in range(1, 13):
        for k in range(-2 * n, 2 * n + 1):
            robot = arm(frames=[{"theta": "q1"}, {"alpha": np.nextafter(k * np.pi / n, 9), "theta": "q2"}], links=[])
            found = robot.frame(2).alpha
            assert (
                rs.loads(f"name: a\nframes: [{{theta: q, alpha: {k}*Pi/{n}}}]\ngravity: [0, 0, 0]").frame(1).alpha.op
                == found.op
                or k == 0
            )
    near = arm(frames=[{"theta": "q1"}, {"alpha": 1.5707, "theta": "q2"}], links=[]).frame(2).alpha
    assert near.op == "number"


def test_floating_base_has_link() -> None:
    robot = rs.Robot.new(2, base={"type": "floating", "link": "symbolic"})
    model = rs.inverse_dynamics(robot)
    assert model.inputs["base_velocity"] == ("WX0", "WY0", "WZ0", "VX0", "VY0", "VZ0") or set(
        model.inputs["base_velocity"]
    ) <= {"WX0", "WY0", "WZ0", "VX0", "VY0", "VZ0"}
    at_rest = robot.edit(base={"W0": [0, 0, 0], "V0": [0, 0, 0]})
    assert rs.loads(at_rest.dumps("yaml")) == at_rest != robot == rs.loads(robot.dumps("yaml"))
