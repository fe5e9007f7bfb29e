"""Default frame of functions and commands, and added frames."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.mechanism.end_frame import end_frame


def urdf(*joints: str, name: str = "arm") -> str:
    """Return a URDF with joints written as `parent > child`, optionally with `:fixed` or `:x` (an axis)."""
    links: dict[str, None] = {}
    text = []
    for number, joint in enumerate(joints, 1):
        ends, _, kind = joint.partition(":")
        parent, child = (part.strip() for part in ends.split(">"))
        links |= {parent: None, child: None}
        form = "fixed" if kind == "fixed" else "revolute"
        axis = {"x": "1 0 0", "y": "0 1 0"}.get(kind, "0 0 1")
        text.append(
            f'<joint name="j{number}" type="{form}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{0.1 * number} 0.05 0.2" rpy="0.3 {0.1 * number} 0"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" effort="9" velocity="2"/></joint>'
        )
    inertia = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bodies = [f'<link name="{link}"><inertial><mass value="1"/>{inertia}</inertial></link>' for link in links]
    return f'<robot name="{name}">{"".join((*bodies, *text))}</robot>'


ARM = ("base > a:x", "a > b:y", "b > c", "c > d:x", "d > e:y", "e > f")
CHOICES = {
    "tool0, not the last": ((*ARM, "f > ee_link:fixed", "f > tool0:fixed", "base > aux:fixed"), "tool0"),
    "flange before an end effector": ((*ARM, "f > flange:fixed", "f > ee_link:fixed"), "flange"),
    "a TCP beyond a flange": ((*ARM, "f > flange:fixed", "flange > weld_tcp:fixed"), "weld_tcp"),
    "an end effector, not a finger": ((*ARM, "f > end_effector:fixed", "f > finger_1", "f > finger_2"), "end_effector"),
    "the base of a gripper": ((*ARM, "f > gripperStator:fixed", "gripperStator > gripperMover:x"), "gripperStator"),
    "no camera on a hand": ((*ARM, "f > hand:fixed", "hand > hand_camera_link:fixed"), "hand"),
    "before unnamed fingers": ((*ARM, "f > g:x", "f > h:y", "g > i:x"), "f"),
    "before one jaw": ((*ARM, "f > jaw:x"), "f"),
    "the jaw that carries the other": ((*ARM, "f > fixed_jaw", "fixed_jaw > moving_jaw:x"), "fixed_jaw"),
    "before a moving part of a gripper": ((*ARM, "f > gripperMover:x"), "f"),
    "a robot that is a finger": (("base > finger_1", "finger_1 > finger_2:x", "finger_2 > tip:fixed"), "tip"),
    "a mobile arm without names": (("base > wheel_left", "base > wheel_right", *ARM), "f"),
    "camel case": ((*ARM, "f > RightTool0:fixed"), "RightTool0"),
}  # fmt: skip
QUESTIONS = {
    "two arms": (("base > l1", "l1 > left_tcp:fixed", "base > r1", "r1 > right_tcp:fixed"), "left_tcp, right_tcp"),
    "four legs": (tuple(f"base > {leg}_thigh" for leg in "abcd"), "a_thigh, b_thigh, c_thigh, d_thigh"),
    "a torso with two arms": (("base > t", "t > l1:x", "l1 > l2:y", "t > r1:x", "r1 > r2:y"), "l2, r2"),
    "fixed frames with unknown names": ((*ARM, "f > one:fixed", "f > two:fixed"), "one, two"),
}  # fmt: skip


@pytest.mark.parametrize("case", CHOICES)
def test_chooses_the_end_of_the_arm(case: str) -> None:
    joints, wanted = CHOICES[case]
    robot = rs.loads(urdf(*joints))
    assert end_frame(robot).label == wanted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.FrameWarning)
        assert rs.jacobian(robot).link == robot.frame_names[wanted]
        assert rs.direct_geometry(robot).outputs == rs.direct_geometry(robot, 0, wanted).outputs


@pytest.mark.parametrize("case", QUESTIONS)
def test_ambiguous_end_lists_candidates(case: str) -> None:
    joints, wanted = QUESTIONS[case]
    robot: Any = rs.loads(urdf(*joints))
    calls = [
        rs.jacobian, rs.inverse_geometry, rs.direct_geometry, rs.manipulability, rs.operational_control, rs.bundle,
        rs.impedance_control, rs.force_ellipsoid, rs.inverse_kinematics, rs.operational_jacobian, rs.paul_matrices,
    ]  # fmt: skip
    for function in calls:
        with pytest.raises(rs.InputError, match=f"several end frames: {wanted};"):
            function(robot)


def test_functions_and_commands_warn_alike(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(*CHOICES["tool0, not the last"][0]))
    message = "arm: using frame tool0, a tool frame by its name; other candidates: ee_link, f; choose with"
    for words in (
        ["jacobian"], ["inverse-geometry"], ["direct-geometry"], ["manipulability"], ["operational-jacobian"],
        ["impedance-control"], ["force-ellipsoid"], ["study", "workspace", "3"],
    ):  # fmt: skip
        assert main([*words, str(file)]) == 0
        assert capsys.readouterr().err.splitlines()[0].startswith(f"robosym: note: {message}"), words


def _pinocchio(text: str, frame: str, q: Any, tool: Any) -> tuple[Any, Any]:
    """Return pose and Jacobian, in the base's axes, of a tool on a frame."""
    model = pin.buildModelFromXML(text)
    placed = pin.SE3(np.asarray(tool)[:3, :3], np.asarray(tool)[:3, 3])
    parent = model.frames[model.getFrameId(frame)]
    name = "the tool"
    model.addFrame(pin.Frame(name, parent.parentJoint, parent.placement * placed, pin.FrameType.OP_FRAME))
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    number = model.getFrameId(name)
    J = pin.computeFrameJacobian(model, data, q, number, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    return data.oMf[number].homogeneous, J


TOOL = (0.1, -0.2, 0.3, 0.4, -1.1, 2.0)  #: x y z roll pitch yaw


def _matrix() -> Any:
    turn = pin.rpy.rpyToMatrix(*TOOL[3:])
    return np.block([[turn, np.array(TOOL[:3])[:, None]], [np.zeros(3), 1]])


@pytest.mark.parametrize(
    "added", [{"pose": TOOL}, {"pose": _matrix()}, {"xyz": np.array(TOOL[:3]), "rpy": list(TOOL[3:])}]
)
def test_added_frame_agrees_with_pinocchio(added: Any) -> None:
    text = urdf(*ARM, "f > tool0:fixed")
    q = np.array([0.3, -0.5, 0.7, 1.1, -1.3, 0.2])
    T, J = _pinocchio(text, "tool0", q, _matrix())
    robot = rs.loads(text).with_frame("tcp", parent="tool0", **added)
    assert end_frame(robot).label == "tcp"
    np.testing.assert_allclose(rs.direct_geometry(robot, 0, "tcp").compile()(q=q), T, atol=1e-12)
    np.testing.assert_allclose(rs.jacobian(robot, "tcp").compile()(q=q), J, atol=1e-12)
    torque = rs.inverse_dynamics(robot).compile()(q=q, qd=q, qdd=q)
    np.testing.assert_allclose(torque, pin.rnea(*_model(text), q, q, q), atol=1e-10)
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot


def _model(text: str) -> tuple[Any, Any]:
    model = pin.buildModelFromXML(text)
    return model, model.createData()


def test_functions_with_a_frame_accept_a_tool() -> None:
    text = urdf(*ARM, "f > tool0:fixed")
    robot, q = rs.loads(text), np.array([0.3, -0.5, 0.7, 1.1, -1.3, 0.2])
    T, J = _pinocchio(text, "tool0", q, _matrix())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.FrameWarning)
        np.testing.assert_allclose(rs.direct_geometry(robot, tool=TOOL).compile()(q=q), T, atol=1e-12)
        np.testing.assert_allclose(rs.jacobian(robot, tool=_matrix()).compile()(q=q), J, atol=1e-12)
        found = rs.inverse_geometry(robot, tool=TOOL).solve(T)
        assert np.abs(np.asarray(found) - q).max(axis=1).min() < 1e-8
        assert rs.manipulability(robot, tool=TOOL).compile()(q=q)[0] == pytest.approx(abs(np.linalg.det(J)))
        rates = rs.inverse_kinematics(robot, tool=TOOL).rates(q, J @ np.ones(6), damping=0)
        np.testing.assert_allclose(rates, np.ones(6), atol=1e-8)
        E = rs.force_ellipsoid(robot, rows=range(1, 7), tool=TOOL).compile()(q=q)
        np.testing.assert_allclose(E, J @ J.T, atol=1e-10)
        coordinates = rs.operational_jacobian(robot, tool=TOOL).compile()(q=q)
        np.testing.assert_allclose(coordinates.Jx[:3], J[:3], atol=1e-12)
        places = rs.study("workspace", {"t1": [q[0]]}, robot, at=dict(zip(_names(robot), q, strict=True)), tool=TOOL)
        np.testing.assert_allclose(np.ravel(places.values), T[:3, 3], atol=1e-12)
        torque = rs.impedance_control(robot, stiffness=1, damping=0, tool=TOOL).compile()
        goal = T.copy()
        goal[:3, 3] += (0.01, 0.02, 0.03)
        still = np.zeros(6)
        found = torque(q=q, qd=still, T=goal.ravel(), twist_desired=still)
        gravity = pin.rnea(*_model(text), q, still, still)
        np.testing.assert_allclose(found, gravity + J[:3].T @ (0.01, 0.02, 0.03), atol=1e-9)


def _names(robot: Any) -> list[str]:
    return [robot.variable(j) for j in robot.tree_joints]


def test_command_line_accepts_tools_and_added_frames(tmp_path: Path, capsys: Any) -> None:
    text = urdf(*ARM, "f > tool0:fixed")
    (file := tmp_path / "arm.urdf").write_text(text)
    q = np.array([0.3, -0.5, 0.7, 1.1, -1.3, 0.2])
    T, J = _pinocchio(text, "tool0", q, _matrix())
    at = ["--at", f"q={','.join(map(str, q))}", "-o", str(tmp_path / "found.csv")]
    six = ",".join(map(str, TOOL))
    for words, wanted in (
        (["jacobian", str(file), "tool0", "--tool", six], J),
        (["jacobian", str(file), "tcp", "--add-frame", f"tcp=tool0:{six}"], J),
        (["jacobian", str(file), "--add-frame", f"tcp=tool0:{six}"], J),
        (["direct-geometry", str(file), "0", "tcp", "--add-frame", f"tcp=tool0:{six}"], T),
    ):
        assert main([*words, *at]) == 0, capsys.readouterr().err
        found = np.loadtxt(tmp_path / "found.csv", delimiter=",", skiprows=1)
        np.testing.assert_allclose(found, np.ravel(wanted), atol=1e-12)
    assert main(["jacobian", str(file), "--add-frame", "tcp:0,0,1"]) == 1
    assert "--add-frame: expected NAME=PARENT:POSE" in capsys.readouterr().err


def test_added_frame_precedes_cut_joints() -> None:
    robot = rs.load("sr400")
    tcp = robot.with_frame("tcp", 6, r="L")
    assert tcp.loops == ((10, 11),) and tcp.frame_names["tcp"] == 9
    before, after = (rs.inverse_dynamics(one) for one in (robot, tcp))
    assert before.inputs == after.inputs and before.operations == after.operations
    assert rs.jacobian(tcp, "tcp").inputs["parameters"][-1:] == ("L",)


def test_with_frame_rejects_invalid_frames() -> None:
    robot = rs.loads(urdf(*ARM, "f > tool0:fixed"))
    for wrong, message in (
        ({"name": "tool0"}, "already has a frame or joint 'tool0'"),
        ({"name": "tcp", "parent": "tol0"}, "did you mean 'tool0'"),
        ({"name": "tcp", "pose": np.zeros((4, 4))}, "last row|rotation"),
        ({"name": "tcp", "pose": (1, 2)}, "expected a 4x4 matrix, x y z or x y z roll pitch yaw"),
        ({"name": "tcp", "r": 1, "xyz": (0, 0, 1)}, "expected only one of xyz and rpy, gamma .. r"),
        ({"name": "tcp", "length": 1}, "unknown argument length"),
        ({"name": "tcp", "xyz": (0, 0, float("nan"))}, "expected a number"),
        ({"name": "tcp", "rpy": ("A", 0, 0)}, "numbers for the orientation"),
        ({"name": "a\nb"}, "printable"),
    ):
        with warnings.catch_warnings(), pytest.raises(rs.Error, match=message):
            warnings.simplefilter("ignore", rs.FrameWarning)
            robot.with_frame(**wrong)  # type: ignore[arg-type]


def test_payload_identification_uses_arm_not_finger() -> None:
    from robosym.experiment.payload import _PayloadRegressor

    robot = rs.loads(urdf(*ARM, "f > finger_1:x", "f > finger_2:y"))
    assert _PayloadRegressor(robot).names[0] == f"M{robot.joint_number('j6')}"
