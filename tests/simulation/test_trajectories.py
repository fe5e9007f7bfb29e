"""Test trajectories against SciPy's polynomials, splines and rotations, and Pinocchio's torques."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import BPoly, CubicSpline, make_interp_spline
from scipy.spatial.transform import Rotation, Slerp

import robosym as rs
from cases.floating import tree
from oracles.pinocchio import Oracle

Array = NDArray[np.float64]
LIMITS = {"velocity": [1.0, 2, 3], "acceleration": [4.0, 3, 5], "jerk": [30.0, 40, 20]}
LAWS = ("cubic", "quintic", "septic", "trapezoidal", "double_s")
SPLINES = ("cubic_spline", "quintic_spline", "septic_spline")
WITHOUT_JERK = ("cubic", "trapezoidal", "cubic_spline")


def arm(count: int = 3, kind: str = "fixed") -> rs.Robot:
    frames = [{"theta": f"t{j}", "alpha": 0.5 * j, "d": 0.3, "r": 0.1} for j in range(count)]
    links = [{"XX": 0.1, "YY": 0.2, "ZZ": 0.15, "MX": 0.3, "MZ": 0.1, "M": 2.0, "IA": 0.05}] * count
    base = {"type": kind, **({"link": links[0]} if kind == "floating" else {})}
    return rs.robot("arm", frames=frames, links=links, gravity=[0, 0, -9.81], base=base)


def limits_of(law: str, scale: float = 1.0) -> dict[str, Array]:
    return {k: scale * np.array(v) for k, v in LIMITS.items() if k != "jerk" or law not in WITHOUT_JERK}


def largest_use(motion: rs.simulation.JointTrajectory, limits: dict[str, Array]) -> float:
    peaks = motion.peaks()
    return max(float((np.maximum(-peaks[k][0], peaks[k][1]) / v).max()) for k, v in limits.items())


@pytest.mark.parametrize("law", [*LAWS, *SPLINES, "blends"])
def test_limits_hold_and_one_is_reached(law: str) -> None:
    points = np.random.default_rng(4).uniform(-1, 1, (4, 3))
    for scale in (0.02, 1.0, 50.0):
        motion = rs.joint_trajectory(arm(), points, law, limits_of(law, scale))
        assert 1 - 1e-9 < largest_use(motion, limits_of(law, scale)) < 1 + 1e-9
        ends = motion.at([0.0, motion.period, -1.0, motion.period + 1])
        np.testing.assert_allclose(ends.q, points[[0, -1, 0, -1]], atol=1e-12)
        np.testing.assert_allclose(ends.qd, 0, atol=1e-9 * scale)
    later = rs.joint_trajectory(arm(), points, law, limits_of(law), duration=60)
    assert later.period == pytest.approx(60) and largest_use(later, limits_of(law)) < 1


@pytest.mark.parametrize("law", ["trapezoidal", "double_s"])
@pytest.mark.parametrize("apart", [True, False])
def test_profiles_use_a_limit_at_every_time(law: str, apart: bool) -> None:
    """A motion from rest to rest is the fastest if velocity, acceleration or jerk is at its limit at every time."""
    rng, limits = np.random.default_rng(2), limits_of(law)
    for _ in range(12):
        points = 10 ** rng.uniform(-3, 1) * rng.uniform(-1, 1, (2, 3))
        motion = rs.joint_trajectory(arm(), points, law, limits, synchronized=not apart)
        t = (np.arange(500) + 0.5) * motion.period / 500
        jerk = motion.curve.derivative(3).at(t)[0]
        _, qd, qdd = motion.at(t)
        used = [np.abs(qd) / limits["velocity"], np.abs(qdd) / limits["acceleration"]]
        used += [np.abs(jerk) / limits["jerk"]] if law == "double_s" else []
        at_limit = np.max(used, axis=0)
        assert at_limit.max() < 1 + 1e-9
        if not apart:
            assert at_limit.max(axis=1).min() > 1 - 1e-7
            ways = (motion.at(t).q - points[0]) / (points[1] - points[0])
            np.testing.assert_allclose(ways, ways[:, :1] + 0 * ways, atol=1e-9)
            continue
        for k in range(3):
            moving = np.abs(motion.at(t).q[:, k] - points[1, k]) > 1e-12
            assert at_limit[moving, k].min() > 1 - 1e-7


def test_profiles_have_known_durations() -> None:
    one = arm(1)
    slow = rs.joint_trajectory(one, [[0], [3]], "trapezoidal", {"velocity": 2, "acceleration": 4})
    fast = rs.joint_trajectory(one, [[0], [0.5]], "trapezoidal", {"velocity": 2, "acceleration": 4})
    assert slow.period == pytest.approx(3 / 2 + 2 / 4) and fast.period == pytest.approx(2 * np.sqrt(0.5 / 4))
    # Biagiotti and Melchiorri: T = D / v + v / a + a / j with all three limits reached
    full = rs.joint_trajectory(one, [[0], [10]], "double_s", {"velocity": 5, "acceleration": 10, "jerk": 30})
    assert full.period == pytest.approx(10 / 5 + 5 / 10 + 10 / 30)


@pytest.mark.parametrize(("law", "zero"), [("cubic", 1), ("quintic", 2), ("septic", 3)])
def test_polynomials_match_scipy(law: str, zero: int) -> None:
    points = np.array([[0.1, -0.4, 0.3], [1.0, 0.5, -0.2]])
    motion = rs.joint_trajectory(arm(), points, law, duration=1.3)
    ends = np.zeros((2, zero + 1, 3))
    ends[:, 0] = points
    right = BPoly.from_derivatives([0, 1.3], ends)
    t = np.linspace(0, 1.3, 41)
    for order, found in enumerate(motion.at(t)):
        np.testing.assert_allclose(found, right.derivative(order)(t) if order else right(t), atol=1e-11)


def test_splines_match_scipy() -> None:
    times, rows = np.array([0, 0.4, 1.1, 1.5, 2.3]), np.random.default_rng(1).uniform(-1, 1, (5, 3))
    t = np.linspace(0, 2.3, 101)
    still = [(order, np.zeros(3)) for order in (1, 2)]
    for law, right in (
        ("cubic_spline", CubicSpline(times, rows, bc_type="clamped")),
        ("quintic_spline", make_interp_spline(times, rows, 5, bc_type=(still, still))),
    ):
        motion = rs.joint_trajectory(arm(), rows, law, times=times)
        for order, found in enumerate(motion.at(t)):
            np.testing.assert_allclose(found, right.derivative(order)(t) if order else right(t), atol=1e-9)


def test_blends_pass_near_the_corners() -> None:
    rows = np.array([[0.0, 0, 0], [1, 0.2, 0], [1, 1, -1], [0, 1, 0]])
    for limits in (limits_of("cubic"), limits_of("blends")):
        motion = rs.joint_trajectory(arm(), rows, "blends", limits)
        q = motion.at(motion.times(2000)).q
        away = [np.linalg.norm(q - row, axis=1).min() for row in rows]
        assert max(away[0], away[-1]) < 1e-9 and min(away[1:-1]) > 0.01 and max(away) < 0.6
        h = 1e-6
        t = np.linspace(h, motion.period - h, 3001)
        np.testing.assert_allclose((motion.at(t + h).q - motion.at(t - h).q) / (2 * h), motion.at(t).qd, atol=1e-5)


def test_torques_are_those_of_pinocchio_within_limits() -> None:
    robot, points = arm(), np.array([[0, 0.4, -0.3], [1.2, -0.5, 0.8], [0.2, 0.6, -1]])
    limits = {"velocity": 9, "acceleration": 90, "torque": [6.0, 14, 6]}
    motion = rs.joint_trajectory(robot, points, "quintic", limits)
    t, oracle = np.linspace(0, motion.period, 1501), Oracle(robot, {})
    right = np.array([oracle.torques(*state, {}) for state in zip(*motion.at(t), strict=True)])
    np.testing.assert_allclose(motion.torques(t), right, atol=1e-9)
    used = np.abs(right) / limits["torque"]
    middle = int(np.searchsorted(t, motion.t[1]))
    for part in (used[:middle], used[middle:]):
        assert 0.999 < part.max() < 1 + 1e-5
    with pytest.raises(rs.InputError, match=r"holding the robot on its way takes .* at t1"):
        rs.joint_trajectory(robot, points, "quintic", {**limits, "torque": [6, 2, 6]})
    floating = rs.joint_trajectory(arm(kind="floating"), points, "quintic", {"velocity": 9, "torque": [2.0, 5, 1]})
    t = np.linspace(0, floating.period, 1501)
    assert 0.99 < (np.abs(floating.torques(t)) / [2, 5, 1]).max() < 1 + 1e-5
    with pytest.raises(rs.InputError, match=r"torque: expected a robot on a fixed base .* found a mobile base"):
        rs.joint_trajectory(tree("mobile"), np.eye(2, 4), limits={"torque": 9})
    with pytest.raises(rs.InputError, match=r"torque: expected a robot on a fixed base .* found contacts"):
        rs.joint_trajectory("differential_drive", [[0.0, 0], [1, 1]], limits={"torque": 3})


@pytest.mark.parametrize("law", [*LAWS, "quintic_spline", "blends"])
def test_model_is_the_motion_and_connects_to_dynamics(law: str) -> None:
    robot, points = arm(), np.random.default_rng(7).uniform(-1, 1, (3, 3))
    motion = rs.joint_trajectory(robot, points, law, limits_of(law))
    t = np.sort(np.append(np.linspace(-0.2, motion.period + 0.2, 301), motion.t))
    t[np.isin(t, motion.t)] += 1e-9  # between pieces, where accelerations may jump
    found = motion.model().compile()(time=t[:, None])
    for own, right in zip(found, motion.at(t), strict=True):
        np.testing.assert_allclose(own, right, atol=1e-10)
    both = rs.compose(motion.model(), rs.inverse_dynamics(robot))
    assert [*both.inputs] == ["time"]
    np.testing.assert_allclose(both.compile()(time=t[5:-5, None]).tau, motion.torques(t[5:-5]), atol=1e-9)


def test_simulation_follows_a_trajectory() -> None:
    robot = arm()
    motion = rs.joint_trajectory(robot, [[0, 0.3, 0], [0.5, -0.2, 0.4]], "double_s", LIMITS)
    law = rs.computed_torque(robot, kp=400, kd=40)
    run = rs.simulate(robot, [0, 0.3, 0], controller=law, reference=motion, until=motion.period, step=1e-3)
    np.testing.assert_allclose(run.q[-1], [0.5, -0.2, 0.4], atol=1e-4)


@pytest.mark.parametrize("law", LAWS)
def test_generator_is_the_trajectory_of_its_inputs(law: str) -> None:
    robot, rng = arm(), np.random.default_rng(5)
    model = rs.trajectory_generator(robot, law)
    call = model.compile()
    if law in ("trapezoidal", "double_s"):
        for trial in range(8):
            start, goal = rng.uniform(-2, 2, (2, 3))
            goal[1 + trial % 2 :] = start[1 + trial % 2 :]
            limits = limits_of(law, 10 ** rng.uniform(-1, 1))
            motion = rs.joint_trajectory(robot, [start, goal], law, limits)
            t = np.linspace(-0.1, 1.1, 96) * motion.period
            found = call(time=t[:, None], start=start, goal=goal, limits=np.concatenate([*limits.values()]))
            for own, right in zip(found, motion.at(t), strict=False):
                np.testing.assert_allclose(own, right, atol=1e-10)
            assert found.duration[0, 0] == pytest.approx(motion.period)
        still = call(time=[0.1], start=start, goal=start, limits=np.ones(6 if law == "trapezoidal" else 9))
        assert np.array_equal(still.q, start) and not still.qd.any() and not still.qdd.any()
        return
    ends = rng.uniform(-1, 1, (2, {"cubic": 2, "quintic": 3, "septic": 4}[law], 3))
    right = BPoly.from_derivatives([0, 1.7], ends)
    t = np.linspace(0, 1.7, 33)
    found = call(time=t[:, None], start=ends[0].ravel(), goal=ends[1].ravel(), duration=[1.7])
    for order, own in enumerate(found):
        np.testing.assert_allclose(own, right.derivative(order)(t) if order else right(t), atol=1e-11)
    assert not call(time=[1.8], start=ends[0].ravel(), goal=ends[1].ravel(), duration=[1.7]).qd.any()


# ------------------------------------------------------------------ frames

SPEEDS = {
    "velocity": 0.5, "acceleration": 2.0, "jerk": 20.0, "angular_velocity": 2.0, "angular_acceleration": 8.0,
    "angular_jerk": 60.0,
}  # fmt: skip


def poses() -> tuple[Array, dict[int, Array]]:
    rng = np.random.default_rng(0)
    found = np.tile(np.eye(4), (5, 1, 1))
    found[:, :3, 3] = rng.uniform(-0.5, 0.5, (5, 3))
    found[:, :3, :3] = Rotation.random(5, random_state=1).as_matrix()
    found[3, :3, :3] = found[2, :3, :3]  # without rotation, then half a turn
    found[4, :3, :3] = found[3, :3, :3] @ Rotation.from_rotvec(np.pi * np.array([0.6, 0, 0.8])).as_matrix()
    return found, {2: np.array([0.1, 0.3, 0.2]), 4: found[3, :3, 3] + [0.1, 0, 0.1]}


@pytest.mark.parametrize("law", LAWS)
def test_frame_moves_along_lines_and_arcs(law: str) -> None:
    T, via = poses()
    limits = {k: v for k, v in SPEEDS.items() if "jerk" not in k or law not in WITHOUT_JERK}
    motion = rs.cartesian_trajectory(T, law, limits, via=via)
    np.testing.assert_allclose(motion.at(motion.t).T, T, atol=1e-12)
    h, t = 1e-6, np.linspace(0.01, motion.period - 0.01, 700)
    now, before, after = motion.at(t), motion.at(t - h), motion.at(t + h)
    linear = (after.T[:, :3, 3] - before.T[:, :3, 3]) / (2 * h)
    angular = Rotation.from_matrix(after.T[:, :3, :3] @ np.swapaxes(before.T[:, :3, :3], 1, 2)).as_rotvec() / (2 * h)
    np.testing.assert_allclose(now.twist, np.hstack([linear, angular]), atol=1e-7)
    slope = (after.twist - before.twist) / (2 * h)
    assert np.median(np.abs(slope - now.acceleration).max(axis=1)) < 1e-8  # it may jump between pieces
    sizes = [np.linalg.norm(part[:, k : k + 3], axis=1).max() for part in now[1:] for k in (0, 3)]
    assert (np.array(sizes) <= np.array([0.5, 2, 2, 8]) * (1 + 1e-9)).all()
    if law == "double_s":
        jerk = (after.acceleration - before.acceleration)[:, :3] / (2 * h)
        assert np.quantile(np.linalg.norm(jerk, axis=1), 0.97) <= 20 * (1 + 1e-5)
    found = motion.model().compile()(time=t[:, None])
    for own, right in zip(found, now, strict=True):
        np.testing.assert_allclose(own, right, atol=1e-11)


def test_orientation_follows_slerp_and_arcs_are_circles() -> None:
    T, via = poses()
    motion = rs.cartesian_trajectory(T, duration=8, via=via)
    t = np.linspace(motion.t[0], motion.t[1], 20)
    part = (motion.at(t).T[:, :3, 3] - T[0, :3, 3]) @ (T[1, :3, 3] - T[0, :3, 3]) / motion.segments[0].length ** 2
    right = Slerp([0, 1], Rotation.from_matrix(T[:2, :3, :3]))(part).as_matrix()
    np.testing.assert_allclose(motion.at(t).T[:, :3, :3], right, atol=1e-12)
    arc, t = motion.segments[1], np.linspace(motion.t[1], motion.t[2], 2001)
    P = motion.at(t).T[:, :3, 3]
    assert arc.center is not None
    away = np.linalg.norm(P - arc.center, axis=1)
    np.testing.assert_allclose(away, away[0], rtol=1e-12)
    assert np.linalg.norm(P - via[2], axis=1).min() < 1e-3
    assert np.linalg.norm(np.diff(P, axis=0), axis=1).sum() == pytest.approx(arc.length, rel=1e-6)
    rows = [[*T[k, :3, 3], *Rotation.from_matrix(T[k, :3, :3]).as_quat(scalar_first=True)] for k in range(5)]
    same = rs.cartesian_trajectory(rows, duration=8, via=via)
    np.testing.assert_allclose(same.at(t).T, motion.at(t).T, atol=1e-12)


def test_arm_moves_its_frame_along_a_line(tmp_path: Path) -> None:
    robot, start = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45}), [0.1, -1.2, 1.3, -0.5, -1.4, 0.2]
    geometry = rs.direct_geometry(robot).compile()
    T = np.array([geometry(q=start)] * 2)
    T[1, :3, 3] += [-0.1, 0.15, 0.1]
    line = rs.cartesian_trajectory(T, "double_s", SPEEDS)
    motion = line.joints(robot, start=start)
    t = np.linspace(0, line.period, 333)
    np.testing.assert_allclose(geometry(q=motion.at(t).q), line.at(t).T, atol=1e-6)
    np.testing.assert_allclose(motion.at(0).q, start, atol=1e-9)
    line.write(tmp_path / "line.csv")
    assert (tmp_path / "line.csv").read_text().startswith("t,R11,R12")
    T[1, 0, 3] += 5
    with pytest.raises(rs.InputError, match="out of reach at"):
        rs.cartesian_trajectory(T, "double_s", SPEEDS).joints(robot, start=start)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"law": "sinus"}, "law: expected one of cubic"),
        ({"limits": None}, "limits: expected limits of velocity"),
        ({"law": "trapezoidal", "limits": {"velocity": 1}}, "trapezoidal: expected a limit of acceleration"),
        ({"law": "double_s", "limits": {"velocity": 1}}, "double_s: expected a limit of jerk"),
        ({"law": "cubic", "limits": LIMITS}, "expected a law without jumps"),
        ({"duration": 0.01}, "duration: expected at least"),
        ({"duration": -1}, "duration: expected a positive number"),
        ({"times": [0, 1]}, "times: expected none"),
        ({"law": "cubic_spline", "limits": {"velocity": 1}, "times": [0, 0.1]}, "duration: expected at least"),
        ({"law": "cubic_spline", "limits": {}, "times": [1, 2]}, "increasing times from 0"),
        ({"points": [[0, 0, 0]]}, "at least two positions"),
        ({"points": [[0, 0], [1, 1]]}, "in 3 columns"),
        ({"points": [[0, 0, np.nan], [1, 1, 1]]}, "finite numbers"),
    ],
)
def test_rejects_invalid_arguments(given: dict[str, object], words: str) -> None:
    everything: dict[str, object] = {"points": [[0, 0, 0], [1, 0.5, 0.2]], "limits": LIMITS, **given}
    with pytest.raises(rs.InputError, match=words):
        rs.joint_trajectory(arm(), **everything)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"poses": [[0, 0, 0, 1, 0, 0, 0]]}, "at least two poses"),
        ({"poses": [[0, 0, 0, 2, 0, 0, 0]] * 2}, "quaternion of length 1"),
        ({"poses": [[0, 0, 0, 1, 0, 0, 0]] * 2}, "pose 2: expected a pose different"),
        ({"via": {3: [0, 0, 0]}}, "number of a segment from 1 to 1"),
        ({"via": {1: [0.5, 0, 0]}}, "off the line"),
        ({"limits": {"speed": 1}}, "unknown name 'speed'"),
        ({"limits": {"velocity": 0}}, "expected a positive number"),
        ({"limits": None}, "expected limits of velocity"),
        ({"law": "double_s", "limits": {"velocity": 1}}, "segment 1: expected a limit of jerk"),
        ({"duration": 0.1}, "duration: expected at least"),
    ],
)
def test_rejects_invalid_frames(given: dict[str, object], words: str) -> None:
    everything: dict[str, object] = {
        "poses": [[0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0]], "limits": {"velocity": 1}, **given
    }  # fmt: skip
    with pytest.raises(rs.InputError, match=words):
        rs.cartesian_trajectory(**everything)  # type: ignore[arg-type]


def test_joints_named_in_a_file() -> None:
    """Names of joints, as in URDF files, differ from the variables of the models."""
    plain = arm()
    named = plain.edit({"joint1.name": "shoulder", "joint2.name": "elbow"})
    assert named.joint_names != named.motor_names
    limits, points = limits_of("trapezoidal"), [[0, 0, 0], [0.4, -0.2, 0.3], [0.5, 0.6, 0]]
    period, loads = [], []
    for robot in (named, plain):
        motion = rs.joint_trajectory(robot, points, limits=limits)
        period.append([motion.period, rs.time_optimal_motion(robot, points, limits=limits).period])
        loads.append(rs.motor_loads(robot, motion).rms_torque)
    np.testing.assert_allclose(*period, rtol=1e-9)
    np.testing.assert_allclose(*loads, rtol=1e-9)


@pytest.mark.parametrize("law", ["cubic", "quintic", "trapezoidal", "double_s"])
def test_lower_and_upper_limits_of_velocity_are_reached(law: str) -> None:
    """Each part is limited by the direction in which the joints move."""
    limits = {"velocity": [[-1, 2], [-3, 1.5]], "acceleration": [[-40, 80], [-80, 50]]}
    more = {"jerk": 900} if law in ("quintic", "double_s") else {}
    low, high = rs.joint_trajectory("planar2r", [[0, 0], [3, -1], [-1, 1]], law, {**limits, **more}).peaks()["velocity"]
    np.testing.assert_allclose([low[0], high[0]], [-1, 2], rtol=1e-9)
    assert low[1] >= -3 and high[1] <= 1.5
