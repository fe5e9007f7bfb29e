"""Reading and writing MJCF, compared with MuJoCo."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

import robosym as rs
from oracles.mujoco_files import compared_in_loops, compared_with_mujoco
from robosym.mechanism import INERTIA

ARM = """<mujoco model="arm">
  <compiler eulerseq="zyx"/>
  <option gravity="0 1 -9.81"/>
  <default>
    <joint damping="0.3"/>
    <geom density="800"/>
    <default class="fine"><joint armature="0.02" frictionloss="0.1"/><geom mass="0.4"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="stand" pos="0.1 0.2 0.3" euler="20 30 40">
      <geom type="box" size="0.1 0.2 0.3"/>
      <body name="upper" pos="0 0 0.3" quat="0.7071068 0.7071068 0 0">
        <joint name="j1" axis="0 0 1" range="-90 45" ref="30"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.2 0.4" size="0.03"/>
        <frame pos="0.1 0 0" axisangle="1 1 0 50">
          <geom type="cylinder" size="0.02 0.1" pos="0 0.1 0"/>
          <body name="fore" pos="0 0 0.4" childclass="fine">
            <joint name="j2" axis="1 0.5 0" pos="0.02 0.01 0"/>
            <joint name="j3" type="slide" axis="0 1 1" range="-0.1 0.2" ref="0.05"/>
            <geom type="ellipsoid" size="0.05 0.1 0.2"/>
            <site name="tip" pos="0 0 0.2" zaxis="1 1 1"/>
            <body name="hand" pos="0 0 0.2" xyaxes="0 1 0 -1 0 0.1">
              <joint name="j4" class="main"/>
              <inertial pos="0.01 0.02 0.03" mass="0.7" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
              <geom type="sphere" size="0.5"/>
            </body>
          </body>
        </frame>
      </body>
    </body>
    <body name="beside" pos="1 0 0"><joint name="other" type="slide"/><geom size="0.1"/></body>
  </worldbody>
</mujoco>"""
FOUR_BAR = """<mujoco model="fourbar"><worldbody>
  <body name="crank" pos="0 0 1">
    <joint name="j1" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
    <body name="coupler" pos="0 0 0.3">
      <joint name="j2" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0.1" size="0.02"/>
    </body>
  </body>
  <body name="rocker" pos="0.6 0 1">
    <joint name="j3" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 -0.1 0 0.4" size="0.02"/>
  </body></worldbody>
  <equality><connect body1="coupler" body2="rocker" anchor="0.5 0 0.1"/></equality>
  <actuator><motor joint="j1"/></actuator></mujoco>"""
LEG = """<mujoco model="leg"><worldbody>
  <body name="hip" pos="0 0 1">
    <joint name="a"/><geom type="box" size="0.1 0.05 0.02"/>
    <body name="left" pos="-0.1 0 0" euler="0 20 0">
      <joint name="l1" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/>
      <body name="left2" pos="0 0 -0.3" euler="0 -50 0">
        <joint name="l2" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.015"/>
        <site name="foot" pos="0 0 -0.4"/>
      </body>
    </body>
    <body name="right" pos="0.1 0 0" euler="0 -20 0">
      <joint name="r1" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/>
      <body name="right2" pos="0 0 -0.3" euler="0 50 0">
        <joint name="r2" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.015"/>
        <site name="foot_r" pos="0 0 -0.4"/>
      </body>
    </body>
  </body></worldbody>
  <equality><connect site1="foot" site2="foot_r"/></equality>
  <actuator><motor joint="a"/><motor joint="l1"/><motor joint="r1"/></actuator></mujoco>"""
SPATIAL = """<mujoco model="spatial"><worldbody>
  <body name="crank">
    <joint name="j1" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/>
    <body name="rod" pos="0.2 0 0">
      <joint name="u1" axis="0 0 1"/><joint name="u2" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0.1 0.3" size="0.02"/>
    </body>
  </body>
  <body name="rocker" pos="0.7 0 0.1">
    <joint name="j3" axis="0 1 0.3"/><geom type="capsule" fromto="0 0 0 0 0.1 0.2" size="0.02"/>
  </body></worldbody>
  <equality><connect body1="rod" body2="rocker" anchor="0.5 0.1 0.3"/></equality></mujoco>"""


def test_poses_torques_and_inertia_agree_with_mujoco() -> None:
    robot = rs.loads(ARM, format="mjcf")
    assert robot.joint_names == ("j1", "j2", "j3", "j4", "other")
    assert compared_with_mujoco(robot, mujoco.MjModel.from_xml_string(ARM)).worst < 1e-10
    assert (robot.joint_limits[0].lower, robot.joint_limits[2].upper) == (pytest.approx(-np.pi / 2), 0.2)


def test_round_trip() -> None:
    robot = rs.loads(ARM, format="mjcf")
    assert compared_with_mujoco(rs.loads(robot.dumps("mjcf")), mujoco.MjModel.from_xml_string(ARM)).worst < 1e-10
    assert rs.loads(robot.dumps("yaml"), format="yaml") == robot


@pytest.mark.parametrize("text", [FOUR_BAR, LEG, SPATIAL], ids=["four-bar", "leg", "spatial"])
def test_loops(text: str) -> None:
    robot = rs.loads(text, format="mjcf")
    assert robot.structure == "closed"
    start = np.array([robot.position[robot.variable(j)] for j in robot.tree_joints])
    active = [k for k, j in enumerate(robot.tree_joints) if robot.frame(j).mu]
    q = np.asarray(rs.loop_geometry(robot).solve(start[active] + 0.1, near=start))[0]
    assert compared_in_loops(robot, mujoco.MjModel.from_xml_string(text), q) < 1e-9


@pytest.mark.parametrize("text", [FOUR_BAR, LEG, SPATIAL], ids=["four-bar", "leg", "spatial"])
def test_loops_round_trip(text: str) -> None:
    robot = rs.loads(text)
    written = robot.dumps("mjcf")
    again = rs.loads(written)
    start = np.array([robot.position[robot.variable(j)] for j in robot.tree_joints])
    active = [k for k, j in enumerate(robot.tree_joints) if robot.frame(j).mu]
    q = np.asarray(rs.loop_geometry(robot).solve(start[active] + 0.1, near=start))[0]
    at = dict(zip(robot.joint_names, q, strict=True))  # axes of a cut ball joint are on their branch
    q = np.array([at[name] for name in again.joint_names])
    assert compared_in_loops(again, mujoco.MjModel.from_xml_string(written), q) < 1e-9
    assert len(again.loops) == len(robot.loops)
    motors = [{one.joint(j).name for j in one.tree_joints if one.frame(j).mu} for one in (robot, again)]
    assert motors[0] == motors[1]


def test_reference_position_round_trip() -> None:
    robot = rs.loads(FOUR_BAR)
    start = np.asarray(rs.loop_geometry(robot).solve([0.1], near=np.zeros(3)))[0]
    robot = robot.edit(position=dict(zip(("t1", "t2", "t3"), start, strict=True)))
    again = rs.loads(robot.dumps("mjcf"))
    np.testing.assert_allclose([again.position[f"t{k}"] for k in (1, 2, 3)], start)
    T = np.asarray(rs.direct_geometry(again, 0, "coupler").compile()(q=start))
    np.testing.assert_allclose(T, np.asarray(rs.direct_geometry(robot, 0, "coupler").compile()(q=start)), atol=1e-12)


WALKER = """<mujoco model="walker"><option gravity="0.5 0 -9.81"/><worldbody><body name="table" pos="2 0 0"/>
  <frame pos="0 0 1" euler="20 0 30">
    <body name="trunk" pos="0 0.3 0" euler="0 40 0"><freejoint/><geom type="box" size="0.3 0.1 0.2" pos="0.05 0 0"/>
      <body name="leg" pos="0.1 0 -0.2"><joint name="hip" axis="0 1 0.2"/><geom size="0.1" pos="0 0 -0.3"/>
        <body name="foot" pos="0 0 -0.5"><joint name="knee" axis="0 1 0"/><geom size="0.07" pos="0.1 0 -0.2"/></body>
      </body>
      <body name="head" pos="0 0 0.3">
        <joint name="ball" type="ball" damping="0.1"/><geom size="0.1" pos="0 0 0.2"/>
      </body>
    </body></frame></worldbody></mujoco>"""
BESIDE = """<mujoco model="hand_and_pen"><worldbody>
  <body name="finger"><joint name="f" axis="0 1 0"/><geom size="0.1" pos="0 0 0.3"/></body>
  <body name="pen" pos="0.3 0 1" euler="50 0 20"><freejoint name="pen"/><geom type="box" size="0.1 0.2 0.3"/>
    <body name="cap" pos="0 0 0.3"><joint name="c" type="slide"/><geom size="0.02"/></body></body>
  </worldbody></mujoco>"""


def test_free_and_ball_joints() -> None:
    with pytest.warns(rs.RobotWarning, match="three hinges"):
        robot = rs.loads(WALKER)
    assert robot.base.kind == "floating"
    assert robot.joint_names == ("hip", "knee", "ball_x", "ball_y", "ball_z")
    assert compared_with_mujoco(robot, mujoco.MjModel.from_xml_string(WALKER)).worst < 1e-10


def test_pose_of_a_floating_base() -> None:
    robot = rs.loads(WALKER)
    data = mujoco.MjData(model := mujoco.MjModel.from_xml_string(WALKER))
    mujoco.mj_forward(model, data)
    foot = data.body("foot")
    T = np.asarray(rs.direct_geometry(robot, -1, "foot").compile()(q=np.zeros(5))).reshape(4, 4)
    np.testing.assert_allclose(T[:3], np.column_stack([foot.xmat.reshape(3, 3), foot.xpos]), atol=1e-12)
    R = data.body("trunk").xmat.reshape(3, 3)
    np.testing.assert_allclose([float(g.number) for g in robot.gravity], R.T @ [0.5, 0, -9.81], atol=1e-12)
    again = robot.dumps("mjcf")
    assert compared_with_mujoco(rs.loads(again), mujoco.MjModel.from_xml_string(again)).worst < 1e-10
    assert rs.loads(again).gravity[2].number == pytest.approx(robot.gravity[2].number)


def test_floating_body_beside_other_joints() -> None:
    with pytest.warns(rs.RobotWarning, match="three prismatic joints"):
        robot = rs.loads(BESIDE)
    assert robot.base.kind == "fixed" and robot.joint_names[:3] == ("f", "pen_tx", "pen_ty")
    assert compared_with_mujoco(robot, mujoco.MjModel.from_xml_string(BESIDE)).worst < 1e-10


def test_mujoco_accepts_written_massless_bodies() -> None:
    robot = rs.loads(ARM, format="mjcf")  # two joints of a body give two links, one of them massless
    model = mujoco.MjModel.from_xml_string(robot.dumps("mjcf"))
    assert compared_with_mujoco(robot, model).worst < 1e-10
    assert rs.loads(robot.dumps("mjcf")).joint_names == robot.joint_names


def test_several_points_are_a_hinge_or_a_weld() -> None:
    body = '<body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1"/></body>'
    joints = '<joint name="b1" axis="0 1 0"/><joint name="b2" axis="1 0 0"/>'
    other = f'<body name="b" pos="0 0 1">{joints}<geom size="0.1"/></body>'
    ends = [
        f'<connect body1="a" body2="b" anchor="{at}"/>' for at in ("0 0 0.5", "0.1 0 0.5", "0 0.1 0.5", "0.2 0 0.5")
    ]
    swapped = '<connect body1="b" body2="a" anchor="0.1 0 -0.5"/>'
    for chosen, sigma in (((0, 1), 0), ((0, 1, 3), 0), ((0, 1, 2), 2), ((0, None), 0)):
        equality = "".join(swapped if n is None else ends[n] for n in chosen)
        robot = rs.loads(
            f"<mujoco><worldbody>{body}{other}</worldbody><equality>{equality}</equality></mujoco>", name="m"
        )
        assert len(robot.loops) == 1 and robot.frame(robot.loops[0][0]).sigma == sigma


def test_warns_about_negative_mass() -> None:
    body = '<body><joint/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>'
    with pytest.warns(rs.RobotWarning, match="the mass is negative"):
        rs.loads(f"<mujoco><worldbody>{body}</worldbody></mujoco>", name="m")


JUNK = ("", " ", "nan", "1e400", "-1", "0", "0 0 0", "1 2", "x", "\u00e9", "9" * 400, "-0.0", "1e-320", "true", "world")


@pytest.mark.parametrize("text", [ARM, FOUR_BAR, WALKER, BESIDE], ids=["arm", "four-bar", "walker", "beside"])
@pytest.mark.filterwarnings("ignore::robosym.errors.RobotWarning")
def test_junk_in_attributes_raises_our_errors(text: str) -> None:
    values = [(m.start(1), m.end(1)) for m in re.finditer(r'="([^"]*)"', text)]
    for n, (start, end) in enumerate(values):
        for junk in (JUNK[n % len(JUNK)], JUNK[(7 * n + 3) % len(JUNK)]):
            with contextlib.suppress(rs.Error):
                rs.loads(text[:start] + junk + text[end:], format="mjcf", name="m")


def test_disabled_gravity() -> None:
    robot = rs.loads(ARM.replace('-9.81"/>', '-9.81"><flag gravity="disable"/></option>'), format="mjcf")
    assert [g.number for g in robot.gravity] == [0, 0, 0]


def test_joint_equality_is_a_coupling() -> None:
    text = ARM.replace("</mujoco>", '<equality><joint joint1="j2" joint2="j4" polycoef="0.1 -2"/></equality></mujoco>')
    follow = rs.loads(text, format="mjcf").relations["j2"]
    assert (follow.joint, follow.ratio, follow.offset) == ("j4", -2, 0.1)


def test_warns_about_meshes() -> None:
    body = '<body name="a"><joint name="j"/><geom type="mesh" mesh="m"/></body>'
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    with pytest.warns(rs.RobotWarning, match="meshes are not read"):
        rs.loads(text, format="mjcf", name="a")


def test_included_files_stay_in_their_folder(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    inner = '<mujocoinclude><body name="a"><joint name="j"/><geom size="0.1"/></body></mujocoinclude>'
    (tmp_path / "parts" / "a.xml").write_text(inner)
    main = tmp_path / "main.xml"
    main.write_text('<mujoco model="m"><worldbody><include file="parts/a.xml"/></worldbody></mujoco>')
    assert rs.load(main).joint_names == ("j",)
    for name in ("../a.xml", "/etc/passwd", "main.xml"):
        main.write_text(f'<mujoco model="m"><worldbody><include file="{name}"/></worldbody></mujoco>')
        with pytest.raises(rs.Error, match=r"include|in the folder"):
            rs.load(main)


HOSTILE = {
    "no world": ("<mujoco/>", "worldbody"),
    "a class": ('<mujoco><worldbody><body><joint class="x"/></body></worldbody></mujoco>', "default class 'x'"),
    "a lost body": (FOUR_BAR.replace('body2="rocker"', 'body2="x"'), "unknown body 'x'"),
    "no axis": ('<mujoco><worldbody><body><joint axis="0 0 0"/></body></worldbody></mujoco>', "direction"),
    "no quaternion": ('<mujoco><worldbody><body quat="0 0 0 0"/></worldbody></mujoco>', "direction"),
    "a name twice": ('<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>', "duplicate"),
    "not a number": ('<mujoco><worldbody><body pos="0 nan 0"/></worldbody></mujoco>', "finite"),
    "a bound": ('<mujoco><compiler boundmass="x"/><worldbody><body><joint/></body></worldbody></mujoco>', "finite"),
    "a shape without size": (
        '<mujoco><worldbody><body><joint/><geom type="capsule" fromto="0 0 0 0 0 1"/></body></worldbody></mujoco>',
        "size: expected 2 numbers",
    ),
    "copies": ('<mujoco><worldbody><replicate count="9"/></worldbody></mujoco>', "write every body out"),
    "attached": ('<mujoco><worldbody><attach model="a" body="b"/></worldbody></mujoco>', "write every body out"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_errors(case: str) -> None:
    text, message = HOSTILE[case]
    with pytest.raises(rs.Error, match=message):
        rs.loads(text, format="mjcf", name="x")


CLASSES = """<mujoco model="classes">
  <default>
    <joint damping="0.3" armature="0.5" axis="0 1 0"/>
    <geom type="box" size="0.1 0.2 0.3" density="700"/>
    <default class="arm">
      <joint damping="0.9"/>
      <geom size="0.05 0.06 0.3"/>
      <default class="wrist"><joint axis="1 0 0" frictionloss="0.2"/><geom density="300"/></default>
    </default>
    <default class="other"><joint armature="0.01"/><geom type="capsule" size="0.02 0.2"/></default>
  </default>
  <worldbody>
    <body name="a" childclass="arm"><joint name="j1"/><geom/>
      <body name="b" pos="0 0 0.3"><joint name="j2" class="wrist"/><geom class="wrist"/>
        <body name="c" pos="0 0 0.3" childclass="wrist"><joint name="j3"/><geom class="other"/>
          <body name="d" pos="0.1 0 0.3"><joint name="j4" damping="0"/><geom density="100"/></body>
          <body name="e" pos="0.2 0 0.3" childclass="other"><joint name="j5"/><geom/></body>
        </body>
      </body>
    </body>
    <body name="f" pos="1 0 0"><joint name="j6"/><geom class="main"/></body>
  </worldbody>
</mujoco>"""


def test_classes_inherit_and_override_as_in_mujoco() -> None:
    robot = rs.loads(CLASSES, format="mjcf")
    assert compared_with_mujoco(robot, mujoco.MjModel.from_xml_string(CLASSES)).worst < 1e-10
    model = mujoco.MjModel.from_xml_string(CLASSES)  # a new model: the comparison removes friction from the other
    for name, place in zip(robot.joint_names, robot.tree_joints, strict=True):
        joint = model.jnt_dofadr[model.joint(name).id]
        link = robot.link(place)
        assert float(str(link.FV)) == model.dof_damping[joint]
        assert float(str(link.IA)) == model.dof_armature[joint]
        assert float(str(link.FS)) == model.dof_frictionloss[joint]


INERTIAS = {
    "sphere": '<geom type="sphere" size="0.2"/>',
    "box": '<geom type="box" size="0.2 0.3 0.4" pos="0.1 0 0"/>',
    "capsule": '<geom type="capsule" fromto="0 0 0 0.3 0.4 0.2" size="0.1"/>',
    "cylinder": '<geom type="cylinder" size="0.1 0.3" euler="0.3 0.2 0.1"/>',
    "ellipsoid": '<geom type="ellipsoid" size="0.1 0.2 0.3" density="500"/>',
    "box between two points": '<geom type="box" fromto="0 0 0 0 0 1" size="0.1"/>',
    "ellipsoid between two points": '<geom type="ellipsoid" fromto="0 0 0 0 0.6 0.8" size="0.1"/>',
    "with a mass": '<geom type="box" size="0.2 0.3 0.4" mass="2"/>',
    "two, one without mass": '<geom type="sphere" size="0.2"/><geom type="box" size="1 1 1" mass="0"/>',
    "one without density": '<geom type="sphere" size="0.2"/><geom type="box" size="1 1 1" density="0"/>',
    "unbalanced": '<inertial mass="1" pos="0.1 0 0.2" diaginertia="0.1 0.2 0.9"/>',
    "small": '<inertial mass="0.001" pos="0 0.1 0" diaginertia="1e-6 1e-6 1e-6"/>',
}


@pytest.mark.parametrize("compiler", ["", 'balanceinertia="true"', 'boundmass="0.5" boundinertia="0.01"'])
@pytest.mark.parametrize("what", INERTIAS)
def test_inertias_agree_with_mujoco(what: str, compiler: str) -> None:
    if what == "unbalanced" and "balance" not in compiler:
        pytest.skip("MuJoCo rejects it")
    text = f"""<mujoco><compiler angle="radian" {compiler}/><worldbody><body name="b"><joint name="j" axis="0 0 1"/>
    {INERTIAS[what]}</body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    tensor = R.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ R.reshape(3, 3).T
    mass, center = float(model.body_mass[1]), model.body_ipos[1]
    link = rs.loads(text).link(1)
    found = {name: float(getattr(link, name)) for name in INERTIA}
    assert found["M"] == pytest.approx(mass, rel=1e-9)
    np.testing.assert_allclose([found[n] for n in ("MX", "MY", "MZ")], mass * center, atol=1e-9 * mass)
    at_origin = tensor + mass * (center @ center * np.eye(3) - np.outer(center, center))
    six = [at_origin[r, c] for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    np.testing.assert_allclose([found[n] for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")], six, atol=1e-8 * mass)
