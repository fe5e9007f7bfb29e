"""Simulated motions against MuJoCo, SciPy, formulas and the energy balance."""

from __future__ import annotations

import json
import pickle
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robosym as rs
from cases.closed_robots import five_bar, four_bar, slider_crank
from cases.dynamic import body_values, draw
from cases.parallel import gough, values_of
from oracles.pinocchio import Oracle
from robosym.drawing.charts import Plot
from robosym.mechanism import INERTIA

RNG = np.random.default_rng(5)


@cache
def arm() -> rs.Robot:
    return rs.load("ur10e")


@cache
def flat_arm(**dry: float) -> rs.Robot:
    """Return an arm with two links in a horizontal plane."""
    links = [{"FS": dry.get(f"FS{j}", 0)} for j in range(1, rs.load("planar2r").NL + 1)]
    return rs.load("planar2r").with_links(links).edit({"gravity": [0, 0, -9.81]})


def mujoco_run(robot: rs.Robot, q: Any, qd: Any, tau: Any, until: float, step: float) -> np.ndarray:
    model = mujoco.MjModel.from_xml_string(robot.dumps("mjcf"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
    for _ in range(round(until / step)):
        mujoco.mj_step(model, data)
    return np.array(data.qpos)


@pytest.mark.parametrize("name", ["ur10e", "panda"])
def test_free_fall_matches_mujoco(name: str) -> None:
    robot = rs.load(name)
    n = len(robot.tree_joints)
    rng = np.random.default_rng(2)
    q, qd, tau = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-2, 2, n)
    run = rs.simulate(robot, q, qd, tau, until=0.5, friction="sign")
    assert np.abs(run.q[-1] - mujoco_run(robot, q, qd, tau, 0.5, 1e-3)).max() < 1e-6
    assert np.abs(run.balance).max() < 1e-4 * run.kinetic.max()


def test_fixed_and_variable_steps_agree() -> None:
    q, qd = np.random.default_rng(1).normal(size=(2, 6))
    run = rs.simulate(arm(), q, qd, until=1)
    fine = rs.simulate(arm(), q, qd, until=1, step=1e-2, method="dop853", tolerance=1e-11)
    assert np.abs(run.q[::10] - fine.q).max() < 1e-7
    assert np.ptp(rs.simulate(arm(), q, qd, until=10, every=10).energy) < 2e-4
    with pytest.raises(rs.InputError, match="method: expected one of euler"):
        rs.simulate(arm(), q, method="dop835")


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("midpoint", 2), ("heun", 2), ("rk4", 4), ("rk5", 5)])
def test_order_of_methods(method: str, order: int) -> None:
    robot, start = rs.load("planar2r"), ([0.3, -0.5], [1.0, 0.5])

    def torque(t: Any) -> Any:
        return [np.sin(3 * t), np.cos(5 * t)]

    exact = rs.simulate(robot, *start, torque, until=0.4, step=0.2, method="dop853", tolerance=1e-12).q[-1]
    errors = [
        np.abs(rs.simulate(robot, *start, torque, until=0.4, step=step, method=method).q[-1] - exact).max()
        for step in ((0.04, 0.02) if order == 5 else (0.01, 0.005))
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_batch_equals_single_trajectories() -> None:
    q = RNG.normal(size=(3, 2, 6))
    tau = RNG.normal(size=(6,))
    runs = rs.simulate(arm(), q, torque=tau, until=0.05)
    assert runs.q.shape == (3, 2, 51, 6) and runs.tau.shape == runs.q.shape and runs.energy.shape == (3, 2, 51)
    one = rs.simulate(arm(), q[2, 1], torque=tau, until=0.05)
    np.testing.assert_array_equal(runs.q[2, 1], one.q)
    np.testing.assert_array_equal(runs.trajectory(2, 1).qd, one.qd)
    each = rs.simulate(arm(), q[0], torque=np.stack([tau, 2 * tau]), until=0.05)
    np.testing.assert_array_equal(each.q[0], runs.q[0, 0])
    assert "2 trajectories" in repr(each)


def test_parameters_per_trajectory() -> None:
    robot = rs.load("planar2r").with_links([{"M": "MA"}, *[{}] * (rs.load("planar2r").NL - 1)])
    robot = robot.edit({"link1.FV": "FV1"})
    runs = rs.simulate(robot, [0.1, 0.2], until=0.2, parameters={"FV1": np.array([0.0, 0.5, 1.0]), "MA": 1.0})
    assert runs.q.shape == (3, 201, 2)
    one = rs.simulate(robot.with_values({"FV1": 0.5, "MA": 1}), [0.1, 0.2], until=0.2)
    np.testing.assert_allclose(runs.q[1], one.q, atol=1e-12)
    np.testing.assert_allclose(runs.work["friction"][1], one.work["friction"], atol=1e-12)


def test_torques_as_samples_functions_and_controllers() -> None:
    start = ([0.3, 0.2], [0.0, 0.0])
    t = np.linspace(0, 1, 1001)
    wave = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
    by_function = rs.simulate(rs.load("planar2r"), *start, lambda t: [np.sin(3 * t), np.cos(2 * t)], until=1)
    by_samples = rs.simulate(rs.load("planar2r"), *start, wave, until=1)
    np.testing.assert_allclose(by_samples.q, by_function.q, atol=1e-6)
    np.testing.assert_allclose(by_samples.tau, wave)
    held = rs.simulate(
        rs.load("planar2r"), *start, until=1, controller=lambda t, q, qd: np.array([np.sin(3 * t), np.cos(2 * t)])
    )
    np.testing.assert_allclose(held.q, by_function.q, atol=3e-3)
    seldom = rs.simulate(rs.load("planar2r"), *start, until=0.1, controller=lambda t, q, qd: -qd, period=0.02)
    assert len(np.unique(seldom.tau[:, 0])) == 6


def masses(robot: rs.Robot, **lengths: float) -> rs.Robot:
    import random

    rng = random.Random(3)
    links = [{n: body_values(rng, j)[f"{n}{j}"] for n in INERTIA} for j in range(1, robot.NL + 1)]
    robot = robot.with_links(links).edit({"gravity": [0, -9.81, 0]})
    return robot.with_values(lengths)


def test_loops_stay_closed() -> None:
    robot = masses(slider_crank(), L1=0.3, L2=0.8, H=0.1, g5=0.0)
    run = rs.simulate(robot, [0.4], [1.0], until=1)
    assert run.drift.max() < 1e-12 and np.abs(run.q[-1] - run.q[0]).max() > 0.5
    assert np.ptp(run.energy) < 1e-6 * run.kinetic.max() + 1e-7
    assert run.rates.shape == run.q.shape and run.qd.shape == (1001, 1)
    np.testing.assert_allclose(np.gradient(run.q, run.t, axis=0)[5:-5], run.rates[5:-5], atol=2e-3)
    fine = rs.simulate(robot, [0.4], [1.0], until=1, step=0.05, method="dop853")
    np.testing.assert_allclose(run.q[::50], fine.q, atol=1e-6)


def test_rejects_open_loops_and_other_assembly_modes() -> None:
    robot = masses(slider_crank(), L1=0.3, L2=0.8, H=0.1, g5=0.0)
    closed = rs.simulate(robot, [0.4], until=0.01).q[0]
    with pytest.raises(rs.InputError, match="found a gap of"):
        rs.simulate(robot, closed + [0, 0.1, 0][: len(closed)], until=0.01)
    crossed = masses(four_bar())
    modes = np.asarray(rs.loop_geometry(crossed).solve([0.7]))
    assert rs.simulate(crossed, modes[0], [1.0], until=0.5).drift.max() < 1e-12  # the models assume the first mode
    with pytest.raises(rs.InputError, match="another assembly mode than its models"):
        rs.simulate(crossed, modes[-1], [1.0], until=0.5)


def test_rejects_motion_through_singular_position() -> None:
    robot = masses(five_bar(), L0=0.5, L1=0.4, L2=0.4, L3=0.5, L4=0.5)
    known = rs.loop_geometry(robot)
    start = np.asarray(known.solve([0.9, 2.0]))[0]
    with pytest.raises(rs.InputError, match="the position is singular"):
        rs.simulate(robot, start, [1.0, -3.0], until=3)


def test_floating_base_conserves_energy_and_momentum() -> None:
    case = draw(3, links=3, floating=True, drives=False, wrenches=False, fixed_frames=False)
    robot = case.robot
    n = len(robot.tree_joints)
    given: dict[str, Any] = {"base": [0.1, 0.2, 0.3, 2.0, 0, 0, 0], "base_velocity": [0.3, 0.2, 0.5, 0.1, 0.2, 0.3]}
    run = rs.simulate(robot, np.zeros(n), 0.5 * np.ones(n), until=0.5, **given)
    assert np.ptp(run.energy) < 1e-9 * run.kinetic.max()
    pose = run.state("base_pose")
    assert np.abs(np.linalg.norm(pose[:, 3:], axis=1) - 1).max() < 1e-8
    model = mujoco.MjModel.from_xml_string(robot.dumps("mjcf"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-3
    data = mujoco.MjData(model)
    data.qpos[:7], data.qpos[7:] = pose[0], 0
    data.qvel[:3], data.qvel[3:6], data.qvel[6:] = [0.1, 0.2, 0.3], [0.3, 0.2, 0.5], 0.5
    for _ in range(500):
        mujoco.mj_step(model, data)
    order = [model.jnt_qposadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)] for name in robot.joint_names]
    np.testing.assert_allclose(run.q[-1], data.qpos[order], atol=1e-6)
    np.testing.assert_allclose(pose[-1], data.qpos[:7], atol=1e-6)


def test_frequency_of_springs() -> None:
    case = draw(12, links=5, elastic=True, drives=False, wrenches=False)
    run = rs.simulate(case.robot, np.zeros(len(case.robot.tree_joints)), until=0.5)
    assert run.tau.shape[-1] < run.q.shape[-1]
    assert np.ptp(run.energy) < 1e-8 * run.kinetic.max()


def test_transmission_gives_the_same_motion() -> None:
    robot = rs.load("planar2r")
    K = np.array([[1, 0], [-0.5, 1]])
    coupled = rs.simulate(robot.with_transmission(K.tolist()), [0.3, 0.4], [0, 1], torque=[0.2, 0.1], until=1)
    plain = rs.simulate(robot, K @ [0.3, 0.4], K @ [0, 1], torque=np.linalg.solve(K.T, [0.2, 0.1]), until=1)
    np.testing.assert_allclose(coupled.q @ K.T, plain.q, atol=1e-10)
    np.testing.assert_allclose(coupled.energy, plain.energy, atol=1e-10)
    np.testing.assert_allclose(coupled.work["motors"], plain.work["motors"], atol=1e-10)


def test_platform_follows_inverse_model() -> None:
    robot = gough()
    numbers = values_of(robot, np.random.default_rng(2))
    robot = robot.with_values({name: value for name, value in numbers.items() if not name.startswith("GAM")})
    pose = np.eye(4)
    pose[:3, 3] = [0.1, 0.2, 1.2]
    tau = np.full(6, 12.0)
    run = rs.simulate(robot, pose, [0.1, 0, 0, 0, 0.2, 0.1], tau, until=0.2)
    R = run.q[:, :9].reshape(-1, 3, 3)
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-10
    slope = np.gradient(run.qd, run.t, axis=0)[5:-5]
    asked = rs.inverse_dynamics(robot).compile()(pose=run.q[5:-5], twist=run.qd[5:-5], acceleration=slope)
    np.testing.assert_allclose(asked, np.broadcast_to(tau, asked.shape), atol=2e-2)


def test_static_friction_sticks_and_breaks_away() -> None:
    robot = flat_arm(FS1=3.0, FS2=1.0)
    still = rs.simulate(robot, [0, 0], torque=[2.9, 0.9], until=0.3)
    assert not still.q.any()
    away = rs.simulate(robot, [0, 0], torque=lambda t: [4 * np.sin(3 * t), 0], until=1)
    first = away.t[np.argmax(np.abs(away.qd[:, 0]) > 0)]
    assert first == pytest.approx(np.arcsin(3 / 4) / 3, abs=3e-3)
    ends = rs.simulate(robot, [0, 0], [2, -1], until=3)
    assert not ends.qd[-1].any() and not np.ptp(ends.q[-500:], axis=0).any()
    assert ends.work["friction"][-1] == pytest.approx(ends.kinetic[0], rel=5e-3)
    smooth = rs.simulate(robot, [0, 0], [2, -1], until=3, friction="smooth", smooth=1e-3, step=2e-4)
    np.testing.assert_allclose(smooth.q[-1], ends.q[-1], atol=5e-3)
    fine = rs.simulate(robot, [0, 0], [2, -1], until=3, step=0.1, method="dop853", smooth=1e-3, tolerance=1e-7)
    np.testing.assert_allclose(fine.q[-1], ends.q[-1], atol=5e-3)


def test_friction_of_legs_and_motors_is_smooth() -> None:
    """A platform moves like the same robot in joint coordinates, motors of a transmission like the joints."""
    robot = rs.load("delta")
    numbers = values_of(robot, np.random.default_rng(3))
    numbers |= {name: 2.0 for name in numbers if name.startswith("FS")}
    robot = robot.with_values({n: x for n, x in numbers.items() if not n.startswith(("QP", "QDP", "GAM"))})
    tau = np.array([1.0, -2.0, 3.0])
    run = rs.simulate(robot, torque=tau, until=0.2)
    pushed = rs.simulate(robot, controller=lambda t, q, qd: tau - 1, disturbance=[1, 1, 1], until=0.2)
    np.testing.assert_allclose(pushed.q, run.q, atol=1e-10)
    closed = robot.to_closed()
    motors = [closed.tree_joints.index(j) for j in closed.motors]
    loops = rs.simulate(closed, torque=tau, until=0.2, friction="smooth")
    np.testing.assert_allclose(rs.inverse_geometry(robot).solve(run.q), loops.q[:, motors], atol=1e-8)
    arm, K = flat_arm(FS1=3.0, FS2=1.0), np.array([[1, 0], [-0.5, 1]])
    coupled = rs.simulate(arm.with_transmission(K.tolist()), [0, 0], [2, -1], until=0.5)
    plain = rs.simulate(arm, [0, 0], K @ [2, -1], until=0.5, friction="smooth")
    np.testing.assert_allclose(coupled.q @ K.T, plain.q, atol=1e-10)
    for given in (robot, arm.with_transmission(K.tolist())):
        with pytest.raises(rs.InputError, match=r"in joint coordinates, found .*: use friction='smooth'"):
            rs.simulate(given, friction="stick", until=0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"actuators": {1: rs.Actuator(torque=2)}}, "actuators: .* has a {}: use robot"),
        ({"actuators": True}, "actuators: .* has a {}: use robot"),
        ({"stops": {1: (-1, 1)}}, "stops: expected a serial robot or a tree"),
    ],
)
def test_motors_and_stops_need_joints(given: dict[str, Any], message: str) -> None:
    driven = rs.load("planar2r").with_transmission([[1, 0], [1, 1]])
    for robot, what in ((rs.load("delta"), "platform"), (driven, "transmission")):
        with pytest.raises(rs.InputError, match=message.format(what)):
            rs.simulate(robot, until=0.1, **given)


def test_joint_slides_like_a_block() -> None:
    """The velocity of a single joint falls linearly and stays zero."""
    robot = flat_arm(FS1=2.0, FS2=100.0)
    run = rs.simulate(robot, [0, 0], [1.0, 0.0], until=2)
    inertia = 2 * run.kinetic[0]
    np.testing.assert_allclose(run.qd[:, 0], np.maximum(0, 1 - 2 / inertia * run.t), atol=2e-3)
    assert not run.qd[:, 1].any()


def test_motor_limits_and_stops() -> None:
    robot = flat_arm()
    motor = rs.Actuator(torque=2, ratio=5, speed=10, inertia=0.01)
    run = rs.simulate(robot, [0, 0], torque=[50.0, 0], until=3, actuators={1: motor})
    assert run.tau[:, 0].max() == pytest.approx(10) and 1.8 < run.qd[:, 0].max() < 2.1
    ends = rs.simulate(robot, [0, 0], [2, 0], until=3, stops={"t1": (-1, 1)})
    assert 1.0 < ends.q[:, 0].max() < 1.02 and -1.02 < ends.q[:, 0].min() <= 0
    assert (np.diff(ends.energy) < 1e-4).sum() > 100 and ends.energy[-1] <= ends.energy[0]
    with pytest.raises(rs.InputError, match="expected position limits in the description"):
        rs.simulate(robot, [0, 0], stops=True)


def test_cycle_stays_within_motor_limits() -> None:
    robot = flat_arm()
    motors = {1: rs.Actuator(torque=5), 2: rs.Actuator(torque=100)}

    def path(t: Any) -> Any:
        return [1 - np.cos(3 * t), 0 * t], None, None

    slow = rs.simulate(robot, until=2, step=5e-3, method="cycle", reference=lambda t: [x and [1 - np.cos(t / 2), 0 * t]
                       for x in (1, 0, 0)], actuators=motors)  # fmt: skip
    assert slow.reached is not None and slow.reached[2:].all()
    np.testing.assert_allclose(slow.q[:, 0], 1 - np.cos(slow.t / 2), atol=2e-2)
    fast = rs.simulate(robot, until=2, step=5e-3, method="cycle", reference=path, actuators=motors)
    assert fast.reached is not None and not fast.reached.all()
    assert np.abs(fast.tau[:, 0]).max() <= 5 + 1e-9
    assert np.abs(fast.q[:, 0] - (1 - np.cos(3 * fast.t))).max() > 0.05


def test_events_end_motion() -> None:
    robot = rs.load("planar2r")

    def lowest(t: float, q: Any, qd: Any) -> float:
        return float(qd[0])

    def far(t: float, q: Any, qd: Any) -> float:
        return float(q[0] + 1.0)

    far.terminal = True  # type: ignore[attr-defined]
    run = rs.simulate(robot, [0, 0], until=2, events={"far": far, "turned": lowest})
    assert len(run.events["far"]) == 1 and run.t[-1] <= run.events["far"][0]
    q, _ = rs.simulate(robot, [0, 0], until=2).at(run.events["far"][0])
    assert q[0] == pytest.approx(-1, abs=1e-6)


def test_writes_log_and_plot(tmp_path: Path) -> None:
    run = rs.simulate(rs.load("planar2r"), [0.1, 0.2], until=0.05)
    log = rs.Log(run.write(tmp_path / "run.csv"))
    np.testing.assert_allclose(log.q, run.q)
    with np.load(run.write(tmp_path / "run.npz")) as stored:
        np.testing.assert_array_equal(stored["qd"], run.qd)
    drawn = run.plot(tmp_path / "run.svg")
    assert "<polyline" in (tmp_path / "run.svg").read_text() and drawn._repr_svg_().startswith("<svg")
    for bad in ("run.txt", "run"):
        with pytest.raises(rs.FormatError, match=r"expected a \.csv or \.npz file"):
            run.write(tmp_path / bad)


def test_animation_is_self_contained(tmp_path: Path) -> None:
    run = rs.simulate(arm(), np.zeros(6), until=0.5)
    text = run.animate(tmp_path / "run.html").read_text(encoding="utf-8")
    assert "data-play" in text and not re.search(r"""(src|href)=["']?https?:|@import|fetch\(|XMLHttp""", text)
    motion = json.loads(re.search(r'"motion":(\{.*?\})\}', text)[1])  # type: ignore[index]
    assert motion["t"][0] == 0 and motion["t"][-1] == 0.5 and len(motion["poses"]) == len(motion["t"])
    last = np.array(motion["poses"][-1][6]).reshape(3, 4)
    T = rs.direct_geometry(arm(), 0, 6).compile()(q=run.q[-1])
    np.testing.assert_allclose(last, T[:3], atol=1e-4)
    with pytest.raises(rs.FormatError, match=r"expected \.html"):
        run.animate(tmp_path / "run.txt")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [np.nan, 0]}, "q: expected finite numbers, found nan"),
        ({"q": [0, 0, 0]}, "q: expected 2 numbers, found 3"),
        ({"q": "up"}, r"q: expected numbers of the shape \(..., 2\), found 'up'"),
        ({"qd": [0, np.inf]}, "qd: expected finite numbers, found inf"),
        ({"step": -1e-3}, "step: expected a positive time"),
        ({"until": 0}, "until: expected a positive time"),
        ({"step": 1e-12}, "expected fewer than 1e9"),
        ({"until": "long"}, "until: expected a positive time"),
        ({"every": 0}, "every: expected a positive number"),
        ({"torque": [1, 2, 3]}, "torque: expected a function of time or an array of shape"),
        ({"torque": [np.nan, 0]}, "torque: expected finite numbers, found nan"),
        ({"torque": lambda t: [1, 2, 3]}, r"tau at t = 0: expected 2 numbers, found 3"),
        ({"torque": lambda t: [np.nan, 1]}, "tau at t = 0: expected finite numbers"),
        ({"controller": lambda t, q, qd: [np.nan, 0]}, "controller: expected finite torques at t = 0 s"),
        ({"controller": lambda t, q, qd: [1, 2, 3]}, "controller: expected 2 torques at t = 0 s"),
        ({"controller": "pd"}, "controller: expected a Model or a function"),
        ({"parameters": {"M9": 1}}, "parameters: unknown symbol 'M9'"),
        ({"friction": "rust"}, "friction: expected 'stick', 'smooth', 'sign' or 'lugre'"),
        ({"stops": {7: (0, 1)}}, "stops: expected a joint of"),
        ({"stops": {1: (1, 0)}}, r"stops: joint 1: expected \(lower, upper\)"),
        ({"actuators": {1: 5}}, "actuators: expected an Actuator for joint 1"),
        ({"actuators": True}, "expected effort limits in the description"),
        ({"inputs": {"wind": 1}}, "inputs: unknown group 'wind'"),
        ({"base": [0] * 7}, "base: expected a robot with a floating base"),
        ({"memory": {"x": 0}}, "memory: expected an internal state of the controller, found 'x'"),
        ({"method": "cycle"}, "requires a reference and one actuator"),
        ({"qd": [1e200, 1e200]}, "the state is not finite after t = "),
        ({"q": np.zeros((2, 2)), "qd": np.zeros((3, 2))}, "q: expected initial values with compatible leading axes"),
        ({"period": 1e-9, "controller": lambda t, q, qd: -qd}, "period: expected at least one step"),
        ({"events": {"x": 5}}, "events: x: expected a function"),
        ({"robot": 5}, "simulate: expected a robot, found 5"),
        ({"friction": "stick", "method": "dop853"}, "friction: 'stick' requires a method with fixed steps"),
    ],
)  # fmt: skip
def test_rejects_invalid_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.Error, match=message):
        rs.simulate(**{"robot": rs.load("planar2r"), "q": [0, 0], "until": 0.01, **given})


def test_rejects_symbols_without_values_and_massless_links() -> None:
    with pytest.raises(rs.InputError, match="expected values for"):
        rs.simulate("rx90", np.zeros(6), until=0.01)
    massless = rs.load("planar2r").with_links([dict.fromkeys((*INERTIA, "IA"), 0)] * rs.load("planar2r").NL)
    with pytest.raises(rs.Error):
        rs.simulate(massless, [0, 0], until=0.01)


def test_rotor_and_friction_through_gear() -> None:
    """Rotor and viscous friction scale with the square of the ratio, Coulomb friction with the ratio."""
    robot, n = arm(), 7.0
    motor = rs.Actuator(torque=1e3, ratio=-n, inertia=0.01, viscous=0.02, coulomb=0.3)
    q, qd, tau = np.array([0.1, 0.4, -0.6, 0.2, 0.9, 0.3]), np.array([0.5, -0.4, 0.3, 0.2, -0.1, 0.6]), np.full(6, 2.0)
    motors = dict.fromkeys(range(1, 7), motor)
    run = rs.simulate(robot, q, qd, tau, until=1e-6, step=1e-6, actuators=motors, friction="sign")
    oracle = Oracle(robot, {})
    bias = oracle.efforts(q, qd, np.zeros(6), {})[0]
    A = np.column_stack([oracle.efforts(q, qd, e, {})[0] - bias for e in np.eye(6)]) + n * n * 0.01 * np.eye(6)
    qdd = np.linalg.solve(A, tau - bias - n * n * 0.02 * qd - n * 0.3 * np.sign(qd))
    np.testing.assert_allclose((run.qd[1] - run.qd[0]) / 1e-6, qdd, rtol=1e-4, atol=1e-4)


def test_rejects_motor_without_gear_ratio() -> None:
    with pytest.raises(rs.InputError, match="ratio"):
        rs.simulate(arm(), np.zeros(6), until=1e-3, actuators={1: rs.Actuator(torque=5, ratio=0, speed=3)})


def test_interpolation_matches_finer_steps() -> None:
    q, qd = np.array([[0.4, -0.3], [1.0, 2.0]])
    coarse = rs.simulate(rs.load("planar2r"), q, qd, until=0.2, step=1e-3, every=20)
    fine = rs.simulate(rs.load("planar2r"), q, qd, until=0.2, step=1e-3)
    for k in (3, 25, 77, 138, 194):  # close to and far from samples
        at_q, at_qd = coarse.at(fine.t[k])
        np.testing.assert_allclose(at_q, fine.q[k], atol=2e-5)
        np.testing.assert_allclose(at_qd, fine.qd[k], atol=5e-3)


def test_stabilizes_rotation_matrix() -> None:
    """The rate is 1/step, at most 100 1/s: exp(-50 t) of a distortion of 2e-4 is left."""
    robot = gough()
    numbers = values_of(robot, np.random.default_rng(2))
    robot = robot.with_values({name: value for name, value in numbers.items() if not name.startswith("GAM")})
    pose = np.eye(4)
    pose[:3, :3] *= 1 + 2e-4
    pose[:3, 3] = [0.1, 0.2, 1.2]
    run = rs.simulate(robot, pose, torque=np.full(6, 12.0), until=0.06, step=0.02, method="rk45", tolerance=1e-10)
    stretch = np.cbrt(np.linalg.det(run.q[:, :9].reshape(-1, 3, 3))) - 1
    np.testing.assert_allclose(stretch, 2e-4 * np.exp(-50 * run.t), rtol=2e-3)


def test_trajectory_has_its_own_efforts() -> None:
    """Constant efforts and one row per sample: torques and work equal those of a single run."""
    robot, q = rs.load("planar2r"), RNG.normal(size=(3, 2))
    constant = RNG.normal(size=(3, 2))
    for tau in (constant, constant[:, None] * np.linspace(0, 1, 51)[:, None]):
        runs = rs.simulate(robot, q, torque=tau, until=0.05)
        for k in range(3):
            one, alone = runs.trajectory(k), rs.simulate(robot, q[k], torque=tau[k], until=0.05)
            np.testing.assert_allclose(one.tau, np.broadcast_to(tau[k], (51, 2)), atol=1e-14)
            np.testing.assert_allclose(one.work["motors"], alone.work["motors"], atol=1e-12)
    with pytest.raises(rs.InputError, match=r"expected 1 indices into trajectories of shape \(3,\)"):
        runs.trajectory(1, 0)


def platform() -> rs.Parallel:
    robot = gough()
    numbers = values_of(robot, np.random.default_rng(2))
    return robot.with_values({name: value for name, value in numbers.items() if not name.startswith("GAM")})


def test_platform_interpolation_matches_finer_steps() -> None:
    pose = np.eye(4)
    pose[:3, 3] = [0.1, 0.2, 1.2]
    start: tuple[Any, ...] = (platform(), pose, [0.1, 0, 0, 0, 0.2, 0.1], np.full(6, 12.0))
    coarse, fine = rs.simulate(*start, until=0.1, every=10), rs.simulate(*start, until=0.1)
    for k in (23, 47, 71):
        q, qd = coarse.at(fine.t[k])
        np.testing.assert_allclose(q, fine.q[k], atol=2e-5)
        np.testing.assert_allclose(qd, fine.qd[k], atol=2e-3)


def test_draws_floating_robot_at_its_base(tmp_path: Path) -> None:
    robot = draw(3, links=3, floating=True, drives=False, wrenches=False, fixed_frames=False).robot
    n = len(robot.tree_joints)
    given: dict[str, Any] = {"base": [0.1, 0.2, 0.3, 1, 0.4, -0.3, 0.2], "base_velocity": [0.3, 2, 0.5, 1, 0.2, 3]}
    run = rs.simulate(robot, np.zeros(n), 0.5 * np.ones(n), until=0.2, **given)
    text = run.animate(tmp_path / "run.html").read_text(encoding="utf-8")
    poses = json.loads(re.search(r'"motion":(\{.*?\})\}', text)[1])["poses"]  # type: ignore[index]
    for k in (0, -1):
        x, y, z, w, a, b, c = run.state("base_pose")[k]
        base = np.eye(4)
        base[:3, :3], base[:3, 3] = Rotation.from_quat([a, b, c, w]).as_matrix(), [x, y, z]
        for j in range(1, robot.NF + 1):
            T = base @ rs.direct_geometry(robot, 0, j).compile()(q=run.q[k])
            np.testing.assert_allclose(np.array(poses[k][j]).reshape(3, 4), T[:3], atol=1e-4)


def test_pickles_without_user_functions() -> None:
    robot = rs.load("planar2r")
    law = rs.computed_torque(robot, kp=100, kd=20)
    for given in ({"torque": lambda t: [np.sin(3 * t), np.cos(2 * t)]}, {"torque": [1.0, 2.0]},
                  {"controller": law, "reference": {"q_desired": [0.5, 0.1]}},
                  {"controller": lambda t, q, qd: -qd}):  # fmt: skip
        run = rs.simulate(robot, [0.3, 0.2], until=0.1, **given)
        again = pickle.loads(pickle.dumps(run))
        np.testing.assert_array_equal(again.q, run.q)
        np.testing.assert_allclose(again.tau, run.tau, atol=1e-12)
        np.testing.assert_allclose(again.energy, run.energy, atol=1e-12)


def test_sampled_controller_with_all_integrators() -> None:
    """A Python controller, sampled every 10 ms, with a disturbance that changes with time."""

    def law(t: float, q: Any, qd: Any) -> Any:
        return 20 * (0.4 * np.sin(5 * t) - q) - 3 * qd

    given: dict[str, Any] = {"until": 0.3, "step": 0.01, "controller": law, "disturbance": lambda t: [np.sin(9 * t), t]}
    fine = rs.simulate(flat_arm(), [0.3, 0.2], **{**given, "step": 1e-3, "period": 0.01}, every=10)
    for method in ("dop853", "rk45", "rk5"):
        run = rs.simulate(flat_arm(), [0.3, 0.2], method=method, **given)
        np.testing.assert_allclose(run.q, fine.q, atol=1e-6)
        np.testing.assert_allclose(run.tau, fine.tau, atol=1e-4)


def test_several_trajectories() -> None:
    runs = rs.simulate(rs.load("planar2r"), np.zeros((2, 2)), until=0.01)
    assert str(runs) == repr(runs)[1:-1] == "Simulation of planar2r: 0.01 s, 11 samples, 2 trajectories"
    lines = str(runs.trajectory(0)).splitlines()
    assert lines[0] == "Simulation of planar2r: 0.01 s, 11 samples" and lines[1].split() == ["initial", "final"]
    first, last = (float(word) for word in lines[2].split()[1:3])
    assert first == 0 and last == pytest.approx(runs.q[0, -1, 0], rel=1e-5)
    for write in (runs.plot, lambda: runs.write("x.csv"), lambda: runs.animate("x.html")):
        with pytest.raises(rs.InputError, match="expected one trajectory, found several"):
            write()


def test_efforts_by_name_and_of_one_joint() -> None:
    robot = rs.load("planar2r")
    named = rs.simulate(robot, [0, 0], torque={"GAM1": 1.0, "GAM2": 2.0}, until=0.05)
    np.testing.assert_array_equal(named.q, rs.simulate(robot, [0, 0], torque=[1.0, 2.0], until=0.05).q)
    with pytest.raises(rs.InputError, match="torque: expected values for GAM2"):
        rs.simulate(robot, [0, 0], torque={"GAM1": 1.0}, until=0.05)
    wheel = rs.robot("wheel", frames=[{"theta": "t1"}], links=[{"XX": 1, "YY": 1, "ZZ": 0.5}], gravity=[0, 0, -9.81])
    for torque in (2.0, [2.0], lambda t: 2.0):
        run = rs.simulate(wheel, [0.0], torque=torque, until=0.5)
        np.testing.assert_allclose(run.q[:, 0], 2 * run.t**2, atol=1e-9)


def described(**limits: Any) -> rs.Robot:
    return flat_arm().edit({"joint1.limits": limits})


def test_motors_of_the_description() -> None:
    """Use the effort limit, and the speed limit if there is one."""
    still = rs.simulate(described(effort=10), [0, 0], torque=[50.0, 0], until=1, actuators=True)
    assert still.tau[:, 0].max() == pytest.approx(10) and still.qd[-1, 0] > 3
    slow = rs.simulate(described(effort=10, velocity=2), [0, 0], torque=[50.0, 0], until=2, actuators=True)
    assert slow.tau[:, 0].max() == pytest.approx(10) and 1.8 < slow.qd[:, 0].max() < 2.1


def test_cycle_respects_speed_and_position_limits() -> None:
    """The lower speed limit of motor and joint counts; a constant path is one position."""
    motors = {1: rs.Actuator(torque=5e4, ratio=-2, speed=3), 2: rs.Actuator(torque=5e4)}
    for robot, fastest in ((flat_arm(), 1.5), (described(velocity=1), 1.0), (described(velocity=9), 1.5)):
        run = rs.simulate(
            robot, [0, 0], [0, 0], until=1, step=5e-3, method="cycle", reference={"q_desired": [1.0, 0.0]},
            actuators=motors,
        )  # fmt: skip
        assert np.abs(run.qd[:, 0]).max() == pytest.approx(fastest)
        np.testing.assert_allclose(run.q[-1], [1.0, 0.0], atol=2e-2)
    bounded = rs.simulate(
        described(position=[-0.3, 0.4]), [0, 0], [0, 0], until=1, step=5e-3, method="cycle",
        reference={"q_desired": [1.0, 0.0]}, actuators=motors,
    )  # fmt: skip
    assert bounded.q[:, 0].max() == pytest.approx(0.4, abs=1e-9)


def test_outputs_of_a_controller() -> None:
    robot = flat_arm()
    with pytest.raises(rs.InputError, match="found 'residual' in a simulation without a controller"):
        rs.simulate(robot, [0, 0], until=0.01).output("residual")
    run = rs.simulate(robot, [0, 0], until=0.01, controller=rs.pd_gravity(robot, kp=9, kd=2),
                      reference={"q_desired": [0.5, 0.1]})  # fmt: skip
    np.testing.assert_allclose(run.output("tau")[0], [4.5, 0.9], atol=1e-9)
    with pytest.raises(rs.InputError, match="one of tau, found 'residual'"):
        run.output("residual")


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_events_of_one_direction(direction: int) -> None:
    """cos(10 t) falls through zero at Pi/20, rises at 3 Pi/20, and so on, up to the last interval."""

    def wave(t: float, q: Any, qd: Any) -> float:
        return float(np.cos(10 * t))

    wave.direction = direction  # type: ignore[attr-defined]
    run = rs.simulate(flat_arm(), [0, 0], until=1.1, step=0.01, events={"wave": wave})
    every = np.pi / 20 * np.arange(1, 9, 2)
    expected = {0: every, -1: every[::2], 1: every[1::2]}[direction]
    np.testing.assert_allclose(run.events["wave"], expected, atol=1e-9)


def test_events_at_a_sample_and_in_the_last_interval() -> None:
    def line(zero: float) -> Any:
        return lambda t, q, qd: t - zero

    def step(t: float, q: Any, qd: Any) -> float:
        return 0.0 if t >= 0.025 else -1.0

    events = {"sample": line(0.05), "last": line(0.0999), "first": line(0.0001), "start": line(0.0), "stays": step}
    run = rs.simulate(flat_arm(), [0, 0], until=0.1, step=0.01, events=events)
    found = {name: times.tolist() for name, times in run.events.items()}
    assert found["sample"] == pytest.approx([0.05]) and found["last"] == pytest.approx([0.0999])
    assert found["first"] == pytest.approx([0.0001]) and found["start"] == []
    assert found["stays"] == pytest.approx([0.03])


@pytest.mark.filterwarnings("ignore::robosym.errors.ModeWarning")
def test_rejects_full_turn_of_cut_joint_with_spring() -> None:
    """Its angle is known within half a turn only; friction that does not need the angle is accepted."""
    robot = masses(four_bar())
    (cut,) = robot.cut_joints
    start = np.asarray(rs.loop_geometry(robot).solve([0.7]))[0]
    spring = robot.edit({f"joint{cut}.eta": 1, f"joint{cut}.k": 1e-3})
    assert rs.simulate(spring, start, [1.0], until=0.2).drift.max() < 1e-12
    with pytest.raises(rs.InputError, match="the cut joint t4 turns by more than half a turn from 0"):
        rs.simulate(spring, start, [8.0], until=2)
    turned = rs.simulate(robot.edit({f"joint{cut}.FV": 1e-3}), start, [8.0], until=2)
    assert np.ptp(turned.q[:, 0]) > 2 * np.pi


def test_warns_about_gaps_and_rejects_open_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["robosym.simulation.simulate"]
    robot = masses(slider_crank(), L1=0.3, L2=0.8, H=0.1, g5=0.0)
    monkeypatch.setattr(module, "_WARNED", -1.0)
    with pytest.warns(rs.RobotWarning, match=r"have gaps of up to .*, first at t = 0 s: reduce the step"):
        rs.simulate(robot, [0.4], [1.0], until=0.01)
    monkeypatch.setattr(module, "_OPEN", -1.0)
    with pytest.raises(rs.InputError, match=r"have gaps of up to .*, first at t = 0 s: the motion passes a singular"):
        rs.simulate(robot, [0.4], [1.0], until=0.01)


def test_error_names_shapes_of_efforts() -> None:
    """Shapes of several trajectories are named only if there are several."""
    robot = rs.load("planar2r")
    one = r"of shape \(2,\), \(11, 2\) with one row per sample, found \(3,\)"
    with pytest.raises(rs.InputError, match=one):
        rs.simulate(robot, [0, 0], torque=[1, 2, 3], until=0.01)
    several = r"of shape \(2,\), \(11, 2\) with one row per sample, \(4, 2\) or \(4, 11, 2\), found \(3,\)"
    with pytest.raises(rs.InputError, match=several):
        rs.simulate(robot, np.zeros((4, 2)), torque=[1, 2, 3], until=0.01)


def test_curves_of_plot_match_samples(tmp_path: Path) -> None:
    """The points of every curve, converted by the axis labels, are the samples; the first ten have names."""
    t = np.linspace(0, 2, 9)
    values = np.column_stack([np.sin(3 * t + k) - 0.3 * k for k in range(12)])
    plot = Plot("a < b", t, {"q": (values, [f"t{k}" for k in range(12)]), "tau": (values[:, :1], ["x&y"])})
    root = ElementTree.fromstring(plot.svg())
    space = "{http://www.w3.org/2000/svg}"
    texts = root.findall(f"{space}text")
    below = [one for one in texts if one.get("text-anchor") == "middle" and one.text != "time [s]"]
    times = [(float(one.get("x", 0)), float(one.text or 0)) for one in below]
    by_time = np.polyfit(*zip(*times, strict=True), 1)
    levels = [(float(one.get("y", 0)) - 4, float(one.text or 0)) for one in texts if one.get("text-anchor") == "end"]
    curves = [one for one in root.findall(f"{space}polyline") if one.get("stroke-width") == "1.6"]
    assert len(curves) == 13
    for curve, column in zip(curves, [*values.T, values[:, 0]], strict=True):
        points = np.array([pair.split(",") for pair in curve.get("points", "").split()], dtype=float)
        middle = 60 + 150 + 17  # between the panels
        own = [(y, level) for y, level in levels if (y < middle) == (points[0, 1] < middle)]
        by_height = np.polyfit(*zip(*own, strict=True), 1)
        np.testing.assert_allclose(np.polyval(by_time, points[:, 0]), t, atol=0.01)
        np.testing.assert_allclose(np.polyval(by_height, points[:, 1]), column, atol=0.02 * np.ptp(values))
    names = [one.text for one in texts if one.get("font-size") == "11.5"]
    assert names == [*(f"t{k}" for k in range(12)), "x&y"]
    for name in ("run.html", "run.htm"):
        assert "<svg" in plot.write(tmp_path / name).read_text() and "a &lt; b" in (tmp_path / name).read_text()
    with pytest.raises(rs.FormatError, match=r"expected \.svg, \.png or \.html, found \.pdf"):
        plot.write(tmp_path / "run.pdf")


def test_batch_of_closed_robots_starts_at_active_joints() -> None:
    robot = masses(slider_crank(), L1=0.3, L2=0.8, H=0.1, g5=0.0)
    q = np.linspace(0.4, 0.9, 6).reshape(2, 3, 1)
    runs = rs.simulate(robot, q, until=0.01)
    assert runs.q.shape == (2, 3, 11, 3)
    for place in np.ndindex(2, 3):
        np.testing.assert_allclose(runs.q[place], rs.simulate(robot, q[place], until=0.01).q, atol=1e-12)


def test_robot_has_given_values() -> None:
    robot = rs.load("planar2r").with_links([{"FV": "FV1"}, {}, {}])
    run = rs.simulate(robot, [0, 0], until=0.01, parameters={"FV1": 0.5})
    assert float(run.robot.link(1).FV) == 0.5 and "FV1" not in run.robot.parameters


def test_energy_requires_more_parameters_than_motion() -> None:
    robot = rs.load("planar2r").edit({"gravity": [0, -9.81, -1.0], "link1.MZ": "MZ1"})
    run = rs.simulate(robot, until=0.05, step=0.01)
    with pytest.raises(rs.InputError, match="expected values for MZ1"):
        _ = run.energy
