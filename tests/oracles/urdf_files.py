"""A robot that was read from URDF against Pinocchio's own reading of the same text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import robosym as rs
from robosym.algebra import evaluate
from robosym.geometry.poses import Poses


@dataclass(frozen=True)
class Differences:
    """The greatest, relative where numbers are above one."""

    geometry: float
    torques: float
    inertia: float

    @property
    def worst(self) -> float:
        return max(self.geometry, self.torques, self.inertia)


def compared_with_pinocchio(robot: rs.Robot, model: pin.Model, seed: int = 1) -> Differences:
    """Poses of all named frames, torques (friction and rotors added to Pinocchio's) and the inertia matrix."""
    data, random = model.createData(), np.random.default_rng(seed)
    count = len(robot.joint_names)
    assert model.nv == count, (model.nv, count)
    q, qd, qdd = (random.uniform(-1, 1, count) for _ in range(3))
    place, v, a = pin.neutral(model), np.zeros(count), np.zeros(count)
    order = []
    for name, position, rate, acceleration in zip(robot.joint_names, q, qd, qdd, strict=True):
        joint = model.joints[model.getJointId(name)]
        place[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(position), np.sin(position)) if joint.nq > 1 else position
        v[joint.idx_v], a[joint.idx_v] = rate, acceleration
        order.append(joint.idx_v)
    pin.forwardKinematics(model, data, place)
    pin.updateFramePlacements(model, data)
    values = dict(zip((robot.variable(j) for j in robot.tree_joints), q, strict=True))
    poses = Poses(robot, lambda entry: evaluate([entry], values)[0])
    geometry = 0.0
    for name, number in robot.frame_names.items():
        if model.existFrame(name, pin.FrameType.BODY):
            wanted = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous[:3]
            geometry = max(geometry, float(np.abs(np.array(poses(0, number).rows, float) - wanted).max()))
    given = {"q": q, "qd": qd, "qdd": qdd}
    torques = pin.rnea(model, data, place, v, a)[order]
    matrix = pin.crba(model, data, place)
    matrix = (np.triu(matrix) + np.triu(matrix, 1).T)[np.ix_(order, order)]
    drives = [robot.link(j) for j in robot.tree_joints]
    ia, fv, fs = (np.array(evaluate([getattr(link, field) for link in drives], {})) for field in ("IA", "FV", "FS"))
    return Differences(
        geometry,
        _relative(_value(rs.inverse_dynamics(robot), given), torques + ia * qdd + fv * qd + fs * np.sign(qd)),
        _relative(_value(rs.inertia_matrix(robot), given), matrix + np.diag(ia)),
    )


def _value(model: rs.Model, given: dict[str, np.ndarray]) -> np.ndarray:
    return np.asarray(model.compile()(**{group: value for group, value in given.items() if group in model.inputs}))


def _relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(1, np.abs(wanted).max()))
