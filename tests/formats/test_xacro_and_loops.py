"""Xacro files, loops of URDF and SDF files, and name clashes in SDF."""

from __future__ import annotations

import builtins
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from robosym.app.cli.main import main

XACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="count" default="2"/>
<xacro:property name="length" value="${0.25 + 0.05}"/>
<xacro:macro name="part" params="n">
  <link name="l${n}"><inertial><mass value="${n + 1}"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <joint name="j${n}" type="continuous"><parent link="l${n - 1}"/><child link="l${n}"/><origin xyz="${length} 0 0"/>
  <axis xyz="0 0 1"/></joint>
  <xacro:if value="${n &lt; int('$(arg count)')}"><xacro:part n="${n + 1}"/></xacro:if>
</xacro:macro>
<link name="l0"/><xacro:part n="1"/></robot>"""


def test_xacro_arguments(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("xacro")
    (file := tmp_path / "arm.urdf.xacro").write_text(XACRO)
    robot = rs.load(file)
    assert robot.name == "arm" and robot.joint_names == ("j1", "j2")
    long = rs.load(file, arguments={"count": 4})
    assert len(long.joint_names) == 4
    T = rs.direct_geometry(long, 0, "l4").compile()(q=np.zeros(4))
    np.testing.assert_allclose(T[:3, 3], (1.2, 0, 0), atol=1e-12)
    assert main(["show", str(file), "--xacro", "count=3"]) == 0
    assert "3 joints" in capsys.readouterr().out


def test_rejects_unknown_xacro_arguments(tmp_path: Path, capsys: Any) -> None:
    """Xacro itself ignores them: a misspelled argument would keep the default."""
    pytest.importorskip("xacro")
    (file := tmp_path / "arm.xacro").write_text(XACRO)
    with pytest.raises(rs.FormatError, match=r"expected one of count, found 'cuont' \(did you mean 'count'\?\)"):
        rs.load(file, arguments={"cuont": 4})
    assert main(["show", str(file), "--xacro", "cuont=3"]) == 1
    (part := tmp_path / "part.xacro").write_text(XACRO)
    (whole := tmp_path / "whole.xacro").write_text(
        f'<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="{part}"/></robot>'
    )
    assert len(rs.load(whole, arguments={"count": 3}).joint_names) == 3


def test_arguments_of_xacro_need_a_xacro_file(tmp_path: Path) -> None:
    with pytest.raises(rs.Error, match="xacro"):
        rs.load("rx90", arguments={"count": 4})
    (file := tmp_path / "arm.yaml").write_text(rs.load("planar2r").dumps("yaml"))
    with pytest.raises(rs.Error, match="xacro"):
        rs.load(file, arguments={"count": 4})


def test_error_without_xacro(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "arm.xacro").write_text(XACRO)
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "xacro":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(rs.FormatError, match=r"pip install 'robosym\[xacro\]', or run `xacro arm.xacro > arm"):
        rs.load(file)


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xml"])
def test_rejects_unexpanded_macros(tmp_path: Path, name: str) -> None:
    (file := tmp_path / name).write_text(XACRO)
    with pytest.raises(rs.FormatError, match=r"unexpanded xacro macros: load the file with the extension \.xacro"):
        rs.load(file)
    text = '<robot name="r"><link name="a"/><link name="${b}"/></robot>'
    with pytest.raises(rs.FormatError, match="unexpanded xacro macros"):
        rs.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot", "invalid XML"),
        ('<robot xmlns:xacro="x"><xacro:part/></robot>', "xacro failed"),
        ('<robot xmlns:xacro="x"><link name="${1/0}"/></robot>', "xacro failed"),
        ('<robot xmlns:xacro="x"><xacro:include filename="none.xacro"/></robot>', "xacro failed"),
        ('<robot xmlns:xacro="x"><link name="${().__class__}"/></robot>', "xacro failed"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><robot>&b;</robot>', "document type"),
    ],
)
def test_damaged_xacro_files(tmp_path: Path, text: str, message: str) -> None:
    pytest.importorskip("xacro")
    (file := tmp_path / "arm.xacro").write_text(text)
    with pytest.raises(rs.FormatError, match=message):
        rs.load(file)


def test_rejects_arguments_for_other_files() -> None:
    with pytest.raises(rs.InputError, match=r"arguments: expected a file with the extension \.xacro"):
        rs.load("rx90", arguments={"name": "a"})


# ------------------------------------------------------------------------ loops


def _links(*names: str) -> str:
    inertia = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    return "".join(f'<link name="{n}"><inertial><mass value="1"/>{inertia}</inertial></link>' for n in names)


def _joint(name: str, parent: str, child: str, xyz: str, axis: str = "0 1 0") -> str:
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/></joint>'
    )


TREE = _links("base", "crank", "rod", "rocker") + _joint("q1", "base", "crank", "0 0 0")
TREE += _joint("q2", "crank", "rod", "0 0 0.5") + _joint("q3", "base", "rocker", "1 0 0")
ENDS = 'xyz="1 0 0.1" rpy="0 0 0"', 'xyz="0 0 0.6" rpy="0 0 0"'
LOOPS = {
    "isaac revolute": f'<loop_joint name="c" type="revolute"><link1 link="rod" {ENDS[0]}/>'
    f'<link2 link="rocker" {ENDS[1]}/><axis xyz="0 1 0"/></loop_joint>',
    "isaac spherical": f'<loop_joint name="c" type="spherical"><link1 link="rod" {ENDS[0]}/>'
    f'<link2 link="rocker" {ENDS[1]}/></loop_joint>',
    "URDF+": f'<loop name="c" type="continuous"><predecessor link="rod"><origin {ENDS[0]}/></predecessor>'
    f'<successor link="rocker"><origin {ENDS[1]}/></successor><axis xyz="0 1 0"/></loop>',
}


@pytest.mark.parametrize("kind", LOOPS)
def test_urdf_loops_agree_with_pinocchio(kind: str) -> None:
    text = f'<robot name="fourbar">{TREE}{LOOPS[kind]}</robot>'
    robot = rs.loads(text)
    assert robot.structure == "closed" and len(robot.loops) == 1
    motors = [robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu]
    assert len(motors) == 1
    model = pin.buildModelFromXML(text)
    data = model.createData()
    names = dict(zip((robot.variable(j) for j in robot.tree_joints), robot.joint_names, strict=True))
    geometry: Any = rs.loop_geometry(robot)
    for found in geometry.solve([0.4]):
        q = pin.neutral(model)
        for variable, value in zip(geometry.joints, found, strict=True):
            if variable in names and names[variable] in model.names:
                at = model.joints[model.getJointId(names[variable])].idx_q
                q[at : at + 2] = np.cos(value), np.sin(value)
        pin.framesForwardKinematics(model, data, q)
        ends = [
            data.oMf[model.getFrameId(link)].act(np.array(place))
            for link, place in (("rod", (1, 0, 0.1)), ("rocker", (0, 0, 0.6)))
        ]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        ('<loop_joint name="c" type="planar"><link1 link="rod"/><link2 link="rocker"/></loop_joint>', "type: expected"),
        (
            '<loop_joint name="c" type="fixed"><link1 link="rod"/><link2 link="none"/></loop_joint>',
            "unknown link 'none'",
        ),
        ('<loop_joint name="c" type="revolute"><link1 link="rod"/><link2 link="rocker"/></loop_joint>', "<axis>"),
        (
            '<loop name="c" type="fixed"><predecessor link="rod"/><successor link="rocker"/><what/></loop>',
            "expected pre",
        ),
        ('<loop_joint name="c" type="fixed"/>', "expected a child <link1>"),
        (_joint("q4", "rod", "rocker", "0 0 1"), "already the child of joint 'q3'.*<loop_joint>"),
    ],
)
def test_rejects_ambiguous_loops(loop: str, message: str) -> None:
    with pytest.raises(rs.FormatError, match=message):
        rs.loads(f'<robot name="fourbar">{TREE}{loop}</robot>')


# ------------------------------------------------------------------------ names


def test_sdf_renames_joint_with_the_name_of_a_link() -> None:
    text = f'<robot name="r">{_links("base", "arm", "hand")}{_joint("arm", "base", "arm", "0 0 1")}'
    robot = rs.loads(f"{text}{_joint('hand', 'arm', 'hand', '0.1 0 1', '1 0 0')}</robot>")
    with pytest.warns(rs.RobotWarning, match="joint arm is written as arm_joint"):
        again = rs.loads(robot.dumps("sdf"))
    assert again.joint_names == ("arm_joint", "hand_joint")
    q = np.array([0.3, -0.8])
    poses = [rs.direct_geometry(one, 0, "hand").compile()(q=q) for one in (robot, again)]
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-12)


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_warns_about_ignored_gravity(form: str) -> None:
    text = f'<robot name="r">{_links("base", "arm")}{_joint("q", "base", "arm", "0 0 1")}</robot>'
    robot = rs.loads(text)
    for gravity in ((0, 9.81, 0), (0, 0, -1.62), (0, 0, "G3")):
        with pytest.warns(rs.RobotWarning, match="cannot describe gravity"):
            robot.edit(gravity=gravity).dumps(form)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.dumps(form)


FOURBAR = """<sdf version="1.8"><model name="fourbar"><link name="base"/><link name="crank"/>
<link name="rod"><pose>0 0 0.5 0 0 0</pose></link><link name="rocker"><pose>1 0 0 0 0 0</pose></link>
<joint name="q0" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="q1" type="revolute"><parent>base</parent><child>crank</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="q2" type="revolute"><parent>crank</parent><child>rod</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="q3" type="revolute"><parent>base</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="c" type="{kind}"><parent>rod</parent><child>rocker</child><pose>0 0 0.6 0 0 0</pose>
<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_sdf_second_joint_closes_a_loop(kind: str) -> None:
    robot = rs.loads(FOURBAR.format(kind=kind))
    same = rs.loads(f'<robot name="fourbar">{TREE}{LOOPS["isaac revolute"]}</robot>')
    assert robot.structure == "closed" and len(robot.loops) == 1
    found: list[Any] = [rs.loop_geometry(one).solve([0.4]) for one in (robot, same)]
    np.testing.assert_allclose(np.sort(found[0], axis=0), np.sort(found[1], axis=0), atol=1e-9)
    with pytest.raises(rs.FormatError, match="expected fixed, ball or revolute for the second joint"):
        rs.loads(FOURBAR.format(kind="prismatic"))
