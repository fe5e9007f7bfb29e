"""Exciting trajectories: information, and limits at all times, checked with Pinocchio."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.experiment.exciting_trajectory import problem_of
from robosym.experiment.problem import STAGES, stays_within
from robosym.experiment.trajectory import Fourier

SPEEDS = [2.09, 2.09, 3.14, 3.14, 3.14, 3.14]
UR10E: dict[str, Any] = {
    "position": np.pi,
    "velocity": SPEEDS,
    "acceleration": 8,
    "torque": [330, 330, 150, 56, 56, 56],
    "box": [[-1.2, 1.2], [-1.2, 0.9], [-1, 1.3]],
    "floor": 0.1,
}
PLANAR: dict[str, Any] = {"position": [2, 2.5], "velocity": 3, "acceleration": 20}


def planar() -> rs.Robot:
    links = {"ZZ": 0.4, "XX": 0.2, "YY": 0.4, "MX": 0.7, "M": 2, "IA": 0.1, "FV": 0.5, "FS": 1.5}
    arm = {"frames": [{"theta": "t1"}, {"d": 0.5, "theta": "t2"}], "links": {1: links, 2: links}}
    return rs.robot("planar", **arm, gravity=[0, -9.81, 0])


@pytest.fixture(scope="module")
def motion() -> rs.Trajectory:
    return rs.exciting_trajectory(rs.load("ur10e"), UR10E, starts=2, workers=2, progress=False)


def test_condition_of_the_public_regressor(motion: rs.Trajectory) -> None:
    """Check all identified parameters together and each subset."""
    robot = rs.load("ur10e")
    t = motion.times(50)[:-1]
    place = motion.at(t)
    for of, options in ((robot.symbolic(), {"friction": True, "offset": True}), (robot, {})):
        model = rs.dynamic_identification(of, base_parameters=True, **options)
        D = model.compile()(**place._asdict())
        condition = np.linalg.cond(D.reshape(-1, len(model.columns)))
        assert condition <= 64
        if options:
            assert model.columns == motion.columns
            assert condition == pytest.approx(motion.condition, rel=0.02)


def test_limits_hold_at_all_times(motion: rs.Trajectory) -> None:
    robot = rs.load("ur10e")
    oracle = Oracle(robot, {})
    t = np.linspace(0, 20, 4001)
    q, qd, qdd = motion.at(t)
    assert np.abs(q).max() <= np.pi and (np.abs(qd) <= SPEEDS).all() and np.abs(qdd).max() <= 8
    assert (np.abs(qd).max(axis=0) > 0.8 * np.array(SPEEDS)).sum() >= 3  # the limits are active
    for k in range(0, len(t), 2):
        efforts, _ = oracle.efforts(q[k], qd[k], qdd[k], {})
        assert (np.abs(efforts) <= UR10E["torque"]).all()
    frame = rs.direct_geometry(robot, 0, 6).compile()
    where = frame(q=q)[:, :3, 3]
    pin.forwardKinematics(oracle.model, oracle.data, oracle.q(q[123]))
    np.testing.assert_allclose(oracle.data.oMi[oracle.model.njoints - 1].translation, where[123], atol=0.2)
    lower, upper = np.array(UR10E["box"]).T
    lower[2] = 0.1
    assert (where >= lower).all() and (where <= upper).all()


def test_periodic_and_at_rest_at_both_ends(motion: rs.Trajectory) -> None:
    for t in (0, 20, 40.0):
        np.testing.assert_allclose(np.concatenate(motion.at(t)[1:]), 0, atol=1e-12)
    np.testing.assert_allclose(motion.at(3.3), [part[0, 0] for part in motion.at([[23.3]])], atol=1e-9)
    step = 1e-6
    q, qd, _ = motion.at(np.array([1.7 - step, 1.7, 1.7 + step]))
    np.testing.assert_allclose((q[2] - q[0]) / (2 * step), qd[1], atol=1e-6)


def test_writes_table_and_plot(motion: rs.Trajectory, tmp_path: Path) -> None:
    motion.write(tmp_path / "motion.csv", rate=20)
    table = np.genfromtxt(tmp_path / "motion.csv", delimiter=",", names=True)
    assert len(table) == 401 and table.dtype.names[:2] == ("t", "q1") and table.dtype.names[-1] == "qdd6"
    np.testing.assert_allclose(table["qd3"], motion.at(table["t"]).qd[:, 2], atol=1e-8)
    motion.plot(tmp_path / "motion.html")
    lengths = [
        len(run.split())
        for run in re.findall(r"<polyline [^>]*points='([^']*)'", (tmp_path / "motion.html").read_text())
    ]
    assert sum(length > 50 for length in lengths) == 2 * 18, "light and dark"
    assert "condition" in repr(motion) and "t6" in str(motion)


@pytest.mark.parametrize("criterion", ["condition", "d-optimal"])
@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_all_kinds_and_criteria_respect_limits(kind: Any, criterion: Any) -> None:
    """Include torques with Coulomb friction, which jump when a joint reverses."""
    robot = planar()
    limits = {**PLANAR, "torque": [40, 12], "box": [[-0.9, 0.45], [-1, 1], [-1, 1]]}
    motion = rs.exciting_trajectory(
        robot, limits, period=6, harmonics=4, criterion=criterion, kind=kind, starts=2, workers=1, frame=2
    )
    assert motion.condition < 500
    t = np.linspace(0, 6, 50_001)
    q, qd, qdd = motion.at(t)
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    assert (np.abs(tau).max(axis=0) <= limits["torque"]).all()
    assert (np.abs(q).max(axis=0) <= PLANAR["position"]).all()
    assert np.abs(qd).max() <= 3 and np.abs(qdd).max() <= 20
    x = rs.direct_geometry(robot, 0, 2).compile()(q=q)[:, 0, 3]
    assert x.min() >= -0.9 and x.max() <= 0.45
    np.testing.assert_allclose(np.concatenate(motion.at(6.0)[1:]), 0, atol=1e-10)


def test_search_beats_random_motions() -> None:
    """Compare with ten random motions within the same limits."""
    problem = problem_of(planar(), Fourier(6.0, 4), "condition", PLANAR)
    t = problem.basis.times(500)
    drawn = []
    for seed in range(10):
        c = problem.coefficients(*problem.first(np.random.default_rng(seed), centered=False))
        drawn.append(problem.information.condition(*(problem.basis.matrix(t, n) @ c for n in range(3))))
    motion = rs.exciting_trajectory(planar(), PLANAR, 6, 4, starts=1, workers=1)
    assert motion.condition < 0.8 * min(drawn)


@pytest.mark.parametrize("criterion", ["condition", "d-optimal"])
def test_gradient_matches_differences(criterion: Any) -> None:
    reach = [-np.inf, np.inf]
    limits = {**PLANAR, "torque": [60, 30], "box": [[-1, 0.9], reach, reach]}
    problem = problem_of(planar(), Fourier(6.0, 3), criterion, limits, deviations=[1.0, 0.3], frame=2)
    posture, free = problem.first(np.random.default_rng(1), centered=False)
    seen: list[Any] = []

    def spy(function: Any, x: Any, steps: int, tolerance: float) -> Any:
        seen.append(function)
        return x, 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("robosym.experiment.problem.descend", spy)
        problem.improve(posture, free, STAGES[1])
    value, slope = seen[0](free)
    assert np.isfinite(value)
    step = 1e-6
    for k, direction in enumerate(np.eye(len(free))):
        by_difference = (seen[0](free + step * direction)[0] - seen[0](free - step * direction)[0]) / (2 * step)
        assert slope[k] == pytest.approx(by_difference, rel=1e-4, abs=1e-5 * np.abs(slope).max())


def test_detects_violation_between_points() -> None:
    """The violation of 1e-5 lasts for a moment only."""
    robot, basis = planar(), Fourier(6.0, 4)
    model = rs.inverse_dynamics(robot)
    f = model.compile()
    c = 0.3 * np.random.default_rng(5).standard_normal((basis.count, 2))

    def torque(t: Any) -> Any:
        return f(**{g: basis.matrix(t, order) @ c for order, g in enumerate(("q", "qd", "qdd"))})

    top = torque(np.linspace(0, 6, 200_001)).max(axis=0)
    low = np.full(2, -1e3)
    assert stays_within(model, basis, c, low, top * (1 + 1e-4), torque)
    assert not stays_within(model, basis, c, low, top * (1 - 1e-5), torque)


def test_start_posture() -> None:
    motion = rs.exciting_trajectory(planar(), PLANAR, 6, 4, start=[0.3, -0.4], starts=1, workers=1)
    np.testing.assert_allclose(motion.at(0).q, [0.3, -0.4], atol=1e-12)
    assert np.abs(motion.at(np.linspace(0, 6, 999)).qd).max() <= 3


def test_leaves_out_offset_of_vertical_slider() -> None:
    """Mass, rotor and offset of a vertical prismatic joint cannot be separated."""
    limits = {"velocity": 2, "position": [[-2, 2], [-2, 2], [0, 0.3], [-2, 2]]}
    motion = rs.exciting_trajectory("scara", limits, 5, 4, starts=1, workers=1)
    assert motion.left_out == ("OFF3",) and motion.condition < 1e4 and "OFF2" in motion.columns


def test_reports_progress() -> None:
    reported: list[tuple[int, int]] = []
    rs.exciting_trajectory(planar(), PLANAR, 6, 3, starts=2, workers=2, progress=lambda *x: reported.append(x))
    assert reported[-1][0] == reported[-1][1] == len(reported) and [done for done, _ in reported] == list(
        range(1, len(reported) + 1)
    )


MISTAKES: dict[str, dict[str, Any]] = {
    "expected a maximum velocity": {"limits": {"position": 1}},
    "unknown name 'speed'": {"limits": {"speed": 1}},
    "expected a mapping": {"limits": [1, 2]},
    "expected lower < upper": {"limits": {**PLANAR, "position": [[1, 0], [0, 1]]}},
    "'position': duplicate limit": {"limits": {"q": 1, "position": 1, "qd": 1}},
    "velocity: expected numbers": {"limits": {**PLANAR, "velocity": "fast"}},
    "shape": {"limits": {**PLANAR, "velocity": [1, 2, 3]}},
    "expected a range that contains 0": {"limits": {**PLANAR, "velocity": [[1, 2], [1, 2]]}},
    "below the top of the box": {"limits": {**PLANAR, "box": [[-1, 1]] * 3, "floor": 2}},
    "z = 0, which no joint can change": {"limits": {**PLANAR, "floor": 0.5}},
    "every posture tried at rest violates": {"limits": {**PLANAR, "box": [[5, 6], [-1, 1], [-1, 1]]}},
    "every posture tried at rest violates the limits of torque": {"limits": {**PLANAR, "torque": 1}},
    "period: expected a positive number of seconds": {"period": -1},
    "period: expected": {"period": "long"},
    "harmonics: expected an integer": {"harmonics": 0.5},
    "criterion: expected": {"criterion": "best"},
    "kind: expected": {"kind": "zigzag"},
    "starts: expected": {"starts": 0},
    "start: expected 2 joint positions": {"start": [9, 9]},
    "deviations: expected": {"deviations": [1, -1]},
    "progress: expected": {"progress": "yes"},
    "no frame": {"frame": "elbow", "limits": {**PLANAR, "floor": -1}},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_rejects_invalid_arguments(message: str) -> None:
    given = {"limits": PLANAR, "period": 6, "harmonics": 3, "starts": 1, "workers": 1, **MISTAKES[message]}
    with pytest.raises(rs.Error, match=message):
        rs.exciting_trajectory(planar(), **given)


def test_rejects_unsupported_robots() -> None:
    with pytest.raises(rs.InputError, match="expected numbers for D3"):
        rs.exciting_trajectory("rx90", PLANAR)
    with pytest.raises(rs.InputError, match="expected numbers for"):
        rs.exciting_trajectory(planar().symbolic(), {**PLANAR, "torque": 50})
    rs.exciting_trajectory(planar().symbolic(), PLANAR, 6, 3, starts=1, workers=1)  # not needed without torque limits


def test_spheres_of_links_do_not_meet() -> None:
    """Distances are computed from positions here; without spheres, the same search lets the links meet."""
    robot = rs.loads(
        "name: arm\ngravity: [0, -9.81, 0]\nframes: [{theta: t1}, {d: 0.5, theta: t2}, {d: 0.4, theta: t3}]\n"
        "links: symbolic\n", format="yaml",
    )  # fmt: skip
    limits = {"position": [[-1, 1], [-2.8, 2.8], [-2.8, 2.8]], "velocity": 3, "acceleration": 15}
    spheres = [[0, 0, 0, 0, 0.25], [1, 0.25, 0, 0, 0.2], [3, 0.2, 0, 0, 0.2]]

    def least(motion: rs.Trajectory) -> float:
        q = motion.at(np.linspace(0, 4, 4001)).q
        a, b, c = np.cumsum(q, axis=1).T
        end = np.stack([0.5 * np.cos(a) + 0.4 * np.cos(b) + 0.2 * np.cos(c),
                        0.5 * np.sin(a) + 0.4 * np.sin(b) + 0.2 * np.sin(c)])  # fmt: skip
        middle = 0.25 * np.stack([np.cos(a), np.sin(a)])
        to_base, to_first = np.linalg.norm(end, axis=0), np.linalg.norm(end - middle, axis=0)
        return float(min((to_base / 0.45).min(), (to_first / 0.4).min()))

    options = {"period": 4, "harmonics": 3, "starts": 1, "workers": 1}
    assert least(rs.exciting_trajectory(robot, limits, **options)) < 1
    assert least(rs.exciting_trajectory(robot, limits | {"spheres": spheres}, **options)) >= 1


@pytest.mark.parametrize(
    ("spheres", "message"),
    [
        ([[1, 0, 0, 0]], r"expected rows \[frame, x, y, z, radius\]"),
        ([[1, 0, 0, 0, -0.1]], "expected a positive radius"),
        ([[1, 0, 0, 0, 0.1], [2, 0, 0, 0, 0.1]], "two joints between them"),
        ([[7, 0, 0, 0, 0.1], [2, 0, 0, 0, 0.1]], "7"),
    ],
)
def test_rejects_spheres(spheres: list[list[float]], message: str) -> None:
    limits = {"position": 2, "velocity": 3, "acceleration": 15, "spheres": spheres}
    with pytest.raises(rs.InputError, match=message):
        rs.exciting_trajectory(rs.load("planar2r"), limits, period=4, harmonics=3, starts=1)
