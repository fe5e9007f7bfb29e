"""`show` lists names, limits and relations; joint names are accepted wherever variables are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main

ARM = """<robot name="arm"><link name="base"/>{links}{joints}
<link name="tool0"/><joint name="j_tool" type="fixed"><parent link="l7"/><child link="tool0"/>
<origin xyz="0 0 0.1"/></joint>
<link name="finger"><inertial><mass value="0.1"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="l7"/><child link="finger"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.04" velocity="0.2" effort="20"/></joint>
<link name="other"><inertial><mass value="0.1"/></inertial></link>
<joint name="mirror" type="prismatic"><parent link="l7"/><child link="other"/><axis xyz="-1 0 0"/>
<limit lower="0" upper="0.04" velocity="0.2" effort="20"/><mimic joint="grip" multiplier="-2" offset="0.01"/></joint>
</robot>
"""
NAMES = ("turn", "lift", "roll", "elbow", "spin", "bend", "last")
AXES = ("0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1")


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    inertia = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    links = "".join(
        f'<link name="l{n}"><inertial><mass value="1"/>{inertia}</inertial></link>' for n in range(1, 8)
    )  # fmt: skip
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="{f"l{n - 1}" if n > 1 else "base"}"/><child link="l{n}"/>'
        f'<origin xyz="0 0 {0.3 if n % 2 else 0}"/><axis xyz="{axis}"/>'
        f'<limit lower="-{n}" upper="2.5" velocity="3" effort="50"/></joint>'
        for n, (name, axis) in enumerate(zip(NAMES, AXES, strict=True), 1)
    )
    file = tmp_path_factory.mktemp("names") / "arm.urdf"
    file.write_text(ARM.format(links=links, joints=joints))
    return file


def test_show_lists_joints_limits_and_fixed_frames(arm: Path, capsys: Any) -> None:
    assert main(["show", str(arm)]) == 0
    text = capsys.readouterr().out
    assert "9 joints" in text.splitlines()[1] and "fixed)" in text.splitlines()[1]
    assert "end of the arm: tool0" in text
    table = text.partition("Joints (")[2].partition("Geometry")[0]
    rows = {line.split()[1]: line.split() for line in table.splitlines()[2:] if line.strip()}
    assert list(rows) == [*NAMES, "grip", "mirror"]
    assert rows["elbow"][3:] == ["revolute", "-4", "2.5", "3", "50"]
    assert " ".join(rows["mirror"][3:]) == "prismatic 0 0.04 0.2 20 -2 * grip +0.01"
    fixed = text.partition("Fixed frames")[2].partition("Inertia")[0]
    assert "tool0" in fixed and "tool0" not in text.partition("Geometry (")[2].partition("Fixed frames")[0]
    inertia = text.partition("Inertia")[2].partition("Rotor")[0]
    assert len(inertia.strip().splitlines()) == 2 + 9


def test_fixed_joints_by_name(arm: Path, capsys: Any) -> None:
    robot = rs.load(arm)
    q = np.array([0.3, -0.5, 0.2, 1.1, -1.3, 0.4, 0.6])
    T = rs.direct_geometry(robot, 0, "tool0").compile()(q=[*q, 0, 0])
    for fixed in ({"roll": 0.2}, {robot.joint_number("roll"): 0.2}, {robot.joint_variable("roll"): 0.2}):
        solutions = rs.inverse_geometry(robot, frame="tool0", fixed=fixed).solve(T)  # type: ignore[arg-type]
        assert min(np.abs(np.asarray(row) - np.delete(q, 2)).max() for row in solutions) < 1e-7
    named = rs.inverse_geometry(robot, frame="tool0", fixed="roll")
    assert named.parameters == (robot.joint_variable("roll"),)
    assert main(["inverse-geometry", str(arm), "--frame", "tool0", "--fixed", "roll=0.2"]) == 0
    assert main(["inverse-geometry", str(arm), "--frame", "tool0", "--fixed", "rol"]) == 1
    assert "did you mean 'roll'" in capsys.readouterr().err


def test_columns_and_samples_by_name(arm: Path, capsys: Any) -> None:
    robot = rs.load(arm)
    J = rs.jacobian(robot, "tool0", joints=["lift", "elbow"])
    assert J.joints == (robot.joint_number("lift"), robot.joint_number("elbow"))
    assert main(["jacobian", str(arm), "tool0", "--joints", "lift,4", "-l", "python"]) == 0
    at = dict.fromkeys(robot.joint_names, 0.1)
    by_name = rs.study("workspace", {"lift": [0.1, 0.2]}, robot, at=at, link="tool0").values
    variables = {robot.joint_variable(name): value for name, value in at.items()}
    by_variable = rs.study(
        "workspace", {robot.joint_variable("lift"): [0.1, 0.2]}, robot, at=variables, link="tool0"
    ).values
    np.testing.assert_array_equal(by_name, by_variable)
    capsys.readouterr()
    with pytest.raises(rs.InputError, match=r"joints: expected a joint of arm .*'elbw' \(did you mean 'elbow'"):
        rs.jacobian(robot, "tool0", joints=["elbw"])


def test_limits_motors_and_positions_by_name(arm: Path, capsys: Any) -> None:
    robot = rs.load(arm)
    assert main(["achievable-accelerations", str(arm), "--motor", "elbow:torque=20"]) == 0
    moved = robot.edit(position={"lift": 0.4})
    assert moved.position == {robot.joint_variable("lift"): 0.4}
    T = rs.direct_geometry(robot, 0, "tool0").compile()(q=np.full(9, 0.3))
    solver = rs.inverse_geometry(robot, frame="tool0", fixed={"roll": 0.3})
    few = solver.solve(T, limits={"turn": (0.29, 0.31)})
    assert len(few) and all(0.29 <= row[0] <= 0.31 for row in np.asarray(few))
    capsys.readouterr()


YAML = """name: bent
frames:
  - {theta: q1, joint: shoulder}
  - {alpha: Pi/2, d: 0.3, theta: q2, joint: spring}
links:
  1: {M: 1, ZZ: 0.1}
  2: {M: 1, MX: 0.2, ZZ: 0.1, eta: 1, k: 30}
gravity: [0, 0, -9.81]
position: {spring: 0.2}
"""


def test_rest_positions_and_yaml_positions_by_name() -> None:
    robot = rs.loads(YAML, "yaml")
    assert robot.position == {"q2": 0.2}
    by_name, by_number = (rs.inverse_dynamics(robot, rest={joint: 0.1}) for joint in ("spring", 2))
    assert by_name.code("listing") == by_number.code("listing")
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot


def test_show_names_end_of_arm_with_hand(tmp_path: Path, capsys: Any) -> None:
    """If joints follow the end of the arm, as in a gripper, the end is shown even without other candidates."""
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    links = "".join(f"<link name='{name}'>{inertial}</link>" for name in ("base", "arm", "gripper", "jaw"))
    joints = "".join(
        f"<joint name='j{k}' type='continuous'><parent link='{a}'/><child link='{b}'/><axis xyz='0 {k % 2} 1'/>"
        "<origin xyz='0.1 0 0.2'/></joint>"
        for k, (a, b) in enumerate([("base", "arm"), ("arm", "gripper"), ("gripper", "jaw")])
    )
    file = tmp_path / "arm.urdf"
    file.write_text(f"<robot name='arm'>{links}{joints}</robot>")
    assert main(["show", str(file)]) == 0
    assert "end of the arm: gripper (the base of a gripper or hand by its name)" in capsys.readouterr().out
    assert main(["inverse-geometry", str(file), "--given", "P"]) == 0
    assert re.search(r"P of the pose of frame \d+ \(gripper\) in frame 0 \(base\)", capsys.readouterr().out)
