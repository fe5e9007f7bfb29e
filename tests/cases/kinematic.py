"""Random robots in random positions, Pinocchio's results, and numeric evaluation of models."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.pinocchio import Oracle
from random_robots import random_robot
from robosym.algebra import evaluate, symbols
from robosym.mechanism import BASE_MOTION, INERTIA, Robot
from robosym.model import Model, shape

Array = NDArray[np.float64]


def numbers(model: Model, values: dict[str, float]) -> list[Array]:
    """Return the output groups of a model as arrays."""
    groups = []
    for layout in model.outputs.values():
        names = layout if isinstance(layout[0], str) else [name for row in layout for name in row]
        groups.append(np.array(evaluate([model.definitions[n] for n in names], values)).reshape(shape(layout)))
    return groups


@dataclass
class Case:
    """A robot, values of its symbols, and Pinocchio's results."""

    robot: Robot
    values: dict[str, float]

    def __post_init__(self) -> None:
        self.robot = robot = self.robot.with_links([dict.fromkeys(INERTIA, 0)] * self.robot.NL)  # irrelevant here
        resting = replace(
            robot,
            base=replace(robot.base, kind="fixed", link=None, **dict.fromkeys(BASE_MOTION, 3 * (robot.graph.zero,))),
        )
        oracle = Oracle(resting, self.values)
        rates = [self.values.get(f"QP{j}", 0.0) for j in robot.tree_joints]
        rates2 = [self.values.get(f"QDP{j}", 0.0) for j in robot.tree_joints]
        q = oracle.q(np.array([self.values[robot.variable(j)] for j in robot.tree_joints]))
        v, a = oracle.v(np.array(rates)), oracle.v(np.array(rates2))
        self.oracle, self.qd, self.qdd = oracle, np.array(rates), np.array(rates2)
        pin.forwardKinematics(oracle.model, oracle.data, q, v, a)
        pin.computeJointJacobians(oracle.model, oracle.data, q)
        pin.computeJointJacobiansTimeVariation(oracle.model, oracle.data, q, v)
        pin.updateFramePlacements(oracle.model, oracle.data)

    def placement(self, j: int) -> Array:
        """0Tj."""
        return np.eye(4) if j == 0 else np.array(self.oracle.data.oMf[self.oracle.frames[j]].homogeneous)

    def transform(self, i: int, j: int) -> Array:
        return np.linalg.solve(self.placement(i), self.placement(j))

    def _motion(self, motion: pin.Motion) -> Array:
        return np.concatenate([motion.linear, motion.angular])

    def velocity(self, j: int) -> Array:
        model, data = self.oracle.model, self.oracle.data
        return self._motion(pin.getFrameVelocity(model, data, self.oracle.frames[j], pin.ReferenceFrame.LOCAL))

    def acceleration(self, j: int) -> Array:
        """Return the classical acceleration: that of the origin as a point."""
        model, data = self.oracle.model, self.oracle.data
        local = pin.ReferenceFrame.LOCAL
        return self._motion(pin.getFrameClassicalAcceleration(model, data, self.oracle.frames[j], local))

    def jacobian(self, link: int, frame: int) -> Array:
        """Return the columns of all tree joints, expressed in a frame."""
        model, data = self.oracle.model, self.oracle.data
        J = pin.getFrameJacobian(model, data, self.oracle.frames[link], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        J = J.reshape(6, -1)  # a single joint results in a vector
        A = self.placement(frame)[:3, :3].T
        turned = np.vstack([A @ J[:3], A @ J[3:]])
        return np.array([self.oracle.back(row) for row in turned])


def values_for(robot: Robot, rng: random.Random) -> dict[str, float]:
    names = {name for _, _, value in robot.entries() for name in symbols([value])}
    return {name: rng.uniform(-1.5, 1.5) for name in sorted(names)}


def random_case(seed: int, **options: object) -> Case:
    rng = random.Random(seed)
    robot = random_robot(
        rng, links=rng.randrange(1, 9), symbolic=bool(seed % 2), drives=False, wrenches=False, **options
    )
    return Case(robot, values_for(robot, rng))
