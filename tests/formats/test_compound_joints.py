"""Joints with several DoF as one entry of a description, compared with Pinocchio's joints, and as cut joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.forward import place
from oracles.pinocchio import rotation, shift
from robosym.errors import FormatError

pytestmark = pytest.mark.filterwarnings("ignore::robosym.RobotWarning")  # arbitrary inertias

HEAD = "name: compound\ngravity: [0, 0, -9.81]\nframes:\n"
LINKS = """
links:
  1: {M: 2.0, com: [0.1, 0.02, 0.03], inertia: [0.1, 0.01, 0.02, 0.2, 0.03, 0.25]}
  2: {M: 1.5, com: [0.05, -0.04, 0.2], inertia: [0.2, 0.01, -0.02, 0.25, 0.03, 0.1]}
  3: {M: 0.7, com: [0.1, 0.1, 0.1], inertia: [0.02, 0.001, 0.002, 0.025, 0.003, 0.01]}
"""
TREE = HEAD + "  - {theta: t1}\n  - {%s, gamma: 0.2, b: 0.1, alpha: 0.4, d: 0.3}\n  - {alpha: 0.7, d: 0.2, theta: t3}\n"
#: parts of a joint of Pinocchio, at the frame of the joint, and the rotation to the frame of the link
PARTS = {
    "universal": (("z", "y"), [(0, 0, 1), (0, -1, 0)], [False, False]),
    "spherical": (("z", "y", "x"), [(0, 0, 1), (0, -1, 0), (1, 0, 0)], [False] * 3),
    "cylindrical": (("z", "z"), [(0, 0, 1), (0, 0, 1)], [False, True]),
    "planar": (("y", "x", "z"), [(0, 1, 0), (1, 0, 0), (0, 0, 1)], [True, True, False]),
}


def link_inertia(mass: float, com: list[float], tensor: list[float]) -> pin.Inertia:
    xx, xy, xz, yy, yz, zz = tensor
    return pin.Inertia(mass, np.array(com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


@pytest.mark.parametrize("kind", PARTS)
def test_trees_agree_with_pinocchio(kind: str) -> None:
    """The same joint in Pinocchio, built from its axes."""
    _, axes, slides = PARTS[kind]
    robot = rs.loads((TREE % f"type: {kind}") + LINKS, "yaml")
    assert len(robot.tree_joints) == 2 + len(axes)
    where = rotation("z", 0.2) * shift("z", 0.1) * rotation("x", 0.4) * shift("x", 0.3)
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    first = model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "t1")
    model.appendBodyToJoint(
        first, link_inertia(2.0, [0.1, 0.02, 0.03], [0.1, 0.01, 0.02, 0.2, 0.03, 0.25]), pin.SE3.Identity()
    )
    parent, placement = first, where
    for number, (axis, slide) in enumerate(zip(axes, slides, strict=True)):
        make = pin.JointModelPrismaticUnaligned if slide else pin.JointModelRevoluteUnaligned
        parent = model.addJoint(parent, make(np.array(axis, dtype=float)), placement, f"part{number}")
        placement = pin.SE3.Identity()
    zero = dict.fromkeys((name for name in robot.variables if name), 0.0)
    link = pin.SE3(place(robot, zero, robot.frame_number("frame2")))  # at 0 all axes are as described
    on_joint = where.inverse() * link
    body = link_inertia(1.5, [0.05, -0.04, 0.2], [0.2, 0.01, -0.02, 0.25, 0.03, 0.1])
    model.appendBodyToJoint(parent, body, on_joint)
    last = model.addJoint(parent, pin.JointModelRZ(), on_joint * rotation("x", 0.7) * shift("x", 0.2), "t3")
    model.appendBodyToJoint(
        last, link_inertia(0.7, [0.1] * 3, [0.02, 0.001, 0.002, 0.025, 0.003, 0.01]), pin.SE3.Identity()
    )
    data = model.createData()
    torques, masses = rs.inverse_dynamics(robot).compile(), rs.inertia_matrix(robot).compile()
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, model.nv))
        expected = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(torques(q=q, qd=qd, qdd=qdd), expected, atol=1e-11)
        pin.crba(model, data, q)
        full = np.triu(data.M) + np.triu(data.M, 1).T
        np.testing.assert_allclose(masses(q=q), full, atol=1e-11)


def test_spherical_joint_agrees_with_pinocchio() -> None:
    """Angles from a random quaternion of JointModelSpherical: body poses and energies agree."""
    robot = rs.loads(
        HEAD
        + "  - {type: spherical}\nlinks:\n  1: {M: 1.5, com: [0.05, -0.04, 0.2], inertia: [0.2, 0, 0, 0.25, 0, 0.1]}\n",
        "yaml",
    )
    rng = np.random.default_rng(2)
    start = place(robot, dict.fromkeys(robot.joint_names, 0.0), 3)[:3, :3]
    for _ in range(10):
        quaternion = rng.normal(size=4)
        R = pin.Quaternion(quaternion / np.linalg.norm(quaternion)).matrix()
        T = np.eye(4)
        T[:3, :3] = R @ start
        found = rs.inverse_geometry(robot, given="sna").solve(T)
        assert len(found) == 2
        for row in found:
            np.testing.assert_allclose(place(robot, dict(zip(robot.joint_names, row, strict=True)), 3), T, atol=1e-9)


def test_helical_joint_agrees_with_pinocchio() -> None:
    text = (TREE % "type: helical, theta: t2, pitch: 0.6") + LINKS
    robot = rs.loads(text, "yaml")
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    where = rotation("z", 0.2) * shift("z", 0.1) * rotation("x", 0.4) * shift("x", 0.3)
    first = model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "t1")
    second = model.addJoint(
        first, pin.JointModelHelicalUnaligned(np.array([0.0, 0, 1]), 0.6 / (2 * np.pi)), where, "t2"
    )
    third = model.addJoint(second, pin.JointModelRZ(), rotation("x", 0.7) * shift("x", 0.2), "t3")
    for joint, body in ((first, (2.0, [0.1, 0.02, 0.03], [0.1, 0.01, 0.02, 0.2, 0.03, 0.25])),
                        (second, (1.5, [0.05, -0.04, 0.2], [0.2, 0.01, -0.02, 0.25, 0.03, 0.1])),
                        (third, (0.7, [0.1] * 3, [0.02, 0.001, 0.002, 0.025, 0.003, 0.01]))):  # fmt: skip
        model.appendBodyToJoint(joint, link_inertia(*body), pin.SE3.Identity())
    data = model.createData()
    torques, accelerations = rs.inverse_dynamics(robot).compile(), rs.direct_dynamics(robot).compile()
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 3))
        expected = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(torques(q=q, qd=qd, qdd=qdd), expected, atol=1e-11)
        np.testing.assert_allclose(accelerations(q=q, qd=qd, tau=expected), qdd, atol=1e-9)


RSSR = """
name: rssr
frames:
  - {theta: t1}
  - {ant: 1, type: universal, mu: 0, d: 0.3}
  - {ant: 0, mu: 0, gamma: 0.4, b: 0.3, alpha: Pi/2 + 0.2, d: 1.0, theta: t5, r: 0.2}
  - {ant: 2, type: spherical, mu: 0, d: 0.9}
  - {ant: 3, sigma: 2, d: 0.7}
loops: [[4, 5]]
links: {1: {M: 1.0, MX: 0.1, ZZ: 0.1}, 2: {M: 0.5, MX: 0.2, XX: 0.01, YY: 0.1, ZZ: 0.1}, 3: {M: 0.8, MX: 0.2, ZZ: 0.2}}
gravity: [0, 0, -9.81]
"""


def test_cut_spherical_joint() -> None:
    robot = rs.loads(RSSR, "yaml")
    assert robot.loops == ((7, 8),) and robot.frame_number("frame3") == 4
    assert [robot.variable(j) for j in robot.tree_joints] == ["t1", "t2_1", "t2_2", "t5", "t4_1", "t4_2"]
    modes = rs.loop_geometry(robot).solve([0.4])
    for row in modes:  # the rod keeps its length
        values = dict(zip(rs.loop_geometry(robot).joints, row, strict=True))
        crank, end = place(robot, values, 2)[:3, 3], place(robot, {**values, "t4_3": 0.0}, 7)[:3, 3]
        rocker = place(robot, values, 4) @ np.array([0.7, 0, 0, 1])
        assert np.linalg.norm(crank - end) == pytest.approx(0.9) and np.abs(end - rocker[:3]).max() < 1e-9
    q = modes[0]
    power = rs.inverse_dynamics(robot).compile()
    a, b = (power(q=q, qd=np.array([0.3]), qdd=np.array([x])) for x in (0.0, 1.0))
    np.testing.assert_allclose(rs.inertia_matrix(robot).compile()(q=q).ravel(), b - a, atol=1e-9)


PARALLELOGRAM = """
name: one
frames:
  - {sigma: 1, r: r1}
  - {type: parallelogram, alpha: Pi/2, length: 0.5, width: 0.2, variables: [a]}
  - {theta: t3, d: 0.1}
links: {1: {M: 1.0}, 2: {M: 2.0, com: [0.1, 0.02, 0.3]}, 3: {M: 0.5, MX: 0.1, ZZ: 0.2}}
gravity: [0, 0, -9.81]
"""


def test_parallelogram_in_a_chain() -> None:
    robot = rs.loads(PARALLELOGRAM, "yaml")
    loops = rs.loop_geometry(robot)
    assert loops.known == ("r1", "a", "t3")
    q = loops.solve([0.2, 0.7, 0.3])[0]
    T = place(robot, dict(zip(loops.joints, q, strict=True)), robot.frame_number("frame2"))
    np.testing.assert_allclose(T[:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-9)  # it translates
    np.testing.assert_allclose(T[:3, 3], [0.5 * np.cos(0.7), 0, 0.2 + 0.5 * np.sin(0.7)], atol=1e-9)
    gravity = rs.gravity_torques(robot).compile()(q=q)
    weight = 9.81 * 2.5 * 0.5 * np.cos(0.7)  # links 2 and 3 rise with the rods
    assert gravity[0] == pytest.approx(9.81 * 3.5) and gravity[1] == pytest.approx(weight)


GOUGH = """
name: legs
platform: {M: 2.0, com: [0, 0, 0.05], inertia: [0.1, 0, 0, 0.1, 0, 0.2]}
legs:
LEGS
position: {POSITION}
gravity: [0, 0, -9.81]
"""


def test_legs_of_a_parallel_robot() -> None:
    """Six UPS legs of three entries each: lengths from a pose are distances between points."""
    base = [(0.0, 0.0), (0.9, 0.1), (1.4, 0.8), (1.1, 1.5), (0.2, 1.6), (-0.3, 0.9)]
    top = [(0.1, 0.0), (0.5, 0.1), (0.7, 0.6), (0.4, 0.9), (0.0, 0.8), (-0.2, 0.4)]
    legs = [
        f"  - frames: [{{type: universal, mu: 0, gamma: {np.arctan2(y, x):.16g}, d: {np.hypot(x, y):.16g}}}, "
        f"{{sigma: 1, alpha: Pi/2, r: r{k}}}, {{type: spherical, mu: 0}}]\n"
        f"    place: {{gamma: {np.arctan2(v, u):.16g}, d: {np.hypot(u, v):.16g}}}"
        for k, ((x, y), (u, v)) in enumerate(zip(base, top, strict=True), 1)
    ]
    lengths = ", ".join(f"r{k}: 1.2" for k in range(1, 7))
    robot = rs.loads(GOUGH.replace("LEGS", "\n".join(legs)).replace("POSITION", lengths), "yaml")
    assert [len(leg) for leg in robot.legs] == [6] * 6 and robot.motor_names == ("r1", "r2", "r3", "r4", "r5", "r6")
    assert robot.joint_names[:3] == ("t1_1", "t1_2", "r1") and robot.joint_names[6:8] == ("t7_1", "t7_2")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("type: univeral", "did you mean 'universal'"),
        ("type: universal, variables: [a]", "expected 2 names, found 1"),
        ("type: universal, sigma: 1", "sigma: not allowed for a universal joint"),
        ("type: spherical, mu: [1, 0]", "expected 3 entries, found 2"),
        ("type: parallelogram, length: 0.2", "needs the width"),
        ("theta: t2, length: 0.2", "only allowed for joints with several DoF"),
        ("type: helical, theta: t2", "pitch: expected a finite, nonzero advance per turn"),
        ("type: helical, theta: t2, pitch: inf", "pitch"),
        ("theta: t2, pitch: 0.3", "expected 0 unless the joint is helical"),
        ("type: planar, theta: 0.3", "not allowed for a planar joint"),
        ("type: [universal]", "type: expected revolute"),
    ],
)
def test_errors_have_positions(frame: str, message: str) -> None:
    text = HEAD + "  - {theta: t1}\n  - {" + frame + "}\n"
    with pytest.raises(FormatError, match=message) as error:
        rs.loads(text, "yaml")
    assert error.value.line == 5


@pytest.mark.parametrize("wrong", ["5, 4", "4, 6", "7, 8"])
def test_loop_errors_use_numbers_of_the_file(wrong: str) -> None:
    """The message names the pair of entries in the file, not the expanded frames."""
    with pytest.raises(FormatError, match=rf"loops\[1\]: expected \[4, 5\], found \[{wrong}\]"):
        rs.loads(RSSR.replace("[[4, 5]]", f"[[{wrong}]]"), "yaml")
