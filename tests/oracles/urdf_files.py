"""Robots read from URDF against Pinocchio's model of the same text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

import robosym as rs
from robosym.algebra import evaluate
from robosym.mechanism.path import Poses


@dataclass(frozen=True)
class Differences:
    """Largest differences, relative for values above 1."""

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
    ia, fv, fs = drives(robot)
    return Differences(
        geometry,
        _relative(_value(rs.inverse_dynamics(robot), given), torques + ia * qdd + fv * qd + fs * np.sign(qd)),
        _relative(_value(rs.inertia_matrix(robot), given), matrix + np.diag(ia)),
    )


def compared_floating(robot: rs.Robot, model: pin.Model, seed: int = 1) -> Differences:
    """Compare a robot with a floating base with Pinocchio's free-flyer, in a random pose of the base.

    The inertia matrix is compared completely; torques and base acceleration together must give no force on the base.
    """
    data, random = model.createData(), np.random.default_rng(seed)
    count = len(robot.joint_names)
    assert model.nv == count + 6 and model.joints[1].nq == 7
    q, qd, qdd = (random.uniform(-1, 1, count) for _ in range(3))
    w, v = random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
    place, rates, accelerations = (
        pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq)),
        *np.zeros((2, model.nv)),
    )
    order = []
    for name, position in zip(robot.joint_names, q, strict=True):
        joint = model.joints[model.getJointId(name)]
        place[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(position), np.sin(position)) if joint.nq > 1 else position
        order.append(joint.idx_v)
    pin.forwardKinematics(model, data, place)
    pin.updateFramePlacements(model, data)
    base = data.oMi[1]
    values = dict(zip((robot.variable(j) for j in robot.tree_joints), q, strict=True))
    poses = Poses(robot, lambda entry: evaluate([entry], values)[0])
    geometry = 0.0
    for name, number in robot.frame_names.items():
        if model.existFrame(name, pin.FrameType.BODY):
            wanted = (base.inverse() * data.oMf[model.getFrameId(name, pin.FrameType.BODY)]).homogeneous[:3]
            geometry = max(geometry, float(np.abs(np.array(poses(0, number).rows, float) - wanted).max()))
    turned = robot.edit(gravity=list(base.rotation.T @ model.gravity.linear))
    found = floating_motion(turned, q, qd, qdd, w, v)
    rates[:3], rates[3:6], rates[order] = v, w, qd
    # Pinocchio's linear acceleration is the derivative of the components of v in the moving frame
    accelerations[:3], accelerations[3:6] = found.acceleration[3:] - np.cross(w, v), found.acceleration[:3]
    accelerations[order] = qdd
    wanted = pin.rnea(model, data, place, rates, accelerations)
    matrix = pin.crba(model, data, place)
    matrix = (np.triu(matrix) + np.triu(matrix, 1).T)[np.ix_([3, 4, 5, 0, 1, 2, *order], [3, 4, 5, 0, 1, 2, *order])]
    scale = max(1.0, float(np.abs(wanted).max()), float(np.abs(matrix).max()))
    ia, fv, fs = drives(robot)
    torques = wanted[order] + ia * qdd + fv * qd + fs * np.sign(qd)
    gap = float(max(np.abs(wanted[:6]).max(), np.abs(found.torques - torques).max())) / scale
    return Differences(geometry, gap, _relative(found.matrix, matrix + np.diag([*np.zeros(6), *ia])))


@dataclass(frozen=True)
class FloatingMotion:
    torques: np.ndarray
    acceleration: np.ndarray  #: acceleration of the base: angular, then of its origin, in its frame
    matrix: np.ndarray  #: inertia matrix of the base, in the same order, and the joints


def floating_motion(
    robot: rs.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, w: np.ndarray, v: np.ndarray
) -> FloatingMotion:
    """Return the results of our inverse model and inertia matrix for a robot with a floating base."""
    given = {"q": q, "qd": qd, "qdd": qdd, "base_velocity": np.concatenate([w, v])}
    tau, acceleration = _value(rs.inverse_dynamics(robot), given)
    A, base, coupling = _value(rs.inertia_matrix(robot), given)
    return FloatingMotion(tau, acceleration, np.block([[base, coupling], [coupling.T, A]]))


def drives(robot: rs.Robot) -> list[np.ndarray]:
    """Return rotor inertia, viscous and dry friction of the joints of the tree."""
    links = [robot.link(j) for j in robot.tree_joints]
    return [np.array(evaluate([getattr(link, field) for link in links], {})) for field in ("IA", "FV", "FS")]


def _value(model: rs.Model, given: dict[str, np.ndarray]) -> Any:
    """Return the outputs of a model in one state, evaluated on the graph, which is faster than compiling."""
    names = {group: model.inputs[group] for group in given if group in model.inputs}
    values = {name: float(value) for group in names for name, value in zip(names[group], given[group], strict=True)}
    found = dict(zip(model.output_names, evaluate(model.roots, values), strict=True))
    arrays = [
        np.array([[found[name] for name in row] if isinstance(row, tuple) else found[row] for row in group])
        for group in model.outputs.values()
    ]
    return arrays[0] if len(arrays) == 1 else arrays


def _relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(1, np.abs(wanted).max()))
