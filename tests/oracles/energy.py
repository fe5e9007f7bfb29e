"""Energy functions of a robot's tree from Pinocchio's placements and velocities of the links."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.pinocchio import Oracle
from robosym.algebra import evaluate
from robosym.mechanism import INERTIA, Robot

Array = NDArray[np.float64]


class EnergyOracle:
    """Factor of each parameter (link, field) in the sum of kinetic and potential energy."""

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        body = {"M": 1, "XX": 1, "YY": 1, "ZZ": 1, "MX": 0, "MY": 0, "MZ": 0, "XY": 0, "XZ": 0, "YZ": 0}
        self.robot = robot
        self.oracle = Oracle(robot.with_links([body] * robot.NL), values)  # any inertia gives the same result
        self.gravity = np.array(evaluate(robot.gravity, values))

    def __call__(self, q: Array, qd: Array) -> dict[tuple[int, str], float]:
        model, data = self.oracle.model, self.oracle.data
        pin.forwardKinematics(model, data, self.oracle.q(q), self.oracle.v(qd))
        pin.updateFramePlacements(model, data)
        found: dict[tuple[int, str], float] = {}
        for j, frame in self.oracle.frames.items():
            velocity, pose = pin.getFrameVelocity(model, data, frame, pin.LOCAL), data.oMf[frame]
            v, w = velocity.linear, velocity.angular
            for n, name in enumerate(INERTIA):
                unit = np.eye(10)[n]
                xx, xy, xz, yy, yz, zz, *MS, M = unit
                J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                kinetic = (M * v @ v + w @ J @ w) / 2 + v @ np.cross(w, MS)
                found[j, name] = float(kinetic - self.gravity @ (pose.rotation @ MS + M * pose.translation))
        for j, rate in zip(self.robot.tree_joints, qd, strict=True):
            found[j, "IA"] = rate * rate / 2
        return found
