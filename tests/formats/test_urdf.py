"""Reading and writing URDF, compared with Pinocchio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.urdf_files import compared_floating, compared_with_pinocchio

INERTIAL = """<inertial><origin xyz="0.02 -0.03 0.1" rpy="0.1 0.2 0.3"/><mass value="1.5"/>
  <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.0015" izz="0.025"/></inertial>"""


def joint(name: str, kind: str, parent: str, child: str, rest: str = "", xyz: str = "0 0 0", rpy: str = "0 0 0") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/>{rest}</joint>'
    )


def urdf(links: str, *joints: str) -> str:
    made = "\n".join(f'<link name="{name}">{INERTIAL}</link>' for name in links.split())
    return f'<robot name="made">\n{made}\n' + "\n".join(joints) + "\n</robot>"


LIMIT = '<limit lower="-2" upper="1.5" velocity="3" effort="40"/>'
AXIS_Y, AXIS_Z = '<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>'
ARM = urdf(
    "base one two three four hand camera",
    joint("j1", "revolute", "base", "one", AXIS_Z + LIMIT, "0.1 0 0.3"),
    joint("j2", "revolute", "one", "two", AXIS_Y + LIMIT + '<dynamics damping="0.7" friction="0.2"/>', "0 0.1 0.2"),
    joint("j3", "continuous", "two", "three", '<axis xyz="0.6 0 0.8"/>', "0.4 0.02 0", "0.3 -0.2 1.1"),
    joint("j4", "prismatic", "three", "four", '<axis xyz="1 2 3"/>' + LIMIT, "0 0.3 0.1", "1.5707963267948966 0 0"),
    joint("tool", "fixed", "four", "hand", "", "0 0 0.12", "0 1.2 0"),
    joint("eye", "fixed", "one", "camera", "", "0.05 0 0.1", "0 0 -0.4"),
)
TREE = urdf(
    "body la lb ra rb rc head",
    joint("left_a", "revolute", "body", "la", AXIS_Y + LIMIT, "0 0.2 0.1", "0.5 0 0"),
    joint("left_b", "revolute", "la", "lb", AXIS_Y + LIMIT, "0 0 -0.3"),
    joint("right_a", "revolute", "body", "ra", AXIS_Y + LIMIT, "0 -0.2 0.1", "-0.5 0 0"),
    joint("right_b", "revolute", "ra", "rb", '<axis xyz="0 -1 0"/>' + LIMIT, "0.01 0 -0.3", "0 0 1.5708"),
    joint("right_c", "revolute", "rb", "rc", AXIS_Z + LIMIT, "0 0 -0.3", "3.1416 0 0"),
    joint("neck", "prismatic", "ra", "head", AXIS_Z + LIMIT, "0 0 0.3", "0.000004 0 0"),
)


@pytest.mark.parametrize("text", [ARM, TREE], ids=["arm", "tree"])
def test_poses_torques_and_inertia_agree_with_pinocchio(text: str) -> None:
    assert compared_with_pinocchio(rs.loads(text, format="urdf"), pin.buildModelFromXML(text)).worst < 1e-10


def test_names_limits_drives_and_merged_links() -> None:
    robot = rs.loads(ARM, format="urdf")
    assert robot.joint_names == ("j1", "j2", "j3", "j4")
    assert (robot.joint_limits[0].lower, robot.joint_limits[0].effort, robot.joint_limits[2].upper) == (-2, 40, None)
    assert [robot.link(2).FV.number, robot.link(2).FS.number] == [0.7, 0.2]
    assert set(robot.frame_names) == {"base", "one", "two", "three", "four", "hand", "camera"}
    assert all(robot.frame(j).sigma == 2 for j in range(5, robot.NL + 1))  # joints first, then fixed frames


def test_angles_of_seven_decimals_are_exact() -> None:
    """1.5707963 is Pi/2: frames and operations equal those of a hand-written table."""
    axis = AXIS_Z + LIMIT
    text = urdf(
        "base a b c d e f",
        joint("j1", "revolute", "base", "a", axis),
        joint("j2", "revolute", "a", "b", axis, rpy="-1.5707963 0 0"),
        joint("j3", "revolute", "b", "c", axis, "0.4318 0 0.15"),
        joint("j4", "revolute", "c", "d", axis, "-0.02 -0.433 0", "1.5707963 0 0"),
        joint("j5", "revolute", "d", "e", axis, rpy="-1.5707963 0 0"),
        joint("j6", "revolute", "e", "f", axis, rpy="1.5707963 0 0"),
    )
    by_hand = """
        name: hand
        frames:
          - {theta: t1}
          - {alpha: -Pi/2, theta: t2}
          - {d: 0.4318, theta: t3, r: 0.15}
          - {alpha: Pi/2, d: -0.02, theta: t4, r: 0.433}
          - {alpha: -Pi/2, theta: t5}
          - {alpha: Pi/2, theta: t6}
        links: symbolic
        gravity: [0, 0, -9.81]
        """
    names = "XX XY XZ YY YZ ZZ MX MY MZ M IA FV FS".split()
    robot = rs.loads(text, format="urdf")
    symbolic = robot.with_links({f: f"{f}{j}" for f in names} if j < 7 else {} for j in range(1, robot.NL + 1))
    wanted = rs.loads(by_hand, format="yaml")
    for base in (False, True):
        found = rs.inverse_dynamics(symbolic, base_parameters=base).operations
        assert found.total == rs.inverse_dynamics(wanted, base_parameters=base).operations.total


def test_library_robots_through_urdf_have_no_more_operations() -> None:
    for name in ("puma560", "ur5e", "tx90", "scara"):
        robot = rs.load(name)
        again = rs.loads(robot.dumps("urdf"), format="urdf")
        assert rs.inverse_dynamics(again).operations.total <= rs.inverse_dynamics(robot).operations.total


@pytest.mark.parametrize("text", [ARM, TREE], ids=["arm", "tree"])
def test_round_trip(text: str, tmp_path: Path) -> None:
    robot = rs.loads(text, format="urdf")
    written = robot.dumps("urdf")
    assert compared_with_pinocchio(robot, pin.buildModelFromXML(written)).worst < 1e-10
    assert compared_with_pinocchio(rs.loads(written, format="urdf"), pin.buildModelFromXML(text)).worst < 1e-10
    assert rs.loads(robot.dumps("yaml"), format="yaml") == robot
    file = tmp_path / "made.urdf"
    robot.write(file)
    assert rs.load(file).joint_limits == robot.joint_limits


def test_mimic_joint() -> None:
    mimic = '<mimic joint="left" multiplier="-1.5" offset="0.25"/>'
    text = urdf(
        "palm l r",
        joint("right", "revolute", "palm", "r", AXIS_Z + LIMIT + mimic),
        joint("left", "revolute", "palm", "l", AXIS_Z + LIMIT),
    )
    robot = rs.loads(text, format="urdf")
    follow = robot.relations["right"]
    assert (follow.joint, follow.ratio, follow.offset) == ("left", -1.5, 0.25)
    assert rs.loads(robot.dumps("yaml"), format="yaml") == robot
    assert rs.loads(robot.dumps("urdf"), format="urdf").relations == robot.relations


GRIPPER = urdf(
    "base palm l r tip",
    joint("turn", "revolute", "base", "palm", '<axis xyz="0 1 0.2"/>' + LIMIT, "0 0 0.3"),
    joint("left", "revolute", "palm", "l", AXIS_Y + LIMIT, "0 0.1 0.1"),
    joint("right", "prismatic", "palm", "r", AXIS_Z + LIMIT + '<mimic joint="left" multiplier="-1.5" offset="0.25"/>'),
    joint("tip", "revolute", "r", "tip", AXIS_Y + LIMIT + '<mimic joint="left" multiplier="2"/>', "0.1 0 0.2"),
)


def test_mimic_joints_become_couplings_on_request() -> None:
    robot = rs.loads(GRIPPER)
    coupled = robot.with_relations()
    assert not robot.couplings and set(coupled.couplings) == {"r3", "t4"}
    model = pin.buildModelFromXML(GRIPPER, mimic=True)
    data, random = model.createData(), np.random.default_rng(4)
    assert model.nv == 2
    free, qd, qdd = (random.uniform(-1, 1, 2) for _ in range(3))
    q = np.array([*free, -1.5 * free[1] + 0.25, 2 * free[1]])
    tau = rs.inverse_dynamics(coupled).compile()(q=q, qd=qd, qdd=qdd)
    np.testing.assert_allclose(tau, pin.rnea(model, data, free, qd, qdd), atol=1e-10)
    A = pin.crba(model, data, free)
    np.testing.assert_allclose(rs.inertia_matrix(coupled).compile()(q=q), np.triu(A) + np.triu(A, 1).T, atol=1e-10)
    for form in ("urdf", "mjcf"):
        again = rs.loads(coupled.dumps(form)).with_relations()
        assert [c.ratios for c in again.couplings.values()] == [c.ratios for c in coupled.couplings.values()]
        assert again.relations.keys() == robot.relations.keys()


def test_chained_and_circular_mimic_joints() -> None:
    chained = GRIPPER.replace('joint="left" multiplier="2"', 'joint="right" multiplier="2"')
    coupling = rs.loads(chained).with_relations().couplings["t4"]
    assert coupling.ratios == {"t2": -3.0} and coupling.offset == 0.5
    ring = chained.replace('<mimic joint="left"', '<mimic joint="tip"')
    with pytest.raises(rs.RobotError, match="follows itself"):
        rs.loads(ring).with_relations()


def test_warns_about_unknown_leader() -> None:
    text = urdf("a b", joint("i", "revolute", "a", "b", AXIS_Z + '<mimic joint="q"/>'))
    with pytest.warns(rs.RobotWarning, match="follows 'q'"):
        assert not rs.loads(text, format="urdf").relations


def test_symbolic_links() -> None:
    robot = rs.loads(ARM, format="urdf")
    assert {name for name in robot.symbolic().parameters if name[0] == "M" and name[1:].isdigit()} == {
        "M1",
        "M2",
        "M3",
        "M4",
    }


def test_planar_and_floating_joints() -> None:
    planar = rs.loads(urdf("w b", joint("base", "planar", "w", "b", AXIS_Z)), format="urdf")
    assert planar.joint_names == ("base_x", "base_y", "base_angle")
    T = rs.direct_geometry(planar, 0, "b").compile()(q=[1, 2, 0.5])
    assert np.allclose(T[:2, 3], [1, 2]) and np.isclose(T[1, 0], np.sin(0.5))
    floating = urdf("w b c", joint("free", "floating", "w", "b"), joint("j", "revolute", "b", "c", AXIS_Z + LIMIT))
    robot = rs.loads(floating, format="urdf")
    assert robot.base.kind == "floating" and robot.joint_names == ("j",) and robot.frame_names["b"] == 0


@pytest.mark.parametrize("by_joint", [True, False], ids=["a floating joint", "floating=True"])
def test_floating_base_agrees_with_pinocchio(by_joint: bool, tmp_path: Path) -> None:
    text = TREE
    if by_joint:
        free = joint("free", "floating", "world", "body", xyz="0.1 0.2 0.9", rpy="0.1 0.2 0.3")
        text = TREE.replace("</robot>", f'<link name="world"/>{free}</robot>')
    robot = rs.loads(text, floating=not by_joint)
    model = pin.buildModelFromXML(text) if by_joint else pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    assert robot.base.kind == "floating"
    assert compared_floating(robot, model).worst < 1e-10
    again = robot.dumps("urdf")
    assert compared_floating(rs.loads(again), pin.buildModelFromXML(again)).worst < 1e-10
    assert compared_floating(rs.loads(robot.dumps("yaml")), model).worst < 1e-10


def test_rejects_floating_for_other_formats() -> None:
    with pytest.raises(rs.Error, match="type: floating"):
        rs.load("rx90", floating=True)


def test_warns_about_inertia_without_mass() -> None:
    text = ARM.replace('<mass value="1.5"/>', "", 1)
    with pytest.warns(rs.RobotWarning, match="has no <mass>"):
        robot = rs.loads(text)
    assert compared_with_pinocchio(robot, pin.buildModelFromXML(text)).worst < 1e-10


HOSTILE = {
    "an entity bomb": (
        '<!DOCTYPE r [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><robot name="x">&c;</robot>', "document type",
    ),
    "an external file": ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot name="x"/>', "document type"),
    "depth": ("<robot>" * 5000, "nested elements"),
    "no XML": ("robot", "invalid XML"),
    "nothing": ("  \n", "empty"),
    "another root": ("<html/>", "expected <robot>"),
    "no link": ('<robot name="x"/>', "at least one <link>"),
    "no joint": ('<robot name="x"><link name="a"/></robot>', "expected at least one joint that moves"),
    "macros": ('<robot name="x"><xacro:include filename="a"/></robot>', "xacro"),
    "not a number": (urdf("a b", joint("j", "revolute", "a", "b", AXIS_Z, "0 NaN 0")), r"^\d+: .*a finite"),
    "infinite": (urdf("a b", joint("j", "revolute", "a", "b", AXIS_Z, "0 1e999 0")), "finite"),
    "two numbers": (urdf("a b", joint("j", "revolute", "a", "b", AXIS_Z, "0 0")), "expected 3 numbers"),
    "no parent": (urdf("a b", joint("j", "revolute", "z", "b", AXIS_Z)), "parent: unknown link 'z'"),
    "a cycle": (
        urdf("r a b", joint("i", "revolute", "a", "b", AXIS_Z), joint("j", "revolute", "b", "a", AXIS_Z)),
        "joints are circular",
    ),
    "a link held twice": (
        urdf("a b", joint("i", "revolute", "a", "b", AXIS_Z), joint("j", "revolute", "a", "b", AXIS_Z)),
        "already the child",
    ),
    "two roots": (urdf("a b c", joint("i", "revolute", "a", "b", AXIS_Z)), "expected one root link, found 2"),
    "a link twice": (urdf("a a"), "duplicate"),
    "a joint twice": (
        urdf("a b c", joint("i", "revolute", "a", "b", AXIS_Z), joint("i", "revolute", "b", "c", AXIS_Z)),
        "duplicate",
    ),
    "no axis": (urdf("a b", joint("i", "revolute", "a", "b", '<axis xyz="0 0 0"/>')), "expected a direction"),
    "an unknown type": (urdf("a b", joint("i", "screw", "a", "b")), "type: expected revolute"),
    "10 MB": ('<robot name="x">' + " " * 10_000_000 + "</robot>", "expected at most"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_errors(case: str) -> None:
    text, message = HOSTILE[case]
    with pytest.raises(rs.Error, match=message):
        rs.loads(text, format="urdf")


def test_long_chain_does_not_recurse() -> None:
    names = [f"l{n}" for n in range(400)]
    joints = [joint(f"j{n}", "revolute", names[n], names[n + 1], AXIS_Y, "0.1 0 0.2") for n in range(399)]
    assert len(rs.loads(urdf(" ".join(names), *joints), format="urdf").joint_names) == 399


def test_rejects_symbols_and_loops() -> None:
    with pytest.raises(rs.Error, match="URDF: expected numbers, found the symbols"):
        rs.load("rx90").dumps("urdf")
    with pytest.raises(rs.Error, match="URDF cannot describe loops"):
        rs.load("sr400").dumps("urdf")


def test_axis_of_any_length() -> None:
    assert rs.loads(urdf("a b", joint("i", "revolute", "a", "b", '<axis xyz="0 0 1e155"/>'))).joint_names == ("i",)
    with pytest.raises(rs.Error, match="direction"):
        rs.loads(urdf("a b", joint("i", "revolute", "a", "b", '<axis xyz="0 0 1e-320"/>')))


def test_tiny_mass() -> None:
    text = (
        "name: a\nframes: [{theta: t1}]\nlinks: {1: {M: 1e-310, XX: 1, YY: 1, ZZ: 1, MX: 0}}\ngravity: [0, 0, -9.81]\n"
    )
    assert "nan" not in rs.loads(text, "yaml").dumps("urdf")
    with pytest.raises(rs.RobotError, match="center of mass is not finite"):
        rs.loads(text.replace("MX: 0", "MX: 1"), "yaml").dumps("urdf")
