"""Numeric hybrid robots: motions of modules by Pinocchio's tree of the robot with loops, and constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.constrained import Constrained
from robosym.mechanism import GEOMETRY, Robot

Array = NDArray[np.float64]


class HybridState(NamedTuple):
    """Motion of the modules, each relative to its base, and the motor efforts."""

    pose: Array  #: poses of the parallel modules, in order
    twist: Array
    acceleration: Array
    q: Array  #: joints of the arms
    qd: Array
    qdd: Array
    tau: Array
    motors: Array  #: motor velocities
    end: Array  #: pose of the last end in frame 0 (4, 4)
    end_twist: Array
    power: float  #: power of the links by Pinocchio, equal to that of all motors


def hybrid_state(
    robot: Robot, joints: Mapping[str, float], values: Mapping[str, float], rng: np.random.Generator
) -> HybridState:
    closed = robot.to_closed()
    oracle = Constrained(closed, {**values, **joints})
    tree = closed.tree_joints
    q = np.array([joints[closed.variable(j)] for j in tree])
    named = {closed.variable(j): j for j in tree}
    motors = [named[name] for name in robot.motor_names]
    qd = oracle.consistent(q, {j: float(rng.normal()) for j in motors})
    qdd = oracle.following(q, qd, {j: float(rng.normal()) for j in motors})
    tau, power = oracle.efforts(q, qd, qdd, motors)
    model = oracle.oracle.model
    data = model.createData()
    pin.forwardKinematics(model, data, oracle.oracle.q(q), oracle.oracle.v(qd), oracle.oracle.v(qdd))
    pin.updateFramePlacements(model, data)

    def motion(frame: int) -> tuple[Array, Array, Array, Array]:
        """Return rotation, position, twist and acceleration of a frame, in frame 0."""
        if frame == 0:
            return np.eye(3), np.zeros(3), np.zeros(6), np.zeros(6)
        f, world = oracle.oracle.frames[frame], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return (
            np.array(data.oMf[f].rotation), np.array(data.oMf[f].translation),
            np.array(pin.getFrameVelocity(model, data, f, world).vector),
            np.array(pin.getFrameClassicalAcceleration(model, data, f, world).vector),
        )  # fmt: skip

    at = {j: k for k, j in enumerate(tree)}
    poses, twists, accelerations = [], [], []
    arms: list[int] = []
    carrying, start = 0, 0
    for module, one in zip(robot.modules, robot.module_robots(), strict=True):
        place = robot.frame(module.place)
        if any(not getattr(place, name).is_zero for name in GEOMETRY):
            carrying = start = start + 1
        base = carrying
        if one.modules:
            part = one.to_closed()
            last = start + len(one.legs[0])
            own = closed.frame(last + 1).sigma == 2 and closed.frame(last + 1).ant == last
            carrying = last + 1 if own and last + 1 <= start + part.NL else last
            start += part.NL
            (Rb, Pb, Vb, Ab), (Rp, Pp, Vp, Ap) = motion(base), motion(carrying)
            r, wb = Pp - Pb, Vb[3:]
            v = Vp[:3] - Vb[:3] - np.cross(wb, r)
            w = Vp[3:] - wb
            a = Ap[:3] - Ab[:3] - np.cross(Ab[3:], r) - np.cross(wb, np.cross(wb, r)) - 2 * np.cross(wb, v)
            alpha = Ap[3:] - Ab[3:] - np.cross(wb, w)
            poses += [*(Rb.T @ Rp).ravel(), *(Rb.T @ r)]
            twists += [*(Rb.T @ v), *(Rb.T @ w)]
            accelerations += [*(Rb.T @ a), *(Rb.T @ alpha)]
        else:
            arms += [named[one.variable(j)] for j in one.tree_joints]
            carrying = start + module.end - module.first + 1
            start += one.NL
    columns = [at[j] for j in arms]
    R, P, V, _ = motion(carrying)
    end = np.eye(4)
    end[:3, :3], end[:3, 3] = R, P
    return HybridState(
        np.array(poses), np.array(twists), np.array(accelerations), q[columns], qd[columns], qdd[columns],
        tau, np.array([qd[at[j]] for j in motors]), end, V, power,
    )  # fmt: skip
