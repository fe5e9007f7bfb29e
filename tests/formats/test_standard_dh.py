"""Standard Denavit-Hartenberg tables, compared with products of their own matrices."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs

ARM = """name: arm
convention: standard
frames:
  - {theta: t1, alpha: Pi/2, name: shoulder, joint: pan}
  - {theta: t2, a: 0.4318}
  - {theta: t3 + 30deg, a: 0.0203, d: 0.15005, alpha: -90deg}
  - {sigma: 1, theta: 0.3, d: r4, alpha: Pi/2}
  - {theta: t5, a: 0.1, alpha: 0.3, name: tool0}
links:
  2: {M: 17.4, com: [-0.3638, 0.006, 0.2275], inertia: [1.3, 0.01, 0.02, 1.524, 0.03, 0.839]}
  5: {M: 1.4, com: [-0.3, 0.1, 0.2], inertia: [0.43, 0.01, 0.02, 0.524, 0.03, 0.539]}
wrench: {5: [1, 2, 3, 4, 5, 6]}
gravity: [0.1, 2, -9.81]
"""
#: theta, d, a, alpha of the standard table, and which of the first two moves
TABLE = [(0, 0, 0, np.pi / 2), (0, 0, 0.4318, 0), (np.pi / 6, 0.15005, 0.0203, -np.pi / 2), (0.3, 0, 0, np.pi / 2),
         (0, 0, 0.1, 0.3)]  # fmt: skip


def model() -> tuple[pin.Model, list[int]]:
    """Return the arm with bodies at the ends of the links, as in the standard convention."""
    m = pin.Model()
    m.gravity.linear = np.array([0.1, 2, -9.81])
    parent, before, ends = 0, pin.SE3.Identity(), []
    for n, (theta, d, a, alpha) in enumerate(TABLE):
        kind = pin.JointModelPZ() if n == 3 else pin.JointModelRZ()
        before = before * pin.SE3(pin.rpy.rpyToMatrix(0, 0, theta), np.array([0, 0, d]))
        parent = m.addJoint(parent, kind, before, f"j{n}")
        before = pin.SE3(pin.rpy.rpyToMatrix(alpha, 0, 0), np.array([a, 0, 0]))
        ends.append(m.addFrame(pin.Frame(f"f{n}", parent, before, pin.FrameType.OP_FRAME)))
        body = {
            1: (17.4, [-0.3638, 0.006, 0.2275], [1.3, 0.01, 0.02, 1.524, 0.03, 0.839]),
            4: (1.4, [-0.3, 0.1, 0.2], [0.43, 0.01, 0.02, 0.524, 0.03, 0.539]),
        }.get(n)
        if body:
            xx, xy, xz, yy, yz, zz = body[2]
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            m.appendBodyToJoint(parent, pin.Inertia(body[0], np.array(body[1]), tensor), before)
    return m, ends


def test_poses_and_torques_of_the_standard_table() -> None:
    robot = rs.loads(ARM)
    assert robot.joint_names == ("pan", "t2", "t3", "r4", "t5")
    m, ends = model()
    data = m.createData()
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1, 1, (3, 5))
        tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
        pin.framesForwardKinematics(m, data, q)
        expected = pin.rnea(m, data, q, qd, qdd)
        pin.computeJointJacobians(m, data, q)
        J = pin.getFrameJacobian(m, data, ends[4], pin.ReferenceFrame.LOCAL)
        assert np.allclose(tau, expected + J.T @ np.arange(1, 7), atol=1e-9)
        for name, frame in (("shoulder", ends[0]), ("tool0", ends[4])):
            T = rs.direct_geometry(robot, 0, name).compile()(q=q)
            assert np.allclose(T, data.oMf[frame].homogeneous, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("convention: standard\n", "", "frame 2: a is a key of the standard convention: write `convention: standard`"),
        ("a: 0.1,", "b: 0.1,", "frame 5 (standard convention): unknown key b: expected name"),
        ("standard", "craig", "2:13: convention: expected modified or standard, found craig"),
        ("gravity", "loops: [[4, 5]]\ngravity", "loops: not allowed in the standard convention"),
    ],
)
def test_errors(old: str, new: str, message: str) -> None:
    with pytest.raises(rs.FormatError) as found:
        rs.loads(ARM.replace(old, new, 1))
    assert message in str(found.value)
