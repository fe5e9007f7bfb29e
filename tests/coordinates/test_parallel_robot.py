"""Test descriptions of parallel robots: reading, writing, changing, and error messages."""

from __future__ import annotations

import pytest

import robosym as rs
from cases.reduced_mobility import ROBOTS
from robosym.mechanism import Robot
from robosym.mechanism.series import with_suffix

TWO_ARMS = """
name: two_arms
platform: {M: 1.5, com: [0.1, 0, 0], inertia: [0, 0, 0, 0, 0, 0.02], wrench: [FX, FY, 0, 0, 0, CZ]}
legs:
  - frames: [{theta: t1}, {d: 0.3, theta: t2}, {mu: 0, d: 0.3, theta: t3}]
    links: {1: {ZZ: 0.05, MX: 0.3, M: 2, IA: 0.01}}
  - frames: [{d: 0.7, theta: t4}, {mu: 0, d: 0.3, theta: t5}, {mu: 0, d: 0.3, theta: t6}]
    links: symbolic
    place: {d: 0.2}
position: {t1: 2.1, t2: -1.3}
freedom: 3
gravity: [0, -9.81, 0]
"""


@pytest.mark.parametrize("name", ["gough", "delta", "planar3rrr"])
def test_written_files_read_back(name: str) -> None:
    robot = rs.load(name)
    assert isinstance(robot, rs.Robot)
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot
    assert rs.loads(robot.symbolic().dumps("yaml"), "yaml") == robot.symbolic()


def test_links_are_numbered_across_legs() -> None:
    robot = rs.loads(TWO_ARMS, "yaml")
    assert robot.legs == ((1, 2, 3), (4, 5, 6))
    assert robot.motor_names == ("t1", "t2", "t4")
    assert "XX5" in robot.parameters and "XX6" not in robot.parameters  # link 6 is the platform
    assert robot.with_values({"FX": 2, "M4": 3}).parameters == tuple(
        n for n in robot.parameters if n not in ("FX", "M4")
    )


def test_closed_robot_cuts_the_last_joints() -> None:
    closed = rs.load("gough").to_closed()
    assert (closed.NL, closed.NJ, closed.NF) == (31, 36, 41)
    assert closed.frames == rs.load("gough").to_closed().frames or closed == rs.load("gough").to_closed()
    moved = rs.loads(
        TWO_ARMS.replace("    links: {1", "    place: {d: 0.4, theta: 0.2}\n    links: {1"), "yaml"
    ).to_closed()
    assert moved.frame(4).sigma == 2 and float(moved.frame(4).d.number) == -0.4  # the platform, after leg 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{mu: 0, d: 0.3, theta: t6}]", "{sigma: 2, d: 0.3}]", "ends in a joint on the platform"),
        ("links: {1:", "links: {3:", "link 3 is the platform"),
        ("{theta: t1}", "{ant: 0, theta: t1}", "the frames of a leg are a chain"),
        ("freedom: 3", "freedom: 7", "expected 1 to 6, found 7"),
        ("{t1: 2.1,", "{t9: 2.1,", "t9 is not a joint variable"),
        ("place: {d: 0.2}", "place: {d: t1}", "t1 is a joint variable"),
        ("{M: 1.5,", "{M: 1.5, IA: 2,", "the platform has no motor"),
        ("freedom: 3", "freedon: 3", "unknown key freedon"),
    ],
)
def test_error_messages(old: str, new: str, message: str) -> None:
    assert old in TWO_ARMS
    with pytest.raises(rs.FormatError, match=message):
        rs.loads(TWO_ARMS.replace(old, new), "yaml")


def test_par_rejects_parallel_robots() -> None:
    with pytest.raises(rs.FormatError, match="cannot describe parallel robots"):
        rs.load("delta").dumps("par")


def test_parallelogram_is_one_joint_of_a_leg() -> None:
    """Two rods that rotate together are one entry; the robot with loops contains their loop."""
    robot = ROBOTS["delta_pa"]()
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot
    assert len(robot.module.parallelograms) == 3 and robot.followers[5] == (4, -1)
    closed = robot.to_closed()
    assert (closed.NL, len(closed.loops)) == (20, 5)
    text = robot.dumps("yaml").replace("width: 0.1, ", "", 1)
    with pytest.raises(rs.FormatError, match="a parallelogram needs the width"):
        rs.loads(text, "yaml")


def test_parallelograms_in_series_have_distinct_names() -> None:
    delta = ROBOTS["delta_pa"]()
    robot = Robot.in_series("two", [delta, with_suffix(delta, "_b")], [{}, {"r": 1.0}])
    assert [rods.cut for module in robot.modules for rods in module.parallelograms][2:4] == ["t16_4", "t4_4_b"]
    assert len(robot.to_closed().loops) == 10
