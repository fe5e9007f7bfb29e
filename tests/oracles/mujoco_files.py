"""Robots read from MJCF against MuJoCo's model of the same file."""

from __future__ import annotations

import mujoco
import numpy as np

import robosym as rs
from oracles.urdf_files import Differences, _relative, _value, drives, floating_motion
from robosym.algebra import evaluate
from robosym.mechanism.path import Poses


def compared_with_mujoco(robot: rs.Robot, model: mujoco.MjModel, seed: int = 1) -> Differences:
    """Compare poses of bodies and sites, torques and the inertia matrix of a tree, on a fixed or floating base.

    Springs, limits, tendons and contacts of the model are disabled, because descriptions do not contain them. Ball
    joints and additional floating bodies are three revolute, or three prismatic and three revolute, joints of ours; E
    maps their rates to MuJoCo's.
    """
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.jnt_stiffness[:] = model.tendon_stiffness[:] = model.tendon_damping[:] = model.tendon_armature[:] = 0
    model.dof_frictionloss[:] = 0
    model.body_gravcomp[:] = 0
    model.opt.density = model.opt.viscosity = 0
    data, random = mujoco.MjData(model), np.random.default_rng(seed)
    count, floats = len(robot.joint_names), 6 * (robot.base.kind == "floating")
    assert model.nv == count + floats, (model.nv, count)
    q, qd, qdd = (random.uniform(-1, 1, count) for _ in range(3))
    w, v = random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
    number = {name: k for k, name in enumerate(robot.joint_names)}
    E, drift = np.zeros((model.nv, floats + count)), np.zeros(model.nv)
    world = np.eye(4)  # pose of frame 0
    for joint in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint) or ""
        at, place, kind = model.jnt_dofadr[joint], model.jnt_qposadr[joint], mujoco.mjtJoint(model.jnt_type[joint])
        if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            k = number[name or _unnamed(model, joint)]
            data.qpos[place], E[at, floats + k] = q[k], 1
            continue
        name = name or _unnamed(model, joint)
        start = model.qpos0[place : place + 7]
        size = 6 if kind == mujoco.mjtJoint.mjJNT_FREE else 3  # drives of these joints are omitted with a warning
        model.dof_armature[at : at + size] = model.dof_damping[at : at + size] = 0
        if kind == mujoco.mjtJoint.mjJNT_FREE and floats:  # the base, in its own pose
            quaternion, position = random.normal(size=4), random.normal(size=3)
            quaternion /= np.linalg.norm(quaternion)
            data.qpos[place : place + 7] = *position, *quaternion
            world[:3, :3], world[:3, 3] = _matrix(quaternion), position
            E[at : at + 3, 3:6], E[at + 3 : at + 6, :3] = world[:3, :3], np.eye(3)
        else:
            turns = [number[name + (end if kind == mujoco.mjtJoint.mjJNT_BALL else f"_r{end[-1]}")] for end in _XYZ]
            R, C, change = _three_hinges(q[turns], qd[turns])
            R0 = np.eye(3)
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                slides, R0 = [number[f"{name}_t{letter}"] for letter in "xyz"], _matrix(start[3:])
                data.qpos[place : place + 3] = start[:3] + R0 @ q[slides]
                E[np.ix_(range(at, at + 3), [floats + k for k in slides])] = R0
                at, place = at + 3, place + 3
            mujoco.mju_mat2Quat(data.qpos[place : place + 4], (R0 @ R).ravel())
            E[np.ix_(range(at, at + 3), [floats + k for k in turns])] = C
            drift[at : at + 3] = change @ qd[turns]
    rates = np.concatenate([w, v, qd]) if floats else qd
    matrix = np.zeros((model.nv, model.nv))
    given = {"q": q, "qd": qd, "qdd": qdd}
    if floats:
        gravity = model.opt.gravity * (not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        found = floating_motion(robot.edit(gravity=list(world[:3, :3].T @ gravity)), q, qd, qdd, w, v)
        acceleration, torques, ours = np.concatenate([found.acceleration, qdd]), found.torques, found.matrix
    else:
        acceleration, torques = qdd, _value(rs.inverse_dynamics(robot), given)
        ours = _value(rs.inertia_matrix(robot), given)
    data.qvel[:], data.qacc[:] = E @ rates, E @ acceleration + drift
    mujoco.mj_inverse(model, data)
    for column, unit in zip(matrix, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    matrix = E.T @ matrix @ E
    efforts, fs = E.T @ data.qfrc_inverse, drives(robot)[2]
    scale = max(1.0, float(np.abs(efforts).max()), float(np.abs(matrix).max()) if floats else 0.0)
    gap = float(np.abs(efforts[:floats]).max(initial=0.0)) / scale
    gap = max(gap, float(np.abs(torques - efforts[floats:] - fs * np.sign(qd)).max()) / scale)
    values = dict(zip((robot.variable(j) for j in robot.tree_joints), q, strict=True))
    poses = Poses(robot, lambda entry: evaluate([entry], values)[0])
    geometry = 0.0
    for name, frame in robot.frame_names.items():
        for kind, places, turns in (
            (mujoco.mjtObj.mjOBJ_BODY, data.xpos, data.xmat),
            (mujoco.mjtObj.mjOBJ_SITE, data.site_xpos, data.site_xmat),
        ):
            at = mujoco.mj_name2id(model, kind, name)
            if at >= 0:
                wanted = np.column_stack([turns[at].reshape(3, 3), places[at]])
                pose = (world @ np.vstack([np.array(poses(0, frame).rows, float), [0, 0, 0, 1]]))[:3]
                geometry = max(geometry, float(np.abs(pose - wanted).max()) / max(1.0, float(np.abs(wanted).max())))
                break
    return Differences(geometry, gap, _relative(ours, matrix))


_XYZ = ("_x", "_y", "_z")


def _unnamed(model: mujoco.MjModel, joint: int) -> str:
    """Return the name that the reader gives to an unnamed joint."""
    body = model.jnt_bodyid[joint]
    n = joint - model.body_jntadr[body] + 1
    return f"{mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)}_joint{n if n > 1 else ''}"


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    nine = np.zeros(9)
    mujoco.mju_quat2Mat(nine, quaternion)
    return nine.reshape(3, 3)


def _three_hinges(angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return R = Rx Ry Rz, C with w = C rates in the rotated frame, and the derivative of C."""
    quaternions = [
        np.array([np.cos(t / 2), *(np.sin(t / 2) * axis)]) for t, axis in zip(angles, np.eye(3), strict=True)
    ]
    X, Y, Z = (_matrix(one) for one in quaternions)
    ex, ey, ez = np.eye(3)
    C = np.column_stack([Z.T @ Y.T @ ex, Z.T @ ey, ez])
    first = -rates[2] * np.cross(ez, C[:, 0]) - rates[1] * Z.T @ np.cross(ey, Y.T @ ex)
    return X @ Y @ Z, C, np.column_stack([first, -rates[2] * np.cross(ez, C[:, 1]), np.zeros(3)])


def compared_in_loops(robot: rs.Robot, model: mujoco.MjModel, q: np.ndarray, seed: int = 1) -> float:
    """Compare the active torques of a closed robot with MuJoCo's tree, projected with MuJoCo's constraints.

    `q` closes the loops; passive rates and accelerations follow from the Jacobian of the constraints and its
    derivative.
    """
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    at = {}
    for j in robot.tree_joints:
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, robot.joint(j).name)
        if joint >= 0:
            at[j] = model.jnt_dofadr[joint]
    model_of_ours = rs.inverse_dynamics(robot)
    independent = independent_joints(robot)
    motors = [k for k, j in enumerate(independent) if robot.frame(j).mu]
    free = [k for k in range(len(independent)) if k not in motors]
    active = [at[j] for j in independent]
    passive = [k for k in range(model.nv) if k not in active]
    position = np.zeros(model.nv)
    for j, value in zip(robot.tree_joints, q, strict=True):
        if j in at:
            position[at[j]] = value

    def constraints(place: np.ndarray) -> np.ndarray:
        state = mujoco.MjData(model)
        state.qpos[:] = place
        mujoco.mj_forward(model, state)
        assert np.abs(state.efc_pos).max() < 1e-4
        return np.array(state.efc_J).reshape(-1, model.nv)

    random, step = np.random.default_rng(seed), 1e-6
    J = constraints(position)
    follow = -np.linalg.lstsq(J[:, passive], J[:, active], rcond=None)[0]
    rates, accelerations = random.uniform(-1, 1, len(active)), random.uniform(-1, 1, len(active))
    given = {"q": q, "qd": rates, "qdd": accelerations[motors]}
    found = _value(model_of_ours, given)
    torques = found if not free else found[0]
    if free:
        accelerations[free] = found[1]
    qd, qdd = np.zeros(model.nv), np.zeros(model.nv)
    qd[active], qd[passive] = rates, follow @ rates
    drift = (constraints(position + step * qd) - constraints(position - step * qd)) @ qd / (2 * step)
    qdd[active] = accelerations
    qdd[passive] = follow @ accelerations - np.linalg.lstsq(J[:, passive], drift, rcond=None)[0]
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = position, qd, qdd
    mujoco.mj_inverse(model, data)
    wanted = data.qfrc_inverse[active] + follow.T @ data.qfrc_inverse[passive]
    ours = np.zeros(len(independent))  # undriven joints have no torque
    ours[motors] = torques
    return _relative(ours, wanted)


def independent_joints(robot: rs.Robot) -> list[int]:
    """Return the joints whose rates are inputs of the inverse model: motors, and free joints."""
    by_rate = {robot.joint(j).QP.name: j for j in robot.tree_joints}
    return [by_rate[name] for name in rs.inverse_dynamics(robot).inputs["qd"]]
