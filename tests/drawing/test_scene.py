"""Scenes of robots: frames agree with another program, loops are closed, solids hold together."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import robosym as rs
from oracles.pinocchio import table_poses
from robosym.drawing import scene
from robosym.drawing.parts import placed

CLOSED = ("akr3000", "delta", "gough", "gough_stewart", "planar3rrr", "sr400")


@pytest.mark.parametrize("name", ["rx90", "scara", "akr3000", "delta", "ur5e", "lumped2axis"])
def test_poses_follow_the_table(name: str) -> None:
    made = scene(rs.load(name))
    assert np.abs(made.poses - table_poses(made.robot, made.joints)).max() < 1e-12


@pytest.mark.parametrize("name", CLOSED)
def test_loops_are_closed(name: str) -> None:
    made = scene(rs.load(name))
    assert made.gaps == ()
    for cut, fixed in made.robot.loops:
        assert np.abs(made.poses[cut] - made.poses[fixed]).max() < 1e-8


def test_motors_move_closed_robot() -> None:
    robot = rs.load("sr400")
    made = scene(robot)
    motors = ["t1", "t2", "t4", "t5", "t6", "t7"]
    q = {name: made.joints[name] + 0.1 for name in motors}
    moved = made.moved(q)
    assert moved.gaps == () and all(abs(moved.joints[name] - q[name]) < 1e-12 for name in motors)
    assert abs(moved.joints["t3"] - (math.pi / 2 - q["t2"] + q["t7"])) < 1e-8  # relation from the book
    assert np.abs(scene(robot, [q[name] for name in motors]).poses - moved.poses).max() < 1e-8


def test_shows_open_loop() -> None:
    robot = rs.load("sr400")
    made = scene(robot, [0.1] * 8)
    assert made.gaps == ((9, 10),)
    assert 'stroke="#B93815"' in robot.draw([0.1] * 8).svg()


def test_position_by_name_and_in_order() -> None:
    robot = rs.load("ur5e")
    q = [0.1, -1.0, 0.7, -0.4, 0.3, 0.2]
    poses = scene(robot, q).poses
    assert np.abs(poses - scene(robot, dict(zip(robot.joint_names, q, strict=True))).poses).max() == 0


def test_values_of_symbols() -> None:
    made = scene(rs.load("rx90"), [0] * 6, values={"D3": 0.7, "RL4": 0.2})
    assert np.allclose(np.linalg.norm(made.poses[3][:3, 3] - made.poses[2][:3, 3]), 0.7)
    own = rs.loads(
        "name: a\nframes:\n- {theta: t1}\n- {d: L, theta: t2}\n- {d: 0.3, theta: t3}\ngravity: [0, 0, G]", "yaml"
    )
    assert np.allclose(np.linalg.norm(scene(own).poses[2][:3, 3]), 0.3)  # equal to the known lengths


def test_solids_are_fixed_to_frames() -> None:
    """A tube between frames of one link keeps its length in motion; the bar of a prismatic joint does not."""
    robot = rs.load("scara")
    one, other = scene(robot, [0.2, 0.3, 0.1, 0]), scene(robot, [0.5, -0.3, 0.2, 1])
    for solid in one.moved([0.5, -0.3, 0.2, 1]).solids:
        if len(solid.spots) == 2:
            before, after = (
                np.linalg.norm(placed(solid.spots[0], s.poses) - placed(solid.spots[1], s.poses)) for s in (one, other)
            )
            same_frame = len({spot.frame for spot in solid.spots}) == 1
            assert abs(before - after) < 1e-12 if same_frame else abs(after - before - 0.1) < 1e-12


def test_data_is_plain() -> None:
    data = json.loads(json.dumps(scene(rs.load("gough")).data()))
    assert len(data["poses"]) == 42 and {solid["tone"] for solid in data["solids"]} == {
        "link",
        "joint",
        "base",
        "platform",
    }


def test_up_is_against_gravity() -> None:
    assert scene(rs.load("planar2r")).up == (0.0, 1.0, 0.0)
    assert scene(rs.load("rx90")).up == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([0.0] * 5, "expected joint positions, 6"),
        ([0.0, math.nan, 0, 0, 0, 0], "t2: expected a finite number"),
        ({"t9": 1}, "no joint t9"),
        ("abc", "expected numbers"),
    ],
)
def test_rejects_invalid_position(q: object, message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        scene(rs.load("rx90"), q)  # type: ignore[arg-type]


def test_rejects_other_objects() -> None:
    with pytest.raises(rs.InputError, match="expected a robot, found 5"):
        rs.draw(5)  # type: ignore[arg-type]


def test_assembles_parallel_robot_without_position() -> None:
    """The motors of a cable robot push forward in the drawn assembly mode, and all loops are closed."""
    made = scene(rs.load("cable8"))
    assert made.gaps == () and all(value > 0 for name, value in made.joints.items() if name.startswith("l"))


def test_rejects_lengths_that_cannot_close() -> None:
    robot = rs.load("akr3000")
    with pytest.raises(rs.InputError, match="the loops"):
        scene(robot, {"r5": 9.0}, values={})
    with pytest.raises(rs.InputError, match="unknown symbol 'D9'"):
        scene(robot, values={"D9": 1.0})


def test_random_trees_and_empty_geometry() -> None:
    still = rs.loads("name: a\nframes:\n- {theta: t1}\n- {theta: t2}\ngravity: [0, 0, 0]", "yaml")
    assert np.isfinite(scene(still).reach) and still.draw().svg()
    many = rs.Robot.new(40)
    assert len(scene(many).poses) == 41


def test_loop_with_moving_cut_joint_only() -> None:
    frames = [{"sigma": 2}, {"mu": 0, "theta": "t2"}, {"ant": 0, "sigma": 2}]
    robot = rs.robot("still", frames=frames, loops=[[2, 3]], gravity=[0, 0, 0])
    assert abs(scene(robot).joints["t2"]) < 1e-9
