"""Test the fastest motion along a path against closed forms, a linear program and Pinocchio's torques."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import linprog

import robosym as rs
from cases.floating import tree
from oracles.pinocchio import Oracle
from robosym.simulation.planning.piecewise import spline

Array = NDArray[np.float64]
ARM_LIMITS = {"velocity": 2.5, "acceleration": 12, "torque": [120, 110, 60, 9, 9, 9]}


def slider(mass: float = 2.0, **link: float) -> rs.Robot:
    return rs.robot("slider", frames=[{"sigma": 1, "r": "x"}], links=[{"M": mass, **link}], gravity=[0, 0, 0])


def planar(**link: float) -> rs.Robot:
    frames = [{"theta": "t1"}, {"theta": "t2", "d": 0.5}]
    links = [
        {"XX": 0.2, "YY": 0.4, "ZZ": 0.4, "MX": 0.5, "M": 2.0, **link},
        {"XX": 0.05, "YY": 0.1, "ZZ": 0.1, "MX": 0.2, "M": 1.0, **link},
    ]
    return rs.robot("planar", frames=frames, links=links, gravity=[0, -9.81, 0])


def path(seed: int, joints: int, points: int = 5) -> Array:
    return np.random.default_rng(seed).uniform(-1, 1, (points, joints))


def test_one_mass_without_speed_limit_accelerates_half_the_way() -> None:
    found = rs.time_optimal_motion(slider(), [[0.0], [3.0]], {"velocity": 100, "torque": 8.0}, points=101)
    np.testing.assert_allclose(found.period, 2 * np.sqrt(3.0 * 2 / 8), rtol=1e-9)
    np.testing.assert_allclose(found.at(found.period / 2).qd, np.sqrt(8 / 2 * 3.0), rtol=1e-9)


def test_one_mass_with_a_speed_limit_is_a_trapezoid() -> None:
    found = rs.time_optimal_motion(slider(), [[0.0], [3.0]], {"velocity": 2.0, "acceleration": 4}, points=1501)
    np.testing.assert_allclose(found.period, 3 / 2 + 2 / 4, rtol=1e-5)


def test_viscous_friction_agrees_with_closed_form() -> None:
    """Under a constant force F, v(x) follows from m v v' = F - c v; the profile meets the braking curve."""
    m, c, F, length = 2.0, 1.5, 8.0, 3.0

    def distance(v: Array, side: float) -> Array:
        a = F / c * side
        return -m / c * (v + a * np.log1p(-v / a))

    v = np.linspace(0, F / c * 0.999, 400_001)
    ahead, back = distance(v, 1), -distance(v, -1)  # places from the start, distances from the end
    top = v[np.argmin(np.abs(ahead + back - length))]
    period = -m / c * np.log1p(-top * c / F) + m / c * np.log1p(top * c / F)
    found = rs.time_optimal_motion(slider(m, FV=c), [[0.0], [length]], {"velocity": 100, "torque": F}, points=1001)
    np.testing.assert_allclose(found.period, period, rtol=2e-3)
    assert np.abs(found.torques(found.times(200))).max() <= F * (1 + 1e-6)


def test_profile_agrees_with_linear_program() -> None:
    """The sum of the squares of the speeds is largest for the fastest profile (Pham and Pham 2018)."""
    robot, count = rs.load("ur5e"), 40
    points = path(1, 6)
    found = rs.time_optimal_motion(robot, points, ARM_LIMITS, points=count)
    knots = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve, oracle = CubicSpline(knots, points, bc_type="natural"), Oracle(robot, {})
    s, count = found.s, len(found.s)  # with the places where the limit changes
    rows, right = [], []
    for k, h in enumerate(np.diff(s)):
        for part in (0, 0.25, 0.5, 0.75, 1):  # x at a part of the interval is linear in x_k and x_k+1
            at = s[k] + part * h
            q, slope, bend = (curve(at, order) for order in (0, 1, 2))
            zero = np.zeros(6)
            still = oracle.torques(q, zero, zero, {})
            inertia, drift = oracle.torques(q, zero, slope, {}) - still, oracle.torques(q, slope, bend, {}) - still
            speed = np.zeros(count)
            speed[k : k + 2] = 1 - part, part
            change = np.zeros(count)
            change[k : k + 2] = -0.5 / h, 0.5 / h
            for one, other, constant, limit in (
                (inertia, drift, still, np.array(ARM_LIMITS["torque"])),
                (slope, bend, zero, np.full(6, 12.0)),
            ):
                change_rows = np.outer(one, change) + np.outer(other, speed)
                rows += [change_rows, -change_rows]
                right += [limit - constant, limit + constant]
            rows.append(np.outer(slope**2, speed))
            right.append(np.full(6, 2.5**2))
    bounds = [(0, 0), *[(0, None)] * (count - 2), (0, 0)]
    best = linprog(-np.ones(count), np.vstack(rows), np.concatenate(right), bounds=bounds)
    assert best.status == 0
    total = np.sum(found.speed**2)  # the limits hold between the places, too, which the program does not know
    assert 0.99 * -best.fun <= total <= -best.fun * (1 + 1e-9)
    np.testing.assert_allclose(np.median(found.speed[1:-1] ** 2 / best.x[1:-1]), 1, atol=5e-3)


@pytest.mark.parametrize("seed", range(3))
def test_limits_hold_at_all_times_and_one_is_reached(seed: int) -> None:
    robot = rs.load("ur5e").with_links([{"FV": 2.0, "FS": 1.0, "IA": 0.3}] * 6)
    found = rs.time_optimal_motion(robot, path(seed + 5, 6), ARM_LIMITS)
    t = np.random.default_rng(seed).uniform(0, found.period, 2000)
    q, qd, qdd = found.at(t)
    oracle = Oracle(robot, {})
    tau = np.array([oracle.torques(*row, {}) for row in zip(q, qd, qdd, strict=True)])
    np.testing.assert_allclose(found.torques(t), tau, atol=1e-8)
    for values, limit in ((qd, 2.5), (qdd, 12), (tau, np.array(ARM_LIMITS["torque"]))):
        assert (np.abs(values) / limit).max() < 1 + 1e-5
    used = np.concatenate(list(found.utilization.values()), axis=1).max(axis=1)
    assert used.max() <= 1 + 1e-8 and used.min() > 0.97 and np.median(used) > 0.999
    assert {name.split()[0] for name in found.active} <= {"velocity", "acceleration", "torque"}


def test_motion_is_consistent_and_passes_the_positions() -> None:
    points = path(9, 2, 4)
    found = rs.time_optimal_motion(planar(), points, {"velocity": 2, "torque": [40, 15]})
    t, step = np.linspace(0.05, found.period - 0.05, 500), 1e-6
    _, qd, qdd = found.at(t)
    np.testing.assert_allclose((found.at(t + step).q - found.at(t - step).q) / (2 * step), qd, atol=1e-5)
    slopes = (found.at(t + step).qd - found.at(t - step).qd) / (2 * step)
    assert np.median(np.abs(slopes - qdd)) < 1e-6  # s.. jumps between intervals
    way = found.at(np.linspace(0, found.period, 20001)).q
    for point in points:
        assert np.linalg.norm(way - point, axis=1).min() < 2e-3
    np.testing.assert_array_equal(found.at([0.0, found.period + 1]).qd, np.zeros((2, 2)))


@pytest.mark.parametrize("degree", [3, 5, 7])
@pytest.mark.parametrize("ends", ["rest", "free"])
def test_splines_have_continuous_derivatives(degree: int, ends: str) -> None:
    knots = np.array([0.0, 0.3, 1.1, 1.2, 3.0])
    values = path(2, 3)
    curve = spline(knots, values, degree, ends)  # type: ignore[arg-type]
    np.testing.assert_allclose(curve.at(knots)[0], values, atol=1e-12)
    for order in range(1, degree):
        pieces = curve.derivative(order)
        scale = np.abs(pieces.coefficients).max()
        for k, (left, right) in enumerate(pairwise(range(len(knots) - 1))):
            end = pieces.coefficients[left].T @ (knots[k + 1] - knots[k]) ** np.arange(degree - order + 1.0)
            np.testing.assert_allclose(end, pieces.coefficients[right][0], atol=1e-9 * scale)
    zero = range(1, (degree + 1) // 2) if ends == "rest" else range((degree + 1) // 2, degree)
    for order in zero:
        assert np.abs(curve.at(knots[[0, -1]], degree)[order]).max() < 1e-7 * np.abs(curve.coefficients).max()
    if degree == 3 and ends == "free":
        other = CubicSpline(knots, values, bc_type="natural")
        x = np.linspace(0, 3, 50)
        np.testing.assert_allclose(curve.at(x, 3), [other(x, order) for order in range(3)], atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"limits": {"velocity": 1}}, "expected limits of torque or acceleration"),
        ({"limits": {"torque": 1}}, "expected a maximum velocity"),
        ({"path": [[0.0, 0]]}, "at least two different positions"),
        ({"path": [[0.0], [1]]}, "positions of t1, t2 in 2 columns"),
        ({"path": [[0.0, 0], [np.nan, 1]]}, "path"),
        ({"points": 1}, "points: expected a number from 2"),
        ({"points": 2.5}, "points: expected a number from 2"),
        ({"limits": {"velocity": 1, "torque": 1e-3}}, "expected one from -0.001 to 0.001"),
    ],
)
def test_rejects_invalid_input(arguments: dict[str, object], message: str) -> None:
    given = {"path": [[0.0, 0], [1, 1]], "limits": {"velocity": 1, "torque": 50}, **arguments}
    with pytest.raises(rs.InputError, match=message):
        rs.time_optimal_motion(planar(), **given)  # type: ignore[arg-type]


def test_symbols_need_values() -> None:
    with pytest.raises(rs.InputError, match="expected values for"):
        rs.time_optimal_motion("rx90", path(1, 6), {"velocity": 1, "torque": 50})


NAMED = """
<robot name="reacher">
  <link name="stand"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.002" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="1"/><origin xyz="0.15 0 0"/>
    <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="stand"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="30" velocity="3"/><dynamics damping="0.8" friction="0.5"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="3"/></joint>
</robot>
"""


def test_joints_of_a_urdf_keep_their_names() -> None:
    """Names of joints differ from variables; trajectories, motor loads and fastest motions refer to the names."""
    robot = rs.loads(NAMED, format="urdf")
    points = [[0.0, 0.3], [1.0, -0.5], [0.2, 0.4]]
    fastest, smooth = rs.time_optimal_motion(robot, points), rs.joint_trajectory(robot, points, limits={"torque": 25})
    assert fastest.joints == smooth.joints == robot.joint_names == ("shoulder", "elbow")
    assert {one.split(" of ")[1] for one in fastest.active} <= {*robot.joint_names}
    t = np.linspace(0, fastest.period, 5001)
    assert (np.abs(fastest.torques(t)) / [30, 9]).max() < 1 + 1e-7
    assert rs.motor_loads(robot, smooth).peak_torque.shape == (2,)
    with pytest.raises(rs.InputError, match="at shoulder"):
        rs.time_optimal_motion(robot, points, {"torque": 0.5})


def test_intervals_are_divided_where_the_limit_changes() -> None:
    """In every interval without a reversal, some limit is reached, and none is exceeded at 100,000 times."""
    for seed in range(3):
        robot = rs.load("scara")
        limits = {"velocity": 3.0, "acceleration": 40.0, "torque": [100.0] * 4}
        found = rs.time_optimal_motion(robot, path(seed, 4), limits)
        used = np.concatenate(list(found.utilization.values()), axis=1).max(axis=1)
        assert len(found.s) == len(found.t) == len(found.speed) == len(used) + 1 == len(found.rate) + 1
        np.testing.assert_allclose(np.diff(found.speed**2), 2 * found.rate * np.diff(found.s), atol=1e-9)
        assert used.min() > 0.93 and np.median(used) > 0.999
        t = np.linspace(0, found.period, 100_001)[1:-1]
        parts = (found.at(t).qd / 3, found.at(t).qdd / 40, found.torques(t) / 100)
        assert max(float(np.abs(part).max()) for part in parts) < 1 + 1e-7


def test_robot_in_free_flight() -> None:
    """The torques are those of a simulation in which the base moves freely from rest."""
    robot = tree("floating").edit({f"link{j}.FS": 0 for j in range(1, 5)})
    limits = {"velocity": 2.0, "torque": [4.0, 8, 5, 20]}
    found = rs.time_optimal_motion(robot, path(0, 4, 4), limits)
    t = np.linspace(0, found.period, 20_001)
    assert (np.abs(found.torques(t)) / limits["torque"]).max() < 1 + 1e-7
    run = rs.simulate(robot, motion=found.at, until=found.period, step=found.period / 2000)
    assert np.median(np.abs(run.tau - found.torques(run.t))) < 1e-3  # s.. jumps within steps
    with pytest.raises(rs.InputError, match="mobile base"):
        rs.time_optimal_motion(tree("mobile"), path(0, 4), limits)


def light(mass: float) -> rs.Robot:
    """Return an arm whose torques are those of friction."""
    frames = [{"theta": f"t{k}", "alpha": "Pi/2" if k % 2 else 0, "d": 0.05} for k in range(1, 6)]
    own = {"XX": mass / 100, "YY": mass / 100, "ZZ": mass / 100, "FV": 0.1, "FS": 0.1}
    links = [{"M": mass * k, **own} for k in range(5, 0, -1)]
    return rs.robot("light", frames=frames, links=links, gravity=[0, 0, -9.81])


def test_arms_with_more_friction_than_inertia() -> None:
    """More points, or limits of acceleration, give a motion; without them an error says so."""
    points = np.random.default_rng(2).uniform(-0.8, 0.8, (4, 5))
    limits = {"velocity": 10.0, "torque": 1.0}
    found = rs.time_optimal_motion(light(1e-3), points, limits)
    assert len(found.s) > 250 and np.abs(found.torques(np.linspace(0, found.period, 5001))).max() < 1 + 1e-7
    limited = rs.time_optimal_motion(light(1e-4), points, {**limits, "acceleration": 300})
    assert np.abs(limited.torques(np.linspace(0, limited.period, 5001))).max() < 1 + 1e-7
    with pytest.raises(rs.InputError, match=r"allow no motion at .* with this friction.*acceleration"):
        rs.time_optimal_motion(light(1e-4), points, limits)
