"""Gravity, base orientation and payload as inputs of generated functions, compared with Pinocchio."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.toolchains import STRICT, run, tool
from oracles.pinocchio import Array, Oracle
from robosym.app.cli.main import main

RNG = np.random.default_rng(5)
Q, QD, QDD = RNG.uniform(-1, 1, (3, 6))
WORLD = np.array([0.3, -0.4, -9.7])
QUATERNION = np.array([0.8, -0.3, 0.5, 0.2])  #: w, x, y, z; of any length
PAYLOAD = np.array([3.2, 0.05, -0.02, 0.11, 0.03, 0.002, -0.001, 0.04, 0.003, 0.02])


def rotation() -> Array:
    w, x, y, z = QUATERNION
    found: Array = pin.Quaternion(w, x, y, z).normalized().matrix()
    return found


def loaded(robot: rs.Robot, link: int, gravity: Array) -> Oracle:
    """Return the robot in Pinocchio, with gravity in frame 0 and the payload on a link."""
    oracle = Oracle(robot, {})
    oracle.model.gravity = pin.Motion(gravity, np.zeros(3))
    m, x, y, z, *inertia = PAYLOAD
    xx, xy, xz, yy, yz, zz = inertia
    body = pin.Inertia(m, np.array([x, y, z]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    frame = oracle.model.frames[oracle.frames[link]]
    oracle.model.appendBodyToJoint(frame.parentJoint, body, frame.placement)
    oracle.data = oracle.model.createData()
    return oracle


def test_models_and_laws() -> None:
    arm = rs.load("ur5e")
    kept = arm.with_inputs("gravity", "orientation", "payload")
    given = {"base_orientation": QUATERNION, "gravity": WORLD, "parameters": PAYLOAD}
    oracle = loaded(arm, 6, rotation().T @ WORLD)
    model = rs.inverse_dynamics(kept)
    assert model.inputs["parameters"] == ("ML", "XL", "YL", "ZL", "XXL", "XYL", "XZL", "YYL", "YZL", "ZZL")
    np.testing.assert_allclose(model.compile()(q=Q, qd=QD, qdd=QDD, **given), oracle.torques(Q, QD, QDD, {}), atol=1e-9)
    law = rs.computed_torque(kept, kp=30, kd=9)
    desired = {"q_desired": Q + 0.1, "qd_desired": QD - 0.2, "qdd_desired": QDD}
    wanted = QDD + 30 * 0.1 - 9 * 0.2
    np.testing.assert_allclose(
        law.compile()(q=Q, qd=QD, **desired, **given), oracle.torques(Q, QD, wanted, {}), atol=1e-9
    )
    pose = rs.transform(kept, -1, 6).compile()(q=Q, base_orientation=QUATERNION)
    np.testing.assert_allclose(pose[:3, :3], rotation() @ rs.transform(arm, 0, 6).compile()(q=Q)[:3, :3], atol=1e-12)


def test_functions_take_gravity() -> None:
    arm = rs.load("ur5e").with_inputs("gravity", "orientation", "payload")
    models = [
        rs.inverse_dynamics(arm), rs.direct_dynamics(arm), rs.gravity_torques(arm), rs.bias_torques(arm),
        rs.energy(arm), rs.computed_torque(arm), rs.pd_gravity(arm), rs.feedforward(arm), rs.predictive_control(arm),
        rs.operational_control(arm), rs.impedance_control(arm), rs.momentum_observer(arm),
    ]  # fmt: skip
    for model in models:
        assert model.inputs["gravity"] == ("G1", "G2", "G3"), model.title
        assert model.inputs["base_orientation"] == ("QB0", "QB1", "QB2", "QB3"), model.title
        assert {"ML", "XL", "YL", "ZL"} <= {*model.inputs["parameters"]}, model.title


C_USER = """#include "arm.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    double x[64], out[16];
    for (int i = 1; i < argc; ++i) x[i - 1] = atof(argv[i]);
    CALL
    for (int i = 0; i < SIZE; ++i) printf("%.17g ", out[i]);
    return 0;
}
"""


def _called(folder: Path, call: str, size: int, *values: Array) -> Array:
    (folder / "user.c").write_text(C_USER.replace("CALL", call).replace("SIZE", str(size)))
    sources = [p.name for p in folder.glob("*.c") if not re.search(r"_(test|sfun)\.c$", p.name)]
    run(tool("gcc"), "-std=c99", *STRICT, *sources, "-o", "u", "-lm", cwd=folder)
    numbers = [repr(float(v)) for array in values for v in array]
    return np.array([float(word) for word in run(folder / "u", *numbers, cwd=folder).split()])


@pytest.mark.parametrize(
    "words", [("--set", "gravity=[G1,G2,G3]"), ("--inputs", "gravity"), ("--inputs", "gravity,payload:6")]
)
def test_bundle_on_the_command_line(words: tuple[str, str], tmp_path: Path) -> None:
    assert main(["bundle", "ur5e", "-o", str(tmp_path), "--prefix", "arm", *words]) == 0
    if "payload" in words[1]:
        expected = loaded(rs.load("ur5e"), 6, WORLD).torques(Q, QD, QDD, {})
        call, more = "arm_inverse_dynamics(x, x + 6, x + 12, x + 18, x + 21, out);", [PAYLOAD]
    else:
        oracle = Oracle(rs.load("ur5e"), {})
        oracle.model.gravity = pin.Motion(WORLD, np.zeros(3))
        expected = oracle.torques(Q, QD, QDD, {})
        call, more = "arm_inverse_dynamics(x, x + 6, x + 12, x + 18, out);", []
    np.testing.assert_allclose(_called(tmp_path, call, 6, Q, QD, QDD, WORLD, *more), expected, atol=1e-9)


def test_bundle_has_one_list_of_parameters(tmp_path: Path) -> None:
    """Gravity torques do not need the payload's inertia but take the same array."""
    rs.bundle(
        rs.load("ur5e").with_payload(6, "MP", ("XP", "YP", "ZP"), ("A", "B", "C", "D", "E", "F")), tmp_path, "arm"
    )
    headers = [tmp_path / f"arm_{name}.h" for name in ("gravity", "inverse_dynamics")]
    assert all(
        "parameters[10]" in path.read_text() and "MP XP YP ZP A B C D E F" in path.read_text() for path in headers
    )
    gravity = _called(tmp_path, "arm_gravity(x, x + 6, out);", 6, Q, PAYLOAD)
    oracle = loaded(rs.load("ur5e"), 6, np.array([0, 0, -9.81]))
    np.testing.assert_allclose(gravity, oracle.torques(Q, np.zeros(6), np.zeros(6), {}), atol=1e-9)
    sources = [p.name for p in tmp_path.glob("*.c") if not re.search(r"(user|_sfun)\.c$", p.name)]
    run(tool("gcc"), "-std=c99", *STRICT, *sources, "-o", "t", "-lm", cwd=tmp_path)
    assert run(tmp_path / "t", cwd=tmp_path).endswith("self-test: passed\n")


@pytest.mark.parametrize("kept", ["gravity", "orientation"])
def test_gravity_rotates_with_a_floating_base(kept: str, tmp_path: Path) -> None:
    """Compare torques on a tilted base, from gravity in frame 0 or from the measured orientation, the default."""
    (tmp_path / "arm.urdf").write_text(rs.load("ur5e").dumps("urdf"))
    robot = rs.load(tmp_path / "arm.urdf", floating=True)
    rs.bundle(robot.with_inputs("gravity") if kept == "gravity" else robot, tmp_path, prefix="arm")
    world = WORLD if kept == "gravity" else np.array([0, 0, -9.81])
    oracle = Oracle(robot, {})
    oracle.model.gravity = pin.Motion(world, np.zeros(3))
    q = oracle.q(Q)
    q[3:7] = pin.Quaternion(rotation()).coeffs()
    held = pin.computeGeneralizedGravity(oracle.model, oracle.data, q)
    seen = rotation().T @ world if kept == "gravity" else QUATERNION
    found = _called(tmp_path, "arm_gravity(x, x + 6, out, out + 6);", 12, Q, seen)
    np.testing.assert_allclose(found[:6], oracle.back(held), atol=1e-9)
    np.testing.assert_allclose(found[6:], [*held[3:6], *held[:3]], atol=1e-9)  # moment, then force on the base


def test_robots_with_loops_and_platforms(tmp_path: Path) -> None:
    """With inputs set to the numbers of a description, results equal those of its model."""
    delta = rs.load("delta")
    names = rs.inverse_dynamics(delta).inputs
    fixed = {name: 0.3 + 0.07 * (k % 7) for k, name in enumerate([*names["parameters"], *names["gravity"]])}
    delta = delta.with_values(fixed)
    kept = delta.with_inputs("gravity", "payload")
    assert rs.inverse_dynamics(kept).inputs["parameters"] == ("ML",)
    heavier = delta.edit(gravity=[*WORLD]).with_payload(delta.module.end, 2.5)
    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.05, -0.03, 0.6])
    motion = {"pose": pose, "twist": np.full(6, 0.1), "acceleration": np.full(6, 0.2)}
    np.testing.assert_allclose(
        rs.inverse_dynamics(kept).compile()(**motion, gravity=WORLD, parameters=[2.5]),
        rs.inverse_dynamics(heavier).compile()(**motion), rtol=1e-9,
    )  # fmt: skip
    assert main(["inverse-dynamics", "delta", "--set", "gravity=[G1,G2,G3]", "-o", str(tmp_path / "d.c")]) == 0
    assert "gravity[3]" in (tmp_path / "d.c").read_text()


def test_errors() -> None:
    arm = rs.load("ur5e")
    with pytest.raises(rs.InputError, match=r"expected gravity, orientation, payload, found 'gravty' \(did you mean"):
        arm.with_inputs("gravty")
    with pytest.raises(rs.InputError, match="ur5e already has a symbol ML"):
        arm.edit({"link6.M": "ML"}).with_inputs("payload")
    with pytest.raises(rs.InputError, match="gs_tree has several end frames: 3, 6"):
        rs.load("gs_tree").with_inputs("payload")


def test_edit_robot_with_a_platform() -> None:
    """Paths work as for every robot; the number of the platform is that of its frame."""
    from robosym.app.menus.option_values import robot_with

    delta = rs.load("delta")
    end = delta.module.end
    words = ["link1.M=2", f"link{end}.M=3", "gravity=[0,0,-9.81]"]
    found = robot_with({"robot": delta, "set": words}).value
    assert (found.link(1).M.number, found.platform.M.number) == (2, 3)
    assert [float(g.number) for g in found.gravity] == [0, 0, -9.81]
    model = rs.inverse_dynamics(found)
    assert "gravity" not in model.inputs
    assert {"M1", "MP"}.isdisjoint(model.inputs["parameters"])


def test_rejects_two_payloads() -> None:
    with pytest.raises(rs.InputError, match="expected one payload, found one on 2 and one on 6"):
        rs.load("ur5e").with_inputs("payload:2", "payload:6")


def test_payload_note_names_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It does not name a Python argument or another option."""
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    (tmp_path / "arm.urdf").write_text(
        f"<robot name='arm'><link name='base'/><link name='l1'>{inertial}</link><link name='tool0'/>"
        "<joint name='j1' type='continuous'><parent link='base'/><child link='l1'/><axis xyz='0 1 0'/></joint>"
        "<joint name='f' type='fixed'><parent link='l1'/><child link='tool0'/><origin xyz='0.3 0 0'/></joint></robot>"
    )
    assert main(["gravity-torques", str(tmp_path / "arm.urdf"), "--inputs", "payload"]) == 0
    assert "choose with --inputs payload:LINK" in capsys.readouterr().err
