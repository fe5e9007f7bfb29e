"""Reading SDF, compared with the same robot in URDF."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.urdf_files import compared_with_pinocchio

INERTIAL = """<inertial><pose>0.02 -0.03 0.1 0.1 0.2 0.3</pose><mass>1.5</mass><inertia><ixx>0.02</ixx><ixy>0.001</ixy>
  <ixz>-0.002</ixz><iyy>0.03</iyy><iyz>0.0015</iyz><izz>0.025</izz></inertia></inertial>"""
SDF = f"""<sdf version="1.8"><model name="arm">
  <link name="base">{INERTIAL}</link>
  <link name="one"><pose>0.1 0 0.3 0.4 0 0</pose>{INERTIAL}</link>
  <link name="two"><pose relative_to="one">0 0.1 0.2 0 0.5 1.5707963</pose>{INERTIAL}</link>
  <link name="hand"><pose degrees="true" relative_to="two">0 0 0.12 0 30 0</pose>{INERTIAL}</link>
  <joint name="j1" type="revolute"><parent>base</parent><child>one</child>
    <axis><xyz expressed_in="__model__">0 0 1</xyz><limit><lower>-2</lower><upper>1e16</upper><effort>40</effort>
      </limit><dynamics><damping>0.7</damping></dynamics></axis></joint>
  <joint name="j2" type="prismatic"><pose>0 0 0 0.2 0 0</pose><parent>one</parent><child>two</child>
    <axis><xyz>0 1 1</xyz></axis></joint>
  <joint name="tool" type="fixed"><parent>two</parent><child>hand</child></joint>
  <frame name="tip" attached_to="hand"><pose>0 0 0.1 0 0 0</pose></frame>
</model></sdf>"""


def test_agrees_with_urdf_in_pinocchio() -> None:
    robot = rs.loads(SDF, format="sdf")
    assert robot.joint_names == ("j1", "j2") and robot.gravity[2].number == -9.8
    limits = robot.joint_limits[0]
    assert (limits.lower, limits.upper, limits.effort) == (-2, None, 40)
    model = pin.buildModelFromXML(robot.dumps("urdf"))
    model.gravity.linear = np.array([0, 0, -9.8])
    assert compared_with_pinocchio(robot, model).worst < 1e-9
    T = rs.direct_geometry(robot, 0, "tip").compile()(q=[0, 0])
    hand = rs.direct_geometry(robot, "hand", "tip").compile()(q=[0, 0])
    assert np.allclose(hand[:3, 3], [0, 0, 0.1]) and np.isfinite(T).all()
    roll = pin.rpy.rpyToMatrix(0.4, 0, 0)
    pose = rs.direct_geometry(robot, 0, "two").compile()(q=[0, 0])
    assert np.allclose(pose[:3, 3], np.array([0.1, 0, 0.3]) + roll @ [0, 0.1, 0.2])
    assert np.allclose(pose[:3, :3], roll @ pin.rpy.rpyToMatrix(0, 0.5, np.pi / 2))
    turned = rs.direct_geometry(robot, 0, "one").compile()(q=[0.3, 0])
    assert np.allclose(turned[:3, :3], pin.rpy.rpyToMatrix(0, 0, 0.3) @ roll)


def test_round_trip() -> None:
    robot = rs.loads(SDF)
    again = rs.loads(robot.dumps("sdf"))
    model = pin.buildModelFromXML(robot.dumps("urdf"))
    model.gravity.linear = np.array([0, 0, -9.8])
    assert compared_with_pinocchio(again, model).worst < 1e-9
    assert again.joint_limits == robot.joint_limits and set(again.frame_names) >= set(robot.frame_names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<sdf version="1.8"/>', "expected one <model>"),
        (SDF.replace("<parent>one</parent>", "<parent>x</parent>"), "unknown link 'x'"),
        (SDF.replace('relative_to="one"', 'relative_to="hand"'), "circular reference"),
        (SDF.replace("0 1 1</xyz>", "0 nan 1</xyz>"), "finite"),
        (SDF.replace('type="prismatic"', 'type="screw"'), "type: expected revolute"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(rs.Error, match=message):
        rs.loads(text, format="sdf")


def test_quaternions_and_degrees() -> None:
    from scipy.spatial.transform import Rotation

    angles = [0.3, -0.4, 0.9]
    x, y, z, w = Rotation.from_euler("xyz", angles).as_quat()
    forms = {
        "": angles, ' degrees="true"': np.degrees(angles), ' rotation_format="quat_xyzw"': 1.7 * np.array([x, y, z, w]),
    }  # fmt: skip
    text = """<sdf version="1.11"><model name="arm"><link name="a"/>
    <link name="b"><inertial><mass>1</mass></inertial></link>
    <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
    <joint name="j" type="revolute"><pose relative_to="a"{}>0.1 0.2 0.3 {}</pose><parent>a</parent><child>b</child>
    <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
    found = []
    for form, numbers in forms.items():
        robot = rs.loads(text.format(form, " ".join(map(repr, map(float, numbers)))))
        found.append(rs.direct_geometry(robot, 0, robot.NF).compile()(q=[0.7]))
    np.testing.assert_allclose(found[1], found[0], atol=1e-12)
    np.testing.assert_allclose(found[2], found[0], atol=1e-12)
    with pytest.raises(rs.Error, match="expected a direction, found zeros"):
        rs.loads(text.format(' rotation_format="quat_xyzw"', "0 0 0 0"))


def test_rounded_angles_of_joints_are_exact() -> None:
    """A joint uses the multiple of Pi that a rounded angle stands for, a frame the number itself."""
    rounded = 1.5707963
    text = f"""<sdf version="1.11"><model name="arm"><link name="a"/><link name="b"/>
    <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
    <joint name="j" type="revolute"><pose relative_to="a">0 0 0 {rounded} 0 0</pose><parent>a</parent><child>b</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
    <frame name="tip" attached_to="b"><pose>0 0 0.1 0 {rounded} 0</pose></frame></model></sdf>"""
    robot = rs.loads(text)
    tip = rs.direct_geometry(robot, "b", "tip").compile()(q=[0.0])
    np.testing.assert_allclose(tip[:3, 2], [np.sin(rounded), 0, np.cos(rounded)], atol=1e-14)
    turned = rs.direct_geometry(robot, "a", "b").compile()(q=[0.7])[:3, :3]
    np.testing.assert_array_equal(turned[:, 1], [0, 1, 0])
    np.testing.assert_allclose(turned[:, 0], [np.cos(0.7), 0, np.sin(0.7)], atol=1e-15)


@pytest.mark.parametrize("name", ["sr400", "floating"])
def test_rejects_loops_and_moving_bases(name: str) -> None:
    robot = rs.load("sr400") if name == "sr400" else rs.loads(rs.load("ur5e").dumps("urdf"), floating=True)
    with pytest.raises(rs.RobotError, match="SDF can only describe trees on a fixed base"):
        robot.dumps("sdf")
