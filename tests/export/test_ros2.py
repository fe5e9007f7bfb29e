"""Packages for ROS 2: compiled against substitutes of its headers, run, and compared with Pinocchio."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import yaml

import robosym as rs
from cases.toolchains import run, tool

HERE = Path(__file__).parent
STRICT = ["-Wall", "-Wextra", "-Werror"]
MASS = (
    '<inertial><mass value="{m}"/><origin xyz="{c}"/>'
    '<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
)
#: links: mass, center; joints: type, origin, rpy, axis, lower, upper, more
WRIST = (
    ("base_link", 4, "0 0 0.02", None),
    ("shoulder", 3.7, "0.01 0.02 0.05", ("revolute", "0 0 0.15", "0 0 0.2", "0 0 1", -3, 3,
                                         '<dynamics damping="0.5" friction="0.2"/>')),
    ("upper", 8, "0 0 0.2", ("revolute", "0 0.13 0", "0 1.570796326794897 0", "0 1 0", -2.5, 2.5, "")),
    ("fore", 2.3, "0 0 0.2", ("revolute", "0 -0.12 0.42", "0 0 0", "0 1 0", -2.8, 2.8, "")),
    ("w1", 1.2, "0 0.1 0", ("revolute", "0 0 0.39", "0 1.570796326794897 0", "0 1 0", -6.2, 6.2, "")),
    ("w2", 1.2, "0 0 0.09", ("revolute", "0 0.1 0", "0 0 0", "0 0 1", -6.2, 6.2, "")),
    ("w3", 0.2, "0 0.05 0", ("continuous", "0 0 0.1", "0 0 0", "0 1 0", 0, 0, '<dynamics damping="0.1"/>')),
    ("tool0", 0, "0 0 0", ("fixed", "0 0.08 0", "0 0 1.5707963267948966", "1 0 0", 0, 0, "")),
)  # fmt: skip
FINGERS = (
    ("finger1", 0.1, "0 0 0.02", ("prismatic", "0 0 0.05", "0 0 0", "1 0 0", 0, 0.04, "")),
    ("finger2", 0.1, "0 0 0.02", ("prismatic", "0 0 0.05", "0 0 0", "-1 0 0", 0, 0.04,
                                  '<mimic joint="finger1_joint" multiplier="0.5" offset="0.01"/>')),
)  # fmt: skip


def urdf(fingers: bool = False, massless: str = "") -> str:
    """Return an arm of six joints that is in no library, with or without a gripper."""
    links, joints, before = [], [], ""
    for name, mass, center, joint in (*WRIST, *(FINGERS if fingers else ())):
        inertial = "" if not mass or name == massless else MASS.format(m=mass, c=center, i=0.01 * mass)
        links.append(f'<link name="{name}">{inertial}</link>')
        if joint:
            kind, xyz, rpy, axis, lower, upper, more = joint
            limit = f'<limit lower="{lower}" upper="{upper}" effort="60" velocity="2"/>' if kind != "fixed" else ""
            limit = '<limit effort="60" velocity="2"/>' if kind == "continuous" else limit
            joints.append(
                f'<joint name="{name}_joint" type="{kind}"><parent link="{before}"/><child link="{name}"/>'
                f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}{more}</joint>'
            )
        before = name if not name.startswith("finger") else before
    return f'<robot name="my arm">{"".join([*links, *joints])}</robot>'


def driver(folder: Path, *flags: str) -> Path:
    """Compile all plugins of a package with the program that calls them."""
    eigen = next((p for p in ("/usr/include/eigen3", "/usr/local/include/eigen3") if Path(p).exists()), None)
    if eigen is None:
        pytest.skip("Eigen is not installed")
    objects = []
    for source in sorted((folder / "src").glob("*.c")):
        run(tool("gcc"), "-std=c99", "-O1", *STRICT, "-Iinclude", "-c", source, "-o", f"{source.stem}.o", cwd=folder)
        objects.append(f"{source.stem}.o")
    moveit = ["-DWITH_MOVEIT"] if (folder / "src" / "moveit_kinematics.cpp").exists() else []
    run(
        tool("g++"), "-std=c++17", "-O0", *STRICT, *flags, *moveit, f"-DPACKAGE={folder.name}", "-Iinclude", "-Isrc",
        f"-I{HERE / 'ros2_headers'}", "-isystem", eigen, HERE / "ros2_driver.cpp", *objects, "-lm", "-o", "driver",
        cwd=folder,
    )  # fmt: skip
    return folder / "driver"


def words(names: Sequence[str]) -> str:
    return f"{len(names)} {' '.join(names)}"


def texts(*arrays: object) -> str:
    return " ".join(repr(float(x)) for array in arrays for x in np.ravel(np.asarray(array, dtype=float)))


class Peer:
    """Pinocchio's model of the same URDF, addressed by names; joints that follow others are bound by a matrix."""

    def __init__(self, text: str) -> None:
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()

    def bound(
        self, names: Sequence[str], follows: dict[str, tuple[str, float, float]]
    ) -> tuple[np.ndarray, np.ndarray]:
        matrix, offset = np.zeros((self.model.nv, len(names))), np.zeros(self.model.nv)
        for joint in list(self.model.names)[1:]:
            row = self.model.joints[self.model.getJointId(joint)].idx_v
            leader, ratio, shift = follows.get(joint, (joint, 1.0, 0.0))
            offset[row] = shift
            if leader in names:
                matrix[row, names.index(leader)] = ratio
        return matrix, offset

    def place(self, values: np.ndarray) -> np.ndarray:
        q = pin.neutral(self.model)
        for joint in self.model.joints:
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(values[joint.idx_v]), np.sin(values[joint.idx_v])
            elif joint.nq == 1:
                q[joint.idx_q] = values[joint.idx_v]
        return q

    def pose(self, values: np.ndarray, link: str) -> pin.SE3:
        pin.framesForwardKinematics(self.model, self.data, self.place(values))
        return self.data.oMf[self.model.getFrameId(link, pin.FrameType.BODY)].copy()

    def jacobian(self, values: np.ndarray, link: str) -> np.ndarray:
        number = self.model.getFrameId(link, pin.FrameType.BODY)
        pin.computeJointJacobians(self.model, self.data, self.place(values))
        pin.framesForwardKinematics(self.model, self.data, self.place(values))
        return np.array(pin.getFrameJacobian(self.model, self.data, number, pin.LOCAL_WORLD_ALIGNED))


USER = r"""#include "arm_models/dynamics.h"
#include "arm_models/links.h"
#include <stdio.h>
int main(void)
{
    double q[8], qd[8], qdd[8], tau[8], T[16], *all[3] = {q, qd, qdd};
    for (int k = 0; k < 24; ++k)
        if (scanf("%lf", all[k / 8] + k % 8) != 1) return 1;
    arm_models_inverse_dynamics(q, qd, qdd, tau);
    arm_models_pose_6(q, T);
    for (int k = 0; k < 8; ++k) printf("%.17g ", tau[k]);
    for (int k = 0; k < 12; ++k) printf("%.17g ", T[k]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("ros") / "arm_models"
    text = urdf(fingers=True)
    rs.ros2(rs.loads(text, format="urdf"), folder, frame="tool0")
    return folder, text


SHUFFLED = ["w2_joint", "finger1_joint", "shoulder_joint", "w3_joint", "fore_joint", "upper_joint", "w1_joint"]
ARM = ["w2_joint", "shoulder_joint", "w3_joint", "fore_joint", "upper_joint", "w1_joint"]
FOLLOWS = {"finger2_joint": ("finger1_joint", 0.5, 0.01)}


def compare_dynamics(program: Path, peer: Peer, names: list[str]) -> None:
    random = np.random.default_rng(2)
    q, qd, qdd = random.uniform(-1, 1, (3, len(names)))
    rows = run(program, cwd=program.parent, text=f"dynamics {words(names)} {texts(q, qd, qdd)}\n").split()
    n = len(names)
    found = np.array(rows, float)
    matrix, offset = peer.bound(names, FOLLOWS)
    place, model, data = peer.place(matrix @ q + offset), peer.model, peer.data
    inertia = pin.crba(model, data, place)
    inertia = np.triu(inertia) + np.triu(inertia, 1).T
    gravity = pin.computeGeneralizedGravity(model, data, place).copy()
    torques = pin.rnea(model, data, place, matrix @ qd, matrix @ qdd).copy()
    rest = pin.rnea(model, data, place, matrix @ qd, np.zeros(model.nv)).copy()
    friction = {"shoulder_joint": (0.5, 0.2), "w3_joint": (0.1, 0.0)}
    losses = [
        friction.get(name, (0, 0))[0] * v + friction.get(name, (0, 0))[1] * np.sign(v)
        for name, v in zip(names, qd, strict=True)
    ]
    expected = [
        (matrix.T @ inertia @ matrix).ravel(),
        matrix.T @ (rest - gravity),
        matrix.T @ gravity,
        losses,
        matrix.T @ torques,
    ]
    np.testing.assert_allclose(found, np.concatenate(expected), atol=2e-10)
    assert len(found) == n * n + 4 * n


def compare_links(program: Path, peer: Peer) -> None:
    random = np.random.default_rng(3)
    for base, tip, link, names in (
        ("base_link", "tool0", "tool0", ARM), ("base_link", "tool0", "fore", ARM),
        ("upper", "tool0", "w3", ["w1_joint", "fore_joint", "w3_joint", "w2_joint"]),
        ("base_link", "finger2", "finger2", SHUFFLED),
    ):  # fmt: skip
        q = random.uniform(-1, 1, len(names))
        line = f"kinematics {base} {tip} {link} {words(names)} {texts(q)}\n"
        found = np.array(run(program, cwd=program.parent, text=line).split(), float)
        matrix, offset = peer.bound(names, FOLLOWS)
        values = matrix @ q + offset
        start, end = peer.pose(values, base), peer.pose(values, link)
        np.testing.assert_allclose(found[:16], (start.inverse() * end).homogeneous.ravel(), atol=1e-12)
        both = np.kron(np.eye(2), start.rotation.T)
        expected = both @ peer.jacobian(values, link) @ matrix
        np.testing.assert_allclose(found[16 : 16 + 6 * len(names)], expected.ravel(), atol=1e-12)
        if link == "tool0":
            np.testing.assert_allclose(found[-6:], 0.1, atol=1e-6)


def compare_solutions(program: Path, peer: Peer, robot: rs.Robot, names: list[str]) -> None:
    """Every solution within the limits, the nearest first, and the second one for a callback that rejects the first."""
    random = np.random.default_rng(4)
    limits = {robot.joint_name(j): robot.joint(j).limits for j in robot.tree_joints}
    bounds = [(limits[n].lower or 0.0, limits[n].upper or 0.0) for n in names]
    for k in range(4):
        q = random.uniform(-1.4, 1.4, len(names)) if k else np.full(len(names), 3.0)  # one outside the limits
        matrix, offset = peer.bound(names, {})
        pose = peer.pose(matrix @ q + offset, "tool0")
        seed = q + random.uniform(-0.2, 0.2, len(names))
        place = [*pose.translation, *pin.Quaternion(pose.rotation).coeffs()]
        line = f"inverse_kinematics base_link tool0 {words(names)} {texts(bounds, place, seed)} all\n"
        found = run(program, cwd=program.parent, text=line).split()
        count, solved, error = map(int, found[:3])
        values = np.array(found[3:], float)
        rows, rest = values[: count * len(names)].reshape(count, -1), values[count * len(names) :]
        inverse = rs.inverse_geometry(robot, frame="tool0")
        order = [robot.joint_names.index(n) for n in names]
        expected = np.array(inverse.solve(pose.homogeneous, limits="robot", near=q[np.argsort(order)]))
        assert count == len(expected)
        for row in rows:
            gap = peer.pose(matrix @ row + offset, "tool0").inverse() * pose
            assert np.abs(pin.log6(gap).vector).max() < 1e-8
            assert all(
                low == high or low - 1e-9 <= x <= high + 1e-9 for x, (low, high) in zip(row, bounds, strict=True)
            )
        assert solved == (count > 0)
        if count:
            distance = np.linalg.norm(rows - seed, axis=1)
            assert (np.diff(distance) > -1e-12).all()
            np.testing.assert_allclose(rest[: len(names)], rows[0])
            np.testing.assert_allclose(np.abs(rest[-7:]), np.abs(place), atol=1e-8)
        if count > 1:
            np.testing.assert_allclose(rest[len(names) : 2 * len(names)], rows[1])
            assert error == 1


def compare_control(program: Path, peer: Peer) -> None:
    random = np.random.default_rng(5)
    kp, kd, q, qd = random.uniform(0.1, 1, (4, len(SHUFFLED)))
    wanted = random.uniform(-1, 1, (3, 3))
    named = ["fore_joint", "w2_joint", "shoulder_joint"]
    line = f"{words(SHUFFLED)} {texts(kp, kd, q, qd)} {words(named)} {texts(wanted)}\n"
    matrix, offset = peer.bound(SHUFFLED, FOLLOWS)
    for mode in ("gravity_compensation", "computed_torque"):
        found = np.array(run(program, cwd=program.parent, text=f"control {mode} {line}").split(), float)
        desired = np.array([q, np.zeros(len(q)), np.zeros(len(q))])
        desired[:, [SHUFFLED.index(name) for name in named]] = wanted
        place = peer.place(matrix @ q + offset)
        if mode == "gravity_compensation":
            expected = matrix.T @ pin.computeGeneralizedGravity(peer.model, peer.data, place) - kd * qd
        else:
            acceleration = desired[2] + kp * (desired[0] - q) + kd * (desired[1] - qd)
            expected = matrix.T @ pin.rnea(peer.model, peer.data, place, matrix @ qd, matrix @ acceleration)
        n = len(SHUFFLED)
        np.testing.assert_allclose(found[:n], np.clip(expected, -60, 60), atol=1e-10)
        assert list(found[n : n + 2]) == [1, 1]
        assert not found[n + 2 :].any()


@pytest.mark.long
@pytest.mark.parametrize("release", ["", "-DHUMBLE"])
def test_plugins_agree_with_pinocchio(package: tuple[Path, str], release: str) -> None:
    folder, text = package
    program, peer = driver(folder, *([release] if release else [])), Peer(text)
    compare_dynamics(program, peer, SHUFFLED)
    compare_links(program, peer)
    compare_solutions(program, peer, rs.loads(text, format="urdf"), ARM)
    compare_control(program, peer)
    for wrong in ("finger2_joint", "elbow", "w1_joint w1_joint"):
        line = f"dynamics {words(wrong.split())} {texts(np.zeros(6))}\n"
        assert run(program, cwd=program.parent, text=line).startswith("error: ")


@pytest.mark.long
@pytest.mark.parametrize("name", ["panda", "iiwa14"])
def test_redundant_arms(name: str, tmp_path: Path) -> None:
    robot = rs.load(name)
    rs.ros2(robot, tmp_path / "seven")
    program = driver(tmp_path / "seven")
    names = list(robot.joint_names)
    model = rs.direct_geometry(robot)
    assert isinstance(model, rs.Model)
    tip = ET.parse(tmp_path / "seven" / "urdf" / "seven.urdf").findall("link")[-1].attrib["name"]
    pose_of = model.compile()
    q = np.array([0.3, 0.5, -0.2, -1.2, 0.4, 1.3, 0.6])
    T = np.asarray(pose_of(q=q)).reshape(4, 4)
    limits = [(low.lower, low.upper) for low in robot.joint_limits]
    place = [*T[:3, 3], *pin.Quaternion(T[:3, :3]).coeffs()]
    base = ET.parse(tmp_path / "seven" / "urdf" / "seven.urdf").findall("link")[0].attrib["name"]
    for how, least in (("single", 1), ("every", 12)):
        line = f"inverse_kinematics {base} {tip} {words(names)} {texts(limits, place, q)} {how}\n"
        found = run(program, cwd=program.parent, text=line).split()
        assert found[0] != "failed"
        count = int(found[0])
        rows = np.array(found[3 : 3 + 7 * count], float).reshape(count, 7)
        assert count >= least
        np.testing.assert_allclose(rows[0], q, atol=1e-7)
        np.testing.assert_allclose([np.asarray(pose_of(q=row)).reshape(4, 4) for row in rows], [T] * count, atol=1e-8)


def test_files_of_a_package(package: tuple[Path, str]) -> None:
    folder, _ = package
    manifest = ET.parse(folder / "package.xml").getroot()
    assert manifest.findtext("name") == "arm_models"
    needs = {element.text for element in manifest.findall("depend")}
    assert {
        "pluginlib",
        "moveit_core",
        "kinematics_interface",
        "controller_interface",
        "inverse_dynamics_solver",
    } <= needs
    build = (folder / "CMakeLists.txt").read_text()
    loaders = {"controller": "controller_interface", "moveit": "moveit_core"}
    for plugin in ("inverse_dynamics_solver", "kinematics_interface", "moveit", "controller"):
        found = ET.parse(folder / f"{plugin}_plugin.xml").getroot().find("class")
        assert found is not None
        [source] = re.findall(rf"add_library\(\S*_{plugin} SHARED (\S+)\)", build)
        base = found.attrib["base_class_type"]
        assert f"PLUGINLIB_EXPORT_CLASS({found.attrib['type']}, {base})" in (folder / source).read_text()
        assert f"description_file({loaders.get(plugin, plugin)} {plugin}_plugin.xml)" in build
    for name in re.findall(r"src/\w+\.\w+|test/\w+\.cpp", build):
        assert (folder / name).exists(), name
    settings = yaml.safe_load((folder / "config" / "controllers.yaml").read_text())
    joints = settings["arm_models_controller"]["ros__parameters"]["joints"]
    assert joints == [*(f"{n}_joint" for n in "shoulder upper fore w1 w2 w3".split()), "finger1_joint"]
    compile((folder / "launch" / "arm_models.launch.py").read_text(), "launch", "exec")
    again = rs.load(folder / "urdf" / "arm_models.urdf")
    assert again.joint_names == rs.loads(urdf(fingers=True), format="urdf").joint_names


def test_generated_functions_agree_with_pinocchio(package: tuple[Path, str]) -> None:
    """The C functions, without the plugins around them."""
    folder, text = package
    (folder / "user.c").write_text(USER)
    sources = ["user.c", "src/dynamics.c", "src/links.c"]
    run(tool("gcc"), "-std=c99", "-O1", *STRICT, "-Iinclude", *sources, "-lm", "-o", "user", cwd=folder)
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 8))
    found = np.array(run(folder / "user", cwd=folder, text=texts(q, qd, qdd)).split(), float)
    peer, names = Peer(text), list(rs.loads(text, format="urdf").joint_names)
    matrix, _ = peer.bound(names, {})
    torques = matrix.T @ pin.rnea(peer.model, peer.data, peer.place(matrix @ q), matrix @ qd, matrix @ qdd)
    np.testing.assert_allclose(found[:8], torques, atol=1e-10)
    row = re.findall(r"^    \{\"(\w+)\", -?\d+, arm_models_pose_6,", (folder / "src" / "robot.cpp").read_text(), re.M)
    np.testing.assert_allclose(found[8:], peer.pose(matrix @ q, row[0]).homogeneous[:3].ravel(), atol=1e-12)


def test_rejects_unsupported_robots(tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match=r"rx90: expected values for"):
        rs.ros2(rs.load("rx90"), tmp_path)
    with pytest.raises(rs.InputError, match=r"closed loops|independent joints"):
        rs.ros2(rs.load("sr400"), tmp_path)
    arm = rs.loads(urdf(), format="urdf")
    with pytest.raises(rs.InputError, match=r"plugins: expected names among .* found 'movit' \(did you mean 'moveit'"):
        rs.ros2(arm, tmp_path, plugins="movit")
    with pytest.raises(rs.InputError, match=r"name: expected small letters"):
        rs.ros2(arm, tmp_path, name="My Arm")
    with pytest.raises(rs.InputError, match="floating"):
        rs.ros2(rs.loads(urdf(), format="urdf", floating=True), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(rs.InputError, match="folder: expected a folder to write"):
        rs.ros2(arm, tmp_path / "file")
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def snake(count: int) -> rs.Robot:
    """Return a chain of parallel axes."""
    mass = MASS.format(m=1, c="0.1 0 0", i=0.01)
    links = "".join(f'<link name="l{k}">{mass}</link>' for k in range(count + 1))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<origin xyz="0.2 0 0"/><axis xyz="0 0 1"/></joint>'
        for k in range(count)
    )
    return rs.loads(f'<robot name="snake">{links}{joints}</robot>', format="urdf")


def test_arm_whose_pose_does_not_determine_its_joints(tmp_path: Path) -> None:
    """There is no MoveIt plugin, and the guide says why."""
    files = rs.ros2(snake(5), tmp_path / "Five-Links")
    assert (tmp_path / "Five-Links" / "urdf" / "five_links.urdf") in files
    assert "There is no MoveIt plugin" in (tmp_path / "Five-Links" / "README.md").read_text()
    assert not [path for path in files if "moveit" in path.name or "solution" in path.name]
    with pytest.raises(rs.InputError):
        rs.ros2(snake(5), tmp_path / "again", plugins="moveit")
