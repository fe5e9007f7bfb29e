"""Test poses that the legs do not allow: every function raises an error or returns NaN.

The oracle is elementary geometry (circles of a five-bar robot), or forward substitution through the closed robot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import robosym as rs
from cases import reduced_mobility
from cases.leg_kinds import random_parallel
from long_cases import quick_and_long
from robosym.app.cli.main import main
from robosym.coordinates.closing import Closing
from robosym.errors import InputError

ROBOTS = ["fivebar", "tricept", "delta", "orthoglide", "planar3rrr"]
BAR, BETWEEN = 0.09, 0.118  # dimensions of the five-bar robot in the library


def fivebar_motors(x: float, y: float) -> tuple[float, float] | None:
    """Return the motor angles with elbows outward, by the law of cosines, or None if out of reach."""
    found = []
    for base, sign in ((0.0, 1), (BETWEEN, -1)):
        distance = np.hypot(x - base, y)
        if distance > 2 * BAR:
            return None
        found.append(np.arctan2(y, x - base) + sign * np.arccos(distance / (2 * BAR)))
    return found[0], found[1]


def fivebar_pose(x: float, y: float) -> np.ndarray:
    motors = fivebar_motors(x, y)
    assert motors is not None
    elbow = np.array([BETWEEN + BAR * np.cos(motors[1]), BAR * np.sin(motors[1])])
    c, s = (np.array([x, y]) - elbow) / BAR
    return np.array([c, -s, 0, s, c, 0, 0, 0, 1, x, y, 0])


def turned(pose: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    T = np.array(pose)
    T[:9] = (np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ pose[:9].reshape(3, 3)).ravel()
    return T


def allowed_motion(robot: rs.Parallel, pose: np.ndarray) -> dict[str, np.ndarray]:
    """Return a twist and an acceleration of the platform that the legs allow."""
    twist = rs.jacobian(robot).inverse().compile()(pose=pose) @ np.linspace(0.2, 0.5, len(robot.motors))
    model = rs.direct_dynamics(robot)
    given = {group: np.linspace(0.3, 0.7, len(names)) for group, names in model.inputs.items()}
    return {"twist": twist, "acceleration": model.compile()(**given | {"pose": pose, "twist": twist})}


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, float]:
    assert main([*words]) == 0
    lines = [line.split(" = ") for line in capsys.readouterr().out.splitlines() if " = " in line]
    return {name: float(value) for name, value in lines}


@pytest.mark.parametrize(("x", "y"), [(0.059, 0.12), (0.02, 0.1), (0.1, 0.13)])
def test_computes_dependent_orientation_for_motors(x: float, y: float, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, "motors", "fivebar", "--pose", f"{x},{y},0")
    assert [found["t1"], found["t4"]] == pytest.approx(fivebar_motors(x, y), abs=1e-9)


def test_workspace_with_dependent_orientation() -> None:
    x, y = np.linspace(0, BETWEEN, 12), np.linspace(0.05, 0.15, 9)
    reach = rs.workspace(rs.load("fivebar"), x=x, y=y)
    expected = np.array([[fivebar_motors(a, b) is not None for b in y] for a in x])
    assert (reach.reached == expected).all()
    for i, j in np.argwhere(expected)[::7]:
        assert reach.poses[i, j] == pytest.approx(fivebar_pose(x[i], y[j]), abs=1e-8)


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long="delta orthoglide"))
def test_platform_pose_closes_the_legs(name: str) -> None:
    robot = rs.load(name)
    reference = robot.reference.pose
    x, y, z = reference[9:] + np.array([0.01, 0.02, 0]) * (np.abs(reference[9:]).max() or 1)
    pose = rs.platform_pose(robot, x=x, y=y, z=z)
    assert pose[9:] == pytest.approx([x, y, z])
    joints = rs.inverse_geometry(robot).solve(pose, passive=True)
    tree = [robot.variable(j) for j in robot.tree_joints]
    closed = Closing(robot.to_closed())
    values = dict(zip(tree, joints, strict=True))
    assert np.abs(closed.gap(closed.with_cut(values))).max() < 1e-8


@pytest.mark.parametrize("name", quick_and_long(ROBOTS[:-1], long="tricept orthoglide delta"))
def test_models_return_nan_for_poses_that_are_not_allowed(name: str) -> None:
    robot = rs.load(name)
    pose = robot.reference.pose
    wrong = turned(pose, 0.1)
    models = [
        rs.inverse_dynamics(robot), rs.direct_dynamics(robot), rs.jacobian(robot), rs.jacobian(robot).inverse(),
        rs.inertia_matrix(robot), rs.bias_torques(robot), rs.inverse_geometry(robot),
        rs.optimize(rs.inverse_dynamics(robot), 1), rs.inverse_dynamics(robot).derivative("twist"),
    ]  # fmt: skip
    moving = allowed_motion(robot, pose)
    for model in models:
        given = {group: np.full(len(names), 0.3) for group, names in model.inputs.items()}
        given |= {group: values for group, values in moving.items() if group in given}
        right = model.compile()(**given | {"pose": pose})
        lost = model.compile()(**given | {"pose": wrong})
        right, lost = (part if isinstance(part, tuple) else (part,) for part in (right, lost))
        for a, b in zip(right, lost, strict=True):
            assert np.isfinite(a).all()
            assert np.isnan(b[np.abs(a) > 1e-12]).all(), model.title
    with pytest.raises(InputError, match="do not allow"):
        rs.inverse_geometry(robot).solve(wrong)
    assert np.isnan(rs.dexterity(robot, wrong))
    assert not rs.singularities(robot, [wrong]).reached[0]
    with pytest.raises(InputError, match="do not allow"):
        rs.simulate(robot.with_values(dict.fromkeys(robot.parameters, 0.1)), q=wrong, until=0.01)


def test_gravity_torques_agree_with_virtual_work() -> None:
    """The oracle differentiates the heights of the masses of the five-bar robot."""
    robot = rs.load("fivebar")
    values = dict.fromkeys(robot.parameters, 0.0) | {"M2": 1.0, "MX2": 0.045, "MP": 1.0, "MXP": -0.045, "G2": -9.81}
    robot = robot.with_values(values)
    pose, (q1, q4) = fivebar_pose(0.05, 0.11), fivebar_motors(0.05, 0.11)

    def height(q: np.ndarray) -> float:  # sum for two masses, each in the middle of its bar
        elbows = np.array([[0, 0], [BETWEEN, 0]]) + BAR * np.column_stack([np.cos(q), np.sin(q)])
        middle, half = elbows.mean(axis=0), elbows[1] - elbows[0]
        up = np.array([-half[1], half[0]]) / np.linalg.norm(half)
        tip = middle + up * np.sqrt(BAR**2 - half @ half / 4)
        return float((elbows[0, 1] + tip[1]) / 2 + (elbows[1, 1] + tip[1]) / 2)

    q, step = np.array([q1, q4]), 1e-6
    slopes = [(height(q + d) - height(q - d)) / (2 * step) for d in step * np.eye(2)]
    tau = rs.inverse_dynamics(robot).compile()(pose=pose, twist=np.zeros(6), acceleration=np.zeros(6))
    assert tau == pytest.approx(9.81 * np.array(slopes), abs=1e-6)


def test_rejects_matrix_that_is_no_rotation() -> None:
    robot = rs.load("gough33")
    pose = np.array(robot.reference.pose)
    pose[0] += 0.1
    with pytest.raises(InputError, match="rotation"):
        rs.inverse_geometry(robot).solve(pose)


def test_rejects_orientation_that_is_not_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["motors", "delta", "--pose", "0.1,0.05,-1.1,0,0,0.1"]) != 0
    assert "out of reach" in capsys.readouterr().err
    assert main(["motors", "fivebar", "--pose", "0.059,0.12,0.05"]) != 0  # out of its plane


def test_completes_coordinates_that_are_not_given() -> None:
    """A planar platform keeps z; its yaw is free and is that of the reference."""
    robot = rs.load("planar3rrr")
    reference = robot.reference.pose
    pose = rs.platform_pose(robot, x=reference[9] + 0.01, y=reference[10])
    assert pose[:9] == pytest.approx(reference[:9], abs=1e-9)
    yaw = rs.platform_pose(robot, yaw=0.1)
    assert yaw == pytest.approx(turned(reference, 0.1), abs=1e-9)


def test_workspace_respects_limits_of_all_joints() -> None:
    robot = rs.load("fivebar")
    x, y = np.linspace(0, BETWEEN, 6), np.linspace(0.06, 0.15, 5)
    free = rs.workspace(robot, x=x, y=y)
    text = robot.dumps().replace("theta: t4}", "theta: t4, limits: {position: [0.6, 1.4]}}")
    text = text.replace("{mu: 0, d: 0.09, theta: t2}", "{mu: 0, d: 0.09, theta: t2, limits: {position: [4.5, 5.6]}}")
    limited = rs.loads(text, format="yaml")
    assert limited.joint(2).limits.lower == 4.5
    reach = rs.workspace(limited, x=x, y=y)
    for i, j in np.ndindex(6, 5):
        a, b = x[i], y[j]
        motors = fivebar_motors(a, b)
        expected = motors is not None
        if motors is not None:
            q2 = np.arctan2(b - BAR * np.sin(motors[0]), a - BAR * np.cos(motors[0])) - motors[0]
            expected = 0.6 <= motors[1] <= 1.4 and 4.5 <= q2 % (2 * np.pi) <= 5.6
        assert reach.reached[i, j] == expected
    assert 0 < reach.reached.sum() < free.reached.sum()
    assert "beyond their limits" in reach.report()
    assert (rs.workspace(limited, x=x, y=y, limits=False).reached == free.reached).all()


def test_stroke_limits_the_workspace() -> None:
    robot = rs.load("gough33")
    joints = list(robot.joints)
    for j in robot.motors:
        joints[j - 1] = replace(joints[j - 1], limits=replace(joints[j - 1].limits, lower=0.7, upper=0.9))
    limited = replace(robot, joints=tuple(joints))
    x, z = np.linspace(-0.5, 0.5, 9), np.linspace(0.3, 0.9, 7)
    reach = rs.workspace(limited, x=x, z=z)
    strokes = rs.inverse_geometry(robot).solve(rs.workspace(robot, x=x, z=z).poses)
    assert (reach.reached == ((strokes >= 0.7) & (strokes <= 0.9)).all(axis=-1)).all()
    assert 0 < reach.reached.sum() < reach.reached.size


# ------------------------------------------------------------------ the reference position


def test_show_prints_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "fivebar"]) == 0
    text = capsys.readouterr().out
    assert "2 degrees of freedom" in text and "\nP" in text and "t4 = 1.294" in text
    assert "branches of the legs (modes): 1, 0" in text


@pytest.mark.parametrize("pose", [(0.05, 0.11, 0), tuple(fivebar_pose(0.05, 0.11))])
def test_reference_may_be_a_pose(pose: tuple[float, ...]) -> None:
    """A pose of 3 or 12 numbers is read, written and used."""
    text = rs.load("fivebar").dumps()
    lines = [line for line in text.splitlines() if not line.startswith("position")]
    robot = rs.loads("\n".join([*lines, f"position: {{pose: {list(map(float, pose))}}}"]), format="yaml")
    assert rs.loads(robot.dumps(), format="yaml") == robot
    found = robot.reference
    assert found.pose[9:] == pytest.approx([0.05, 0.11, 0], abs=1e-9)
    closed = Closing(robot.to_closed())
    assert np.abs(closed.gap(closed.with_cut(robot.to_closed().position))).max() < 1e-9
    if len(pose) == 12:
        motors = [found.joints[name] for name in robot.motor_names]
        assert motors[1] == pytest.approx(fivebar_motors(0.05, 0.11)[1], abs=1e-8)


def test_reference_pose_puts_equal_legs_into_one_branch() -> None:
    robot = rs.load("delta").at(pose=[0.1, 0.05, -1.1])
    assert robot.reference.remarks == ()
    assert robot.reference.pose == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.05, -1.1], abs=1e-9)


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        ([1, 2], "3, 6 or 12 numbers"), ([1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, -1], "expected a rotation"),
        ([0, 0, 9, 0, 0, 0], "does not reach"), ([float("nan"), 0, 0], "finite"),
        ([0, 0, -1.1, 0, 0, 0.5], "does not reach"),
    ],
)  # fmt: skip
def test_rejects_impossible_reference_poses(pose: list[float], message: str) -> None:
    with pytest.raises(rs.Error, match=message):
        rs.inverse_geometry(rs.load("delta").at(pose=pose))


def test_warns_about_reference_far_from_its_guess() -> None:
    robot = rs.load("fivebar").at(joints={"t1": 2.2, "t2": -1.3, "t3": 0.3, "t4": 0.9416, "t5": 1.3})
    with pytest.warns(rs.RobotWarning, match="far from the joint values"):
        rs.inverse_geometry(robot)


def test_warns_about_legs_in_different_branches() -> None:
    robot = rs.load("delta")
    names = [robot.variable(j) for j in robot.tree_joints]
    q = rs.inverse_geometry(robot, modes=[1, 0, 0]).solve(robot.reference.pose, passive=True)
    chosen = dict(zip(names, q, strict=True))
    with pytest.raises(rs.InputError, match=r"legs 1, 2, 3 are equal but in different branches \(1, 0, 0\)"):
        rs.inverse_geometry(robot.at(joints=chosen))
    alone = rs.inverse_geometry(robot.at(joints=chosen), modes=[1, 0, 0])
    assert alone.solve(robot.reference.pose) == pytest.approx(q[[0, 5, 10]], abs=1e-9)
    mixed = robot.at(pose=robot.reference.pose, joints=chosen)
    with pytest.warns(rs.RobotWarning, match="different branches"):
        geometry = rs.inverse_geometry(mixed)
    pose = rs.platform_pose(mixed, x=0.02, y=-0.03, z=-1.2)
    joints = geometry.solve(pose, passive=True)
    closed = Closing(mixed.to_closed())
    assert np.abs(closed.gap(closed.with_cut(dict(zip(names, joints, strict=True))))).max() < 1e-9
    assert abs(joints[0] - q[0]) < 0.3  # it stays in its branch


# -------------------------------------------------------- motor positions, in the assembly of the reference


@pytest.mark.parametrize("name", quick_and_long(["fivebar", "tricept", "planar3rrr"], long="tricept planar3rrr"))
def test_simulate_starts_at_motor_positions(name: str) -> None:
    robot = rs.load(name)
    known = rs.inverse_dynamics(robot).inputs
    robot = robot.with_values(dict.fromkeys(known["parameters"], 0.5) | dict.fromkeys(known.get("gravity", ()), -9.81))
    q = np.array([robot.reference.joints[n] for n in robot.motor_names]) + 0.05
    run = rs.simulate(robot, q=q, until=0.002, step=1e-3)
    pose = run.q[0]
    assert rs.inverse_geometry(robot).solve(pose) == pytest.approx(q, abs=1e-8)
    assert rs.simulate(robot, until=0.001, step=1e-3).q[0] == pytest.approx(robot.reference.pose, abs=1e-9)


def test_simulate_rejects_twists_that_are_not_allowed() -> None:
    """A Delta cannot rotate, and a five-bar robot cannot translate without rotation."""
    for name, wrong in (("delta", [0, 0, 0, 1, 0, 0]), ("fivebar", [0.1, 0, 0, 0, 0, 0])):
        robot = rs.load(name)
        robot = robot.with_values({n: 0.1 for n in robot.parameters if not n.startswith(("Q", "GAM"))})
        with pytest.raises(InputError, match="do not allow this twist"):
            rs.simulate(robot, qd=wrong, until=0.01)
        J = rs.jacobian(robot).inverse().compile()(pose=robot.reference.pose)
        run = rs.simulate(robot, qd=J @ np.full(len(robot.motors), 0.1), until=0.01)
        assert np.isfinite(rs.inverse_geometry(robot).solve(run.q[-1])).all()


@pytest.mark.parametrize("name", quick_and_long(["fivebar", "tricept", "delta", "rps"], long="tricept rps"))
def test_models_return_nan_for_motions_that_are_not_allowed(name: str) -> None:
    """The oracle is a rank: twists outside the span of J_p are not allowed."""
    robot = reduced_mobility.rps() if name == "rps" else rs.load(name)
    pose = robot.reference.pose
    right = allowed_motion(robot, pose)
    J = rs.jacobian(robot).inverse().compile()(pose=pose)
    across = np.linalg.svd(J)[0][:, J.shape[1] :]
    models = [rs.inverse_dynamics(robot), rs.bias_torques(robot), rs.dynamic_identification(robot)]
    for model in models:
        given = {group: np.full(len(names), 0.3) for group, names in model.inputs.items()}
        given |= {"pose": pose} | {group: values for group, values in right.items() if group in given}
        function = model.compile()
        expected = function(**given)
        assert np.isfinite(expected).all()
        rest = {group: np.zeros(6) for group in right if group in given}
        assert np.isfinite(function(**given | rest)).all()
        for group in rest:
            for direction in across.T:
                size = np.linalg.norm(given[group])
                lost = function(**given | {group: given[group] + 0.05 * size * direction})
                assert np.isnan(lost[np.abs(expected) > 1e-9]).all()
                kept = function(**given | {group: given[group] + 1e-9 * size * direction})
                assert kept == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("library", ["casadi", "jax"])
def test_functions_of_other_libraries_return_nan_outside_the_domain(library: str) -> None:
    pytest.importorskip(library)
    robot = rs.load("fivebar")
    model = rs.inverse_dynamics(robot)
    pose = robot.reference.pose
    given = {group: np.full(len(names), 0.3) for group, names in model.inputs.items()}
    given |= {"pose": pose, **allowed_motion(robot, pose)}
    if library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        function = jax.jit(model.to_jax())
    else:
        made = model.to_casadi()

        def function(**groups: np.ndarray) -> np.ndarray:
            return np.array(made.call([groups[name] for name in model.inputs])[0]).ravel()

    assert np.asarray(function(**given)) == pytest.approx(model.compile()(**given))
    for group, wrong in (("pose", turned(pose, 0.1)), ("twist", np.full(6, 0.1)), ("acceleration", np.full(6, 9.0))):
        assert np.isnan(np.asarray(function(**given | {group: wrong}))).all()


def test_matrices_that_are_no_rotations_return_nan() -> None:
    """Scaled or mirrored matrices can satisfy the point constraints of the legs of a 3-RPS robot."""
    robot = reduced_mobility.rps()
    motors = rs.inverse_geometry(robot, passive=False).compile()
    pose = robot.reference.pose
    assert np.isfinite(motors(pose=pose)).all()
    for place in range(9):
        wrong = pose.copy()
        wrong[place] += 1e-3
        assert np.isnan(motors(pose=wrong)).all()


def test_hybrid_robot_returns_nan_for_twists_that_are_not_allowed() -> None:
    robot = rs.load("tricept_wrist")
    tricept = rs.load("tricept")
    model = rs.inverse_dynamics(robot)
    given = {group: np.full(len(names), 0.3) for group, names in model.inputs.items()}
    given |= {"pose": tricept.reference.pose, **allowed_motion(tricept, tricept.reference.pose)}
    function = model.compile()
    assert np.isfinite(function(**given)).all()
    for group in ("twist", "acceleration"):
        assert np.isnan(function(**given | {group: np.full(6, 0.4)})).all()


def test_simulate_reports_drift_off_the_legs() -> None:
    """Long steps of Euler's method move the platform to poses that its legs do not allow."""
    robot = rs.load("tricept")
    known = rs.inverse_dynamics(robot).inputs
    robot = robot.with_values(dict.fromkeys(known["parameters"], 0.5) | dict.fromkeys(known.get("gravity", ()), 0.0))
    J = rs.jacobian(robot).inverse().compile()(pose=robot.reference.pose)
    with pytest.raises(InputError, match="do not allow the pose of the platform after t ="):
        rs.simulate(robot, qd=J @ [0.4, -0.3, 0.1], until=0.5, step=0.02, method="euler")
    run = rs.simulate(robot, qd=J @ [0.4, -0.3, 0.1], until=0.5, step=0.01)
    assert np.isfinite(rs.inverse_geometry(robot).solve(run.q)).all()


@pytest.mark.parametrize("seed", quick_and_long([1, 6], long=[6]))
def test_passive_joints_keep_the_branch_of_the_reference(seed: int) -> None:
    """This includes spherical joints, whose angles have two solutions: joint limits depend on the branch."""
    robot = random_parallel(["UPS", "RUS", "PUS", "RUS across", "RRRS", "URR"], seed)
    joints = rs.inverse_geometry(robot).solve(robot.reference.pose, passive=True)
    wanted = np.array([robot.reference.joints[robot.variable(j)] for j in robot.tree_joints])
    assert np.abs(np.exp(1j * joints) - np.exp(1j * wanted)).max() < 1e-6


def test_equal_legs_at_a_pose_are_in_one_branch() -> None:
    """Slides of a hexaglide at a given pose are all below the platform, although both positions close a leg."""
    legs = ""
    for k in range(6):
        base, top = (2 * np.pi * (k // 2) / 3 + (w if k % 2 else -w) for w in (0.25, 0.6))
        points = f"base: [{0.4 * np.cos(base)}, {0.4 * np.sin(base)}, 0], platform: [{0.15 * np.cos(top)}, "
        legs += f"  - {{type: PSS, {points}{0.15 * np.sin(top)}, 0], axis: [0, 0, 1], lengths: [0.5]}}\n"
    text = f"name: glide\nplatform: {{M: 1}}\nlegs:\n{legs}position: {{pose: {{z: 0.45}}}}\ngravity: [0, 0, -9.81]\n"
    robot = rs.loads(text, format="yaml")
    assert not robot.reference.remarks
    assert all(robot.reference.joints[name] < 0.45 for name in robot.motor_names)
