"""Position of a robot on the page: sliders, passive joints that follow, manipulability, the flange led by hand."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.app.session import Sessions
from robosym.drawing.posture import Posture
from robosym.errors import InputError
from robosym.formats.placements import roll_pitch_yaw, roll_pitch_yaw_of, shifted
from robosym.formats.pose_texts import pose_from
from robosym.spatial import Mat3

CLOSED = ("sr400", "akr3000", "delta", "gough_stewart", "tricept_wrist")


def gap(posture: Posture) -> float:
    """How far the loops are open, by the poses of the frames alone."""
    poses = posture.scene.poses
    return max(float(np.linalg.norm(poses[a][:3, 3] - poses[b][:3, 3])) for a, b in posture.closed.loops)


@pytest.mark.parametrize("name", ["rx90", "ur5e", "panda", "scara", "planar2r"])
def test_manipulability_equals_the_model(name: str) -> None:
    posture = Posture(rs.load(name))
    posture.move(posture.sliders[1].name, 0.4)
    numbers = {symbol.name: symbol.value for symbol in posture.symbols}
    model = rs.manipulability(rs.load(name).with_values(numbers)).compile()
    q = [posture.joints[variable] for variable in posture.closed.variables if variable]
    assert np.isclose(posture.reading().manipulability, float(np.asarray(model(q=q)).ravel()[0]), rtol=1e-9)


@pytest.mark.parametrize("name", CLOSED)
def test_passive_joints_follow_the_motors(name: str) -> None:
    posture = Posture(rs.load(name))
    robot = posture.closed
    assert [s.joint for s in posture.sliders] == [j for j in robot.tree_joints if robot.frame(j).mu]
    before = posture.joints
    slider = posture.sliders[1]
    message = posture.move(slider.name, slider.value + 0.05)
    assert not message
    assert np.isclose(posture.joints[slider.name], slider.value + 0.05, atol=1e-12)
    assert all(np.isclose(posture.joints[s.name], before[s.name]) for s in posture.sliders if s.name != slider.name)
    assert gap(posture) < 1e-8


@pytest.mark.parametrize("name", ["rx90", "sr400", "delta"])
def test_columns_of_motors_are_derivatives_of_the_pose(name: str) -> None:
    posture = Posture(rs.load(name))
    J = posture.numeric.jacobian(posture.joints, posture.frame)
    step = 1e-6
    for column, slider in enumerate(posture.sliders):
        posture.move(slider.name, slider.value + step)
        high = posture.scene.poses[posture.frame][:3, 3]
        posture.move(slider.name, slider.value - step)
        low = posture.scene.poses[posture.frame][:3, 3]
        posture.move(slider.name, slider.value)
        assert np.allclose((high - low) / (2 * step), J[:3, column], atol=1e-5 * posture.scene.reach)


def test_motor_stops_where_loops_cannot_close() -> None:
    posture = Posture(rs.load("delta"))
    message = posture.move("t1", posture.joints["t1"] + 3.0)
    assert "stops here" in message
    assert gap(posture) < 1e-8


@pytest.mark.parametrize("turn", [1e9, 1e308])
def test_motor_without_limits(turn: float) -> None:
    """The first motor of an SR400 turns its loops with it: steps to such an angle would never end."""
    posture = Posture(rs.load("sr400"))
    before = posture.joints
    with pytest.raises(rs.InputError, match="t1: too far from the current position"):
        posture.move("t1", turn)
    assert posture.joints == before


def test_other_cables_follow_a_moved_cable() -> None:
    posture = Posture(rs.load("cable8"))
    assert posture.numeric.is_overdriven(posture.joints)
    wanted = posture.joints["l1"] - 0.03
    assert posture.move("l1", wanted) == ""
    assert np.isclose(posture.joints["l1"], wanted)
    assert gap(posture) < 1e-8


@pytest.mark.parametrize("name", ["rx90", "panda", "scara", "sr400", "gough_stewart", "delta"])
def test_flange_is_moved_to_a_pose(name: str) -> None:
    posture = Posture(rs.load(name))
    goal = posture.scene.poses[posture.frame].copy()
    goal[:3, 3] += 0.02 * posture.scene.reach * np.array([0.4, 0.5, -0.3])
    assert posture.lead(goal) == ""
    assert np.allclose(posture.scene.poses[posture.frame][:3, 3], goal[:3, 3], atol=1e-5)
    if posture.closed.loops:
        assert gap(posture) < 1e-8


def test_unreachable_pose_is_approached() -> None:
    posture = Posture(rs.load("ur5e"))
    goal = posture.scene.poses[posture.frame].copy()
    goal[:3, 3] = 9.0, 0.0, 0.0
    assert "out of reach" in posture.lead(goal)
    assert posture.scene.poses[posture.frame][0, 3] > 0.7


def test_numbers_of_symbols_affect_the_picture_only() -> None:
    robot = rs.load("rx90")
    posture = Posture(robot)
    assert [symbol.name for symbol in posture.symbols] == ["D3", "RL4"]
    before = posture.reading().position
    assert posture.settle("D3", 0.9) == ""
    assert posture.reading().position != before
    assert posture.robot is robot
    assert rs.load("rx90") == robot
    with pytest.raises(InputError, match="no symbol D4"):
        posture.settle("D4", 1.0)
    with pytest.raises(InputError, match="finite"):
        posture.settle("D3", float("nan"))


def test_changed_robot_keeps_its_position() -> None:
    session = Sessions().open("rx90")
    session.posture.move("t2", 0.7)
    session.posture.settle("D3", 0.6)
    session.document.edit("frames", 3, "r", "0.3")
    assert session.posture.joints["t2"] == 0.7
    assert [(symbol.name, symbol.value) for symbol in session.posture.symbols] == [("D3", 0.6)]


def test_masses_do_not_redraw_the_picture() -> None:
    session = Sessions().open("rx90")
    before = session.posture
    session.document.edit("links", 2, "M", "4.5")
    assert session.posture.scene is before.scene
    assert session.posture.robot is session.robot


def test_rows_correspond_to_links_of_the_picture() -> None:
    delta = Posture(rs.load("delta"))
    names = delta.robot.variables
    assert all(
        delta.closed.variables[j - 1] == names[row - 1] for j, row in delta.frames.rows.items() if j != delta.frame
    )
    assert delta.frames.rows[delta.frame] == delta.robot.module.end
    assert delta.frames.labels[delta.frame] == "P"


def test_messages_are_plain_data() -> None:
    import json

    posture = Posture(rs.load("gough"))
    json.dumps(posture.data())
    assert len(posture.poses()) == posture.closed.NF + 1
    assert all(len(pose) == 12 for pose in posture.poses())


def test_rejects_unknown_joints_and_numbers() -> None:
    posture = Posture(rs.load("rx90"))
    with pytest.raises(InputError, match="no joint t7"):
        posture.move("t7", 0.1)
    with pytest.raises(InputError, match="finite"):
        posture.move("t1", float("inf"))


@pytest.mark.parametrize("angles", [(0.3, -0.2, 1.1), (0.4, np.pi / 2, 0.0), (-0.4, -np.pi / 2, 0.0), (3.0, 0.1, -3.0)])
def test_angles_of_a_pose(angles: tuple[float, float, float]) -> None:
    T = pose_from(",".join(map(str, (0.1, 0.2, 0.3, *angles))))
    found = roll_pitch_yaw_of(Mat3.of(*T[:3, :3].ravel()))
    assert np.allclose(shifted(roll_pitch_yaw(found), T[:3, 3]).rows, T[:3])


def test_robots_with_one_and_many_links() -> None:
    one = Posture(rs.Robot.new(1))
    assert one.move("t1", 0.5) == ""
    many = Posture(rs.Robot.new(40))
    assert len(many.sliders) == 40
    assert many.move("t40", 0.5) == ""
    assert many.reading().frame == 40
