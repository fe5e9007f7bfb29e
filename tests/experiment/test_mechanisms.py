"""Closed and parallel robots are identified from their motors, with the same calls as an arm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import robosym as rs
from long_cases import quick_and_long
from robosym.experiment.filters import derivatives
from robosym.experiment.joined_motion import PlatformMotions
from robosym.experiment.prepare import Segment
from robosym.experiment.regressor import Regressor

STEP = 0.005
FOUR_BAR = """
name: four bar
frames:
  - {theta: t1}
  - {ant: 0, mu: 0, d: 0.5, theta: t2}
  - {ant: 1, mu: 0, d: 0.4, theta: t3}
  - {ant: 3, mu: 0, d: 0.6, theta: t4}
  - {ant: 2, sigma: 2, d: 0.5}
loops: [[4, 5]]
links: symbolic
gravity: [0, -9.81, 0]
position: {t1: 1.0, t2: 1.2, t3: -0.8, t4: 0.4}
"""
SIZES = {
    "M": 5.0, "MX": 0.8, "MY": 0.3, "MZ": 0.2, "IA": 0.5, "FV": 2.0, "FS": 1.0, "XX": 0.5, "YY": 0.6, "ZZ": 0.7,
    "XY": 0.02, "XZ": 0.03, "YZ": 0.01,
}  # fmt: skip
LENGTHS = {"D2": 0.2, "D3": 0.7, "D4": 0.2, "RL4": 0.8, "D8": 0.3}


def in_numbers(robot: Any) -> Any:
    random = np.random.default_rng(0)
    values: dict[str, float] = {}
    for name in robot.parameters:
        size = SIZES.get(name.rstrip("0123456789P"))
        if size is not None:
            passive = robot.name == "four bar" and name in ("FV2", "FS2", "FV3", "FS3")
            values[name] = 0.0 if passive else size * float(random.uniform(0.6, 1.4))
        elif not name.startswith(("QP", "QDP", "GAM")):
            values[name] = -9.81 if name.startswith(("G", "g")) else LENGTHS.get(name, 0.4)
    return robot.with_values(values)


def four_bar() -> rs.Robot:
    return in_numbers(rs.loads(FOUR_BAR, format="yaml"))


def sr400() -> rs.Robot:
    return in_numbers(rs.load("sr400"))


def planar3rrr() -> rs.Robot:
    return in_numbers(rs.load("planar3rrr"))


def delta() -> rs.Robot:
    return in_numbers(rs.load("delta"))


CENTRES: dict[str, tuple[float, float]] = {"four_bar": (1.0, 0.25), "sr400": (0.3, 0.25), "planar3rrr": (2.1, 0.06)}


@pytest.mark.parametrize("make", quick_and_long([four_bar, sr400, planar3rrr], long=[four_bar, planar3rrr]))
def test_identifies_from_motors_only(make: Callable[[], Any]) -> None:
    robot = make()
    regressor = Regressor(robot, rs.Friction(), None)
    count, (center, size) = len(regressor.joints), CENTRES[make.__name__]
    t, random = np.arange(0, 10, STEP), np.random.default_rng(1)
    q = np.full((len(t), count), center)
    for k in range(1, 6):
        a, b, w = *random.uniform(-size, size, (2, count)) / k, k * random.uniform(0.9, 1.3, count)
        q += a * np.sin(np.outer(t, w)) + b * (np.cos(np.outer(t, w)) - 1)
    q, qd, qdd = derivatives(q, STEP, 20)
    inputs = regressor.inputs(Segment(q, qd, qdd, step=STEP))
    tau = np.asarray(rs.inverse_dynamics(robot).compile()(**inputs))
    noise = 0.005 * np.abs(tau).max(axis=0)
    log = rs.Log(t=t, q=q, tau=tau + noise * np.random.default_rng(0).normal(size=tau.shape))
    motion = rs.prepare(log, cut=8, rate=50)
    found = rs.identify(robot, motion, friction=rs.Friction(passive=make is sr400))
    assert found.error(motion).moving < 0.01
    motor = regressor.joints[0]
    assert found[f"FV{motor}"] == pytest.approx(robot.numbers()[f"link{motor}.FV"], rel=0.3, abs=0.3)
    again = np.asarray(rs.inverse_dynamics(found.robot).compile()(**inputs))[200:-200]
    assert np.linalg.norm(again - tau[200:-200]) < 0.01 * np.linalg.norm(tau)
    base = rs.base_parameters(regressor.robot)
    grouped = [p for p in base.standard.inertial if p.place not in base.places.values()]
    given, numbers = (one.numbers() for one in (robot, found.robot))
    paths = [f"link{p.link}.{p.field}" for p in grouped]
    assert paths and {path: numbers[path] for path in paths} == {path: given[path] for path in paths}
    short = rs.Motion(motion.t, motion.q[:, :1][:, [0] * (count + 1)], motion.qd, motion.qdd, motion.tau)
    with pytest.raises(rs.InputError, match="columns"):
        rs.identify(robot, short)


def test_rejects_transmissions_and_modules() -> None:
    """The error names the robot to use instead: in_joints() or to_closed()."""
    geared = rs.load("planar2r").with_transmission([[1, 0], [1, 2]])
    still = rs.Motion(np.arange(3.0), *np.zeros((4, 3, 2)))
    with pytest.raises(rs.InputError, match="in_joints"):
        rs.identify(geared, still)
    with pytest.raises(rs.InputError, match="in_joints"):
        rs.Recursive(geared)
    with pytest.raises(rs.InputError, match="to_closed"):
        rs.identify(rs.load("tricept_wrist"), still)
    with pytest.raises(rs.InputError, match="to_closed"):
        rs.Recursive(rs.load("tricept_wrist"))


def test_platform_motion() -> None:
    """Inverse geometry returns the motors, and differences of the poses the twist."""
    robot, step = delta(), 0.002
    t = np.arange(0, 0.4, step)
    w = np.array([3.0, 4.0, 5.0])
    q = 0.35 + 0.1 * np.sin(np.outer(t, w))
    found = PlatformMotions(robot).inputs(Segment(q, 0.1 * w * np.cos(np.outer(t, w)), np.zeros_like(q), step=step))
    place = found["pose"][:, 9:]
    slopes = (place[2:] - place[:-2]) / (2 * step)
    assert np.allclose(found["twist"][1:-1, :3], slopes, atol=1e-4)
    pushes = (place[2:] - 2 * place[1:-1] + place[:-2]) / step**2
    assert np.allclose(found["acceleration"][4:-4, :3], pushes[3:-3], atol=1e-2)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = found["pose"][100, :9].reshape(3, 3), place[100]
    motors = [robot.tree_joints.index(j) for j in robot.motors]
    solutions = np.atleast_2d(np.asarray(rs.inverse_geometry(robot).solve(T)))
    chosen = solutions if solutions.shape[1] == 3 else solutions[:, motors]
    assert np.abs(chosen - q[100]).max(axis=1).min() < 1e-8


@pytest.mark.long
def test_friction_of_a_cut_joint() -> None:
    """It is found with that of the other passive joints, and is part of the estimated robot."""
    long = FOUR_BAR.replace("d: 0.5, theta", "d: 1.0, theta").replace("d: 0.6", "d: 1.1").replace("d: 0.5}", "d: 0.9}")
    robot = in_numbers(rs.loads(long, format="yaml")).edit({"joint4.FV": 0.8, "joint4.FS": 0.5})
    t = np.arange(0, 6, STEP)
    shares, rates = np.array([0.5, 0.3]), np.array([1.3, 3.1])
    q1, v, a = (1.0 + np.sin(np.outer(t, rates)) @ shares, np.cos(np.outer(t, rates)) @ (shares * rates),
                -np.sin(np.outer(t, rates)) @ (shares * rates**2))  # fmt: skip
    geometry = rs.loop_geometry(robot)
    follow, near, q = geometry.compile(), geometry.usual([q1[0]]), []
    for x in q1:
        near = follow([x], near)
        q.append(near)
    tau = np.asarray(rs.inverse_dynamics(robot).compile()(q=np.array(q), qd=v[:, None], qdd=a[:, None]))
    log = rs.Log(t=t, q=q1[:, None], tau=tau)
    found = rs.identify(robot, log, friction=rs.Friction(passive=True, offset=False))
    assert dict(found.items())["FV4"] == pytest.approx(0.8, abs=0.1)
    assert dict(found.items())["FS4"] == pytest.approx(0.5, abs=0.1)
    assert [name for name, _ in found.robot.joint(4).friction.values] == ["FV", "FS"]
    with pytest.raises(rs.InputError, match="expected cut joints without friction, found friction in joint 4"):
        rs.identify(robot, log)
