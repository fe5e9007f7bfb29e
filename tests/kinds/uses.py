"""Parameters, identification, control, simulation and files on every kind of robot."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin

import robosym as rs
from cases.wasm import WasmModule
from kinds.models import (
    BALANCE,
    NUMPY,
    PINOCCHIO,
    SUBSTITUTION,
    cell,
    geometric_jacobian,
    last_frame,
    same,
)
from kinds.states import TRANSMISSION, Array, Linked, Platform, State
from oracles.constrained import Constrained
from oracles.geometric_errors import difference_columns
from oracles.parallel import all_joints
from oracles.reduced import Reduced
from oracles.regressor import base_difference
from robosym.algebra import evaluate
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.coordinates.platform_poses import pose_matrices
from robosym.mechanism import GEOMETRY, INERTIA, Robot
from robosym.parameters.geometric.followed import followed_passive
from robosym.simulation.planning.joint_efforts import JointEfforts

KP, KD = 3.0, 0.7


def standard(s: State, model: Any) -> Array:
    """Return the values of the columns of an identification model, including grouped parameters."""
    if not isinstance(s, Linked):
        K: dict[str, float] = dict(s.values)
    else:
        links = [(0, s.joints.base.link)] * s.truth.floating + list(enumerate(s.joints.links, 1))
        fields = (*INERTIA, "IA", "FV", "FS")
        K = {f"{f}{j}": evaluate([getattr(link, f)], {})[0] for j, link in links for f in fields if link is not None}
    K |= {c: sum(K[name] * share for name, share in holds.items()) for c, holds in model.grouping.items()}
    return np.array([K[name] for name in model.columns])


# ------------------------------------------------- parameters, identification


@cell
def base_parameters(s: State) -> str:
    """Their number is the rank of the regressor, and they give the same torques."""
    if isinstance(s, Linked):
        robot: Any = s.robot
        found = rs.base_parameters(robot)
        if not robot.constrained:
            values = {**s.truth.values, **dict.fromkeys(robot.parameters, 0.3)}
            rank, apart = base_difference(robot, found, values, s.rng, joints_only=s.kind == "mobile")
            assert len(found.names) == rank and apart < 1e-11
            return NUMPY
        reduced = rs.inverse_dynamics(found.robot)
        parameters = {**dict.fromkeys(reduced.inputs.get("parameters", ()), 0.0), **found.values({})}
        same(s.of(reduced, parameters=parameters)["tau"], s.inputs["tau"])
        return PINOCCHIO
    found = rs.base_parameters(s.robot)
    reduced = rs.inverse_dynamics(found.robot)
    same(s.of(reduced, parameters={**s.values, **found.values(s.values)})["tau"], s.inputs["tau"])
    return PINOCCHIO


def _lengths(s: State) -> dict[str, float]:
    """Return the values of the symbols of a robot, without those of gravity as an input of models."""
    return {name: value for name, value in s.values.items() if name in s.robot.parameters}


@cell
def geometric_parameters(s: State) -> str:
    """Finite differences of the pose confirm the columns of the Jacobian, and their rank is the number."""
    found = rs.geometric_parameters(s.robot, values=_lengths(s))
    setting, kinematics = found.setting, found.setting.kinematics
    sensors, passive = setting.random_postures(60)
    posture = kinematics.at(np.zeros(len(setting.parameters)), sensors, passive)
    columns = [n for n, p in enumerate(setting.parameters) if p.name not in found.impossible]
    table = posture.columns[..., columns].reshape(-1, len(columns))
    sizes = np.linalg.norm(table, axis=0)
    assert len(found) == np.linalg.matrix_rank(table / np.where(sizes > 1e-9, sizes, 1.0), 1e-8)
    edited = [n for n in columns if setting.parameters[n].kind in GEOMETRY][:: 1 if isinstance(s, Linked) else 15]
    names = [(setting.parameters[n].frame, setting.parameters[n].kind) for n in edited]
    positions = [dict(zip(kinematics.tree.names, map(float, q), strict=True)) for q in posture.joints[:2]]
    differences = difference_columns(setting.robot, setting.end, names, positions, setting.values)
    same(posture.columns[:2][..., edited], differences, 1e-5)
    return NUMPY


def _calibrated(s: State) -> tuple[Any, Array]:
    """Return positions of the sensors at reachable postures and a description with other lengths."""
    found = rs.geometric_parameters(s.robot, values=_lengths(s))
    return found, found.setting.random_postures(24)[0]


@cell
def calibration_postures(s: State) -> str:
    """The condition is that of NumPy for the chosen rows, and better than that of the first postures of the pool."""
    found, q = _calibrated(s)
    chosen = rs.calibration_postures(s.robot, 12, pool=q.tolist(), values=_lengths(s))
    setting = found.setting.with_parameters(found.parameters)

    def volume(rows: Array) -> tuple[float, float]:
        passive = followed_passive(setting, rows)
        table = setting.rows(setting.kinematics.at(np.zeros(len(found)), rows, passive)).copy()
        table[:, :3] /= setting.reach
        table = table.reshape(-1, len(found))
        return float(np.linalg.slogdet(table.T @ table)[1]), float(
            np.linalg.cond(table / np.linalg.norm(table, axis=0))
        )

    assert {*map(tuple, chosen.q.tolist())} <= {*map(tuple, q.tolist())}
    assert volume(chosen.q)[0] >= max(volume(q[:12])[0], volume(q[12:24])[0])
    same(chosen.condition, volume(chosen.q)[1], 1e-6)
    return NUMPY


@cell
def calibrate(s: State) -> str:
    """Lengths that were changed are found again, from poses of the changed robot."""
    found, q = _calibrated(s)
    setting, robot = found.setting, found.setting.robot
    p = next(p for p in found.parameters if p.kind in ("d", "r", "b") and p.name not in found.missed)
    frames = list(robot.frames)
    frames[p.frame - 1] = replace(frames[p.frame - 1], **{p.kind: getattr(frames[p.frame - 1], p.kind) + 2e-3})
    real = NumericRobot(replace(robot, frames=tuple(frames)), setting.values)
    motors = setting.kinematics.sensors
    passive = followed_passive(setting, q)
    names = setting.kinematics.tree.names
    poses = []
    for row, others in zip(q, passive, strict=True):
        values = np.zeros(len(names))
        values[setting.kinematics.sensor_columns], values[setting.kinematics.passive_columns] = row, others
        closed = real.closed(dict(zip(names, map(float, values), strict=True)), motors)
        poses.append(real.poses(closed)[setting.end])
    made = rs.calibrate(s.robot, {"q": q, "pose": np.array(poses)}, base=[0, 0, 0], values=_lengths(s))
    same(made[p.name], 2e-3, 1e-6)
    assert max(made.fit.rms().values()) < 1e-6
    return SUBSTITUTION


@cell
def dynamic_identification(s: State) -> str:
    D = rs.dynamic_identification(s.robot)
    given: dict[str, Any] = {"qdd": s.truth.yd} if isinstance(s, Linked) else {}
    right = s.inputs["tau"]
    if isinstance(s, Linked):
        right = np.concatenate(s.truth.efforts(s.truth.qdd, s.truth.base_a)[1 - s.truth.floating :])
        if not s.truth.floating:
            right = s.truth.tau
    same(s.of(D, **given)["D"] @ standard(s, D), right)
    return PINOCCHIO


def _energy(s: State) -> float:
    if isinstance(s, Linked):
        return sum(s.truth.energies())
    closed = s.robot.to_closed()
    oracle = _closed_oracle(s)
    kinetic = pin.computeKineticEnergy(oracle.model, oracle.model.createData(), oracle.pin_q, oracle.pin_v)
    potential = pin.computePotentialEnergy(oracle.model, oracle.model.createData(), oracle.pin_q)
    rotors = evaluate([closed.link(j).IA for j in closed.tree_joints], s.values)
    return float(kinetic + potential + np.array(rotors) @ oracle.qd**2 / 2)


def _closed_oracle(s: State) -> Any:
    """Return Pinocchio's tree of a platform at its state."""
    from oracles.constrained import Constrained

    closed, joints = s.robot.to_closed(), all_joints(s.robot, s.all_joints)
    constrained = Constrained(closed, {**s.values, **joints})
    q = np.array([joints[closed.variable(j)] for j in closed.tree_joints])
    motors = [j for j in closed.tree_joints if closed.frame(j).mu]
    qd = constrained.consistent(q, dict(zip(motors, map(float, s.truth.qd), strict=True)))
    found: Any = constrained.oracle
    found.pin_q, found.pin_v, found.qd = found.q(q), found.v(qd), qd
    return found


@cell
def energy_identification(s: State) -> str:
    h = rs.energy_identification(s.robot)
    same(np.ravel(s.of(h)["h"] @ standard(s, h)), [_energy(s)])
    return PINOCCHIO


@cell
def power_identification(s: State) -> str:
    dh = rs.power_identification(s.robot)
    given: dict[str, Any] = {"qdd": s.truth.yd} if isinstance(s, Linked) else {}
    power = s.truth.tau @ (s.truth.y if isinstance(s, Linked) else s.truth.qd)
    if isinstance(s, Linked) and s.truth.floating:
        power += s.truth.efforts(s.truth.qdd, s.truth.base_a)[0] @ s.truth.base_velocity
    same(np.ravel(s.of(dh, **given)["dh"] @ standard(s, dh)), [power])
    return PINOCCHIO


@cell
def filtered_identification(s: State) -> str:
    """(d/dt D1 + D2) K are the torques, with the rate by differences along the motion."""
    model = rs.filtered_identification(s.robot)
    K, step = standard(s, model), 1e-5
    if isinstance(s, Linked):
        ends = [s.truth.later(sign * step) for sign in (1, -1)]
        rates = [s.of(model, q=end.q, qd=end.y, base_velocity=end.base_velocity)["D1"] @ K for end in ends]
        right = np.concatenate(s.truth.efforts(s.truth.qdd, s.truth.base_a))[-len(rates[0]) :]
    else:
        t, rates, right = s.truth, [], s.truth.tau
        for sign in (1, -1):
            h = sign * step
            R, w = t.pose[:9].reshape(3, 3), t.twist[3:]
            turned = R + h * np.cross(w, R.T).T
            P = t.pose[9:] + h * t.twist[:3] + h * h / 2 * t.acceleration[:3]
            rates.append(s.of(model, pose=[*turned.ravel(), *P], twist=t.twist + h * t.acceleration)["D1"] @ K)
    same((rates[0] - rates[1]) / (2 * step) + s.of(model)["D2"] @ K, right, 1e-6)
    return PINOCCHIO


def _motion(s: Linked, count: int, load: float = 0.0) -> rs.Motion:
    """Return random states and Pinocchio's torques, one per row."""
    rng, rows = np.random.default_rng(11), []
    joints = without_passive_friction(s.joints)
    joints = joints.with_payload(END.get(s.kind, 2), load, (0.05, 0.02, 0.1)) if load else joints
    geometry = rs.loop_geometry(joints) if s.kind == "closed" else None
    for _ in range(count):
        q = rng.uniform(-1.5, 1.5, len(joints.tree_joints))
        if geometry is not None:
            around = s.truth.q[s.truth.active] + rng.uniform(-0.3, 0.3, 3)
            q = np.array(geometry.solve(around, near=s.truth.q)[0])
        t = Reduced(joints, q, rng)
        rows.append((q[t.active], t.y, t.yd, t.tau, t.base_velocity, t.base_acceleration))
    q, qd, qdd, tau, velocity, acceleration = (np.array(part) for part in zip(*rows, strict=True))
    base = {"base_velocity": velocity, "base_acceleration": acceleration} if s.truth.moving else {}
    return rs.Motion(np.arange(count) * 0.01, q, qd, qdd, tau, radians=True, base=base)


END = {"serial": 6}  #: link that carries a payload; default: 2


def without_passive_friction(robot: Robot) -> Robot:
    """Return the robot without passive friction: `identify` estimates friction and rotors of motors."""
    passive = [j for j in robot.tree_joints if robot.loops and not robot.frame(j).mu]
    return robot.edit({f"link{j}.{name}": 0 for j in passive for name in ("IA", "FV", "FS")}) if passive else robot


def _platform_motion(s: Platform) -> rs.Motion:
    """Return a smooth motion: poses and rates of the platform, and the corresponding motor positions."""
    t = np.linspace(0, 3, 400)
    place, twist, acceleration = np.zeros((3, len(t), 3))
    for k, w in enumerate((2.1, 3.3, 2.7)):
        place[:, k], twist[:, k], acceleration[:, k] = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
    size, none = 0.05, np.zeros_like(place)
    poses = np.hstack([np.tile(s.truth.pose[:9], (len(t), 1)), s.truth.pose[9:] + size * place])
    robot = s.robot.with_values(s.values)
    motion = {"twist": np.hstack([size * twist, none]), "acceleration": np.hstack([size * acceleration, none])}
    tau = rs.inverse_dynamics(robot).compile()(pose=poses, **motion)
    q = np.array(rs.inverse_geometry(robot).solve(poses))
    qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    return rs.Motion(t, q, qd, qdd, tau, radians=True)


@cell
def identify(s: State) -> str:
    if isinstance(s, Platform):
        motion = _platform_motion(s)
        found = rs.identify(s.robot.with_values(s.values), motion)
        same(found.predict(motion), motion.tau, 1e-3)
        return SUBSTITUTION
    if not isinstance(s, Linked) or not (identified(s) or s.truth.moving):
        rs.identify(s.robot, any_motion(s))
    motion = _motion(s, 60)
    same(rs.identify(without_passive_friction(s.joints), motion).predict(motion), motion.tau, 1e-6)
    return PINOCCHIO


def any_motion(s: State) -> rs.Motion:
    """Return arrays of the expected shape, for robots that are rejected."""
    tau = np.asarray(s.inputs["tau"])
    q, qd, qdd, efforts = s.rng.uniform(-1, 1, (4, 60, len(tau)))
    return rs.Motion(np.arange(60) * 0.01, q, qd, qdd, efforts, radians=True)


def identified(s: State) -> bool:
    return s.kind in ("serial", "tree", "closed")


@cell
def identify_payload(s: State) -> str:
    if not isinstance(s, Linked) or not identified(s):  # only `identify` provides an initial estimate
        motion = _platform_motion(s) if isinstance(s, Platform) else any_motion(s)
        robot = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
        rs.identify_payload(rs.identify(robot, motion), motion)
    alone, loaded = _motion(s, 60), _motion(s, 60, load=1.5)
    found = rs.identify_payload(rs.identify(s.robot, alone), loaded)
    same([dict(zip(found.names, found.values, strict=True))[f"M{END.get(s.kind, 2)}"]], [1.5], 1e-6)
    return PINOCCHIO


@cell
def identify_drives(s: State) -> str:
    """The gains of the drives are recovered from torques in other units."""
    if not isinstance(s, Linked) or not identified(s):
        robot = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
        rs.identify_drives(robot, any_motion(s), any_motion(s), 1.5)
    gains = np.linspace(2, 3, len(s.truth.y))
    alone, loaded = (_motion(s, 80, load) for load in (0.0, 1.5))
    motions = [rs.Motion(m.t, m.q, m.qd, m.qdd, m.tau / gains, radians=True) for m in (alone, loaded)]
    found = rs.identify_drives(without_passive_friction(s.joints), motions[0], motions[1], 1.5)
    values = dict(zip(found.names, found.values, strict=True))
    same([values[name] for name in values if name.startswith("K")], gains, 1e-6)
    return PINOCCHIO


@cell
def exciting_trajectory(s: State) -> str:
    """The reported condition is that of the scaled torque regressor along the motion."""
    limits = {"position": 1.0, "velocity": 2.0, "acceleration": 8.0}
    found = rs.exciting_trajectory(s.robot, limits, period=4.0, harmonics=3, starts=1, workers=1)
    t = found.times(100.0)
    motion = found.at(t)
    for values, most in zip(motion, (1.0, 2.0, 8.0), strict=True):
        assert np.abs(values).max() <= most * (1 + 1e-9)
    same(motion.qd, np.gradient(motion.q, t, axis=0), 0.05)
    return NUMPY


# ------------------------------------------------------------------- control


def _gaps(s: Linked) -> dict[str, Any]:
    """Return a desired motion that differs slightly from the actual one."""
    t = s.truth
    q = s.position if s.kind == "transmission" else t.q[t.active]
    return {"q_desired": q + 0.1, "qd_desired": t.y - 0.2, "qdd_desired": t.yd}


def _at_desired(s: Linked) -> dict[str, Any]:
    t = s.truth
    q = s.position if s.kind == "transmission" else t.q[t.active]
    return {"q_desired": q, "qd_desired": t.y, "qdd_desired": t.yd}


@cell
def computed_torque(s: Linked) -> str:
    found = s.of(rs.computed_torque(s.robot, kp=KP, kd=KD), **_gaps(s))["tau"]
    wanted, t, first = s.truth.yd + KP * 0.1 - KD * 0.2, s.truth, s.truth.first
    right = t.inertia[first:, first:] @ wanted + t.bias()[1]
    if t.floating:
        M = t.inertia
        right += M[6:, :6] @ np.linalg.solve(M[:6, :6], -(t.bias()[0] + M[:6, 6:] @ wanted))
    same(found, right)
    return PINOCCHIO


def _model_at_desired(s: Linked, law: Any) -> str:
    same(s.of(law(s.robot, kp=KP, kd=KD), **_at_desired(s))["tau"], s.truth.free_tau)
    return PINOCCHIO


@cell
def predictive_control(s: Linked) -> str:
    return _model_at_desired(s, rs.predictive_control)


@cell
def feedforward(s: Linked) -> str:
    return _model_at_desired(s, rs.feedforward)


@cell
def pd_gravity(s: Linked) -> str:
    found = s.of(rs.pd_gravity(s.robot, kp=KP, kd=KD), **_gaps(s))["tau"]
    same(found, s.truth.gravity[1] + KP * 0.1 - KD * 0.2)
    return PINOCCHIO


@cell
def adaptive_control(s: Linked) -> str:
    """With true parameters and zero error, the law is the inverse model."""
    law = rs.adaptive_control(s.robot, rate=2.0, kd=1.0, learning=0.1, base_parameters=False, friction=None)
    D = rs.dynamic_identification(s.robot)
    same(s.of(law, **_at_desired(s), estimate=standard(s, D))["tau"], s.truth.tau)
    return PINOCCHIO


@cell
def momentum_observer(s: Linked) -> str:
    """The momentum changes as in Pinocchio, and the residual is zero."""
    model, t, step = rs.momentum_observer(s.robot, gain=5.0, friction="yes"), s.truth, 1e-6
    more = {"tau": t.tau} if t.moving else {}  # of the motion of the base, too
    found = s.of(model, momentum=(t.inertia @ t.velocity)[t.first :] if t.moving else t.inertia @ t.y, **more)
    same(found["residual"], 0 * t.y)
    ends = [t.later(sign * step) for sign in (1, -1)]
    after, before = ((e.inertia @ e.velocity)[e.first :] if e.moving else e.inertia @ e.y for e in ends)
    rate = (after - before) / (2 * step)
    same(found["momentum_rate"], rate, 1e-6)
    return PINOCCHIO


def _pose_inputs(s: Linked) -> dict[str, Any]:
    j, t = last_frame(s), s.truth
    V, A = t.frames(t.base_a, t.qdd, pin.LOCAL_WORLD_ALIGNED)
    return {"T": t.pose(j).ravel(), "twist_desired": V[j - 1], "acceleration_desired": A[j - 1]}


@cell
def operational_control(s: Linked) -> str:
    law = rs.operational_control(s.robot, last_frame(s), kp=KP, kd=KD)
    inputs = _pose_inputs(s)
    inputs["T"] = _entries(law, inputs["T"])
    same(s.of(law, **inputs)["tau"], s.truth.tau, 1e-7)
    return PINOCCHIO


def _entries(model: rs.Model, T: Array) -> Array:
    return T if len(model.inputs["T"]) == 16 else T[:12]


@cell
def impedance_control(s: Linked) -> str:
    law = rs.impedance_control(s.robot, last_frame(s), stiffness=50.0, damping=4.0)
    inputs, J = _pose_inputs(s), geometric_jacobian(s, last_frame(s))
    inputs["T"] = _entries(law, inputs["T"])
    inputs["twist_desired"] = inputs["twist_desired"] + [0.1, 0, 0, 0, 0, 0.2]
    same(s.of(law, **inputs)["tau"], s.truth.gravity[1] + J.T @ (4.0 * np.array([0.1, 0, 0, 0, 0, 0.2])))
    return PINOCCHIO


@cell
def inverse_kinematics(s: Linked) -> str:
    """Rates computed for the twist of the link reproduce it."""
    j = last_frame(s)
    found = rs.inverse_kinematics(s.robot, j)
    twist = s.truth.frames(s.truth.base_a, s.truth.qdd, pin.LOCAL_WORLD_ALIGNED)[0][j - 1]
    rates = np.asarray(found.rates(s.truth.q, twist))
    again = Reduced(s.joints, s.truth.q, np.random.default_rng(0))
    again.qd, again.pin_v = rates, again.oracle.v(rates)
    same(again.frames(again.base_a, again.qdd, pin.LOCAL_WORLD_ALIGNED)[0][j - 1], twist, 1e-7)
    if s.robot.constrained:
        same(rates[again.passive], (again.G @ rates[again.active])[again.passive], 1e-7)
    return PINOCCHIO


@cell
def achievable_accelerations(s: Linked) -> str:
    """Motors limited to half of the required torque, by the inertia matrix."""
    joints = s.joints.tree_joints if isinstance(s, Linked) else range(1, 4)
    limits = {j: rs.Actuator(10.0) for j in joints}
    if not isinstance(s, Linked):
        rs.achievable_accelerations(s.robot, limits)
    t = s.truth
    found = s.of(rs.achievable_accelerations(s.robot, limits, others="torque"))
    M, first = t.inertia, t.first
    A = M[first:, first:]
    if t.floating:
        A = A - M[first:, :first] @ np.linalg.solve(M[:first, :first], M[:first, first:])
    same(found["qdd"], t.yd + np.linalg.solve(A, np.clip(t.free_tau, -10, 10) - t.free_tau))
    return PINOCCHIO


@cell
def motor_loads(s: State) -> str:
    """Pinocchio confirms the torques along a motion of the motors; gears divide them."""
    robot, start = _motor_position(s)
    shape = np.linspace(0.01, 0.03, len(start))

    def motion(t: float) -> tuple[Array, ...]:
        rates = np.sin(9 * t), 9 * np.cos(9 * t), -81 * np.sin(9 * t)
        return tuple(start * (k == 0) + shape * rate for k, rate in enumerate(rates))

    t = np.linspace(0, 0.1, 30)
    q, qd, qdd = (np.array(part) for part in zip(*map(motion, t), strict=True))
    loads = rs.motor_loads(robot, {"t": t, "q": q, "qd": qd, "qdd": qdd}, drives=10)
    found = SimpleNamespace(efforts=JointEfforts(robot))
    same(10 * loads.torque[17], _efforts_along(s, found, found.efforts.all_joints(q)[17], qd[17], qdd[17]), 1e-7)
    return PINOCCHIO


def _motor_position(s: State) -> tuple[Robot, Array]:
    """Return a robot without symbols, and the positions of its motors in the state."""
    if isinstance(s, Linked):
        return s.robot, np.array(s.place[s.truth.active])
    return s.robot.with_values(s.values), np.array([s.all_joints[name] for name in s.robot.motor_names])


def _efforts_along(s: State, found: Any, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the motor torques for rates and accelerations of the independent joints at a position of all joints."""
    closed: Robot = found.efforts.robot
    if isinstance(s, Linked):
        moved = s.kind == "transmission"
        truth = (
            Reduced(closed.in_joints(), TRANSMISSION @ q, s.rng, TRANSMISSION) if moved else Reduced(closed, q, s.rng)
        )
        truth.y, truth.yd, truth.qd = qd, qdd, truth.G @ qd
        truth.pin_v = truth.oracle.v(truth.qd)
        if s.kind == "floating":
            M = truth.inertia  # in free flight, the momentum is zero
            w, v = np.split(-np.linalg.solve(M[:6, :6], M[:6, 6:] @ qd), 2)
            truth.pin_v[:6], truth.still[:3] = [*v, *w], -np.cross(w, v)
            return truth.free_tau
        truth.drift = truth._drift()
        truth.qdd = truth.G @ qdd + truth.drift
        return truth.tau
    joints = all_joints(s.robot, s.all_joints) if isinstance(s, Platform) else s.all_joints
    oracle = Constrained(closed, {**s.values, **joints})
    motors = list(found.efforts.joints)
    rates = oracle.consistent(q, dict(zip(motors, map(float, qd), strict=True)))
    changes = oracle.following(q, rates, dict(zip(motors, map(float, qdd), strict=True)))
    return np.asarray(oracle.efforts(q, rates, changes, motors)[0])


@cell
def time_optimal_motion(s: State) -> str:
    """One joint and one limit at least are used up, and Pinocchio confirms the torques on the way."""
    robot, start = _motor_position(s)
    path = start + np.array([[0.0], [0.02], [0.05]])
    found = rs.time_optimal_motion(robot, path, {"velocity": 1.0, "torque": 400.0}, points=20)
    used = np.concatenate(list(found.utilization.values()), axis=1).max(axis=1)
    assert used.max() <= 1 + 1e-8 and np.median(used) > 0.999
    t = (found.t[7] + found.t[8]) / 2
    q, qd, qdd = found.at(t)
    same(found.torques(t), _efforts_along(s, found, found.efforts.all_joints(q[None])[0], qd, qdd), 1e-7)
    return PINOCCHIO


def _quintic(start: Array, way: Array, x: float, duration: float) -> tuple[Array, Array, Array]:
    """Return the textbook's quintic polynomial at a part x of its duration."""
    p = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
    return start + p(x) * way, p.deriv()(x) * way / duration, p.deriv(2)(x) * way / duration**2


@cell
def joint_trajectory(s: State) -> str:
    start = np.linspace(0.1, 0.4, len(s.robot.motor_names))
    way = np.linspace(-0.5, 0.7, len(start))
    found = rs.joint_trajectory(s.robot, [start, start + way], duration=1.6)
    same(np.array(found.at(0.4)), np.array(_quintic(start, way, 0.25, 1.6)))
    return NUMPY


@cell
def trajectory_generator(s: State) -> str:
    start = np.linspace(0.1, 0.4, len(s.robot.motor_names))
    way, still = np.linspace(-0.5, 0.7, len(start)), np.zeros(2 * len(start))
    ends = {"start": np.append(start, still), "goal": np.append(start + way, still)}
    found = rs.trajectory_generator(s.robot).compile()(time=[0.4], duration=[1.6], **ends)
    same(np.array(found), np.array(_quintic(start, way, 0.25, 1.6)))
    return NUMPY


# ---------------------------------------------------------------- simulation


@cell
def simulate(s: State) -> str:
    """The velocities change by the accelerations of the oracle."""
    step = 1e-5
    run: dict[str, Any] = {"until": 4 * step, "step": step, "friction": "sign", "torque": s.inputs["tau"]}
    if isinstance(s, Linked):
        base: dict[str, Any] = {"base_velocity": s.truth.base_velocity} if s.kind == "floating" else {}
        if s.kind == "mobile":
            given = ("base_velocity", "base_acceleration")
            base = {"inputs": {group: (lambda t, group=group: s.inputs[group]) for group in given}}
        start, end = _ends(rs.simulate(s.robot, s.position, s.truth.y, **base, **run), step)
        same((end - start) / (4 * step), s.accelerations, 3e-3)
        return PINOCCHIO
    if isinstance(s, Platform):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = s.truth.pose[:9].reshape(3, 3), s.truth.pose[9:]
        start, end = _ends(rs.simulate(s.robot, T, s.truth.twist, parameters=s.values, **run), step)
        same((end - start) / (4 * step), s.truth.acceleration, 3e-3)
        return PINOCCHIO
    closed = s.robot.to_closed()
    motors = {name: k for k, name in enumerate(s.robot.motor_names)}
    active = [closed.variable(j) for j in closed.tree_joints if closed.frame(j).mu]
    q = [s.all_joints[closed.variable(j)] for j in closed.tree_joints]
    order = [motors[name] for name in active]
    run["torque"] = s.truth.tau[order]
    found = rs.simulate(s.robot, q, s.truth.motors[order], parameters=s.values, **run)
    start, end = _ends(found, step)
    gantry = [k for k, name in enumerate(active) if name.startswith("x")]
    same(((end - start) / (4 * step))[gantry], s.truth.qdd, 3e-3)
    return PINOCCHIO


@cell
def state_derivative(s: State) -> str:
    """The rates of the velocities are the accelerations of the oracle, those of the positions the velocities."""
    model = rs.state_derivative(s.robot, "sign")
    if isinstance(s, Linked):
        t = s.truth
        pose = [0.3, -0.2, 0.1, 1, 0, 0, 0]
        known = {"base_pose": pose, "q": s.position, "base_velocity": t.base_velocity, "qd": t.y}
        rates = {"qd": s.accelerations, "q": t.y if s.kind == "transmission" else t.qd}
        if s.kind == "floating":
            w, v = np.split(t.base_velocity, 2)
            rates["base_velocity"] = t.yields - [0, 0, 0, *np.cross(w, v)]
            rates["base_pose"] = np.array([*v, 0, *w / 2])
    elif isinstance(s, Platform):
        known, rates = {"pose": s.truth.pose, "twist": s.truth.twist}, {"twist": s.truth.acceleration}
    else:
        closed, motors = s.robot.to_closed(), [*s.robot.motor_names]
        active = [closed.variable(j) for j in closed.tree_joints if closed.frame(j).mu]
        order = [motors.index(name) for name in active]
        known = {"q": [s.all_joints[closed.variable(j)] for j in closed.tree_joints], "qd": s.truth.motors[order]}
        found = s.of(model, x=np.concatenate(list(known.values())), tau=s.truth.tau[order])["xdot"]
        gantry = [k for k, name in enumerate(active) if name.startswith("x")]
        same(found[len(known["q"]) :][gantry], s.truth.qdd)
        return PINOCCHIO
    found = s.of(model, x=np.concatenate([known[group] for group, _ in model.state]))["xdot"]
    ends = np.cumsum([len(names) for _, names in model.state])[:-1]
    parts = dict(zip((group for group, _ in model.state), np.split(found, ends), strict=True))
    for group, rate in rates.items():
        same(parts[group], rate)
    return PINOCCHIO


def _ends(found: rs.Simulation, step: float) -> tuple[Array, Array]:
    return np.asarray(found.qd)[0], np.asarray(found.qd)[-1]


# ------------------------------------------------------------------ platforms


@cell
def dexterity(s: State) -> str:
    robot: Any = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
    pose = s.truth.pose if isinstance(s, Platform) else np.eye(4)[None]
    found = rs.dexterity(robot, np.asarray(pose)[None] if isinstance(s, Platform) else pose)
    J = np.array([_rates(s, unit) for unit in np.eye(3)]).T
    singular = np.linalg.svd(J, compute_uv=False)
    same(np.ravel(found), [singular[-1] / singular[0]], 1e-7)
    return PINOCCHIO


def _rates(s: State, velocity: Array) -> Array:
    """Return the motor rates of a Delta for a translation of its platform, by Pinocchio's constrained tree."""
    from oracles.constrained import Constrained

    closed, joints = s.robot.to_closed(), all_joints(s.robot, s.all_joints)
    constrained = Constrained(closed, {**s.values, **joints})
    q = np.array([joints[closed.variable(j)] for j in closed.tree_joints])
    motors = [j for j in closed.tree_joints if closed.frame(j).mu]
    last = len(s.robot.legs[0])
    number = last + 1 if closed.frame(last + 1).sigma == 2 and closed.frame(last + 1).ant == last else last
    o, columns = constrained.oracle, []
    for k in range(3):
        qd = constrained.consistent(q, {j: float(n == k) for n, j in enumerate(motors)})
        pin.forwardKinematics(o.model, o.data, o.q(q), o.v(qd))
        columns.append(pin.getFrameVelocity(o.model, o.data, o.frames[number], pin.LOCAL_WORLD_ALIGNED).linear)
    return np.linalg.solve(np.array(columns).T, velocity)


@cell
def singularities(s: State) -> str:
    robot: Any = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
    path = np.array([s.truth.pose, s.truth.pose]) if isinstance(s, Platform) else np.eye(4)[None]
    if isinstance(s, Platform):
        path[1, 9:] += 0.01
    found = rs.singularities(robot, path)
    assert abs(np.linalg.det(np.array([_rates(s, unit) for unit in np.eye(3)]))) > 1e-3
    assert found.reached.all() and not found.found and np.min(found.type2) > 0
    return PINOCCHIO


@cell
def workspace(s: State) -> str:
    """The position of the state is reachable, a distant one is not."""
    robot: Any = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
    x, y, z = s.truth.pose[9:] if isinstance(s, Platform) else np.zeros(3)
    found = rs.workspace(robot, x=[x, x + 50], y=[y], z=[z])
    reached = np.ravel(found.reached)
    assert reached[0] and not reached[1]
    return SUBSTITUTION


@cell
def singularity_free(s: State) -> str:
    """No pose near the state is singular; a path of the same poses confirms it."""
    robot: Any = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
    x, y, z = s.truth.pose[9:] if isinstance(s, Platform) else np.zeros(3)
    found = rs.singularity_free(robot, x=[x - 1e-3, x + 1e-3], y=y, z=[z - 1e-3, z + 1e-3])
    assert found.proven
    ends = [rs.platform_pose(robot, x=x + d, y=y, z=z + d) for d in (-1e-3, 1e-3)]
    assert not rs.singularities(robot, ends).found
    return SUBSTITUTION


@cell
def workspace_volume(s: State) -> str:
    """A small box around the position of the state is inside, with its own volume; a distant one is outside."""
    robot: Any = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
    x, y, z = s.truth.pose[9:] if isinstance(s, Platform) else np.zeros(3)
    found = rs.workspace_volume(robot, x=[x, x + 1e-3], y=[y, y + 1e-3], z=[z, z + 1e-3])
    assert np.isclose(found.low, 1e-9) and np.isclose(found.high, 1e-9)
    assert rs.workspace_volume(robot, x=[x + 50, x + 51], y=[y, y + 1], z=[z, z + 1]).high == 0
    return SUBSTITUTION


@cell
def platform_pose(s: State) -> str:
    """The platform of a Delta at the position of the state has the orientation that the legs impose."""
    robot: Any = s.robot.with_values(s.values) if isinstance(s, Platform) else s.robot
    x, y, z = s.truth.pose[9:] if isinstance(s, Platform) else np.zeros(3)
    same(rs.platform_pose(robot, x=x, y=y, z=z), s.truth.pose, 1e-7)
    return PINOCCHIO


@cell
def cable_tensions(s: State) -> str:
    rs.cable_tensions(s.robot)
    return BALANCE


# --------------------------------------------------------------------- files


@cell
def optimize(s: State) -> str:
    same(s.of(rs.optimize(rs.inverse_dynamics(s.robot), 1))["tau"], s.inputs["tau"])
    return PINOCCHIO


@cell
def compose(s: State) -> str:
    """The direct model after the inverse model reproduces the accelerations."""
    inverse, direct = rs.inverse_dynamics(s.robot).select("tau"), rs.direct_dynamics(s.robot)
    both = rs.compose(inverse, direct, wires={"tau": "tau"})
    if isinstance(s, Linked):
        same(s.of(both)["qdd"], s.accelerations)
    else:
        same(s.of(both)["acceleration"], s.truth.acceleration)
    return PINOCCHIO


@cell
def read_model(s: State) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.c"
        rs.inverse_dynamics(s.robot).write(path)
        same(s.of(rs.read_model(path))["tau"], s.inputs["tau"])
    return PINOCCHIO


@cell
def verify(s: State) -> str:
    """The code that is proven equal has the torques of Pinocchio; with another sign it is not proven equal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.txt"
        model = rs.inverse_dynamics(s.robot)
        rs.optimize(model, 1, certificate=True).write(path)
        assert rs.verify(path, model)
        same(s.of(rs.read_model(path))["tau"], s.inputs["tau"])
        text = path.read_text()
        last = text.rindex(" + ")
        path.write_text(f"{text[:last]} - {text[last + 3 :]}")
        assert not rs.verify(path, model)
    return PINOCCHIO


@cell
def loads(s: State) -> str:
    """The robot written as YAML and read again has the same model."""
    written: Any = s.joints if isinstance(s, Linked) else s.robot
    return _again(s, rs.loads(written.dumps("yaml"), format="yaml"))


def _again(s: State, robot: Any) -> str:
    """Add a transmission again, because files describe joints only."""
    robot = robot.with_transmission(TRANSMISSION.tolist()) if s.kind == "transmission" else robot
    same(s.of(rs.inverse_dynamics(robot))["tau"], s.inputs["tau"])
    return PINOCCHIO


@cell
def load(s: State) -> str:
    written: Any = s.joints if isinstance(s, Linked) else s.robot
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.yaml"
        written.write(path)
        return _again(s, rs.load(path))


@cell
def bundle(s: State) -> str:
    """The functions of the bundle agree when read back from C."""
    robot: Any = s.robot.with_values(s.values) if not isinstance(s, Linked) else s.robot
    turned = {}
    if s.kind in ("mobile", "floating"):  # gravity is given in the world, the orientation of the base is measured
        w, x, y, z = turned["base_orientation"] = np.array([0.5, 0.7, -0.1, 0.5])
        R = pin.Quaternion(w, x, y, z).matrix()
        robot = robot.edit({"gravity": (R @ [float(str(g)) for g in robot.gravity]).tolist()})
    with tempfile.TemporaryDirectory() as folder:
        rs.bundle(robot, folder, prefix="p", friction="yes")
        same(s.of(rs.read_model(Path(folder) / "p_inverse_dynamics.c"), **turned)["tau"], s.inputs["tau"])
    return PINOCCHIO


@cell
def build(s: State) -> str:
    """The torques of the WebAssembly module, run by wasmtime."""
    model = rs.inverse_dynamics(s.robot)
    given = {"parameters": s.values, "gravity": s.values, **s.inputs}
    for group in ("parameters", "gravity"):
        given[group] = [given[group][name] for name in model.inputs.get(group, ())]
    with tempfile.TemporaryDirectory() as folder:
        [path, *_] = rs.build(s.robot, "wasm", folder, "inverse_dynamics", friction="yes")
        same(WasmModule(path)("inverse_dynamics", model, given)["tau"][0], s.inputs["tau"])
    return PINOCCHIO


@cell
def ros2(s: State) -> str:
    """Torques and friction of the package, read back from C, are together those of the oracle."""
    robot: Any = s.robot.with_values(s.values) if not isinstance(s, Linked) else s.robot
    with tempfile.TemporaryDirectory() as folder:
        rs.ros2(robot, Path(folder) / "arm", plugins="inverse_dynamics_solver")
        text = (Path(folder) / "arm" / "src" / "dynamics.c").read_text()
        functions = re.split(r"\n(?=/\*\n)", text)
        found = []
        for name, group in (("inverse_dynamics", "tau"), ("friction", "friction")):
            path = Path(folder) / f"{name}.c"
            path.write_text(next(part for part in functions if f"void arm_{name}(" in part))
            found.append(s.of(rs.read_model(path))[group])
        same(np.add(*found), s.inputs["tau"])
    return PINOCCHIO


@cell
def book(s: State) -> str:
    """The numbers of the book agree with poses and energies by differences."""
    found = rs.book(s.robot).comparisons
    assert found and any(one.unit == "W" for one in found)
    for one in found:
        same(one.model, one.other, 1e-6)
    return "NumPy"


@cell
def fmu(s: State) -> str:
    """A unit run by FMPy has the accelerations of the oracle."""
    import fmpy

    step, given = 1e-5, {"tau": s.inputs["tau"]}
    options: dict[str, Any] = {"step": step, "friction": "sign"}
    if isinstance(s, Platform):
        group, rates, right = "twist", s.truth.twist, s.truth.acceleration
        options |= {"q": pose_matrices(np.asarray(s.truth.pose))}
    elif isinstance(s, Linked):
        group, rates, right = "qd", s.truth.y, s.accelerations
        options |= {"q": s.position, **({"base_velocity": s.truth.base_velocity} if s.kind == "floating" else {})}
        if s.kind == "mobile":
            given |= {name: s.inputs[name] for name in ("base_velocity", "base_acceleration")}
    else:
        rs.fmu(s.robot)
        raise AssertionError("expected an error for modules in series")
    robot = s.robot if isinstance(s, Linked) else s.robot.with_values(s.values)
    inputs = {f"{name}[{k}]": float(x) for name, row in given.items() for k, x in enumerate(row, 1)}
    table = np.array([(t, *inputs.values()) for t in (0.0, 1.0)], dtype=[(n, float) for n in ("time", *inputs)])
    names = [f"{group}[{k}]" for k in range(1, len(rates) + 1)]
    with tempfile.TemporaryDirectory() as folder:
        [path] = rs.fmu(robot, Path(folder) / "unit.fmu", qd=rates, **options)
        found = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=4 * step, output_interval=step,
                                  output=names, input=table)  # fmt: skip
    same([(found[name][-1] - found[name][0]) / (4 * step) for name in names], right, 3e-3)
    return "FMPy"
