"""A robot that was read from MJCF against MuJoCo's own reading of the same file."""

from __future__ import annotations

import mujoco
import numpy as np

import robosym as rs
from oracles.urdf_files import Differences, _relative, _value
from robosym.algebra import evaluate
from robosym.geometry.poses import Poses


def compared_with_mujoco(robot: rs.Robot, model: mujoco.MjModel, seed: int = 1) -> Differences:
    """Poses of bodies and sites, torques and the inertia matrix of a tree of hinges and slides on a fixed base.

    Springs, limits and contacts of the model are switched off: they are no part of a description.
    """
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.jnt_stiffness[:] = 0
    model.dof_frictionloss[:] = 0
    model.body_gravcomp[:] = 0
    model.opt.density = model.opt.viscosity = 0
    data, random = mujoco.MjData(model), np.random.default_rng(seed)
    count = len(robot.joint_names)
    assert model.nv == count, (model.nv, count)
    q, qd, qdd = (random.uniform(-1, 1, count) for _ in range(3))
    order = []
    for name, position, rate, acceleration in zip(robot.joint_names, q, qd, qdd, strict=True):
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
        at = model.jnt_dofadr[joint]
        data.qpos[model.jnt_qposadr[joint]], data.qvel[at], data.qacc[at] = position, rate, acceleration
        order.append(at)
    mujoco.mj_inverse(model, data)
    values = dict(zip((robot.variable(j) for j in robot.tree_joints), q, strict=True))
    poses = Poses(robot, lambda entry: evaluate([entry], values)[0])
    geometry = 0.0
    for name, number in robot.frame_names.items():
        for kind, places, turns in (
            (mujoco.mjtObj.mjOBJ_BODY, data.xpos, data.xmat),
            (mujoco.mjtObj.mjOBJ_SITE, data.site_xpos, data.site_xmat),
        ):
            at = mujoco.mj_name2id(model, kind, name)
            if at >= 0:
                wanted = np.column_stack([turns[at].reshape(3, 3), places[at]])
                geometry = max(geometry, float(np.abs(np.array(poses(0, number).rows, float) - wanted).max()))
                break
    matrix = np.zeros((model.nv, model.nv))
    for column, unit in zip(matrix, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    fs = np.array(evaluate([robot.link(j).FS for j in robot.tree_joints], {}))
    given = {"q": q, "qd": qd, "qdd": qdd}
    return Differences(
        geometry,
        _relative(_value(rs.inverse_dynamics(robot), given), data.qfrc_inverse[order] + fs * np.sign(qd)),
        _relative(_value(rs.inertia_matrix(robot), given), matrix[np.ix_(order, order)]),
    )


def compared_in_loops(robot: rs.Robot, model: mujoco.MjModel, q: np.ndarray, seed: int = 1) -> float:
    """The torques of the active joints of a closed robot against MuJoCo's tree, projected with MuJoCo's constraints.

    `q` closes the loops; passive rates and accelerations follow from the Jacobian of the constraints and its change.
    """
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    at = {}
    for j in robot.tree_joints:
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, robot.joint(j).name)
        if joint >= 0:
            at[j] = model.jnt_dofadr[joint]
    active = [at[j] for j in robot.tree_joints if robot.frame(j).mu]
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
    given = {"q": q, "qd": rates, "qdd": accelerations}
    return _relative(_value(rs.inverse_dynamics(robot), given), wanted)
