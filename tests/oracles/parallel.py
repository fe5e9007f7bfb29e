"""Numeric parallel robots: states of the platform by Pinocchio's tree of the robot with loops, and constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.constrained import Constrained
from robosym.mechanism import Robot

Array = NDArray[np.float64]


class State(NamedTuple):
    """Motion of the platform, in frame 0 at its origin, and the motor efforts."""

    pose: Array  #: (12,)
    twist: Array
    acceleration: Array
    tau: Array
    q: Array  #: motor positions
    qd: Array
    qdd: Array


def all_joints(robot: Robot, joints: Mapping[str, float]) -> dict[str, float]:
    """Return the joints of the robot with loops, including the second rods of parallelograms."""
    return {**joints, **{shape.cut: -joints[robot.variable(shape.rod)] for shape in robot.module.parallelograms}}


def state(robot: Robot, joints: Mapping[str, float], values: Mapping[str, float], rng: np.random.Generator) -> State:
    """Return a random motion at a position in which the legs meet the platform; `joints` are all joint values."""
    closed, joints = robot.to_closed(), all_joints(robot, joints)
    oracle = Constrained(closed, {**values, **joints})
    tree = closed.tree_joints
    q = np.array([joints[closed.variable(j)] for j in tree])
    motors = [j for j in tree if closed.frame(j).mu]
    qd = oracle.consistent(q, {j: float(rng.normal()) for j in motors})
    tau = dict(zip(motors, rng.normal(size=len(motors)) * 10, strict=True))
    efforts = np.array([tau.get(j, 0.0) for j in tree])
    qdd = oracle.accelerations(q, qd, efforts)
    model = oracle.oracle.model
    data = model.createData()
    v, a = oracle.oracle.v(qd), oracle.oracle.v(qdd)
    pin.forwardKinematics(model, data, oracle.oracle.q(q), v, a)
    pin.updateFramePlacements(model, data)
    last = len(robot.legs[0])
    number = last + 1 if closed.frame(last + 1).sigma == 2 and closed.frame(last + 1).ant == last else last
    platform = oracle.oracle.frames[number]
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    pose = data.oMf[platform]
    at = [tree.index(j) for j in motors]
    return State(
        np.concatenate([pose.rotation.ravel(), pose.translation]),
        np.array(pin.getFrameVelocity(model, data, platform, world).vector),
        np.array(pin.getFrameClassicalAcceleration(model, data, platform, world).vector),
        np.array([tau[j] for j in motors]),
        q[at], qd[at], qdd[at],
    )  # fmt: skip
